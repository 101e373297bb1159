//! Aligning the blocks that two versions of one block are cut into.
//!
//! Siblings keep their order, so this is a longest common subsequence, found as version control finds
//! it: equal ends first, then what occurs once on both sides ("patience", Cohen 2005), and the gaps
//! between these again. What is equal comes before what is alike: the same bytes, the same text, the
//! same `id`, many rare words in common, the only one of its make, and at last the same slot. Every
//! stage is linear in the siblings, so that no page makes it quadratic.

use std::collections::HashMap;
use std::ops::Range;

use super::content::Reading;
use super::sketch::Sketches;
use super::tree::BlockAt;
use xxhash_rust::xxh3::{xxh3_64, xxh3_64_with_seed};

/// How often a gap is cut at what is unique in it, before what is left goes to the next stage.
const MOST_ROUNDS: u32 = 16;

/// Siblings of the old version beside siblings of the new one that nothing yet matches.
#[derive(Clone, Debug)]
struct Gap {
    old: Range<usize>,
    new: Range<usize>,
    round: u32,
}

/// Two lists of siblings on their way to being aligned.
pub(super) struct Siblings<'s, 'a> {
    pub(super) old: &'s [BlockAt],
    pub(super) new: &'s [BlockAt],
    pub(super) sides: &'s mut Sides<'a>,
    pairs: Vec<(usize, usize)>,
}

/// The two versions.
pub(super) struct Sides<'a> {
    pub(super) old: Reading<'a>,
    pub(super) new: Reading<'a>,
    pub(super) old_words: Sketches<'a>,
    pub(super) new_words: Sketches<'a>,
}

impl<'a> Sides<'a> {
    pub(super) fn new(old: Reading<'a>, new: Reading<'a>) -> Self {
        Self { old, new, old_words: Sketches::of(old), new_words: Sketches::of(new) }
    }

    /// Whether two blocks say by their `id` that they are not the same.
    pub(super) fn ids_differ(&self, old: BlockAt, new: BlockAt) -> bool {
        matches!((id(self.old, old), id(self.new, new)), (Some(a), Some(b)) if a != b)
    }
}

/// Which siblings of the old version continue as which of the new one. Both in document order.
pub(super) fn align(
    sides: &mut Sides<'_>,
    old: &[BlockAt],
    new: &[BlockAt],
) -> Vec<(BlockAt, BlockAt)> {
    let gap = Gap { old: 0..old.len(), new: 0..new.len(), round: 0 };
    let mut siblings = Siblings { old, new, sides, pairs: Vec::new() };
    let mut gaps = vec![gap];
    for stage in [Siblings::same_bytes, Siblings::same_text, Siblings::same_id] {
        gaps = siblings.at_unique(gaps, stage);
    }
    gaps = siblings.at_words(gaps);
    gaps = siblings.at_unique(gaps, Siblings::same_make);
    siblings.in_slots(gaps);
    let Siblings { pairs, .. } = siblings;
    pairs.into_iter().filter_map(|(a, b)| Some((*old.get(a)?, *new.get(b)?))).collect()
}

/// What two siblings must have in common at a stage: the key of a sibling on either side.
type Key = fn(Reading<'_>, BlockAt) -> Option<u64>;

impl Siblings<'_, '_> {
    fn same_bytes(reading: Reading<'_>, at: BlockAt) -> Option<u64> {
        Some(reading.contents.hash(at))
    }

    fn same_text(reading: Reading<'_>, at: BlockAt) -> Option<u64> {
        (reading.contents.text_len(at) > 0).then(|| reading.contents.text_hash(at))
    }

    fn same_id(reading: Reading<'_>, at: BlockAt) -> Option<u64> {
        id(reading, at).map(|id| xxh3_64(id.as_bytes()))
    }

    fn same_make(reading: Reading<'_>, at: BlockAt) -> Option<u64> {
        make(reading, at)
    }

    /// Cuts gaps at keys that occur once on both sides.
    fn at_unique(&mut self, mut gaps: Vec<Gap>, key: Key) -> Vec<Gap> {
        let mut left = Vec::new();
        while let Some(gap) = gaps.pop() {
            let Some(gap) = self.trimmed(gap) else { continue };
            let mut found: HashMap<u64, [Option<usize>; 2]> = HashMap::new();
            let mut twice: HashMap<u64, [u32; 2]> = HashMap::new();
            let sides = [
                (self.sides.old, self.old, gap.old.clone()),
                (self.sides.new, self.new, gap.new.clone()),
            ];
            for (side, (reading, blocks, range)) in sides.into_iter().enumerate() {
                for at in range {
                    if let Some(key) = blocks.get(at).and_then(|block| key(reading, *block)) {
                        found.entry(key).or_default()[side] = Some(at);
                        twice.entry(key).or_default()[side] += 1;
                    }
                }
            }
            let once = |(key, at): (u64, [Option<usize>; 2])| match (at, twice.get(&key)) {
                ([Some(a), Some(b)], Some([1, 1])) => Some((a, b)),
                _ => None,
            };
            let anchors: Vec<_> = found.into_iter().filter_map(once).collect();
            let anchors =
                anchors.into_iter().filter(|(a, b)| !self.may_not_match(*a, *b)).collect();
            self.cut(gap, anchors, &mut gaps, &mut left);
        }
        left
    }

    /// Cuts gaps where blocks have rare words in common.
    fn at_words(&mut self, mut gaps: Vec<Gap>) -> Vec<Gap> {
        let mut left = Vec::new();
        while let Some(gap) = gaps.pop() {
            let Some(gap) = self.trimmed(gap) else { continue };
            let old = self.old.get(gap.old.clone()).unwrap_or_default();
            let new = self.new.get(gap.new.clone()).unwrap_or_default();
            let found = super::sketch::alike(
                &mut self.sides.old_words,
                &mut self.sides.new_words,
                old,
                new,
            );
            let anchors = found
                .into_iter()
                .map(|(a, b)| (gap.old.start + a, gap.new.start + b))
                .filter(|(a, b)| !self.may_not_match(*a, *b))
                .collect();
            self.cut(gap, anchors, &mut gaps, &mut left);
        }
        left
    }

    /// As many old siblings as new ones, each made as its partner: the same slots with other content.
    fn in_slots(&mut self, gaps: Vec<Gap>) {
        for gap in gaps.into_iter().filter_map(|gap| self.trimmed(gap)).collect::<Vec<_>>() {
            if gap.old.len() != gap.new.len() {
                continue;
            }
            let slots: Vec<_> = gap.old.zip(gap.new).collect();
            let (old, new) = (self.sides.old, self.sides.new);
            let fits = |(a, b): &(usize, usize)| match (self.old.get(*a), self.new.get(*b)) {
                (Some(a), Some(b)) => make(old, *a) == make(new, *b),
                _ => false,
            };
            if slots.iter().all(|slot| fits(slot) && !self.may_not_match(slot.0, slot.1)) {
                self.pairs.extend(slots);
            }
        }
    }

    fn may_not_match(&self, old: usize, new: usize) -> bool {
        match (self.old.get(old), self.new.get(new)) {
            (Some(a), Some(b)) => self.sides.ids_differ(*a, *b),
            _ => true,
        }
    }

    /// Takes the anchors that keep the order, and what is between them is a gap each.
    fn cut(
        &mut self,
        gap: Gap,
        mut anchors: Vec<(usize, usize)>,
        gaps: &mut Vec<Gap>,
        left: &mut Vec<Gap>,
    ) {
        anchors.sort_unstable();
        let order: Vec<_> = anchors.iter().map(|(_, b)| *b).collect();
        let kept: Vec<_> = increasing(&order).into_iter().map(|at| anchors[at]).collect();
        if kept.is_empty() {
            left.push(gap);
            return;
        }
        let next = if gap.round < MOST_ROUNDS { gaps } else { left };
        let (mut a, mut b) = (gap.old.start, gap.new.start);
        for (old, new) in kept.iter().copied().chain([(gap.old.end, gap.new.end)]) {
            if a < old || b < new {
                next.push(Gap { old: a..old, new: b..new, round: gap.round + 1 });
            }
            (a, b) = (old + 1, new + 1);
        }
        self.pairs.extend(kept);
    }

    /// Pairs what is equal at both ends of a gap. What is left, if there is any on both sides.
    fn trimmed(&mut self, mut gap: Gap) -> Option<Gap> {
        while !gap.old.is_empty()
            && !gap.new.is_empty()
            && self.is_equal(gap.old.start, gap.new.start)
        {
            self.pairs.push((gap.old.start, gap.new.start));
            (gap.old.start, gap.new.start) = (gap.old.start + 1, gap.new.start + 1);
        }
        while !gap.old.is_empty()
            && !gap.new.is_empty()
            && self.is_equal(gap.old.end - 1, gap.new.end - 1)
        {
            (gap.old.end, gap.new.end) = (gap.old.end - 1, gap.new.end - 1);
            self.pairs.push((gap.old.end, gap.new.end));
        }
        (!gap.old.is_empty() && !gap.new.is_empty()).then_some(gap)
    }

    fn is_equal(&self, old: usize, new: usize) -> bool {
        let (Some(a), Some(b)) = (self.old.get(old), self.new.get(new)) else { return false };
        self.sides.old.contents.hash(*a) == self.sides.new.contents.hash(*b)
    }
}

/// The `id` of a block.
pub(super) fn id<'a>(reading: Reading<'a>, at: BlockAt) -> Option<&'a str> {
    reading.head(at)?.attribute("id").filter(|id| !id.is_empty())
}

/// How a block is made: the name of its element, its classes, and what attributes it has.
pub(super) fn make(reading: Reading<'_>, at: BlockAt) -> Option<u64> {
    let head = reading.head(at)?;
    let class = head.attribute("class").unwrap_or_default();
    let start = xxh3_64_with_seed(head.name().as_bytes(), xxh3_64(class.as_bytes()));
    Some(head.attributes().fold(start, |sum, (name, _)| xxh3_64_with_seed(name.as_bytes(), sum)))
}

/// The positions of a longest increasing subsequence.
pub(super) fn increasing<T: Ord>(sequence: &[T]) -> Vec<usize> {
    let mut last: Vec<usize> = Vec::new();
    let mut before: Vec<Option<usize>> = Vec::with_capacity(sequence.len());
    for (at, value) in sequence.iter().enumerate() {
        let length = last.partition_point(|other| sequence[*other] < *value);
        before.push(length.checked_sub(1).map(|shorter| last[shorter]));
        match last.get_mut(length) {
            Some(place) => *place = at,
            None => last.push(at),
        }
    }
    let mut found: Vec<_> =
        std::iter::successors(last.last().copied(), |at| before.get(*at).copied().flatten())
            .collect();
    found.reverse();
    found
}

#[cfg(test)]
mod tests {
    use super::increasing;

    #[test]
    fn the_longest_increasing_run_is_found() {
        assert!(increasing::<u32>(&[]).is_empty());
        assert_eq!(increasing(&[3, 1, 2, 5, 4]), [1, 2, 4]);
        assert_eq!(increasing(&[5, 4, 3]).len(), 1);
    }
}
