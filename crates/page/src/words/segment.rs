//! Cutting text into words, and words to their stems.

use super::{Language, is_dense};
use jieba_rs::Jieba;
use rust_stemmers::{Algorithm, Stemmer};
use std::borrow::Cow;
use std::ops::Range;
use std::sync::LazyLock;

/// The dictionary of Chinese words. Read when the first Chinese text is cut: 0.14 s and 33 MB, once.
static CHINESE: LazyLock<Jieba> = LazyLock::new(Jieba::new);

/// A word, and where it stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Word<'a> {
    /// The word as written.
    pub text: &'a str,
    /// Its bytes in the text.
    pub at: Range<usize>,
}

/// Cuts a text into words: at white space and marks, and inside runs of Han by a dictionary. Hyphens
/// and apostrophes inside a word, and points inside a number, part nothing.
///
/// ```
/// let words = page::words::segment("网页布局 by well-known rules, 3.5 times");
/// let words: Vec<_> = words.iter().map(|word| word.text).collect();
/// assert_eq!(words, ["网页", "布局", "by", "well-known", "rules", "3.5", "times"]);
/// ```
pub fn segment(text: &str) -> Vec<Word<'_>> {
    let mut words = Vec::new();
    let mut rest = text.char_indices().peekable();
    while let Some((from, first)) = rest.next() {
        if !first.is_alphanumeric() {
            continue;
        }
        let dense = is_dense(first);
        let mut end = from + first.len_utf8();
        while let Some(&(at, c)) = rest.peek() {
            let goes_on = if dense {
                is_dense(c)
            } else {
                c.is_alphanumeric() && !is_dense(c) || joins(text, at, c)
            };
            if !goes_on {
                break;
            }
            end = at + c.len_utf8();
            rest.next();
        }
        if dense {
            let mut at = from;
            for token in CHINESE.cut(&text[from..end], false) {
                let to = at + token.word.len();
                words.push(Word { text: &text[at..to], at: at..to });
                at = to;
            }
        } else {
            words.push(Word { text: &text[from..end], at: from..end });
        }
    }
    words
}

/// Whether a mark stands inside a word: it has a letter before and after it, a number's point digits.
fn joins(text: &str, at: usize, mark: char) -> bool {
    let after = text[at + mark.len_utf8()..].chars().next();
    let before = text[..at].chars().next_back();
    match mark {
        '\'' | '’' | '-' | '‑' | '&' | '@' => {
            after.is_some_and(|c| c.is_alphanumeric() && !is_dense(c))
        }
        '.' | ',' | ':' => {
            before.is_some_and(|c| c.is_ascii_digit()) && after.is_some_and(|c| c.is_ascii_digit())
        }
        _ => false,
    }
}

/// What a word is counted as: in lower case and without its ending, in languages that have endings
/// we know; else in lower case.
pub fn stem(word: &str, language: Option<Language>) -> Cow<'_, str> {
    let lower = if word.chars().any(char::is_uppercase) {
        Cow::Owned(word.to_lowercase())
    } else {
        Cow::Borrowed(word)
    };
    let algorithm = match language {
        Some(Language::Ar) => Algorithm::Arabic,
        Some(Language::De) => Algorithm::German,
        Some(Language::En) => Algorithm::English,
        Some(Language::Es) => Algorithm::Spanish,
        Some(Language::Fr) => Algorithm::French,
        Some(Language::It) => Algorithm::Italian,
        Some(Language::Nl) => Algorithm::Dutch,
        Some(Language::Pt) => Algorithm::Portuguese,
        Some(Language::Ru) => Algorithm::Russian,
        Some(Language::Sv) => Algorithm::Swedish,
        Some(Language::Tr) => Algorithm::Turkish,
        _ => return lower,
    };
    Cow::Owned(Stemmer::create(algorithm).stem(&lower).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<&str> {
        segment(text).into_iter().map(|word| word.text).collect()
    }

    #[test]
    fn chinese_is_cut_by_the_dictionary_and_keeps_latin_names_whole() {
        assert_eq!(words("我们使用iPhone手机"), ["我们", "使用", "iPhone", "手机"]);
    }

    #[test]
    fn marks_at_the_edges_of_a_word_are_no_part_of_it() {
        assert_eq!(words("'quoted' end- AT&T, 1,000.5."), ["quoted", "end", "AT&T", "1,000.5"]);
    }

    #[test]
    fn forms_of_a_word_count_as_one() {
        assert_eq!(stem("Elections", Some(Language::En)), stem("election", Some(Language::En)));
        assert_eq!(stem("Häuser", None), "häuser");
    }

    #[test]
    fn every_word_stands_where_it_says() {
        let text = "A b，网页布局 c’est 'x'";
        assert!(segment(text).iter().all(|word| &text[word.at.clone()] == word.text));
    }
}
