//! Which blocks of one version continue as which of the next, at all levels of the tree.
//!
//! From the page downwards: two blocks that are the same have the same parts; of others, the parts
//! are [aligned](super::align). What then still has no partner may have moved into another region, and
//! is looked for in the whole page.

use std::collections::HashMap;

use xxhash_rust::xxh3::xxh3_64;

use super::align::{Sides, align, id};
use super::content::Reading;
use super::sketch::alike;
use super::tree::{BlockAt, BlockTree, Cut};

/// Texts shorter than this ("more", "2 comments") occur anywhere and are not said to have moved.
const SHORTEST_MOVED: u32 = 16;

/// Levels below the largest blocks without a partner in which something alike is looked for.
const DEEPEST_ALIKE: usize = 4;

/// Blocks of two versions of a page that continue each other.
#[derive(Clone, Debug)]
pub struct Matching<'a> {
    old: &'a BlockTree,
    new: &'a BlockTree,
    to_new: Vec<Option<BlockAt>>,
    to_old: Vec<Option<BlockAt>>,
}

impl<'a> Matching<'a> {
    /// Matches the blocks of two versions, the old one first.
    pub fn between(old: Reading<'a>, new: Reading<'a>) -> Self {
        let mut matcher = Matcher {
            matching: Self {
                old: old.tree,
                new: new.tree,
                to_new: vec![None; old.tree.blocks().len()],
                to_old: vec![None; new.tree.blocks().len()],
            },
            sides: Sides::new(old, new),
        };
        matcher.descend(BlockAt::PAGE, BlockAt::PAGE);
        matcher.find_moved();
        matcher.matching
    }

    /// The same seen from the new version: what continues each of its blocks backwards in time.
    pub fn reversed(&self) -> Self {
        Self {
            old: self.new,
            new: self.old,
            to_new: self.to_old.clone(),
            to_old: self.to_new.clone(),
        }
    }

    /// What a block of the old version continues as.
    pub fn to_new(&self, old: BlockAt) -> Option<BlockAt> {
        self.to_new.get(old.0 as usize).copied().flatten()
    }

    /// What a block of the new version continues.
    pub fn to_old(&self, new: BlockAt) -> Option<BlockAt> {
        self.to_old.get(new.0 as usize).copied().flatten()
    }

    /// Whether a block stands in another region than the one that it continues.
    pub(super) fn is_elsewhere(&self, new: BlockAt) -> bool {
        let Some(old) = self.to_old(new) else { return false };
        let above = |tree: &BlockTree, at: BlockAt| {
            let parent = tree.block(at).parent;
            (parent != at).then_some(parent)
        };
        // The nearest region around it that was there before.
        let mut region = above(self.new, new);
        while let Some(at) = region {
            if let Some(before) = self.to_old(at) {
                let inside = before.0..self.old.block(before).end_block.0;
                return !inside.contains(&old.0);
            }
            region = above(self.new, at);
        }
        false
    }

    /// Cuts the new version as the old one was cut: what continues a block stays whole, and what is
    /// new is cut as far as its neighbours are, or, where it has none, down to `level`.
    pub fn carry(&self, cut: &Cut, level: u16) -> Cut {
        let depths = Depths::of(self.old, cut);
        // Blocks with something inside that the old cut knows.
        let mut holds_known = vec![false; self.new.blocks().len()];
        for (at, block) in self.new.blocks().iter().enumerate().skip(1).rev() {
            let known = self.to_old(BlockAt(at as u32)).is_some_and(|old| depths.is_known(old));
            let parent = block.parent.0 as usize;
            holds_known[parent] |= known || holds_known[at];
        }
        // How far to open each block that is new, set before it is met.
        let mut to_open: Vec<Option<u16>> = vec![None; self.new.blocks().len()];
        Cut::opening(self.new, |at| {
            let old = self.to_old(at);
            let depth = match old {
                Some(old) => depths.below(old).unwrap_or(0),
                None => to_open[at.0 as usize].unwrap_or_else(|| self.base_depth(at, level)),
            };
            let opens = depth > 0 || (old.is_none() && holds_known[at.0 as usize]);
            if opens {
                let inherited = old.is_none().then(|| depth.saturating_sub(1));
                self.open_new_parts(at, &depths, inherited, &mut to_open);
            }
            opens
        })
    }

    /// How far a block of the new version is opened at a level of the page.
    fn base_depth(&self, at: BlockAt, level: u16) -> u16 {
        let parts = self.new.children(at).next();
        u16::from(parts.is_some_and(|part| self.new.block(part).level <= level))
    }

    /// Says of the new parts of a block how far to open them: as the sibling before them that is
    /// known, else the one after them, else as `inherited`.
    fn open_new_parts(
        &self,
        of: BlockAt,
        depths: &Depths,
        inherited: Option<u16>,
        to_open: &mut [Option<u16>],
    ) {
        let known = |at: BlockAt| self.to_old(at).and_then(|old| depths.below(old));
        let first = self.new.children(of).find_map(known);
        let mut last = first.or(inherited);
        for part in self.new.children(of) {
            match known(part) {
                Some(depth) => last = Some(depth),
                None => to_open[part.0 as usize] = last,
            }
        }
    }
}

/// How many levels the cut is below each block of the old version.
struct Depths {
    below: Vec<Option<u16>>,
}

impl Depths {
    fn of(tree: &BlockTree, cut: &Cut) -> Self {
        let mut below: Vec<Option<u16>> = vec![None; tree.blocks().len()];
        for at in cut.blocks() {
            if let Some(depth) = below.get_mut(at.0 as usize) {
                *depth = Some(0);
            }
        }
        for at in (1..tree.blocks().len()).rev() {
            if let Some(depth) = below[at] {
                let parent = &mut below[tree.blocks()[at].parent.0 as usize];
                *parent = Some(parent.unwrap_or(0).max(depth.saturating_add(1)));
            }
        }
        Self { below }
    }

    /// Levels from a block down to the cut; none for what is inside a block of the cut.
    fn below(&self, at: BlockAt) -> Option<u16> {
        self.below.get(at.0 as usize).copied().flatten()
    }

    fn is_known(&self, at: BlockAt) -> bool {
        self.below(at).is_some()
    }
}

struct Matcher<'a> {
    matching: Matching<'a>,
    sides: Sides<'a>,
}

impl Matcher<'_> {
    /// Matches two blocks and what is in them.
    fn descend(&mut self, old: BlockAt, new: BlockAt) {
        let mut pairs = vec![(old, new)];
        while let Some((old, new)) = pairs.pop() {
            self.set(old, new);
            if self.is_same(old, new) {
                let (a, b) = (self.matching.old.block(old), self.matching.new.block(new));
                for (old, new) in (old.0..a.end_block.0).zip(new.0..b.end_block.0) {
                    self.set(BlockAt(old), BlockAt(new));
                }
                continue;
            }
            let is_free = |taken: &[Option<BlockAt>], at: &BlockAt| taken[at.0 as usize].is_none();
            let (tree, taken) = (self.matching.old, &self.matching.to_new);
            let a: Vec<_> = tree.children(old).filter(|at| is_free(taken, at)).collect();
            let (tree, taken) = (self.matching.new, &self.matching.to_old);
            let b: Vec<_> = tree.children(new).filter(|at| is_free(taken, at)).collect();
            if !a.is_empty() && !b.is_empty() {
                pairs.extend(align(&mut self.sides, &a, &b));
            }
        }
    }

    fn set(&mut self, old: BlockAt, new: BlockAt) {
        if self.matching.to_new(old).is_none() && self.matching.to_old(new).is_none() {
            self.matching.to_new[old.0 as usize] = Some(new);
            self.matching.to_old[new.0 as usize] = Some(old);
        }
    }

    /// Whether two blocks are the same and cut the same way.
    fn is_same(&self, old: BlockAt, new: BlockAt) -> bool {
        let Matching { old: a, new: b, .. } = self.matching;
        let parts = |tree: &BlockTree, at: BlockAt| {
            let end = tree.block(at).end_block.0;
            tree.blocks()[at.0 as usize..end as usize]
                .iter()
                .map(|block| block.end_block.0 - at.0)
                .collect::<Vec<_>>()
        };
        self.sides.old.contents.hash(old) == self.sides.new.contents.hash(new)
            && parts(a, old) == parts(b, new)
    }

    /// Looks in the whole page for what has no partner where it stood: the same bytes, the same text,
    /// the same `id`, and then what is alike.
    fn find_moved(&mut self) {
        let keys: [fn(Reading<'_>, BlockAt) -> Option<u64>; 3] = [
            |reading, at| is_long(reading, at).then(|| reading.contents.hash(at)),
            |reading, at| is_long(reading, at).then(|| reading.contents.text_hash(at)),
            |reading, at| id(reading, at).map(|id| xxh3_64(id.as_bytes())),
        ];
        for key in keys {
            let (old, new) = (self.sides.old, self.sides.new);
            let mut held: HashMap<u64, [Vec<BlockAt>; 2]> = HashMap::new();
            for at in self.free_old() {
                if let Some(key) = key(old, at) {
                    held.entry(key).or_default()[0].push(at);
                }
            }
            let mut order = Vec::new();
            for at in self.free_new() {
                if let Some(key) = key(new, at)
                    && let Some([_, found]) = held.get_mut(&key)
                {
                    order.push((at, key, found.len()));
                    found.push(at);
                }
            }
            for (at, key, place) in order {
                // The same thing as often as before is the same thing each time.
                let Some([a, b]) = held.get(&key).filter(|[a, b]| a.len() == b.len()) else {
                    continue;
                };
                debug_assert_eq!(b.get(place), Some(&at));
                if let Some(old) = a.get(place).copied().filter(|old| self.is_free(*old, at)) {
                    self.descend(old, at);
                }
            }
        }
        self.find_alike();
    }

    /// What is alike, from the largest blocks without a partner to their parts.
    fn find_alike(&mut self) {
        let mut a = tops(&self.matching.to_new, self.matching.old);
        let mut b = tops(&self.matching.to_old, self.matching.new);
        for _ in 0..DEEPEST_ALIKE {
            let (old, new) = (self.sides.old, self.sides.new);
            a.retain(|at| is_long(old, *at));
            b.retain(|at| is_long(new, *at));
            if a.is_empty() || b.is_empty() {
                break;
            }
            for (old, new) in alike(&mut self.sides.old_words, &mut self.sides.new_words, &a, &b) {
                let (Some(old), Some(new)) = (a.get(old), b.get(new)) else { continue };
                if self.is_free(*old, *new) && !self.sides.ids_differ(*old, *new) {
                    self.descend(*old, *new);
                }
            }
            a = free_parts(&self.matching.to_new, old.tree, &a);
            b = free_parts(&self.matching.to_old, new.tree, &b);
        }
    }

    fn is_free(&self, old: BlockAt, new: BlockAt) -> bool {
        self.matching.to_new(old).is_none() && self.matching.to_old(new).is_none()
    }

    fn free_old(&self) -> impl Iterator<Item = BlockAt> + '_ {
        free(&self.matching.to_new)
    }

    fn free_new(&self) -> impl Iterator<Item = BlockAt> + '_ {
        free(&self.matching.to_old)
    }
}

fn free(partners: &[Option<BlockAt>]) -> impl Iterator<Item = BlockAt> + '_ {
    (0..).zip(partners).filter(|(_, partner)| partner.is_none()).map(|(at, _)| BlockAt(at))
}

/// The blocks without a partner that are in none without one.
fn tops(partners: &[Option<BlockAt>], tree: &BlockTree) -> Vec<BlockAt> {
    let has_partner = |at: BlockAt| partners.get(at.0 as usize).copied().flatten().is_some();
    free(partners).filter(|at| has_partner(tree.block(*at).parent)).collect()
}

/// What blocks, or else their parts, have no partner.
fn free_parts(partners: &[Option<BlockAt>], tree: &BlockTree, of: &[BlockAt]) -> Vec<BlockAt> {
    let is_free = |at: &BlockAt| partners.get(at.0 as usize).is_some_and(Option::is_none);
    let part = |at: &BlockAt| match tree.is_leaf(*at) {
        true => vec![*at],
        false => tree.children(*at).collect(),
    };
    of.iter().filter(|at| is_free(at)).flat_map(part).filter(|at| is_free(at)).collect()
}

fn is_long(reading: Reading<'_>, at: BlockAt) -> bool {
    reading.contents.text_len(at) >= SHORTEST_MOVED
}
