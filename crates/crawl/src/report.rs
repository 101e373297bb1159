//! What a crawl says while it runs and when it ends.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Mutex, OnceLock};
use std::time::{Duration, Instant};

use serde::Serialize;
use store::{Catalog, StoreError};
use tokio::sync::Notify;
use tokio::time::timeout_at;

use crate::arrive::Rung;
use crate::settings::Limits;
use crate::trap::Trap;
use crate::wait::{Wait, Waits};

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
    pub(crate) waits: Waits,
    current: Mutex<String>,
}

impl Meter {
    /// A meter that begins now, and with nothing.
    pub(crate) fn new(limits: Limits) -> Self {
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
    pub(crate) fn resume(&self, pages: u64, events: u64, requests: u64) {
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
    pub(crate) async fn stopping(&self) {
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
    pub(crate) fn must_end(&self) -> bool {
        matches!(self.stopped(), Some(Stopped::Interrupted | Stopped::MaxTime))
    }

    /// Whether what is in hand has had its time, too, since the crawl was to end: `after_limit` if the
    /// time was over, `after_interrupt` if the user asked for it.
    pub(crate) fn is_overdue(&self, after_limit: Duration, after_interrupt: Duration) -> bool {
        let late = self.limits.time.is_some_and(|most| self.begun.elapsed() >= most + after_limit);
        late || self.interrupted.get().is_some_and(|at| at.elapsed() >= after_interrupt)
    }

    pub(crate) fn page(&self) {
        self.pages.fetch_add(1, Relaxed);
        self.bell.notify_waiters();
    }

    pub(crate) fn event(&self) {
        self.events.fetch_add(1, Relaxed);
        self.bell.notify_waiters();
    }

    pub(crate) fn requests(&self, count: u64) {
        self.requests.fetch_add(count, Relaxed);
        self.bell.notify_waiters();
    }

    /// Requests on the network, earlier runs included.
    pub(crate) fn sent(&self) -> u64 {
        self.requests.load(Relaxed)
    }

    pub(crate) fn task_done(&self) {
        self.tasks_done.fetch_add(1, Relaxed);
    }

    pub(crate) fn now_at(&self, what: &str) {
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

/// Events that were not fired, by the filter that saved them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct EventsSaved {
    /// The same instruction was fired elsewhere.
    pub instruction: i64,
    /// Its pattern never led anywhere.
    pub pattern: i64,
    /// Responses served from the record.
    pub request: i64,
}

/// Requests, by where the answer came from.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Requests {
    /// Sent to the site.
    pub network: i64,
    /// Answered from the record.
    pub cache: i64,
    /// Sent only to learn what is volatile, or to check.
    pub learning: i64,
}

/// Returns to a state in one way.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Restores {
    /// How many.
    pub times: i64,
    /// What they took in all.
    pub total_ms: f64,
}

/// The summary of a crawl: totals over all its runs, time and reason of this one.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Report {
    /// Captured pages.
    pub pages: i64,
    /// Different states among them.
    pub states: i64,
    /// Pages that only events reach.
    pub event_pages: i64,
    /// Page types.
    pub page_types: i64,
    /// Events fired.
    pub events_fired: i64,
    /// Events not fired, by filter.
    pub events_saved: EventsSaved,
    /// Page numbers that turned out equal.
    pub merged: i64,
    /// Events not fired or requests not let through, for safety.
    pub refused: i64,
    /// Requests.
    pub requests: Requests,
    /// Pages loaded in a browser.
    pub rendered: i64,
    /// Pages fetched without one.
    pub fetched: i64,
    /// URLs that failed.
    pub failed: i64,
    /// Returns to a state by loading its document and firing its path again.
    pub restores: i64,
    /// Returns to a state, by the rung of the ladder that led there.
    pub restores_by: BTreeMap<String, Restores>,
    /// Events fired only to return to a state.
    pub events_replayed: i64,
    /// Forms found.
    pub forms: i64,
    /// Forms submitted.
    pub submissions: i64,
    /// Records, those that are gone from their sites included.
    pub records: i64,
    /// Versions kept.
    pub versions: i64,
    /// Blocks not seen before.
    pub blocks_new: i64,
    /// Snapshots and bodies as they restore.
    pub bytes_raw: i64,
    /// The store on disk.
    pub bytes_stored: i64,
    /// Work that waits for the next run.
    pub waiting: i64,
    /// Visits and explorations that this run did.
    pub tasks_done: u64,
    /// Seconds of this run.
    pub elapsed_s: f64,
    /// Seconds of it that cutting into blocks took, of all cores together.
    pub processing_s: f64,
    /// Series without an end that were ended, and addresses that were left out because others show
    /// the same.
    pub traps: Vec<Trap>,
    /// Why it ended early, if it did.
    pub stopped: Option<Stopped>,
}

impl Report {
    /// Sums up what the store holds of these sites.
    pub(crate) async fn of(
        catalog: &Catalog,
        sites: &[String],
        meter: &Meter,
        traps: Vec<Trap>,
    ) -> Result<Self, StoreError> {
        let stats = catalog.stats().await?;
        let mut report = Self {
            bytes_raw: stats.bytes_raw,
            bytes_stored: stats.bytes_stored,
            tasks_done: meter.tasks_done.load(Relaxed),
            elapsed_s: meter.elapsed().as_secs_f64(),
            stopped: meter.stopped(),
            traps,
            ..Self::default()
        };
        for site in sites {
            let summary = catalog.summary(site).await?;
            let counter = |name: &str| summary.counters.get(name).copied().unwrap_or(0);
            let pages = |name: &str| summary.pages.get(name).copied().unwrap_or(0);
            report.pages += pages("captured");
            report.failed += pages("failed");
            report.states += summary.states;
            report.event_pages += summary.event_pages;
            report.events_fired += counter("events_fired");
            report.merged += counter("merged");
            report.refused += summary.edges.get("refused").copied().unwrap_or(0);
            report.requests.network += counter("requests");
            report.requests.cache += counter("requests_cache");
            report.requests.learning += counter("requests_learning");
            report.events_replayed += counter("events_replayed");
            report.events_saved.instruction += counter("saved_instruction");
            report.events_saved.pattern += counter("saved_pattern");
            report.events_saved.request += counter("requests_cache");
            report.page_types += summary.page_types;
            for (rung, name) in Rung::ALL {
                let (times, micros) = rung.counters();
                let entry = report.restores_by.entry((*name).to_owned()).or_default();
                entry.times += counter(times);
                entry.total_ms += counter(micros) as f64 / 1000.0;
            }
            report.rendered += counter("rendered");
            report.fetched += counter("fetched");
            report.restores += counter("restores");
            report.versions += summary.versions;
            report.blocks_new += counter("blocks_new");
            report.records += summary.records;
            report.waiting += summary.waiting;
        }
        Ok(report)
    }
}
