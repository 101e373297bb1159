//! Trees that are handed from the capture to the processing: seed 003's page cache. The queue is in the
//! store; this only spares reading a page twice, within a bound.

use std::collections::VecDeque;
use std::sync::{Mutex, PoisonError};

use page::tree::Dom;
use store::PageNumber;

/// Memory for trees. What does not fit is read again.
const ROOM: usize = 64 << 20;

/// A version of a page.
type Name = (PageNumber, i64);

#[derive(Default)]
pub(super) struct Handed {
    trees: Mutex<VecDeque<(Name, Dom)>>,
}

impl Handed {
    /// Holds a tree, unless those that wait fill the room already.
    pub(super) fn put(&self, name: Name, dom: Dom) {
        let mut trees = self.trees.lock().unwrap_or_else(PoisonError::into_inner);
        let held: usize = trees.iter().map(|(_, dom)| dom.memory()).sum();
        if held + dom.memory() <= ROOM {
            trees.push_back((name, dom));
        }
    }

    /// Gives a tree out, once. Those of the same page that came before it were read from the store.
    pub(super) fn take(&self, name: Name) -> Option<Dom> {
        let mut trees = self.trees.lock().unwrap_or_else(PoisonError::into_inner);
        let (page, version) = name;
        trees.retain(|((of, number), _)| *of != page || *number >= version);
        let at = trees.iter().position(|(held, _)| *held == name)?;
        trees.remove(at).map(|(_, dom)| dom)
    }
}
