//! The word lists of `words.txt`, and how text is cut into words.

use std::collections::{HashMap, HashSet};
use std::sync::LazyLock;

const LISTS: &str = include_str!("words.txt");

/// Every list, read once.
pub(super) static LEXICON: LazyLock<Lexicon> = LazyLock::new(|| Lexicon::read(LISTS));

/// Words and phrases of one class.
#[derive(Debug, Default)]
pub(super) struct Words {
    single: HashSet<&'static str>,
    /// By their first words.
    phrases: HashMap<&'static str, Vec<Vec<&'static str>>>,
}

impl Words {
    pub(super) fn has(&self, word: &str) -> bool {
        self.single.contains(word)
    }

    /// The phrase that begins at the start of `words`.
    pub(super) fn phrase_at(&self, words: &[String]) -> Option<&[&'static str]> {
        let starts = |phrase: &&Vec<&'static str>| {
            phrase.len() <= words.len() && phrase.iter().zip(words).all(|(a, b)| a == b)
        };
        let phrases = self.phrases.get(words.first()?.as_str())?;
        phrases.iter().find(starts).map(Vec::as_slice)
    }
}

#[derive(Debug, Default)]
pub(super) struct Lexicon {
    pub(super) strong: Words,
    pub(super) weak: Words,
    pub(super) noun: Words,
    pub(super) foreign: Words,
    pub(super) read: Words,
    pub(super) script: Vec<&'static str>,
    pub(super) exact: Vec<&'static str>,
    pub(super) maybe: Vec<&'static str>,
    pub(super) glyph: Vec<&'static str>,
    pub(super) filler: Words,
    pub(super) ui: Words,
    pub(super) object: Words,
    pub(super) api: Words,
    pub(super) key: Words,
    pub(super) evidence: Words,
    pub(super) collection: Words,
    pub(super) paging: Words,
    pub(super) content: Words,
    pub(super) about: Words,
}

impl Lexicon {
    fn read(lists: &'static str) -> Self {
        let mut lexicon = Self::default();
        for line in lists.lines().filter(|line| !line.starts_with('#')) {
            let Some((head, list)) = line.split_once(':') else {
                continue;
            };
            let class = head.split(' ').next().unwrap_or_default();
            let words = list.split_whitespace();
            match class {
                "script" => lexicon.script.extend(words),
                "exact" => lexicon.exact.extend(words),
                "maybe" => lexicon.maybe.extend(words),
                "glyph" => lexicon.glyph.extend(words),
                _ => {
                    if let Some(known) = lexicon.class(class) {
                        known.add(words);
                    }
                }
            }
        }
        lexicon
    }

    fn class(&mut self, name: &str) -> Option<&mut Words> {
        Some(match name {
            "strong" => &mut self.strong,
            "weak" => &mut self.weak,
            "noun" => &mut self.noun,
            "foreign" => &mut self.foreign,
            "read" => &mut self.read,
            "filler" => &mut self.filler,
            "ui" => &mut self.ui,
            "object" => &mut self.object,
            "api" => &mut self.api,
            "key" => &mut self.key,
            "evidence" => &mut self.evidence,
            "collection" => &mut self.collection,
            "paging" => &mut self.paging,
            "content" => &mut self.content,
            "about" => &mut self.about,
            _ => return None,
        })
    }
}

impl Words {
    fn add(&mut self, words: impl Iterator<Item = &'static str>) {
        for word in words {
            if word.contains('+') {
                let phrase: Vec<_> = word.split('+').collect();
                self.phrases.entry(phrase[0]).or_default().push(phrase);
            } else {
                self.single.insert(word);
            }
        }
    }
}

/// Cuts a label into lower-case words, at anything that is no letter. `TrashZone` is one word: people
/// are called so.
pub(crate) fn label_words(text: &str) -> Vec<String> {
    text.split(|c: char| !c.is_alphabetic())
        .filter(|word| !word.is_empty())
        .map(str::to_lowercase)
        .collect()
}

/// Cuts an identifier into lower-case words: at anything that is no letter, between letters and
/// digits, and where the case says so (`addToCart`, `HTMLParser`). Digits are dropped.
pub(crate) fn words(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut word = String::new();
    let mut chars = text.chars().peekable();
    let mut before = ' ';
    while let Some(c) = chars.next() {
        let begins = before.is_lowercase() && c.is_uppercase()
            || before.is_uppercase()
                && c.is_uppercase()
                && chars.peek().is_some_and(|next| next.is_lowercase());
        if (begins || !c.is_alphabetic()) && !word.is_empty() {
            found.push(std::mem::take(&mut word));
        }
        if c.is_alphabetic() {
            word.extend(c.to_lowercase());
        }
        before = c;
    }
    if !word.is_empty() {
        found.push(word);
    }
    found
}

/// Is this a letter of a script that is written without spaces (or, in Korean, with endings that
/// stick to the word)?
pub(crate) fn is_dense(c: char) -> bool {
    matches!(c, '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}' | '\u{ac00}'..='\u{d7a3}' | '\u{f900}'..='\u{faff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_of_the_lists_is_understood() {
        let classes = [
            "strong",
            "weak",
            "noun",
            "foreign",
            "read",
            "filler",
            "ui",
            "object",
            "api",
            "key",
            "evidence",
            "collection",
            "paging",
            "content",
            "script",
            "exact",
            "maybe",
            "glyph",
            "about",
        ];
        let mut seen = HashSet::new();
        for line in LISTS.lines() {
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            let (head, list) = line.split_once(": ").expect(line);
            let (class, language) = head.split_once(' ').expect(line);
            assert!(classes.contains(&class) && language.len() == 2, "{line}");
            assert!(list.split_whitespace().all(|word| word == word.to_lowercase()), "{line}");
            seen.insert(class);
        }
        assert_eq!(seen.len(), classes.len());
    }

    #[test]
    fn no_word_orders_and_reads_at_once() {
        let lexicon = &LEXICON;
        for word in &lexicon.read.single {
            assert!(!lexicon.strong.has(word) && !lexicon.weak.has(word), "{word}");
            assert!(!lexicon.foreign.has(word), "{word}");
        }
    }

    #[test]
    fn words_are_cut_where_letters_case_or_digits_say_so() {
        for (text, wanted) in [
            ("Add to cart", vec!["add", "to", "cart"]),
            ("addToCart", vec!["add", "to", "cart"]),
            ("btn-delete_item2", vec!["btn", "delete", "item"]),
            ("XMLHttpRequest", vec!["xml", "http", "request"]),
            ("POST", vec!["post"]),
            ("Löschen…", vec!["löschen"]),
            ("12 / 7", vec![]),
            ("j’aime", vec!["j", "aime"]),
        ] {
            assert_eq!(words(text), wanted, "{text}");
        }
    }
}
