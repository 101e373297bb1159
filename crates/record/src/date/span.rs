//! Spans of time.

use super::super::Precision;

/// A unit that spans are counted in.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Unit {
    Second,
    Minute,
    Hour,
    Day,
    Week,
    Month,
    Year,
}

impl Unit {
    /// From the shortest.
    pub(super) const ALL: [Unit; 7] =
        [Unit::Second, Unit::Minute, Unit::Hour, Unit::Day, Unit::Week, Unit::Month, Unit::Year];

    /// How exact a number of them is.
    pub(super) fn precision(self) -> Precision {
        match self {
            Unit::Second => Precision::Second,
            Unit::Minute => Precision::Minute,
            Unit::Hour => Precision::Hour,
            Unit::Day => Precision::Day,
            Unit::Week => Precision::Week,
            Unit::Month => Precision::Month,
            Unit::Year => Precision::Year,
        }
    }

    /// The next longer one.
    fn longer(self) -> Unit {
        Unit::ALL.into_iter().find(|unit| *unit > self).unwrap_or(Unit::Year)
    }
}

/// How long ago something was.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Ago {
    pub(super) months: i64,
    pub(super) seconds: i64,
    /// How exact that is.
    pub(super) unit: Unit,
}

/// How many units.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Count {
    Number(u32),
    Half,
    /// "a few": more than one, less than the next longer unit.
    Few,
}

impl Ago {
    /// So many units ago.
    pub(super) fn new(count: Count, unit: Unit) -> Ago {
        let (halves, exact) = match count {
            Count::Number(number) => (2 * i64::from(number), unit),
            Count::Half => (1, unit),
            Count::Few => (6, unit.longer()),
        };
        let seconds = |of_unit: i64| Ago { months: 0, seconds: halves * of_unit / 2, unit: exact };
        match unit {
            Unit::Second => seconds(1),
            Unit::Minute => seconds(60),
            Unit::Hour => seconds(3_600),
            Unit::Day => seconds(86_400),
            Unit::Week => seconds(7 * 86_400),
            Unit::Month if halves % 2 == 1 => seconds(30 * 86_400),
            Unit::Month => Ago { months: halves / 2, seconds: 0, unit: exact },
            Unit::Year => Ago { months: halves * 6, seconds: 0, unit: exact },
        }
    }

    /// Both together: "1 day, 2 hours ago".
    pub(super) fn and(self, other: Ago) -> Ago {
        Ago {
            months: self.months + other.months,
            seconds: self.seconds + other.seconds,
            unit: self.unit.min(other.unit),
        }
    }
}
