//! MDR (Liu, Grossman and Zhai 2003), which the paper compares itself with: adjacent runs of siblings
//! whose tags are alike, on one page. Only a row of the table.

use page::tree::{Dom, Node, NodeId};

/// Siblings that may be one record together.
const LONGEST_RUN: usize = 10;
/// How far apart the tags of two runs may be. The paper used 60 % alike.
const FARTHEST: f64 = 0.4;
/// Tags of a run that are compared: pages whose runs are longer differ, or not, before.
const TAGS: usize = 600;

/// The records of the region of a page that has most text, each as its nodes.
pub fn mdr(dom: &Dom) -> Vec<Vec<NodeId>> {
    let tags = Tags::of(dom);
    let mut best: (usize, Vec<Vec<NodeId>>) = (0, Vec::new());
    for parent in dom.elements() {
        let children: Vec<NodeId> =
            parent.children().filter(|child| child.is_element()).map(Node::id).collect();
        let Some(region) = Region::of(&tags, &children) else { continue };
        let records = region.records(&children);
        let nodes = records.iter().flatten().filter_map(|id| dom.get(*id));
        let text = nodes.map(|node| text_len(node)).sum();
        if text > best.0 {
            best = (text, records);
        }
    }
    best.1
}

fn text_len(node: Node<'_>) -> usize {
    node.descendants().map(|node| node.text().trim().len()).sum()
}

/// The tags of a page in document order, and where those of each node begin.
struct Tags<'a> {
    dom: &'a Dom,
    names: Vec<u32>,
    starts: Vec<usize>,
}

impl<'a> Tags<'a> {
    fn of(dom: &'a Dom) -> Self {
        let (mut names, mut starts) = (Vec::new(), Vec::new());
        let mut known: Vec<&str> = Vec::new();
        for node in dom.nodes() {
            starts.push(names.len());
            if !node.is_element() {
                continue;
            }
            let at = known.iter().position(|name| *name == node.name()).unwrap_or_else(|| {
                known.push(node.name());
                known.len() - 1
            });
            names.push(u32::try_from(at).unwrap_or(u32::MAX));
        }
        starts.push(names.len());
        Self { dom, names, starts }
    }

    /// The tags of a run of siblings.
    fn run(&self, nodes: &[NodeId]) -> &[u32] {
        let at = |id: NodeId| self.starts.get(id.0 as usize).copied().unwrap_or(self.names.len());
        let (Some(first), Some(last)) = (nodes.first(), nodes.last()) else { return &[] };
        let end = self.dom.get(*last).map_or(*last, Node::end);
        let tags = self.names.get(at(*first)..at(end)).unwrap_or_default();
        tags.get(..TAGS).unwrap_or(tags)
    }
}

/// Adjacent runs of one length that are alike.
#[derive(Clone, Copy, Default)]
struct Region {
    start: usize,
    run: usize,
    count: usize,
}

impl Region {
    /// The region of the children of a node that covers most of them; of equals that of the
    /// shortest runs.
    fn of(tags: &Tags<'_>, children: &[NodeId]) -> Option<Self> {
        let mut best = Region::default();
        for run in 1..=LONGEST_RUN.min(children.len() / 2) {
            for offset in 0..run {
                let region = Region::longest(tags, children, run, offset);
                let is_earlier = best.count == 0 || region.start <= best.start;
                if is_earlier && region.covered() > best.covered() {
                    best = region;
                }
            }
        }
        (best.count >= 2).then_some(best)
    }

    fn longest(tags: &Tags<'_>, children: &[NodeId], run: usize, offset: usize) -> Self {
        let runs: Vec<_> = children.get(offset..).unwrap_or_default().chunks_exact(run).collect();
        let (mut best, mut current) = (Region::default(), Region::default());
        for (at, pair) in runs.windows(2).enumerate() {
            let [a, b] = pair else { continue };
            if are_alike(tags.run(a), tags.run(b)) {
                if current.count == 0 {
                    current = Region { start: offset + at * run, run, count: 1 };
                }
                current.count += 1;
                if current.count > best.count {
                    best = current;
                }
            } else {
                current = Region::default();
            }
        }
        best
    }

    fn covered(&self) -> usize {
        self.run * self.count
    }

    fn records(&self, children: &[NodeId]) -> Vec<Vec<NodeId>> {
        let covered = children.get(self.start..self.start + self.covered()).unwrap_or_default();
        covered.chunks_exact(self.run.max(1)).map(<[NodeId]>::to_vec).collect()
    }
}

/// Whether the edit distance of two strings of tags, over the longer's length, is small enough.
fn are_alike(a: &[u32], b: &[u32]) -> bool {
    let (short, long) = if a.len() < b.len() { (a, b) } else { (b, a) };
    let most = (long.len() as f64 * FARTHEST) as usize;
    if long.len() - short.len() > most {
        return false;
    }
    let mut row: Vec<usize> = (0..=short.len()).collect();
    for (i, x) in long.iter().enumerate() {
        let mut diagonal = i;
        let mut left = i + 1;
        let mut least = left;
        if let Some(first) = row.first_mut() {
            *first = left;
        }
        for (y, cell) in short.iter().zip(row.iter_mut().skip(1)) {
            let here = (diagonal + usize::from(x != y)).min(*cell + 1).min(left + 1);
            diagonal = std::mem::replace(cell, here);
            left = here;
            least = least.min(here);
        }
        if least > most {
            return false;
        }
    }
    row.last().is_some_and(|distance| *distance <= most)
}

#[cfg(test)]
mod tests {
    use super::*;
    use page::tree::{parse, visible_text_of};

    fn texts(html: &str) -> Vec<String> {
        let dom = parse(html.as_bytes(), None).dom;
        let text = |nodes: &Vec<NodeId>| {
            nodes.iter().map(|id| visible_text_of(dom.node(*id))).collect::<Vec<_>>().join("|")
        };
        mdr(&dom).iter().map(text).collect()
    }

    #[test]
    fn rows_that_are_alike_are_records() {
        let html =
            "<h1>Tides</h1><div><p><b>a</b> one</p><p><b>b</b> two</p><p><b>c</b> three</p></div>";
        assert_eq!(texts(html), ["a one", "b two", "c three"]);
    }

    #[test]
    fn a_record_may_be_two_rows() {
        let pair = |n| format!("<h2>{n}</h2><div><ul><li>x<li>y</ul><p>text {n}</div>");
        let html = format!("<section>{}{}{}</section>", pair(1), pair(2), pair(3));
        assert_eq!(texts(&html).len(), 3);
        assert!(texts(&html).iter().all(|text| text.contains('|')));
    }

    #[test]
    fn a_single_post_is_no_region() {
        assert_eq!(texts("<div><article><p>only one</p></article></div>"), [""; 0]);
    }

    #[test]
    fn strings_are_alike_within_four_tenths() {
        assert!(are_alike(&[1, 2, 3, 4, 5], &[1, 2, 3, 4, 5]));
        assert!(are_alike(&[1, 2, 3, 4, 5], &[1, 9, 3, 9, 5]));
        assert!(!are_alike(&[1, 2, 3, 4, 5], &[9, 9, 9, 4, 5]));
        assert!(!are_alike(&[1], &[1, 2]));
    }
}
