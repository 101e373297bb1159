//! The block tree, and cuts through it.

use std::ops::Range;

use crate::tree::NodeId;

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
    /// How deep it is in the block tree. The page is 0.
    pub level: u16,
    /// The block that it is cut from; the page's is itself.
    pub parent: BlockAt,
    /// One past the last block inside it.
    pub end_block: BlockAt,
}

impl Block {
    /// The numbers of its nodes.
    pub fn nodes(&self) -> Range<u32> {
        self.first.0..self.end.0
    }
}

/// A page cut as far as it can be, as a flat list in document order. Everything that a block shows is
/// in its children, if it has any: a cut at any level loses nothing but layout.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BlockTree {
    pub(super) blocks: Vec<Block>,
}

impl BlockTree {
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

    /// Whether a block cannot be cut further.
    pub fn is_leaf(&self, at: BlockAt) -> bool {
        self.block(at).end_block.0 == at.0 + 1
    }
}

/// How far a version is cut: blocks that do not overlap and together show all that the page shows.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Cut {
    blocks: Vec<BlockAt>,
}

impl Cut {
    /// The same level everywhere (the paper's partition level): blocks of this level, and those above
    /// it that cannot be cut further.
    pub fn at_level(tree: &BlockTree, level: u16) -> Self {
        Self::opening(tree, |at| tree.block(at).level < level)
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
}
