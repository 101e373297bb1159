//! How far to cut a page, learned from what changed in it (seed 003 §2.5, the level manager).
//!
//! The paper has one level for a page. Here each part of the page has its own: blocks that change in
//! part are split, so that a change names little beside what changed; siblings that change together,
//! or never, are merged, so that there are no more blocks than tell something apart.

use super::change::Kind;
use super::compare::Fate;
use super::content::Contents;
use super::tree::{BlockAt, BlockTree, Cut};

/// A block is split when what changes in it is less than a third of its text: what is reported as
/// changed is then more than three times what did (issue figures: at most three).
const SPLIT_BELOW: u64 = 333;
/// Parts of this share of a block are small enough for one step.
const MOST_PARTS: u64 = 16;
/// Siblings are merged only after this many versions with one history: fewer agree by chance.
const MERGE_AFTER: u32 = 12;
/// Siblings that never changed are merged up to this many characters: when one changes after all,
/// this much is reported with it, once.
const LARGEST_QUIET: u32 = 400;

/// A block is a counter once so many versions in a row differed in its numbers alone.
const COUNTER_AFTER: u32 = 4;

/// The history of a block of the cut.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Past {
    /// Versions since it is there and cut as it is, the first one not counted.
    pub lived: u32,
    /// The versions at which it changed in a way that counts, in order.
    pub changed: Vec<u32>,
    /// The mean per mille of its text that these changes brought.
    pub share: u16,
}

impl Past {
    /// Adds what became of the block at a version.
    pub fn add(&mut self, version: u32, fate: &Fate) {
        self.lived = self.lived.saturating_add(1);
        if fate.kind.is_some_and(Kind::counts) {
            let before = self.changed.len() as u64;
            let sum = u64::from(self.share) * before + u64::from(fate.share);
            self.share = (sum / (before + 1)) as u16;
            self.changed.push(version);
        }
    }
}

/// Versions in a row, up to the last one, at which numbers in the text of a block differed and nothing
/// else that counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Ticks(pub u32);

impl Ticks {
    /// Adds what became of the block at a version.
    #[must_use]
    pub fn after(self, fate: &Fate) -> Self {
        Self(if fate.numbers_only { self.0.saturating_add(1) } else { 0 })
    }

    /// Whether the block counts something: of late it has differed at every version, and in its numbers
    /// alone. For [`Context::is_counter`](super::Context::is_counter).
    pub fn is_counter(self) -> bool {
        self.0 >= COUNTER_AFTER
    }
}

/// Cuts a version anew after the history of its blocks, given in the order of the cut. None if it is
/// to stay as it is.
///
/// ```
/// use page::block::{Contents, Cut, Past, partition, recut};
/// use page::tree::{Mask, parse_str};
///
/// let story = |name: &str| format!("<div><p>{}</p></div>", format!("about {name} ").repeat(20));
/// let part = |names: [&str; 3]| format!("<div>{}</div>", names.map(story).concat());
/// let dom = parse_str(&(part(["bread", "boats", "birds"]) + &part(["rain", "rail", "roads"]))).dom;
/// let tree = partition(&dom, None);
/// let contents = Contents::of(&dom, &tree, &Mask::default());
/// let cut = Cut::at_level(&tree, 1);
/// let quiet = Past { lived: 1, ..Past::default() };
/// let busy = Past { lived: 1, changed: vec![7], share: 120 };
///
/// assert_eq!(recut(&tree, &contents, &cut, &[quiet.clone(), quiet.clone()]), None);
/// let finer = recut(&tree, &contents, &cut, &[quiet, busy]).unwrap();
/// assert_eq!((cut.blocks().len(), finer.blocks().len()), (2, 4));
/// ```
pub fn recut(tree: &BlockTree, contents: &Contents, cut: &Cut, past: &[Past]) -> Option<Cut> {
    let mut plan = Plan { tree, contents, past: vec![None; tree.blocks().len()] };
    for (at, past) in cut.blocks().iter().zip(past) {
        if let Some(place) = plan.past.get_mut(at.0 as usize) {
            *place = Some(past);
        }
    }
    let merged = plan.merged(cut);
    let mut split_to: Option<(u32, u64)> = None;
    let new = Cut::opening(tree, |at| {
        // Inside a block that is split: as long as a part is too large for what changes.
        if let Some((_, size)) = split_to.filter(|(end, _)| at.0 < *end) {
            return u64::from(contents.text_len(at)) > size;
        }
        match plan.past.get(at.0 as usize).copied().flatten() {
            Some(past) => {
                let size = plan.largest_part(at, past);
                split_to = size.map(|size| (tree.block(at).end_block.0, size));
                size.is_some()
            }
            None => !merged[at.0 as usize],
        }
    });
    (new != *cut).then_some(new)
}

struct Plan<'a> {
    tree: &'a BlockTree,
    contents: &'a Contents,
    past: Vec<Option<&'a Past>>,
}

impl Plan<'_> {
    /// How large the parts of a block may be at most, if it is to be split: three times what changes, or
    /// a part of the block where that says nothing, since links or pictures changed.
    fn largest_part(&self, at: BlockAt, past: &Past) -> Option<u64> {
        let share = u64::from(past.share);
        let is_partial = !past.changed.is_empty() && share < SPLIT_BELOW;
        let text = u64::from(self.contents.text_len(at));
        let size = (3 * text * share / 1000).max(text / MOST_PARTS);
        (is_partial && !self.tree.is_leaf(at)).then_some(size)
    }

    /// The blocks whose parts are to be merged into them.
    fn merged(&self, cut: &Cut) -> Vec<bool> {
        let mut merged = vec![false; self.tree.blocks().len()];
        let parents = cut.blocks().iter().map(|at| self.tree.block(*at).parent);
        let mut last = None;
        for parent in parents {
            if last.replace(parent) != Some(parent) && parent != BlockAt::PAGE {
                merged[parent.0 as usize] = self.is_one(parent);
            }
        }
        merged
    }

    /// Whether all parts of a block have the same history.
    fn is_one(&self, parent: BlockAt) -> bool {
        let mut first: Option<&Past> = None;
        for part in self.tree.children(parent) {
            let Some(past) = self.past.get(part.0 as usize).copied().flatten() else {
                return false;
            };
            let first = *first.get_or_insert(past);
            let is_whole = past.changed.is_empty() || u64::from(past.share) >= 2 * SPLIT_BELOW;
            if past.lived < MERGE_AFTER || past.changed != first.changed || !is_whole {
                return false;
            }
        }
        match first {
            Some(first) if first.changed.is_empty() => {
                self.contents.text_len(parent) <= LARGEST_QUIET
            }
            // Once is chance, also for all of them.
            Some(first) => first.changed.len() >= 3,
            None => false,
        }
    }
}
