//! Which page is visited next, under a budget that all pages share.
//!
//! The more changes a schedule catches, the better. Visited every `t`, a page with `rate` changes gives
//! `(1 - exp(-rate * t)) / t` caught changes; over all pages that sum is largest, for a number of
//! visits, where `rate * t` is the same for each. So the page with the most expected changes since its
//! last visit is next, and how many are waited for follows from the budget.
//!
//! A page that has very likely changed is not visited sooner for being more likely to: beyond [`CERTAIN`]
//! whoever has waited longest is first. A page that changes every minute takes no visits away from one
//! that changes every day when both will have changed anyway, and an estimate that is too high costs
//! the others nothing.

use std::cmp::Ordering;
use std::time::Duration;

use super::rate::ChangeRate;

/// Expected changes from which a page counts as changed: the chance is 78 %. In `bathys bench revisit`, 1
/// catches fewer changes at all budgets but 10 %; 3 catches fewer at 10 %, more at the others, and leaves copies
/// older at 50 %.
const CERTAIN: f64 = 1.5;
/// Expected changes at which a change is as likely as not. Before that nobody visits, whatever the budget.
const LIKELY: f64 = std::f64::consts::LN_2;
/// Halvings until the number of changes to wait for is known.
const STEPS: u32 = 40;

/// How soon and how late a page is visited again, whatever its history says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bounds {
    /// Not sooner than this.
    pub min: Duration,
    /// Not later than this, if the budget allows it.
    pub max: Duration,
}

impl Bounds {
    fn hold(self, waited_ms: i64) -> i64 {
        let ms = |time: Duration| i64::try_from(time.as_millis()).unwrap_or(i64::MAX);
        let (min, max) = (ms(self.min), ms(self.max));
        waited_ms.clamp(min, max.max(min))
    }
}

/// How much a page wants to be visited. The greatest is next.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Urgency {
    expected: f64,
    waited_ms: i64,
}

impl Urgency {
    /// That of a page with this rate, so long after its last visit.
    pub fn of(rate: ChangeRate, waited_ms: i64) -> Self {
        Self { expected: rate.expected(waited_ms).min(CERTAIN), waited_ms }
    }

    /// That of a page that nobody has seen yet, so long after it was found.
    pub fn of_new(waited_ms: i64) -> Self {
        Self { expected: CERTAIN, waited_ms }
    }
}

impl Eq for Urgency {}

impl PartialOrd for Urgency {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Urgency {
    fn cmp(&self, other: &Self) -> Ordering {
        self.expected.total_cmp(&other.expected).then(self.waited_ms.cmp(&other.waited_ms))
    }
}

/// How many changes are waited for before a page is visited: as few as a budget of so many visits a day
/// allows for pages with these rates, and never fewer than make a change likely.
pub fn changes_to_wait_for(rates: &[ChangeRate], visits_a_day: f64, bounds: Bounds) -> f64 {
    let visits = |changes: f64| -> f64 {
        let a_day =
            |rate: &ChangeRate| 86_400_000.0 / interval(*rate, changes, bounds).max(1) as f64;
        rates.iter().map(a_day).sum()
    };
    let (mut low, mut high) = (LIKELY, 1e9);
    if visits(low) <= visits_a_day {
        return low;
    }
    for _ in 0..STEPS {
        let middle = (low * high).sqrt();
        match visits(middle) > visits_a_day {
            true => low = middle,
            false => high = middle,
        }
    }
    // Beyond certainty it is the longest wait that counts, and the budget that makes it long.
    high.min(CERTAIN)
}

/// The time from one visit of a page to the next, in milliseconds, if so many changes are waited for.
pub fn interval(rate: ChangeRate, changes: f64, bounds: Bounds) -> i64 {
    bounds.hold(rate.time_for(changes))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::revisit::Look;

    const HOUR: i64 = 3_600_000;
    const WIDE: Bounds =
        Bounds { min: Duration::from_secs(1), max: Duration::from_secs(1_000_000_000) };

    /// A page that was seen to change after this many hours, again and again.
    fn page(hours: i64) -> ChangeRate {
        let look = Look { waited_ms: hours * HOUR, changed: true };
        let still = Look { changed: false, ..look };
        ChangeRate::of(&[look, still, look, still, look, still], ChangeRate::UNKNOWN)
    }

    #[test]
    fn the_page_that_has_most_likely_changed_is_next() {
        let (busy, slow) = (page(1), page(100));
        assert!(Urgency::of(busy, HOUR) > Urgency::of(slow, HOUR));
        assert!(Urgency::of(slow, 100 * HOUR) > Urgency::of(busy, HOUR / 2));
    }

    #[test]
    fn a_page_that_changes_at_every_look_does_not_starve_the_others() {
        let (restless, daily) = (page(1), page(24));
        assert!(Urgency::of(daily, 240 * HOUR) > Urgency::of(restless, 200 * HOUR));
    }

    #[test]
    fn what_nobody_has_seen_is_as_urgent_as_what_has_certainly_changed() {
        assert!(Urgency::of_new(HOUR) > Urgency::of(page(10), HOUR));
        assert!(Urgency::of(page(1), 100 * HOUR) > Urgency::of_new(HOUR));
    }

    #[test]
    fn a_budget_makes_all_pages_wait_for_the_same_chance_of_a_change() {
        let rates = [page(1), page(10), page(100)];
        let plenty = changes_to_wait_for(&rates, 1e6, WIDE);
        assert!((plenty - LIKELY).abs() < 1e-9);
        let all: f64 = rates.iter().map(|rate| rate.per_day() / LIKELY).sum();
        let half = changes_to_wait_for(&rates, all / 2.0, WIDE);
        assert!((half / LIKELY - 2.0).abs() < 0.01, "{half}");
        assert!(changes_to_wait_for(&rates, 0.0, WIDE) <= CERTAIN);
    }

    #[test]
    fn no_page_is_visited_sooner_or_later_than_the_bounds_say() {
        let bounds = Bounds { min: Duration::from_secs(3_600), max: Duration::from_secs(36_000) };
        assert_eq!(interval(page(1), 1e-6, bounds), HOUR);
        assert_eq!(interval(page(1), 1e6, bounds), 10 * HOUR);
    }
}
