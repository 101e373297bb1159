//! The word lists of `words.txt`, and what of a text is in them.

use std::collections::{HashMap, HashSet};
use std::sync::LazyLock;

use crate::state::safety::{is_dense, label_words, words};

const LISTS: &str = include_str!("words.txt");

/// Every list, read once.
pub(super) static LEXICON: LazyLock<Lexicon> = LazyLock::new(|| Lexicon::read(LISTS));

/// Words, phrases, and pieces of text of scripts without spaces.
#[derive(Debug, Default)]
pub(super) struct WordList {
    single: HashSet<&'static str>,
    phrases: HashMap<&'static str, Vec<Vec<&'static str>>>,
    dense: Vec<&'static str>,
}

#[derive(Debug, Default)]
pub(super) struct Lexicon {
    pub(super) search: WordList,
    pub(super) write: WordList,
    pub(super) mail: WordList,
    pub(super) person: WordList,
    pub(super) secret: WordList,
    pub(super) neutral: WordList,
    pub(super) order: WordList,
    pub(super) kind: WordList,
    pub(super) act: WordList,
    pub(super) step: WordList,
}

impl Lexicon {
    fn read(lists: &'static str) -> Self {
        let mut lexicon = Self::default();
        for line in lists.lines().filter(|line| !line.starts_with('#')) {
            let Some((head, list)) = line.split_once(": ") else { continue };
            let class = head.split(' ').next().unwrap_or_default();
            if let Some(known) = lexicon.class(class) {
                list.split_whitespace().for_each(|word| known.add(word));
            }
        }
        lexicon
    }

    fn class(&mut self, name: &str) -> Option<&mut WordList> {
        Some(match name {
            "search" => &mut self.search,
            "write" => &mut self.write,
            "mail" => &mut self.mail,
            "person" => &mut self.person,
            "secret" => &mut self.secret,
            "neutral" => &mut self.neutral,
            "order" => &mut self.order,
            "kind" => &mut self.kind,
            "act" => &mut self.act,
            "step" => &mut self.step,
            _ => return None,
        })
    }
}

impl WordList {
    fn add(&mut self, word: &'static str) {
        if word.contains('+') {
            let phrase: Vec<_> = word.split('+').collect();
            self.phrases.entry(phrase[0]).or_default().push(phrase);
        } else if word.chars().any(is_dense) {
            self.dense.push(word);
        } else {
            self.single.insert(word);
        }
    }

    pub(super) fn has(&self, word: &str) -> bool {
        self.single.contains(word)
    }

    /// The first word of a label that is in the list, or a phrase of it.
    pub(super) fn in_label(&self, text: &str) -> Option<String> {
        self.among(&label_words(text)).or_else(|| self.in_dense(text))
    }

    /// The first word of a name for programmers that is in the list: `searchForm`, `frm-search`.
    pub(super) fn in_name(&self, name: &str) -> Option<String> {
        self.among(&words(name)).or_else(|| self.in_dense(name))
    }

    fn among(&self, words: &[String]) -> Option<String> {
        (0..words.len()).find_map(|at| {
            let rest = words.get(at..)?;
            let first = rest.first()?;
            if self.single.contains(first.as_str()) {
                return Some(first.clone());
            }
            let starts = |phrase: &&Vec<&'static str>| {
                phrase.len() <= rest.len() && phrase.iter().zip(rest).all(|(a, b)| a == b)
            };
            let phrase = self.phrases.get(first.as_str())?.iter().find(starts)?;
            Some(phrase.join(" "))
        })
    }

    fn in_dense(&self, text: &str) -> Option<String> {
        if !text.chars().any(is_dense) {
            return None;
        }
        self.dense.iter().find(|word| text.contains(**word)).map(|word| (*word).to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_of_the_lists_is_understood() {
        let mut lexicon = Lexicon::default();
        for line in LISTS.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
            let (head, list) = line.split_once(": ").expect(line);
            let (class, language) = head.split_once(' ').expect(line);
            assert!(lexicon.class(class).is_some() && language.len() == 2, "{line}");
            assert!(list.split_whitespace().all(|word| word == word.to_lowercase()), "{line}");
        }
    }

    #[test]
    fn no_word_searches_and_writes_at_once() {
        for word in &LEXICON.search.single {
            assert!(!LEXICON.write.single.contains(word), "{word}");
        }
    }

    #[test]
    fn words_are_found_in_labels_names_and_scripts_without_spaces() {
        assert_eq!(LEXICON.search.in_name("frmQuickSearch").as_deref(), Some("search"));
        assert_eq!(LEXICON.search.in_label("站内搜索").as_deref(), Some("搜索"));
        assert_eq!(LEXICON.write.in_label("Please log in").as_deref(), Some("log in"));
        assert_eq!(LEXICON.write.in_label("Research"), None);
    }
}
