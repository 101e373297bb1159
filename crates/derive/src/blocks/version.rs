//! A kept version, read again.

use page::block::{Looks, Parts};
use page::tree::{Dom, Mask, reread};
use store::VersionRow;

/// The tree of a kept version; `None` for what has none.
pub fn tree_of(version: &VersionRow) -> Option<Dom> {
    let (snapshot, body) = (version.snapshot.as_deref(), version.body.as_deref());
    reread(snapshot, body, version.content_type.as_deref())
}

/// A kept version, taken apart; `None` for what has no tree. What the mask covers is volatile.
pub fn parts_of(version: &VersionRow, mask: &Mask) -> Option<Parts> {
    let looks = version.looks.as_deref().and_then(Looks::from_bytes);
    Some(Parts::of(tree_of(version)?, looks, mask))
}
