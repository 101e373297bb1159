//! The documents of a watch: how often each changes, and whose turn it is. A document is visited together
//! with the states that events reach in it, and changes when one of them does.

use std::collections::{BTreeMap, HashMap};

use store::{Millis, PageHistory, PageNumber, PageStatus, PastVisit};

use super::plan::{Bounds, Urgency, changes_to_wait_for, interval};
use super::rate::{ChangeRate, Look};

/// What all pages have in common is estimated anew after one in this many was visited.
const REFRESH: usize = 20;

/// Later than anything.
const NEVER: Millis = Millis(i64::MAX);

/// A document that is visited again and again.
#[derive(Clone, Debug)]
pub(crate) struct WatchedDocument {
    pub(crate) page: PageNumber,
    pub(crate) url: String,
    pub(crate) page_type: Option<String>,
    /// Something of it waits: it was never visited, or its events were not all tried.
    pub(crate) is_waiting: bool,
    first_seen: Millis,
    last: Option<Millis>,
    looks: Vec<Look>,
    rate: ChangeRate,
    /// Not before this, because a visit failed.
    not_before: Millis,
}

impl WatchedDocument {
    /// The documents that these pages are, or are states of. States without their document are left out.
    pub(crate) fn all(pages: Vec<PageHistory>) -> Vec<Self> {
        let mut documents: BTreeMap<String, (Option<PageHistory>, Vec<PageHistory>)> =
            BTreeMap::new();
        for page in pages {
            let (document, states) = documents.entry(page.url.clone()).or_default();
            match page.is_state {
                true => states.push(page),
                false => *document = Some(page),
            }
        }
        let whole = documents.into_values();
        whole.filter_map(|(document, states)| Some(Self::of(document?, &states))).collect()
    }

    fn of(document: PageHistory, states: &[PageHistory]) -> Self {
        let looks = looks_of(&document, states);
        Self {
            page: document.page,
            is_waiting: document.condition == PageStatus::Queued,
            page_type: document.page_type,
            first_seen: document.first_seen,
            last: document.visits.last().map(|visit| visit.time),
            url: document.url,
            looks,
            rate: ChangeRate::UNKNOWN,
            not_before: Millis(0),
        }
    }

    fn waited_ms(&self, now: Millis) -> i64 {
        now.0.saturating_sub(self.last.unwrap_or(self.first_seen).0)
    }

    fn urgency(&self, now: Millis) -> Urgency {
        match self.is_waiting {
            true => Urgency::of_new(self.waited_ms(now)),
            false => Urgency::of(self.rate, self.waited_ms(now)),
        }
    }
}

/// What the visits to a document tell: it changed if it, or one of its states, said something else than
/// before, or a state came.
fn looks_of(document: &PageHistory, states: &[PageHistory]) -> Vec<Look> {
    let visits = told_by(&document.visits);
    let mut looks: Vec<Look> = visits
        .iter()
        .zip(visits.iter().skip(1))
        .map(|(before, visit)| Look {
            waited_ms: visit.time.0 - before.time.0,
            changed: visit.version > before.version && visit.counts,
        })
        .collect();
    for state in states {
        let mut before = None;
        for visit in told_by(&state.visits) {
            let is_change = match before {
                Some(version) => visit.version > version && visit.counts,
                None => visit.time <= state.first_seen,
            };
            // The visit of the document that this state was seen at; the first one is no look.
            let nth = visits.partition_point(|look| look.time <= visit.time);
            if is_change && let Some(look) = nth.checked_sub(2).and_then(|nth| looks.get_mut(nth)) {
                look.changed = true;
            }
            before = Some(visit.version);
        }
    }
    looks
}

/// The visits that tell something: where any found the page, those that did not, failed.
fn told_by(visits: &[PastVisit]) -> Vec<PastVisit> {
    let was_found = visits.iter().any(|visit| visit.version.is_some());
    visits.iter().filter(|visit| visit.version.is_some() || !was_found).copied().collect()
}

/// Whose turn it is.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Turn {
    /// This document of this site.
    Visit(usize, PageNumber),
    /// Nobody's until then; this document is the first.
    Wait(Millis, String),
    /// Nobody's ever: nothing is watched.
    Nothing,
}

/// All documents of a watch, by site and page.
pub(crate) struct Documents {
    documents: BTreeMap<(usize, PageNumber), WatchedDocument>,
    bounds: Bounds,
    /// Since when nothing is visited twice, if each document is visited once.
    once_since: Option<Millis>,
    /// What each site's pages, and those of one type, have in common.
    sites: HashMap<usize, ChangeRate>,
    types: HashMap<(usize, Option<String>), ChangeRate>,
    /// How many changes are waited for.
    waits_for: f64,
    visits_a_day: f64,
    visited: usize,
}

impl Documents {
    pub(crate) fn new(bounds: Bounds, once_since: Option<Millis>) -> Self {
        Self {
            documents: BTreeMap::new(),
            bounds,
            once_since,
            sites: HashMap::new(),
            types: HashMap::new(),
            waits_for: 0.0,
            visits_a_day: f64::INFINITY,
            visited: 0,
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.documents.len()
    }

    pub(crate) fn get(&self, site: usize, page: PageNumber) -> Option<&WatchedDocument> {
        self.documents.get(&(site, page))
    }

    /// Adds a document, or what is known of it by now.
    pub(crate) fn put(&mut self, site: usize, mut document: WatchedDocument) {
        document.rate = ChangeRate::of(&document.looks, self.prior(site, &document.page_type));
        self.visited += 1;
        self.documents.insert((site, document.page), document);
    }

    /// Something of a document waits.
    pub(crate) fn is_waiting(&mut self, site: usize, page: PageNumber) {
        if let Some(document) = self.documents.get_mut(&(site, page)) {
            document.is_waiting = true;
        }
    }

    /// Something of the document with this address waits.
    pub(crate) fn all_waiting(&mut self, site: usize, url: &str) {
        let of_site = self.documents.iter_mut().filter(|((of, _), _)| *of == site);
        for (_, document) in of_site.filter(|(_, document)| document.url == url) {
            document.is_waiting = true;
        }
    }

    /// A visit came to nothing: there is none before this time.
    pub(crate) fn put_off(&mut self, site: usize, page: PageNumber, until: Millis) {
        if let Some(document) = self.documents.get_mut(&(site, page)) {
            document.not_before = until;
        }
    }

    /// Learns what pages have in common and what the budget allows, if that may have become another.
    pub(crate) fn refresh(&mut self, visits_a_day: f64) {
        let is_due = self.visited * REFRESH >= self.documents.len();
        if !is_due && self.waits_for > 0.0 && self.visits_a_day == visits_a_day {
            return;
        }
        (self.visited, self.visits_a_day) = (0, visits_a_day);
        let mut seen: HashMap<(usize, Option<String>), Vec<Look>> = HashMap::new();
        for ((site, _), document) in &self.documents {
            let alike = seen.entry((*site, document.page_type.clone())).or_default();
            alike.extend(&document.looks);
        }
        let all = ChangeRate::pooled(seen.values().flatten().copied(), ChangeRate::UNKNOWN);
        (self.sites, self.types) = (HashMap::new(), HashMap::new());
        for (key, looks) in &seen {
            let of_site = seen.iter().filter(|((site, _), _)| *site == key.0);
            let of_site = of_site.flat_map(|(_, looks)| looks).copied();
            let site = self.sites.entry(key.0).or_insert_with(|| ChangeRate::pooled(of_site, all));
            self.types.insert(key.clone(), ChangeRate::pooled(looks.iter().copied(), *site));
        }
        let keys: Vec<_> = self.documents.keys().copied().collect();
        for key in keys {
            let Some(document) = self.documents.get(&key) else { continue };
            let rate = ChangeRate::of(&document.looks, self.prior(key.0, &document.page_type));
            if let Some(document) = self.documents.get_mut(&key) {
                document.rate = rate;
            }
        }
        let rates: Vec<_> = self.documents.values().map(|document| document.rate).collect();
        self.waits_for = changes_to_wait_for(&rates, visits_a_day, self.bounds);
    }

    fn prior(&self, site: usize, page_type: &Option<String>) -> ChangeRate {
        let of_type = self.types.get(&(site, page_type.clone()));
        of_type.or_else(|| self.sites.get(&site)).copied().unwrap_or(ChangeRate::UNKNOWN)
    }

    /// When a document is due next, and how often it changes.
    pub(crate) fn next_visit(&self, site: usize, page: PageNumber) -> Option<(Millis, ChangeRate)> {
        let document = self.get(site, page)?;
        Some((self.due_by_history(document), document.rate))
    }

    fn due(&self, document: &WatchedDocument) -> Millis {
        let since = self.once_since.filter(|_| !document.is_waiting);
        match since.is_some_and(|since| document.last >= Some(since)) {
            true => NEVER,
            false => self.due_by_history(document),
        }
    }

    fn due_by_history(&self, document: &WatchedDocument) -> Millis {
        let due = match (document.is_waiting, document.last) {
            (false, Some(last)) => last.plus(interval(document.rate, self.waits_for, self.bounds)),
            _ => Millis(0),
        };
        due.max(document.not_before)
    }

    /// Whose turn it is, of the documents whose host may be asked now.
    pub(crate) fn turn(&self, now: Millis, may_ask: impl Fn(&str) -> bool) -> Turn {
        let due = self.documents.iter().filter(|(_, document)| self.due(document) <= now);
        let free = due.filter(|(_, document)| may_ask(&document.url));
        if let Some(((site, page), _)) = free.max_by_key(|(_, document)| document.urgency(now)) {
            return Turn::Visit(*site, *page);
        }
        let next = self.documents.values().min_by_key(|document| self.due(document));
        next.map_or(Turn::Nothing, |next| Turn::Wait(self.due(next), next.url.clone()))
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    const HOUR: i64 = 3_600_000;
    const BOUNDS: Bounds =
        Bounds { min: Duration::from_secs(60), max: Duration::from_secs(30 * 86_400) };

    /// A page that was visited every hour, and had these versions.
    fn history(page: i64, is_state: bool, versions: &[i64]) -> PageHistory {
        let visits = versions.iter().enumerate().map(|(hour, version)| PastVisit {
            time: Millis(hour as i64 * HOUR),
            status: Some(200),
            version: Some(*version).filter(|version| *version > 0),
            counts: true,
        });
        PageHistory {
            page: PageNumber(page),
            url: format!("https://example.org/{}", if is_state { page / 10 } else { page }),
            is_state,
            page_type: None,
            condition: PageStatus::Captured,
            first_seen: Millis(0),
            visits: visits.collect(),
        }
    }

    fn watch(pages: Vec<PageHistory>) -> Documents {
        let mut documents = Documents::new(BOUNDS, None);
        for document in WatchedDocument::all(pages) {
            documents.put(0, document);
        }
        documents.refresh(f64::INFINITY);
        documents
    }

    fn changed(pages: Vec<PageHistory>) -> Vec<bool> {
        let all = WatchedDocument::all(pages);
        all.iter().flat_map(|document| document.looks.iter().map(|look| look.changed)).collect()
    }

    #[test]
    fn a_document_changes_when_a_state_of_it_does() {
        assert_eq!(changed(vec![history(1, false, &[1, 1, 2])]), [false, true]);
        let state = history(10, true, &[1, 2, 2]);
        assert_eq!(changed(vec![history(1, false, &[1, 1, 1]), state]), [true, false]);
        let mut new = history(10, true, &[0, 0, 1]);
        new.first_seen = Millis(2 * HOUR);
        assert_eq!(changed(vec![history(1, false, &[1, 1, 1]), new]), [false, true]);
    }

    #[test]
    fn a_visit_that_failed_tells_nothing() {
        assert_eq!(changed(vec![history(1, false, &[1, 0, 1])]), [false]);
        assert_eq!(changed(vec![history(1, false, &[0, 0, 0])]), [false, false]);
    }

    #[test]
    fn the_page_that_changes_is_due_before_the_one_that_does_not() {
        let documents =
            watch(vec![history(1, false, &[1, 1, 1, 1, 1]), history(2, false, &[1, 2, 3, 4, 5])]);
        let due = |page| documents.next_visit(0, PageNumber(page)).expect("a document").0;
        assert!(due(2) < due(1));
        assert_eq!(documents.turn(due(2), |_| true), Turn::Visit(0, PageNumber(2)));
        assert!(
            matches!(documents.turn(Millis(4 * HOUR), |_| true), Turn::Wait(at, _) if at == due(2))
        );
        assert!(matches!(documents.turn(due(2), |_| false), Turn::Wait(..)));
    }

    #[test]
    fn what_was_never_seen_or_not_finished_is_due_at_once_and_a_failure_puts_it_off() {
        let mut new = history(3, false, &[]);
        new.condition = PageStatus::Queued;
        let mut documents = watch(vec![history(1, false, &[1, 1]), new]);
        let now = Millis(HOUR + 1);
        assert_eq!(documents.turn(now, |_| true), Turn::Visit(0, PageNumber(3)));
        documents.put_off(0, PageNumber(3), Millis(9 * HOUR));
        assert!(matches!(documents.turn(now, |_| true), Turn::Wait(..)));
        documents.is_waiting(0, PageNumber(1));
        assert_eq!(documents.turn(now, |_| true), Turn::Visit(0, PageNumber(1)));
    }

    #[test]
    fn nothing_is_visited_twice_where_once_is_enough() {
        let at_once = Bounds { min: Duration::ZERO, max: Duration::ZERO };
        let mut documents = Documents::new(at_once, Some(Millis(HOUR)));
        for document in
            WatchedDocument::all(vec![history(1, false, &[1]), history(2, false, &[1, 1])])
        {
            documents.put(0, document);
        }
        documents.refresh(f64::INFINITY);
        assert_eq!(documents.turn(Millis(2 * HOUR), |_| true), Turn::Visit(0, PageNumber(1)));
        let [document] = &WatchedDocument::all(vec![history(1, false, &[1, 1])])[..] else {
            unreachable!("it is one document")
        };
        documents.put(0, document.clone());
        assert!(matches!(documents.turn(Millis(2 * HOUR), |_| true), Turn::Wait(NEVER, _)));
        let (next, _) = documents.next_visit(0, PageNumber(1)).expect("a document");
        assert_eq!(next, Millis(HOUR), "another watch may visit it at once");
    }

    #[test]
    fn a_small_budget_makes_every_visit_later() {
        let mut documents =
            watch(vec![history(1, false, &[1, 2, 2, 3]), history(2, false, &[1, 1, 2])]);
        let before = documents.next_visit(0, PageNumber(1)).expect("a document").0;
        documents.refresh(0.5);
        assert!(documents.next_visit(0, PageNumber(1)).expect("a document").0 > before);
    }
}
