//! A kept version, read again: its tree, and the blocks that it can be cut into.

use page::tree::{Dom, reread};
use store::VersionRow;

/// The tree of a kept version; `None` for what has none.
pub fn tree_of(version: &VersionRow) -> Option<Dom> {
    reread(version.snapshot.as_deref(), version.body.as_deref(), version.content_type.as_deref())
}
