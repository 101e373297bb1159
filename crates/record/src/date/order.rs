//! Which number of a date is the day, and which the month: the site's habit, voted by its own dates.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use super::civil::{Civil, DAY};
use super::day::{Day, Joint, Year};
use super::grammar::{Alone, Told};
use super::resolve::{resolve, three};
use super::token::Number;

/// The most texts that vote.
const VOTERS: usize = 20_000;

/// How much shorter a way through the dates must be than the next best to tell the order.
const SHORTER: f64 = 0.7;

/// How many different pairs of numbers say that they are days.
const PAIRS: usize = 3;

/// No capture is further from 1970, in seconds: the last year of four digits is not.
const FAR: i64 = 253_402_300_799;

/// No page is from before this year.
const WEB: i64 = 1990;

/// What the first of three numbers is.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum First {
    /// The day, then the month.
    Day,
    /// The month, then the day.
    Month,
    /// The year, of two digits.
    Year,
}

/// How a site writes its dates.
///
/// ```
/// use record::date::{Order, read};
///
/// let captured = Some(1_790_035_200);
/// let order = Order::vote(["03-04-2025", "03-28-2025", "05-01-2025"], captured);
/// let moment = read("03-04-2025", &order, captured).unwrap();
/// assert_eq!(moment.to_rfc3339(), "2025-03-04T00:00:00Z");
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default, Serialize, Deserialize)]
pub struct Order {
    /// Of numbers with slashes between them, if known.
    slash: Option<First>,
    /// With dashes.
    dash: Option<First>,
    /// With dots.
    dot: Option<First>,
    /// Whether two numbers alone are a day, and a time of day alone is one of today.
    alone: bool,
    /// The latest date that the site tells; where it is not known when a page was captured, it was
    /// not before.
    latest: Option<i64>,
}

impl Order {
    /// What the dates of a site say of the order they are written in: a value above 12 is no month, no
    /// post is from after its capture, and the dates of a page go one way.
    ///
    /// Texts without dates have no vote. Those of a page should stand together, in page order.
    pub fn vote<'a>(texts: impl IntoIterator<Item = &'a str>, captured: Option<i64>) -> Order {
        let mut order = Order::default();
        let mut told = Vec::new();
        for text in texts.into_iter().take(VOTERS) {
            told.extend(super::told_in(text));
        }
        for joint in [Joint::Slash, Joint::Dash, Joint::Dot] {
            let dates: Vec<_> = told.iter().filter_map(|told| numbers(told, joint)).collect();
            *order.of_mut(joint) = elect(&dates, captured);
        }
        order.alone = are_days(&told);
        if captured.is_none() {
            let moments = told.iter().filter_map(|told| resolve(told, &order, None));
            order.latest = moments.map(|moment| moment.unix).max();
        }
        order
    }

    /// The order of dates that programs read: from the year on, as standards have it.
    pub(super) fn for_machines(&self) -> Order {
        Order { dash: self.dash.or(Some(First::Year)), ..*self }
    }

    /// Whether two numbers alone are a day, and a time of day alone is one of today.
    pub(super) fn has_lone_days(&self) -> bool {
        self.alone
    }

    /// What the first number is, if known.
    pub(super) fn of(&self, joint: Joint) -> Option<First> {
        match joint {
            Joint::Slash => self.slash,
            Joint::Dash => self.dash,
            Joint::Dot => self.dot,
        }
    }

    fn of_mut(&mut self, joint: Joint) -> &mut Option<First> {
        match joint {
            Joint::Slash => &mut self.slash,
            Joint::Dash => &mut self.dash,
            Joint::Dot => &mut self.dot,
        }
    }

    /// When a page was captured, as far as known.
    pub(super) fn now(&self, captured: Option<i64>) -> Option<i64> {
        // Nothing overflows from here on, whatever a caller says.
        captured.or(self.latest).map(|now| now.clamp(-FAR, FAR))
    }
}

/// Whether pairs of numbers that stand alone are days: there are some, they are not all the same, and all
/// are days in the same order.
fn are_days(told: &[Told]) -> bool {
    let pairs = told.iter().filter_map(|told| match told {
        Told::Alone(Alone::Day(numbers, _)) => Some(*numbers),
        _ => None,
    });
    let (mut month_first, mut day_first, mut days) = (true, true, BTreeSet::new());
    for [one, other] in pairs {
        // Of a leap year, so that all days count.
        month_first &= Civil::new(2024, one, other).is_some();
        day_first &= Civil::new(2024, other, one).is_some();
        days.insert([one, other]);
    }
    days.len() >= PAIRS && month_first != day_first
}

/// The numbers of a date that does not begin with a year of four digits.
fn numbers(told: &Told, joint: Joint) -> Option<[Number; 3]> {
    match told {
        Told::On { day: Day::Three(numbers, with), .. } if *with == joint => {
            Some(*numbers).filter(|[first, ..]| first.digits < 4)
        }
        _ => None,
    }
}

/// The order that fits the dates best, if one fits better than all others.
fn elect(dates: &[[Number; 3]], captured: Option<i64>) -> Option<First> {
    let mut ballot: Vec<(usize, f64, First)> = [First::Day, First::Month, First::Year]
        .into_iter()
        .map(|first| {
            let days: Vec<Option<i64>> = dates
                .iter()
                .map(|numbers| three(*numbers, first, captured))
                .map(|day| day.filter(|day| day.year >= WEB).map(Civil::days))
                .collect();
            let last = captured.map(|captured| captured.div_euclid(DAY).saturating_add(1));
            let wrong = days
                .iter()
                .filter(|day| day.is_none_or(|day| last.is_some_and(|last| day > last)))
                .count();
            let way: i64 = days
                .windows(2)
                .filter_map(|pair| match pair {
                    [Some(one), Some(other)] => Some((one - other).abs()),
                    _ => None,
                })
                .sum();
            #[allow(clippy::cast_precision_loss)]
            (wrong, way as f64, first)
        })
        .collect();
    ballot.sort_by(|one, other| one.0.cmp(&other.0).then(one.1.total_cmp(&other.1)));
    let [best, second, ..] = ballot.as_slice() else { return None };
    let sure = best.0 < second.0 || (dates.len() > 3 && best.1 < SHORTER * second.1);
    sure.then_some(best.2)
}

/// A year of two digits: the latest that is not after the capture.
pub(super) fn year(year: Year, now: Option<i64>) -> i64 {
    match year {
        Year::Full(year) => i64::from(year),
        Year::Short(year) => {
            let year = i64::from(year);
            let last = now.map_or(2069, |now| Civil::of(now.saturating_add(DAY)).year);
            if 2000 + year <= last { 2000 + year } else { 1900 + year }
        }
    }
}
