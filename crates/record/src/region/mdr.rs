//! MDR (Liu, Grossman & Zhai 2003, "Mining Data Records in Web Pages"): the peer that records are
//! measured against, as the paper has it.
//!
//! A generalised node is up to ten neighbouring siblings; a data region is two or more that follow each
//! other, all of the same number of siblings, each within a normalised edit distance of 0.4 of the one
//! before (the authors' similarity of 60 %, as seed 004 ran it). Of all sizes and starts the one that
//! covers most siblings is taken; a larger size only if it covers half as many again, which is kinder to
//! MDR than the paper, for else every two records are taken for one. What no region covers is searched deeper.
//! Records are the generalised nodes; or, if each is one element but no row, and all its children are
//! alike, those children. The paper does not say which region is wanted: that with the most text is
//! first here.

use super::span::Span;
use super::tags::Tags;
use page::tree::names::known;
use page::tree::{Dom, Node, NodeId};

/// The longest generalised node.
const MOST_SIBLINGS: usize = 10;

/// The largest distance between two that are alike, as a share of their mean length.
const THRESHOLD: f64 = 0.4;

/// Siblings of one parent that are looked at.
const MOST_CHILDREN: usize = 2_000;

/// The records of every data region of a page, that with the most text first.
///
/// ```
/// # use record::mdr;
/// # use page::tree::parse_str;
/// let dom = parse_str("<div><h3>A</h3><p>one</p><h3>B</h3><p>two</p><h3>C</h3><p>three</p></div>").dom;
/// let records = &mdr(&dom)[0];
/// assert_eq!(records.len(), 3);
/// assert_eq!(records[1].text(&dom), "B\ntwo");
/// ```
pub fn mdr(dom: &Dom) -> Vec<Vec<Span>> {
    let mut tags = Tags::new(dom);
    let mut found: Vec<(u32, Vec<Span>)> = Vec::new();
    let mut open: Vec<Node<'_>> = dom.root().children().filter(|node| node.is_element()).collect();
    while let Some(parent) = open.pop() {
        let mut children = tags.children(parent);
        children.truncate(MOST_CHILDREN);
        let mut from = 0;
        while let Some(region) = first_region(&mut tags, &children, from) {
            open.extend(children[from..region.start].iter().map(|child| dom.node(*child)));
            from = region.start + region.size * region.count;
            let covered = &children[region.start..from];
            if let (Some(first), Some(last)) = (covered.first(), covered.last()) {
                let records = records(&mut tags, dom, covered, region.size);
                found.push((tags.letters(*first, *last), records));
            }
        }
        open.extend(children[from..].iter().map(|child| dom.node(*child)));
    }
    found.sort_by_key(|(letters, _)| std::cmp::Reverse(*letters));
    found.into_iter().map(|(_, records)| records).collect()
}

/// Generalised nodes that follow each other.
struct Run {
    start: usize,
    size: usize,
    count: usize,
}

/// The region among the siblings that covers most of those that begin near the first.
fn first_region(tags: &mut Tags<'_>, children: &[NodeId], from: usize) -> Option<Run> {
    let mut best: Option<Run> = None;
    for size in 1..=MOST_SIBLINGS.min(children.len().saturating_sub(from) / 2) {
        let mut start = from;
        while start + 2 * size <= children.len() {
            let count = count(tags, children, start, size);
            let more = best.as_ref().is_none_or(|best| {
                let covers = best.size * best.count;
                if size > best.size { 2 * count * size > 3 * covers } else { count * size > covers }
            });
            if count >= 2 && more {
                best = Some(Run { start, size, count });
            }
            // What follows a run at this size begins behind it.
            start += if count >= 2 { count * size } else { 1 };
        }
    }
    best
}

/// How many generalised nodes of a size follow each other, all alike.
fn count(tags: &mut Tags<'_>, children: &[NodeId], start: usize, size: usize) -> usize {
    let mut nodes = children[start..].chunks_exact(size);
    let Some(mut last) = nodes.next() else { return 0 };
    let mut count = 1;
    for next in nodes {
        if !is_alike(tags, (last[0], last[size - 1]), (next[0], next[size - 1])) {
            break;
        }
        last = next;
        count += 1;
    }
    count
}

fn is_alike(tags: &mut Tags<'_>, a: (NodeId, NodeId), b: (NodeId, NodeId)) -> bool {
    let compared = tags.distance(a, b);
    compared.is_some_and(|(edits, a, b)| edits as f64 <= THRESHOLD * (a + b) as f64 / 2.0)
}

/// The records of a region: its generalised nodes, or what each of them is made of.
fn records<'a>(tags: &mut Tags<'a>, dom: &'a Dom, covered: &[NodeId], size: usize) -> Vec<Span> {
    let is_split = size == 1 && covered.iter().all(|node| is_list(tags, dom.node(*node)));
    if is_split {
        let parts = covered.iter().flat_map(|node| tags.children(dom.node(*node)));
        return parts.map(Span::of).collect();
    }
    let whole = |nodes: &[NodeId]| Span { nodes: nodes.to_vec(), without: Vec::new(), depth: 0 };
    covered.chunks_exact(size).map(whole).collect()
}

/// Whether all children of an element are alike, and it is no row of a table.
fn is_list<'a>(tags: &mut Tags<'a>, node: Node<'a>) -> bool {
    let children = tags.children(node);
    let mut pairs = children.windows(2);
    !node.is(known::TR)
        && children.len() >= 2
        && pairs.all(|pair| is_alike(tags, (pair[0], pair[0]), (pair[1], pair[1])))
}
