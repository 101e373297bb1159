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
    let (title, blocks) = blocks_of(version, |lineage| wanted.contains(&lineage))?;
    Some(VersionTexts { title, of_lineage: blocks.into_iter().collect() })
}

/// The title of a version, and its blocks that say something, in document order: what each continues, and
/// its text.
pub(crate) fn blocks_of(
    version: &VersionRow,
    is_wanted: impl Fn(i64) -> bool,
) -> Option<(String, Vec<(i64, String)>)> {
    let cutting = version.cut.as_ref()?;
    let (snapshot, body) = (version.snapshot.as_deref(), version.body.as_deref());
    let dom = reread(snapshot, body, version.content_type.as_deref())?;
    let looks = version.looks.as_deref().and_then(Looks::from_bytes);
    let tree = partition(&dom, looks.as_ref());
    let kept = KeptCut::from_bytes(&tree, &cutting.layout)?;
    let blocks = kept.lineages.iter().zip(kept.cut.blocks());
    let texts = blocks.filter(|(lineage, _)| is_wanted(**lineage)).map(|(lineage, at)| {
        let text = tree.block(*at).text(&dom);
        (*lineage, cut(text.trim(), LONGEST_TEXT).to_owned())
    });
    let texts = texts.filter(|(_, text)| !text.is_empty()).collect();
    Some((cut(&title(&dom), LONGEST_NAME).to_owned(), texts))
}
