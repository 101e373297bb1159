//! Words as numbers: what texts are compared by.

use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_64;

use page::words::is_dense;

/// A word, or one character of a script without spaces. Case, width and marks do not count.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Serialize, Deserialize)]
#[serde(transparent)]
pub(super) struct Token(u64);

impl Token {
    fn of(word: &str) -> Self {
        let number = word.chars().any(char::is_numeric);
        Token(xxh3_64(word.as_bytes()) << 1 | u64::from(number))
    }

    /// Whether a digit is in it.
    pub(super) fn is_number(self) -> bool {
        self.0 & 1 == 1
    }
}

/// Cuts a text into tokens, at most `most`.
pub(super) fn tokens(text: &str, most: usize, out: &mut Vec<Token>) {
    let full = out.len().saturating_add(most);
    let mut word = String::new();
    let end = |word: &mut String, out: &mut Vec<Token>| {
        if !word.is_empty() && out.len() < full {
            out.push(Token::of(word));
        }
        word.clear();
    };
    for c in text.chars() {
        if out.len() >= full {
            return;
        }
        let c = narrow(c);
        if is_dense(c) {
            end(&mut word, out);
            word.push(c);
            end(&mut word, out);
        } else if c.is_alphanumeric() {
            word.extend(c.to_lowercase());
        } else {
            end(&mut word, out);
        }
    }
    end(&mut word, out);
}

/// The tokens of a short text.
pub(super) fn tokens_of(text: &str) -> Vec<Token> {
    let mut out = Vec::new();
    tokens(text, 64, &mut out);
    out
}

/// One number for a run of tokens.
pub(super) fn digest(run: impl IntoIterator<Item = Token>) -> u64 {
    // Multiply-rotate: order counts, and no buffer is needed.
    run.into_iter().fold(0x9e37_79b9_7f4a_7c15, |sum: u64, token| {
        (sum.rotate_left(23) ^ token.0).wrapping_mul(0xff51_afd7_ed55_8ccd)
    })
}

/// Full-width letters and digits are the narrow ones.
fn narrow(c: char) -> char {
    match c {
        '\u{ff01}'..='\u{ff5e}' => char::from_u32(c as u32 - 0xfee0).unwrap_or(c),
        _ => c,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn case_width_and_marks_do_not_count() {
        assert_eq!(tokens_of("Hello, WORLD 42"), tokens_of("hello world　４２!"));
        assert_ne!(tokens_of("hello world"), tokens_of("world hello"));
    }

    #[test]
    fn each_han_character_is_a_token() {
        assert_eq!(tokens_of("本帖 edited").len(), 3);
        assert!(tokens_of("7th").iter().all(|token| token.is_number()));
    }

    #[test]
    fn a_digest_knows_the_order() {
        let (a, b) = (tokens_of("one two"), tokens_of("two one"));
        assert_ne!(digest(a), digest(b));
    }
}
