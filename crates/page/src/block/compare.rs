//! Comparing two versions of a page block by block (seed 003 §2.3).
//!
//! The paper compares the blocks at the same position, and stores them all again when the layout
//! differs. Here a block is compared with the one that it continues, wherever that stood, so that a
//! block more is one block more, and a layout that changed leaves the blocks what they are.

use std::collections::HashSet;
use std::time::Duration;

use xxhash_rust::xxh3::xxh3_64_with_seed;

use super::align::increasing;
use super::change::{Change, Kind};
use super::content::Reading;
use super::matching::Matching;
use super::noise::is_token;
use super::tree::{BlockAt, Cut};
use crate::tree::canonical::is_dropped;
use crate::tree::text::is_invisible;
use crate::tree::{Kind as NodeKind, NodeId};

/// Versions further apart do not tell a counter, which differs at every look, from the figures of the
/// day, which are news.
const COUNTER_WITHIN: Duration = Duration::from_secs(6 * 3600);

/// What became of a block of the new version.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fate {
    /// The block.
    pub block: BlockAt,
    /// The block of the old cut that it continues; none if it was added.
    pub from: Option<BlockAt>,
    /// How it differs from that; none if it is the same, or was added.
    pub kind: Option<Kind>,
    /// Whether it stands elsewhere among the blocks, or in another region.
    pub moved: bool,
    /// Per mille of its text that is in text nodes which the old block did not have.
    pub share: u16,
    /// Whether nothing but numbers in its text differs. What differs in these at every version is a
    /// counter: see [`Context::is_counter`].
    pub numbers_only: bool,
}

impl Fate {
    /// Whether it was not there before.
    pub fn is_added(&self) -> bool {
        self.from.is_none()
    }

    /// Whether a reader would call it changed or new.
    pub fn counts(&self) -> bool {
        self.is_added() || self.kind.is_some_and(Kind::counts)
    }
}

/// How a version differs from the one before.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Comparison {
    /// What became of each block of the new cut, in document order.
    pub fates: Vec<Fate>,
    /// The blocks of the old cut that nothing continues.
    pub removed: Vec<BlockAt>,
    /// Whether the elements around the blocks differ.
    pub layout_changed: bool,
}

impl Comparison {
    /// Whether a reader would call the page changed.
    pub fn counts(&self) -> bool {
        !self.removed.is_empty() || self.fates.iter().any(|fate| fate.counts() || fate.moved)
    }
}

/// What is known about two versions beside what they show.
pub struct Context<'c> {
    /// The time between them.
    pub apart: Duration,
    /// Whether a block of the new cut is an advert.
    pub is_advert: &'c dyn Fn(BlockAt) -> bool,
    /// Whether a block of the old cut has changed at every version of late, and in its numbers alone
    /// (see [`Ticks`](super::Ticks)). Changes of its numbers are then volatile, but between versions
    /// that are more than six hours apart.
    pub is_counter: &'c dyn Fn(BlockAt) -> bool,
}

impl Context<'_> {
    /// Nothing is known but the time between.
    pub fn apart(apart: Duration) -> Self {
        Self { apart, is_advert: &|_| false, is_counter: &|_| false }
    }
}

/// Compares two versions, cut as they are.
///
/// ```
/// use std::time::Duration;
/// use page::block::{Context, Contents, Cut, Kind, Matching, Reading, compare, partition};
/// use page::tree::{Mask, parse_str};
///
/// let old = parse_str("<div><p>one</p></div><div><p>two</p></div>").dom;
/// let new = parse_str("<div><p>zero</p></div><div><p>one</p></div><div><p>2</p></div>").dom;
/// let (old_tree, new_tree) = (partition(&old, None), partition(&new, None));
/// let mask = Mask::default();
/// let old_contents = Contents::of(&old, &old_tree, &mask);
/// let new_contents = Contents::of(&new, &new_tree, &mask);
/// let old = Reading { dom: &old, tree: &old_tree, contents: &old_contents };
/// let new = Reading { dom: &new, tree: &new_tree, contents: &new_contents };
///
/// let matching = Matching::between(old, new);
/// let old_cut = Cut::at_level(&old_tree, 1);
/// let new_cut = matching.carry(&old_cut, 1);
/// let context = Context::apart(Duration::from_secs(60));
/// let comparison = compare((old, &old_cut), (new, &new_cut), &matching, &context);
/// let kinds: Vec<_> = comparison.fates.iter().map(|fate| (fate.is_added(), fate.kind)).collect();
/// assert_eq!(kinds, [(true, None), (false, None), (false, Some(Kind::Text))]);
/// ```
pub fn compare(
    (old, old_cut): (Reading<'_>, &Cut),
    (new, new_cut): (Reading<'_>, &Cut),
    matching: &Matching<'_>,
    context: &Context<'_>,
) -> Comparison {
    let place = |at: BlockAt| old_cut.blocks().binary_search(&at).ok();
    let mut continued = vec![false; old_cut.blocks().len()];
    let mut fates: Vec<Fate> = Vec::with_capacity(new_cut.blocks().len());
    let mut places = Vec::new();
    for block in new_cut.blocks().iter().copied() {
        let from = matching.to_old(block).and_then(|at| Some((at, place(at)?)));
        let change = match from {
            Some((from, place)) => {
                continued[place] = true;
                places.push((place, fates.len()));
                told(
                    Change::between((old, from), (new, block), context.apart),
                    from,
                    block,
                    context,
                )
            }
            None => Change { share: 1000, ..Change::NONE },
        };
        let Change { kind, share, numbers_only } = change;
        let from = from.map(|(from, _)| from);
        fates.push(Fate { block, from, kind, moved: false, share, numbers_only });
    }
    // Those that kept their order stayed; the others went past them.
    let order: Vec<_> = places.iter().map(|(place, _)| *place).collect();
    let mut stayed = increasing(&order).into_iter().peekable();
    for (at, (_, fate)) in places.iter().enumerate() {
        let is_in_order = stayed.next_if_eq(&at).is_some();
        if let Some(fate) = fates.get_mut(*fate) {
            fate.moved = !is_in_order || matching.is_elsewhere(fate.block);
        }
    }
    let removed = old_cut.blocks().iter().zip(&continued);
    Comparison {
        removed: removed.filter(|(_, continued)| !**continued).map(|(at, _)| *at).collect(),
        fates,
        layout_changed: frame(old, old_cut) != frame(new, new_cut),
    }
}

/// The change as it is to be told: changes of adverts and of counters are kinds of their own.
fn told(change: Change, from: BlockAt, block: BlockAt, context: &Context<'_>) -> Change {
    let kind = change.kind.map(|kind| match kind {
        Kind::Volatile => Kind::Volatile,
        _ if (context.is_advert)(block) => Kind::Advert,
        Kind::Text
            if change.numbers_only
                && context.apart <= COUNTER_WITHIN
                && (context.is_counter)(from) =>
        {
            Kind::Volatile
        }
        kind => kind,
    });
    Change { kind, ..change }
}

/// The elements around the blocks, each by the names and classes from the page down to it. How many
/// there are of a kind is no part of it: a block more in a list is no other layout.
fn frame(reading: Reading<'_>, cut: &Cut) -> HashSet<u64> {
    let mut frame = HashSet::new();
    let mut blocks = cut.blocks().iter().map(|at| reading.tree.block(*at)).peekable();
    // The hashes of the elements around the next node, with where they end.
    let mut around: Vec<(NodeId, u64)> = Vec::new();
    let mut next = NodeId(0);
    for node in reading.dom.nodes() {
        if node.id() < next {
            continue;
        }
        while around.pop_if(|(end, _)| *end <= node.id()).is_some() {}
        if let Some(block) = blocks.next_if(|block| block.first <= node.id()) {
            next = block.end;
        } else if is_dropped(node) || is_invisible(node) {
            next = node.end();
        } else if node.kind() != NodeKind::Text {
            let above = around.last().map_or(0, |(_, hash)| *hash);
            let hash = xxh3_64_with_seed(node.name().as_bytes(), above);
            let class = node.attribute("class").unwrap_or_default();
            let words = class.split_ascii_whitespace().filter(|word| !is_token(word));
            let hash = words.fold(hash, |hash, word| xxh3_64_with_seed(word.as_bytes(), hash));
            frame.insert(hash);
            around.push((node.end(), hash));
        }
    }
    frame
}
