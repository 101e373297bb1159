//! The part of a text that shows best why it was found.

use std::collections::BTreeSet;
use std::ops::Range;

use page::words::is_dense;
use serde::{Serialize, Serializer};

use crate::unit::{Unit, cut, phrase, term_of, units};

/// Characters of a snippet, about.
const LENGTH: usize = 240;
/// Bytes of a text that are looked at.
const LOOKED_AT: usize = 256 << 10;

/// A part of a text, with what was searched for.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Snippet {
    /// On one line, with … where something was left out.
    #[serde(rename = "snippet")]
    pub text: String,
    /// Bytes of it that are what was searched for.
    #[serde(serialize_with = "as_pairs")]
    pub marks: Vec<Range<usize>>,
}

pub(crate) fn as_pairs<S: Serializer>(
    marks: &[Range<usize>],
    serializer: S,
) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(marks.iter().map(|mark| [mark.start, mark.end]))
}

/// Finds what was searched for in a text.
#[derive(Clone, Debug, Default)]
pub(crate) struct Marker {
    terms: BTreeSet<String>,
    beginnings: BTreeSet<String>,
    /// Runs without spaces, as they stand.
    runs: BTreeSet<String>,
}

impl Marker {
    pub(crate) fn add(&mut self, text: &str, is_beginning: bool) {
        let mut run = String::new();
        for unit in units(text) {
            if unit.is_dense {
                run.push_str(unit.text);
                continue;
            }
            self.take(&mut run);
            match is_beginning {
                true => self.beginnings.insert(unit.text.to_lowercase()),
                false => self.terms.insert(term_of(unit.text)),
            };
        }
        self.take(&mut run);
    }

    fn take(&mut self, run: &mut String) {
        if !run.is_empty() {
            self.runs.insert(std::mem::take(run));
        }
    }

    /// Where it stands, in order.
    pub(crate) fn marks(&self, text: &str) -> Vec<Range<usize>> {
        let mut marks: Vec<Range<usize>> = Vec::new();
        for unit in units(text).filter(|unit| !unit.is_dense) {
            if self.is_word(&unit) {
                marks.push(unit.at);
            }
        }
        for run in &self.runs {
            marks.extend(text.match_indices(run.as_str()).map(|(at, run)| at..at + run.len()));
        }
        marks.sort_by_key(|mark| (mark.start, mark.end));
        // Words that overlap, or stand side by side without a space, are one.
        let mut merged: Vec<Range<usize>> = Vec::with_capacity(marks.len());
        for mark in marks {
            match merged.last_mut() {
                Some(last) if mark.start <= last.end => last.end = last.end.max(mark.end),
                _ => merged.push(mark),
            }
        }
        merged
    }

    fn is_word(&self, unit: &Unit<'_>) -> bool {
        if !self.terms.is_empty() && self.terms.contains(&term_of(unit.text)) {
            return true;
        }
        let begins = |beginning: &String| unit.text.to_lowercase().starts_with(beginning.as_str());
        self.beginnings.iter().any(begins)
    }

    /// The best part of a text.
    pub(crate) fn snippet(&self, text: &str) -> Snippet {
        let text = cut(text, LOOKED_AT);
        let marks = self.marks(text);
        let window = window(text, &marks, self);
        let mut snippet = Snippet::default();
        if window.start > 0 {
            snippet.text.push('…');
        }
        let inside = |mark: &&Range<usize>| mark.start >= window.start && mark.end <= window.end;
        let mut marks = marks.iter().filter(inside).peekable();
        let mut mark_begun = None;
        for (at, c) in text[window.clone()].char_indices() {
            let at = window.start + at;
            if marks.peek().is_some_and(|mark| mark.end <= at) {
                snippet.close(&mut mark_begun);
                marks.next();
            }
            if marks.peek().is_some_and(|mark| mark.start == at) {
                mark_begun = Some(snippet.text.len());
            }
            match c.is_whitespace() {
                true if snippet.text.ends_with(' ') => {}
                true => snippet.text.push(' '),
                false if c.is_control() => {}
                false => snippet.text.push(c),
            }
        }
        snippet.close(&mut mark_begun);
        if window.end < text.len() {
            snippet.text.push('…');
        }
        snippet
    }
}

impl Snippet {
    fn close(&mut self, begun: &mut Option<usize>) {
        if let Some(begun) = begun.take() {
            self.marks.push(begun..self.text.len());
        }
    }
}

/// The window with most different words that were searched for, and of those with as many the first.
fn window(text: &str, marks: &[Range<usize>], marker: &Marker) -> Range<usize> {
    let width = byte_width(text);
    if text.len() <= width {
        return 0..text.len();
    }
    let kinds: Vec<Vec<String>> = marks
        .iter()
        .map(|mark| phrase(&text[mark.clone()]).into_iter().map(|(_, term)| term).collect())
        .collect();
    let mut best = (0, 0..0);
    for (nth, first) in marks.iter().enumerate() {
        let inside = marks[nth..].iter().take_while(|mark| mark.end <= first.start + width * 3 / 4);
        let count = inside.count();
        let mut kinds: Vec<&String> = kinds[nth..nth + count].iter().flatten().collect();
        kinds.sort_unstable();
        kinds.dedup();
        if kinds.len() > best.0 {
            let last = marks.get(nth + count.max(1) - 1).map_or(first.end, |last| last.end);
            best = (kinds.len(), first.start..last);
        }
        if best.0 >= marker.terms.len() + marker.runs.len() + marker.beginnings.len() + 4 {
            break;
        }
    }
    let spare = width.saturating_sub(best.1.len());
    let from = best.1.start.saturating_sub(spare / 3);
    let from = if from == 0 { 0 } else { word_start(text, text.floor_char_boundary(from)) };
    let to = text.floor_char_boundary((from + width).max(best.1.end));
    from..if to >= text.len() { text.len() } else { word_end(text, to, best.1.end) }
}

/// Bytes that about so many characters take: a Chinese text is shown in half as many.
fn byte_width(text: &str) -> usize {
    let head = cut(text, 1024);
    let dense = head.chars().filter(|c| is_dense(*c)).count();
    let all = head.chars().count().max(1);
    let characters = LENGTH - LENGTH * dense / (2 * all);
    characters * head.len() / all
}

/// The beginning of the next word, unless that is far.
fn word_start(text: &str, from: usize) -> usize {
    let next = text[from..].char_indices().take(20).find(|(_, c)| c.is_whitespace());
    next.map_or(from, |(at, c)| from + at + c.len_utf8())
}

/// The end of the word before, unless that is far or before `least`.
fn word_end(text: &str, to: usize, least: usize) -> usize {
    let before = text[..to].char_indices().rev().take(20).find(|(_, c)| c.is_whitespace());
    before.map_or(to, |(at, _)| at).max(least)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn marker(words: &[&str]) -> Marker {
        let mut marker = Marker::default();
        words.iter().for_each(|word| marker.add(word, false));
        marker
    }

    fn marked(snippet: &Snippet) -> Vec<&str> {
        snippet.marks.iter().map(|mark| &snippet.text[mark.clone()]).collect()
    }

    #[test]
    fn a_snippet_shows_where_the_words_stand_together() {
        let filler = "Nothing of interest happens in this sentence at all. ".repeat(30);
        let text = format!("The harbour.\n{filler}A fire in the harbour at dawn.\n{filler}");
        let snippet = marker(&["harbours", "fires"]).snippet(&text);
        assert_eq!(marked(&snippet), ["fire", "harbour"]);
        assert!(snippet.text.starts_with('…') && snippet.text.ends_with('…'));
        assert!(snippet.text.chars().count() < 300 && !snippet.text.contains('\n'));
    }

    #[test]
    fn chinese_is_marked_as_it_stands() {
        let snippet = marker(&["布局"]).snippet("网页布局是网页的重要结构");
        assert_eq!(marked(&snippet), ["布局"]);
        assert_eq!(snippet.text, "网页布局是网页的重要结构");
    }

    #[test]
    fn a_text_without_any_of_the_words_is_shown_from_its_beginning() {
        let snippet = marker(&["absent"]).snippet(&"word ".repeat(200));
        assert!(snippet.marks.is_empty() && snippet.text.starts_with("word"));
    }

    proptest::proptest! {
        #[test]
        fn marks_never_part_a_character(text in "\\PC{0,400}", word in "\\PC{1,6}") {
            let snippet = marker(&[&word]).snippet(&text);
            for mark in &snippet.marks {
                let _ = &snippet.text[mark.clone()];
            }
        }
    }
}
