//! Cutting a page into blocks (seed 003 §2.1, rules 1–11).
//!
//! The paper asks of every node whether it is a block, by eleven rules over three classes of tags. We
//! keep the questions and mend the answers:
//!
//! | rule | here |
//! |---|---|
//! | 1 nothing in it, or nothing with a size | shows nothing: layout |
//! | 2, 3 function and format are no blocks | neighbouring ones form a line or a paragraph. A span around boxes is a box, and `div` is layout |
//! | 4 one child | a wrapper adds no level: its child takes its place |
//! | 5 too small | a short line joins what it belongs to, and small blocks are not cut |
//! | 6 other colours than its children | what sets parts off is told by headings, rules and empty lines; on a rendered page looks decide what is a box, a heading, a column, or not there |
//! | 7 only layout in it | cut into it |
//! | 8 only format and function in it | a block that is not cut above the level of lines |
//! | 9 its layout all satisfies 8 or 9 (without a base case) | running text is one block; cut at headings, then into paragraphs |
//! | 10 the sibling before is a block | once a run is cut, all that shows in it is in some block |
//! | 11 no block | |
//!
//! Nothing recurses: facts of nodes come from two passes over the arena, and cutting is a list of
//! work. Every node is looked at a bounded number of times.

mod fact;
mod group;
mod unit;

use super::looks::Looks;
use super::tree::{Block, BlockAt, BlockTree};
use crate::tree::{Dom, NodeId};
use fact::{Class, Fact, facts};
pub(super) use fact::{Matter, Sum};
use group::{Group, Grouping, SLIVER, group, group_by, is_landmark, only_body};
use unit::{Run, Sort, Unit, units};

/// Sections, lines and the like are never blocks above this level (but on a page that has nothing
/// else): levels 1 to 3 are regions, their parts, and boxes in these, whatever the markup.
const FINE: u16 = 4;

/// A block below this weight is not cut, unless it is a list or has several texts: the picture,
/// headline and teaser of one story are one item.
const SMALL: u32 = 300;

/// Items that weigh less on average are no blocks of their own above the level of lines: headlines.
const ITEM: u32 = 120;

/// The most that a headline and its teaser weigh, on average, in a list of stories.
const STORY: u32 = 400;

/// Running text without headings is cut into runs of about this much: a few paragraphs.
const RUN: u32 = 1500;

/// The least links of a menu that is a region.
const MENU_LINKS: u16 = 8;

/// A page beyond this is cut no further.
const MAX_BLOCKS: usize = 100_000;

/// Cuts a page as far as it can be cut. Without looks, what an element is for is told by its name.
///
/// ```
/// use page::block::{Cut, partition};
///
/// let dom = page::tree::parse_str("<nav><a href=/>Home</a></nav><main><h1>News</h1><p>One.</main>").dom;
/// let tree = partition(&dom, None);
/// assert_eq!(Cut::at_level(&tree, 1).blocks().len(), 2);
/// ```
pub fn partition(dom: &Dom, looks: Option<&Looks>) -> BlockTree {
    let facts = facts(dom, looks);
    let cutter = Cutter { dom, facts: &facts, looks };
    let page = Job { run: cutter.page(), stage: Stage::Whole, level: 0, parent: BlockAt::PAGE };
    let mut work = vec![page];
    let mut blocks: Vec<Block> = Vec::new();
    while let Some(job) = work.pop() {
        let at = BlockAt(blocks.len() as u32);
        blocks.push(Block {
            first: NodeId(job.run.first),
            end: NodeId(job.run.end),
            level: job.level,
            parent: job.parent,
            end_block: BlockAt(at.0 + 1),
            holds_regions: false,
            holds_items: false,
            sum: cutter.sum(job.run),
        });
        if blocks.len() + work.len() >= MAX_BLOCKS {
            continue;
        }
        let Some((seam, parts)) = cutter.cut(job.run, job.stage, job.level == 0) else { continue };
        if let Some(block) = blocks.last_mut() {
            block.holds_regions = seam == Seam::Part;
            block.holds_items = seam == Seam::Item;
        }
        let level = match seam {
            Seam::Fine if job.level == 0 => 1,
            Seam::Part | Seam::Item => job.level.saturating_add(1),
            Seam::Fine => job.level.saturating_add(1).max(FINE),
            Seam::Finest => job.level.saturating_add(1).max(FINE + 1),
        };
        let job = |(run, stage)| Job { run, stage, level, parent: at };
        work.extend(parts.into_iter().rev().map(job));
    }
    BlockTree::closed(blocks)
}

struct Job {
    run: Run,
    stage: Stage,
    level: u16,
    parent: BlockAt,
}

/// How far a run has been looked into. A run is cut at most once in each stage, and sections at
/// most once for each rank of heading.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    /// Not at all.
    Whole,
    /// It is running text, perhaps with headings.
    Flow,
    /// It is a few paragraphs.
    Paragraphs,
    /// It is one unit without boxes: only lines can be parted.
    Lines,
}

/// What parts the children of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Seam {
    /// Regions.
    Part,
    /// Items of a list, each of several lines.
    Item,
    /// Sections or runs of a text, lines, headlines.
    Fine,
    /// Paragraphs.
    Finest,
}

type Parts = Vec<(Run, Stage)>;

struct Cutter<'a> {
    dom: &'a Dom,
    facts: &'a [Fact],
    looks: Option<&'a Looks>,
}

impl Cutter<'_> {
    /// The run that is the page: the document, which wraps the rest and adds no level.
    fn page(&self) -> Run {
        Run { first: 0, end: self.dom.node_count() as u32 }
    }

    fn units(&self, run: Run) -> Vec<Unit> {
        units(self.dom, self.facts, self.looks, run)
    }

    fn sum(&self, run: Run) -> Sum {
        let mut sum = Sum::default();
        let mut at = run.first;
        while at < run.end {
            if let Some(fact) = self.facts.get(at as usize).filter(|fact| fact.shows) {
                sum.add(&fact.sum);
            }
            at = self.dom.node(NodeId(at)).end().0.max(at + 1);
        }
        sum
    }

    fn cut(&self, run: Run, stage: Stage, is_page: bool) -> Option<(Seam, Parts)> {
        match stage {
            Stage::Whole => self.cut_whole(run, is_page),
            Stage::Flow | Stage::Paragraphs => {
                let units = self.units(run);
                match stage {
                    _ if is_item(&units) => None,
                    Stage::Flow => self.cut_flow(&units),
                    _ => self.cut_paragraphs(&units),
                }
            }
            Stage::Lines => None,
        }
    }

    fn cut_whole(&self, run: Run, is_page: bool) -> Option<(Seam, Parts)> {
        let mut run = run;
        let mut before: Parts = Vec::new();
        let mut after: Parts = Vec::new();
        let units = loop {
            let units = self.units(run);
            if let Some(inside) = self.inside_format(&units) {
                run = inside;
                continue;
            }
            let Some(body) = only_body(self.dom, &units, is_page) else { break units };
            let Some(inside) = units.get(body).and_then(|unit| self.inside(unit)) else {
                break units;
            };
            let (lead, trail) = (units.get(..body), units.get(body + 1..));
            before.extend(lead.into_iter().flat_map(parted_lines));
            after.extend(trail.into_iter().flat_map(parted_lines).rev());
            run = inside;
        };
        let (seam, mut parts) = self.cut_units(&units, is_page)?;
        // A headline and its text belong together, also where the text is followed by other things.
        let seam = if before.is_empty() || !is_mostly_prose(&units) { seam } else { Seam::Fine };
        if parts.len() < 2 && before.is_empty() && after.is_empty() {
            return None;
        }
        before.append(&mut parts);
        before.extend(after.into_iter().rev());
        Some((seam, before))
    }

    fn cut_units(&self, units: &[Unit], is_page: bool) -> Option<(Seam, Parts)> {
        let sum = Group { from: 0, to: units.len() }.sum(units);
        match group(self.dom, units, is_page) {
            Grouping::Lines(groups) if groups.len() > 2 || is_page => {
                Some((Seam::Fine, self.parts(units, &groups)))
            }
            Grouping::Lines(_) => None,
            Grouping::Items(groups) => {
                let are_lines = sum.weight() / groups.len().max(1) as u32 <= ITEM;
                let is_fine = are_lines || self.is_in_menu(units);
                let seam = if is_fine && !is_page { Seam::Fine } else { Seam::Item };
                Some((seam, self.parts(units, &groups)))
            }
            _ if is_item(units) && !is_page => None,
            Grouping::Parts(groups) if groups.len() > 1 => {
                let substantial =
                    groups.iter().filter(|group| group.sum(units).weight() > SLIVER).count();
                let is_menu =
                    self.is_in_menu(units) || (sum.is_menu() && !holds_more(self.dom, units));
                let is_fine = !is_page && (is_menu || (substantial < 2 && sum.weight() <= RUN));
                let seam = if is_fine { Seam::Fine } else { Seam::Part };
                Some((seam, self.parts(units, &groups)))
            }
            Grouping::Parts(_) | Grouping::Flow => self.cut_flow(units),
        }
    }

    /// Whether units are the entries of a menu that says so, with all that folds out of it.
    fn is_in_menu(&self, units: &[Unit]) -> bool {
        let sum = Group { from: 0, to: units.len() }.sum(units);
        let is_in_menu = |unit: &Unit| {
            let around = self.dom.node(NodeId(unit.run.first)).parent();
            let fact = around.and_then(|around| self.facts.get(around.id().at()));
            fact.is_some_and(Fact::is_in_menu)
        };
        sum.prose <= sum.chars / 4 && units.first().is_some_and(is_in_menu)
    }

    /// The children of a box.
    fn inside(&self, unit: &Unit) -> Option<Run> {
        let node = self.dom.node(unit.node?);
        if self.facts.get(node.id().at())?.is_link {
            return None;
        }
        let first = node.first_child()?.id().0;
        Some(Run { first, end: node.end().0 })
    }

    /// The children of a format element that is all there is, and that lines end in.
    fn inside_format(&self, units: &[Unit]) -> Option<Run> {
        let [only] = units else { return None };
        let node = self.dom.node(NodeId(only.run.first));
        let fact = self.facts.get(node.id().at())?;
        let is_format = fact.class == Class::Inline
            && fact.holds_breaks
            && !fact.is_link
            && node.end().0 == only.run.end;
        let first = node.first_child().filter(|_| is_format)?.id().0;
        Some(Run { first, end: node.end().0 })
    }

    fn parts(&self, units: &[Unit], groups: &[Group]) -> Parts {
        let part = |group: &Group| {
            let stage = match group.units(units) {
                [only] if only.sort == Sort::Box => Stage::Whole,
                [_] => Stage::Whole,
                several if only_body(self.dom, several, false).is_some() => Stage::Whole,
                _ => Stage::Flow,
            };
            Some((group.run(units)?, stage))
        };
        groups.iter().filter_map(part).collect()
    }

    /// Running text: cut at its headings of highest rank, at rules and empty lines, else into runs of
    /// paragraphs.
    fn cut_flow(&self, units: &[Unit]) -> Option<(Seam, Parts)> {
        if let Some(regions) = regions(units) {
            return Some((Seam::Part, self.parts(units, &regions)));
        }
        let sections = sections(units);
        if sections.len() > 1 {
            let seam = if are_stories(units, &sections) { Seam::Part } else { Seam::Fine };
            return Some((seam, self.flow_parts(units, &sections, Stage::Flow)));
        }
        let runs = self.paragraph_runs(units);
        if runs.len() > 1 {
            return Some((Seam::Fine, self.flow_parts(units, &runs, Stage::Paragraphs)));
        }
        self.cut_paragraphs(units)
    }

    fn cut_paragraphs(&self, units: &[Unit]) -> Option<(Seam, Parts)> {
        let mut is_heading = false;
        let groups = group_by(units, |_, unit| {
            let follows_heading =
                std::mem::replace(&mut is_heading, matches!(unit.sort, Sort::Heading(_)));
            !follows_heading
        });
        // Among paragraphs may stand boxes with more in them, which are nearer than single paragraphs.
        let holds_regions =
            units.iter().any(|unit| unit.sort == Sort::Box && unit.sum.weight() > RUN);
        let seam = if holds_regions { Seam::Fine } else { Seam::Finest };
        if groups.len() > 1 {
            return Some((seam, self.flow_parts(units, &groups, Stage::Lines)));
        }
        // A heading before boxes with more in them: these are nearer than nothing.
        let parts = group_by(units, |_, unit| unit.sort == Sort::Box);
        (holds_regions && parts.len() > 1).then(|| (Seam::Part, self.parts(units, &parts)))
    }

    fn flow_parts(&self, units: &[Unit], groups: &[Group], stage: Stage) -> Parts {
        let part = |group: &Group| {
            let stage = match group.units(units) {
                [_] => Stage::Whole,
                several if only_body(self.dom, several, false).is_some() => Stage::Whole,
                _ if stage == Stage::Lines => Stage::Paragraphs,
                _ => stage,
            };
            Some((group.run(units)?, stage))
        };
        groups.iter().filter_map(part).collect()
    }

    /// Runs of paragraphs. Where one ends follows from the text of its last paragraph, so that a
    /// paragraph that is inserted or removed moves no border but its own.
    fn paragraph_runs(&self, units: &[Unit]) -> Vec<Group> {
        let mut weight = 0_u32;
        group_by(units, |at, unit| {
            let last = at.checked_sub(1).and_then(|before| units.get(before));
            let ends = weight >= RUN / 3
                && (weight >= RUN
                    || last.is_some_and(|last| self.text_hash(last).is_multiple_of(3)));
            weight =
                if ends { unit.sum.weight() } else { weight.saturating_add(unit.sum.weight()) };
            ends
        })
    }

    fn text_hash(&self, unit: &Unit) -> u64 {
        let mut texts = (unit.run.first..unit.run.end).map(|at| self.dom.node(NodeId(at)).text());
        let text = texts.find(|text| text.len() > 8).unwrap_or_default();
        xxhash_rust::xxh3::xxh3_64(text.as_bytes())
    }
}

/// Lines around a box, cut where something parts them: the name of a site from the story below it.
fn parted_lines(units: &[Unit]) -> Parts {
    let groups = group_by(units, |_, unit| unit.is_parted);
    groups.iter().filter_map(|group| Some((group.run(units)?, Stage::Lines))).collect()
}

/// Whether what is a menu on the whole is more: it has a headline, menus that say that they are, or a
/// list of stories.
fn holds_more(dom: &Dom, units: &[Unit]) -> bool {
    units.iter().any(|unit| {
        let sum = &unit.sum;
        let is_list = sum.link_count >= MENU_LINKS;
        let is_landmark = unit.node.is_some_and(|id| is_landmark(dom.node(id)));
        sum.headlines > 0 || (is_list && (is_landmark || (sum.chars > SMALL && !sum.is_menu())))
    })
}

/// Whether units are so little that they are one item.
fn is_item(units: &[Unit]) -> bool {
    let sum = Group { from: 0, to: units.len() }.sum(units);
    sum.weight() <= SMALL && units.iter().filter(|unit| unit.sum.prose > 0).count() < 2
}

/// Large boxes that a heading brought together, if there is no text to be one with.
fn regions(units: &[Unit]) -> Option<Vec<Group>> {
    let sum = Group { from: 0, to: units.len() }.sum(units);
    let is_region = |unit: &Unit| unit.sort == Sort::Box && unit.sum.weight() > SMALL;
    let holds_large = units.iter().any(|unit| is_region(unit) && unit.sum.weight() > RUN);
    if !holds_large || sum.prose > sum.chars / 2 {
        return None;
    }
    let mut is_after = false;
    let groups = group_by(units, |_, unit| {
        let begins = is_after || is_region(unit);
        is_after = is_region(unit);
        begins
    });
    Some(groups).filter(|groups| groups.len() > 1)
}

/// Whether three quarters of what is read is running text, and the rest nothing large.
fn is_mostly_prose(units: &[Unit]) -> bool {
    let sum = Group { from: 0, to: units.len() }.sum(units);
    let is_large =
        |unit: &Unit| unit.sum.prose < unit.sum.chars / 2 && unit.sum.weight() > 2 * SMALL;
    sum.prose > sum.chars / 4 * 3 && !units.iter().any(is_large)
}

/// Whether sections are no parts of one text but short stories, each with its headline. Bold lines
/// are headlines where there is a link to the story; else they are questions, names, terms.
fn are_stories(units: &[Unit], sections: &[Group]) -> bool {
    let has_heading = |group: &&Group| {
        let units = group.units(units);
        let has_link = units.iter().any(|unit| unit.sum.link_count > 0);
        units.iter().any(|unit| matches!(unit.sort, Sort::Heading(rank) if rank < 7 || has_link))
    };
    let titled = sections.iter().filter(has_heading).count();
    let weight: u64 = units.iter().map(|unit| u64::from(unit.sum.weight())).sum();
    titled >= 3 && titled + 1 >= sections.len() && weight <= titled as u64 * u64::from(STORY)
}

/// Cuts running text at the headings of its highest rank, if there are two or more, and at rules.
fn sections(units: &[Unit]) -> Vec<Group> {
    let rank = |unit: &Unit| match unit.sort {
        Sort::Heading(rank) => Some(rank),
        _ => None,
    };
    // The first heading is the title of all; it counts only if others are its equals.
    let mut counts = [0_usize; 10];
    for rank in units.iter().filter_map(rank) {
        if let Some(count) = counts.get_mut(usize::from(rank)) {
            *count += 1;
        }
    }
    let first = units.iter().find_map(rank);
    let top = (1..10).find(|&rank| {
        let count = counts.get(usize::from(rank)).copied().unwrap_or_default();
        count > 1 || (count == 1 && first != Some(rank))
    });
    // What parts most units from each other is the gap between paragraphs.
    let parted = units.iter().skip(1).filter(|unit| unit.is_parted).count();
    let parts = parted * 2 <= units.len();
    let mut is_heading = false;
    let mut has_body = false;
    group_by(units, |_, unit| {
        let begins = rank(unit).is_some_and(|is| top.is_some_and(|top| is <= top));
        let after_heading = std::mem::replace(&mut is_heading, rank(unit).is_some());
        let cuts = (begins && !after_heading && has_body) || (unit.is_parted && parts);
        has_body = if cuts { false } else { has_body } || rank(unit).is_none();
        cuts
    })
}
