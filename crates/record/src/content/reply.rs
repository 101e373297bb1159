//! Which earlier post a post answers, where it quotes none: by links, names and the tree of replies.

use std::collections::HashMap;

use url::Url;

use super::sheet::Sheet;
use super::thread::Thread;
use page::tree::names::known;
use page::tree::{Node, NodeId};

/// Links of a post that are looked at.
const MOST_LINKS: usize = 64;
/// Numbers of an address that are looked at.
const MOST_NUMBERS: usize = 16;

/// The addresses of the posts of a thread.
pub(super) struct Addresses<'a> {
    posts: HashMap<&'a str, usize>,
    /// By host and fragment: a page may name a post in more ways than its permalink, but only once.
    fragments: HashMap<(&'a str, &'a str), usize>,
    /// By the number that names it within its site.
    numbers: HashMap<&'a str, usize>,
}

impl<'a> Addresses<'a> {
    pub(super) fn new(thread: &Thread<'a, '_>) -> Self {
        let (mut posts, mut fragments) = (HashMap::new(), HashMap::new());
        let mut numbers = HashMap::new();
        for (at, post) in thread.posts.iter().enumerate() {
            let ids = [post.id, post.permalink.and_then(Url::fragment)];
            for number in ids.into_iter().flatten().filter_map(last_number) {
                numbers.entry(number).or_insert(at);
            }
            let Some(url) = post.permalink else { continue };
            posts.entry(url.as_str().trim_end_matches('/')).or_insert(at);
            if let Some((host, fragment)) = url.host_str().zip(url.fragment()) {
                fragments.entry((host, fragment)).or_insert(at);
            }
        }
        Addresses { posts, fragments, numbers }
    }

    /// The post that a link leads to.
    pub(super) fn post(&self, node: Node<'_>, base: Option<&Url>) -> Option<usize> {
        self.exact(&target(node, base)?)
    }

    fn exact(&self, url: &Url) -> Option<usize> {
        let exact = self.posts.get(url.as_str().trim_end_matches('/'));
        let within = || self.fragments.get(&(url.host_str()?, url.fragment()?));
        exact.or_else(within).copied()
    }

    /// The post that a link names, though by another address than its own: its number is in the fragment,
    /// or in the query of an address that has the number of the thread, too. An address with one number
    /// may be that of a user as well.
    fn named(&self, url: &Url, base: Option<&Url>) -> Option<usize> {
        if base.is_some_and(|base| base.host_str() != url.host_str()) {
            return None;
        }
        if let Some(number) = url.fragment().and_then(last_number) {
            return self.numbers.get(number).copied();
        }
        let pages: Vec<&str> = base.map_or_else(Vec::new, |base| {
            numbers(base.path()).chain(numbers(base.query().unwrap_or_default())).collect()
        });
        let in_query = || numbers(url.query().unwrap_or_default()).take(MOST_NUMBERS);
        if !in_query().any(|number| pages.contains(&number)) {
            return None;
        }
        let mut posts = in_query()
            .filter(|number| !pages.contains(number))
            .filter_map(|number| self.numbers.get(number).copied());
        let post = posts.next()?;
        posts.all(|other| other == post).then_some(post)
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
            .filter_map(|node| target(node, base))
            .find_map(|url| {
                let post = self.exact(&url).or_else(|| self.named(&url, base));
                post.filter(|post| *post < at)
            })
    }
}

/// Where a link leads.
fn target(node: Node<'_>, base: Option<&Url>) -> Option<Url> {
    let href = node.attribute_by(known::HREF).filter(|_| node.is(known::A))?;
    match base {
        Some(base) => base.join(href).ok(),
        None => Url::parse(href).ok(),
    }
}

/// The numbers in a text.
fn numbers(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_ascii_digit()).filter(|number| !number.is_empty())
}

/// The number that a text ends with: that of a post, in its name or in a fragment.
fn last_number(text: &str) -> Option<&str> {
    let start = text.trim_end_matches(|c: char| c.is_ascii_digit()).len();
    text.get(start..).filter(|number| !number.is_empty())
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
