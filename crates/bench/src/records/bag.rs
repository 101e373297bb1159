//! Texts as bags of tokens, in which the sets' rule is written.

use std::collections::HashMap;

use unicode_normalization::UnicodeNormalization as _;

/// The tokens of a text and how often each is in it: single characters of Chinese, Japanese and
/// Korean, and runs of Latin letters and digits, after NFKC and in lower case.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Bag {
    counts: HashMap<String, usize>,
    size: usize,
}

impl Bag {
    pub fn of(text: &str) -> Self {
        let mut bag = Bag::default();
        let mut word = String::new();
        for c in text.nfkc().flat_map(char::to_lowercase) {
            if c.is_ascii_alphanumeric() {
                word.push(c);
                continue;
            }
            bag.add(&mut word);
            if is_cjk(c) {
                word.push(c);
                bag.add(&mut word);
            }
        }
        bag.add(&mut word);
        bag
    }

    fn add(&mut self, word: &mut String) {
        if !word.is_empty() {
            self.size += 1;
            *self.counts.entry(std::mem::take(word)).or_default() += 1;
        }
    }

    pub fn len(&self) -> usize {
        self.size
    }

    pub fn is_empty(&self) -> bool {
        self.size == 0
    }

    /// How many tokens both have.
    pub fn common(&self, other: &Bag) -> usize {
        let both = other.counts.iter().map(|(token, count)| self.count(token).min(*count));
        both.sum()
    }

    fn count(&self, token: &str) -> usize {
        self.counts.get(token).copied().unwrap_or_default()
    }

    /// Whether at least `share` of another, which has tokens, is in it.
    pub fn holds(&self, other: &Bag, share: f64) -> bool {
        // The margin is for shares that binary fractions do not have.
        !other.is_empty() && self.common(other) as f64 >= share * other.len() as f64 - 1e-9
    }

    /// What is left when another is taken away.
    pub fn without(&self, other: &Bag) -> Bag {
        let left = self.counts.iter().filter_map(|(token, count)| {
            let left = count.saturating_sub(other.count(token));
            (left > 0).then(|| (token.clone(), left))
        });
        let counts: HashMap<_, _> = left.collect();
        Bag { size: counts.values().sum(), counts }
    }

    /// How alike two are, as the F1 of their tokens; two without any are the same.
    pub fn f1(&self, other: &Bag) -> f64 {
        match self.len() + other.len() {
            0 => 1.0,
            both => 2.0 * self.common(other) as f64 / both as f64,
        }
    }
}

fn is_cjk(c: char) -> bool {
    matches!(
        c,
        '\u{3040}'..='\u{30ff}'
            | '\u{3400}'..='\u{4dbf}'
            | '\u{4e00}'..='\u{9fff}'
            | '\u{ac00}'..='\u{d7af}'
            | '\u{f900}'..='\u{faff}'
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_are_words_and_single_chinese_characters_in_any_width() {
        let bag = Bag::of("Re: ＡＢＣ-12 风中 abc");
        assert_eq!(bag.len(), 6);
        assert_eq!(bag, Bag::of("12 abc RE abc 中风"));
    }

    #[test]
    fn a_bag_holds_another_token_by_token() {
        let bag = Bag::of("the pump the fan");
        assert!(bag.holds(&Bag::of("pump the the"), 1.0));
        assert!(!bag.holds(&Bag::of("the the the"), 0.95));
        assert!(!bag.holds(&Bag::of("?!"), 0.95), "what has no tokens is held by nothing");
        assert_eq!(bag.without(&Bag::of("the fan")), Bag::of("the pump"));
    }

    #[test]
    fn likeness_counts_what_is_missing_and_what_is_too_much() {
        assert_eq!(Bag::of("a b").f1(&Bag::of("a b c d")), 2.0 * 2.0 / 6.0);
        assert_eq!(Bag::of("").f1(&Bag::of("--")), 1.0);
        assert_eq!(Bag::of("a").f1(&Bag::of("")), 0.0);
    }
}
