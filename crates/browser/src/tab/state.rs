//! What is known about a tab at this moment. The driver writes it, the tab's owner waits on it.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::Notify;
use tokio::time::Instant;

use super::error::TabError;
use super::exchange::Recorder;
use super::gate::Cause;
use super::happening::Happenings;

/// The state with a bell that rings at every change.
#[derive(Default)]
pub(super) struct Shared {
    state: Mutex<State>,
    bell: Notify,
}

#[derive(Default)]
pub(super) struct State {
    /// Why the tab is of no more use.
    pub end: Option<End>,
    /// Whether documents of the top frame are caught instead of loaded.
    pub guarded: bool,
    /// What requests that are seen now are due to.
    pub cause: Cause,
    pub main_frame: String,
    pub frames: HashMap<String, FrameState>,
    /// Sessions of documents: the page and frames of other processes.
    pub documents: Vec<Arc<str>>,
    /// How often the virtual budget of a session has expired.
    pub expired: HashMap<Arc<str>, u64>,
    /// Documents that the top frame has committed, and those whose load event came.
    pub commits: u64,
    pub loads: u64,
    /// Changes of the top frame's address inside the document.
    pub moves: u64,
    /// Requests for documents of the top frame since the visit began.
    pub document_requests: u64,
    /// A navigation of the top frame was announced and its request has not come yet.
    pub announced: bool,
    pub requests: u64,
    /// Where a redirect of the server leads that the gate refused, and why.
    pub unfollowed: Option<(String, String)>,
    /// The page wanted another document instead of itself while it loaded, and stayed. Its load event
    /// may never come then.
    pub stayed: bool,
    /// What the gate took over documents of the load in hand. A site's pace is no slowness of a page.
    pub held: Held,
    /// Requests that wait for the gate's verdict.
    pub at_gate: HashMap<String, Arc<str>>,
    pub recorder: Recorder,
    pub happenings: Happenings,
    /// Where the markup sends a visitor after a while: told when the page was loaded.
    pub refreshes: Vec<String>,
    /// Whether an event changed a database of the page.
    pub databases_changed: bool,
    /// Why the load in hand was cut short.
    pub cut: Option<&'static str>,
}

/// Time that was spent at the gate.
#[derive(Clone, Copy, Default)]
pub(super) struct Held {
    before: Duration,
    since: Option<Instant>,
}

impl Held {
    pub fn begin(&mut self) {
        self.since = Some(Instant::now());
    }

    pub fn end(&mut self) {
        *self = Self { before: self.total(), since: None };
    }

    pub fn total(&self) -> Duration {
        self.before + self.since.map_or(Duration::ZERO, |since| since.elapsed())
    }
}

/// A frame and its two worlds.
#[derive(Clone, Default)]
pub(super) struct FrameState {
    pub session: Option<Arc<str>>,
    pub parent: Option<String>,
    pub url: String,
    /// The unique ids of the execution contexts.
    pub page_world: Option<String>,
    pub own_world: Option<String>,
    /// The plain id of our own world, which some commands want instead.
    pub own_world_id: i64,
}

/// How a tab can come to its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum End {
    Crashed,
    Closed,
    OverCap(&'static str, u64),
}

impl State {
    /// A visit or an event begins: counts start again.
    pub fn begin_step(&mut self, cause: Cause) {
        self.cause = cause;
        self.recorder.begin_step();
        self.requests = 0;
        self.cut = None;
        self.announced = false;
    }
}

impl From<End> for TabError {
    fn from(end: End) -> Self {
        match end {
            End::Crashed => TabError::Crashed,
            End::Closed => TabError::Closed,
            End::OverCap(cap, limit) => TabError::OverCap { cap, limit },
        }
    }
}

impl Shared {
    pub fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Changes the state and rings.
    pub fn change<T>(&self, change: impl FnOnce(&mut State) -> T) -> T {
        let result = change(&mut self.lock());
        self.bell.notify_waiters();
        result
    }

    /// Ends the tab, unless it has ended already.
    pub fn end(&self, end: End) {
        self.change(|state| state.end.get_or_insert(end).to_owned());
    }

    /// Waits until the state has something, or the time is up (`None`), or the tab ends.
    pub async fn until<T>(
        &self,
        deadline: Instant,
        mut look: impl FnMut(&mut State) -> Option<T>,
    ) -> Result<Option<T>, TabError> {
        loop {
            let bell = self.bell.notified();
            tokio::pin!(bell);
            bell.as_mut().enable();
            {
                let mut state = self.lock();
                if let Some(end) = state.end {
                    return Err(end.into());
                }
                if let Some(found) = look(&mut state) {
                    return Ok(Some(found));
                }
            }
            if tokio::time::timeout_at(deadline, bell).await.is_err() {
                return Ok(None);
            }
        }
    }

    /// Waits for the end of the tab.
    pub async fn ended(&self) -> TabError {
        let far = Instant::now() + Duration::from_secs(365 * 86_400);
        match self.until(far, |_| None::<()>).await {
            Err(error) => error,
            Ok(_) => TabError::Closed,
        }
    }
}
