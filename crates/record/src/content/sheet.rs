//! A post laid flat: its words in order, its lines, and which of them each element holds.

use std::collections::BTreeMap;
use std::ops::Range;

use super::Post;
use super::place::{self, PlaceId, Places};
use super::token::{Token, digest, tokens};
use page::tree::names::known;
use page::tree::text::{breaks_line, is_invisible, is_space};
use page::tree::{Dom, Kind, Node, NodeId, Step};

/// Words of a post beyond these are kept as they are.
const MOST_TOKENS: usize = 50_000;
/// And so are elements.
const MOST_ELEMENTS: usize = 20_000;
/// Lines beyond this are one with the last.
const MOST_LINES: usize = 20_000;

/// A post laid flat, and what was cut out of it.
pub(super) struct Sheet<'a> {
    pub(super) dom: &'a Dom,
    /// The nodes of the post, none within another.
    pub(super) roots: Vec<NodeId>,
    without: Vec<NodeId>,
    pub(super) tokens: Vec<Token>,
    pub(super) lines: Vec<Line>,
    /// In document order.
    pub(super) elements: Vec<Element>,
    /// By token: cut out.
    cut: Vec<bool>,
    /// Where a signature was cut off: there is no second.
    pub(super) signed: Vec<PlaceId>,
    /// The node numbers that are cut out: the beginning and the end of each run.
    gone: BTreeMap<u32, u32>,
}

/// Text between two breaks.
#[derive(Clone, Debug)]
pub(super) struct Line {
    /// From its first to past its last text node.
    pub(super) nodes: Range<u32>,
    pub(super) tokens: Range<usize>,
}

/// An element of a post.
#[derive(Clone, Debug)]
pub(super) struct Element {
    pub(super) node: NodeId,
    pub(super) place: PlaceId,
    pub(super) tokens: Range<usize>,
    /// Whether it begins and ends lines, or begins one and holds more.
    pub(super) is_block: bool,
    /// Whether it is code or holds some: that is marked up as a site marks up its own, but its author's.
    pub(super) is_code: bool,
}

impl<'a> Sheet<'a> {
    /// Lays a post flat.
    pub(super) fn new(post: &Post<'a>) -> Self {
        let mut roots: Vec<NodeId> = Vec::new();
        for id in &post.content {
            let Some(node) = post.dom.get(*id) else { continue };
            let inside = |root: &NodeId| {
                let root = post.dom.node(*root);
                root.id() <= node.id() && node.id() < root.end()
            };
            if !roots.iter().any(inside) {
                roots.push(*id);
            }
        }
        roots.sort_unstable();
        let mut without = post.without.clone();
        without.sort_unstable();
        let mut sheet = Sheet {
            dom: post.dom,
            roots,
            without,
            tokens: Vec::new(),
            lines: Vec::new(),
            elements: Vec::new(),
            cut: Vec::new(),
            signed: Vec::new(),
            gone: BTreeMap::new(),
        };
        sheet.lay();
        sheet.cut = vec![false; sheet.tokens.len()];
        sheet
    }

    fn lay(&mut self) {
        let mut places = Places::default();
        // The elements that are open, and how many lines there were before those that begin one.
        let mut open: Vec<(usize, Option<usize>)> = Vec::new();
        for root in self.roots.clone() {
            let (mut fresh, mut code) = (true, 0);
            let mut walk = self.dom.node(root).walk();
            while let Some(step) = walk.next() {
                match step {
                    Step::Open(node) if self.is_hidden(node) => walk.skip_inside(),
                    Step::Open(node) if node.kind() == Kind::Text => self.text(node, &mut fresh),
                    Step::Open(node) => {
                        let begins = fresh;
                        fresh |= parts_lines(node);
                        code += usize::from(is_code(node));
                        if node.is_element() && self.elements.len() < MOST_ELEMENTS {
                            let parent = node.parent().map(Node::id);
                            let place = places.of(node, node.id() == root, parent == Some(root));
                            open.push((self.elements.len(), begins.then_some(self.lines.len())));
                            self.elements.push(Element {
                                node: node.id(),
                                place: place::id(place),
                                tokens: self.tokens.len()..self.tokens.len(),
                                is_block: parts_lines(node),
                                is_code: code > 0,
                            });
                        }
                    }
                    Step::Close(node) => {
                        fresh |= parts_lines(node);
                        code -= usize::from(is_code(node));
                        let lines = self.lines.len();
                        let holds_lines = open.last().and_then(|(_, first)| *first);
                        let holds_lines = holds_lines.is_some_and(|first| lines > first + 1);
                        let last = open.last().and_then(|(at, _)| self.elements.get_mut(*at));
                        if let Some(element) = last.filter(|last| last.node == node.id()) {
                            element.is_block |= holds_lines;
                            element.tokens.end = self.tokens.len();
                            element.is_code |= is_code(node);
                            let holds_code = element.is_code;
                            open.pop();
                            let around = open.last().and_then(|(at, _)| self.elements.get_mut(*at));
                            if let Some(around) = around {
                                around.is_code |= holds_code;
                            }
                        }
                    }
                }
            }
        }
    }

    fn text(&mut self, node: Node<'_>, fresh: &mut bool) {
        if node.text().chars().all(char::is_whitespace) {
            return;
        }
        let from = self.tokens.len();
        tokens(node.text(), MOST_TOKENS.saturating_sub(from), &mut self.tokens);
        let (id, to) = (node.id().0, self.tokens.len());
        let goes_on = !*fresh || self.lines.len() >= MOST_LINES;
        match self.lines.last_mut() {
            Some(line) if goes_on => {
                line.nodes.end = id + 1;
                line.tokens.end = to;
            }
            _ => self.lines.push(Line { nodes: id..id + 1, tokens: from..to }),
        }
        *fresh = false;
    }

    /// Whether a node is no part of the text: what shows nothing, controls, records of its own.
    pub(super) fn is_hidden(&self, node: Node<'_>) -> bool {
        is_invisible(node)
            || matches!(
                node.name_id(),
                Some(
                    known::BUTTON
                        | known::SELECT
                        | known::INPUT
                        | known::TEXTAREA
                        | known::OPTION
                        | known::SVG
                )
            )
            || node.is_element() && node.attribute("style").is_some_and(hides)
            || self.without.binary_search(&node.id()).is_ok()
    }

    /// What is known of an element of the post.
    pub(super) fn element(&self, id: NodeId) -> Option<&Element> {
        let at = self.elements.binary_search_by_key(&id, |element| element.node).ok()?;
        self.elements.get(at)
    }

    /// The name of the place of an element.
    pub(super) fn place_of(&self, element: &Element) -> String {
        let node = self.dom.node(element.node);
        let under = node.parent().is_some_and(|parent| self.roots.contains(&parent.id()));
        let is_root = self.roots.contains(&element.node);
        Places::default().of(node, is_root, under).to_owned()
    }

    /// How many of these tokens are left.
    pub(super) fn left(&self, range: &Range<usize>) -> usize {
        self.cut.get(range.clone()).map_or(0, |cut| cut.iter().filter(|cut| !**cut).count())
    }

    /// The tokens of a range that are left.
    pub(super) fn rest(&self, range: &Range<usize>) -> impl Iterator<Item = Token> {
        let tokens = self.tokens.get(range.clone()).unwrap_or_default();
        let cut = self.cut.get(range.clone()).unwrap_or_default();
        tokens.iter().zip(cut).filter(|(_, cut)| !**cut).map(|(token, _)| *token)
    }

    /// The runs of tokens that are left.
    pub(super) fn runs(&self) -> impl Iterator<Item = &[Token]> {
        let mut at = 0;
        self.cut.chunk_by(|a, b| a == b).filter_map(move |chunk| {
            let from = at;
            at += chunk.len();
            (chunk.first() == Some(&false)).then(|| self.tokens.get(from..at)).flatten()
        })
    }

    /// What of the post is left: its first to past its last token. None if nothing is.
    pub(super) fn extent(&self) -> Option<Range<usize>> {
        let first = self.cut.iter().position(|cut| !cut)?;
        let last = self.cut.iter().rposition(|cut| !cut)?;
        Some(first..last + 1)
    }

    /// Whether an element or line says the same as others do: its digest.
    pub(super) fn digest(&self, range: &Range<usize>) -> u64 {
        digest(self.rest(range))
    }

    /// Whether a node is cut out.
    pub(super) fn is_gone(&self, id: NodeId) -> bool {
        self.gone.range(..=id.0).next_back().is_some_and(|(_, end)| id.0 < *end)
    }

    /// Whether an element is whole lines.
    pub(super) fn is_lines(&self, element: &Element) -> bool {
        let tokens = &element.tokens;
        element.is_block || self.lines_in(tokens).next().is_some_and(|line| line.tokens == *tokens)
    }

    /// The lines that have tokens left.
    pub(super) fn lines_left(&self) -> impl DoubleEndedIterator<Item = &Line> {
        self.lines.iter().filter(|line| self.left(&line.tokens) > 0)
    }

    /// Cuts an element out.
    pub(super) fn cut_element(&mut self, element: &Element) {
        let node = self.dom.node(element.node);
        self.cut(node.id().0..node.end().0, element.tokens.clone());
    }

    /// Cuts a line out, with the elements that hold nothing else.
    pub(super) fn cut_line(&mut self, line: &Line) {
        let mut nodes = line.nodes.clone();
        let first = self.dom.node(NodeId(nodes.start));
        for around in first.ancestors() {
            let (from, to) = (around.id().0, around.end().0);
            let fits = to >= nodes.end
                && self.element(around.id()).is_some_and(|found| found.tokens == line.tokens);
            if !fits || self.roots.contains(&around.id()) {
                break;
            }
            nodes = from..to;
        }
        self.cut(nodes, line.tokens.clone());
    }

    /// Cuts everything from a node on, up to the end of the post, and the rule, the breaks and the
    /// marks that part it from what is before.
    pub(super) fn cut_tail(&mut self, from: NodeId, tokens: Range<usize>) {
        let Some(end) = self.roots.last().map(|root| self.dom.node(*root).end().0) else { return };
        let mut start = from.0;
        for id in (0..from.0).rev() {
            let node = self.dom.node(NodeId(id));
            if self.roots.contains(&node.id()) {
                break;
            }
            if node.end().0 > start && node.is_element() {
                continue;
            }
            let parts = match node.kind() {
                Kind::Text => is_separator(node.text()),
                Kind::Element => node.is(known::HR) || node.is(known::BR),
                _ => true,
            };
            if !parts && !self.is_gone(node.id()) {
                break;
            }
            start = id;
        }
        self.cut(start..end.max(start), tokens);
    }

    fn cut(&mut self, nodes: Range<u32>, tokens: Range<usize>) {
        if let Some(cut) = self.cut.get_mut(tokens) {
            cut.fill(true);
        }
        let (mut from, mut to) = (nodes.start, nodes.end);
        while let Some((&start, &end)) =
            self.gone.range(..=to).next_back().filter(|run| *run.1 >= from)
        {
            self.gone.remove(&start);
            (from, to) = (from.min(start), to.max(end));
        }
        self.gone.insert(from, to);
    }

    /// The text of what is in a range of tokens, as lines.
    pub(super) fn lines_in(&self, range: &Range<usize>) -> impl Iterator<Item = &Line> {
        let from = self.lines.partition_point(|line| line.tokens.start < range.start);
        let to = range.end;
        self.lines.iter().skip(from).take_while(move |line| line.tokens.end <= to)
    }

    /// The text of a range that is whole lines, in one.
    pub(super) fn text_in(&self, range: &Range<usize>) -> String {
        self.lines_in(range).map(|line| self.line_text(line)).collect::<Vec<_>>().join(" ")
    }

    /// The text of a line, as shown.
    pub(super) fn line_text(&self, line: &Line) -> String {
        let mut out = String::new();
        for id in line.nodes.clone() {
            let node = self.dom.node(NodeId(id));
            if node.kind() == Kind::Text && !self.is_hidden(node) {
                out.push_str(node.text());
            }
        }
        out.split(is_space).filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ")
    }
}

fn parts_lines(node: Node<'_>) -> bool {
    node.name_id().is_some_and(|name| breaks_line(name) || name == known::TD || name == known::TH)
}

fn is_code(node: Node<'_>) -> bool {
    node.is(known::PRE) || node.name() == "code"
}

fn hides(style: &str) -> bool {
    style.split(';').filter_map(|rule| rule.split_once(':')).any(|(name, value)| {
        name.trim().eq_ignore_ascii_case("display")
            && value.trim().get(..4).is_some_and(|value| value.eq_ignore_ascii_case("none"))
    })
}

/// Whether a text is nothing but marks such as `___` or `--`.
pub(super) fn is_separator(text: &str) -> bool {
    text.chars().all(|c| !c.is_alphanumeric())
}
