//! What tokens tell: days, spans and how they stand together. Nothing is resolved here.

use super::clock::{Clock, Exact};
use super::day::{Day, Joint, Year};
use super::span::{Ago, Count, Unit};
use super::token::{Kind, Token};
use super::words::Meaning;

/// What a text tells.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) enum Told {
    /// A day of the calendar.
    On { day: Day, weekday: Option<u8>, clock: Option<Clock> },
    /// So many days before the capture.
    Back { days: u8, clock: Option<Clock> },
    /// The last such day before the capture.
    Last { weekday: u8, clock: Option<Clock> },
    /// So long before the capture.
    Ago(Ago),
    /// At the capture.
    Now,
    /// A day without a year, or a time of day, and nothing else: dates in a column of dates, numbers
    /// elsewhere.
    Alone(Alone),
}

/// What may be a date, if others beside it are.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) enum Alone {
    /// Two numbers of two digits: "08-22".
    Day([u8; 2], Joint),
    /// "14:32", today.
    Clock(Clock),
}

/// Where a date is looked for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Place {
    /// A text that tells nothing else.
    Whole,
    /// Running text, where common words and numbers mean themselves.
    Running,
}

/// The most tokens between a day and its time, or its weekday.
const BETWEEN: usize = 4;

/// Reads tokens. A place beyond the last is as good as any: nothing is there.
#[derive(Clone, Copy)]
pub(super) struct Grammar<'t> {
    pub(super) tokens: &'t [Token],
}

impl Grammar<'_> {
    /// What is told from a token on, and the token after it.
    pub(super) fn told(self, at: usize, place: Place) -> Option<(Told, usize)> {
        if !self.may_begin(at) {
            return None;
        }
        let dated = [self.dated(at, place), self.timed(at, place)];
        let spoken = [self.ago(at), self.spoken(at, place), self.last(at)];
        let (told, end) =
            dated.into_iter().chain(spoken).flatten().max_by_key(|(_, end)| *end).or_else(
                || {
                    let whole = place == Place::Whole && at == 0;
                    self.brief(at).or_else(|| self.alone()).filter(|_| whole)
                },
            )?;
        self.may_end(end).then_some((told, end))
    }

    /// How many tokens a time of day without a day has: nothing in it begins a date.
    pub(super) fn lone_clock(self, at: usize) -> Option<usize> {
        self.clock(at, false).map(|(_, end)| end - at)
    }

    /// A day, its weekday, its time.
    fn dated(self, at: usize, place: Place) -> Option<(Told, usize)> {
        let alone = self.day(at).map(|(day, end)| (day, None, end));
        let named = self.weekday(at).and_then(|weekday| {
            let (day, end) = self.day(self.skip(at + 1, BETWEEN))?;
            Some((day, Some(weekday), end))
        });
        let (mut day, mut weekday, mut end) =
            [named, alone].into_iter().flatten().max_by_key(|(.., end)| *end)?;
        if let Some((named, next)) = self.weekday_after(end) {
            weekday = weekday.or(named);
            end = next;
        }
        let clock = self.clock_after(end);
        if let Some((_, next)) = clock {
            end = next;
        }
        // "Jun 14 10:30:00 2020"
        if let (Day::Short { month, day: number }, Some((year, next))) = (day, self.full_year(end))
        {
            day = Day::Full { year, month, day: Some(number) };
            end = next;
        }
        let doubtful = match day {
            Day::Two(..) => clock.is_none() && weekday.is_none(),
            Day::Three([first, _, last], joint) => {
                let short = first.digits < 4 && last.digits < 4;
                short && place == Place::Running && clock.is_none() && joint == Joint::Dash
            }
            Day::Short { .. } => clock.is_none() && weekday.is_none() && self.is_wary(at, end),
            Day::Full { year: Year::Short(_), .. } => clock.is_none() && self.is_wary(at, end),
            Day::Full { .. } => false,
        };
        (!doubtful)
            .then_some((Told::On { day, weekday, clock: clock.map(|(clock, _)| clock) }, end))
    }

    /// A time of day and then its day: "20:50, 17 Dec 2025".
    fn timed(self, at: usize, place: Place) -> Option<(Told, usize)> {
        let (clock, end) = self.clock(at, false)?;
        let next = self.skip(end, BETWEEN);
        if let Some(days) = self.days_back(next, true) {
            return Some((Told::Back { days, clock: Some(clock) }, next + 1));
        }
        let (told, end) = self.dated(next, place)?;
        match told {
            Told::On { day, weekday, clock: None } => {
                Some((Told::On { day, weekday, clock: Some(clock) }, end))
            }
            _ => None,
        }
    }

    /// "3 hours ago", "vor 2 Stunden", "1 day, 2 hours ago".
    fn ago(self, at: usize) -> Option<(Told, usize)> {
        let before = self.is(at, Meaning::Ago);
        let mut next = at + usize::from(before);
        let mut sum: Option<Ago> = None;
        for _ in 0..3 {
            let from = if sum.is_some() { self.skip(next, 2) } else { next };
            let Some((ago, end)) = self.span(from) else { break };
            sum = Some(sum.map_or(ago, |sum| sum.and(ago)));
            next = end;
        }
        // "час назад"
        let (sum, mut next) = match sum {
            Some(sum) => (sum, next),
            None => (Ago::new(Count::Number(1), self.unit(next)?), next + 1),
        };
        let after = self.is(next, Meaning::Ago);
        next += usize::from(after);
        (before || after).then_some((Told::Ago(sum), next))
    }

    /// A number of units.
    fn span(self, at: usize) -> Option<(Ago, usize)> {
        let mut at = at;
        while self.is(at, Meaning::About) {
            at += 1;
        }
        let few = self.is(at, Meaning::Few);
        let count = if few {
            Count::Few
        } else if self.is(at, Meaning::Half) {
            Count::Half
        } else if let Some(number) = self.number(at) {
            Count::Number(u32::try_from(number.value).ok().filter(|value| *value < 100_000)?)
        } else {
            Count::Number(self.find(at, |meaning| match meaning {
                Meaning::Number(number) => Some(number),
                _ => None,
            })?)
        };
        let article = matches!(count, Count::Half)
            && self.unit(at + 1).is_none()
            && self.is_word(at + 1, |meaning| matches!(meaning, Meaning::Number(_)));
        let at = at + 1 + usize::from(article);
        Some((Ago::new(count, self.unit(at)?), self.skip_dot(at + 1)))
    }

    fn unit(self, at: usize) -> Option<Unit> {
        self.find(at, |meaning| match meaning {
            Meaning::Unit(unit) => Some(unit),
            _ => None,
        })
    }

    /// "just now", "Yesterday, 01:47 PM", "last week".
    fn spoken(self, at: usize, place: Place) -> Option<(Told, usize)> {
        if self.is(at, Meaning::Now) {
            return Some((Told::Now, at + 1 + usize::from(self.is(at + 1, Meaning::Ago))));
        }
        if let Some(unit) = self.find(at, |meaning| match meaning {
            Meaning::Past(unit) => Some(unit),
            _ => None,
        }) {
            return Some((Told::Ago(Ago::new(Count::Number(1), unit)), at + 1));
        }
        if let Some(clock) = self.clock_after(at + 1)
            && let Some(days) = self.days_back(at, true)
        {
            return Some((Told::Back { days, clock: Some(clock.0) }, clock.1));
        }
        let days = self.days_back(at, false).filter(|_| place == Place::Whole)?;
        Some((Told::Back { days, clock: None }, at + 1))
    }

    /// How many days before the capture a word means, `timed` if a time of day is with it.
    fn days_back(self, at: usize, timed: bool) -> Option<u8> {
        self.find(at, |meaning| match meaning {
            Meaning::Day(days) => Some(days),
            Meaning::Hushed(days) if timed => Some(days),
            _ => None,
        })
    }

    /// "last Monday", "lundi dernier", "Monday at 5:20 PM", "last week".
    fn last(self, at: usize) -> Option<(Told, usize)> {
        let before = self.is(at, Meaning::Last);
        let next = at + usize::from(before);
        if before && let Some(unit) = self.unit(next) {
            return Some((Told::Ago(Ago::new(Count::Number(1), unit)), next + 1));
        }
        let weekday = self.weekday(next)?;
        let after = self.is(next + 1, Meaning::Last);
        let next = self.skip_dot(next + 1 + usize::from(after));
        let clock = self.clock_after(next);
        let end = clock.map_or(next, |(_, end)| end);
        let told = Told::Last { weekday, clock: clock.map(|(clock, _)| clock) };
        (before || after || clock.is_some()).then_some((told, end))
    }

    /// "3h": what a column of times tells without a word for "ago".
    fn brief(self, at: usize) -> Option<(Told, usize)> {
        let number = self.number(at).filter(|number| (1..=3).contains(&number.digits))?;
        let unit = self.find(at + 1, |meaning| match meaning {
            Meaning::Brief(unit) => Some(unit),
            _ => None,
        })?;
        let count = Count::Number(u32::try_from(number.value).ok()?);
        (self.tokens.len() == at + 2).then_some((Told::Ago(Ago::new(count, unit)), at + 2))
    }

    /// All tokens, if they are a day without a year, or a time of day.
    fn alone(self) -> Option<(Told, usize)> {
        let all = self.tokens.len();
        if let Some((Day::Two(numbers, joint), end)) = self.day(0).filter(|(_, end)| *end == all) {
            let padded = (0..end).filter_map(|at| self.number(at)).all(|number| number.digits == 2);
            let told = Told::Alone(Alone::Day(numbers, joint));
            return (padded && joint != Joint::Dot).then_some((told, end));
        }
        let (clock, end) = self.clock(0, false).filter(|(_, end)| *end == all)?;
        (clock.exact != Exact::Hour).then_some((Told::Alone(Alone::Clock(clock)), end))
    }

    fn weekday(self, at: usize) -> Option<u8> {
        self.find(at, |meaning| match meaning {
            Meaning::Weekday(weekday) => Some(weekday),
            _ => None,
        })
    }

    /// A weekday after its day: "2025-12-09 星期二", "2025/12/09(火)". The weekday may be one that
    /// we have no name for.
    fn weekday_after(self, at: usize) -> Option<(Option<u8>, usize)> {
        let next = if self.mark(at, ',') { at + 1 } else { at };
        if let Some(weekday) = self.weekday(next) {
            return Some((Some(weekday), self.skip_dot(next + 1)));
        }
        let word = matches!(self.tokens.get(at + 1)?.kind, Kind::Word(_));
        (self.mark(at, '(') && word && self.mark(at + 2, ')'))
            .then(|| (self.weekday(at + 1), at + 3))
    }

    /// A time of day after its day.
    fn clock_after(self, at: usize) -> Option<(Clock, usize)> {
        if self.letter(at, 't').is_some() {
            return self.clock_of_standard(at + 1);
        }
        let next = self.skip(at, BETWEEN);
        let asked = (at..next).any(|between| self.is(between, Meaning::At));
        self.clock(next, asked)
    }
}
