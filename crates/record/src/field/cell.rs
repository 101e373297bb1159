//! The nodes of a record, with all the ways in which each can be named.

use std::cell::OnceCell;

use xxhash_rust::xxh3::{xxh3_64, xxh3_64_with_seed};

use super::cut::{Dated, dates};
use crate::Moment;
use crate::date;
use crate::region::Span;
use page::tree::names::known;
use page::tree::text::{is_invisible, is_space};
use page::tree::{Dom, Kind, Node, visible_text_of};

/// Nodes of a record that are looked at; a record has some hundred.
const MAX_CELLS: usize = 6_000;
/// Characters of a text that may be a value: longer ones are content.
const MAX_VALUE: usize = 240;
/// Characters of a text that a date is looked for in.
const MAX_DATED: usize = 160;
/// Characters of a text that tells a date without a number.
const MAX_SPOKEN: usize = 32;
/// Bytes beside a date that are no more than "on" or a bracket.
const MAX_AROUND: usize = 6;
/// A time of capture to suppose where none is known.
const SOME_DAY: i64 = 1_800_000_000;
/// Class tokens of an element that are looked at.
const MAX_TOKENS: usize = 6;
/// Bytes of a token; longer ones are no names.
const MAX_TOKEN: usize = 64;

/// A node of a record: an element, or a text that stands beside elements.
pub(super) struct Cell<'a> {
    pub(super) node: Node<'a>,
    /// Its parent within the record, by number.
    pub(super) parent: Option<usize>,
    /// One past the last cell below it.
    pub(super) end: usize,
    /// The names of the elements from the top of the record down to it.
    pub(super) path: u64,
    /// The same, each with its number among its like siblings.
    pub(super) steps: u64,
    /// Cells above it.
    pub(super) depth: usize,
    /// Its path and its own tokens; of a text, those of its element.
    pub(super) look: u64,
    /// What tells it from others under the same path: its look if it has tokens, else its steps.
    pub(super) seat: u64,
    /// Where its text begins and ends, in visible characters of the record.
    pub(super) text: (usize, usize),
    value: OnceCell<Option<String>>,
    stamp: OnceCell<Option<Stamp>>,
    dates: OnceCell<Vec<Dated>>,
}

/// A date on a page.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Stamp {
    pub(super) moment: Moment,
    /// Whether that is the true moment: without the time of the capture "yesterday" only tells the order.
    pub(super) is_known: bool,
    /// As shown.
    pub(super) text: String,
    /// Whether there is nothing in the node but the date.
    pub(super) alone: bool,
}

/// The nodes of one record in document order.
pub(super) struct Cells<'a> {
    pub(super) list: Vec<Cell<'a>>,
    /// Its texts.
    pub(super) runs: Vec<Run>,
    /// Visible characters of the record.
    pub(super) length: usize,
}

/// One text of a record.
pub(super) struct Run {
    /// Visible characters before it.
    pub(super) from: usize,
    /// What it says, whitespace apart.
    pub(super) hash: u64,
    /// Whether it is part of a link.
    pub(super) linked: bool,
}

/// What a token is a value of.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub(super) enum Mark {
    Class,
    Itemprop,
    Rel,
}

/// The name of a child for paths: that of the element, `text()` for a text.
pub(super) fn step_name(node: Node<'_>) -> &str {
    match node.kind() {
        Kind::Text => "text()",
        Kind::ShadowRoot => "shadow-root()",
        Kind::Document => "document()",
        _ => node.name(),
    }
}

/// A path and one step more.
pub(super) fn extend(path: u64, name: &str) -> u64 {
    xxh3_64_with_seed(name.as_bytes(), path)
}

/// A path with numbers and one step more.
pub(super) fn extend_numbered(steps: u64, name: &str, number: u16) -> u64 {
    extend(steps, name).rotate_left(17) ^ xxh3_64(&number.to_le_bytes())
}

/// The tokens that tell an element from others of its name. Those with a long number name one
/// element and not a column.
pub(super) fn tokens<'a>(node: Node<'a>) -> impl Iterator<Item = (Mark, &'a str)> {
    let of = |value: Option<&'a str>, mark: Mark| {
        let value = value.unwrap_or_default();
        value
            .split(is_space)
            .filter(|token| is_name(token))
            .take(MAX_TOKENS)
            .map(move |t| (mark, t))
    };
    of(node.attribute_by(known::CLASS), Mark::Class)
        .chain(of(node.attribute("itemprop"), Mark::Itemprop))
        .chain(of(node.attribute_by(known::REL), Mark::Rel))
}

fn is_name(token: &str) -> bool {
    let digits = token.bytes().filter(u8::is_ascii_digit).count();
    !token.is_empty() && token.len() <= MAX_TOKEN && digits < 3
}

fn look(path: u64, node: Node<'_>) -> u64 {
    tokens(node).fold(path, |look, (_, token)| look.wrapping_add(xxh3_64(token.as_bytes())))
}

struct Open {
    cell: usize,
    end: u32,
    /// Whether it is in a link.
    linked: bool,
    /// How many children of each name there were.
    numbers: Vec<(u64, u16)>,
}

fn number(of: &mut Vec<(u64, u16)>, name: &str) -> u16 {
    let key = xxh3_64(name.as_bytes());
    match of.iter_mut().find(|(known, _)| *known == key) {
        Some((_, count)) => {
            *count = count.saturating_add(1);
            *count
        }
        None => {
            of.push((key, 1));
            1
        }
    }
}

impl<'a> Cells<'a> {
    pub(super) fn of(dom: &'a Dom, span: &Span) -> Self {
        let mut cells = Cells { list: Vec::new(), runs: Vec::new(), length: 0 };
        let mut tops = Vec::new();
        for top in span.nodes.iter().filter_map(|id| dom.get(*id)) {
            cells.add(top, &mut tops, span);
        }
        cells
    }

    fn add(&mut self, top: Node<'a>, tops: &mut Vec<(u64, u16)>, span: &Span) {
        let dom = top.dom();
        let mut open: Vec<Open> = Vec::new();
        let mut next = top.id();
        while next < top.end() && self.list.len() < MAX_CELLS {
            let node = dom.node(next);
            while open.last().is_some_and(|last| last.end <= next.0) {
                self.close(&mut open);
            }
            if is_invisible(node) || span.without.contains(&node.id()) {
                next = node.end();
                continue;
            }
            next.0 += 1;
            let is_text = node.kind() == Kind::Text;
            let from = self.length;
            if is_text {
                self.length += node.text().chars().filter(|c| !c.is_whitespace()).count();
                if self.length > from {
                    let hash = xxh3_64(folded(node.text()).as_bytes());
                    self.runs.push(Run {
                        from,
                        hash,
                        linked: open.last().is_some_and(|last| last.linked),
                    });
                }
                let alone = node.parent().is_some_and(|parent| parent.size() == 2);
                if self.length == from || (alone && !open.is_empty()) {
                    continue;
                }
            }
            let name = step_name(node);
            let parent = open.last().map(|last| last.cell);
            let number = number(open.last_mut().map_or(&mut *tops, |last| &mut last.numbers), name);
            let above = parent.and_then(|at| self.list.get(at));
            let above = above.map(|cell| (cell.path, cell.steps, cell.look));
            let (path, steps, above_look) = above.unwrap_or_default();
            let at = self.list.len();
            let look = if is_text { above_look } else { look(extend(path, name), node) };
            let steps = extend_numbered(steps, name, number);
            let is_marked = !is_text && tokens(node).next().is_some();
            self.list.push(Cell {
                node,
                parent,
                end: at + 1,
                depth: open.len(),
                path: extend(path, name),
                steps,
                look,
                seat: if is_marked { look } else { steps },
                text: (from, self.length),
                value: OnceCell::new(),
                stamp: OnceCell::new(),
                dates: OnceCell::new(),
            });
            if !is_text {
                let linked = node.is(known::A) || open.last().is_some_and(|last| last.linked);
                open.push(Open { cell: at, end: node.end().0, linked, numbers: Vec::new() });
            }
        }
        while !open.is_empty() {
            self.close(&mut open);
        }
    }

    fn close(&mut self, open: &mut Vec<Open>) {
        let (end, length) = (self.list.len(), self.length);
        if let Some(cell) = open.pop().and_then(|last| self.list.get_mut(last.cell)) {
            cell.end = end;
            cell.text.1 = length;
        }
    }

    pub(super) fn get(&self, at: usize) -> Option<&Cell<'a>> {
        self.list.get(at)
    }

    /// The cells above a cell, the nearest first.
    pub(super) fn above(&self, at: usize) -> impl Iterator<Item = usize> {
        let parent = |at: usize| self.list.get(at).and_then(|cell| cell.parent);
        std::iter::successors(parent(at), move |at| parent(*at))
    }

    /// Whether a cell is another or above it.
    pub(super) fn holds(&self, outer: usize, inner: usize) -> bool {
        self.list.get(outer).is_some_and(|cell| (outer..cell.end).contains(&inner))
    }

    /// How far two cells are from each other: the steps up from the first to what holds both.
    pub(super) fn apart(&self, one: usize, other: usize) -> usize {
        if self.holds(one, other) {
            return 0;
        }
        1 + self.above(one).take_while(|above| !self.holds(*above, other)).count()
    }
}

impl<'a> Cell<'a> {
    /// Visible characters in it.
    pub(super) fn length(&self) -> usize {
        self.text.1 - self.text.0
    }

    /// Its text with whitespace folded, if it is short enough to be a value; may be empty.
    pub(super) fn value(&self) -> Option<&str> {
        let read = || (self.length() <= MAX_VALUE).then(|| folded(&node_text(self.node)));
        self.value.get_or_init(read).as_deref()
    }

    /// The date that it tells: in its attributes, in those of what is in it, or in its text.
    pub(super) fn stamp(&self, order: &date::Order, captured: Option<i64>) -> Option<&Stamp> {
        self.stamp.get_or_init(|| stamp_of(self, order, captured)).as_ref()
    }

    /// All dates in its text, in order.
    pub(super) fn dates(&self, order: &date::Order, captured: Option<i64>) -> &[Dated] {
        let text = || self.value().filter(|_| self.length() <= MAX_DATED).unwrap_or_default();
        self.dates.get_or_init(|| dates(text(), order, captured))
    }
}

/// The text of a node, also where it is a text itself.
pub(super) fn node_text(node: Node<'_>) -> String {
    match node.kind() {
        Kind::Text => node.text().to_owned(),
        _ => visible_text_of(node),
    }
}

/// Whitespace as single spaces, no-break spaces too.
pub(super) fn folded(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for word in text.split_whitespace() {
        if !out.is_empty() {
            out.push(' ');
        }
        out.push_str(word);
    }
    out
}

fn stamp_of(cell: &Cell<'_>, order: &date::Order, captured: Option<i64>) -> Option<Stamp> {
    let known = stamp_at(cell, order, captured);
    let supposed = || {
        let stamp = stamp_at(cell, order, Some(SOME_DAY)).filter(|_| captured.is_none())?;
        Some(Stamp { is_known: false, ..stamp })
    };
    known.or_else(supposed)
}

fn stamp_at(cell: &Cell<'_>, order: &date::Order, captured: Option<i64>) -> Option<Stamp> {
    let value = cell.value().filter(|_| cell.length() <= MAX_DATED)?;
    let has_digit = value.bytes().any(|byte| byte.is_ascii_digit()) || !value.is_ascii();
    if !has_digit && cell.length() > MAX_SPOKEN {
        return None;
    }
    let found = date::find(value, order, captured);
    let shown = found.as_ref().and_then(|(range, _)| value.get(range.clone()));
    let (moment, text) = match cell.node.is_element() {
        true => date::of_element(cell.node, order, captured)?,
        false => match date::read(value, order, captured) {
            Some(moment) => (moment, value.to_owned()),
            None => (found.as_ref()?.1.clone(), value.to_owned()),
        },
    };
    let alone = shown.is_none_or(|shown| shown.len() + MAX_AROUND >= value.len());
    Some(Stamp { moment, is_known: true, text: shown.map_or(text, str::to_owned), alone })
}
