//! Text as the index sees it: a unit is a word, or one character of a script without spaces.
//!
//! Every unit has the next position, so that a phrase is a run of positions whatever it mixes. Words
//! are folded (case, accents, width) and cut to their English stem, in every language: the same on both
//! sides, so nothing is missed for it. Characters of Chinese and Japanese are indexed as pairs, each at
//! the position of its first character, and the last of a run alone, too: every string of two characters or more
//! is a run of pairs, wherever a dictionary would part it. (Dictionary words at the positions of their
//! characters would break phrases; pairs alone would not tell a word from two halves. The words go into a field of
//! their own, without positions, for the score.)

use std::borrow::Cow;
use std::iter::Peekable;
use std::ops::Range;
use std::str::CharIndices;

use page::words::{Language, is_dense, is_stop, segment, stem};
use tantivy::tokenizer::{Token, TokenStream, Tokenizer};
use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

/// Bytes of a word that count; nobody types more.
const LONGEST: usize = 64;

/// A word, or a character of a run without spaces.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Unit<'a> {
    pub(crate) text: &'a str,
    /// Its bytes in the text.
    pub(crate) at: Range<usize>,
    /// Counted in units.
    pub(crate) position: usize,
    /// Whether it is a character of a script without spaces.
    pub(crate) is_dense: bool,
}

/// The units of a text.
pub(crate) struct Units<'a> {
    text: &'a str,
    rest: Peekable<CharIndices<'a>>,
    position: usize,
}

pub(crate) fn units(text: &str) -> Units<'_> {
    Units { text, rest: text.char_indices().peekable(), position: 0 }
}

impl<'a> Iterator for Units<'a> {
    type Item = Unit<'a>;

    fn next(&mut self) -> Option<Unit<'a>> {
        loop {
            let (from, first) = self.rest.next()?;
            if !first.is_alphanumeric() {
                continue;
            }
            let mut end = from + first.len_utf8();
            let dense = is_dense(first);
            while !dense && let Some(&(at, c)) = self.rest.peek() {
                if !goes_on(self.text, at, c) {
                    break;
                }
                end = at + c.len_utf8();
                self.rest.next();
            }
            let position = self.position;
            self.position += 1;
            let unit =
                Unit { text: &self.text[from..end], at: from..end, position, is_dense: dense };
            return Some(unit);
        }
    }
}

/// Whether a character belongs to the word before it.
fn goes_on(text: &str, at: usize, c: char) -> bool {
    if c.is_ascii_alphanumeric() {
        return true;
    }
    let is_letter_next = || {
        let next = text[at + c.len_utf8()..].chars().next();
        next.is_some_and(|next| next.is_alphabetic() && !is_dense(next))
    };
    match c {
        '\'' | '’' => is_letter_next(),
        _ if c.is_ascii() => false,
        _ => c.is_alphanumeric() && !is_dense(c) || is_combining_mark(c),
    }
}

/// What a word is indexed as.
pub(crate) fn term_of(word: &str) -> String {
    let word = cut(word, LONGEST);
    let folded: Cow<'_, str> = match word.is_ascii() {
        true => Cow::Borrowed(word),
        false => {
            let bare = word.nfkd().filter(|c| !is_combining_mark(*c));
            Cow::Owned(bare.map(|c| if c == '’' { '\'' } else { c }).collect())
        }
    };
    if folded.bytes().any(|byte| byte.is_ascii_digit()) {
        return folded.to_lowercase();
    }
    stem(&folded, Some(Language::En)).into_owned()
}

/// The first bytes of a text, whole characters only.
pub(crate) fn cut(text: &str, most: usize) -> &str {
    &text[..text.floor_char_boundary(most)]
}

/// A term of a phrase, at its distance from the beginning.
pub(crate) type Placed = (usize, String);

/// What a phrase is looked up as: its words, and the pairs of its runs.
pub(crate) fn phrase(text: &str) -> Vec<Placed> {
    let units: Vec<Unit<'_>> = units(text).collect();
    let begin = |at: usize| {
        let unit = &units[at];
        let follows = |next: &&Unit<'_>| next.is_dense && next.at.start == unit.at.end;
        let next = units.get(at + 1).filter(follows);
        let before = at.checked_sub(1).map(|before| &units[before]);
        let is_end = before.is_some_and(|before| before.is_dense && before.at.end == unit.at.start);
        match (unit.is_dense, next) {
            (false, _) => Some(term_of(unit.text)),
            (true, Some(next)) => Some(text[unit.at.start..next.at.end].to_owned()),
            // The pair before it has it already.
            (true, None) if is_end => None,
            (true, None) => Some(unit.text.to_owned()),
        }
    };
    (0..units.len()).filter_map(|at| Some((units[at].position, begin(at)?))).collect()
}

/// The dictionary words of a text's runs without spaces that say something.
pub(crate) fn dense_words(text: &str) -> Vec<&str> {
    if !text.chars().any(is_dense) {
        return Vec::new();
    }
    let words = segment(text).into_iter().map(|word| word.text);
    let says =
        |word: &&str| word.starts_with(is_dense) && word.chars().nth(1).is_some() && !is_stop(word);
    words.filter(says).collect()
}

/// Units as tantivy takes them.
#[derive(Clone, Default)]
pub(crate) struct UnitTokenizer {
    token: Token,
}

pub(crate) struct UnitStream<'a> {
    text: &'a str,
    units: Peekable<Units<'a>>,
    token: &'a mut Token,
}

impl Tokenizer for UnitTokenizer {
    type TokenStream<'a> = UnitStream<'a>;

    fn token_stream<'a>(&'a mut self, text: &'a str) -> UnitStream<'a> {
        self.token.reset();
        UnitStream { text, units: units(text).peekable(), token: &mut self.token }
    }
}

impl TokenStream for UnitStream<'_> {
    fn advance(&mut self) -> bool {
        let Some(unit) = self.units.next() else { return false };
        self.token.text.clear();
        match unit.is_dense {
            false => self.token.text.push_str(&term_of(unit.text)),
            true => {
                let follows = |next: &Unit<'_>| next.is_dense && next.at.start == unit.at.end;
                let end = self.units.peek().filter(|next| follows(next)).map(|next| next.at.end);
                self.token.text.push_str(&self.text[unit.at.start..end.unwrap_or(unit.at.end)]);
            }
        }
        self.token.position = unit.position;
        (self.token.offset_from, self.token.offset_to) = (unit.at.start, unit.at.end);
        true
    }

    fn token(&self) -> &Token {
        self.token
    }

    fn token_mut(&mut self) -> &mut Token {
        self.token
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn indexed(text: &str) -> Vec<(usize, String)> {
        let mut tokenizer = UnitTokenizer::default();
        let mut stream = tokenizer.token_stream(text);
        let mut tokens = Vec::new();
        while stream.advance() {
            tokens.push((stream.token().position, stream.token().text.clone()));
        }
        tokens
    }

    #[test]
    fn every_string_of_two_chinese_characters_is_a_pair_and_the_last_stands_alone_too() {
        let tokens: Vec<String> = indexed("网页布局。").into_iter().map(|(_, term)| term).collect();
        assert_eq!(tokens, ["网页", "页布", "布局", "局"]);
        assert_eq!(phrase("页布局"), [(0, "页布".into()), (1, "布局".into())]);
        assert_eq!(phrase("局"), [(0, "局".into())]);
    }

    #[test]
    fn a_phrase_that_mixes_scripts_is_a_run_of_positions() {
        let text = indexed("我们使用iPhone手机");
        let wanted = phrase("使用iPhone手机");
        let begin = text.iter().find(|(_, term)| *term == wanted[0].1).unwrap().0;
        for (offset, term) in wanted {
            assert!(text.contains(&(begin + offset, term.clone())), "{term}");
        }
    }

    #[test]
    fn words_are_found_whatever_their_case_accent_width_or_ending() {
        for (one, other) in [
            ("Elections", "election"),
            ("Café", "cafe"),
            ("ｉＰｈｏｎｅ", "iphone"),
            ("don’t", "don't"),
            ("HÄUSER", "häuser"),
        ] {
            assert_eq!(phrase(one), phrase(other));
        }
    }

    #[test]
    fn a_compound_is_a_phrase_of_its_parts() {
        assert_eq!(phrase("harbour.org"), [(0, "harbour".into()), (1, "org".into())]);
        assert_eq!(phrase("3.5"), [(0, "3".into()), (1, "5".into())]);
    }

    proptest::proptest! {
        #[test]
        fn whatever_a_text_holds_its_phrases_are_in_the_index(text in "\\PC{0,60}", from in 0_usize..60, length in 2_usize..20) {
            let words: Vec<Unit<'_>> = units(&text).collect();
            let Some(first) = words.get(from.min(words.len().saturating_sub(2))) else { return Ok(()) };
            let last = &words[(first.position + length).min(words.len() - 1)];
            let tokens = indexed(&text);
            let wanted = phrase(&text[first.at.start..last.at.end]);
            for (offset, term) in wanted {
                let is_there = tokens.iter().any(|(position, token)| {
                    *position == first.position + offset && (*token == term || token.starts_with(&term))
                });
                proptest::prop_assert!(is_there, "{term} of {text}");
            }
        }
    }
}
