//! Bodies that are made while they are sent.

use std::convert::Infallible;
use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use axum::body::{Body, Bytes, HttpBody};
use hyper::body::Frame;
use tokio::time::{Interval, MissedTickBehavior, Sleep, interval, sleep};

/// A body of a beginning, one chunk many times, and an end. It costs the memory of its parts.
pub(super) struct Repeated {
    pub head: Bytes,
    pub chunk: Bytes,
    /// How often the chunk comes.
    pub times: u64,
    pub tail: Bytes,
}

impl HttpBody for Repeated {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        _: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        let part = if !self.head.is_empty() {
            std::mem::take(&mut self.head)
        } else if self.times > 0 {
            self.times -= 1;
            self.chunk.clone()
        } else {
            std::mem::take(&mut self.tail)
        };
        Poll::Ready((!part.is_empty()).then(|| Ok(Frame::data(part))))
    }
}

/// A beginning, and then a chunk whenever the time comes, for ever.
pub(super) struct Dripping {
    head: Bytes,
    chunk: Bytes,
    ticks: Interval,
}

impl Dripping {
    /// A body that drips.
    pub(super) fn body(head: impl Into<Bytes>, chunk: &'static str, every: Duration) -> Body {
        let mut ticks = interval(every);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        ticks.reset();
        Body::new(Dripping {
            head: head.into(),
            chunk: Bytes::from_static(chunk.as_bytes()),
            ticks,
        })
    }
}

impl HttpBody for Dripping {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        if !self.head.is_empty() {
            return Poll::Ready(Some(Ok(Frame::data(std::mem::take(&mut self.head)))));
        }
        ready!(self.ticks.poll_tick(context));
        Poll::Ready(Some(Ok(Frame::data(self.chunk.clone()))))
    }
}

/// A beginning, after which the connection is cut.
pub(super) struct Cut {
    head: Bytes,
    pause: Pin<Box<Sleep>>,
}

impl Cut {
    /// A body that is cut. What was sent in the same breath would be lost, hence a pause.
    pub(super) fn body(head: impl Into<Bytes>) -> Body {
        Body::new(Cut { head: head.into(), pause: Box::pin(sleep(Duration::from_millis(50))) })
    }
}

impl HttpBody for Cut {
    type Data = Bytes;
    type Error = io::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, io::Error>>> {
        if !self.head.is_empty() {
            return Poll::Ready(Some(Ok(Frame::data(std::mem::take(&mut self.head)))));
        }
        ready!(self.pause.as_mut().poll(context));
        Poll::Ready(Some(Err(io::ErrorKind::ConnectionReset.into())))
    }
}
