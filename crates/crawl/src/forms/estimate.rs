//! How much of the database was found.

use super::coverage::{Asker, Coverage, Halt};
use super::known::Estimate;

impl<A: Asker> Coverage<'_, A> {
    /// Ends it if the site says how many rows there are, and they are there.
    pub(super) fn check_total(&self) -> Result<(), Halt> {
        let total = self.reported_total();
        match total.is_some_and(|total| self.seen.len() as u64 >= total) {
            true => Err(Halt::Whole),
            false => Ok(()),
        }
    }

    /// The number of all rows as the default answer says it: one that no other answer says.
    pub(super) fn reported_total(&self) -> Option<u64> {
        let own = self.default_totals.iter().filter(|total| !self.other_totals.contains(total));
        // A number that less than what was seen is another one.
        own.filter(|total| **total as usize > self.cap && **total as usize >= self.seen.len())
            .min()
            .copied()
            .filter(|_| !self.other_totals.is_empty())
    }

    /// The share of the database that was found.
    pub(super) fn estimate(&self) -> Option<Estimate> {
        if self.seen.is_empty() {
            return None;
        }
        if self.is_whole {
            return Some(Estimate { low: 0.98, likely: 1.0, high: 1.0 });
        }
        if let Some(total) = self.reported_total() {
            let share = (self.seen.len() as f64 / total as f64).min(1.0);
            return Some(Estimate { low: share, likely: share, high: share });
        }
        let (known, all) = self.audited;
        if all >= 10 {
            return Some(wilson(known as f64, all as f64));
        }
        // Good and Turing: the share of what is still to come is that of rows seen once among all that were seen.
        let once = self.seen.values().filter(|times| **times == 1).count() as f64;
        let all: f64 = self.seen.values().map(|times| f64::from(*times)).sum();
        Some(wilson(all - once, all))
    }
}

/// The 95 % interval of a share (Wilson 1927).
fn wilson(part: f64, all: f64) -> Estimate {
    let (z, share) = (1.96, part / all.max(1.0));
    let middle = (share + z * z / (2.0 * all)) / (1.0 + z * z / all);
    let half =
        z / (1.0 + z * z / all) * (share * (1.0 - share) / all + z * z / (4.0 * all * all)).sqrt();
    Estimate { low: (middle - half).max(0.0), likely: share, high: (middle + half).min(1.0) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_interval_is_wide_after_few_and_narrow_after_many() {
        let (few, many) = (wilson(9.0, 10.0), wilson(900.0, 1_000.0));
        assert!(few.low < 0.6 && few.high > 0.97, "{few:?}");
        assert!(many.low > 0.87 && many.high < 0.92, "{many:?}");
    }
}
