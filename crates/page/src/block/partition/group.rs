//! Which neighbouring units belong together.

use super::fact::{Fact, LINE};
use super::unit::{Run, Sort, Unit};
use crate::tree::names::known;
use crate::tree::{Dom, Node};

/// Units that belong together, by their places.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Group {
    pub(super) from: usize,
    pub(super) to: usize,
}

impl Group {
    pub(super) fn units(self, units: &[Unit]) -> &[Unit] {
        units.get(self.from..self.to).unwrap_or_default()
    }

    pub(super) fn run(self, units: &[Unit]) -> Option<Run> {
        let units = self.units(units);
        Some(Run { first: units.first()?.run.first, end: units.last()?.run.end })
    }
}

/// Puts units together that begin a new group where `begins` says so.
pub(super) fn group_by(units: &[Unit], mut begins: impl FnMut(usize, &Unit) -> bool) -> Vec<Group> {
    let mut groups: Vec<Group> = Vec::new();
    for (at, unit) in units.iter().enumerate() {
        let begins = begins(at, unit);
        match groups.last_mut() {
            Some(last) if !begins => last.to = at + 1,
            _ => groups.push(Group { from: at, to: at + 1 }),
        }
    }
    groups
}

/// What the units of a run are together.
#[derive(Debug)]
pub(super) enum Grouping {
    /// Regions, cards, boxes.
    Parts(Vec<Group>),
    /// Items of a list that are a line each.
    Lines(Vec<Group>),
    /// Running text: headings, paragraphs and what stands among them.
    Flow,
}

/// Finds the parts of a run.
pub(super) fn group(dom: &Dom, facts: &[Fact], units: &[Unit]) -> Grouping {
    if let Some(groups) = between_blanks(units) {
        return Grouping::Parts(groups);
    }
    let is_short = |unit: &Unit| matches!(unit.sort, Sort::Line | Sort::Media);
    if units.iter().all(is_short) && units.iter().any(|unit| unit.sort == Sort::Line) {
        return Grouping::Lines(group_by(units, |_, _| true));
    }
    let groups = match flow(units) {
        Some(flow) if flow.from == 0 && flow.to == units.len() => return Grouping::Flow,
        Some(flow) => {
            let mut groups = sequence(dom, facts, units, 0, flow.from);
            groups.push(flow);
            groups.extend(sequence(dom, facts, units, flow.to, units.len()));
            groups
        }
        None => sequence(dom, facts, units, 0, units.len()),
    };
    Grouping::Parts(groups)
}

/// Groups parted by empty boxes, where these stand all along the run: records set apart by spacers.
fn between_blanks(units: &[Unit]) -> Option<Vec<Group>> {
    let blanks = units.iter().skip(1).filter(|unit| unit.follows_blank).count();
    let has_records = blanks >= 3 && blanks * 5 >= units.len() && blanks + 1 < units.len();
    has_records.then(|| group_by(units, |_, unit| unit.follows_blank))
}

/// The stretch of running text, from the headings and lines that introduce it to the lines after
/// it, if paragraphs outweigh what stands between them.
fn flow(units: &[Unit]) -> Option<Group> {
    let is_text = |unit: &Unit| unit.sort == Sort::Text;
    let first = units.iter().position(is_text)?;
    let last = units.iter().rposition(is_text)?;
    let inside = units.get(first..=last)?;
    let sum = |of: fn(&Unit) -> bool| {
        inside.iter().filter(|unit| of(unit)).map(|unit| u64::from(unit.weight)).sum::<u64>()
    };
    let text = sum(|unit| unit.sort != Sort::Box);
    if text < sum(|unit| unit.sort == Sort::Box) {
        return None;
    }
    let introduces = |unit: &Unit| unit.sort != Sort::Box;
    let before = units.get(..first)?.iter().rev().take_while(|unit| introduces(unit)).count();
    let after = units.get(last + 1..)?.iter().take_while(|unit| introduces(unit)).count();
    Some(Group { from: first - before, to: last + 1 + after })
}

/// Groups one after the other: a heading begins one and takes what it is the heading of.
fn sequence(dom: &Dom, facts: &[Fact], units: &[Unit], from: usize, to: usize) -> Vec<Group> {
    let Some(units) = units.get(from..to) else { return Vec::new() };
    let mut open = Open::default();
    let mut groups = group_by(units, |_, unit| {
        let node = unit.node.map(|id| dom.node(id));
        let is_landmark = node.is_some_and(is_landmark);
        let fact = unit.node.and_then(|id| facts.get(id.0 as usize));
        let is_titled = unit.sort == Sort::Box && fact.is_some_and(|fact| fact.title > 0);
        !open.takes(unit, is_landmark, is_titled)
    });
    for group in &mut groups {
        group.from += from;
        group.to += from;
    }
    groups
}

/// The group that is being put together.
#[derive(Default)]
struct Open {
    is_open: bool,
    has_heading: bool,
    has_body: bool,
    /// Only parts of lines so far.
    is_loose: bool,
    is_landmark: bool,
}

impl Open {
    /// Whether the next unit belongs to this group; if not, it begins another.
    fn takes(&mut self, unit: &Unit, is_landmark: bool, is_titled: bool) -> bool {
        let is_loose = unit.node.is_none();
        let joins = self.is_open
            && !unit.is_parted
            && !self.is_landmark
            && !is_landmark
            && match unit.sort {
                // A heading after headings and lines: kicker, headline, subtitle.
                Sort::Heading(_) => !self.has_body && (self.has_heading || self.is_loose),
                Sort::Line | Sort::Media => self.has_heading || (is_loose && self.is_loose),
                Sort::Text => self.has_heading || self.is_loose,
                Sort::Box => self.has_heading && !self.has_body && !is_titled,
            };
        if !joins {
            *self = Self { is_open: true, is_loose: true, is_landmark, ..Self::default() };
        }
        self.has_heading |= matches!(unit.sort, Sort::Heading(_));
        self.has_body |= matches!(unit.sort, Sort::Text | Sort::Box);
        self.is_loose &= is_loose;
        joins
    }
}

/// Whether an element says that it is a region of the page.
pub(super) fn is_landmark(node: Node<'_>) -> bool {
    matches!(
        node.name_id(),
        Some(
            known::NAV
                | known::ASIDE
                | known::HEADER
                | known::FOOTER
                | known::MAIN
                | known::SEARCH
                | known::ARTICLE
        )
    ) || node.attribute("role").is_some_and(|role| {
        matches!(
            role,
            "banner"
                | "navigation"
                | "main"
                | "complementary"
                | "contentinfo"
                | "search"
                | "region"
                | "article"
        )
    })
}

/// The one unit that the others only introduce or close, if there is one: headings and lines around
/// a box.
pub(super) fn only_body(dom: &Dom, units: &[Unit]) -> Option<usize> {
    let mut body = None;
    let mut others = 0;
    for (at, unit) in units.iter().enumerate() {
        match unit.sort {
            Sort::Box if body.is_some() => return None,
            Sort::Box => body = Some(at),
            Sort::Text => return None,
            _ if unit.weight > 2 * LINE => return None,
            _ if unit.node.is_some_and(|id| is_landmark(dom.node(id))) => return None,
            _ => others += 1,
        }
    }
    body.filter(|_| others <= 2)
}
