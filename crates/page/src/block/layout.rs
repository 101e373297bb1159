//! The layout: what is left of a page when its blocks are taken out (seed 003, definition 5).

use std::ops::Range;

use super::tree::{BlockTree, Cut};
use crate::tree::{Dom, NodeId, Span};

/// The snapshot of a page under a cut, as byte ranges: where its blocks are, and between them the
/// layout.
///
/// ```
/// use page::block::{Cut, Layout, partition};
/// use page::tree::{parse_str, serialise_with_spans};
///
/// let dom = parse_str("<nav><a href=/>Home</a></nav><main><h1>News</h1><p>One.</main>").dom;
/// let (snapshot, spans) = serialise_with_spans(&dom);
/// let tree = partition(&dom, None);
/// let layout = Layout::new(&dom, &spans, &tree, &Cut::at_level(&tree, 1));
/// let blocks: Vec<&str> = layout.blocks().iter().map(|range| &snapshot[range.clone()]).collect();
/// assert_eq!(blocks, ["<nav><a href=\"/\">Home</a></nav>", "<main><h1>News</h1><p>One.</p></main>"]);
///
/// let bytes = layout.to_bytes(&snapshot);
/// assert_eq!(Layout::fill(&bytes, &blocks).as_deref(), Some(snapshot.as_str()));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Layout {
    blocks: Vec<Range<usize>>,
}

/// Stands for a block. It cannot occur in a snapshot, since U+0000 is in no HTML document: the parser
/// replaces it. Where a script put one into the page, it is doubled.
const PLACEHOLDER: char = '\0';

impl Layout {
    /// The layout of a page whose snapshot has these spans
    /// ([`serialise_with_spans`](crate::tree::serialise_with_spans)).
    pub fn new(dom: &Dom, spans: &[Span], tree: &BlockTree, cut: &Cut) -> Self {
        let range = |nodes: Range<u32>| {
            let last = last_of_run(dom, &nodes);
            let (first, last) = (spans.get(nodes.start as usize)?, spans.get(last.at())?);
            Some(first.start..last.end.max(first.start))
        };
        let blocks = cut.blocks().iter().filter_map(|&at| range(tree.block(at).nodes())).collect();
        Self { blocks }
    }

    /// The bytes of each block of the cut in the snapshot, in order.
    pub fn blocks(&self) -> &[Range<usize>] {
        &self.blocks
    }

    /// The snapshot with a placeholder for each block.
    pub fn to_bytes(&self, snapshot: &str) -> Vec<u8> {
        let mut out = String::new();
        let mut from = 0;
        for range in &self.blocks {
            escape(snapshot.get(from..range.start).unwrap_or_default(), &mut out);
            out.push(PLACEHOLDER);
            // A placeholder is told from a doubled one by what follows it.
            out.push('b');
            from = range.end;
        }
        escape(snapshot.get(from..).unwrap_or_default(), &mut out);
        out.into_bytes()
    }

    /// Puts the blocks back into a layout. `None` if the bytes are no layout for that many blocks.
    pub fn fill(layout: &[u8], blocks: &[impl AsRef<str>]) -> Option<String> {
        let layout = std::str::from_utf8(layout).ok()?;
        let mut out = String::with_capacity(layout.len());
        let mut blocks = blocks.iter();
        let mut pieces = layout.split(PLACEHOLDER);
        out.push_str(pieces.next()?);
        while let Some(piece) = pieces.next() {
            match piece.strip_prefix('b') {
                Some(rest) => {
                    out.push_str(blocks.next()?.as_ref());
                    out.push_str(rest);
                }
                None if piece.is_empty() => {
                    out.push(PLACEHOLDER);
                    out.push_str(pieces.next()?);
                }
                None => return None,
            }
        }
        blocks.next().is_none().then_some(out)
    }

    /// A hash of the layout, to tell whether it changed.
    pub fn hash(&self, snapshot: &str) -> [u8; 32] {
        *blake3::hash(&self.to_bytes(snapshot)).as_bytes()
    }
}

fn escape(text: &str, out: &mut String) {
    let mut pieces = text.split(PLACEHOLDER);
    out.push_str(pieces.next().unwrap_or_default());
    for piece in pieces {
        out.push(PLACEHOLDER);
        out.push(PLACEHOLDER);
        out.push_str(piece);
    }
}

/// The last sibling of a run.
fn last_of_run(dom: &Dom, nodes: &Range<u32>) -> NodeId {
    let mut at = NodeId(nodes.start);
    loop {
        let end = dom.node(at).end();
        if end.0 >= nodes.end || end <= at {
            return at;
        }
        at = end;
    }
}
