//! Ways to choose the page that is visited next: the same interval for all, the rule of Nutch, and ours.

use crawl::revisit::{ChangeRate, Look, Urgency, VISITS};

const SECOND: f64 = 1_000.0;
const DAY: f64 = 86_400.0 * SECOND;

/// Chooses which page is visited at each moment that the budget allows a visit. All pages were visited
/// once at time 0.
pub trait VisitSchedule {
    /// The page to visit now, of those that are there.
    fn next(&mut self, now: i64, pages: &[usize]) -> Option<usize>;
    /// What the visit found.
    fn visited(&mut self, page: usize, now: i64, changed: bool);
}

/// Every page at the same interval: whoever has waited longest.
pub struct SameInterval {
    last: Vec<i64>,
}

impl SameInterval {
    pub fn new(pages: usize) -> Self {
        Self { last: vec![0; pages] }
    }
}

impl VisitSchedule for SameInterval {
    fn next(&mut self, _: i64, pages: &[usize]) -> Option<usize> {
        pages.iter().copied().min_by_key(|page| self.last.get(*page).copied())
    }

    fn visited(&mut self, page: usize, now: i64, _: bool) {
        self.last[page] = now;
    }
}

/// The rule of Nutch (`AdaptiveFetchSchedule` with its default settings): an interval shrinks by a fifth at
/// each change, grows by two fifths without one, and follows the time of the last change. The page that
/// has been due longest is next; if none is, the one that will be due first, so that no visit is lost.
pub struct Nutch {
    pages: Vec<NutchPage>,
}

#[derive(Clone)]
struct NutchPage {
    interval: f64,
    modified: f64,
    due: f64,
}

impl Nutch {
    const FIRST_INTERVAL: f64 = 30.0 * DAY;
    const INCREASE: f64 = 0.4;
    const DECREASE: f64 = 0.2;
    const SYNC_RATE: f64 = 0.3;
    const SHORTEST: f64 = 60.0 * SECOND;
    const LONGEST: f64 = 365.0 * DAY;

    pub fn new(pages: usize) -> Self {
        let page =
            NutchPage { interval: Self::FIRST_INTERVAL, modified: 0.0, due: Self::FIRST_INTERVAL };
        Self { pages: vec![page; pages] }
    }
}

impl VisitSchedule for Nutch {
    fn next(&mut self, _: i64, pages: &[usize]) -> Option<usize> {
        let due = |page: &usize| self.pages[*page].due;
        pages.iter().copied().min_by(|a, b| due(a).total_cmp(&due(b)))
    }

    fn visited(&mut self, page: usize, now: i64, changed: bool) {
        let (page, now) = (&mut self.pages[page], now as f64);
        if changed {
            page.interval *= 1.0 - Self::DECREASE;
            page.modified = now;
        } else {
            page.interval *= 1.0 + Self::INCREASE;
        }
        let since = now - page.modified;
        page.interval = page.interval.max(since).clamp(Self::SHORTEST, Self::LONGEST);
        page.due = now - since * Self::SYNC_RATE + page.interval;
    }
}

/// Ours: the page with the most expected changes, by its own latest visits and those of all.
pub struct Ours {
    pages: Vec<(i64, Vec<Look>)>,
}

impl Ours {
    pub fn new(pages: usize) -> Self {
        Self { pages: vec![(0, Vec::new()); pages] }
    }
}

impl VisitSchedule for Ours {
    fn next(&mut self, now: i64, pages: &[usize]) -> Option<usize> {
        let all = self.pages.iter().flat_map(|(_, looks)| looks.iter().copied());
        let pooled = ChangeRate::pooled(all, ChangeRate::UNKNOWN);
        let urgency = |page: &usize| {
            let (last, looks) = &self.pages[*page];
            Urgency::of(ChangeRate::of(looks, pooled), now - last)
        };
        pages.iter().copied().max_by_key(urgency)
    }

    fn visited(&mut self, page: usize, now: i64, changed: bool) {
        let (last, looks) = &mut self.pages[page];
        looks.push(Look { waited_ms: now - *last, changed });
        looks.drain(..looks.len().saturating_sub(VISITS));
        *last = now;
    }
}
