//! What was said earlier in a thread: which runs of words, and in which posts.
//!
//! Runs of a few words are enough to find a quote whose formatting is lost and that was shortened in
//! the middle, and looking one up costs the same however many posts there are.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use super::token::{Token, digest};

/// Words in a run. Three are common in any language; five miss short quotes.
pub(super) const RUN: usize = 4;
/// Posts remembered for a run: the first, where it was said, and the latest, which are quoted most.
const FIRST: usize = 4;
const LATEST: usize = 12;

/// The runs of the posts so far.
#[derive(Default)]
pub(super) struct Earlier {
    runs: HashMap<u64, Holders>,
}

struct Holders {
    first: u32,
    more: Vec<u32>,
    count: u32,
}

impl Earlier {
    /// Adds the words of a post. Posts come in order.
    pub(super) fn add(&mut self, post: u32, tokens: &[Token]) {
        for run in tokens.windows(RUN) {
            match self.runs.entry(digest(run.iter().copied())) {
                Entry::Vacant(empty) => {
                    empty.insert(Holders { first: post, more: Vec::new(), count: 1 });
                }
                Entry::Occupied(mut held) => held.get_mut().add(post),
            }
        }
    }

    /// By word: whether it is part of a run that was said before.
    pub(super) fn cover(&self, tokens: &[Token]) -> Vec<bool> {
        let mut covered = vec![false; tokens.len()];
        for (at, run) in tokens.windows(RUN).enumerate() {
            if self.runs.contains_key(&digest(run.iter().copied())) {
                covered.iter_mut().skip(at).take(RUN).for_each(|covered| *covered = true);
            }
        }
        covered
    }

    /// The posts that said these words, and how many of the words each said: most first, of equals the
    /// earliest.
    pub(super) fn origins(&self, tokens: &[Token]) -> Vec<(usize, usize)> {
        let mut said: HashMap<u32, (usize, usize)> = HashMap::new();
        for (at, run) in tokens.windows(RUN).enumerate() {
            let Some(holders) = self.runs.get(&digest(run.iter().copied())) else { continue };
            for post in holders.posts() {
                let (words, upto) = said.entry(post).or_default();
                *words += at + RUN - at.max(*upto);
                *upto = at + RUN;
            }
        }
        let mut found: Vec<(usize, usize)> =
            said.into_iter().map(|(post, (words, _))| (post as usize, words)).collect();
        found.sort_unstable_by_key(|(post, words)| (usize::MAX - words, *post));
        found.truncate(FIRST + LATEST);
        found
    }
}

impl Holders {
    fn add(&mut self, post: u32) {
        if self.first == post || self.more.contains(&post) {
            return;
        }
        if self.more.len() < FIRST + LATEST - 1 {
            self.more.push(post);
        } else if let Some(oldest) = self.more.get_mut(FIRST - 1 + self.count as usize % LATEST) {
            *oldest = post;
        }
        self.count = self.count.wrapping_add(1);
    }

    fn posts(&self) -> impl Iterator<Item = u32> {
        std::iter::once(self.first).chain(self.more.iter().copied())
    }
}

#[cfg(test)]
mod tests {
    use super::super::token::tokens_of;
    use super::*;

    #[test]
    fn a_quote_shortened_in_the_middle_is_covered() {
        let mut earlier = Earlier::default();
        earlier.add(0, &tokens_of("the old pump runs dry when the valve is shut by hand"));
        let covered =
            earlier.cover(&tokens_of("the old pump runs […] valve is shut by hand indeed"));
        assert_eq!(covered.iter().filter(|covered| !**covered).count(), 1);
    }

    #[test]
    fn the_post_that_said_it_first_comes_before_those_that_repeat_it() {
        let mut earlier = Earlier::default();
        let words = tokens_of("mind the gap between the doors");
        earlier.add(3, &words);
        earlier.add(5, &words);
        assert_eq!(earlier.origins(&words), [(3, 6), (5, 6)]);
    }

    #[test]
    fn a_run_that_everybody_uses_keeps_the_first_and_the_latest() {
        let mut earlier = Earlier::default();
        let words = tokens_of("thanks for the help");
        for post in 0..1_000 {
            earlier.add(post, &words);
        }
        let posts: Vec<usize> = earlier.origins(&words).into_iter().map(|(post, _)| post).collect();
        assert_eq!(posts.len(), FIRST + LATEST);
        assert!(posts.contains(&0) && posts.contains(&999));
    }
}
