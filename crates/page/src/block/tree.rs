//! The block tree, and cuts through it.

use std::ops::Range;

use super::partition::{Matter, Sum};
use crate::tree::{Dom, Node, NodeId, visible_text_of};

/// The position of a block in its tree: in document order, parents before their children.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct BlockAt(pub u32);

impl BlockAt {
    /// The whole page.
    pub const PAGE: Self = Self(0);

    fn at(self) -> usize {
        self.0 as usize
    }
}

/// A part of a page that is seen as one: a run of neighbouring siblings, with all that is in them.
/// Most are one element.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Block {
    /// The first node of the run.
    pub first: NodeId,
    /// One past the last node inside the run, so that it is the nodes `first..end`.
    pub end: NodeId,
    /// From which partition level on it is a block of its own. The page is 0; all children of a block
    /// have the same level, above its own, but not always the next: single lines are no blocks at
    /// level 2, whatever the markup.
    pub level: u16,
    /// The block that it is cut from; the page's is itself.
    pub parent: BlockAt,
    /// One past the last block inside it.
    pub end_block: BlockAt,
    /// It is cut into regions, not into paragraphs, lines or items of a list.
    pub(super) holds_regions: bool,
    /// It is cut into items of a list.
    pub(super) holds_items: bool,
    /// How much it shows.
    pub(super) sum: Sum,
}

impl Block {
    /// The numbers of its nodes.
    pub fn nodes(&self) -> Range<u32> {
        self.first.0..self.end.0
    }

    /// The siblings that it is.
    pub fn siblings<'a>(&self, dom: &'a Dom) -> impl Iterator<Item = Node<'a>> + use<'a> {
        let end = self.end;
        let next = move |node: &Node<'a>| node.next_sibling().filter(|next| next.id() < end);
        std::iter::successors(dom.get(self.first), next)
    }

    /// What it shows, a line a paragraph.
    pub fn text(&self, dom: &Dom) -> String {
        let texts = self.siblings(dom).map(visible_text_of).filter(|text| !text.is_empty());
        texts.collect::<Vec<_>>().join("\n")
    }
}

/// A page cut as far as it can be, as a flat list in document order. Everything that a block shows is
/// in its children, if it has any: a cut at any level loses nothing but layout.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BlockTree {
    pub(super) blocks: Vec<Block>,
}

impl BlockTree {
    /// A tree of blocks in document order whose ends are not known yet.
    pub(super) fn closed(mut blocks: Vec<Block>) -> Self {
        for at in (1..blocks.len()).rev() {
            let Block { parent, end_block, .. } = blocks[at];
            let around = &mut blocks[parent.at()];
            around.end_block = around.end_block.max(end_block);
        }
        Self { blocks }
    }

    /// All blocks, the page first.
    pub fn blocks(&self) -> &[Block] {
        &self.blocks
    }

    /// The block at a position.
    ///
    /// # Panics
    /// When the position is of another tree.
    pub fn block(&self, at: BlockAt) -> &Block {
        &self.blocks[at.at()]
    }

    /// The blocks that a block is cut into.
    pub fn children(&self, of: BlockAt) -> impl Iterator<Item = BlockAt> + '_ {
        let end = self.block(of).end_block.0;
        let mut next = of.0 + 1;
        std::iter::from_fn(move || {
            (next < end).then(|| {
                let at = BlockAt(next);
                next = self.block(at).end_block.0;
                at
            })
        })
    }

    /// The block that comes before a block in the one that both are cut from.
    pub(super) fn before(&self, at: BlockAt) -> Option<BlockAt> {
        let around = self.block(at).parent;
        let mut before = BlockAt(at.0.checked_sub(1)?);
        while before != around && self.block(before).parent != around {
            before = self.block(before).parent;
        }
        (before != around).then_some(before)
    }

    /// The block that comes next there.
    pub(super) fn next(&self, at: BlockAt) -> Option<BlockAt> {
        let Block { parent, end_block, .. } = *self.block(at);
        (end_block < self.block(parent).end_block).then_some(end_block)
    }

    /// Whether a block cannot be cut further.
    pub fn is_leaf(&self, at: BlockAt) -> bool {
        self.block(at).end_block.0 == at.0 + 1
    }
}

/// The level that pages are cut at before anything is known of them: sections, columns, stories and
/// whole articles, which is what a person outlines when asked for the parts of a page. One level less
/// leaves columns with all that is in them as one block on most portals, one more cuts articles at
/// their headings and lists into lines.
pub const DEFAULT_LEVEL: u16 = 3;

/// About the letters of a portal that fit on a screen.
const SCREENFUL: u32 = 2000;

/// More regions than a text of a few sections has.
const FEW: u32 = 15;

/// The least letters of a text, or of what stands beside one, that a reader sees as a region.
const PASSAGE: u32 = 250;

/// The links that make a list whatever their length.
const LIST: u16 = 8;

/// What has fewer letters is a line: a date, a label, a few links.
const SLIVER: u32 = 60;

/// The most that an entry of a list takes on average, if the list is seen as one: a headline and
/// its author.
const ENTRY: u32 = 120;

/// How far a version is cut: blocks that do not overlap and together show all that the page shows.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Cut {
    blocks: Vec<BlockAt>,
}

impl Cut {
    /// The same level everywhere (the paper's partition level): blocks up to this level whose children,
    /// if they have any, are beyond it.
    pub fn at_level(tree: &BlockTree, level: u16) -> Self {
        Self::opening(tree, |at| {
            tree.children(at).next().is_some_and(|child| tree.block(child).level <= level)
        })
    }

    /// How a page is cut before anything is known of it: at a level, and where that leaves a screenful
    /// of regions, or a text and what is none, in one block, one or two levels further. Articles and
    /// lists of lines stay whole, however long they are.
    ///
    /// ```
    /// use page::block::{Cut, DEFAULT_LEVEL, partition};
    ///
    /// let dom = page::tree::parse_str("<nav><a href=/>Home</a></nav><main><h1>News</h1><p>One.</main>").dom;
    /// let tree = partition(&dom, None);
    /// assert_eq!(Cut::first_of(&tree, DEFAULT_LEVEL).blocks().len(), 2);
    /// ```
    pub fn first_of(tree: &BlockTree, level: u16) -> Self {
        Self::opening(tree, |at| {
            let children = || tree.children(at).map(|child| tree.block(child));
            let inside = children().next().map_or(u16::MAX, |child| child.level);
            let block = tree.block(at);
            let is_near = block.holds_regions && inside <= level.saturating_add(2);
            match inside <= level {
                true => !is_list_of_lines(block, children()),
                false => is_near && (is_large(block, children()) || are_unlike(children())),
            }
        })
    }

    /// Opens the blocks that `open` says, from the page downwards, as far as they can be cut.
    pub fn opening(tree: &BlockTree, mut open: impl FnMut(BlockAt) -> bool) -> Self {
        let mut blocks = Vec::new();
        let mut next = 0;
        while (next as usize) < tree.blocks.len() {
            let at = BlockAt(next);
            if !tree.is_leaf(at) && open(at) {
                next += 1;
            } else {
                blocks.push(at);
                next = tree.block(at).end_block.0;
            }
        }
        Self { blocks }
    }

    /// The blocks, in document order.
    pub fn blocks(&self) -> &[BlockAt] {
        &self.blocks
    }

    /// The block of the cut that a node is in; `None` for nodes of the layout.
    pub fn containing(&self, tree: &BlockTree, node: NodeId) -> Option<BlockAt> {
        let after = self.blocks.partition_point(|&at| tree.block(at).first <= node);
        let at = *self.blocks.get(after.checked_sub(1)?)?;
        tree.block(at).nodes().contains(&node.0).then_some(at)
    }

    /// The cut as a bit for each block that could be opened, from the page downwards: whether it is.
    /// The same bytes are the same cut of any page whose tree has the same shape.
    ///
    /// ```
    /// use page::block::{Cut, partition};
    ///
    /// let dom = page::tree::parse_str("<nav><a href=/>Home</a></nav><main><h1>News</h1><p>One.</main>").dom;
    /// let tree = partition(&dom, None);
    /// let cut = Cut::at_level(&tree, 1);
    /// assert_eq!(Cut::from_bytes(&tree, &cut.to_bytes(&tree)), Some(cut));
    /// ```
    pub fn to_bytes(&self, tree: &BlockTree) -> Vec<u8> {
        let mut bits = Bits::default();
        let mut closed = self.blocks.iter().peekable();
        Self::opening(tree, |at| {
            while closed.next_if(|&&next| next < at).is_some() {}
            let is_open = closed.peek() != Some(&&at);
            bits.push(is_open);
            is_open
        });
        bits.bytes
    }

    /// Reads what [`to_bytes`](Self::to_bytes) wrote for a tree of the same shape; `None` if it does
    /// not fit this one.
    pub fn from_bytes(tree: &BlockTree, bytes: &[u8]) -> Option<Self> {
        let mut read = 0_usize;
        let cut = Self::opening(tree, |_| {
            let byte = bytes.get(read / 8).copied().unwrap_or_default();
            read += 1;
            byte >> ((read - 1) % 8) & 1 == 1
        });
        // All of the bytes were read, and what was not is no bit of another tree.
        (read.div_ceil(8) == bytes.len() && cut.to_bytes(tree) == bytes).then_some(cut)
    }
}

/// Whether a block is more than a screenful of regions. Where one is nearly all of it, the others are
/// its headline, date and the like; where they are many, they are paragraphs of a text or entries of
/// a list.
fn is_large<'a>(block: &Block, children: impl Iterator<Item = &'a Block>) -> bool {
    let all = block.sum.chars;
    let (mut count, mut most) = (0_u32, 0);
    for child in children {
        count += 1;
        most = most.max(child.sum.chars);
    }
    let is_text = block.sum.matter() == Matter::Text;
    let is_shredded = count > FEW && (is_text || all <= count.saturating_mul(PASSAGE));
    all > SCREENFUL && most <= all / 4 * 3 && !is_shredded
}

/// Whether blocks of some size differ in what they are: running text, a list of links, a form, a
/// mixture. Not if most of them are slivers.
fn are_unlike<'a>(children: impl Iterator<Item = &'a Block>) -> bool {
    let mut matters = [false; 4];
    let (mut count, mut slivers) = (0_usize, 0_usize);
    for child in children {
        let is_large = child.sum.chars >= PASSAGE;
        count += 1;
        slivers += usize::from(child.sum.chars <= SLIVER);
        let matter = child.sum.matter();
        let counts = match matter {
            Matter::Text | Matter::Mixed => is_large,
            Matter::Links => is_large || child.sum.link_count >= LIST,
            Matter::Form => true,
        };
        matters[matter as usize] |= counts;
    }
    let [text, links, form, mixed] = matters;
    let has_unlike = if text { links || form || mixed } else { links && (form || mixed) };
    has_unlike && slivers * 2 < count
}

/// Whether a block is a list whose items are about a line each: entries of a menu, headlines.
fn is_list_of_lines<'a>(block: &Block, children: impl Iterator<Item = &'a Block>) -> bool {
    let count = children.count() as u32;
    block.holds_items && count > 2 && block.sum.chars <= count * ENTRY
}

#[derive(Default)]
struct Bits {
    bytes: Vec<u8>,
    count: usize,
}

impl Bits {
    fn push(&mut self, bit: bool) {
        if self.count.is_multiple_of(8) {
            self.bytes.push(0);
        }
        if let Some(last) = self.bytes.last_mut() {
            *last |= u8::from(bit) << (self.count % 8);
        }
        self.count += 1;
    }
}
