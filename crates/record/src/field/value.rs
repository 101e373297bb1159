//! What a column says: its values over all records, and what they have in common.

use std::collections::{HashMap, HashSet};

use url::Url;

use super::cell::folded;
use super::column::{Column, Table};
use super::selector::{Part, Selector, strip, unmarked};

/// Words that introduce a name, in the larger languages of the Web: enough to know where a page has
/// too few records to show what they have in common.
const BY: [&str; 16] = [
    "by",
    "von",
    "par",
    "por",
    "da",
    "di",
    "door",
    "av",
    "af",
    "от",
    "autor",
    "author",
    "作者",
    "投稿者",
    "posted by",
    "started by",
];
/// Whether a text introduces a name: "by", "von".
pub(super) fn introduces_a_name(text: &str) -> bool {
    let word = text.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase();
    BY.contains(&word.as_str())
}

/// Values that must differ before what they have in common is taken for no part of them.
const ENOUGH: usize = 3;

/// The values of a column, one for each row.
#[derive(Clone)]
pub(super) struct Values {
    pub(super) selector: Selector,
    /// Without what all of them begin and end with.
    pub(super) texts: Vec<Option<String>>,
    /// Where the nodes link to.
    pub(super) links: Vec<Option<Url>>,
    /// Rows that have a value.
    pub(super) filled: usize,
    /// Different values.
    pub(super) distinct: usize,
    /// How many rows say what most rows say.
    pub(super) commonest: usize,
    /// Rows whose value another row has as well.
    pub(super) repeated: usize,
    /// Characters of a value on the mean, and in the longest.
    pub(super) length: f64,
    pub(super) longest: usize,
    /// Values that are a number and little else.
    pub(super) numbers: usize,
    /// Values with no more digits than letters.
    pub(super) letters: usize,
}

impl Values {
    /// The values of a part of a column, without what all begin and end with. A text that is too long is
    /// none.
    pub(super) fn of(table: &Table<'_>, column: &Column, part: Part) -> Self {
        Values::read(table, column, part, affixes)
    }

    /// The same, with nothing taken off.
    pub(super) fn whole(table: &Table<'_>, column: &Column) -> Self {
        Values::read(table, column, Part::Text, |_| Default::default())
    }

    fn read(
        table: &Table<'_>,
        column: &Column,
        part: Part,
        affixes: impl Fn(&[Option<String>]) -> (String, String),
    ) -> Self {
        let mut whole: Vec<Option<String>> = vec![None; table.rows.len()];
        let mut links = vec![None; table.rows.len()];
        for (row, _, cell) in table.cells_of(column) {
            let text = match &part {
                Part::Attribute(name) => cell.node.attribute(name).map(folded),
                _ => match column.cut {
                    None => cell.value().map(str::to_owned),
                    Some(cut) => {
                        let text = cell.value().and_then(|t| cut.of(t, table.dates(row, cell)));
                        text.map(str::to_owned)
                    }
                },
            };
            whole[row] = text.filter(|text| !text.is_empty());
            links[row] = table.link(row, cell);
        }
        let (before, after) = affixes(&whole);
        let stripped = |text: String| match column.cut {
            None => strip(&text, &before, &after).trim().to_owned(),
            Some(_) => unmarked(strip(&text, &before, &after)).unwrap_or_default(),
        };
        let texts: Vec<Option<String>> = whole
            .into_iter()
            .map(|text| text.map(stripped).filter(|text| !text.is_empty()))
            .collect();
        let selector =
            Selector::new(column.place.clone(), part).between(&before, &after).cut(column.cut);
        let mut counts: HashMap<&str, usize> = HashMap::new();
        let (mut characters, mut longest, mut numbers, mut letters) = (0, 0, 0, 0);
        for text in texts.iter().flatten() {
            *counts.entry(text).or_default() += 1;
            let length = text.chars().count();
            characters += length;
            longest = longest.max(length);
            numbers += usize::from(number_in(text).is_some());
            letters += usize::from(is_worded(text));
        }
        let filled: usize = counts.values().sum();
        Values {
            selector,
            links,
            filled,
            distinct: counts.len(),
            commonest: counts.values().copied().max().unwrap_or(0),
            repeated: counts.values().filter(|count| **count > 1).sum(),
            length: characters as f64 / filled.max(1) as f64,
            longest,
            numbers,
            letters,
            texts,
        }
    }

    pub(super) fn share(&self, of: usize) -> f64 {
        of as f64 / self.filled.max(1) as f64
    }

    /// How well text and address stand for each other: the share of rows whose text always comes with
    /// one address, and whose address always comes with one text. Rows without a link do not count.
    pub(super) fn one_to_one(&self) -> f64 {
        let pairs: Vec<(&str, &str)> = self
            .texts
            .iter()
            .zip(&self.links)
            .filter_map(|(text, link)| Some((text.as_deref()?, link.as_ref()?.as_str())))
            .collect();
        let mut of_text: HashMap<&str, HashSet<&str>> = HashMap::new();
        let mut of_link: HashMap<&str, HashSet<&str>> = HashMap::new();
        for (text, link) in &pairs {
            of_text.entry(text).or_default().insert(link);
            of_link.entry(link).or_default().insert(text);
        }
        let single =
            |pair: &&(&str, &str)| of_text[pair.0].len() == 1 && of_link[pair.1].len() == 1;
        pairs.iter().filter(single).count() as f64 / pairs.len().max(1) as f64
    }

    pub(super) fn linked(&self) -> usize {
        self.texts
            .iter()
            .zip(&self.links)
            .filter(|(text, link)| text.is_some() && link.is_some())
            .count()
    }

    /// Different addresses.
    pub(super) fn addresses(&self) -> usize {
        self.links.iter().flatten().map(Url::as_str).collect::<HashSet<_>>().len()
    }
}

/// What all texts begin with and end in, cut between words; nothing where too few of them differ.
fn affixes(texts: &[Option<String>]) -> (String, String) {
    let texts: HashSet<&str> = texts.iter().flatten().map(String::as_str).collect();
    let Some(first) = texts.iter().next().copied() else { return Default::default() };
    let (before, after) = match texts.len() {
        ..ENOUGH => (introduction(first), 0),
        _ => (common(&texts, first, false), common(&texts, first, true)),
    };
    let (mut before, mut after) = (before, after);
    if texts.iter().any(|text| !text.starts_with(&first[..before])) {
        before = 0;
    }
    if texts.iter().any(|text| text.len() <= before + after) {
        after = 0;
    }
    if texts.iter().any(|text| text.len() <= before) {
        before = 0;
    }
    (first[..before].to_owned(), first[first.len() - after..].to_owned())
}

/// Bytes of "by " and the like at the beginning, or of marks that part it from what is before.
fn introduction(text: &str) -> usize {
    let lower = text.to_lowercase();
    let is_end = |c: char| c.is_whitespace() || matches!(c, ':' | '：');
    let words = BY.iter().filter(|word| lower.len() == text.len() && lower.starts_with(**word));
    let ends = words.filter_map(|word| {
        let rest = text.get(word.len()..)?;
        let value = rest.trim_start_matches(is_end);
        (value.len() < rest.len() && !value.is_empty()).then_some(text.len() - value.len())
    });
    let is_mark = |c: char| is_end(c) || matches!(c, ',' | '·' | '|' | '–' | '—' | '»');
    let unmarked = text.trim_start_matches(is_mark);
    let marks = if unmarked.is_empty() { 0 } else { text.len() - unmarked.len() };
    ends.max().unwrap_or(marks)
}

/// Bytes that all texts begin (or end) with, up to the last (first) boundary of words in them.
fn common(texts: &HashSet<&str>, first: &str, at_end: bool) -> usize {
    let mut length = first.len();
    for text in texts {
        length = match at_end {
            false => {
                first.bytes().zip(text.bytes()).take(length).take_while(|(a, b)| a == b).count()
            }
            true => {
                let ends = first.bytes().rev().zip(text.bytes().rev());
                ends.take(length).take_while(|(a, b)| a == b).count()
            }
        };
    }
    let is_gap = |c: char| {
        c.is_whitespace() || matches!(c, ':' | '：' | '#' | '@' | '|' | '»' | '·' | ',' | '，')
    };
    match at_end {
        false => {
            let common = &first[..first.floor_char_boundary(length)];
            common
                .char_indices()
                .rev()
                .find(|(_, c)| is_gap(*c))
                .map_or(0, |(at, c)| at + c.len_utf8())
        }
        true => {
            let common = &first[first.ceil_char_boundary(first.len() - length)..];
            let gap = common.char_indices().find(|(_, c)| is_gap(*c));
            gap.map_or(0, |(at, _)| common.len() - at)
        }
    }
}

/// Whether a text has letters, and no more digits than those: "zh12", but not "19h46".
fn is_worded(text: &str) -> bool {
    let count = |is: fn(char) -> bool| text.chars().filter(|c| is(*c)).count();
    let letters = count(char::is_alphabetic);
    letters > 0 && letters >= count(|c| c.is_ascii_digit())
}

/// The number that a text is, with at most a few words beside it: "1,068", "3 replies", "#12", "4.2k".
pub(super) fn number_in(text: &str) -> Option<u64> {
    let mut digits = String::new();
    let (mut others, mut ended, mut point) = (0, false, false);
    let characters: Vec<char> = text.chars().take(48).collect();
    for (at, c) in characters.iter().enumerate() {
        let next = characters.get(at + 1).and_then(|next| next.to_digit(10));
        match c.to_digit(10).or_else(|| full_width(*c)) {
            Some(_) if ended => return None,
            Some(digit) if !point => digits.push(char::from_digit(digit, 10)?),
            Some(_) => {}
            None if digits.is_empty() => others += usize::from(c.is_alphabetic()),
            None if next.is_some() && is_group(&characters, at) => {}
            None if next.is_some() && matches!(c, '.' | ',') && !point => point = true,
            None => {
                ended = true;
                others += usize::from(c.is_alphabetic());
            }
        }
    }
    let number: u64 = digits.parse().ok()?;
    let unit = characters.iter().skip_while(|c| !c.is_ascii_digit()).find(|c| c.is_alphabetic());
    let scale = match unit {
        Some('k' | 'K') if others == 1 => 1_000,
        Some('m' | 'M') if others == 1 => 1_000_000,
        Some('万' | '萬') if others == 1 => 10_000,
        _ => 1,
    };
    let words = text.split(|c: char| !c.is_alphabetic()).filter(|word| !word.is_empty()).count();
    (others <= 16 && words <= 2).then(|| number.saturating_mul(scale))
}

pub(super) fn has_digit(text: &str) -> bool {
    text.chars().any(|c| c.is_ascii_digit() || full_width(c).is_some())
}

fn full_width(c: char) -> Option<u32> {
    ('０'..='９').contains(&c).then(|| c as u32 - '０' as u32)
}

/// Whether a character parts a number into groups of three digits.
fn is_group(characters: &[char], at: usize) -> bool {
    let is_mark =
        matches!(characters.get(at), Some(',' | '.' | '\'' | '’' | ' ' | '\u{a0}' | '\u{202f}'));
    let digits = characters.iter().skip(at + 1).take_while(|c| c.is_ascii_digit()).count();
    is_mark && digits == 3
}
