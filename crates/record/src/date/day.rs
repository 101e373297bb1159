//! Days of the calendar, in all the ways they are told.

use super::civil::Civil;
use super::grammar::Grammar;
use super::piece::small;
use super::token::{Kind, Number, Token};
use super::words::{Meaning, Part};

/// A day, as it is told.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) enum Day {
    Full {
        year: Year,
        month: u8,
        day: Option<u8>,
    },
    /// Without its year.
    Short {
        month: u8,
        day: u8,
    },
    /// Three numbers; the order is the site's.
    Three([Number; 3], Joint),
    /// Two numbers: a day and a month, or the other way round.
    Two([u8; 2], Joint),
}

/// A year, as it is told.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Year {
    Full(u16),
    /// Two digits.
    Short(u8),
}

/// What joins the numbers of a date.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Joint {
    Slash,
    Dash,
    Dot,
}

impl Grammar<'_> {
    /// A day of the calendar.
    pub(super) fn day(self, at: usize) -> Option<(Day, usize)> {
        let Some(number) = self.number(at) else {
            let (month, next) = self.month(at)?;
            return self.month_first(month, next);
        };
        if let Some(found) = self.solar(at).or_else(|| self.numbers(at)).or_else(|| self.marked(at))
        {
            return Some(found);
        }
        match (number.value, number.digits) {
            (1_900..=2_199, 4) => self.year_first(at),
            (1..=31, 0..=2) => self.day_first(at),
            (19_000_101..=21_991_231, 8) => self.compact(at),
            _ => None,
        }
    }

    /// "14. Juni 2020", "3rd of May, 2025", "10 Sep '25", "14 tháng 6, 2020".
    fn day_first(self, at: usize) -> Option<(Day, usize)> {
        let day = small(self.number(at)?)?;
        let next = if self.is(at + 1, Meaning::Nth) { at + 2 } else { at + 1 };
        let (month, next) = [next, self.skip(next, 2)].into_iter().find_map(|at| self.month(at))?;
        Some(match self.year(next, true) {
            Some((year, end)) => (Day::Full { year, month, day: Some(day) }, end),
            None => (Day::Short { month, day }, next),
        })
    }

    /// "Sept. 22, 2026", "March 2024", "Sep '25".
    fn month_first(self, month: u8, at: usize) -> Option<(Day, usize)> {
        let next = self.skip(at, 2);
        if let Some((year, end)) = self.full_year(next).or_else(|| self.short_year(at)) {
            return Some((Day::Full { year, month, day: None }, end));
        }
        let day = small(self.number(next)?).filter(|day| (1..=31).contains(day))?;
        if self.clock(next, false).is_some_and(|(_, end)| end > next + 1) {
            return None;
        }
        let next = if self.is(next + 1, Meaning::Nth) { next + 2 } else { next + 1 };
        let next = self.after(next, Part::Day);
        Some(match self.year(next, false) {
            Some((year, end)) => (Day::Full { year, month, day: Some(day) }, end),
            None => (Day::Short { month, day }, next),
        })
    }

    /// "2026 Sep 22", "2020. június 14."
    fn year_first(self, at: usize) -> Option<(Day, usize)> {
        let (year, next) = self.full_year(at)?;
        let (month, next) = self.month(self.skip(next, 2))?;
        let next = self.skip(next, 2);
        let day = small(self.number(next)?).filter(|day| (1..=31).contains(day))?;
        Some((Day::Full { year, month, day: Some(day) }, self.skip_dot(next + 1)))
    }

    /// "2020年6月14日", "4月20日", "2020년 6월".
    fn marked(self, at: usize) -> Option<(Day, usize)> {
        let is_year = |number: &Number| (1_900..=2_199).contains(&number.value);
        let year = self
            .number(at)
            .filter(is_year)
            .filter(|_| self.is(at + 1, Meaning::After(Part::Year)))
            .and_then(|number| u16::try_from(number.value).ok());
        let at = if year.is_some() { at + 2 } else { at };
        let month = small(self.number(at)?).filter(|month| (1..=12).contains(month))?;
        if !self.is(at + 1, Meaning::After(Part::Month)) {
            return None;
        }
        let day = self.number(at + 2).and_then(small).filter(|day| (1..=31).contains(day));
        let day = day.filter(|_| self.is(at + 3, Meaning::After(Part::Day)) || self.free(at + 3));
        let end = self.after(at + 2 + usize::from(day.is_some()), Part::Day);
        match (year, day) {
            (Some(year), day) => Some((Day::Full { year: Year::Full(year), month, day }, end)),
            (None, Some(day)) => Some((Day::Short { month, day }, end)),
            (None, None) => None,
        }
    }

    /// "2025-12-09", "09/12/2025", "14. 6. 2020", "8-22", "05/2020".
    fn numbers(self, at: usize) -> Option<(Day, usize)> {
        let first = self.number(at).filter(|number| matches!(number.digits, 1 | 2 | 4))?;
        let (joint, next) = self.joint(at + 1)?;
        let second = self.number(next).filter(|number| number.digits <= 2 || number.digits == 4)?;
        let third = self
            .joint(next + 1)
            .filter(|(same, _)| *same == joint)
            .and_then(|(_, next)| Some((self.number(next)?, next + 1)));
        if let Some((third, end)) = third {
            let year =
                |number: Number| number.digits == 4 && (1_900..=2_199).contains(&number.value);
            let fits = second.digits <= 2
                && match (first.digits, third.digits) {
                    (4, 1 | 2) => year(first),
                    (1 | 2, 4) => year(third),
                    (1 | 2, 2) => joint != Joint::Dot || (first.digits, second.digits) == (2, 2),
                    _ => false,
                };
            let end = if joint == Joint::Dot { self.skip_dot(end) } else { end };
            return fits.then_some((Day::Three([first, second, third], joint), end));
        }
        match (first.digits, second.digits) {
            (1 | 2, 4) if joint == Joint::Slash => {
                let (year, end) = self.full_year(next)?;
                let month = small(first).filter(|month| (1..=12).contains(month))?;
                Some((Day::Full { year, month, day: None }, end))
            }
            (1 | 2, 1 | 2) => {
                let end = if joint == Joint::Dot { self.skip_dot(next + 1) } else { next + 1 };
                Some((Day::Two([small(first)?, small(second)?], joint), end))
            }
            _ => None,
        }
    }

    /// A day of the Solar Hijri calendar, as one of ours: "12 فروردین 1403", "1403/05/12".
    fn solar(self, at: usize) -> Option<(Day, usize)> {
        let named = self.find(at + 1, |meaning| match meaning {
            Meaning::Solar(month) => Some(month),
            _ => None,
        });
        let (year, month, day, end) = match (named, self.joint(at + 1)) {
            (Some(month), _) => (self.number(at + 2)?, month, small(self.number(at)?)?, at + 3),
            (None, Some((Joint::Slash, next))) => {
                let (_, last) = self.joint(next + 1).filter(|(joint, _)| *joint == Joint::Slash)?;
                (self.number(at)?, small(self.number(next)?)?, small(self.number(last)?)?, last + 1)
            }
            _ => return None,
        };
        let civil = Civil::of_solar(i64::try_from(year.value).ok()?, month, day)?;
        let year = Year::Full(u16::try_from(civil.year).ok()?);
        Some((Day::Full { year, month: civil.month, day: Some(civil.day) }, end))
    }

    /// "20260922T082800Z"
    fn compact(self, at: usize) -> Option<(Day, usize)> {
        let value = self.number(at)?.value;
        self.letter(at + 1, 't').filter(|_| self.number(at + 2).is_some())?;
        let year = Year::Full(u16::try_from(value / 10_000).ok()?);
        let month = u8::try_from(value / 100 % 100).ok()?;
        let day = Some(u8::try_from(value % 100).ok()?);
        Some((Day::Full { year, month, day }, at + 1))
    }

    /// What joins the numbers of a date, and the token after it.
    fn joint(self, at: usize) -> Option<(Joint, usize)> {
        let mark = self.tokens.get(at).filter(|mark| mark.glued)?;
        let glued = self.tokens.get(at + 1)?.glued;
        match mark.kind {
            Kind::Mark('/') if glued => Some((Joint::Slash, at + 1)),
            Kind::Mark('-') if glued => Some((Joint::Dash, at + 1)),
            Kind::Mark('.') => Some((Joint::Dot, at + 1)),
            _ => None,
        }
    }

    /// A month by its name, or by its number after a word for "month".
    fn month(self, at: usize) -> Option<(u8, usize)> {
        let named = self.find(at, |meaning| match meaning {
            Meaning::Month(month) => Some(month),
            _ => None,
        });
        if let Some(month) = named {
            return Some((month, self.skip_dot(at + 1)));
        }
        let month = self.number(at + 1).filter(|_| self.is(at, Meaning::MonthThe))?;
        small(month).filter(|month| (1..=12).contains(month)).map(|month| (month, at + 2))
    }

    /// A year after a day and a month; `last` if a number of two digits after these can be nothing else.
    fn year(self, at: usize, last: bool) -> Option<(Year, usize)> {
        if let Some(found) = self.short_year(at) {
            return Some(found);
        }
        let next = self.skip(at, 2);
        if let Some(found) = self.full_year(next) {
            return Some(found);
        }
        let number = self.number(next).filter(|number| number.digits == 2)?;
        let timed = self.clock(next, true).is_some_and(|(_, end)| end > next);
        let parted = next > at || last;
        let counts = parted && !timed && self.free(next + 1);
        counts.then_some((Year::Short(small(number)?), next + 1))
    }

    pub(super) fn full_year(self, at: usize) -> Option<(Year, usize)> {
        let number = self.number(at).filter(|number| number.digits == 4)?;
        let year =
            u16::try_from(number.value).ok().filter(|year| (1_900..=2_199).contains(year))?;
        if matches!(self.tokens.get(at + 1), Some(Token { kind: Kind::Mark(':'), glued: true, .. }))
        {
            return None;
        }
        let end = self.after(at + 1, Part::Year);
        Some((Year::Full(year), if end > at + 1 { self.skip_dot(end) } else { end }))
    }

    /// "'25"
    fn short_year(self, at: usize) -> Option<(Year, usize)> {
        let at = if self.mark(at, ',') { at + 1 } else { at };
        let number = self.number(at + 1).filter(|number| number.digits == 2)?;
        let counts =
            self.mark(at, '\'') && self.tokens.get(at + 1).is_some_and(|token| token.glued);
        counts.then_some((Year::Short(small(number)?), at + 2))
    }
}
