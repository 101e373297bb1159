//! What tokens tell: days, spans and how they stand together. Nothing is resolved here.

use super::clock::Clock;
use super::span::{Ago, Count, Unit};
use super::token::{Kind, Number, Token, Word};
use super::words::{Meaning, Part};

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
}

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
        let (told, end) = dated
            .into_iter()
            .chain(spoken)
            .flatten()
            .max_by_key(|(_, end)| *end)
            .or_else(|| self.brief(at).filter(|_| place == Place::Whole))?;
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
                short && place == Place::Running && clock.is_none() && joint != Joint::Slash
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
        let alone = at == 0 && self.tokens.len() == at + 2;
        let count = Count::Number(u32::try_from(number.value).ok()?);
        alone.then_some((Told::Ago(Ago::new(count, unit)), at + 2))
    }

    /// A day of the calendar.
    fn day(self, at: usize) -> Option<(Day, usize)> {
        let Some(number) = self.number(at) else {
            let (month, next) = self.month(at)?;
            return self.month_first(month, next);
        };
        if let Some(found) = self.numbers(at).or_else(|| self.marked(at)) {
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

    fn full_year(self, at: usize) -> Option<(Year, usize)> {
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

    pub(super) fn weekday(self, at: usize) -> Option<u8> {
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

    /// The first token after what may stand between the parts of a date.
    fn skip(self, at: usize, most: usize) -> usize {
        let between = |token: &Token| match token.kind {
            Kind::Mark(mark) => matches!(
                mark,
                ',' | '.'
                    | '-'
                    | '|'
                    | '·'
                    | '•'
                    | '@'
                    | '/'
                    | '('
                    | ')'
                    | '['
                    | ']'
                    | '«'
                    | '»'
                    | '~'
                    | '、'
            ),
            Kind::Word(word) => word.meanings.contains(&Meaning::At),
            Kind::Number(_) => false,
        };
        let rest = self.tokens.get(at..).unwrap_or_default();
        at + rest.iter().take(most).take_while(|token| between(token)).count()
    }

    fn skip_dot(self, at: usize) -> usize {
        let dot =
            matches!(self.tokens.get(at), Some(Token { kind: Kind::Mark('.'), glued: true, .. }));
        let decimal = self
            .tokens
            .get(at + 1)
            .is_some_and(|next| next.glued && matches!(next.kind, Kind::Number(_)));
        at + usize::from(dot && !decimal)
    }

    /// The token after a word that names the number before it, if there is such a word.
    fn after(self, at: usize, part: Part) -> usize {
        at + usize::from(self.is(at, Meaning::After(part)))
    }

    /// Whether what is before a token lets a date begin with it.
    fn may_begin(self, at: usize) -> bool {
        let Some(token) = self.tokens.get(at).filter(|token| token.glued) else { return true };
        match at.checked_sub(1).and_then(|before| self.tokens.get(before)).map(|before| before.kind)
        {
            Some(Kind::Mark(mark)) => {
                !matches!(token.kind, Kind::Number(_))
                    || !matches!(
                        mark,
                        '-' | '.'
                            | '/'
                            | ':'
                            | '_'
                            | '+'
                            | '#'
                            | '$'
                            | '€'
                            | '£'
                            | '¥'
                            | '%'
                            | '='
                            | '&'
                            | '\\'
                            | ','
                    )
            }
            Some(Kind::Word(word)) => {
                word.letter.is_some_and(super::token::is_dense) || !word.meanings.is_empty()
            }
            Some(Kind::Number(_)) => !matches!(token.kind, Kind::Word(Word { meanings: [], .. })),
            None => true,
        }
    }

    /// Whether what is after a date lets it end there: nothing that goes on as an address, a
    /// version or a telephone number does.
    fn may_end(self, at: usize) -> bool {
        let Some(next) = self.tokens.get(at).filter(|next| next.glued) else { return true };
        match next.kind {
            Kind::Mark('%' | '$' | '€' | '£' | '_' | '=') => false,
            Kind::Mark('-' | '.' | '/' | ':' | ',') => {
                let digit = |token: &Token| token.glued && matches!(token.kind, Kind::Number(_));
                !self.tokens.get(at + 1).is_some_and(digit)
            }
            Kind::Mark(_) => true,
            Kind::Number(_) => false,
            Kind::Word(word) => {
                word.letter.is_some_and(super::token::is_dense) || !word.meanings.is_empty()
            }
        }
    }

    /// Whether a number that ends before a token is not part of something longer.
    fn free(self, at: usize) -> bool {
        match self.tokens.get(at) {
            Some(Token { kind: Kind::Word(word), .. }) => !word.meanings.iter().any(|meaning| {
                matches!(meaning, Meaning::After(_) | Meaning::Unit(_) | Meaning::Am | Meaning::Pm)
            }),
            Some(Token { kind: Kind::Mark(':' | '%'), glued: true, .. }) => false,
            _ => true,
        }
    }

    /// Whether a month between two tokens is a common word that is written small.
    fn is_wary(self, from: usize, to: usize) -> bool {
        self.tokens.get(from..to).unwrap_or_default().iter().any(|token| match token.kind {
            Kind::Word(word) => !word.capital && word.meanings.contains(&Meaning::Wary),
            _ => false,
        })
    }

    pub(super) fn number(self, at: usize) -> Option<Number> {
        match self.tokens.get(at)?.kind {
            Kind::Number(number) => Some(number),
            _ => None,
        }
    }

    pub(super) fn mark(self, at: usize, mark: char) -> bool {
        matches!(self.tokens.get(at), Some(Token { kind: Kind::Mark(found), .. }) if *found == mark)
    }

    /// A single letter that follows a number at once.
    pub(super) fn letter(self, at: usize, letter: char) -> Option<Word> {
        match self.tokens.get(at)? {
            Token { kind: Kind::Word(word), glued: true, .. } => {
                Some(*word).filter(|word| word.letter == Some(letter))
            }
            _ => None,
        }
    }

    pub(super) fn find<T>(self, at: usize, wanted: impl Fn(Meaning) -> Option<T>) -> Option<T> {
        match self.tokens.get(at)?.kind {
            Kind::Word(word) => word.meanings.iter().copied().find_map(wanted),
            _ => None,
        }
    }

    pub(super) fn is(self, at: usize, meaning: Meaning) -> bool {
        self.is_word(at, |found| found == meaning)
    }

    fn is_word(self, at: usize, wanted: impl Fn(Meaning) -> bool) -> bool {
        self.find(at, |meaning| wanted(meaning).then_some(())).is_some()
    }
}

/// A number that is a day, a month, an hour, a minute or a year of two digits.
pub(super) fn small(number: Number) -> Option<u8> {
    u8::try_from(number.value).ok().filter(|value| *value < 100 && number.digits <= 2)
}
