//! What a visit to a page found, beside what was known of it.

use std::collections::HashSet;

use serde::Serialize;
use store::{Millis, PageHistory, PageNumber, PageStatus, PastVisit};

use super::rate::ChangeRate;

/// Statuses by which a server says that a page is not there any more.
const GONE: [u16; 2] = [404, 410];

/// What a visit found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum WatchOutcome {
    /// A page that was never seen before.
    New,
    /// Text, links or pictures that differ from those of the visit before.
    Changed,
    /// The same, or nothing else but noise.
    Unchanged,
    /// The page at another address, or the state behind another event.
    Moved,
    /// Nothing: it is not there any more.
    Gone,
    /// Nothing: it could not be asked for, or was not answered.
    Failed,
}

/// A visit to a page, or to a state that only events reach.
#[derive(Clone, Debug, Serialize)]
pub struct WatchVisit {
    /// The page.
    pub page: PageNumber,
    /// Its key.
    pub key: String,
    /// Its address, or that of its document.
    pub url: String,
    /// When.
    pub time: Millis,
    /// What the server answered; none for a state that only events reach.
    pub status: Option<u16>,
    /// What was found.
    pub outcome: WatchOutcome,
    /// The version that shows it, if the page was there.
    pub version: Option<i64>,
    /// When its document is due next.
    pub next: Millis,
    /// How many changes a day its document is expected to have.
    pub rate: ChangeRate,
}

/// What was found at a page since a visit began; `None` if it was not looked for.
pub(super) fn outcome(
    page: &PageHistory,
    began: Millis,
    moved: &HashSet<PageNumber>,
) -> Option<(WatchOutcome, PastVisit)> {
    let visit = *page.visits.last().filter(|visit| visit.time >= began)?;
    let earlier =
        page.visits.iter().rev().find(|earlier| earlier.time < began && earlier.version.is_some());
    let outcome = match visit.version {
        _ if visit.status.is_some_and(|status| GONE.contains(&status)) => WatchOutcome::Gone,
        None if page.is_state => WatchOutcome::Gone,
        None if page.condition == PageStatus::Redirect => WatchOutcome::Moved,
        None => WatchOutcome::Failed,
        Some(_) if earlier.is_none() => WatchOutcome::New,
        version if earlier.is_some_and(|it| version > it.version) && visit.counts => {
            WatchOutcome::Changed
        }
        Some(_) if moved.contains(&page.page) => WatchOutcome::Moved,
        Some(_) => WatchOutcome::Unchanged,
    };
    Some((outcome, visit))
}

/// The states of a document that were there at the last visit and were not found at one that began then.
pub(super) fn missing(pages: &[PageHistory], began: Millis) -> Vec<PageNumber> {
    let is_missing = |page: &&PageHistory| {
        page.is_state
            && page.condition == PageStatus::Captured
            && page.visits.last().is_some_and(|last| last.time < began && last.version.is_some())
    };
    pages.iter().filter(is_missing).map(|page| page.page).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page(is_state: bool, visits: &[(i64, Option<u16>, Option<i64>)]) -> PageHistory {
        let visits = visits.iter().map(|(time, status, version)| PastVisit {
            time: Millis(*time),
            status: *status,
            version: *version,
            counts: true,
        });
        PageHistory {
            page: PageNumber(1),
            url: "https://example.org/".into(),
            is_state,
            page_type: None,
            condition: PageStatus::Captured,
            first_seen: Millis(0),
            visits: visits.collect(),
        }
    }

    fn found(page: &PageHistory) -> Option<WatchOutcome> {
        outcome(page, Millis(10), &HashSet::new()).map(|(outcome, _)| outcome)
    }

    #[test]
    fn a_visit_is_told_by_the_version_that_it_found() {
        let ok = Some(200);
        let seen = |visits: &[(i64, Option<u16>, Option<i64>)]| found(&page(false, visits));
        assert_eq!(seen(&[(10, ok, Some(1))]), Some(WatchOutcome::New));
        assert_eq!(seen(&[(1, ok, Some(1)), (10, ok, Some(1))]), Some(WatchOutcome::Unchanged));
        assert_eq!(seen(&[(1, ok, Some(1)), (10, ok, Some(2))]), Some(WatchOutcome::Changed));
        assert_eq!(seen(&[(1, ok, Some(1)), (10, Some(404), Some(2))]), Some(WatchOutcome::Gone));
        assert_eq!(seen(&[(1, ok, Some(1)), (10, None, None)]), Some(WatchOutcome::Failed));
        assert_eq!(seen(&[(1, ok, Some(1))]), None);
    }

    #[test]
    fn a_version_that_is_only_noise_is_no_change() {
        let mut noisy = page(false, &[(1, Some(200), Some(1)), (10, Some(200), Some(2))]);
        noisy.visits[1].counts = false;
        assert_eq!(found(&noisy), Some(WatchOutcome::Unchanged));
    }

    #[test]
    fn a_redirect_and_another_way_to_a_state_are_moves() {
        let mut elsewhere = page(false, &[(1, Some(200), Some(1)), (10, Some(301), None)]);
        elsewhere.condition = PageStatus::Redirect;
        assert_eq!(found(&elsewhere), Some(WatchOutcome::Moved));
        let state = page(true, &[(1, None, Some(1)), (10, None, Some(1))]);
        let moved = HashSet::from([PageNumber(1)]);
        let (outcome, _) = outcome(&state, Millis(10), &moved).expect("a visit");
        assert_eq!(outcome, WatchOutcome::Moved);
    }

    #[test]
    fn a_state_is_missed_once() {
        let there = page(true, &[(1, None, Some(1))]);
        assert_eq!(missing(std::slice::from_ref(&there), Millis(10)), [PageNumber(1)]);
        let gone = page(true, &[(1, None, Some(1)), (5, None, None)]);
        assert_eq!(missing(&[gone], Millis(10)), []);
        assert_eq!(missing(&[there], Millis(1)), []);
    }
}
