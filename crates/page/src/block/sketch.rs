//! Which blocks have words in common, without comparing every two.
//!
//! A block's sketch is the smallest hashes of its words ("bottom-k", Broder 1997): all words of a
//! short block, a fair sample of a long one. The sketch of a block is the smallest of the sketches of
//! its parts, so each word of a page is hashed once at most, and only where something changed.

use std::collections::HashMap;

use xxhash_rust::xxh3::xxh3_64_with_seed;

use super::content::Reading;
use super::tree::BlockAt;

/// Words kept of a block.
const WORDS: usize = 24;
/// A word that more than so many siblings have says nothing about which is which.
const RARE: usize = 4;
/// Two blocks are alike if this share of the words of both is in both, in per mille. Two posts of one
/// forum share the words around them, which the rare word that has to be there as well rules out.
const ALIKE: usize = 250;

/// The sketch of a block's words, in order.
pub(super) type Sketch = Vec<u32>;

/// The sketches of a page's blocks, made when they are asked for.
pub(super) struct Sketches<'a> {
    reading: Reading<'a>,
    of: Vec<Option<Sketch>>,
}

impl<'a> Sketches<'a> {
    pub(super) fn of(reading: Reading<'a>) -> Self {
        Self { reading, of: vec![None; reading.tree.blocks().len()] }
    }

    /// The sketch of a block.
    pub(super) fn get(&mut self, at: BlockAt) -> &[u32] {
        let end =
            self.reading.tree.blocks().get(at.0 as usize).map_or(0, |block| block.end_block.0);
        if self.of.get(at.0 as usize).is_some_and(Option::is_none) {
            // Backwards is from the parts to the whole.
            for part in (at.0..end).rev().map(BlockAt) {
                if self.of[part.0 as usize].is_none() {
                    let sketch = self.make(part);
                    self.of[part.0 as usize] = Some(sketch);
                }
            }
        }
        self.of.get(at.0 as usize).and_then(Option::as_deref).unwrap_or_default()
    }

    fn make(&self, at: BlockAt) -> Sketch {
        let mut words = Vec::new();
        if self.reading.tree.is_leaf(at) {
            for piece in self.reading.contents.texts(at) {
                each_word(self.reading.dom.node(piece.node).text(), |word| words.push(word));
                shorten(&mut words, 64 * WORDS);
            }
        } else {
            for part in self.reading.tree.children(at) {
                words.extend(self.of[part.0 as usize].iter().flatten());
                shorten(&mut words, 64 * WORDS);
            }
        }
        shorten(&mut words, WORDS);
        words
    }
}

/// Keeps the smallest, once there are more than `most`.
fn shorten(words: &mut Vec<u32>, most: usize) {
    if words.len() > most || most == WORDS {
        words.sort_unstable();
        words.dedup();
        words.truncate(WORDS);
    }
}

/// The words of a text. Scripts without spaces between words are read two characters at a time.
fn each_word(text: &str, mut found: impl FnMut(u32)) {
    let mut hash = |word: &str| found(xxh3_64_with_seed(word.as_bytes(), 1) as u32);
    for word in text.split_ascii_whitespace() {
        if word.is_ascii() {
            hash(word);
            continue;
        }
        let mut start = 0;
        let mut last = None;
        for (at, c) in word.char_indices() {
            // From the first East Asian block on.
            if c < '\u{2e80}' {
                last = None;
                continue;
            }
            if let Some(pair) = last.and_then(|last| word.get(last..at + c.len_utf8())) {
                hash(pair);
            } else {
                hash(word.get(start..at + c.len_utf8()).unwrap_or_default());
            }
            last = Some(at);
            start = at + c.len_utf8();
        }
        if let Some(rest) = word.get(start..).filter(|rest| !rest.is_empty()) {
            hash(rest);
        }
    }
}

/// The share of words that are in both of two blocks, in per mille.
fn likeness(a: &[u32], b: &[u32]) -> usize {
    let (mut i, mut j, mut all, mut both) = (0, 0, 0usize, 0usize);
    while all < WORDS {
        match (a.get(i), b.get(j)) {
            (Some(x), Some(y)) if x == y => (i, j, both) = (i + 1, j + 1, both + 1),
            (Some(x), Some(y)) if x < y => i += 1,
            (Some(_), None) => i += 1,
            (_, Some(_)) => j += 1,
            (None, None) => break,
        }
        all += 1;
    }
    (1000 * both).checked_div(all).unwrap_or(0)
}

/// Pairs of blocks that are each the most alike to the other, by their positions in the lists.
pub(super) fn alike<'a>(
    old_words: &mut Sketches<'a>,
    new_words: &mut Sketches<'a>,
    old: &[BlockAt],
    new: &[BlockAt],
) -> Vec<(usize, usize)> {
    let mut holders: HashMap<u32, [Vec<usize>; 2]> = HashMap::new();
    for (side, (words, blocks)) in
        [(&mut *old_words, old), (&mut *new_words, new)].into_iter().enumerate()
    {
        for (at, block) in blocks.iter().enumerate() {
            for word in words.get(*block) {
                let held = &mut holders.entry(*word).or_default()[side];
                if held.len() <= RARE {
                    held.push(at);
                }
            }
        }
    }
    let mut votes: HashMap<(usize, usize), usize> = HashMap::new();
    for [a, b] in holders.values().filter(|[a, b]| a.len() <= RARE && b.len() <= RARE) {
        for pair in a.iter().flat_map(|a| b.iter().map(move |b| (*a, *b))) {
            // The rarer a word, the more it says.
            *votes.entry(pair).or_default() += 720 / (a.len() * b.len());
        }
    }
    let mut scored: Vec<_> = votes
        .into_iter()
        .filter_map(|((a, b), votes)| {
            let share = likeness(old_words.get(*old.get(a)?), new_words.get(*new.get(b)?));
            (share >= ALIKE).then_some((votes + share, a, b))
        })
        .collect();
    // The best first; of equals, those that stand nearest to the same place.
    scored.sort_unstable_by_key(|(score, a, b)| (usize::MAX - score, a.abs_diff(*b), *a, *b));
    let (mut taken_old, mut taken_new) = (vec![false; old.len()], vec![false; new.len()]);
    let mut pairs = Vec::new();
    for (_, a, b) in scored {
        if !taken_old[a] && !taken_new[b] {
            (taken_old[a], taken_new[b]) = (true, true);
            pairs.push((a, b));
        }
    }
    pairs
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> usize {
        let mut count = 0;
        each_word(text, |_| count += 1);
        count
    }

    #[test]
    fn words_are_found_with_and_without_spaces() {
        assert_eq!(words("three small words"), 3);
        assert_eq!(words("北京新闻"), 4);
        assert_eq!(words("Größe"), 1);
        assert_eq!(words("iPhone 北京"), 3);
    }

    #[test]
    fn likeness_is_the_share_of_words_in_both() {
        assert_eq!(likeness(&[1, 2, 3], &[2, 3, 4]), 500);
        assert_eq!(likeness(&[1], &[2]), 0);
        assert_eq!(likeness(&[], &[]), 0);
    }
}
