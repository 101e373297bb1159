//! What the blocks of a version say: the one place that reads pages again.

use std::collections::HashMap;

use page::block::{KeptCut, Looks, partition};
use page::tree::{reread, title};
use store::VersionRow;

use crate::unit::cut;

/// Bytes of a block, and of a name, that are indexed.
const LONGEST_TEXT: usize = 1 << 20;
const LONGEST_NAME: usize = 1 << 10;

/// A version, as far as it is indexed.
pub(crate) struct VersionTexts {
    pub(crate) title: String,
    /// What each lineage shows in it.
    pub(crate) of_lineage: HashMap<i64, String>,
}

/// Reads the texts of these lineages; `None` for a version without a tree, or that was not cut.
pub(crate) fn texts_of(version: &VersionRow, wanted: &[i64]) -> Option<VersionTexts> {
    let cutting = version.cut.as_ref()?;
    let (snapshot, body) = (version.snapshot.as_deref(), version.body.as_deref());
    let dom = reread(snapshot, body, version.content_type.as_deref())?;
    let looks = version.looks.as_deref().and_then(Looks::from_bytes);
    let tree = partition(&dom, looks.as_ref());
    let kept = KeptCut::from_bytes(&tree, &cutting.layout)?;
    let blocks = kept.lineages.iter().zip(kept.cut.blocks());
    let texts = blocks.filter(|(lineage, _)| wanted.contains(lineage)).map(|(lineage, at)| {
        let text = tree.block(*at).text(&dom);
        (*lineage, cut(text.trim(), LONGEST_TEXT).to_owned())
    });
    let of_lineage = texts.filter(|(_, text)| !text.is_empty()).collect();
    Some(VersionTexts { title: cut(&title(&dom), LONGEST_NAME).to_owned(), of_lineage })
}
