//! A page with all that it can be cut into.

use super::content::{Contents, Reading};
use super::looks::Looks;
use super::partition::partition;
use super::tree::{BlockTree, Cut};
use crate::tree::{Dom, Mask};

/// A page taken apart as far as it goes.
pub struct Parts {
    /// Its tree.
    pub dom: Dom,
    /// How its elements look, if it was rendered.
    pub looks: Option<Looks>,
    /// All blocks that it can be cut into.
    pub tree: BlockTree,
    /// What is in them.
    pub contents: Contents,
}

impl Parts {
    /// Takes a page apart. What the mask covers is volatile.
    pub fn of(dom: Dom, looks: Option<Looks>, mask: &Mask) -> Self {
        let tree = partition(&dom, looks.as_ref());
        let contents = Contents::of(&dom, &tree, mask);
        Self { dom, looks, tree, contents }
    }

    /// How a first version is cut.
    pub fn first_cut(&self, level: u16) -> Cut {
        Cut::first_of(&self.tree, level)
    }

    /// The level of a cut that is not the same everywhere: half of its blocks are deeper, at most.
    pub fn level_of(&self, cut: &Cut) -> u16 {
        let mut levels: Vec<u16> =
            cut.blocks().iter().map(|at| self.tree.block(*at).level).collect();
        levels.sort_unstable();
        levels.get(levels.len() / 2).copied().unwrap_or(0)
    }

    /// As whoever compares reads it.
    pub fn reading(&self) -> Reading<'_> {
        Reading { dom: &self.dom, tree: &self.tree, contents: &self.contents }
    }
}
