//! How a version is cut, as it is kept: format 1.
//!
//! The cut, by the open blocks of its tree, and the lineages of its blocks in document order. Neither
//! changes while the page is built alike, so most versions share it.

use super::tree::{BlockTree, Cut};

const FORMAT: u8 = 1;

/// The cut of a version with the lineages of its blocks.
///
/// ```
/// use page::block::{Cut, KeptCut, partition};
///
/// let dom = page::tree::parse_str("<div><p>one<p>two</div><div><p>three<p>four</div>").dom;
/// let tree = partition(&dom, None);
/// let kept = KeptCut { cut: Cut::at_level(&tree, 1), lineages: vec![7, 9] };
/// assert_eq!(KeptCut::from_bytes(&tree, &kept.to_bytes(&tree)), Some(kept));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeptCut {
    /// How it is cut.
    pub cut: Cut,
    /// What each block continues, in document order.
    pub lineages: Vec<i64>,
}

impl KeptCut {
    /// As bytes.
    pub fn to_bytes(&self, tree: &BlockTree) -> Vec<u8> {
        let cut = self.cut.to_bytes(tree);
        let mut bytes = vec![FORMAT];
        put(&mut bytes, cut.len() as u64);
        bytes.extend(cut);
        let mut before = 0;
        for lineage in &self.lineages {
            // Neighbours have neighbouring numbers, either way.
            let step = lineage.wrapping_sub(before);
            put(&mut bytes, ((step << 1) ^ (step >> 63)) as u64);
            before = *lineage;
        }
        bytes
    }

    /// From bytes, for the tree that they were written of; `None` for any other.
    pub fn from_bytes(tree: &BlockTree, bytes: &[u8]) -> Option<Self> {
        let (format, mut rest) = bytes.split_first()?;
        let length = usize::try_from(get(&mut rest)?).ok().filter(|_| *format == FORMAT)?;
        let (cut, mut rest) = rest.split_at_checked(length)?;
        let cut = Cut::from_bytes(tree, cut)?;
        let mut lineages = Vec::with_capacity(cut.blocks().len());
        let mut before = 0_i64;
        while lineages.len() < cut.blocks().len() {
            let step = get(&mut rest)?;
            before = before.wrapping_add((step >> 1) as i64 ^ -((step & 1) as i64));
            lineages.push(before);
        }
        rest.is_empty().then_some(Self { cut, lineages })
    }
}

fn put(bytes: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        bytes.push(number as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
}

fn get(bytes: &mut &[u8]) -> Option<u64> {
    let mut number = 0;
    for shift in (0..64).step_by(7) {
        let (byte, rest) = bytes.split_first()?;
        *bytes = rest;
        number |= u64::from(byte & 0x7f) << shift;
        if byte & 0x80 == 0 {
            return Some(number);
        }
    }
    None
}
