//! The gate: what may leave the browser. Policy lives with the caller; this is the door.

use std::collections::BTreeMap;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

/// A boxed future, as [`Gate::decide`] returns it.
pub type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// Decides about every request of a tab before it is sent.
///
/// It is asked for documents, frames, scripts, pictures, fetches, event sources and the requests of
/// workers that Chromium lets be intercepted; before Chromium's cache, so what is in that is asked
/// about too, and only what the page's process holds in memory is not. WebSockets cannot be held back
/// here: those of events are refused in the page, those of a load are told, and the proxy decides
/// about them.
///
/// ```
/// use browser::{BoxFuture, Gate, RequestSeen, Verdict};
///
/// struct OnlyReads;
///
/// impl Gate for OnlyReads {
///     fn decide<'a>(&'a self, request: &'a RequestSeen) -> BoxFuture<'a, Verdict> {
///         Box::pin(async move {
///             match request.method.as_str() {
///                 "GET" | "HEAD" => Verdict::Continue,
///                 other => Verdict::Fail { reason: format!("{other} may change something") },
///             }
///         })
///     }
/// }
/// ```
pub trait Gate: Send + Sync {
    /// The verdict on one request. It may take its time (a delay for politeness); virtual time
    /// stands still meanwhile, the wall clock of the visit does not.
    fn decide<'a>(&'a self, request: &'a RequestSeen) -> BoxFuture<'a, Verdict>;
}

/// A request that waits at the gate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RequestSeen {
    /// Where it goes.
    pub url: String,
    /// `GET`, `POST`…
    pub method: String,
    /// The headers that the page's side has set so far.
    pub headers: BTreeMap<String, String>,
    /// The body, if it is text.
    pub post_data: Option<String>,
    /// Chromium's name for what it is: `Document`, `Script`, `Image`, `XHR` (for `fetch` too),
    /// `EventSource`…
    pub resource_type: String,
    /// What made the page send it.
    pub cause: Cause,
    /// Whether it would replace the page.
    pub top_frame_document: bool,
    /// Whether it follows a redirect of the server.
    pub redirected: bool,
    /// Whether it is a document that the one asked for leads to while it loads: by a redirect of the
    /// server, by markup or by a script. If it is refused, the page stays where it is.
    pub onward: bool,
    /// A number for the cookies that events changed before the page was loaded again; 0 for a visitor who
    /// has only followed addresses. The site may answer each number in its own way.
    pub choices: u64,
}

/// Why a page sends a request.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Cause {
    /// The page does it by itself while it loads: any visitor causes it.
    #[default]
    Load,
    /// An event that we fired.
    Event,
}

/// What happens to a request.
#[derive(Clone, Debug)]
pub enum Verdict {
    /// It is sent.
    Continue,
    /// It fails in the page, and the reason is reported.
    Fail {
        /// Why, for the user.
        reason: String,
    },
    /// It is answered from a record; nothing is sent.
    Fulfil(Arc<Recorded>),
}

/// A recorded response.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Recorded {
    /// The status.
    pub status: u16,
    /// Headers as received; those about encoding and length are left out on replay, since the body
    /// is decoded, and those that set cookies, since they would bring back older ones.
    pub headers: Vec<(String, String)>,
    /// The decoded body.
    pub body: Vec<u8>,
}
