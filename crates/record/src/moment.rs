//! A point in time, as exactly as a page says it.

use std::fmt;
use std::ops::RangeInclusive;

use serde::{Deserialize, Serialize};

use super::date::civil::{Civil, DAY};

/// How exactly a page says when something was.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Precision {
    /// To the second.
    Second,
    /// To the minute.
    Minute,
    /// To the hour.
    Hour,
    /// To the day.
    Day,
    /// To the week.
    Week,
    /// To the month.
    Month,
    /// To the year.
    Year,
}

impl Precision {
    const ALL: [Precision; 7] = [
        Precision::Second,
        Precision::Minute,
        Precision::Hour,
        Precision::Day,
        Precision::Week,
        Precision::Month,
        Precision::Year,
    ];

    /// The most seconds that it may mean.
    pub fn seconds(self) -> i64 {
        match self {
            Precision::Second => 1,
            Precision::Minute => 60,
            Precision::Hour => 3_600,
            Precision::Day => DAY,
            Precision::Week => 7 * DAY,
            Precision::Month => 31 * DAY,
            Precision::Year => 366 * DAY,
        }
    }
}

/// When something was, according to a page.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub struct Moment {
    /// Seconds of the Unix clock. Of what is known to the day only, its beginning; of "3 hours ago",
    /// three hours before the capture.
    pub unix: i64,
    /// How exact that is.
    pub precision: Precision,
    /// Minutes east of Greenwich, if the page says them; else UTC is assumed.
    pub zone: Option<i16>,
    /// Whether it was told relative to the time of the capture.
    pub relative: bool,
}

impl Moment {
    /// The instant as RFC 3339 has it, in UTC.
    ///
    /// ```
    /// use record::date::{Order, read};
    ///
    /// let moment = read("17 Dec 2025, 20:50", &Order::default(), None).unwrap();
    /// assert_eq!(moment.to_rfc3339(), "2025-12-17T20:50:00Z");
    /// ```
    pub fn to_rfc3339(&self) -> String {
        self.to_string()
    }

    /// What is known of an instant that two versions of a page tell, this one and another: "3 hours ago"
    /// is an interval, and what another version says of the same instant narrows it. The exact of two
    /// is taken as it is; of two intervals, what they share. If they share nothing, the more exact wins.
    ///
    /// ```
    /// use record::Precision;
    /// use record::date::{Order, read};
    ///
    /// let order = Order::default();
    /// let (monday, tuesday) = (1_790_000_000, 1_790_086_400);
    /// let early = read("3 hours ago", &order, Some(monday)).unwrap();
    /// let late = read("Yesterday, 10:32", &order, Some(tuesday)).unwrap();
    /// let sharp = early.sharpen(Some(monday), &late, Some(tuesday));
    /// assert_eq!(sharp.precision, Precision::Minute);
    /// ```
    #[must_use]
    pub fn sharpen(
        &self,
        captured: Option<i64>,
        other: &Moment,
        other_captured: Option<i64>,
    ) -> Moment {
        let sharp = if (other.precision, other.relative) < (self.precision, self.relative) {
            other
        } else {
            self
        };
        if !sharp.relative {
            return sharp.clone();
        }
        let (one, two) = (self.interval(captured), other.interval(other_captured));
        let (from, to) = (*one.start().max(two.start()), *one.end().min(two.end()));
        if from > to {
            return sharp.clone();
        }
        // Both sides of the middle: the interval of the result holds what the two share.
        let precision = Precision::ALL
            .into_iter()
            .find(|precision| precision.seconds() * 2 >= to.saturating_sub(from))
            .unwrap_or(Precision::Year);
        if precision >= sharp.precision && (from..=to).contains(&sharp.unix) {
            return sharp.clone();
        }
        Moment { unix: from.midpoint(to), precision, zone: sharp.zone, relative: true }
    }

    /// When it may have been. What is relative may be rounded up or down, but is not from after the
    /// capture.
    fn interval(&self, captured: Option<i64>) -> RangeInclusive<i64> {
        let seconds = self.precision.seconds();
        if self.relative {
            let last = self.unix.saturating_add(seconds);
            self.unix.saturating_sub(seconds)..=captured.map_or(last, |captured| last.min(captured))
        } else {
            self.unix..=self.unix.saturating_add(seconds - 1)
        }
    }
}

impl fmt::Display for Moment {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Civil { year, month, day } = Civil::of(self.unix);
        let seconds = self.unix.rem_euclid(DAY);
        let (hour, minute, second) = (seconds / 3_600, seconds / 60 % 60, seconds % 60);
        write!(out, "{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}Z")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ago(captured: i64, seconds: i64, precision: Precision) -> Moment {
        Moment { unix: captured - seconds, precision, zone: None, relative: true }
    }

    #[test]
    fn two_versions_that_tell_an_interval_tell_what_both_share() {
        // Written at 1,000,000; seen 2 days and 23 hours later, and again 3 days and 1 hour later.
        let (early, late) = (1_000_000 + 71 * 3_600, 1_000_000 + 73 * 3_600);
        let (one, two) = (ago(early, 2 * DAY, Precision::Day), ago(late, 3 * DAY, Precision::Day));
        let sharp = one.sharpen(Some(early), &two, Some(late));
        assert!(sharp.precision <= Precision::Day && sharp.relative);
        assert!(sharp.interval(None).contains(&1_000_000), "{sharp:?}");
        // Minutes tell more than days do.
        let first = ago(1_000_300, 300, Precision::Minute);
        assert_eq!(one.sharpen(Some(early), &first, Some(1_000_300)), first);
        assert_eq!(first.sharpen(Some(1_000_300), &one, Some(early)), first);
    }

    #[test]
    fn an_exact_instant_stays_as_it_is() {
        let exact = Moment {
            unix: 1_000_000,
            precision: Precision::Second,
            zone: Some(0),
            relative: false,
        };
        let vague = ago(1_090_000, DAY, Precision::Day);
        assert_eq!(vague.sharpen(Some(1_090_000), &exact, None), exact);
        assert_eq!(exact.sharpen(None, &vague, Some(1_090_000)), exact);
    }

    #[test]
    fn hours_that_overlap_a_little_tell_where() {
        // "1 hour ago" at 10:00 is from 8:00 to 10:00; "1 hour ago" at 11:50 is from 9:50.
        let (one, two) = (ago(36_000, 3_600, Precision::Hour), ago(42_600, 3_600, Precision::Hour));
        let sharp = one.sharpen(Some(36_000), &two, Some(42_600));
        assert_eq!((sharp.unix, sharp.precision), (35_700, Precision::Hour));
    }

    #[test]
    fn instants_are_printed_in_utc() {
        let at =
            |unix| Moment { unix, precision: Precision::Second, zone: Some(120), relative: false };
        assert_eq!(at(0).to_rfc3339(), "1970-01-01T00:00:00Z");
        assert_eq!(at(-1).to_rfc3339(), "1969-12-31T23:59:59Z");
        assert_eq!(at(1_790_035_199).to_rfc3339(), "2026-09-21T23:59:59Z");
    }
}
