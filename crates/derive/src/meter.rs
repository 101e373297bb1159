//! The running totals of a run: what limits and progress look at, and how it is interrupted.

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::time::{Duration, Instant};

use serde::Serialize;

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
}

/// The running totals that limits and progress look at.
pub struct Meter {
    limits: Limits,
    begun: Instant,
    pages: AtomicU64,
    events: AtomicU64,
    requests: AtomicU64,
    tasks_done: AtomicU64,
    interrupted: AtomicBool,
    current: Mutex<String>,
}

impl Meter {
    /// A meter that goes on from what earlier runs reached.
    pub fn new(limits: Limits, pages: u64, events: u64, requests: u64) -> Self {
        Self {
            limits,
            begun: Instant::now(),
            pages: pages.into(),
            events: events.into(),
            requests: requests.into(),
            tasks_done: 0.into(),
            interrupted: false.into(),
            current: Mutex::default(),
        }
    }

    /// Asks the crawl to finish what is in hand and stop.
    pub fn interrupt(&self) {
        self.interrupted.store(true, Relaxed);
    }

    /// The reason to stop now, if there is one.
    pub fn stopped(&self) -> Option<Stopped> {
        let over = |limit: Option<u64>, count: &AtomicU64| {
            limit.is_some_and(|most| count.load(Relaxed) >= most)
        };
        if self.interrupted.load(Relaxed) {
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

    /// Whether the time limit has passed by more than `grace`.
    pub fn is_overdue(&self, grace: Duration) -> bool {
        self.limits.time.is_some_and(|most| self.begun.elapsed() >= most + grace)
    }

    /// A page was captured.
    pub fn page(&self) {
        self.pages.fetch_add(1, Relaxed);
    }

    /// An event was fired.
    pub fn event(&self) {
        self.events.fetch_add(1, Relaxed);
    }

    /// Requests were sent.
    pub fn requests(&self, count: u64) {
        self.requests.fetch_add(count, Relaxed);
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
        }
    }

    /// Time since this run began.
    pub fn elapsed(&self) -> Duration {
        self.begun.elapsed()
    }
}
