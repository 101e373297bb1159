//! The running totals of a run: what limits and progress look at, and how it is interrupted.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Mutex, OnceLock};
use std::time::{Duration, Instant};

use serde::Serialize;
use tokio::sync::Notify;
use tokio::time::timeout_at;

use crate::wait::{Wait, Waits};

/// Where a crawl ends before everything was seen. `None` is no limit.
#[derive(Clone, Debug, Default)]
pub struct Limits {
    /// Captured pages.
    pub pages: Option<u64>,
    /// Fired events.
    pub events: Option<u64>,
    /// Steps from the start.
    pub depth: Option<u32>,
    /// Time of this run.
    pub time: Option<Duration>,
    /// Requests on the network.
    pub requests: Option<u64>,
    /// Pages whose URLs differ in numbers, dates and titles only: `/calendar?month=*`.
    pub pages_per_pattern: Option<u64>,
}

/// Why a crawl ended before everything was seen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Stopped {
    /// The user asked for it.
    Interrupted,
    /// `--max-pages`.
    MaxPages,
    /// `--max-events`.
    MaxEvents,
    /// `--max-time`.
    MaxTime,
    /// `--max-requests`.
    MaxRequests,
}

/// A look at a running crawl.
#[derive(Clone, Debug, Default)]
pub struct Progress {
    /// Captured pages, earlier runs included.
    pub pages: u64,
    /// Fired events, earlier runs included.
    pub events: u64,
    /// Tasks done in this run.
    pub tasks_done: u64,
    /// Tasks that wait.
    pub tasks_waiting: u64,
    /// What was begun last.
    pub current: String,
    /// What is waited for, the longest wait first.
    pub waits: Vec<Wait>,
}

/// The running totals that limits and progress look at.
pub struct Meter {
    limits: Limits,
    begun: Instant,
    pages: AtomicU64,
    events: AtomicU64,
    requests: AtomicU64,
    tasks_done: AtomicU64,
    interrupted: OnceLock<Instant>,
    /// Rings when there may be a reason to stop.
    bell: Notify,
    /// What is waited for.
    pub waits: Waits,
    current: Mutex<String>,
}

impl Meter {
    /// A meter that begins now, and with nothing.
    pub fn new(limits: Limits) -> Self {
        Self {
            limits,
            begun: Instant::now(),
            pages: 0.into(),
            events: 0.into(),
            requests: 0.into(),
            tasks_done: 0.into(),
            interrupted: OnceLock::new(),
            bell: Notify::new(),
            waits: Waits::default(),
            current: Mutex::default(),
        }
    }

    /// Goes on from what earlier runs reached.
    pub fn resume(&self, pages: u64, events: u64, requests: u64) {
        self.pages.store(pages, Relaxed);
        self.events.store(events, Relaxed);
        self.requests.store(requests, Relaxed);
    }

    /// Asks the crawl to finish what is in hand and stop.
    pub fn interrupt(&self) {
        self.interrupted.get_or_init(Instant::now);
        self.bell.notify_waiters();
    }

    /// The reason to stop now, if there is one.
    pub fn stopped(&self) -> Option<Stopped> {
        let over = |limit: Option<u64>, count: &AtomicU64| {
            limit.is_some_and(|most| count.load(Relaxed) >= most)
        };
        if self.interrupted.get().is_some() {
            Some(Stopped::Interrupted)
        } else if over(self.limits.pages, &self.pages) {
            Some(Stopped::MaxPages)
        } else if over(self.limits.events, &self.events) {
            Some(Stopped::MaxEvents)
        } else if over(self.limits.requests, &self.requests) {
            Some(Stopped::MaxRequests)
        } else if self.limits.time.is_some_and(|most| self.begun.elapsed() >= most) {
            Some(Stopped::MaxTime)
        } else {
            None
        }
    }

    /// Resolves when there is a reason to stop.
    pub async fn stopping(&self) {
        let end = self.limits.time.map(|most| (self.begun + most).into());
        loop {
            let bell = self.bell.notified();
            tokio::pin!(bell);
            bell.as_mut().enable();
            if self.stopped().is_some() {
                return;
            }
            match end {
                Some(end) => drop(timeout_at(end, bell).await),
                None => bell.await,
            }
        }
    }

    /// Whether the user has had enough, or the time is over: then nothing is begun that can wait for
    /// the next run.
    pub fn must_end(&self) -> bool {
        matches!(self.stopped(), Some(Stopped::Interrupted | Stopped::MaxTime))
    }

    /// Whether what is in hand has had its time, too, since the crawl was to end: `after_limit` if the
    /// time was over, `after_interrupt` if the user asked for it.
    pub fn is_overdue(&self, after_limit: Duration, after_interrupt: Duration) -> bool {
        let late = self.limits.time.is_some_and(|most| self.begun.elapsed() >= most + after_limit);
        late || self.interrupted.get().is_some_and(|at| at.elapsed() >= after_interrupt)
    }

    /// A page was captured.
    pub fn page(&self) {
        self.pages.fetch_add(1, Relaxed);
        self.bell.notify_waiters();
    }

    /// An event was fired.
    pub fn event(&self) {
        self.events.fetch_add(1, Relaxed);
        self.bell.notify_waiters();
    }

    /// Requests were sent.
    pub fn requests(&self, count: u64) {
        self.requests.fetch_add(count, Relaxed);
        self.bell.notify_waiters();
    }

    /// Requests on the network, earlier runs included.
    pub fn sent(&self) -> u64 {
        self.requests.load(Relaxed)
    }

    /// A visit or an exploration was done.
    pub fn task_done(&self) {
        self.tasks_done.fetch_add(1, Relaxed);
    }

    /// Visits and explorations done in this run.
    pub fn tasks_done(&self) -> u64 {
        self.tasks_done.load(Relaxed)
    }

    /// Says what is being worked on.
    pub fn now_at(&self, what: &str) {
        let mut current = self.current.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        current.clear();
        current.push_str(what);
    }

    /// A look at the crawl.
    pub fn look(&self, tasks_waiting: u64) -> Progress {
        Progress {
            pages: self.pages.load(Relaxed),
            events: self.events.load(Relaxed),
            tasks_done: self.tasks_done.load(Relaxed),
            tasks_waiting,
            current: self.current.lock().unwrap_or_else(|poisoned| poisoned.into_inner()).clone(),
            waits: self.waits.list(),
        }
    }

    /// Time since this run began.
    pub fn elapsed(&self) -> Duration {
        self.begun.elapsed()
    }
}
