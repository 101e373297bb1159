//! Answers that are written while they are read: listings of any length take the memory of a few lines.

use std::pin::Pin;
use std::task::{Context, Poll};

use axum::body::{Body, Bytes};
use futures_core::Stream;
use tokio::sync::mpsc;

/// Pieces that may wait for a slow reader, and the size of each.
const PIECES: usize = 8;
const PIECE: usize = 32 * 1024;

/// Where lines are written to.
pub struct Lines {
    pieces: mpsc::Sender<Result<Bytes, std::io::Error>>,
    piece: Vec<u8>,
}

impl Lines {
    /// Adds to what is written. It fails when the reader went away.
    pub async fn write(&mut self, text: impl AsRef<[u8]>) -> anyhow::Result<()> {
        self.piece.extend_from_slice(text.as_ref());
        match self.piece.len() >= PIECE {
            true => self.send().await,
            false => Ok(()),
        }
    }

    /// Sends the rest: nothing more is written.
    pub async fn end(mut self) -> anyhow::Result<()> {
        self.send().await
    }

    async fn send(&mut self) -> anyhow::Result<()> {
        let piece = std::mem::take(&mut self.piece);
        if !piece.is_empty() {
            self.pieces.send(Ok(piece.into())).await?;
        }
        Ok(())
    }
}

/// A body that `write` writes and ends. When it fails the connection is cut, so that nobody takes a part for the whole.
pub fn lines<W>(write: impl FnOnce(Lines) -> W + Send + 'static) -> Body
where
    W: Future<Output = anyhow::Result<()>> + Send + 'static,
{
    let (pieces, receiver) = mpsc::channel(PIECES);
    let out = Lines { pieces: pieces.clone(), piece: Vec::new() };
    tokio::spawn(async move {
        if let Err(error) = write(out).await {
            let is_gone = error.is::<mpsc::error::SendError<Result<Bytes, std::io::Error>>>();
            if !is_gone {
                tracing::warn!(target: "serve", "{error:#}");
                let _ = pieces.send(Err(std::io::Error::other("the listing broke off"))).await;
            }
        }
    });
    Body::from_stream(Pieces(receiver))
}

struct Pieces(mpsc::Receiver<Result<Bytes, std::io::Error>>);

impl Stream for Pieces {
    type Item = Result<Bytes, std::io::Error>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.0.poll_recv(context)
    }
}

/// Where lines are written to by work that waits for nothing but its reader, on a thread of its own.
pub struct Blocking(Lines);

/// How long a writer sleeps until its reader has taken something.
const NAP: std::time::Duration = std::time::Duration::from_millis(2);

impl std::io::Write for Blocking {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.piece.extend_from_slice(bytes);
        if self.0.piece.len() >= PIECE {
            self.flush()?;
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        let mut piece = Ok(std::mem::take(&mut self.0.piece).into());
        loop {
            match self.0.pieces.try_send(piece) {
                Ok(()) => return Ok(()),
                Err(mpsc::error::TrySendError::Full(back)) => {
                    piece = back;
                    std::thread::sleep(NAP);
                }
                Err(mpsc::error::TrySendError::Closed(_)) => {
                    return Err(std::io::ErrorKind::BrokenPipe.into());
                }
            }
        }
    }
}

/// A body that is written on a thread of its own. When that fails the connection is cut.
pub fn blocking(
    write: impl FnOnce(Blocking, tokio::runtime::Handle) -> anyhow::Result<()> + Send + 'static,
) -> Body {
    let (pieces, receiver) = mpsc::channel(PIECES);
    let out = Blocking(Lines { pieces: pieces.clone(), piece: Vec::new() });
    let runtime = tokio::runtime::Handle::current();
    tokio::task::spawn_blocking(move || {
        if let Err(error) = write(out, runtime) {
            let is_gone = error.chain().any(|cause| {
                let cause = cause.downcast_ref::<std::io::Error>();
                cause.is_some_and(|cause| cause.kind() == std::io::ErrorKind::BrokenPipe)
            });
            if !is_gone {
                tracing::warn!(target: "serve", "{error:#}");
            }
            let _ = pieces.try_send(Err(std::io::Error::other("the listing broke off")));
        }
    });
    Body::from_stream(Pieces(receiver))
}
