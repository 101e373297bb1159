//! The units of a run of siblings: the least that a cut could part.

use super::super::looks::{Look, Looks, Rect};
use super::fact::{Class, Fact, LINE, Sum, parts_text};
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
    /// How much it shows.
    pub(super) sum: Sum,
    /// The rank of the heading that it begins with, if it does.
    pub(super) title: u8,
    /// Something parts it from the unit before: a rule, an empty line.
    pub(super) is_parted: bool,
    /// An empty box stands before it.
    pub(super) follows_blank: bool,
    /// The box that it is, if it is one element.
    pub(super) node: Option<NodeId>,
    /// Where that box is, on a rendered page.
    pub(super) rect: Option<Rect>,
}

impl Unit {
    /// Whether it may stand between a headline and its text: author, date, ways to share.
    pub(super) fn is_byline(&self) -> bool {
        let sum = &self.sum;
        self.title == 0
            && sum.weight() <= 2 * LINE
            && sum.link_count <= HEAD_LINKS
            && !self.is_parted
    }

    /// Whether it stands beside another unit, not below it.
    pub(super) fn is_beside(&self, other: &Self) -> bool {
        let (Some(one), Some(other)) = (self.rect, other.rect) else { return false };
        let overlap = one.bottom().min(other.bottom()).saturating_sub(one.y.max(other.y));
        let is_apart = one.x >= other.right() || other.x >= one.right();
        is_apart && i64::from(overlap) * 2 > i64::from(one.height.min(other.height))
    }
}

/// A heading is short: more is a paragraph in bold.
const HEADING: u32 = 160;

/// The head of an article weighs less than this: headline, summary, author, date, a picture.
pub(super) const HEAD: u32 = 600;

/// And it has no more links than this: author, section, a few ways to share.
pub(super) const HEAD_LINKS: u16 = 8;

/// Cuts a run into units.
pub(super) fn units(dom: &Dom, facts: &[Fact], looks: Option<&Looks>, run: Run) -> Vec<Unit> {
    let mut reader = Reader { facts, units: Vec::new(), line: Line::default(), breaks: 0 };
    let mut at = run.first;
    while at < run.end {
        let node = dom.node(NodeId(at));
        reader.read(node);
        at = node.end().0.max(at + 1);
    }
    reader.end_text();
    mark_heads(&mut reader.units);
    if let Some(looks) = looks {
        for unit in &mut reader.units {
            unit.rect = unit.node.and_then(|node| looks.of(node)).map(Look::rect);
        }
    }
    reader.units
}

/// The head of an article is a heading too: a small box with a headline, perhaps with subtitle, date,
/// author and summary, before a box of running text that has no headline of its own.
fn mark_heads(units: &mut [Unit]) {
    let mut is_before_text = false;
    for unit in units.iter_mut().rev() {
        let sum = &unit.sum;
        match unit.sort {
            Sort::Line | Sort::Media | Sort::Heading(_) => continue,
            Sort::Box
                if is_before_text
                    && matches!(sum.headings, 1 | 2)
                    && sum.weight() <= HEAD
                    && sum.link_count <= HEAD_LINKS
                    && (sum.links * 2 <= sum.chars || sum.titles * 2 >= sum.chars) =>
            {
                unit.sort = Sort::Heading(1);
                is_before_text = false;
            }
            Sort::Box if unit.is_byline() => {}
            Sort::Box | Sort::Text => {
                is_before_text =
                    unit.title == 0 && sum.prose >= HEAD / 2 && sum.prose * 2 >= sum.chars;
            }
        }
    }
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
    sum: Sum,
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
                let run = Run { first: node.id().0, end: node.end().0 };
                self.push(run, sort, fact.sum, fact.title, Some(node.id()));
                self.line.is_parted = fact.ends_in_rule;
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
        let is_media = fact.sum.media > 0 && fact.sum.chars == 0;
        // Videos, frames and canvases part text wherever they stand, pictures on a line of their own.
        let stands_alone = fact.class == Class::Media && node.name_id().is_some_and(parts_text);
        let begins_line = self.breaks > 0 || self.line.run.is_none();
        let follows_text = is_media && self.line.sum.chars > 0;
        if stands_alone || (begins_line && (follows_text || self.line.is_media)) {
            self.end_text();
        }
        let is_dashes = is_dashes(node);
        let line = &mut self.line;
        let only = line.run.is_none();
        line.run = Some(Run { first: line.run.map_or(run.first, |run| run.first), end: run.end });
        line.is_media = is_media && (only || line.is_media);
        line.is_dashes = is_dashes && (only || line.is_dashes || self.breaks > 0);
        line.sum.add(&fact.sum);
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
            && last.node.is_none()
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
            _ if line.sum.chars <= LINE => Sort::Line,
            _ => Sort::Text,
        };
        let mut sum = line.sum;
        if sort == Sort::Text {
            sum.prose = sum.chars.saturating_sub(sum.links);
        }
        let is_dashes = line.is_dashes;
        self.push(run, sort, sum, 0, None);
        self.line.is_parted = is_dashes;
    }

    fn push(&mut self, run: Run, sort: Sort, sum: Sum, title: u8, node: Option<NodeId>) {
        let line = std::mem::take(&mut self.line);
        let (is_parted, follows_blank) = (line.is_parted, line.follows_blank);
        self.units.push(Unit { run, sort, sum, title, is_parted, follows_blank, node, rect: None });
    }

    fn sort_of(&self, node: Node<'_>, fact: &Fact) -> Sort {
        let (name, sum) = (node.name_id(), &fact.sum);
        let is_short = sum.chars <= HEADING;
        match fact.class {
            Class::Heading(rank) if is_short => return Sort::Heading(rank),
            Class::Heading(_) => return Sort::Text,
            _ => {}
        }
        // A box with a heading and nothing else is that heading.
        if fact.title > 0
            && sum.titles == sum.chars
            && sum.headings == 1
            && is_short
            && sum.media == 0
        {
            return Sort::Heading(fact.title);
        }
        let names_what_follows =
            [known::DT, known::THEAD, known::CAPTION, known::LEGEND, known::SUMMARY];
        if name.is_some_and(|name| names_what_follows.contains(&name)) && is_short {
            return Sort::Heading(8);
        }
        if name == Some(known::FIGURE) {
            return Sort::Media;
        }
        if fact.holds_boxes && !self.is_plain_row(node, fact) {
            return Sort::Box;
        }
        let is_bold = sum.bold == sum.chars && sum.chars > 0 && sum.links == 0;
        match () {
            _ if sum.chars == 0 && sum.media > 0 => Sort::Media,
            _ if is_bold && is_short && sum.media == 0 && sum.controls == 0 => Sort::Heading(7),
            _ if sum.weight() <= LINE || self.is_row(node) => Sort::Line,
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
            fact.is_some_and(|fact| !fact.holds_boxes && fact.sum.weight() <= 2 * LINE)
        };
        self.is_row(node) && fact.sum.weight() <= 8 * LINE && node.children().all(is_plain)
    }
}

impl Line {
    /// A short line all in bold, which says what follows.
    fn is_heading(&self) -> bool {
        let sum = &self.sum;
        sum.chars > 0 && sum.chars <= HEADING && sum.bold == sum.chars && sum.links == 0
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
