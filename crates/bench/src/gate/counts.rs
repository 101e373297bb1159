//! What a case has counted, each count with the direction in which it may go.

use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

/// On which side of a count its limit is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bound {
    /// More is better: pages found, fields that are right.
    AtLeast,
    /// Less is better: pages lost, events fired, state changes.
    AtMost,
}

impl Bound {
    /// Whether a count is within a limit.
    pub fn holds(self, count: i64, limit: i64) -> bool {
        match self {
            Bound::AtLeast => count >= limit,
            Bound::AtMost => count <= limit,
        }
    }
}

impl fmt::Display for Bound {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Bound::AtLeast => "at least",
            Bound::AtMost => "at most",
        })
    }
}

impl FromStr for Bound {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "at least" => Ok(Bound::AtLeast),
            "at most" => Ok(Bound::AtMost),
            _ => Err(format!("{text:?} is neither \"at least\" nor \"at most\"")),
        }
    }
}

/// Counts by their whole name: that of the case, a space, and what was counted.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Counts(pub BTreeMap<String, (Bound, i64)>);

impl Counts {
    /// Takes over the counts of a case.
    pub fn add(&mut self, case: &str, counted: CaseCounts) {
        let named = |(what, count)| (format!("{case} {what}"), count);
        self.0.extend(counted.0.into_iter().map(named));
    }
}

/// The counts of one case.
#[derive(Clone, Debug, Default)]
pub struct CaseCounts(Vec<(String, (Bound, i64))>);

impl CaseCounts {
    /// Adds a count of which more is better.
    pub fn at_least(&mut self, what: impl Into<String>, count: impl TryInto<i64>) {
        self.put(what.into(), Bound::AtLeast, count);
    }

    /// Adds a count of which less is better.
    pub fn at_most(&mut self, what: impl Into<String>, count: impl TryInto<i64>) {
        self.put(what.into(), Bound::AtMost, count);
    }

    /// A count that no `i64` holds is as bad as one that was lost.
    fn put(&mut self, what: String, bound: Bound, count: impl TryInto<i64>) {
        let worst = match bound {
            Bound::AtLeast => i64::MIN,
            Bound::AtMost => i64::MAX,
        };
        self.0.push((what, (bound, count.try_into().unwrap_or(worst))));
    }
}
