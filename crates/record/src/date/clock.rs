//! Times of day, and zones.

use super::grammar::Grammar;
use super::piece::small;
use super::token::{Kind, Token};
use super::words::{Meaning, Part};

/// A time of day.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Clock {
    /// Seconds since midnight.
    pub(super) seconds: i64,
    pub(super) exact: Exact,
    /// Minutes east of Greenwich.
    pub(super) zone: Option<i16>,
    /// Whether it was told with twelve hours.
    pub(super) twelve: bool,
}

/// How exact a time of day is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Exact {
    Hour,
    Minute,
    Second,
}

/// Half of a day.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Half {
    Am,
    Pm,
    Noon,
}

impl Grammar<'_> {
    /// A time of day and its zone, and the token after them; `asked` if a word before says that a
    /// time follows, so that "20.50" is one.
    pub(super) fn clock(self, at: usize, asked: bool) -> Option<(Clock, usize)> {
        let before = self.half(at);
        let first = at + usize::from(before.is_some());
        let Some((mut clock, mut end)) = self.digits(first, asked || before.is_some()) else {
            return self.word(at);
        };
        let after = if before.is_none() { self.half(end) } else { None };
        end += usize::from(after.is_some());
        let dot =
            matches!(self.tokens.get(end), Some(Token { kind: Kind::Mark('.'), glued: true, .. }));
        end += usize::from(after.is_some() && dot);
        let bare = clock.exact == Exact::Hour && end == first + 1;
        if bare && before.or(after).is_none() {
            return None;
        }
        if let Some(half) = before.or(after) {
            clock.seconds = halved(clock.seconds, half);
            clock.twelve = true;
        }
        if clock.seconds >= 86_400 {
            return None;
        }
        if let Some((zone, next)) = self.zone(end, clock.exact == Exact::Second) {
            clock.zone = Some(zone);
            end = next;
        }
        Some((clock, end))
    }

    /// The time of day of an ISO 8601 date, after its "T".
    pub(super) fn clock_of_standard(self, at: usize) -> Option<(Clock, usize)> {
        let number = self.number(at)?;
        let (mut clock, mut end) = match number.digits {
            4 | 6 => {
                let value = if number.digits == 4 { number.value * 100 } else { number.value };
                let part = |value: u64| u8::try_from(value % 100).ok();
                let exact = if number.digits == 4 { Exact::Minute } else { Exact::Second };
                let clock = clock(part(value / 10_000)?, part(value / 100)?, part(value)?, exact)?;
                (clock, self.fraction(at + 1))
            }
            _ => self.digits(at, true)?,
        };
        if let Some((zone, next)) = self.zone(end, true) {
            clock.zone = Some(zone);
            end = next;
        }
        Some((clock, end))
    }

    /// "8:28", "20:50:03.5", "10h30", "8时28分", "20.50", or an hour alone.
    fn digits(self, at: usize, asked: bool) -> Option<(Clock, usize)> {
        let hour = small(self.number(at)?).filter(|hour| *hour <= 24)?;
        let pair = |at: usize| {
            let glued = self.tokens.get(at).is_some_and(|token| token.glued);
            small(self.number(at).filter(|number| glued && number.digits == 2)?)
        };
        let glued = |at: usize, mark: char| {
            self.mark(at, mark) && self.tokens.get(at).is_some_and(|token| token.glued)
        };
        if glued(at + 1, ':') {
            let minute = pair(at + 2)?;
            if glued(at + 3, ':')
                && let Some(second) = pair(at + 4)
            {
                let end = self.fraction(at + 5);
                return Some((clock(hour, minute, second, Exact::Second)?, end));
            }
            let end = self.passed(at + 3, Part::Hour);
            return Some((clock(hour, minute, 0, Exact::Minute)?, end));
        }
        if glued(at + 1, '.')
            && let Some(minute) = pair(at + 2)
        {
            let end = self.passed(at + 3, Part::Hour);
            let counts = (asked || end > at + 3) && !glued(end, '.');
            return counts.then(|| Some((clock(hour, minute, 0, Exact::Minute)?, end)))?;
        }
        let marked = self.is(at + 1, Meaning::After(Part::Hour))
            || self.letter(at + 1, 'h').is_some()
            || (asked && self.letter(at + 1, 'u').is_some());
        let parted =
            self.is_letter(at + 1, 'h') && self.number(at + 2).is_some_and(|next| next.digits == 2);
        if !marked && !parted {
            return Some((clock(hour, 0, 0, Exact::Hour)?, at + 1));
        }
        if self.is(at + 2, Meaning::Half) {
            return Some((clock(hour, 30, 0, Exact::Minute)?, at + 3));
        }
        let Some(minute) = self.number(at + 2).and_then(small).filter(|minute| *minute < 60) else {
            return Some((clock(hour, 0, 0, Exact::Hour)?, at + 2));
        };
        let end = self.passed(at + 3, Part::Minute);
        if end == at + 3 && self.number(at + 2).is_some_and(|number| number.digits != 2) {
            return Some((clock(hour, 0, 0, Exact::Hour)?, at + 2));
        }
        match self.number(end).and_then(small).filter(|second| *second < 60) {
            Some(second) if self.is(end + 1, Meaning::After(Part::Second)) => {
                Some((clock(hour, minute, second, Exact::Second)?, end + 2))
            }
            _ => Some((clock(hour, minute, 0, Exact::Minute)?, end)),
        }
    }

    fn is_letter(self, at: usize, letter: char) -> bool {
        matches!(self.tokens.get(at), Some(Token { kind: Kind::Word(word), .. }) if word.letter == Some(letter))
    }

    /// "noon", "midnight"
    fn word(self, at: usize) -> Option<(Clock, usize)> {
        let hour = self.find(at, |meaning| match meaning {
            Meaning::Noon => Some(12),
            Meaning::Midnight => Some(0),
            _ => None,
        })?;
        Some((clock(hour, 0, 0, Exact::Hour)?, at + 1))
    }

    /// The token after a word that names the number before it.
    fn passed(self, at: usize, part: Part) -> usize {
        at + usize::from(self.is(at, Meaning::After(part)))
    }

    /// The token after a fraction of a second.
    fn fraction(self, at: usize) -> usize {
        let glued = |at: usize| self.tokens.get(at).is_some_and(|token| token.glued);
        let fraction = (self.mark(at, '.') || self.mark(at, ','))
            && glued(at)
            && glued(at + 1)
            && self.number(at + 1).is_some();
        if fraction { at + 2 } else { at }
    }

    fn half(self, at: usize) -> Option<Half> {
        self.find(at, |meaning| match meaning {
            Meaning::Am => Some(Half::Am),
            Meaning::Pm => Some(Half::Pm),
            Meaning::Noon => Some(Half::Noon),
            _ => None,
        })
    }

    /// "Z", "+02:00", "UTC", "GMT+8", "(EST)"; `whole` if the time before has seconds, so that what
    /// follows a dash is no second time.
    fn zone(self, at: usize, whole: bool) -> Option<(i16, usize)> {
        if self.mark(at, '(') || self.mark(at, '[') {
            let (zone, end) = self.zone(at + 1, true)?;
            let closed = self.mark(end, ')') || self.mark(end, ']');
            return closed.then_some((zone, end + 1));
        }
        let named = self.find(at, |meaning| match meaning {
            Meaning::Zone(minutes) => Some(minutes),
            _ => None,
        });
        if let (Some(minutes), Some(Token { kind: Kind::Word(word), .. })) =
            (named, self.tokens.get(at))
        {
            if let Some((offset, end)) = self.offset(at + 1, true).filter(|_| minutes == 0) {
                return Some((offset, end));
            }
            return (word.capital || word.letter.is_some()).then_some((minutes, at + 1));
        }
        let sign = self.tokens.get(at)?;
        if sign.glued && self.mark(at, '-') && !whole {
            return None;
        }
        self.offset(at, false)
    }

    /// A sign, hours and minutes; `short` if the minutes may lack.
    fn offset(self, at: usize, short: bool) -> Option<(i16, usize)> {
        let negative = self.mark(at, '-');
        if !negative && !self.mark(at, '+') {
            return None;
        }
        let number = self
            .number(at + 1)
            .filter(|_| self.tokens.get(at + 1).is_some_and(|token| token.glued))?;
        let value = i16::try_from(number.value).ok()?;
        let minutes =
            self.number(at + 3).filter(|minutes| minutes.digits == 2 && self.mark(at + 2, ':'));
        let glued = self.tokens.get(at).is_some_and(|token| token.glued);
        let (hours, minutes, end) = match (number.digits, minutes) {
            (1 | 2, Some(minutes)) => (value, i16::try_from(minutes.value).ok()?, at + 4),
            (4, _) => (value / 100, value % 100, at + 2),
            (1 | 2, None) if short || (glued && number.digits == 2) => (value, 0, at + 2),
            _ => return None,
        };
        let offset = hours * 60 + minutes;
        (hours <= 14 && minutes < 60).then_some((if negative { -offset } else { offset }, end))
    }
}

fn clock(hour: u8, minute: u8, second: u8, exact: Exact) -> Option<Clock> {
    let seconds = i64::from(hour) * 3_600 + i64::from(minute) * 60 + i64::from(second.min(59));
    let there = hour <= 24 && minute < 60 && second <= 60;
    there.then_some(Clock { seconds, exact, zone: None, twelve: false })
}

/// The seconds since midnight of a time of half a day.
fn halved(seconds: i64, half: Half) -> i64 {
    let hour = seconds / 3_600;
    let afternoon = match half {
        Half::Am if hour == 12 => return seconds - 12 * 3_600,
        Half::Am => false,
        Half::Pm => hour < 12,
        Half::Noon => hour < 4,
    };
    if afternoon { seconds + 12 * 3_600 } else { seconds }
}
