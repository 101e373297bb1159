//! How often a page changes, from the visits that were made to it: the estimator of Cho and
//! Garcia-Molina ("Estimating frequency of change", 2003), for visits at irregular intervals.
//!
//! A visit tells whether the page changed since the visit before it, not how often. If changes are a
//! Poisson process, the chance of a change within a wait of `t` is `1 - exp(-rate * t)`, and the rate
//! is the one that makes what was seen most likely. Three things are added. Half an unchanged visit
//! corrects the bias of few visits, as in the paper: at regular intervals the estimate is the paper's
//! `-ln((n - X + 0.5) / (n + 0.5)) / t`. Old visits weigh less, because pages have busy weeks and are given
//! up one day. And the logarithm of the rate is taken to lie near that of pages like it: rates of pages
//! differ by factors, so a prior that counts days would hold a page that changes every hour for a slow one
//! until it was visited for days.

use serde::Serialize;

/// Visits after which what was seen weighs half as much.
const MEMORY: i32 = 8;
/// Visits that are looked at: what came before weighs less than a twentieth.
pub const VISITS: usize = 40;
/// How far the rates of two pages that are alike may lie apart: by a factor of seven, give or take. That is
/// the standard deviation of their logarithms.
const SPREAD: f64 = 2.0;
/// The paper's correction, in unchanged visits.
const BIAS: f64 = 0.5;
/// Once in 2,700 years, and every second: nothing outside can be told from visits.
const SLOWEST: f64 = 1e-6;
const FASTEST: f64 = 86_400.0;
/// Halvings of the logarithm of that range until the rate is known to a ten-millionth.
const STEPS: u32 = 28;

/// The milliseconds of a day.
const DAY_MS: f64 = 86_400_000.0;

/// A visit, as far as it tells how often a page changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Look {
    /// Time since the visit before it, in milliseconds.
    pub waited_ms: i64,
    /// Whether the page said something else by then.
    pub changed: bool,
}

/// How often a page changes, in changes a day.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd, Serialize)]
#[serde(transparent)]
pub struct ChangeRate(f64);

impl ChangeRate {
    /// What is assumed as long as nothing was visited twice: half of the pages of companies that Cho and
    /// Garcia-Molina followed in 1999 had changed after eleven days. Half a visit outweighs it.
    pub const UNKNOWN: Self = Self(0.06);

    /// The rate of a page, from its visits in the order of time, and from the rate of pages like it.
    pub fn of(looks: &[Look], prior: Self) -> Self {
        let recent = looks.get(looks.len().saturating_sub(VISITS)..).unwrap_or_default();
        let last = i32::try_from(recent.len()).unwrap_or(i32::MAX);
        let ages = (0..last).rev();
        let weighed = recent
            .iter()
            .zip(ages)
            .map(|(look, age)| (*look, 0.5_f64.powf(f64::from(age) / f64::from(MEMORY))));
        most_likely(weighed, Some(prior))
    }

    /// The rate that visits to many pages have in common.
    pub fn pooled(looks: impl IntoIterator<Item = Look>, prior: Self) -> Self {
        most_likely(looks.into_iter().map(|look| (look, 1.0)), Some(prior))
    }

    /// How many changes are expected within a time.
    pub fn expected(self, waited_ms: i64) -> f64 {
        self.0 * waited_ms.max(0) as f64 / DAY_MS
    }

    /// The time within which so many changes are expected, in milliseconds.
    pub fn time_for(self, changes: f64) -> i64 {
        (changes / self.0 * DAY_MS) as i64
    }

    /// Changes a day.
    pub fn per_day(self) -> f64 {
        self.0
    }
}

/// The rate at which weighed visits are most likely, and its distance from the prior is, too. The derivative
/// of the logarithm of that likelihood falls with the rate, so its zero is found by halving.
fn most_likely(
    looks: impl IntoIterator<Item = (Look, f64)>,
    prior: Option<ChangeRate>,
) -> ChangeRate {
    let (mut changed, mut unchanged_days, mut days, mut weight) = (Vec::new(), 0.0, 0.0, 0.0);
    for (look, weighs) in looks {
        // Two visits at once tell nothing.
        let waited = look.waited_ms.max(1) as f64 / DAY_MS;
        match look.changed {
            true => changed.push((waited, weighs)),
            false => unchanged_days += waited * weighs,
        }
        days += waited * weighs;
        weight += weighs;
    }
    if weight == 0.0 {
        return prior.unwrap_or(ChangeRate::UNKNOWN);
    }
    unchanged_days += BIAS * days / weight;
    let rises_at = |rate: f64| {
        let seen = changed.iter().map(|(waited, weighs)| weighs * share_of_one(rate * waited));
        let strays = prior.map_or(0.0, |prior| (rate / prior.0).ln() / (SPREAD * SPREAD));
        seen.sum::<f64>() > rate * unchanged_days + strays
    };
    let (mut low, mut high) = (SLOWEST, FASTEST);
    for _ in 0..STEPS {
        let middle = (low * high).sqrt();
        match rises_at(middle) {
            true => low = middle,
            false => high = middle,
        }
    }
    ChangeRate(low)
}

/// `x / (exp(x) - 1)`: 1 for a change that nobody expected, 0 for one that was certain.
fn share_of_one(expected: f64) -> f64 {
    if expected < 1e-9 { 1.0 } else { expected / expected.exp_m1() }
}

#[cfg(test)]
mod tests {
    use super::*;

    const DAY: i64 = 86_400_000;

    fn looks(seen: &[(i64, bool)]) -> Vec<Look> {
        seen.iter()
            .map(|(waited_ms, changed)| Look { waited_ms: *waited_ms, changed: *changed })
            .collect()
    }

    /// A page that changes `per_day` times a day, visited at these intervals, by a fixed sequence of
    /// pseudo-random numbers.
    fn simulated(per_day: f64, waits: &[f64], visits: usize) -> Vec<Look> {
        let mut seed = 0x9e37_79b9_7f4a_7c15_u64;
        let mut random = || {
            seed ^= seed << 13;
            seed ^= seed >> 7;
            seed ^= seed << 17;
            (seed >> 11) as f64 / (1_u64 << 53) as f64
        };
        let waits = waits.iter().cycle().take(visits);
        waits
            .map(|days| Look {
                waited_ms: (days * DAY as f64) as i64,
                changed: random() < 1.0 - (-per_day * days).exp(),
            })
            .collect()
    }

    #[test]
    fn at_regular_intervals_it_is_the_estimate_of_the_paper() {
        let mut seen = looks(&[(DAY, true); 3]);
        seen.extend(looks(&[(DAY, false); 7]));
        let seen = seen.into_iter().map(|look| (look, 1.0));
        let rate = most_likely(seen, None);
        let paper = -((10.0_f64 - 3.0 + 0.5) / (10.0 + 0.5)).ln();
        assert!((rate.per_day() / paper - 1.0).abs() < 1e-6, "{rate:?} for {paper}");
    }

    #[test]
    fn irregular_visits_lead_to_the_true_rate() {
        for per_day in [0.05, 0.5, 5.0] {
            let waits = [0.3 / per_day, 2.0 / per_day, 0.8 / per_day];
            let rate = ChangeRate::pooled(simulated(per_day, &waits, 4_000), ChangeRate::UNKNOWN);
            assert!((rate.per_day() / per_day - 1.0).abs() < 0.1, "{rate:?} for {per_day}");
        }
    }

    #[test]
    fn a_page_that_differs_at_every_visit_has_a_rate_that_grows_and_stays_finite() {
        let rate = |visits| ChangeRate::of(&looks(&vec![(DAY, true); visits]), ChangeRate::UNKNOWN);
        assert!(rate(1) < rate(5) && rate(5) < rate(30));
        assert!(rate(30).per_day() < 10.0, "{:?}", rate(30));
    }

    #[test]
    fn a_page_without_visits_changes_as_those_like_it_do() {
        let like_it = ChangeRate(3.0);
        assert_eq!(ChangeRate::of(&[], like_it), like_it);
        let one = looks(&[(DAY, false)]);
        assert!(ChangeRate::of(&one, like_it) > ChangeRate::of(&one, ChangeRate(0.1)));
    }

    #[test]
    fn a_page_that_was_given_up_is_slow_after_a_few_visits() {
        let mut seen = looks(&[(DAY, true); 30]);
        let busy = ChangeRate::of(&seen, ChangeRate::UNKNOWN);
        seen.extend(looks(&[(DAY, false); 12]));
        assert!(ChangeRate::of(&seen, ChangeRate::UNKNOWN).per_day() < busy.per_day() / 4.0);
    }

    #[test]
    fn a_few_visits_outweigh_what_is_known_of_others_even_if_it_is_far_off() {
        let hour = DAY / 24;
        let seen = looks(&[(hour, true), (hour, false)].repeat(3));
        let per_day = ChangeRate::of(&seen, ChangeRate::UNKNOWN).per_day();
        assert!((4.0..24.0).contains(&per_day), "{per_day}");
    }

    #[test]
    fn hostile_times_give_a_rate_within_bounds() {
        for waited in [i64::MIN, -1, 0, 1, i64::MAX] {
            for changed in [true, false] {
                let rate = ChangeRate::of(&looks(&[(waited, changed)]), ChangeRate::UNKNOWN);
                assert!((SLOWEST..=FASTEST).contains(&rate.per_day()), "{waited}: {rate:?}");
                assert!(rate.expected(waited).is_finite() && rate.time_for(1.0) > 0);
            }
        }
    }
}
