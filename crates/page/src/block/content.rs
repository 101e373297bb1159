//! What is in each block of a page, as hashes.
//!
//! A node is one item, hashed; a run of nodes is hashed as a polynomial in its items (Karp and Rabin
//! 1987), so that one pass over the page gives the hash of every block at every level, however the
//! blocks are nested: that of `first..end` is what the sum had gained between the two.

use std::collections::HashSet;
use std::ops::Range;

use xxhash_rust::xxh3::{xxh3_64, xxh3_64_with_seed};

use super::tree::{BlockAt, BlockTree};
use crate::tree::canonical::Masked;
use crate::tree::text::is_invisible;
use crate::tree::{Dom, Kind, Mask, Node, NodeId};

/// What is in the blocks of one page.
#[derive(Clone, Debug)]
pub struct Contents {
    blocks: Vec<Content>,
    texts: Vec<Piece>,
    masked: Masks,
}

/// What is in one block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Content {
    /// Of every node, with all attributes and all whitespace.
    pub(super) hash: u64,
    /// Of the visible texts.
    pub(super) text: u64,
    /// Characters of visible text.
    pub(super) text_len: u32,
    /// Which of the page's texts are in it.
    from: u32,
    to: u32,
}

/// A visible text node that says something.
#[derive(Clone, Copy, Debug)]
pub(super) struct Piece {
    pub(super) node: NodeId,
    /// Of its text with whitespace folded.
    pub(super) hash: u64,
    /// Its characters, with whitespace folded.
    pub(super) length: u32,
}

/// A mask, resolved to the nodes of the page.
#[derive(Clone, Debug, Default)]
struct Masks {
    /// Subtrees, in document order, none inside another.
    regions: Vec<(NodeId, NodeId)>,
    attributes: HashSet<(NodeId, String)>,
    everywhere: Vec<String>,
}

impl Contents {
    /// Looks at every block of a page. What the mask names counts, but as volatile.
    ///
    /// ```
    /// use page::block::{BlockAt, Contents, partition};
    /// use page::tree::{Mask, parse_str};
    ///
    /// let dom = parse_str("<div><p>one</p></div><div><p>two</p></div><div><p>one</p></div>").dom;
    /// let tree = partition(&dom, None);
    /// let contents = Contents::of(&dom, &tree, &Mask::default());
    /// let blocks: Vec<_> = tree.children(BlockAt::PAGE).collect();
    /// assert_eq!(contents.hash(blocks[0]), contents.hash(blocks[2]));
    /// assert_ne!(contents.hash(blocks[0]), contents.hash(blocks[1]));
    /// assert_eq!(contents.text_len(BlockAt::PAGE), 9);
    /// ```
    pub fn of(dom: &Dom, tree: &BlockTree, mask: &Mask) -> Self {
        let mut nodes = Sums::with_capacity(dom.node_count());
        let mut words = Sums::default();
        let mut texts: Vec<Piece> = Vec::new();
        let mut lengths = vec![0u32];
        let mut folded = String::new();
        let mut hidden_to = NodeId(0);
        for node in dom.nodes() {
            nodes.add(item(node));
            if node.id() < hidden_to {
                continue;
            }
            if is_invisible(node) {
                hidden_to = node.end();
            } else if node.kind() == Kind::Text && fold(node.text(), &mut folded) > 0 {
                let length = folded.chars().count() as u32;
                let hash = xxh3_64(folded.as_bytes());
                texts.push(Piece { node: node.id(), hash, length });
                words.add(hash);
                lengths.push(lengths.last().copied().unwrap_or(0).saturating_add(length));
            }
        }
        let content = |block: &super::tree::Block| {
            let from = texts.partition_point(|piece| piece.node < block.first);
            let to = from + texts[from..].partition_point(|piece| piece.node < block.end);
            Content {
                hash: nodes.between(block.first.at(), block.end.at()),
                text: words.between(from, to),
                text_len: lengths[to] - lengths[from],
                from: from as u32,
                to: to as u32,
            }
        };
        let blocks = tree.blocks().iter().map(content).collect();
        Self { blocks, masked: Masks::find(dom, mask), texts }
    }

    /// The hash of all that is in a block: equal for blocks that are the same to the byte. It tells
    /// pages of one site from each other and is no proof against whoever wants two to be equal.
    pub fn hash(&self, at: BlockAt) -> u64 {
        self.get(at).hash
    }

    /// The hash of the visible texts of a block, in their order.
    pub fn text_hash(&self, at: BlockAt) -> u64 {
        self.get(at).text
    }

    /// Characters of visible text in a block, whitespace folded.
    pub fn text_len(&self, at: BlockAt) -> u32 {
        self.get(at).text_len
    }

    pub(super) fn get(&self, at: BlockAt) -> Content {
        const NOTHING: Content = Content { hash: 0, text: 0, text_len: 0, from: 0, to: 0 };
        self.blocks.get(at.0 as usize).copied().unwrap_or(NOTHING)
    }

    /// The visible texts of a block.
    pub(super) fn texts(&self, at: BlockAt) -> &[Piece] {
        let content = self.get(at);
        self.texts.get(content.from as usize..content.to as usize).unwrap_or_default()
    }

    /// Whether the page's mask covers a node.
    pub(super) fn is_masked(&self, node: NodeId) -> bool {
        let regions = &self.masked.regions;
        let after = regions.partition_point(|(first, _)| *first <= node);
        after.checked_sub(1).and_then(|at| regions.get(at)).is_some_and(|(_, end)| node < *end)
    }

    /// Whether the page's mask covers an attribute of a node.
    pub(super) fn is_attribute_masked(&self, node: NodeId, name: &str) -> bool {
        let masks = &self.masked;
        masks.everywhere.iter().any(|masked| masked == name)
            || (!masks.attributes.is_empty() && masks.attributes.contains(&(node, name.to_owned())))
    }
}

impl Masks {
    fn find(dom: &Dom, mask: &Mask) -> Self {
        let masked = Masked::find(dom, mask);
        let mut found: Vec<_> =
            masked.regions.iter().map(|id| (*id, dom.node(*id).end())).collect();
        found.sort_unstable();
        let mut regions: Vec<(NodeId, NodeId)> = Vec::new();
        for (first, end) in found {
            if regions.last().is_none_or(|(_, last)| *last <= first) {
                regions.push((first, end));
            }
        }
        let attributes = masked.attributes.iter().map(|(id, name)| (*id, (*name).to_owned()));
        Self { regions, attributes: attributes.collect(), everywhere: mask.attributes.clone() }
    }
}

/// A page that is to be compared.
#[derive(Clone, Copy, Debug)]
pub struct Reading<'a> {
    /// Its tree.
    pub dom: &'a Dom,
    /// How it can be cut.
    pub tree: &'a BlockTree,
    /// What is in the blocks.
    pub contents: &'a Contents,
}

impl<'a> Reading<'a> {
    /// The nodes of a block, in document order.
    pub(super) fn nodes(self, at: BlockAt) -> impl Iterator<Item = Node<'a>> {
        self.range(at).filter_map(move |id| self.dom.get(NodeId(id)))
    }

    fn range(self, at: BlockAt) -> Range<u32> {
        self.tree.blocks().get(at.0 as usize).map_or(0..0, super::tree::Block::nodes)
    }

    /// The first element of a block, which says what it is.
    pub(super) fn head(self, at: BlockAt) -> Option<Node<'a>> {
        self.nodes(at).find(|node| node.is_element())
    }
}

/// A node by itself. Its size is in it, so that the items of a subtree in order are the subtree.
fn item(node: Node<'_>) -> u64 {
    let seed = (node.size() as u64) << 3 | node.kind() as u64;
    match node.kind() {
        Kind::Text | Kind::Comment | Kind::Doctype => {
            xxh3_64_with_seed(node.text().as_bytes(), seed)
        }
        _ => node.attributes().fold(
            xxh3_64_with_seed(node.name().as_bytes(), seed),
            |sum, (name, value)| {
                let seed = xxh3_64_with_seed(name.as_bytes(), sum);
                xxh3_64_with_seed(value.as_bytes(), seed)
            },
        ),
    }
}

/// Folds whitespace. Gives the bytes that are left.
pub(super) fn fold(text: &str, into: &mut String) -> usize {
    into.clear();
    for word in text.split_ascii_whitespace() {
        if !into.is_empty() {
            into.push(' ');
        }
        into.push_str(word);
    }
    into.len()
}

/// Sums of a polynomial over a sequence of items, modulo the prime 2⁶¹ − 1, at every place of it.
#[derive(Default)]
struct Sums {
    /// The sum before each item, but the first.
    sums: Vec<u64>,
    /// The powers of the base, from the first.
    powers: Vec<u64>,
}

const PRIME: u64 = (1 << 61) - 1;
const BASE: u64 = 0x0b5a_d4ec_eda1_ce2a;

impl Sums {
    fn with_capacity(items: usize) -> Self {
        Self { sums: Vec::with_capacity(items), powers: Vec::with_capacity(items) }
    }

    fn add(&mut self, item: u64) {
        let sum = self.sums.last().copied().unwrap_or(0);
        // No item is 0, so that a longer run of items is not the same as a shorter one.
        self.sums.push(reduce(u128::from(times(sum, BASE)) + u128::from(item % (PRIME - 1) + 1)));
        self.powers.push(self.powers.last().map_or(BASE, |last| times(*last, BASE)));
    }

    /// The sum over the items `from..to` alone.
    fn between(&self, from: usize, to: usize) -> u64 {
        let before = |at: usize| at.checked_sub(1).and_then(|at| self.sums.get(at)).copied();
        let power = (to.saturating_sub(from)).checked_sub(1).and_then(|at| self.powers.get(at));
        let (Some(all), Some(power)) = (before(to), power) else { return 0 };
        let head = times(before(from).unwrap_or(0), *power);
        reduce(u128::from(all) + u128::from(PRIME - head))
    }
}

fn times(a: u64, b: u64) -> u64 {
    reduce(u128::from(a) * u128::from(b))
}

fn reduce(number: u128) -> u64 {
    let folded = (number & u128::from(PRIME)) as u64 + (number >> 61) as u64;
    if folded >= PRIME { folded - PRIME } else { folded }
}
