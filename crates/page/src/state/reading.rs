//! Readings of a clock in a text: what passes by itself between two looks at one state.
//!
//! Only what nobody can take for content is a reading. A number alone never is one: it may be a
//! page number, a counter or a price; nor is a date, which may be an article's. A time of day is
//! one if it is all that its element says, or stands beside words that say so ("It is now…",
//! `当前时间`); times and "ago" must agree on how long ago the other look was.

/// What a reading says.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Reading {
    /// Seconds since midnight, shown to the second or to the minute.
    Clock { seconds: i64, to_the_second: bool },
    /// This many units ago, of so many seconds each.
    Ago { number: i64, unit: i64 },
    /// How long it took to make the page.
    Took,
}

/// A text as what stays and what passes.
#[derive(Debug, PartialEq)]
pub(crate) struct Read {
    /// The text with a mark for each reading.
    pub(crate) rest: String,
    pub(crate) readings: Vec<Reading>,
}

/// Stands for a reading; no folded text of a page holds it.
const MARK: char = '\u{0}';

/// Texts longer than this are prose, not the line with the clock.
const LONGEST: usize = 400;

/// Words that say that the time beside them is that of the look.
const NOW: [&str; 24] = [
    "now",
    "current",
    "clock",
    "served at",
    "generated at",
    "server time",
    "local time",
    "the time",
    "aktuelle",
    "uhrzeit",
    "es ist",
    "jetzt",
    "il est",
    "heure actuelle",
    "hora actual",
    "son las",
    "ora attuale",
    "сейчас",
    "текущее время",
    "現在",
    "现在",
    "当前时间",
    "服务器时间",
    "北京时间",
];

/// Words that say that the duration beside them is that of making the page.
const MADE: [&str; 22] = [
    "generated in",
    "rendered in",
    "created in",
    "executed in",
    "processed in",
    "loaded in",
    "load time",
    "page generat",
    "execution time",
    "took",
    "queries",
    "generiert in",
    "erzeugt in",
    "geladen in",
    "générée en",
    "généré en",
    "generada en",
    "creata in",
    "耗时",
    "用时",
    "执行时间",
    "生成",
];

/// Reads a text. `is_alone` says that a bare time may be a clock: it is no cell, row or post.
/// None if nothing in it is a reading.
pub(super) fn read(text: &str, is_alone: bool) -> Option<Read> {
    if text.len() > LONGEST || !text.bytes().any(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let lower = text.to_lowercase();
    let says = |words: &[&str]| words.iter().any(|word| holds_word(&lower, word));
    let context = Context { now: says(&NOW), made: says(&MADE) };
    let mut rest = String::with_capacity(text.len());
    let mut readings = Vec::new();
    let mut at = 0;
    while let Some(next) = text.get(at..).and_then(|tail| tail.chars().next()) {
        let before = text.get(..at).unwrap_or_default();
        let begins = next.is_ascii_digit() && may_begin(before);
        let after = text.get(at..).filter(|_| begins);
        let found = after.and_then(|after| reading(before, after, context, is_alone));
        let width = match found {
            Some((reading, width)) => {
                readings.push(reading);
                rest.push(MARK);
                width
            }
            None => {
                rest.push(next);
                next.len_utf8()
            }
        };
        at += width;
    }
    // A bare time is all that the text says, apart from its zone.
    let bare = |rest: &str| {
        let said = rest.trim_matches(|c: char| c == MARK || c.is_whitespace());
        ["", "am", "pm", "a.m.", "p.m.", "uhr", "utc", "gmt", "z"]
            .contains(&said.to_lowercase().as_str())
    };
    let is_clock = |reading: &Reading| matches!(reading, Reading::Clock { .. });
    if readings.is_empty() || (readings.iter().any(is_clock) && !context.now && !bare(&rest)) {
        return None;
    }
    Some(Read { rest, readings })
}

#[derive(Clone, Copy)]
struct Context {
    now: bool,
    made: bool,
}

/// Whether a word is in a text, not as a part of another Latin word.
fn holds_word(text: &str, word: &str) -> bool {
    text.match_indices(word).any(|(at, _)| {
        let before = text.get(..at).and_then(|head| head.chars().next_back());
        !before.is_some_and(|c| c.is_alphabetic() && word.is_ascii())
    })
}

/// Whether a number that follows this text stands by itself. After the `T` of a timestamp it does.
fn may_begin(before: &str) -> bool {
    let mut before = before.chars().rev();
    match before.next() {
        None => true,
        Some('T') => before.next().is_some_and(|c| c.is_ascii_digit()),
        Some(c) => {
            !(c.is_ascii_alphanumeric()
                || matches!(c, '.' | ',' | ':' | '/' | '-' | '$' | '€' | '£' | '¥' | '#'))
        }
    }
}

/// The reading at the beginning of a text that follows another one, and its bytes.
fn reading(before: &str, text: &str, context: Context, is_alone: bool) -> Option<(Reading, usize)> {
    ago(before, text)
        .or_else(|| {
            clock(text).filter(|(reading, _)| match reading {
                Reading::Clock { to_the_second: true, .. } => context.now || is_alone,
                _ => context.now,
            })
        })
        .or_else(|| took(text).filter(|_| context.made))
}

/// Takes digits off the front of a text.
fn number(text: &str) -> Option<(i64, &str)> {
    let end = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    let (digits, rest) = text.split_at(end);
    (digits.len() <= 6).then(|| digits.parse().ok()).flatten().map(|number| (number, rest))
}

/// `12:03:55`, `9:05`, `12时3分55秒`.
fn clock(text: &str) -> Option<(Reading, usize)> {
    let (hours, rest) = number(text)?;
    let rest = rest.strip_prefix([':', '时', '点', '時'])?;
    let (minutes, after_minutes) = number(rest)?;
    let in_hanzi = after_minutes.strip_prefix('分');
    let seconds = match in_hanzi {
        Some(rest) => {
            number(rest).and_then(|(seconds, rest)| Some((seconds, rest.strip_prefix('秒')?)))
        }
        None => after_minutes.strip_prefix(':').and_then(number),
    };
    let (seconds, to_the_second, rest) = match seconds {
        Some((seconds, rest)) => (seconds, true, rest),
        None => (0, false, in_hanzi.unwrap_or(after_minutes)),
    };
    // `12:03:55.123`
    let rest = match rest.strip_prefix('.').and_then(number) {
        Some((_, rest)) => rest,
        None => rest,
    };
    let ends = !rest.starts_with(|c: char| c.is_ascii_digit() || c == ':');
    let is_time = hours < 24 && minutes < 60 && seconds < 60;
    let reading = Reading::Clock { seconds: hours * 3600 + minutes * 60 + seconds, to_the_second };
    (ends && is_time).then_some((reading, text.len() - rest.len()))
}

/// Units of time, as the beginning of a word, with their seconds; and what says "ago" after them.
const UNITS: [(&str, i64); 26] = [
    ("second", 1),
    ("sec", 1),
    ("sekunde", 1),
    ("segundo", 1),
    ("secondi", 1),
    ("秒", 1),
    ("секунд", 1),
    ("minute", 60),
    ("minuto", 60),
    ("minuti", 60),
    ("min", 60),
    ("分钟", 60),
    ("分鐘", 60),
    ("分", 60),
    ("분", 60),
    ("минут", 60),
    ("hour", 3600),
    ("stunde", 3600),
    ("heure", 3600),
    ("hora", 3600),
    ("小时", 3600),
    ("小時", 3600),
    ("時間", 3600),
    ("day", 86_400),
    ("tag", 86_400),
    ("天", 86_400),
];
const AGO_AFTER: [&str; 7] = ["ago", "前", "назад", "fa", "geleden", "전", "之前"];

/// What says it before the number.
const AGO_BEFORE: [&str; 6] = ["vor ", "il y a ", "hace ", "há ", "vor etwa ", "för "];

/// `3 minutes ago`, `3分钟前`, `vor 3 Minuten`.
fn ago(before: &str, text: &str) -> Option<(Reading, usize)> {
    let (number, rest) = number(text)?;
    let rest = rest.strip_prefix(' ').unwrap_or(rest);
    let (unit, seconds) = UNITS.iter().find(|(unit, _)| starts_with(rest, unit))?;
    let rest = rest.get(unit.len()..)?;
    // The ending of the unit, if it is a Latin or Cyrillic word.
    let unit_end = rest.trim_start_matches(|c: char| c.is_alphabetic() && c < '\u{3000}');
    let rest = unit_end.strip_prefix(' ').unwrap_or(unit_end);
    let after = AGO_AFTER.iter().find(|word| starts_with(rest, word));
    let said_before = || {
        let before = before.to_lowercase();
        AGO_BEFORE.iter().any(|word| before.ends_with(word))
    };
    let rest = match after {
        Some(word) => rest.get(word.len()..)?,
        None if said_before() => unit_end,
        None => return None,
    };
    let ends = !rest.starts_with(|c: char| c.is_alphanumeric() && c < '\u{3000}');
    ends.then_some((Reading::Ago { number, unit: *seconds }, text.len() - rest.len()))
}

fn starts_with(text: &str, word: &str) -> bool {
    text.get(..word.len()).is_some_and(|head| head.eq_ignore_ascii_case(word))
}

/// `0.013 s`, `1.25 seconds`, `0.0131秒`, `13 ms`.
fn took(text: &str) -> Option<(Reading, usize)> {
    let (_, rest) = number(text)?;
    let (rest, is_fraction) = match rest.strip_prefix(['.', ',']).and_then(number) {
        Some((_, rest)) => (rest, true),
        None => (rest, false),
    };
    let unit = rest.strip_prefix(' ').unwrap_or(rest);
    let is_unit =
        ["s", "sec", "secs", "second", "seconds", "sekunden", "secondes", "segundos", "秒"]
            .iter()
            .any(|word| is_word(unit, word) && is_fraction)
            || ["ms", "毫秒"].iter().any(|word| is_word(unit, word));
    is_unit.then_some((Reading::Took, text.len() - rest.len()))
}

/// Whether a text begins with a whole word.
fn is_word(text: &str, word: &str) -> bool {
    starts_with(text, word)
        && !text
            .get(word.len()..)
            .is_some_and(|rest| rest.starts_with(char::is_alphanumeric) && word.is_ascii())
}

/// How long after the first look the second was, in seconds: the least and the most that a pair of
/// readings allows. None if no time that passes makes one of the other; all times, if it says
/// nothing about it.
pub(super) fn passed(first: Reading, second: Reading) -> Option<(i64, i64)> {
    const DAY: i64 = 86_400;
    match (first, second) {
        (
            Reading::Clock { seconds: a, to_the_second },
            Reading::Clock { seconds: b, to_the_second: same },
        ) if to_the_second == same => {
            let slack = if to_the_second { 1 } else { 60 };
            // The short way round midnight.
            let passed = (b - a + DAY / 2).rem_euclid(DAY) - DAY / 2;
            Some((passed - slack, passed + slack))
        }
        (Reading::Ago { number: a, unit }, Reading::Ago { number: b, unit: same })
            if unit == same =>
        {
            Some(((b - a - 1) * unit + 1, (b - a + 1) * unit - 1))
        }
        (Reading::Took, Reading::Took) => Some((i64::MIN, i64::MAX)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rest(text: &str) -> Option<String> {
        read(text, true).map(|read| read.rest.replace(MARK, "_"))
    }

    #[test]
    fn clocks_are_read_in_several_languages() {
        for (text, expected) in [
            ("12:03:55", "_"),
            ("9:05:00 PM", "_ PM"),
            ("It is now 12:03", "It is now _"),
            ("Served at 2009-05-01T08:30:05Z", "Served at 2009-05-01T_Z"),
            (
                "All times are GMT. The time now is 10:27 AM.",
                "All times are GMT. The time now is _ AM.",
            ),
            ("Aktuelle Uhrzeit: 12:03 Uhr", "Aktuelle Uhrzeit: _ Uhr"),
            ("当前时间:2026-11-15 12:03:55", "当前时间:2026-11-15 _"),
            ("现在是 12时3分55秒", "现在是 _"),
            ("3 minutes ago", "_"),
            ("by Ann, 1 hour ago in News", "by Ann, _ in News"),
            ("发表于 3分钟前", "发表于 _"),
            ("5 минут назад", "_"),
            ("vor 3 Minuten", "vor _"),
            ("il y a 2 heures", "il y a _"),
            ("Generated in 0.013 s with 9 queries", "Generated in _ s with 9 queries"),
            ("耗时 0.0131秒", "耗时 _秒"),
        ] {
            assert_eq!(rest(text).as_deref(), Some(expected), "{text}");
        }
    }

    #[test]
    fn numbers_dates_and_prices_are_not_read() {
        for text in [
            "3",
            "Page 3 of 7",
            "第 3 页",
            "12,345 views",
            "$12.03",
            "12.03 s",
            "0.013 s",
            "2009-05-01",
            "1 May 2009",
            "5月1日",
            "2009年5月1日",
            "12:03",
            "Departure 12:03",
            "Posted 12:03:55",
            "发表于 12:03:55",
            "Train 12:03:55 to Bonn",
            "1:2:3:4",
            "25:00:00",
            "3 minutes",
            "3 comments",
            "3 days left",
            "3 ago",
            "v1.2.3",
            "10:2",
            "Score 3:2",
            "Lasted 0.25 seconds",
            "€ 5 now only",
            "Now 3 for 2",
        ] {
            assert_eq!(rest(text), None, "{text}");
        }
        assert_eq!(read("12:03:55", false), None, "in a row of a table it is a record");
    }

    #[test]
    fn readings_say_how_much_time_passed() {
        let clock = |seconds| Reading::Clock { seconds, to_the_second: true };
        assert_eq!(passed(clock(100), clock(130)), Some((29, 31)));
        assert_eq!(passed(clock(86_399), clock(1)), Some((1, 3)));
        let ago = |number, unit| Reading::Ago { number, unit };
        assert_eq!(passed(ago(3, 60), ago(4, 60)), Some((1, 119)));
        assert_eq!(passed(ago(3, 60), ago(3, 3600)), None);
        assert_eq!(passed(ago(3, 60), clock(3)), None);
    }
}
