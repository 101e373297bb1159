//! CONNECT: judged when it is opened, then bytes both ways until an end, a cap or a silence.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use http_body_util::{Either, Full};
use hyper::body::{Bytes, Incoming};
use hyper::upgrade::OnUpgrade;
use hyper::{Request, Response, StatusCode};
use hyper_util::rt::TokioIo;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::{Instant, sleep_until};

use super::Shared;
use super::forward::{Answer, is_own_address, say, undialled};
use super::ledger::count;
use super::remote::Remote;

const BUFFER: usize = 16 * 1024;

/// A tunnel whose server is connected and whose browser is being told so.
pub(super) struct Tunnel {
    browser: OnUpgrade,
    server: TcpStream,
}

/// Judges and dials the target of a CONNECT; the error is the answer to give instead.
pub(super) async fn open(
    shared: &Arc<Shared>,
    mut request: Request<Incoming>,
) -> Result<(Tunnel, Response<Answer>), Response<Answer>> {
    let authority = request.uri().authority();
    let Some((host, port)) = authority.and_then(|a| Some((a.host(), a.port_u16()?))) else {
        let words = "CONNECT needs host:port";
        return Err(say(StatusCode::BAD_REQUEST, "bad-request", words));
    };
    if is_own_address(shared, host, port) {
        let words = "this is the proxy itself";
        return Err(say(StatusCode::LOOP_DETECTED, "loop", words));
    }
    let server = shared.dialer.dial(host, port).await;
    let server = server.map_err(|error| undialled(&shared.ledger, &error))?;
    if let Ok(address) = server.peer_addr() {
        shared.remotes.note(host, port, Remote { address, version: None });
    }
    count(&shared.ledger.tunnels, 1);
    let tunnel = Tunnel { browser: hyper::upgrade::on(&mut request), server };
    Ok((tunnel, Response::new(Either::Left(Full::new(Bytes::new())))))
}

/// Why a tunnel ended before both sides had closed it.
#[derive(Debug, thiserror::Error)]
enum TunnelError {
    #[error("the tunnel is over the byte cap")]
    Cap,
    #[error("both sides fell silent")]
    Silence,
    #[error(transparent)]
    Broken(#[from] io::Error),
}

impl Tunnel {
    /// Carries bytes until the end.
    pub(super) async fn run(self, shared: &Shared) {
        let browser = match self.browser.await {
            Ok(browser) => TokioIo::new(browser),
            Err(error) => {
                tracing::debug!(%error, "the browser left before its tunnel was open");
                return;
            }
        };
        let (from_browser, to_browser) = tokio::io::split(browser);
        let (from_server, to_server) = self.server.into_split();
        let ledger = &shared.ledger;
        let clock = Clock::start();
        let down =
            carry(from_server, to_browser, &clock, &ledger.bytes_down, shared.options.max_tunnel);
        let up = carry(from_browser, to_server, &clock, &ledger.bytes_up, u64::MAX);
        let ended = tokio::select! {
            ended = async { tokio::try_join!(down, up).map(|_| ()) } => ended,
            () = clock.silence(shared.options.idle_time) => Err(TunnelError::Silence),
        };
        match ended {
            Ok(()) => {}
            Err(TunnelError::Cap) => count(&ledger.capped, 1),
            Err(error) => tracing::debug!(%error, "a tunnel ended early"),
        }
    }
}

async fn carry(
    mut from: impl AsyncRead + Unpin,
    mut to: impl AsyncWrite + Unpin,
    clock: &Clock,
    figure: &AtomicU64,
    mut left: u64,
) -> Result<(), TunnelError> {
    let mut buffer = vec![0; BUFFER];
    loop {
        let length = from.read(&mut buffer).await?;
        if length == 0 {
            // The other direction may still have much to say.
            to.shutdown().await?;
            return Ok(());
        }
        left = left.checked_sub(length as u64).ok_or(TunnelError::Cap)?;
        to.write_all(buffer.get(..length).unwrap_or_default()).await?;
        count(figure, length as u64);
        clock.touch();
    }
}

/// When a byte last moved in either direction.
struct Clock {
    start: Instant,
    last_ms: AtomicU64,
}

impl Clock {
    fn start() -> Self {
        Self { start: Instant::now(), last_ms: AtomicU64::new(0) }
    }

    fn touch(&self) {
        let ms = u64::try_from(self.start.elapsed().as_millis()).unwrap_or(u64::MAX);
        self.last_ms.store(ms, Ordering::Relaxed);
    }

    /// Resolves when nothing has moved for `limit`.
    async fn silence(&self, limit: Duration) {
        loop {
            let last = Duration::from_millis(self.last_ms.load(Ordering::Relaxed));
            let until = self.start + last + limit;
            if until <= Instant::now() {
                return;
            }
            sleep_until(until).await;
        }
    }
}
