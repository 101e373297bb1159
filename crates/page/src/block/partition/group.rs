//! Which neighbouring units belong together.

use super::fact::{LINE, Matter, Sum};
use super::unit::{HEAD, HEAD_LINKS, Run, Sort, Unit};
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

    pub(super) fn sum(self, units: &[Unit]) -> Sum {
        let mut sum = Sum::default();
        for unit in self.units(units) {
            sum.add(&unit.sum);
        }
        sum
    }

    pub(super) fn run(self, units: &[Unit]) -> Option<Run> {
        let units = self.units(units);
        Some(Run { first: units.first()?.run.first, end: units.last()?.run.end })
    }
}

/// What weighs less is no region of its own, but on the page itself: a link, a logo, a date.
pub(super) const SLIVER: u32 = 60;

/// The least of a long text, and its paragraphs.
const LONG_TEXT: i64 = 2000;
const LONG_TEXT_PARAGRAPHS: usize = 6;

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
    /// Items of a list that are more.
    Items(Vec<Group>),
    /// Running text: headings, paragraphs and what stands among them.
    Flow,
}

/// Finds the parts of a run.
pub(super) fn group(dom: &Dom, units: &[Unit], is_page: bool) -> Grouping {
    if let Some(groups) = between_blanks(units) {
        return Grouping::Parts(groups);
    }
    if let Some(groups) = items(dom, units) {
        return Grouping::Items(groups);
    }
    let is_short = |unit: &Unit| matches!(unit.sort, Sort::Line | Sort::Media);
    if units.iter().all(is_short) && units.iter().any(|unit| unit.sort == Sort::Line) {
        return Grouping::Lines(group_by(units, |_, _| true));
    }
    let groups = match flow(dom, units) {
        Some(flow) if flow.from == 0 && flow.to == units.len() => return Grouping::Flow,
        Some(flow) => {
            let mut groups = sequence(dom, units, 0, flow.from);
            groups.push(flow);
            groups.extend(sequence(dom, units, flow.to, units.len()));
            groups
        }
        None => sequence(dom, units, 0, units.len()),
    };
    let groups = joined(dom, units, &groups, is_page);
    let groups = if is_page { groups } else { captioned(dom, units, groups) };
    Grouping::Parts(headed(dom, units, &groups))
}

/// Joins what is too small to be a part: lines that are alike, and, below the page itself,
/// neighbouring slivers.
fn joined(dom: &Dom, units: &[Unit], groups: &[Group], is_page: bool) -> Vec<Group> {
    let mut joined: Vec<Group> = Vec::new();
    let mut rest = groups;
    while let Some((&group, after)) = rest.split_first() {
        let alike =
            after.iter().take_while(|next| are_alike_lines(dom, units, group, **next)).count();
        let is_sliver = |group: &Group| {
            let is_landmark = |unit: &Unit| unit.node.is_some_and(|id| is_landmark(dom.node(id)));
            group.sum(units).weight() <= SLIVER && !group.units(units).iter().any(is_landmark)
        };
        let slivers = match is_sliver(&group) && !is_page {
            true => after.iter().take_while(|next| is_sliver(next)).count(),
            false => 0,
        };
        let takes = if alike >= 2 { alike.max(slivers) } else { slivers };
        let to = after.get(..takes).and_then(|taken| taken.last()).map_or(group.to, |last| last.to);
        joined.push(Group { from: group.from, to });
        rest = after.get(takes..).unwrap_or_default();
    }
    joined
}

/// Joins bars and pictures without text with what they stand before, or at the end behind, and short
/// captions with the list that they are the caption of.
fn captioned(dom: &Dom, units: &[Unit], groups: Vec<Group>) -> Vec<Group> {
    let is_apart = |group: &Group| {
        let is_landmark = |unit: &Unit| unit.node.is_some_and(|id| is_landmark(dom.node(id)));
        group.units(units).iter().any(is_landmark)
    };
    let is_mute = |group: &Group| group.sum(units).is_mute() && !is_apart(group);
    let is_caption = |group: &Group| {
        let sum = group.sum(units);
        sum.chars <= SLIVER && sum.link_count <= 2 && sum.controls == 0 && !is_apart(group)
    };
    let rank = |group: &Group| group.units(units).iter().map(|unit| unit.title).find(|&at| at > 0);
    let is_list_below = |caption: &Group, group: &Group| {
        let (sum, first) = (group.sum(units), group.units(units).first());
        let is_below = match (rank(caption), first.map_or(0, |unit| unit.title)) {
            (_, 0) => true,
            (Some(above), below) => above <= below,
            (None, below) => below > 2,
        };
        let has_links = sum.link_count >= 3 && sum.links > sum.chars / 2;
        let is_box = first.is_some_and(|unit| unit.sort == Sort::Box);
        is_below && has_links && is_box && !is_apart(group)
    };
    let mut result: Vec<Group> = Vec::with_capacity(groups.len());
    // Whether the last group waits for what follows, as a caption does.
    let mut waits = false;
    for group in groups {
        let is_mute = is_mute(&group);
        match result.last_mut() {
            Some(last) if waits && !is_apart(&group) && last.sum(units).is_mute() => {
                last.to = group.to;
                waits = is_mute || is_caption(last);
            }
            Some(last) if waits && is_list_below(last, &group) => {
                last.to = group.to;
                waits = false;
            }
            _ => {
                waits = is_mute || is_caption(&group);
                result.push(group);
            }
        }
    }
    // Nothing follows the last one.
    if let [.., before, last] = result.as_mut_slice()
        && is_mute(last)
        && !is_apart(before)
    {
        before.to = last.to;
        result.pop();
    }
    result
}

/// Joins the headline of the page with the text that follows, over author, date and the like.
fn headed(dom: &Dom, units: &[Unit], groups: &[Group]) -> Vec<Group> {
    let are = |group: &Group, may_be: fn(Node<'_>) -> bool| {
        let is = |unit: &Unit| {
            unit.node.is_none_or(|id| !is_landmark(dom.node(id)) || may_be(dom.node(id)))
        };
        group.units(units).iter().all(is)
    };
    let is_head = |group: &Group| {
        let sum = group.sum(units);
        sum.headlines == 1
            && sum.weight() <= HEAD
            && sum.link_count <= HEAD_LINKS + HEAD_LINKS / 2
            && are(group, |node| node.is(known::HEADER))
    };
    let is_between = |group: &Group| {
        let sum = group.sum(units);
        sum.headings == 0
            && sum.weight() <= 2 * LINE
            && sum.link_count <= HEAD_LINKS
            && are(group, |_| false)
    };
    let is_body = |group: &Group| {
        let sum = group.sum(units);
        let is_parted = group.units(units).first().is_some_and(|unit| unit.is_parted);
        sum.headlines == 0
            && sum.prose >= HEAD / 2
            && sum.matter() == Matter::Text
            // Boxes with lists and side columns are to be cut, not to be hidden below a headline.
            && sum.chars - sum.prose.min(sum.chars) <= HEAD
            && !is_parted
            && are(group, |node| node.is(known::ARTICLE))
    };
    let mut joined: Vec<Group> = Vec::with_capacity(groups.len());
    let mut rest = groups;
    while let Some((&group, after)) = rest.split_first() {
        let between = after.iter().take(3).take_while(|next| is_between(next)).count();
        let body = after.get(between).filter(|next| is_head(&group) && is_body(next));
        joined.push(Group { from: group.from, to: body.map_or(group.to, |body| body.to) });
        rest = if body.is_some() { after.get(between + 1..).unwrap_or_default() } else { after };
    }
    joined
}

/// Whether two groups are a line each, of the same element and class.
fn are_alike_lines(dom: &Dom, units: &[Unit], one: Group, other: Group) -> bool {
    let line = |group: Group| match group.units(units) {
        [only] if only.sort == Sort::Line => only.node.map(|id| dom.node(id)),
        _ => None,
    };
    let (Some(one), Some(other)) = (line(one), line(other)) else { return false };
    one.name_id() == other.name_id()
        && one.attribute_by(known::CLASS) == other.attribute_by(known::CLASS)
}

/// The items of a list, whatever each of them looks like, if one of them is more than a line.
fn items(dom: &Dom, units: &[Unit]) -> Option<Vec<Group>> {
    let is_item = |unit: &Unit| unit.node.is_some_and(|id| dom.node(id).is(known::LI));
    let count = units.iter().filter(|unit| is_item(unit)).count();
    let are_items = count >= 3 && count * 3 >= units.len() * 2;
    let is_more = |unit: &Unit| !matches!(unit.sort, Sort::Line | Sort::Media);
    (are_items && units.iter().any(is_more)).then(|| group_by(units, |_, unit| is_item(unit)))
}

/// Groups parted by empty boxes, where these stand all along the run: records set apart by spacers.
fn between_blanks(units: &[Unit]) -> Option<Vec<Group>> {
    let blanks = units.iter().skip(1).filter(|unit| unit.follows_blank).count();
    let has_records = blanks >= 3
        && blanks * 5 >= units.len()
        && blanks + 1 < units.len()
        && !units.iter().any(|unit| unit.sort == Sort::Text);
    let groups = has_records.then(|| group_by(units, |_, unit| unit.follows_blank))?;
    let total = Group { from: 0, to: units.len() }.sum(units).weight();
    groups.iter().all(|group| group.sum(units).weight() <= total / 3).then_some(groups)
}

/// The stretch of running text, from the headings and lines that introduce it to the lines after
/// it, if text outweighs what stands in it. Boxes that hold paragraphs and nothing else are text.
fn flow(dom: &Dom, units: &[Unit]) -> Option<Group> {
    let is_region = |unit: &Unit| {
        let is_region =
            |node: Node<'_>| is_landmark(node) && !matches!(unit.sort, Sort::Heading(_));
        unit.node.is_some_and(|id| is_region(dom.node(id)))
    };
    let is_prose = |unit: &Unit| unit.sort == Sort::Box && unit.sum.is_prose();
    // Several boxes with a headline each are several texts.
    let titled = units.iter().filter(|unit| is_prose(unit) && unit.title > 0).count();
    let is_text = |unit: &Unit| {
        let is_text =
            unit.sort == Sort::Text || (is_prose(unit) && (unit.title == 0 || titled == 1));
        is_text && !is_region(unit)
    };
    let first = units.iter().position(is_text)?;
    let last = units.iter().rposition(is_text)?;
    let weigh = |of: &dyn Fn(&Unit) -> bool| -> u64 {
        let inside = units.get(first..=last).unwrap_or_default();
        inside.iter().filter(|unit| of(unit)).map(|unit| u64::from(unit.sum.weight())).sum()
    };
    let is_other = |unit: &Unit| unit.sort == Sort::Box && !is_text(unit);
    let (first, last) = match weigh(&is_other) > weigh(&|unit| !is_other(unit)) {
        true => long_text(units, &is_text, &is_other)?,
        false => (first, last),
    };
    let introduces = |unit: &Unit| unit.sort != Sort::Box && !is_region(unit);
    let lead = units.get(..first)?;
    let before = lead.iter().rev().take_while(|unit| introduces(unit)).count();
    let before = before.max(head(lead, &introduces));
    let after = units.get(last + 1..)?.iter().take_while(|unit| introduces(unit)).count();
    Some(Group { from: first - before, to: last + 1 + after })
}

/// The stretch in which text outweighs the rest by most, if it is a long text: an article that is
/// followed by references, tables and the like.
fn long_text(
    units: &[Unit],
    is_text: &dyn Fn(&Unit) -> bool,
    is_other: &dyn Fn(&Unit) -> bool,
) -> Option<(usize, usize)> {
    let mut best: Option<(i64, usize, usize)> = None;
    let (mut from, mut sum) = (0, 0_i64);
    for (at, unit) in units.iter().enumerate() {
        let weight = i64::from(unit.sum.weight());
        if sum <= 0 && is_text(unit) {
            (from, sum) = (at, 0);
        }
        sum += if is_other(unit) { -weight } else { weight };
        if is_text(unit) && best.is_none_or(|(most, ..)| sum > most) {
            best = Some((sum, from, at));
        }
    }
    let (_, from, to) = best.filter(|(sum, ..)| *sum >= LONG_TEXT)?;
    let texts = units.get(from..=to)?.iter().filter(|unit| is_text(unit)).count();
    (texts >= LONG_TEXT_PARAGRAPHS).then_some((from, to))
}

/// How many of the units before a text are its head: back to the first heading, over small boxes with
/// author, date and the like.
fn head(lead: &[Unit], introduces: &dyn Fn(&Unit) -> bool) -> usize {
    let taken = lead.iter().rev().take_while(|unit| introduces(unit) || unit.is_byline());
    let is_heading = |(_, unit): &(usize, &Unit)| matches!(unit.sort, Sort::Heading(_));
    taken.enumerate().filter(is_heading).last().map_or(0, |(at, _)| at + 1)
}

/// Groups one after the other: a heading begins one and takes what it is the heading of.
fn sequence(dom: &Dom, units: &[Unit], from: usize, to: usize) -> Vec<Group> {
    let Some(units) = units.get(from..to) else { return Vec::new() };
    let mut open = Open::default();
    let mut before: Option<&Unit> = None;
    let mut groups = group_by(units, |at, unit| {
        let is_beside =
            unit.sort == Sort::Box && before.is_some_and(|before| unit.is_beside(before));
        before = units.get(at);
        // The header of an article belongs to it, and an article without a title to the one before.
        let is_part = |node: Node<'_>| match unit.sort {
            Sort::Heading(_) => heads(node),
            _ => node.is(known::ARTICLE) && unit.title == 0,
        };
        let node = unit.node.map(|id| dom.node(id));
        !open.takes(unit, is_beside || node.is_some_and(|node| is_landmark(node) && !is_part(node)))
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
    /// A landmark, or a column: it takes nothing more.
    is_apart: bool,
}

impl Open {
    /// Whether the next unit belongs to this group; if not, it begins another.
    fn takes(&mut self, unit: &Unit, is_apart: bool) -> bool {
        let is_loose = unit.node.is_none();
        let joins = self.is_open
            && !unit.is_parted
            && !self.is_apart
            && !is_apart
            && match unit.sort {
                // A heading after headings and lines: kicker, headline, subtitle.
                Sort::Heading(_) => !self.has_body && (self.has_heading || self.is_loose),
                Sort::Line | Sort::Media => self.has_heading || (is_loose && self.is_loose),
                Sort::Text => self.has_heading || self.is_loose,
                Sort::Box => self.has_heading && !self.has_body && unit.title == 0,
            };
        if !joins {
            *self = Self { is_open: true, is_loose: true, is_apart, ..Self::default() };
        }
        self.has_heading |= matches!(unit.sort, Sort::Heading(_));
        self.has_body |=
            unit.sum.prose > 0 || (unit.sort == Sort::Box && unit.sum.weight() > 3 * LINE);
        self.is_loose &= is_loose;
        joins
    }
}

/// Whether a region that is only a heading may be the heading of what follows: not if it is a menu,
/// the main part or the foot of a page.
fn heads(node: Node<'_>) -> bool {
    let is_other = |role| matches!(role, "navigation" | "main" | "contentinfo" | "search");
    !matches!(node.name_id(), Some(known::NAV | known::MAIN | known::FOOTER | known::SEARCH))
        && !node.attribute("role").is_some_and(is_other)
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
pub(super) fn only_body(dom: &Dom, units: &[Unit], is_page: bool) -> Option<usize> {
    let mut body = None;
    let mut others = 0;
    let mut slivers = 0;
    for (at, unit) in units.iter().enumerate() {
        let weight = unit.sum.weight();
        match unit.sort {
            _ if unit.node.is_some_and(|id| is_landmark(dom.node(id))) && units.len() > 1 => {
                return None;
            }
            Sort::Text => return None,
            _ if weight <= SLIVER && !is_page => slivers += 1,
            Sort::Box if body.is_some() => return None,
            Sort::Box => body = Some(at),
            Sort::Heading(_) => others += 1,
            _ if weight > 2 * LINE => return None,
            _ => others += 1,
        }
    }
    body.filter(|_| others <= 2 && (others + slivers <= 2 || !is_page))
}
