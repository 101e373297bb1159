//! The units of a run of siblings: the least that a cut could part.

use super::fact::{Class, Fact, LINE};
use crate::tree::names::known;
use crate::tree::{Dom, Node, NodeId};

/// A run of siblings: the nodes `first..end`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Run {
    pub(super) first: u32,
    pub(super) end: u32,
}

/// What a unit is to a reader.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sort {
    /// Says what follows: a heading, or what looks like one. 1 to 6 as in `h1` to `h6`; 7 for a
    /// short bold line, 8 for a term that is explained or the head of a table.
    Heading(u8),
    /// A short line that is no heading.
    Line,
    /// A paragraph.
    Text,
    /// A picture, video, canvas or frame that stands by itself.
    Media,
    /// A box with more in it.
    Box,
}

/// One unit.
#[derive(Clone, Copy, Debug)]
pub(super) struct Unit {
    pub(super) run: Run,
    pub(super) sort: Sort,
    pub(super) weight: u32,
    /// Something parts it from the unit before: a rule, an empty line.
    pub(super) is_parted: bool,
    /// An empty box stands before it.
    pub(super) follows_blank: bool,
    /// The box that it is, if it is one element.
    pub(super) node: Option<NodeId>,
}

/// A heading is short: more is a paragraph in bold.
const HEADING: u32 = 160;

/// Cuts a run into units.
pub(super) fn units(dom: &Dom, facts: &[Fact], run: Run) -> Vec<Unit> {
    let mut reader = Reader { facts, units: Vec::new(), line: Line::default(), breaks: 0 };
    let mut at = run.first;
    while at < run.end {
        let node = dom.node(NodeId(at));
        reader.read(node);
        at = node.end().0.max(at + 1);
    }
    reader.end_text();
    reader.units
}

struct Reader<'a> {
    facts: &'a [Fact],
    units: Vec<Unit>,
    line: Line,
    /// Breaks since something was shown.
    breaks: u32,
}

/// Text and other parts of lines that are being put together, and what parts them from before.
#[derive(Default)]
struct Line {
    run: Option<Run>,
    /// Of the line since the last break.
    is_media: bool,
    chars: u32,
    links: u32,
    bold: u32,
    weight: u32,
    is_dashes: bool,
    is_parted: bool,
    follows_blank: bool,
}

impl Reader<'_> {
    fn read(&mut self, node: Node<'_>) {
        let Some(fact) = self.facts.get(node.id().at()) else { return };
        match fact.class {
            Class::Rule => {
                self.end_text();
                self.line.is_parted = true;
            }
            Class::Break => self.read_break(),
            Class::Layout if !fact.shows => {
                if node.is_element() {
                    self.end_text();
                    self.line.follows_blank = true;
                }
            }
            _ if !fact.shows => {}
            Class::Layout | Class::Heading(_) => {
                self.end_text();
                let sort = self.sort_of(node, fact);
                self.push(
                    Run { first: node.id().0, end: node.end().0 },
                    sort,
                    fact.weight(),
                    Some(node.id()),
                );
            }
            _ => self.read_inline(node, fact),
        }
    }

    fn read_break(&mut self) {
        self.breaks += 1;
        if self.line.is_dashes || self.line.is_media || self.breaks > 1 || self.line.is_heading() {
            let parts = self.line.is_dashes || self.breaks > 1;
            self.end_text();
            self.line.is_parted |= parts;
        }
    }

    fn read_inline(&mut self, node: Node<'_>, fact: &Fact) {
        let run = Run { first: node.id().0, end: node.end().0 };
        let is_media = fact.media > 0 && fact.chars == 0;
        // Videos, frames and canvases part text wherever they stand, pictures on a line of their own.
        let stands_alone =
            fact.class == Class::Media && !node.is(known::IMG) && !node.is(known::SVG);
        let begins_line = self.breaks > 0 || self.line.run.is_none();
        if stands_alone || (is_media && begins_line && self.line.chars > 0) {
            self.end_text();
        } else if self.line.is_media && begins_line {
            self.end_text();
        }
        let is_dashes = is_dashes(node);
        let line = &mut self.line;
        let only = line.run.is_none();
        line.run = Some(Run { first: line.run.map_or(run.first, |run| run.first), end: run.end });
        line.is_media = is_media && (only || line.is_media);
        line.is_dashes = is_dashes && (only || line.is_dashes || self.breaks > 0);
        line.chars = line.chars.saturating_add(fact.chars);
        line.links = line.links.saturating_add(fact.links);
        line.bold = line.bold.saturating_add(fact.bold);
        line.weight = line.weight.saturating_add(fact.weight());
        self.breaks = 0;
        if stands_alone {
            self.end_text();
        }
    }

    /// What was read of lines becomes a unit.
    fn end_text(&mut self) {
        self.breaks = 0;
        let Some(run) = self.line.run else { return };
        // A rule drawn with characters ends what is before it; it is text all the same.
        if self.line.is_dashes
            && let Some(last) = self.units.last_mut()
            && !self.line.is_parted
        {
            last.run.end = run.end;
            self.line = Line { is_parted: true, ..Line::default() };
            return;
        }
        let line = &self.line;
        let sort = match () {
            _ if line.is_media => Sort::Media,
            _ if line.is_heading() => Sort::Heading(7),
            _ if line.chars <= LINE => Sort::Line,
            _ => Sort::Text,
        };
        let (weight, is_dashes) = (line.weight, line.is_dashes);
        self.push(run, sort, weight, None);
        self.line.is_parted = is_dashes;
    }

    fn push(&mut self, run: Run, sort: Sort, weight: u32, node: Option<NodeId>) {
        let line = std::mem::take(&mut self.line);
        let (is_parted, follows_blank) = (line.is_parted, line.follows_blank);
        self.units.push(Unit { run, sort, weight, is_parted, follows_blank, node });
    }

    fn sort_of(&self, node: Node<'_>, fact: &Fact) -> Sort {
        let name = node.name_id();
        let is_short = fact.chars <= HEADING;
        match fact.class {
            Class::Heading(rank) if is_short => return Sort::Heading(rank),
            Class::Heading(_) => return Sort::Text,
            _ => {}
        }
        // A box with a heading and nothing else is that heading; so is the header of an article.
        let is_header = name == Some(known::HEADER) || name == Some(known::HGROUP);
        let is_title = fact.title > 0 && fact.headings == 1 && fact.titles == fact.chars;
        let is_header = is_header
            && fact.headings == 1
            && fact.links * 2 <= fact.chars
            && fact.weight() <= 4 * LINE;
        if (is_title && is_short && fact.media == 0) || is_header {
            return Sort::Heading(fact.title.max(1));
        }
        if matches!(
            name,
            Some(known::DT | known::THEAD | known::CAPTION | known::LEGEND | known::SUMMARY)
        ) && is_short
        {
            return Sort::Heading(8);
        }
        if name == Some(known::FIGURE) {
            return Sort::Media;
        }
        if fact.holds_boxes && !self.is_plain_row(node, fact) {
            return Sort::Box;
        }
        let is_bold = fact.bold == fact.chars && fact.chars > 0 && fact.links == 0;
        match () {
            _ if fact.chars == 0 && fact.media > 0 => Sort::Media,
            _ if is_bold && is_short && fact.media == 0 && fact.controls == 0 => Sort::Heading(7),
            _ if fact.weight() <= LINE || self.is_row(node) => Sort::Line,
            _ if fact.holds_breaks => Sort::Box,
            _ => Sort::Text,
        }
    }

    fn is_row(&self, node: Node<'_>) -> bool {
        node.is(known::TR)
    }

    /// A row of a table of data: its cells hold a line each.
    fn is_plain_row(&self, node: Node<'_>, fact: &Fact) -> bool {
        let is_plain = |cell: Node<'_>| {
            let fact = self.facts.get(cell.id().at());
            fact.is_some_and(|fact| !fact.holds_boxes && fact.weight() <= 2 * LINE)
        };
        self.is_row(node) && fact.weight() <= 8 * LINE && node.children().all(is_plain)
    }
}

impl Line {
    /// A short line all in bold, which says what follows.
    fn is_heading(&self) -> bool {
        self.chars > 0 && self.chars <= HEADING && self.bold == self.chars && self.links == 0
    }
}

/// A line of dashes, asterisks or underscores.
fn is_dashes(node: Node<'_>) -> bool {
    let mut marks = 0;
    for c in node.text().chars() {
        match c {
            '-' | '*' | '_' | '=' | '~' | '.' | '·' | '—' | '–' | '─' | '━' | '＿' | '－'
            | '＝' | '…' => marks += 1,
            c if c.is_whitespace() => {}
            _ => return false,
        }
    }
    marks >= 3
}
