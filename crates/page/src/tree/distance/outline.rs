//! A page as the distance sees it: labels, sizes and hashes of subtrees.

use crate::tree::canonical::is_dropped;
use crate::tree::dom::{Dom, Kind};
use crate::tree::text::is_space;
use crate::tree::walk::Step;
use xxhash_rust::xxh3::xxh3_64;

/// What counts.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Mode {
    /// Elements only: are two pages of one type?
    Structure,
    /// Elements and texts: has a page changed?
    Full,
}

/// A page prepared for comparing. Make it once per page.
#[derive(Clone, Debug)]
pub struct Outline {
    nodes: Vec<Node>,
    /// The children of all nodes, one list after the other.
    children: Vec<u32>,
    /// How often labels occur below and at each node, in a few bins: see [`Outline::at_least`].
    bins: Vec<[u16; BINS]>,
}

#[derive(Clone, Copy, Debug)]
struct Node {
    label: u64,
    /// Equal for equal subtrees.
    hash: u64,
    /// Nodes of the subtree.
    size: u32,
    /// Its children in `children`.
    from: u32,
    to: u32,
}

/// Bins of label counts: 32 bytes a node, which one vector instruction compares.
const BINS: usize = 16;

/// Elements and names that are stored of a page's structure.
const MOST_ELEMENTS: usize = 4096;
const MOST_NAMES: usize = 255;
/// The longest [`Outline::structure_bytes`].
pub(crate) const LONGEST_STRUCTURE: usize = 1 + 8 * MOST_NAMES + 2 * MOST_ELEMENTS;

impl Outline {
    /// Prepares a page.
    pub fn new(dom: &Dom, mode: Mode) -> Self {
        Outline::of_first(dom, mode, usize::MAX)
    }

    /// Prepares the first nodes of a page, in document order.
    fn of_first(dom: &Dom, mode: Mode, most: usize) -> Self {
        let mut maker = Maker::default();
        let mut walk = dom.walk();
        while let Some(step) = walk.next() {
            match step {
                Step::Open(node) if is_dropped(node) || maker.nodes.len() >= most => {
                    walk.skip_inside();
                }
                Step::Open(node) => match node.kind() {
                    Kind::Element => maker.open(xxh3_64(node.name().as_bytes())),
                    Kind::Document => maker.open(DOCUMENT),
                    Kind::ShadowRoot => maker.open(SHADOW_ROOT),
                    Kind::Text if mode == Mode::Full => maker.text(node.text()),
                    _ => {}
                },
                Step::Close(node) => match node.kind() {
                    Kind::Element | Kind::Document | Kind::ShadowRoot => maker.close(),
                    _ => {}
                },
            }
        }
        maker.finish()
    }

    /// The structure of a page as bytes, to be stored: how many names there are, these as hashes, and
    /// then for every element the number of its name, from 1, where it begins, and a 0 where it ends.
    /// Of a page with more than [`MOST_ELEMENTS`] elements these are the first; the names after the
    /// first 255 count as one.
    pub(crate) fn structure_bytes(dom: &Dom) -> Vec<u8> {
        let outline = Outline::of_first(dom, Mode::Structure, MOST_ELEMENTS);
        let (mut names, mut tags) = (Vec::new(), Vec::with_capacity(2 * outline.len()));
        let mut ends: Vec<u32> = Vec::new();
        for (at, node) in (0u32..).zip(&outline.nodes) {
            while ends.pop_if(|end| *end <= at).is_some() {
                tags.push(0);
            }
            let known = names.iter().position(|name| *name == node.label);
            if known.is_none() && names.len() < MOST_NAMES {
                names.push(node.label);
            }
            tags.push(known.map_or(names.len(), |known| known + 1) as u8);
            ends.push(at + node.size);
        }
        tags.extend(ends.iter().map(|_| 0));
        let hashes = names.iter().flat_map(|name| name.to_be_bytes());
        std::iter::once(names.len() as u8).chain(hashes).chain(tags).collect()
    }

    /// From [`structure_bytes`](Outline::structure_bytes); none if they are not that.
    pub(crate) fn from_structure(bytes: &[u8]) -> Option<Self> {
        let (count, rest) = bytes.split_first()?;
        let (names, tags) = rest.split_at_checked(8 * usize::from(*count))?;
        let names = names.as_chunks().0;
        let mut maker = Maker::default();
        for tag in tags {
            match tag.checked_sub(1) {
                // All is inside the first element, and no more elements end than begin.
                Some(_) if maker.open.is_empty() && !maker.nodes.is_empty() => return None,
                Some(name) => maker.open(u64::from_be_bytes(*names.get(usize::from(name))?)),
                None => drop(maker.open.pop()?),
            }
        }
        let is_whole = maker.open.is_empty() && (1..=MOST_ELEMENTS).contains(&maker.nodes.len());
        is_whole.then(|| maker.finish())
    }

    /// How many nodes count.
    #[allow(clippy::len_without_is_empty)] // there is always a root
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// A key that orders outlines, to compare any two the same way round.
    pub(super) fn order(&self) -> (usize, u64) {
        (self.nodes.len(), self.hash(0))
    }

    pub(super) fn label(&self, node: u32) -> u64 {
        self.nodes[node as usize].label
    }

    pub(super) fn hash(&self, node: u32) -> u64 {
        self.nodes[node as usize].hash
    }

    pub(super) fn size(&self, node: u32) -> u32 {
        self.nodes[node as usize].size
    }

    pub(super) fn children(&self, node: u32) -> &[u32] {
        let node = &self.nodes[node as usize];
        &self.children[node.from as usize..node.to as usize]
    }

    /// The distance of two pages is not less. Cheap.
    pub(crate) fn least_distance(&self, other: &Outline) -> usize {
        self.at_least(0, other, 0) as usize
    }

    /// What pairing two subtrees costs at least. Cheap, and exact if the labels differ.
    pub(super) fn at_least(&self, own: u32, other: &Outline, theirs: u32) -> u32 {
        let (a, b) = (&self.nodes[own as usize], &other.nodes[theirs as usize]);
        if a.hash == b.hash {
            return 0;
        }
        if a.label != b.label {
            return a.size + b.size - 1;
        }
        let difference = a.size.abs_diff(b.size).max(1);
        if a.size > MAX_COUNTED || b.size > MAX_COUNTED {
            return difference;
        }
        // A label that only one tree has must be deleted, inserted or replaced; one replacement
        // settles one surplus on each side.
        let (mut surplus, mut lack) = (0u32, 0u32);
        for (x, y) in self.bins[own as usize].iter().zip(&other.bins[theirs as usize]) {
            surplus += u32::from(x.saturating_sub(*y));
            lack += u32::from(y.saturating_sub(*x));
        }
        difference.max(surplus).max(lack)
    }
}

/// Larger subtrees would overflow a bin.
const MAX_COUNTED: u32 = u16::MAX as u32;

const DOCUMENT: u64 = 1;
const SHADOW_ROOT: u64 = 2;
const TEXT_SEED: u64 = 3;

#[derive(Default)]
struct Maker {
    nodes: Vec<Node>,
    parents: Vec<u32>,
    open: Vec<u32>,
    /// Words of the text that is being read. Texts with only dropped things between are one.
    words: String,
    gap: bool,
}

impl Maker {
    fn add(&mut self, label: u64) -> u32 {
        let id = self.nodes.len() as u32;
        self.nodes.push(Node { label, hash: label, size: 1, from: 0, to: 0 });
        self.parents.push(self.open.last().copied().unwrap_or(0));
        id
    }

    fn open(&mut self, label: u64) {
        self.end_text();
        let id = self.add(label);
        self.open.push(id);
    }

    fn close(&mut self) {
        self.end_text();
        self.open.pop();
    }

    fn text(&mut self, text: &str) {
        for (at, word) in text.split(is_space).enumerate() {
            self.gap |= at > 0;
            if word.is_empty() {
                continue;
            }
            if self.gap && !self.words.is_empty() {
                self.words.push(' ');
            }
            self.gap = false;
            self.words.push_str(word);
        }
    }

    fn end_text(&mut self) {
        self.gap = false;
        if !self.words.is_empty() {
            let label = mix(xxh3_64(self.words.as_bytes()), TEXT_SEED);
            self.add(label);
            self.words.clear();
        }
    }

    fn finish(self) -> Outline {
        let Maker { mut nodes, parents, .. } = self;
        // Children come after their parents, so one pass from the end sees every child first.
        let mut counts = vec![0u32; nodes.len()];
        for child in (1..nodes.len()).rev() {
            let parent = parents[child] as usize;
            nodes[parent].size += nodes[child].size;
            counts[parent] += 1;
        }
        let mut from = 0;
        for (node, count) in nodes.iter_mut().zip(&counts) {
            (node.from, node.to) = (from, from);
            from += count;
        }
        let mut children = vec![0; from as usize];
        for child in 1..nodes.len() {
            let parent = &mut nodes[parents[child] as usize];
            children[parent.to as usize] = child as u32;
            parent.to += 1;
        }
        let mut bins = vec![[0u16; BINS]; nodes.len()];
        for id in (0..nodes.len()).rev() {
            let node = nodes[id];
            let mut hash = mix(node.label, u64::from(node.to - node.from));
            let mut own = [0u16; BINS];
            own[(node.label >> 32) as usize % BINS] = 1;
            for child in &children[node.from as usize..node.to as usize] {
                hash = mix(hash, nodes[*child as usize].hash);
                for (sum, count) in own.iter_mut().zip(&bins[*child as usize]) {
                    *sum = sum.saturating_add(*count);
                }
            }
            nodes[id].hash = hash;
            bins[id] = own;
        }
        Outline { nodes, children, bins }
    }
}

/// Both halves of a 128-bit product: each bit of the result depends on all bits of both.
fn mix(a: u64, b: u64) -> u64 {
    let product = u128::from(a ^ 0x9e37_79b9_7f4a_7c15) * u128::from(b ^ 0xd1b5_4a32_d192_ed03);
    (product as u64) ^ ((product >> 64) as u64).rotate_left(23)
}
