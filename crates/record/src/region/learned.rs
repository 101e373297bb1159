//! A region: where the records of a page type are.

use std::collections::{HashMap, HashSet};
use std::fmt;

use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_64;

use super::clue::is_dated;
use super::selector::{Selector, is_shared};
use super::span::Span;
use super::survey::mix;
use page::tree::names::known;
use page::tree::text::{is_invisible, is_space};
use page::tree::{Dom, Kind, Node, NodeId};

/// Where the records of a page type are, learned from some pages of it and found again on any.
///
/// It is shown as something like an XPath:
///
/// ```
/// # use record::regions;
/// # use page::tree::parse_str;
/// let thread = |posts: &[(&str, &str)]| {
///     let post = |(who, what): &(&str, &str)| format!("<div class=post><b>{who}</b><p>{what}</div>");
///     parse_str(&posts.iter().map(post).collect::<String>()).dom
/// };
/// let one = thread(&[("Ada", "Does it run?"), ("Bo", "It does."), ("Cy", "Since when?")]);
/// let two = thread(&[("Di", "Where is the key?"), ("Ed", "Under the mat.")]);
/// let region = &regions(&[&one, &two])[0].region;
/// assert_eq!(region.to_string(), "//div.post");
///
/// let single = thread(&[("Flo", "Anyone here?")]);
/// assert_eq!(region.find(&single)[0].text(&single), "Flo\nAnyone here?");
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Region {
    pub(super) branches: Vec<Branch>,
}

/// Records that look alike. Most regions have one branch; two where the first post of a thread is
/// marked up unlike the answers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Branch {
    /// Names the element that a record begins with.
    pub(super) head: Selector,
    pub(super) nesting: Nesting,
    /// What follows the head, if a record is several siblings.
    pub(super) tail: Option<Tail>,
    /// What nearly all records have: see [`marks`]. What has few of these is a separator, a heading or
    /// an advert.
    pub(super) marks: Vec<u64>,
    /// The mark of what is written, where all records have a date. What has both is a record, and be the
    /// pane of its author empty: guests have no picture, no rank and no number of posts.
    #[serde(default)]
    pub(super) core: Option<u64>,
    /// What adverts among the records say, as [`saying`] has it.
    pub(super) adverts: Vec<u64>,
}

/// What to do where named elements are inside each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum Nesting {
    /// The outer is the record.
    Outermost,
    /// The inner is.
    Innermost,
    /// Both are: a tree of replies.
    Tree,
}

/// The siblings that follow the head of a record.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Tail {
    /// What may come, and how often in a record.
    pub(super) symbols: Vec<(Symbol, usize)>,
    /// Whether the head is no part of the record, but a rule between it and the one before.
    #[serde(default)]
    pub(super) ruled: bool,
}

/// What a sibling is.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub(super) enum Symbol {
    /// An element by its name, and the class that it shares with most others of the name.
    Element(String, Option<String>),
    /// Text between elements.
    Text,
}

impl Symbol {
    /// What a sibling is, given its class. None if it shows nothing.
    pub(super) fn of(node: Node<'_>, class: Option<&str>) -> Option<Self> {
        shows(node).then(|| match node.kind() {
            Kind::Text => Symbol::Text,
            _ => Symbol::Element(node.name().to_owned(), class.map(str::to_owned)),
        })
    }

    fn is_of(&self, node: Node<'_>) -> bool {
        match self {
            Symbol::Text => node.kind() == Kind::Text,
            Symbol::Element(name, class) => {
                let classes = node.attribute_by(known::CLASS).unwrap_or_default();
                let mut words = classes.split_ascii_whitespace().filter(|word| is_shared(word));
                node.name() == name
                    && match class {
                        Some(class) => words.any(|word| word == class),
                        None => words.next().is_none(),
                    }
            }
        }
    }
}

impl fmt::Display for Symbol {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Symbol::Text => out.write_str("text()"),
            Symbol::Element(name, None) => out.write_str(name),
            Symbol::Element(name, Some(class)) => write!(out, "{name}.{class}"),
        }
    }
}

/// Whether a record has a date.
pub(super) fn is_dated_span(dom: &Dom, span: &Span) -> bool {
    span.walk(dom).any(|node| node.kind() == Kind::Text && is_dated(node))
}

/// Whether a node may show something.
pub(super) fn shows(node: Node<'_>) -> bool {
    match node.kind() {
        Kind::Text => !node.text().trim_matches(is_space).is_empty(),
        Kind::Element => !is_invisible(node),
        _ => false,
    }
}

/// The share of records that have a mark for it to be expected of all.
pub(super) const COMMON: f64 = 0.8;

/// The most siblings of one record.
pub(super) const MOST_SIBLINGS: usize = 64;

/// The most siblings between two rules: paragraphs are siblings there, and the ends of lines.
pub(super) const MOST_BETWEEN: usize = 1024;

impl Region {
    /// The records of a page, in document order.
    pub fn find(&self, dom: &Dom) -> Vec<Span> {
        let Some((all, first)) = self.branches.split_last() else { return Vec::new() };
        let mut spans = all.find(dom);
        let answers = spans.first().and_then(|span| span.nodes.first().copied());
        // A page that has several of what threads begin with is a list of threads.
        let opening = first.iter().filter_map(|branch| match &branch.find(dom)[..] {
            [one] => Some(one.clone()),
            _ => None,
        });
        let is_first =
            |span: &Span| answers.is_none_or(|answers| span.nodes.first() < Some(&answers));
        spans.extend(opening.filter(is_first).collect::<Vec<_>>());
        spans.sort_by_key(|span| span.nodes.first().copied());
        spans
    }
}

/// Whether a row of a table names its columns: all its cells are heads.
fn is_head_of_table(node: Node<'_>) -> bool {
    let mut cells = node.children().filter(|child| child.is_element()).peekable();
    node.is(known::TR) && cells.peek().is_some() && cells.all(|cell| cell.is(known::TH))
}

impl Branch {
    /// The records of this branch, in document order.
    pub(super) fn find(&self, dom: &Dom) -> Vec<Span> {
        let mut spans = self.spans(dom, &self.head.find(dom));
        spans.retain(|span| self.resembles(dom, span));
        spans
    }

    /// Whether a span has enough of what records have, and is no advert.
    pub(super) fn resembles(&self, dom: &Dom, span: &Span) -> bool {
        let own = marks(dom, span);
        let has = self.marks.iter().filter(|mark| own.binary_search(mark).is_ok()).count();
        // More than half of them. What holds records is one itself only if nothing is missing: an answer
        // below an answer, not the table around all.
        let all = self.marks.len();
        let enough = if span.without.is_empty() { 2 * has > all } else { 5 * has >= 4 * all };
        let is_ruled = self.tail.as_ref().is_some_and(|tail| tail.ruled);
        let is_core = |mark: u64| {
            span.without.is_empty() && own.binary_search(&mark).is_ok() && is_dated_span(dom, span)
        };
        (enough || all == 0 || self.core.is_some_and(is_core))
            // Where rules part everything on the page, little but the date tells records from the rest.
            && (!is_ruled || is_dated_span(dom, span))
            && (self.adverts.is_empty() || !self.adverts.contains(&saying(dom, span)))
    }

    /// The records that begin with these elements.
    pub(super) fn spans(&self, dom: &Dom, heads: &[NodeId]) -> Vec<Span> {
        if let Some(tail) = self.tail.as_ref().filter(|tail| tail.ruled) {
            return tail.between(dom, heads);
        }
        let mut spans = nest(dom, heads, self.nesting);
        if self.tail.is_none() {
            spans.retain(|span| !span.nodes.iter().all(|id| is_head_of_table(dom.node(*id))));
        }
        if let Some(tail) = &self.tail {
            let heads: HashSet<NodeId> =
                spans.iter().filter_map(|span| span.nodes.first().copied()).collect();
            spans.iter_mut().for_each(|span| tail.extend(dom, span, &heads));
        }
        spans
    }
}

impl Tail {
    /// The records that rules part: what is between two of them, and what follows the last as far as
    /// it is of the same make.
    fn between(&self, dom: &Dom, rules: &[NodeId]) -> Vec<Span> {
        let all: HashSet<NodeId> = rules.iter().copied().collect();
        let of = |rule: &NodeId| {
            let after = dom.get(*rule)?.next_sibling();
            let siblings = std::iter::successors(after, |node| node.next_sibling());
            let run = siblings.take(MOST_BETWEEN).take_while(|node| !all.contains(&node.id()));
            let known = |node: &Node<'_>| {
                !shows(*node) || self.symbols.iter().any(|(symbol, _)| symbol.is_of(*node))
            };
            let mut nodes: Vec<Node<'_>> = run.take_while(known).collect();
            while nodes.last().is_some_and(|node| !shows(*node)) {
                nodes.pop();
            }
            let nodes: Vec<NodeId> = nodes.into_iter().map(Node::id).collect();
            (!nodes.is_empty()).then_some(Span { nodes, without: Vec::new(), depth: 0 })
        };
        rules.iter().filter_map(of).collect()
    }

    fn extend(&self, dom: &Dom, span: &mut Span, heads: &HashSet<NodeId>) {
        let Some(head) = span.nodes.first().and_then(|head| dom.get(*head)) else { return };
        let mut seen = vec![0; self.symbols.len()];
        let mut last = 1;
        let siblings = std::iter::successors(head.next_sibling(), |node| node.next_sibling());
        for node in siblings.take(MOST_SIBLINGS) {
            if heads.contains(&node.id()) {
                break;
            }
            span.nodes.push(node.id());
            // What is not known may be an advert within the record: kept if the record goes on after it.
            let mut symbols = self.symbols.iter().zip(&mut seen);
            let known = symbols.find(|((symbol, _), _)| shows(node) && symbol.is_of(node));
            let Some(((_, most), seen)) = known else { continue };
            *seen += 1;
            if *seen > *most {
                break;
            }
            last = span.nodes.len();
        }
        span.nodes.truncate(last);
    }
}

/// Elements as records, according to how those inside each other are understood.
fn nest(dom: &Dom, heads: &[NodeId], nesting: Nesting) -> Vec<Span> {
    let mut spans: Vec<Span> = Vec::with_capacity(heads.len());
    // The records that are open, by their place in `spans`.
    let mut open: Vec<usize> = Vec::new();
    for head in heads {
        while open.last().is_some_and(|at| dom.node(spans[*at].nodes[0]).end() <= *head) {
            open.pop();
        }
        if let Some(outer) = open.last() {
            if nesting == Nesting::Outermost {
                continue;
            }
            spans[*outer].without.push(*head);
        }
        let depth = u16::try_from(open.len()).unwrap_or(u16::MAX);
        open.push(spans.len());
        spans.push(Span { depth, ..Span::of(*head) });
    }
    if nesting == Nesting::Innermost {
        spans.retain(|span| span.without.is_empty());
        spans.iter_mut().for_each(|span| span.depth = 0);
    }
    spans
}

/// What a record says, as a number.
pub(super) fn saying(dom: &Dom, span: &Span) -> u64 {
    let texts = span.walk(dom).filter(|node| node.kind() == Kind::Text && shows(*node));
    texts.fold(0, |sum, node| mix(sum, xxh3_64(node.text().trim_matches(is_space).as_bytes())))
}

/// What a record has, as numbers in order: the names of the elements from its root down to each text, and
/// the classes that others share of all elements below its root. Those of the root alternate, or mark
/// the first.
pub(super) fn marks(dom: &Dom, span: &Span) -> Vec<u64> {
    let mut found = Vec::new();
    visit(dom, span, |node, names, is_root| {
        if node.kind() == Kind::Text {
            found.push(names);
        } else if !is_root {
            let name = xxh3_64(node.name().as_bytes());
            let classes = node.attribute_by(known::CLASS).unwrap_or_default();
            let shared = classes.split_ascii_whitespace().filter(|word| is_shared(word));
            found.extend(shared.map(|word| mix(name, xxh3_64(word.as_bytes()))));
        }
    });
    found.sort_unstable();
    found.dedup();
    found
}

/// Visits what a record shows: each node, the names from its root down to it, and whether it is a root.
pub(super) fn visit<'a>(dom: &'a Dom, span: &Span, mut each: impl FnMut(Node<'a>, u64, bool)) {
    // The elements that are open: where they end, and their names from the root down.
    let mut open: Vec<(NodeId, u64)> = Vec::new();
    for node in span.walk(dom).filter(|node| shows(*node)) {
        while open.last().is_some_and(|(end, _)| *end <= node.id()) {
            open.pop();
        }
        let above = open.last().map(|(_, names)| *names);
        let is_text = node.kind() == Kind::Text;
        let own = if is_text { 1 } else { xxh3_64(node.name().as_bytes()) };
        let names = mix(above.unwrap_or_default(), own);
        each(node, names, above.is_none());
        if !is_text {
            open.push((node.end(), names));
        }
    }
}

/// The marks that at least this share of records has.
pub(super) fn common(pages: &[&Dom], spans: &[Vec<Span>], share: f64) -> HashSet<u64> {
    let mut counts: HashMap<u64, usize> = HashMap::new();
    let mut records = 0;
    for (dom, span) in
        pages.iter().zip(spans).flat_map(|(dom, spans)| spans.iter().map(move |span| (dom, span)))
    {
        records += 1;
        for mark in marks(dom, span) {
            *counts.entry(mark).or_default() += 1;
        }
    }
    let is_common = |count: &usize| *count as f64 >= share * records as f64;
    counts.into_iter().filter(|(_, count)| is_common(count)).map(|(mark, _)| mark).collect()
}

impl fmt::Display for Region {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, branch) in self.branches.iter().enumerate() {
            let or = if at == 0 { "" } else { " | " };
            write!(out, "{or}{}", branch.head)?;
            if branch.tail.as_ref().is_some_and(|tail| tail.ruled) {
                out.write_str(" between")?;
                continue;
            }
            if branch.nesting == Nesting::Tree {
                out.write_str(" nested")?;
            }
            for (symbol, _) in branch.tail.iter().flat_map(|tail| &tail.symbols) {
                write!(out, " + {symbol}")?;
            }
        }
        Ok(())
    }
}
