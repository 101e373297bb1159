//! Which earlier post a post answers, where it quotes none: by links, names and the tree of replies.

use std::collections::HashMap;

use url::Url;

use super::sheet::Sheet;
use super::thread::Thread;
use crate::tree::names::known;
use crate::tree::{Node, NodeId};

/// Links of a post that are looked at.
const MOST_LINKS: usize = 64;

/// The addresses of the posts of a thread.
pub(super) struct Addresses<'a> {
    posts: HashMap<&'a str, usize>,
    /// By host and fragment: a page may name a post in more ways than its permalink, but only once.
    fragments: HashMap<(&'a str, &'a str), usize>,
}

impl<'a> Addresses<'a> {
    pub(super) fn new(thread: &Thread<'a, '_>) -> Self {
        let (mut posts, mut fragments) = (HashMap::new(), HashMap::new());
        for (at, post) in thread.posts.iter().enumerate() {
            let Some(url) = post.permalink else { continue };
            posts.entry(url.as_str().trim_end_matches('/')).or_insert(at);
            if let Some((host, fragment)) = url.host_str().zip(url.fragment()) {
                fragments.entry((host, fragment)).or_insert(at);
            }
        }
        Addresses { posts, fragments }
    }

    /// The post that a link leads to.
    pub(super) fn post(&self, node: Node<'_>, base: Option<&Url>) -> Option<usize> {
        let href = node.attribute_by(known::HREF).filter(|_| node.is(known::A))?;
        let url = match base {
            Some(base) => base.join(href).ok()?,
            None => Url::parse(href).ok()?,
        };
        let exact = self.posts.get(url.as_str().trim_end_matches('/'));
        let within = || self.fragments.get(&(url.host_str()?, url.fragment()?));
        exact.or_else(within).copied()
    }

    /// The first post before `at` that a link within a run of nodes leads to.
    pub(super) fn linked(
        &self,
        sheet: &Sheet<'_>,
        nodes: std::ops::Range<u32>,
        base: Option<&Url>,
        at: usize,
    ) -> Option<usize> {
        nodes
            .map(|id| sheet.dom.node(NodeId(id)))
            .filter(|node| node.is(known::A))
            .take(MOST_LINKS)
            .find_map(|node| self.post(node, base).filter(|post| *post < at))
    }
}

/// By post: the earlier posts that it answers.
pub(super) fn find(thread: &Thread<'_, '_>) -> Vec<Vec<usize>> {
    let addresses = Addresses::new(thread);
    let mut latest: HashMap<&str, usize> = HashMap::new();
    // By level of the tree: its latest post.
    let mut levels: Vec<usize> = Vec::new();
    let mut found = Vec::with_capacity(thread.posts.len());
    for (at, (sheet, post)) in thread.sheets.iter().zip(thread.posts).enumerate() {
        let mut answers = Vec::new();
        for root in &sheet.roots {
            let root = sheet.dom.node(*root);
            let own = |node: &Node<'_>| node.is(known::A) && !sheet.is_gone(node.id());
            for node in root.descendants().filter(own).take(MOST_LINKS) {
                answers.extend(addresses.post(node, post.base).filter(|post| *post < at));
            }
        }
        answers.extend(named(sheet).and_then(|name| latest.get(name.as_str()).copied()));
        levels.truncate(post.depth.into());
        answers.extend(levels.last().copied().filter(|_| post.depth > 0));
        levels.resize(usize::from(post.depth) + 1, at);
        if let Some(author) = post.author {
            latest.insert(author, at);
        }
        found.push(answers);
    }
    found
}

/// The name that a post begins with, as in `@Ann` or `@Ann:`.
fn named(sheet: &Sheet<'_>) -> Option<String> {
    let line = sheet.line_text(sheet.lines_left().next()?);
    let name = line.strip_prefix('@')?.split_whitespace().next()?;
    Some(name.trim_end_matches([',', ':', '，', '：', '.']).to_owned())
}
