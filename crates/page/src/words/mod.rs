//! Words of running text: counting them, cutting text into them, which of them carry no topic, and
//! the language they are in.
//!
//! English, German and Chinese are known well; other languages written with spaces do without
//! stems, those without spaces are counted by characters.

mod language;
mod segment;
mod stop;

pub use language::{Language, language};
pub use segment::{Word, segment, stem};
pub use stop::is_stop;

/// What a text amounts to, without cutting it into words.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Characters that are not white space.
    pub characters: u32,
    /// Words, two Han or Kana characters counting as one: about what a Chinese word has.
    pub words: u32,
    /// How many of these are function words.
    pub stops: u32,
    /// Marks that end a sentence or a part of one.
    pub marks: u32,
}

/// Counts a text. White space and marks part words; an apostrophe inside one does not.
///
/// ```
/// let tally = page::words::tally("It’s a small, bright harbour.");
/// assert_eq!((tally.words, tally.stops, tally.marks), (5, 2, 2));
/// assert_eq!(page::words::tally("网页布局").words, 2);
/// ```
pub fn tally(text: &str) -> Tally {
    let mut tally = Tally::default();
    let (mut dense, mut dense_stops) = (0_u32, 0);
    let mut word_from = None;
    let bytes = text.as_bytes();
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        // Nearly all of most texts are words of ASCII: they are passed over as they are read.
        if byte.is_ascii_alphanumeric() {
            let word = bytes.get(at..).unwrap_or_default().iter();
            let length = word.take_while(|byte| byte.is_ascii_alphanumeric()).count();
            word_from.get_or_insert(at);
            tally.characters += length as u32;
            at += length;
            continue;
        }
        let (c, width) = match byte.is_ascii() {
            true => (char::from(byte), 1),
            false => match text[at..].chars().next() {
                Some(c) => (c, c.len_utf8()),
                None => break,
            },
        };
        tally.characters += u32::from(!c.is_whitespace());
        let in_word = match c {
            '\'' | '’' => word_from.is_some() && begins_with_letter(&text[at + width..]),
            _ if c.is_ascii() => false,
            _ if is_dense(c) => {
                dense += 1;
                dense_stops += u32::from(stop::is_stop_character(c));
                false
            }
            _ => c.is_alphanumeric(),
        };
        if !in_word {
            if let Some(from) = word_from.take() {
                tally.words += 1;
                tally.stops += u32::from(is_stop(&text[from..at]));
            }
            tally.marks += u32::from(is_mark(c));
        } else {
            word_from.get_or_insert(at);
        }
        at += width;
    }
    if let Some(from) = word_from {
        tally.words += 1;
        tally.stops += u32::from(is_stop(&text[from..]));
    }
    tally.words += dense.div_ceil(2);
    tally.stops += dense_stops;
    tally
}

fn begins_with_letter(text: &str) -> bool {
    text.starts_with(char::is_alphabetic)
}

impl std::ops::AddAssign for Tally {
    fn add_assign(&mut self, other: Self) {
        self.characters += other.characters;
        self.words += other.words;
        self.stops += other.stops;
        self.marks += other.marks;
    }
}

/// Whether a character belongs to a script that is written without spaces between words: Han, Kana.
/// (Hangul has spaces.)
pub fn is_dense(c: char) -> bool {
    matches!(c, '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}'
        | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{323af}')
}

/// Whether a character ends a sentence or a part of one.
fn is_mark(c: char) -> bool {
    matches!(
        c,
        '.' | ',' | ';' | ':' | '!' | '?' | '…' | '。' | '，' | '、' | '；' | '：' | '！' | '？'
    )
}

/// Whether a character ends a sentence.
pub(crate) fn ends_sentence(c: char) -> bool {
    matches!(c, '.' | '!' | '?' | '…' | '。' | '！' | '？' | '；' | ';')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_and_spaces_part_words() {
        assert_eq!(tally("one,two three—four (five)").words, 5);
    }

    #[test]
    fn an_empty_text_has_nothing() {
        assert_eq!(tally(" \n\t"), Tally::default());
    }

    #[test]
    fn chinese_is_counted_by_pairs_of_characters() {
        let tally = tally("网页的布局，很重要。");
        assert_eq!((tally.characters, tally.words, tally.marks), (10, 4, 2));
        assert!(tally.stops >= 1);
    }
}
