//! Cutting a text to a phrase that can be read (the paper's algorithm 2).

use crate::words::{Word, ends_sentence, is_stop, segment};
use std::collections::HashSet;

/// Bytes of a text that are looked at: far more than any phrase has.
const LOOKED_AT: usize = 2000;

/// Characters of a phrase at most, for texts of few and endless words.
const MOST_CHARACTERS: usize = 160;

/// The beginning of a text, up to `most` different words that are no stop words: its first sentence
/// if that fits, else cut behind a word and marked with `…`. Says whether anything was cut off.
pub(super) fn trim(text: &str, most: usize) -> (String, bool) {
    let text = text.trim();
    let seen = &text[..text.floor_char_boundary(LOOKED_AT)];
    // Most are short: no need to cut them into words.
    if text.len() <= most * 3 {
        return (text.to_owned(), false);
    }
    let words = segment(seen);
    let end = reach(&words, most);
    let fits = end == words.len() && seen.len() == text.len();
    if fits && text.chars().nth(MOST_CHARACTERS).is_none() {
        return (text.to_owned(), false);
    }
    let Some(last) = end.checked_sub(1).and_then(|last| words.get(last)) else {
        return (cut(seen), true);
    };
    let head = &seen[..last.at.end];
    match first_sentence(head, &words) {
        Some(sentence) => (cut(sentence), true),
        None if head.chars().nth(MOST_CHARACTERS).is_some() => (cut(head), true),
        None => (format!("{}…", behind_stops(head, &words, end)), true),
    }
}

/// How many of the words a phrase may hold: up to the last before there are more than `most`
/// different ones. Stop words do not count, but a phrase holds at most twice as many words in all.
pub(super) fn reach(words: &[Word<'_>], most: usize) -> usize {
    let mut known = HashSet::new();
    for (at, word) in words.iter().enumerate() {
        let is_new = !is_stop(word.text) && !known.contains(word.text);
        if at >= most * 2 || is_new && known.len() == most {
            return at;
        }
        if is_new {
            known.insert(word.text);
        }
    }
    words.len()
}

/// The first sentence that ends inside a text, if it is more than a word or two (as an abbreviation
/// or a number with its point is).
fn first_sentence<'a>(text: &'a str, words: &[Word<'_>]) -> Option<&'a str> {
    let mut characters = text.char_indices().peekable();
    while let Some((at, c)) = characters.next() {
        let mut parted = || characters.peek().is_some_and(|(_, next)| next.is_whitespace());
        if ends_sentence(c) && (!c.is_ascii() || parted()) {
            let before = words.iter().filter(|word| word.at.end <= at).count();
            if before >= 4 {
                let end =
                    if matches!(c, '!' | '?' | '！' | '？') { at + c.len_utf8() } else { at };
                return text.get(..end);
            }
        }
    }
    None
}

/// Takes stop words off the end of a text that is cut behind its word number `end`.
pub(super) fn behind_stops<'a>(text: &'a str, words: &[Word<'_>], end: usize) -> &'a str {
    let kept = words.get(..end).unwrap_or_default();
    let last = kept.iter().rfind(|word| !is_stop(word.text));
    last.and_then(|last| text.get(..last.at.end)).unwrap_or(text)
}

fn cut(text: &str) -> String {
    match text.char_indices().nth(MOST_CHARACTERS) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_short_text_stands_as_it_is() {
        assert_eq!(trim(" The harbour at dawn ", 12), ("The harbour at dawn".to_owned(), false));
    }

    #[test]
    fn repeated_words_do_not_count_against_the_limit() {
        let text =
            "ship ship ship ship harbour ship ship and the harbour then dawn over everything";
        assert_eq!(trim(text, 5).0, "ship ship ship ship harbour ship ship and the harbour…");
        assert_eq!(
            trim("ship ship ship ship harbour ship ship dawn", 5),
            ("ship ship ship ship harbour ship ship dawn".to_owned(), false)
        );
    }

    #[test]
    fn a_first_sentence_that_fits_is_preferred_to_a_cut() {
        let text = "The old harbour is closed today. Ships are sent to the northern port until the storm has passed.";
        assert_eq!(trim(text, 8), ("The old harbour is closed today".to_owned(), true));
    }

    #[test]
    fn a_cut_never_ends_in_a_stop_word_nor_inside_a_chinese_word() {
        let text = "Ships leave harbour before the storm reaches the coast of the northern islands";
        assert_eq!(trim(text, 6).0, "Ships leave harbour before the storm reaches the coast…");
        let (topic, cut) = trim(
            "网页布局是网页的一个重要的内部结构从网页的布局我们可以分辨内容相关的信息和内容无关的噪音",
            5,
        );
        assert!(cut && topic.ends_with("重要的内部结构…"), "{topic}");
    }

    #[test]
    fn endless_words_are_cut_too() {
        assert_eq!(trim(&"x".repeat(100_000), 12).0.chars().count(), MOST_CHARACTERS + 1);
    }
}
