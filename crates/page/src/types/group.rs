//! Which samples are of one type: components of "alike enough", once what is common to all types is
//! known.
//!
//! Pages of a site share a frame: its header, menu and footer may be nine tenths of a page, so that
//! a list and a thread look more alike than two threads do, one of which has a poll. The frame is
//! what occurs in almost all *types* (not pages: a site may be nine tenths threads), and types are
//! what we look for; so first only pages that are nearly equal are put together, which parts too
//! much, then the frame of these groups is found, its weight is taken away, and the groups are made
//! again until they stay.
//!
//! Nobody draws a template for one page, but for a few: the home page, a search. Where there are many types
//! of one page, it is the content that differs: pages of a manual have headings, tables and examples as
//! their authors saw fit, all in one template. Then less is asked of all pages, until few are left alone.
//!
//! The result depends on the set of samples alone, never on their order: components of a relation
//! have no order. (Types that a person defined are kept apart by joining the most alike first.)
//!
//! Numbers were chosen on three forum engines and on `bbs` and `news`, and were right at once on
//! `blog` (`bathys bench types`). They are in the middle of what works: pairwise F1 stays at 0.98 or
//! above on each of these with [`SAME_PATTERN`] in 0.5–0.7, [`OTHER_PATTERN`] in 0.8–0.9,
//! [`FRAME_WEIGHT`] in 0.02–0.1 and [`IN_FRAME`] in 0.7–0.9.

use std::collections::HashMap;

use super::TypeId;
use crate::tree::Outline;

/// How alike (share of places in common, the frame included) pages must be while no frame is known,
/// at URLs of one pattern and at others.
const NEARLY_EQUAL: [f64; 2] = [0.75, 0.9];
/// How alike pages at URLs of one pattern must be, frame aside.
const SAME_PATTERN: f64 = 0.6;
/// How alike all others must be: one template seldom answers to two routes.
const OTHER_PATTERN: f64 = 0.85;
/// The share of types in which a place occurs that is frame.
const IN_FRAME: f64 = 0.8;
/// What a common place of the frame counts, where any other counts 1. Not 0: a page with the whole
/// frame and little else is more like another such page than like a page without a frame.
const FRAME_WEIGHT: f64 = 0.05;
/// Samples that may be alone in their types, before less is asked of all; and the least that is asked, of
/// what is asked at first.
const MOST_ALONE: usize = 16;
const LEAST_ASKED: f64 = 0.1;
/// With fewer types than this, nothing can be said about what all have in common.
const FEWEST_TYPES: usize = 3;
/// How often groups are made anew at most. Three were enough on every site.
const ROUNDS: usize = 6;

/// A page to be grouped.
pub(super) struct Sample<'a> {
    /// Hashes of its places, sorted.
    pub(super) places: &'a [u32],
    /// Its tree, where types are told by that.
    pub(super) outline: Option<&'a Outline>,
    /// The type that it was grouped into before.
    pub(super) of: Option<TypeId>,
    pub(super) pattern: &'a Pattern,
    /// The defined type that it is a sample of.
    pub(super) defined: Option<u32>,
}

/// The pattern of a URL, ready to be compared.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Pattern {
    shape: String,
    /// Its path, without how many numbers follow each other: `/t/*/72` and `/t/*/72/2` are one
    /// route.
    route: String,
    /// Where its query begins.
    query: usize,
}

impl Pattern {
    pub(super) fn new(shape: String) -> Self {
        let query = shape.find(['?', '#']).unwrap_or(shape.len());
        let mut segments: Vec<_> =
            shape[..query].split('/').filter(|part| !part.is_empty()).collect();
        segments.dedup_by(|next, last| *next == "*" && *last == "*");
        Pattern { route: segments.join("/"), shape, query }
    }

    pub(super) fn as_str(&self) -> &str {
        &self.shape
    }

    fn query(&self) -> &str {
        self.shape.get(self.query..).unwrap_or_default()
    }

    /// Whether one template may answer to both: the same route, and a query of which one only adds
    /// to the other (`?id` and `?id&page`, but not `?topic` and `?board`).
    fn is_like(&self, other: &Pattern) -> bool {
        let (own, theirs) = (self.query(), other.query());
        self.route == other.route && (adds_to(own, theirs) || adds_to(theirs, own))
    }
}

/// Whether every name of one query is in the other.
fn adds_to(query: &str, other: &str) -> bool {
    let mut names = query.trim_start_matches('?').split('&').filter(|name| !name.is_empty());
    names.all(|name| other.trim_start_matches('?').split('&').any(|own| own == name))
}

/// What is known about the frame.
#[derive(Clone, Debug)]
pub(super) struct Frame {
    /// Hashes of its places, sorted; none before there are enough types.
    places: Option<Vec<u32>>,
    /// How much of what is asked of pages at first.
    asked: f64,
}

impl Default for Frame {
    fn default() -> Self {
        Frame { places: None, asked: 1.0 }
    }
}

impl Frame {
    /// A page as two lists of places: those outside the frame, and those of it.
    pub(super) fn part(&self, places: &[u32]) -> Parted {
        let frame = self.places.as_deref().unwrap_or_default();
        let (frame, own) = places.iter().partition(|place| frame.binary_search(place).is_ok());
        Parted { own, frame }
    }

    /// How alike two pages are, and whether that is enough for one type.
    pub(super) fn compare(
        &self,
        a: &Parted,
        b: &Parted,
        patterns: (&Pattern, &Pattern),
    ) -> (f64, bool) {
        let counts = Counts {
            own: in_both(&a.own, &b.own),
            frame: in_both(&a.frame, &b.frame),
            all: a.own.len() + a.frame.len() + b.own.len() + b.frame.len(),
        };
        let similarity = self.similarity(counts);
        (similarity, similarity >= self.threshold(patterns))
    }

    fn similarity(&self, counts: Counts) -> f64 {
        let weight = if self.places.is_some() { FRAME_WEIGHT } else { 1.0 };
        let common = counts.own as f64 + weight * counts.frame as f64;
        let different = counts.all - 2 * (counts.own + counts.frame);
        if different == 0 { 1.0 } else { common / (common + different as f64) }
    }

    fn threshold(&self, (a, b): (&Pattern, &Pattern)) -> f64 {
        let asked = match &self.places {
            None if a.is_like(b) => NEARLY_EQUAL[0],
            None => NEARLY_EQUAL[1],
            Some(_) if a.is_like(b) => SAME_PATTERN,
            Some(_) => OTHER_PATTERN,
        };
        self.asked * asked
    }
}

/// The places of a page, parted by [`Frame::part`].
#[derive(Clone, Debug, Default)]
pub(super) struct Parted {
    own: Vec<u32>,
    frame: Vec<u32>,
}

/// How many places two pages have in common, and how many they have in all.
#[derive(Clone, Copy)]
struct Counts {
    own: usize,
    frame: usize,
    all: usize,
}

/// How many numbers two sorted lists have in common.
fn in_both(a: &[u32], b: &[u32]) -> usize {
    let (mut a, mut b) = (a.iter().peekable(), b.iter().peekable());
    let mut common = 0;
    while let (Some(x), Some(y)) = (a.peek(), b.peek()) {
        let order = x.cmp(y);
        common += usize::from(order.is_eq());
        if order.is_le() {
            a.next();
        }
        if order.is_ge() {
            b.next();
        }
    }
    common
}

/// The group of each sample, numbered from 0 in the order of their first samples, and the frame.
pub(super) fn group(samples: &[Sample<'_>]) -> (Vec<usize>, Frame) {
    let table = Table::new(samples);
    let mut frame = Frame::default();
    // Strictly at first, also at URLs of one pattern: pages that a script draws may have but one.
    let mut groups = table.groups(&frame, NEARLY_EQUAL[1]);
    for _ in 0..ROUNDS {
        frame = table.frame_of(&groups);
        let again = table.groups(&frame, 0.0);
        if frame.places.is_none() || again == groups {
            groups = again;
            break;
        }
        groups = again;
    }
    if alone(&groups) > MOST_ALONE {
        frame.asked = table.asked_to_leave_few_alone(&frame);
        groups = table.groups(&frame, 0.0);
    }
    (groups, frame)
}

/// How many groups have one member.
fn alone(groups: &[usize]) -> usize {
    let mut members = vec![0u32; groups.len()];
    for group in groups {
        if let Some(members) = members.get_mut(*group) {
            *members += 1;
        }
    }
    members.iter().filter(|members| **members == 1).count()
}

/// Samples, and what each two of them have in common.
struct Table<'a> {
    samples: &'a [Sample<'a>],
    /// The places that more than one sample has, sorted.
    places: Vec<u32>,
    /// The samples that have each of these.
    holders: Vec<Vec<usize>>,
    /// Places in common, in the order of [`pairs`].
    common: Vec<u16>,
}

/// Every two samples once.
fn pairs(samples: usize) -> impl Iterator<Item = (usize, usize)> {
    (0..samples).flat_map(|a| (0..a).map(move |b| (a, b)))
}

impl<'a> Table<'a> {
    fn new(samples: &'a [Sample<'a>]) -> Self {
        let mut all: Vec<(u32, usize)> = Vec::new();
        for (number, sample) in samples.iter().enumerate() {
            all.extend(sample.places.iter().map(|place| (*place, number)));
        }
        all.sort_unstable();
        let (mut places, mut holders) = (Vec::new(), Vec::new());
        for same in all.chunk_by(|a, b| a.0 == b.0).filter(|same| same.len() > 1) {
            places.extend(same.first().map(|(place, _)| *place));
            holders.push(same.iter().map(|(_, sample)| *sample).collect::<Vec<_>>());
        }
        // What many have is counted by bits, what few have by its pairs: at the most samples that
        // are kept this bounds the work, whatever the pages.
        let is_rare = |holders: &&Vec<usize>| holders.len() <= samples.len() / 8;
        let bits = Bits::new(samples.len(), holders.iter().filter(|holders| !is_rare(holders)));
        let mut common: Vec<u16> = pairs(samples.len()).map(|(a, b)| bits.common(a, b)).collect();
        for holders in holders.iter().filter(is_rare) {
            for (at, b) in holders.iter().enumerate() {
                for a in holders.iter().skip(at + 1) {
                    if let Some(count) = common.get_mut(a * (a - 1) / 2 + b) {
                        *count += 1;
                    }
                }
            }
        }
        Table { samples, places, holders, common }
    }

    /// How alike each two samples are under a frame.
    fn similarities(&self, frame: &Frame) -> impl Iterator<Item = (f64, usize, usize)> {
        let columns = frame.places.iter().flatten();
        let columns = columns.filter_map(|place| self.places.binary_search(place).ok());
        let holders = columns.filter_map(|column| self.holders.get(column));
        let bits = Bits::new(self.samples.len(), holders);
        pairs(self.samples.len()).zip(&self.common).map(move |((a, b), common)| {
            let places = |sample: usize| self.samples.get(sample).map_or(0, |of| of.places.len());
            let in_frame = bits.common(a, b);
            let counts = Counts {
                own: usize::from(common.saturating_sub(in_frame)),
                frame: usize::from(in_frame),
                all: places(a) + places(b),
            };
            (frame.similarity(counts), a, b)
        })
    }

    /// What is asked of two samples.
    fn threshold(&self, frame: &Frame, a: usize, b: usize) -> f64 {
        match (self.samples.get(a), self.samples.get(b)) {
            (Some(a), Some(b)) => frame.threshold((a.pattern, b.pattern)),
            _ => f64::INFINITY,
        }
    }

    /// The groups under a frame, of samples that are at least so alike.
    fn groups(&self, frame: &Frame, least: f64) -> Vec<usize> {
        let mut forest = Forest::new(self.samples);
        // Nearly all pairs fail at the first question, before their patterns are looked at.
        let alike = self.similarities(frame).filter(|(similarity, a, b)| {
            *similarity >= (frame.asked * SAME_PATTERN).max(least)
                && *similarity >= self.threshold(frame, *a, *b)
        });
        let mut alike: Vec<_> = alike.collect();
        if forest.has_defined {
            alike.sort_by(|x, y| y.0.total_cmp(&x.0));
        }
        for (_, a, b) in alike {
            forest.join(a, b);
        }
        forest.numbered()
    }

    /// How much may be asked at most so that few samples are alone. One is if none of the others is as much
    /// like it as is asked, so the most that any of them has of what is asked decides.
    fn asked_to_leave_few_alone(&self, frame: &Frame) -> f64 {
        let mut most = vec![0.0_f64; self.samples.len()];
        for (similarity, a, b) in self.similarities(frame) {
            let known = |sample: usize| most.get(sample).copied().unwrap_or_default();
            if similarity / SAME_PATTERN > known(a).min(known(b)) {
                let has = similarity / self.threshold(frame, a, b);
                for sample in [a, b] {
                    if let Some(most) = most.get_mut(sample) {
                        *most = most.max(has);
                    }
                }
            }
        }
        most.sort_unstable_by(f64::total_cmp);
        // A little less, so that rounding leaves nobody out.
        let asked = most.get(MOST_ALONE).copied().unwrap_or(1.0) * (1.0 - 1e-9);
        asked.clamp(LEAST_ASKED, 1.0)
    }

    /// What occurs in almost all groups.
    fn frame_of(&self, groups: &[usize]) -> Frame {
        let types = groups.iter().max().map_or(0, |last| last + 1);
        if types < FEWEST_TYPES {
            return Frame::default();
        }
        let enough = IN_FRAME * types as f64;
        let mut members = vec![0u32; types];
        for group in groups {
            if let Some(members) = members.get_mut(*group) {
                *members += 1;
            }
        }
        // A group holds what at least half of its samples hold.
        let is_frame = |holders: &[usize]| {
            if (holders.len() as f64) < enough {
                return false;
            }
            let mut held = vec![0u32; types];
            for group in holders.iter().filter_map(|sample| groups.get(*sample)) {
                if let Some(held) = held.get_mut(*group) {
                    *held += 1;
                }
            }
            let holding = held.iter().zip(&members).filter(|(held, all)| 2 * **held >= **all);
            holding.count() as f64 >= enough
        };
        let columns = self.places.iter().zip(&self.holders);
        let places = columns.filter(|(_, holders)| is_frame(holders)).map(|(place, _)| *place);
        Frame { places: Some(places.collect()), asked: 1.0 }
    }
}

/// Samples as rows of bits, a column a place.
struct Bits {
    width: usize,
    rows: Vec<u64>,
}

impl Bits {
    fn new<'a>(samples: usize, columns: impl Iterator<Item = &'a Vec<usize>>) -> Self {
        let columns: Vec<_> = columns.collect();
        let width = columns.len().div_ceil(64);
        let mut rows = vec![0; width * samples];
        for (column, holders) in columns.into_iter().enumerate() {
            for sample in holders {
                if let Some(word) = rows.get_mut(sample * width + column / 64) {
                    *word |= 1u64 << (column % 64);
                }
            }
        }
        Bits { width, rows }
    }

    fn row(&self, sample: usize) -> &[u64] {
        self.rows.get(sample * self.width..(sample + 1) * self.width).unwrap_or_default()
    }

    fn common(&self, a: usize, b: usize) -> u16 {
        let both = self.row(a).iter().zip(self.row(b)).map(|(a, b)| (a & b).count_ones());
        u16::try_from(both.sum::<u32>()).unwrap_or(u16::MAX)
    }
}

/// Disjoint sets that never join two defined types.
pub(super) struct Forest {
    parents: Vec<usize>,
    defined: Vec<Option<u32>>,
    has_defined: bool,
}

impl Forest {
    /// Every sample by itself, those of one defined type together.
    pub(super) fn new(samples: &[Sample<'_>]) -> Self {
        let mut first = HashMap::new();
        let mut forest = Forest {
            parents: (0..samples.len()).collect(),
            defined: samples.iter().map(|sample| sample.defined).collect(),
            has_defined: samples.iter().any(|sample| sample.defined.is_some()),
        };
        for (at, sample) in samples.iter().enumerate() {
            if let Some(defined) = sample.defined {
                let first = *first.entry(defined).or_insert(at);
                forest.join(first, at);
            }
        }
        forest
    }

    fn root(&mut self, mut at: usize) -> usize {
        while let Some(&parent) = self.parents.get(at).filter(|parent| **parent != at) {
            let above = self.parents.get(parent).copied().unwrap_or(parent);
            if let Some(slot) = self.parents.get_mut(at) {
                *slot = above;
            }
            at = above;
        }
        at
    }

    pub(super) fn join(&mut self, a: usize, b: usize) {
        let (a, b) = (self.root(a), self.root(b));
        let (low, high) = (a.min(b), a.max(b));
        let of = |at: usize| self.defined.get(at).copied().flatten();
        let defined = match (of(low), of(high)) {
            (Some(one), Some(other)) if one != other => return,
            (one, other) => one.or(other),
        };
        if let (Some(parent), Some(slot)) = (self.parents.get_mut(high), self.defined.get_mut(low))
        {
            *parent = low;
            *slot = defined;
        }
    }

    pub(super) fn numbered(mut self) -> Vec<usize> {
        let mut numbers = HashMap::new();
        (0..self.parents.len())
            .map(|at| {
                let root = self.root(at);
                let next = numbers.len();
                *numbers.entry(root).or_insert(next)
            })
            .collect()
    }
}
