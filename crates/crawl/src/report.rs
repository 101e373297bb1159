//! What a crawl says while it runs and when it ends.

use std::collections::BTreeMap;

use derive::{Meter, Stopped};
use serde::Serialize;
use store::{Catalog, EdgeOutcome, PageStatus};

use crate::error::CrawlError;
use crate::explore::arrive::Rung;
use crate::learn::Priors;
use crate::learn::trap::Trap;
use crate::site::beliefs::{Beliefs, beliefs};

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
    /// What was deferred, and what may be missed because of it.
    #[serde(flatten)]
    pub beliefs: Beliefs,
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
    /// Sums up what the store holds of these sites, with the traps of this run and what is known of claims.
    ///
    /// # Errors
    /// When the store fails.
    pub async fn of(
        catalog: &Catalog,
        sites: &[String],
        meter: &Meter,
        (traps, priors): (Vec<Trap>, &Priors),
    ) -> Result<Self, CrawlError> {
        let stats = catalog.stats().await?;
        let mut report = Self {
            bytes_raw: stats.bytes_raw,
            bytes_stored: stats.bytes_stored,
            tasks_done: meter.tasks_done(),
            elapsed_s: meter.elapsed().as_secs_f64(),
            stopped: meter.stopped(),
            traps,
            ..Self::default()
        };
        for site in sites {
            let summary = catalog.summary(site).await?;
            let counter = |name: &str| summary.counters.get(name).copied().unwrap_or(0);
            let pages = |status| summary.pages.get(&status).copied().unwrap_or(0);
            report.pages += pages(PageStatus::Captured);
            report.failed += pages(PageStatus::Failed);
            report.states += summary.states;
            report.event_pages += summary.event_pages;
            report.events_fired += counter("events_fired");
            report.merged += counter("merged");
            report.refused += summary.edges.get(&EdgeOutcome::Refused).copied().unwrap_or(0);
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
            report.forms += crate::forms::forms_of(catalog, site).await?.len() as i64;
            report.submissions += counter("submissions");
            report.records += summary.records;
            report.waiting += summary.waiting;
            report.beliefs.add(beliefs(catalog, site, priors).await?);
        }
        Ok(report)
    }
}
