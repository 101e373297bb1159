//! What words mean in dates, in all languages at once.

use std::collections::HashMap;
use std::hash::BuildHasherDefault;
use std::sync::LazyLock;

use super::fold::fold_word;
use super::span::Unit;
use page::tree::names::Fnv;

/// What a word may mean in a date.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Meaning {
    Month(u8),
    /// Of the Solar Hijri calendar.
    Solar(u8),
    /// A common word that is the name of a month, too.
    Wary,
    /// From 1, Monday.
    Weekday(u8),
    Unit(Unit),
    /// A unit that tells a time without a word for "ago".
    Brief(Unit),
    Number(u32),
    Ago,
    Now,
    /// So many days before the capture.
    Day(u8),
    /// The same, but only with a time of day.
    Hushed(u8),
    Am,
    Pm,
    Noon,
    Midnight,
    Last,
    /// "last week" in one word.
    Past(Unit),
    Few,
    Half,
    About,
    At,
    Nth,
    /// Stands after the number of a year, a month, a day, an hour, a minute or a second.
    After(Part),
    /// Stands before the number of a month.
    MonthThe,
    /// Minutes east of Greenwich.
    Zone(i16),
}

/// A part of a date that a word after a number names.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Part {
    Year,
    Month,
    Day,
    Hour,
    Minute,
    Second,
}

/// What is known of a word: what it means alone, and the phrases that it begins.
#[derive(Default, Debug)]
pub(super) struct Entry {
    pub(super) alone: Vec<Meaning>,
    /// The words after the first, and what all mean together; longest first.
    pub(super) phrases: Vec<(Vec<String>, Vec<Meaning>)>,
}

/// All words, folded.
pub(super) struct Lexicon {
    words: HashMap<String, Entry, BuildHasherDefault<Fnv>>,
    /// The most characters that a word of a script without spaces has.
    longest: usize,
}

/// Names of zones that are not told apart from words by anything but their capitals.
const ZONES: &[(&str, i16)] = &[
    ("utc", 0),
    ("gmt", 0),
    ("z", 0),
    ("wet", 0),
    ("west", 60),
    ("bst", 60),
    ("cet", 60),
    ("mez", 60),
    ("cest", 120),
    ("mesz", 120),
    ("eet", 120),
    ("eest", 180),
    ("msk", 180),
    ("ist", 330),
    ("hkt", 480),
    ("sgt", 480),
    ("awst", 480),
    ("jst", 540),
    ("kst", 540),
    ("aest", 600),
    ("aedt", 660),
    ("nzst", 720),
    ("nzdt", 780),
    ("brt", -180),
    ("art", -180),
    ("ast", -240),
    ("edt", -240),
    ("est", -300),
    ("cdt", -300),
    ("cst", -360),
    ("mdt", -360),
    ("mst", -420),
    ("pdt", -420),
    ("pst", -480),
    ("akst", -540),
    ("hst", -600),
];

static LEXICON: LazyLock<Lexicon> = LazyLock::new(|| Lexicon::parse(include_str!("words.txt")));

impl Lexicon {
    /// The words of all languages.
    pub(super) fn get() -> &'static Lexicon {
        &LEXICON
    }

    /// What is known of a folded word.
    pub(super) fn entry(&self, word: &str) -> Option<&Entry> {
        self.words.get(word)
    }

    /// The most characters that a word of a script without spaces has.
    pub(super) fn longest(&self) -> usize {
        self.longest
    }

    fn parse(text: &str) -> Lexicon {
        let mut lexicon = Lexicon { words: HashMap::default(), longest: 1 };
        for line in text.lines() {
            if let Some((key, values)) = line.split_once(':').filter(|_| !line.starts_with('#')) {
                for (at, value) in values.split('|').enumerate() {
                    if let Some(meaning) = meaning(key, at) {
                        for word in value.split_whitespace() {
                            lexicon.add(word, meaning);
                        }
                    }
                }
            }
        }
        for (name, minutes) in ZONES {
            lexicon.add(name, Meaning::Zone(*minutes));
        }
        for entry in lexicon.words.values_mut() {
            entry.phrases.sort_by_key(|(rest, _)| std::cmp::Reverse(rest.len()));
        }
        lexicon
    }

    fn add(&mut self, word: &str, meaning: Meaning) {
        let mut parts = word.split('_').map(fold_word);
        let Some(first) = parts.next() else { return };
        if first.chars().next().is_some_and(super::token::is_dense) {
            self.longest = self.longest.max(first.chars().count());
        }
        let rest: Vec<String> = parts.collect();
        let entry = self.words.entry(first).or_default();
        let meanings = if rest.is_empty() {
            &mut entry.alone
        } else {
            let at = entry.phrases.iter().position(|(words, _)| *words == rest);
            let at = at.unwrap_or_else(|| {
                entry.phrases.push((rest, Vec::new()));
                entry.phrases.len() - 1
            });
            &mut entry.phrases[at].1
        };
        if !meanings.contains(&meaning) {
            meanings.push(meaning);
        }
    }
}

/// What the words of a line mean that stand at a place of it.
fn meaning(key: &str, at: usize) -> Option<Meaning> {
    let nth = u8::try_from(at + 1).ok()?;
    Some(match key {
        "months" => Meaning::Month(nth),
        "solar" => Meaning::Solar(nth),
        "weekdays" => Meaning::Weekday(nth),
        "units" => Meaning::Unit(*Unit::ALL.get(at)?),
        "brief" => Meaning::Brief(*Unit::ALL.get(at)?),
        "past" => Meaning::Past(*Unit::ALL.get(at)?),
        "numbers" => Meaning::Number(u32::from(nth)),
        "ago" => Meaning::Ago,
        "now" => Meaning::Now,
        "today" => Meaning::Day(0),
        "yesterday" => Meaning::Day(1),
        "earlier" => Meaning::Day(2),
        "hushed" => Meaning::Hushed(1),
        "am" => Meaning::Am,
        "pm" => Meaning::Pm,
        "noon" => Meaning::Noon,
        "midnight" => Meaning::Midnight,
        "last" => Meaning::Last,
        "few" => Meaning::Few,
        "half" => Meaning::Half,
        "about" => Meaning::About,
        "at" => Meaning::At,
        "nth" => Meaning::Nth,
        "wary" => Meaning::Wary,
        "year" => Meaning::After(Part::Year),
        "month" => Meaning::After(Part::Month),
        "day" => Meaning::After(Part::Day),
        "hour" => Meaning::After(Part::Hour),
        "minute" => Meaning::After(Part::Minute),
        "second" => Meaning::After(Part::Second),
        "monththe" => Meaning::MonthThe,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_of_the_table_is_understood_and_has_as_many_values_as_it_should() {
        for line in include_str!("words.txt").lines() {
            let line = line.trim();
            if line.is_empty() || line.starts_with('#') || line.starts_with('[') {
                continue;
            }
            let (key, values) = line.split_once(':').expect("a key and its values");
            let count = values.split('|').count();
            let expected = match key {
                "months" | "solar" => 12,
                "weekdays" | "units" | "brief" | "past" => 7,
                "numbers" => count,
                _ => 1,
            };
            assert_eq!(count, expected, "{line}");
            assert!(meaning(key, 0).is_some(), "{line}");
        }
    }

    #[test]
    fn no_word_names_two_months() {
        for (word, entry) in &Lexicon::get().words {
            let months = entry.alone.iter().filter(|meaning| matches!(meaning, Meaning::Month(_)));
            assert!(months.count() < 2, "{word}: {:?}", entry.alone);
        }
    }
}
