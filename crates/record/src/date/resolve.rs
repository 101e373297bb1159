//! From what is told to when it was.

use super::super::{Moment, Precision};
use super::civil::{Civil, DAY};
use super::clock::{Clock, Exact};
use super::day::{Day, Joint, Year};
use super::grammar::{Alone, Told};
use super::order::{First, Order, year};
use super::piece::small;
use super::token::Number;

/// How many years back a day without a year may be, if its weekday says so.
const YEARS: i64 = 12;

/// When something was, if what is told says it: what is relative needs the time of the capture.
pub(super) fn resolve(told: &Told, order: &Order, captured: Option<i64>) -> Option<Moment> {
    let now = order.now(captured);
    match *told {
        Told::On { day, weekday, clock } => {
            let (civil, precision) = civil(day, weekday, clock, order, now)?;
            Some(moment(civil, clock, precision, false))
        }
        Told::Back { days, clock } => {
            let here = now? + east(clock);
            let civil = Civil::of(here - i64::from(days) * DAY);
            Some(moment(civil, clock, Precision::Day, true))
        }
        Told::Last { weekday, clock } => {
            let now = now?;
            let today = Civil::of(now + east(clock));
            let back = i64::from((7 + today.weekday() - weekday) % 7);
            let at = |back: i64| {
                moment(Civil::of(today.unix() - back * DAY), clock, Precision::Day, true)
            };
            // A weekday's name is used for past days; today only if its time is over.
            let same = clock.is_some() && at(back).unix <= now;
            Some(if back == 0 && !same { at(7) } else { at(back) })
        }
        Told::Ago(ago) => {
            let now = now?;
            let unix = if ago.months == 0 {
                now
            } else {
                Civil::of(now).months_before(ago.months).unix() + now.rem_euclid(DAY)
            };
            let precision = ago.unit.precision();
            Some(Moment { unix: unix - ago.seconds, precision, zone: None, relative: true })
        }
        Told::Alone(_) if !order.has_lone_days() => None,
        Told::Alone(Alone::Day(numbers, joint)) => {
            let (civil, precision) = civil(Day::Two(numbers, joint), None, None, order, now)?;
            Some(moment(civil, None, precision, false))
        }
        Told::Alone(Alone::Clock(clock)) => {
            let today = Civil::of(now? + east(Some(clock)));
            Some(moment(today, Some(clock), Precision::Day, true))
        }
        Told::Now => {
            Some(Moment { unix: now?, precision: Precision::Minute, zone: None, relative: true })
        }
    }
}

/// A day of the calendar, and how exact it is.
fn civil(
    day: Day,
    weekday: Option<u8>,
    clock: Option<Clock>,
    order: &Order,
    now: Option<i64>,
) -> Option<(Civil, Precision)> {
    let today = now.map(|now| Civil::of(now + DAY));
    // What the page itself contradicts is right only if nothing else is.
    let doubts = |civil: &Civil| {
        let other = weekday.is_some_and(|weekday| weekday != civil.weekday());
        let future = today.is_some_and(|today| *civil > today);
        usize::from(other) * 2 + usize::from(future)
    };
    let civil = match day {
        Day::Full { year: told, month, day } => {
            let civil = Civil::new(year(told, now), month, day.unwrap_or(1))?;
            let precision = if day.is_some() { Precision::Day } else { Precision::Month };
            return Some((civil, precision));
        }
        Day::Short { month, day } => latest(month, day, weekday, today?)?,
        Day::Two(numbers, joint) => {
            let today = today?;
            let [first, second] = numbers;
            let day_first = match order.of(joint) {
                Some(first) => first == First::Day,
                None => joint == Joint::Dot || (joint == Joint::Slash && !twelve(clock)),
            };
            let usual = if day_first {
                [(second, first), (first, second)]
            } else {
                [(first, second), (second, first)]
            };
            usual.into_iter().find_map(|(month, day)| latest(month, day, weekday, today))?
        }
        Day::Three(numbers, joint) => {
            let usual = match order.of(joint) {
                _ if numbers[0].digits == 4 => First::Year,
                Some(first) => first,
                None if joint != Joint::Dot && twelve(clock) => First::Month,
                None => First::Day,
            };
            [usual, First::Day, First::Month, First::Year]
                .into_iter()
                .filter_map(|first| three(numbers, first, now))
                .min_by_key(doubts)?
        }
    };
    Some((civil, Precision::Day))
}

/// The latest day of a month that is not after today, on its weekday if it has one.
fn latest(month: u8, day: u8, weekday: Option<u8>, today: Civil) -> Option<Civil> {
    let years = (0..=YEARS).filter_map(|back| Civil::new(today.year - back, month, day));
    let mut past = years.filter(|civil| *civil <= today).peekable();
    let first = past.peek().copied();
    past.find(|civil| weekday.is_none_or(|weekday| weekday == civil.weekday())).or(first)
}

/// Three numbers in an order, if that gives a day.
pub(super) fn three(numbers: [Number; 3], first: First, now: Option<i64>) -> Option<Civil> {
    let [a, b, c] = numbers;
    let (y, m, d) = match (a.digits, first) {
        (4, First::Month) => return None,
        (4, First::Day) => (a, c, b),
        (4, First::Year) => (a, b, c),
        (_, First::Day) => (c, b, a),
        (_, First::Month) => (c, a, b),
        (_, First::Year) => (a, b, c),
    };
    let told = match y.digits {
        4 => Year::Full(u16::try_from(y.value).ok()?),
        2 => Year::Short(small(y)?),
        _ => return None,
    };
    Civil::new(year(told, now), small(m)?, small(d)?)
}

fn twelve(clock: Option<Clock>) -> bool {
    clock.is_some_and(|clock| clock.twelve)
}

/// Seconds east of Greenwich.
fn east(clock: Option<Clock>) -> i64 {
    clock.and_then(|clock| clock.zone).map_or(0, |zone| i64::from(zone) * 60)
}

/// A time of a day.
pub(super) fn moment(
    day: Civil,
    clock: Option<Clock>,
    precision: Precision,
    relative: bool,
) -> Moment {
    let precision = match clock.map(|clock| clock.exact) {
        None => precision,
        Some(Exact::Hour) => Precision::Hour,
        Some(Exact::Minute) => Precision::Minute,
        Some(Exact::Second) => Precision::Second,
    };
    let seconds = clock.map_or(0, |clock| clock.seconds);
    let zone = clock.and_then(|clock| clock.zone);
    Moment { unix: day.unix() + seconds - east(clock), precision, zone, relative }
}
