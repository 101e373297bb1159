//! What a question asks for: the words that have to stand in an answer, and the time that it is about.

use std::ops::Range;

use jiff::civil::Date;
use jiff::tz::TimeZone;
use page::words::{is_dense, is_stop, segment};
use record::Precision;
use record::date::{Order, find};
use store::Millis;

use crate::unit::{term_of, units};

/// Words of questions that stand in no answer: about the asking, the saying and the page, not about the
/// thing. Function words are known anyway.
const ASKING: &[&str] = &[
    "say",
    "said",
    "says",
    "saying",
    "tell",
    "told",
    "write",
    "wrote",
    "written",
    "writes",
    "post",
    "posted",
    "mention",
    "mentioned",
    "happen",
    "happened",
    "happens",
    "know",
    "known",
    "page",
    "site",
    "website",
    "describe",
    "described",
    "report",
    "reported",
    "according",
    "text",
    "content",
    "day",
    "回答",
    "提到",
    "写",
    "写道",
    "写了",
    "说过",
    "说了",
    "讲",
    "讲了",
    "发表",
    "发布",
    "内容",
    "网页",
    "页面",
    "网站",
    "知道",
    "发生",
    "发生了",
    "哪些",
    "哪里",
    "哪个",
    "何时",
    "什么样",
    "有关",
    "关于",
    "当天",
    "那天",
];
/// Words that count.
const MOST_WORDS: usize = 24;
/// Dates that are looked for in one question.
const MOST_DATES: usize = 2;

/// A span of time, its end included.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Span {
    pub(crate) from: Millis,
    pub(crate) to: Millis,
}

/// A question, taken apart.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Asked {
    /// What has to stand in an answer, as it was typed.
    pub(crate) words: Vec<String>,
    /// When, if it says so.
    pub(crate) when: Option<Span>,
    /// Whether a number or a date is asked for.
    pub(crate) wants_number: bool,
}

impl Asked {
    pub(crate) fn of(question: &str) -> Self {
        let (rest, when) = take_dates(question);
        Self { words: words_of(&rest), when, wants_number: wants_number(question) }
    }
}

/// The words of a text that say something, once each.
fn words_of(text: &str) -> Vec<String> {
    let (mut seen, mut words) = (Vec::new(), Vec::new());
    for word in said(text) {
        let lower = word.to_lowercase();
        let bare = lower.strip_suffix("'s").or(lower.strip_suffix("’s")).unwrap_or(&lower);
        let term = term_of(bare);
        if term.is_empty() || is_stop(bare) || ASKING.contains(&bare) || seen.contains(&term) {
            continue;
        }
        seen.push(term);
        words.push(bare.to_owned());
        if words.len() == MOST_WORDS {
            break;
        }
    }
    words
}

/// The words of a text. Of a run without spaces those of the dictionary, and what stands together between
/// them: a name that no dictionary has.
fn said(text: &str) -> Vec<&str> {
    let mut said = Vec::new();
    let mut name: Option<Range<usize>> = None;
    let take = |name: &mut Option<Range<usize>>, said: &mut Vec<_>| {
        let of_two = name.take().filter(|at| text[at.clone()].chars().nth(1).is_some());
        said.extend(of_two.map(|at| &text[at]));
    };
    for word in segment(text) {
        let is_one = word.text.starts_with(is_dense) && word.text.chars().nth(1).is_none();
        let says = !is_stop(word.text) && !ASKING.contains(&word.text);
        match &mut name {
            Some(name) if is_one && says && name.end == word.at.start => {
                name.end = word.at.end;
                continue;
            }
            name => take(name, &mut said),
        }
        match () {
            () if is_one && says => name = Some(word.at),
            () if is_one => {}
            () if word.text.starts_with(is_dense) => said.push(word.text),
            () => said.extend(units(word.text).map(|unit| unit.text)),
        }
    }
    take(&mut name, &mut said);
    said
}

fn wants_number(question: &str) -> bool {
    let lower = question.to_lowercase();
    let asks = [
        "when ",
        "how many",
        "how much",
        "what time",
        "多少",
        "几",
        "何时",
        "什么时候",
        "哪天",
        "哪年",
    ];
    asks.iter().any(|asks| lower.contains(asks))
}

/// The span that a question names, and the question without it.
fn take_dates(question: &str) -> (String, Option<Span>) {
    let mut rest = question.to_owned();
    let mut when: Option<Span> = None;
    for _ in 0..MOST_DATES {
        let Some((range, span)) = date_in(&rest, None) else { break };
        rest.replace_range(range, " ");
        when = Some(match when {
            None => span,
            // "Between … and …".
            Some(known) => Span { from: known.from.min(span.from), to: known.to.max(span.to) },
        });
    }
    (rest, when)
}

/// The first date of a text: where it is, and the span that it means. What is relative is so to the time of the
/// capture.
pub(crate) fn date_in(text: &str, captured: Option<Millis>) -> Option<(Range<usize>, Span)> {
    if captured.is_none() && !text.bytes().any(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let captured = captured.map(|captured| captured.0.div_euclid(1000));
    match find(text, &Order::default(), captured) {
        Some((range, moment)) => {
            let time = jiff::Timestamp::from_second(moment.unix).ok()?;
            let from = Millis(time.as_millisecond());
            let day = time.to_zoned(TimeZone::UTC).date();
            let to = match moment.precision {
                Precision::Year => end_of(day.last_of_year())?,
                Precision::Month => end_of(day.last_of_month())?,
                precision => Millis(from.0 + precision.seconds() * 1000 - 1),
            };
            Some((range, Span { from, to }))
        }
        None => year_in(text),
    }
}

fn end_of(day: Date) -> Option<Millis> {
    let next = day.tomorrow().ok()?.to_zoned(TimeZone::UTC).ok()?;
    Some(Millis(next.timestamp().as_millisecond() - 1))
}

/// A year by itself: "in 2024", "2024年".
fn year_in(text: &str) -> Option<(Range<usize>, Span)> {
    for (at, _) in text.match_indices(['1', '2']) {
        let Some(digits) = text.get(at..at + 4) else { continue };
        let is_digit = |c: char| c.is_ascii_digit();
        if !digits.chars().all(is_digit)
            || text[..at].ends_with(|c: char| c.is_alphanumeric())
            || text[at + 4..].starts_with(is_digit)
        {
            continue;
        }
        let before = text[..at].trim_end().to_lowercase();
        let is_said = text[at + 4..].starts_with('年')
            || ["in", "during", "of", "year", "since"].iter().any(|word| before.ends_with(word));
        let year: i16 = digits.parse().ok().filter(|year| (1980..2100).contains(year))?;
        if is_said {
            let end = at
                + 4
                + text[at + 4..].chars().next().filter(|c| *c == '年').map_or(0, char::len_utf8);
            let first = Date::new(year, 1, 1).ok()?;
            let from = first.to_zoned(TimeZone::UTC).ok()?.timestamp().as_millisecond();
            return Some((at..end, Span { from: Millis(from), to: end_of(first.last_of_year())? }));
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(question: &str) -> (Vec<String>, Option<String>) {
        let asked = Asked::of(question);
        let day = |time: Millis| time.to_string()[..10].to_owned();
        (asked.words, asked.when.map(|when| format!("{} {}", day(when.from), day(when.to))))
    }

    #[test]
    fn a_question_is_its_words_and_its_time() {
        let (words, when) =
            asked("What did Ann Miller say about the harbour fire on 3 March 2024?");
        assert_eq!(words, ["ann", "miller", "harbour", "fire"]);
        assert_eq!(when.as_deref(), Some("2024-03-03 2024-03-03"));
    }

    #[test]
    fn months_and_years_are_spans() {
        let span = |question: &str| asked(question).1.unwrap();
        assert_eq!(span("What happened in March 2024?"), "2024-03-01 2024-03-31");
        assert_eq!(span("Who won in 2023?"), "2023-01-01 2023-12-31");
        assert_eq!(span("2023年谁赢了？"), "2023-01-01 2023-12-31");
        assert_eq!(asked("Is room 2023 open?").1, None, "a number is no year by itself");
    }

    #[test]
    fn names_that_no_dictionary_has_are_words_and_what_only_asks_is_none() {
        let (words, _) = asked("徐秀英在“免费午餐”里写了什么？");
        for named in ["秀英", "午餐"] {
            assert!(words.iter().any(|word| word.contains(named)), "{words:?}");
        }
        assert!(!words.iter().any(|word| word.contains('写') || word.contains('里')), "{words:?}");
        assert_eq!(asked("What did passer-by write?").0, ["passer"]);
    }

    #[test]
    fn a_chinese_question_is_cut_into_words() {
        let (words, when) = asked("王芳在2024年3月5日关于港口说了什么？");
        assert!(words.contains(&"港口".to_owned()), "{words:?}");
        assert!(!words.iter().any(|word| word == "什么" || word == "关于"), "{words:?}");
        assert_eq!(when.as_deref(), Some("2024-03-05 2024-03-05"));
    }
}
