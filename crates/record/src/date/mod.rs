//! When something was, read from what pages say.
//!
//! Pages tell dates in every order and language, and relative to the moment they were made. A text is
//! taken to pieces (`token`: numbers, words and marks, all folded), what the pieces tell is read
//! (`grammar`, `clock`), and only then is it resolved (`resolve`) against the time of the capture and the
//! order of numbers that the site's dates voted for (`order`). Words are data: `words.txt`.
//!
//! Ordinary words and numbers are no dates: a month needs a day or a year, a span of time needs "ago", a
//! time of day needs a day.

pub(super) mod civil;
mod clock;
mod day;
mod element;
mod fold;
mod grammar;
mod order;
mod piece;
mod resolve;
mod span;
mod token;
mod words;

#[cfg(test)]
mod tests;

use std::ops::Range;

pub use element::of_element;
pub use order::{First, Order};

use super::Moment;
use grammar::{Grammar, Place, Told};
use resolve::resolve;
use token::{Kind, Token, tokens};
use words::Meaning;

/// The longest text that is a date and nothing else, in bytes.
const WHOLE: usize = 160;

/// The longest text that is a date without a single digit, in bytes.
const SPOKEN: usize = 64;

/// The most that may stand around a date which is the whole text: words before it, words after it,
/// and bytes of all.
const BEFORE: usize = 4;
const AFTER: usize = 3;
const AROUND: usize = 48;

/// When something was, if the text is a date. Few and small words around it do not matter ("Posted:",
/// "发表于", "#3"); other numbers do.
///
/// What is relative ("3 hours ago"), and what has no year, is known only with the time of the capture.
///
/// ```
/// use record::Precision;
/// use record::date::{Order, read};
///
/// let captured = Some(1_790_035_200); // 2026-09-22, midnight
/// let moment = read("昨天 20:22", &Order::default(), captured).unwrap();
/// assert_eq!(moment.to_rfc3339(), "2026-09-21T20:22:00Z");
/// assert_eq!(moment.precision, Precision::Minute);
///
/// assert_eq!(read("4/5 stars", &Order::default(), captured), None);
/// ```
pub fn read(text: &str, order: &Order, captured: Option<i64>) -> Option<Moment> {
    resolve(&whole(text)?, order, captured)
}

/// The first date within a longer text: where it is, and when.
///
/// ```
/// use record::date::{Order, find};
///
/// let text = "by Alice, 14. Juni 2020 um 10:30 Uhr, 3 replies";
/// let (range, moment) = find(text, &Order::default(), None).unwrap();
/// assert_eq!(&text[range], "14. Juni 2020 um 10:30 Uhr");
/// assert_eq!(moment.to_rfc3339(), "2020-06-14T10:30:00Z");
/// ```
pub fn find(text: &str, order: &Order, captured: Option<i64>) -> Option<(Range<usize>, Moment)> {
    find_in(&tokens(text), order, captured)
}

fn find_in(
    tokens: &[Token],
    order: &Order,
    captured: Option<i64>,
) -> Option<(Range<usize>, Moment)> {
    let mut from = 0;
    while let Some((told, at, end)) = first(tokens, from, Place::Running) {
        if let Some(moment) = resolve(&told, order, captured) {
            let range = tokens.get(at)?.start..tokens.get(end - 1)?.end;
            return Some((range, moment));
        }
        from = at + 1;
    }
    None
}

/// Whether a text tells a time, though it may take the time of the capture to know which.
///
/// ```
/// assert!(record::date::tells("vor 2 Stunden"));
/// assert!(!record::date::tells("May I?"));
/// ```
pub fn tells(text: &str) -> bool {
    whole(text).is_some_and(|told| !matches!(told, Told::Alone(_)))
}

/// What a text tells that is a date and nothing else.
fn whole(text: &str) -> Option<Told> {
    let text = text.trim();
    may_be_whole(text).then(|| whole_in(text, &tokens(text)))?
}

/// Whether a text may be a date and nothing else.
fn may_be_whole(text: &str) -> bool {
    let is_silent = |byte: u8| byte.is_ascii() && !byte.is_ascii_digit();
    (2..=WHOLE).contains(&text.len()) && (text.len() <= SPOKEN || !text.bytes().all(is_silent))
}

/// The same, of a text that was taken to pieces.
fn whole_in(text: &str, tokens: &[Token]) -> Option<Told> {
    if !may_be_whole(text) {
        return None;
    }
    let (told, at, end) = first(tokens, 0, Place::Whole)?;
    let (before, rest) = tokens.split_at_checked(at)?;
    let (date, after) = rest.split_at_checked(end - at)?;
    // A date of words only is a common word as soon as others follow it.
    let spoken = !date.iter().any(|token| matches!(token.kind, Kind::Number(_)));
    let bare = spoken && !matches!(told, Told::Ago(_));
    let most = if bare { (2, 0) } else { (BEFORE, AFTER) };
    let around = text.len() - (date.last()?.end - date.first()?.start);
    let fits = around <= AROUND && is_label(before, most.0) && is_label(after, most.1);
    fits.then_some(told)
}

/// What a text tells first, as a whole or within.
fn told_in(text: &str) -> Option<Told> {
    let text = text.trim();
    let tokens = tokens(text);
    let within = || first(&tokens, 0, Place::Running).map(|(told, ..)| told);
    whole_in(text, &tokens).or_else(within)
}

/// The first that is told from a token on: its first token, and the one after its last.
fn first(tokens: &[Token], from: usize, place: Place) -> Option<(Told, usize, usize)> {
    let grammar = Grammar { tokens };
    let mut at = from;
    while at < tokens.len() {
        if let Some((told, end)) = grammar.told(at, place) {
            return Some((told, at, end));
        }
        at += grammar.number(at).and_then(|_| grammar.lone_clock(at)).unwrap_or(1).max(1);
    }
    None
}

/// Whether what stands beside a date is a label of a few words: without numbers, but for that of a post.
fn is_label(tokens: &[Token], most: usize) -> bool {
    let mut words = 0;
    let mut numbered = false;
    for token in tokens {
        match token.kind {
            Kind::Mark('?' | '!' | '%' | '$' | '€' | '£' | '¥') => return false,
            Kind::Mark('#') => numbered = true,
            Kind::Mark(_) => {}
            Kind::Number(_) if numbered => numbered = false,
            Kind::Number(number) if number.digits == 0 => {}
            Kind::Number(_) => return false,
            Kind::Word(word) if word.meanings.contains(&Meaning::At) => {}
            // A script without spaces has a token a character.
            Kind::Word(word) if token.glued && word.letter.is_some_and(token::is_dense) => {}
            Kind::Word(_) => words += 1,
        }
    }
    words <= most
}
