//! A thread while its posts are cleaned.

use std::collections::{HashMap, HashSet};

use super::Post;
use super::sheet::Sheet;
use super::token::{Token, tokens_of};

/// The posts of a thread, laid flat.
pub(super) struct Thread<'a, 'p> {
    pub(super) posts: &'p [Post<'a>],
    pub(super) sheets: Vec<Sheet<'a>>,
    /// The words of each author's name.
    pub(super) authors: Vec<Vec<Token>>,
    /// All of them.
    pub(super) names: HashSet<Token>,
    /// The names that begin with a word.
    by_first: HashMap<Token, HashSet<Vec<Token>>>,
    /// The words of the title.
    pub(super) title: Vec<Token>,
}

impl<'a, 'p> Thread<'a, 'p> {
    pub(super) fn new(posts: &'p [Post<'a>]) -> Self {
        let authors: Vec<Vec<Token>> =
            posts.iter().map(|post| tokens_of(post.author.unwrap_or_default())).collect();
        let mut by_first: HashMap<Token, HashSet<Vec<Token>>> = HashMap::new();
        for name in &authors {
            if let Some(first) = name.first() {
                by_first.entry(*first).or_default().insert(name.clone());
            }
        }
        Thread {
            posts,
            by_first,
            sheets: posts.iter().map(Sheet::new).collect(),
            names: authors.iter().flatten().copied().collect(),
            title: posts.iter().find_map(|post| post.title).map(tokens_of).unwrap_or_default(),
            authors,
        }
    }

    /// Whether words name an author of the thread.
    pub(super) fn is_named(&self, words: &[Token]) -> bool {
        words.iter().enumerate().any(|(at, word)| {
            let rest = words.get(at..).unwrap_or_default();
            let names = self.by_first.get(word);
            names.is_some_and(|names| names.iter().any(|name| rest.starts_with(name)))
        })
    }

    /// Whether two posts are known to be by the same author.
    pub(super) fn is_same_author(&self, one: usize, other: usize) -> bool {
        let author = |at: usize| self.posts.get(at).and_then(|post| post.author);
        author(one).is_some() && author(one) == author(other)
    }

    /// Whether a word says who, when or about what, and so differs between lines that say the same.
    pub(super) fn varies(&self, token: Token) -> bool {
        token.is_number() || self.names.contains(&token)
    }
}

/// Whether a run of words is in another.
pub(super) fn holds(words: &[Token], run: &[Token]) -> bool {
    !run.is_empty() && words.windows(run.len()).any(|window| window == run)
}
