//! A page as a string of tags, for the methods that mine one page by edit distance.

use std::collections::HashMap;

use page::tree::text::is_invisible;
use page::tree::{Dom, Node, NodeId, Step};

/// The longest strings that are compared, in tags. More are halves of a page, not records.
const LONGEST: usize = 2_000;

/// Cells of edit distance tables that one page may cost, some tens of milliseconds.
const MOST_CELLS: u64 = 40_000_000;

/// The tags of a page in document order. The string of an element, and that of neighbours together, is a
/// stretch of it.
pub(crate) struct Tags<'a> {
    dom: &'a Dom,
    tags: Vec<u32>,
    /// How many tags there are before each node; one longer than the page.
    before: Vec<u32>,
    /// Letters shown before each node; one longer than the page.
    letters: Vec<u32>,
    cells: u64,
}

impl<'a> Tags<'a> {
    pub(crate) fn new(dom: &'a Dom) -> Self {
        let count = dom.node_count();
        let mut names: HashMap<&str, u32> = HashMap::new();
        let (mut tag_of, mut shown) = (vec![None; count], vec![0; count]);
        let mut walk = dom.walk();
        while let Some(step) = walk.next() {
            let Step::Open(node) = step else { continue };
            let at = node.id().at();
            if is_invisible(node) {
                walk.skip_inside();
            } else if node.is_element() {
                let next = names.len() as u32;
                tag_of[at] = Some(*names.entry(node.name()).or_insert(next));
            } else {
                shown[at] = node.text().split_whitespace().map(|word| word.len() as u32).sum();
            }
        }
        let (mut tags, mut before, mut letters) = (Vec::new(), Vec::new(), Vec::new());
        let mut sum = 0u32;
        for (tag, shown) in tag_of.into_iter().zip(shown) {
            before.push(tags.len() as u32);
            letters.push(sum);
            tags.extend(tag);
            sum = sum.saturating_add(shown);
        }
        before.push(tags.len() as u32);
        letters.push(sum);
        Tags { dom, tags, before, letters, cells: 0 }
    }

    /// The children of an element that are elements and shown.
    pub(super) fn children(&self, node: Node<'a>) -> Vec<NodeId> {
        let shown =
            |node: &Node<'_>| node.is_element() && !self.of(node.id(), node.id()).is_empty();
        node.children().filter(shown).map(Node::id).collect()
    }

    /// The string of an element and its siblings up to another.
    fn of(&self, first: NodeId, last: NodeId) -> &[u32] {
        let at = |node: NodeId| self.before.get(node.at()).copied().unwrap_or_default() as usize;
        self.tags.get(at(first)..at(self.dom.node(last).end())).unwrap_or_default()
    }

    /// How many letters a stretch of siblings shows.
    pub(crate) fn letters(&self, first: NodeId, last: NodeId) -> u32 {
        let at = |node: NodeId| self.letters.get(node.at()).copied().unwrap_or_default();
        at(self.dom.node(last).end()).saturating_sub(at(first))
    }

    /// The edit distance between the strings of two stretches of siblings, and their lengths. None if
    /// one is more than twice as long, which needs no comparison (seed 004), if both are very long, or
    /// if the page has cost too much.
    pub(super) fn distance(
        &mut self,
        a: (NodeId, NodeId),
        b: (NodeId, NodeId),
    ) -> Option<(usize, usize, usize)> {
        let (a, b) = (self.of(a.0, a.1), self.of(b.0, b.1));
        let lengths = (a.len(), b.len());
        let (short, long) = (a.len().min(b.len()), a.len().max(b.len()));
        if long > 2 * short || long > LONGEST {
            return None;
        }
        if a == b {
            return Some((0, lengths.0, lengths.1));
        }
        let cost = lengths.0 as u64 * lengths.1 as u64;
        let distance = (self.cells + cost <= MOST_CELLS).then(|| edits(a, b))?;
        self.cells += cost;
        Some((distance, lengths.0, lengths.1))
    }
}

/// Levenshtein's distance.
fn edits(a: &[u32], b: &[u32]) -> usize {
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (at, x) in a.iter().enumerate() {
        let mut corner = at;
        let mut left = at + 1;
        if let Some(first) = row.first_mut() {
            *first = left;
        }
        for (cell, y) in row.iter_mut().skip(1).zip(b) {
            let best = (corner + usize::from(x != y)).min(left + 1).min(*cell + 1);
            corner = *cell;
            *cell = best;
            left = best;
        }
    }
    row.last().copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edits_count_what_must_change() {
        assert_eq!(edits(&[1, 2, 3], &[1, 3]), 1);
        assert_eq!(edits(&[1, 2, 3], &[4, 2, 5, 3]), 2);
        assert_eq!(edits(&[], &[7, 7]), 2);
        assert_eq!(edits(&[7], &[]), 1);
    }
}
