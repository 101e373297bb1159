//! A record, as a place on a page.

use page::tree::names::known;
use page::tree::text::{breaks_line, is_invisible, is_space};
use page::tree::{Dom, Kind, Node, NodeId, Step};

/// A record on a page: a run of sibling nodes, without the records that are nested in it.
///
/// Most are one element; several where a record is a header row and a body row, or everything from one
/// rule to the next.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Span {
    /// The nodes that it is made of, in document order, each with all that is below it.
    pub nodes: Vec<NodeId>,
    /// The roots of the records inside it, such as the answers below a comment.
    pub without: Vec<NodeId>,
    /// How many records it is nested in: the level of a reply.
    pub depth: u16,
}

impl Span {
    /// The record that is one element.
    pub(super) fn of(node: NodeId) -> Self {
        Span { nodes: vec![node], without: Vec::new(), depth: 0 }
    }

    /// Its nodes in document order, without those of nested records.
    ///
    /// ```
    /// # use record::Span;
    /// # use page::tree::{NodeId, parse_str};
    /// let dom = parse_str("<li>one<ul><li>two</ul></li>").dom;
    /// let items: Vec<NodeId> =
    ///     dom.elements().filter(|node| node.name() == "li").map(|node| node.id()).collect();
    /// let span = Span { nodes: vec![items[0]], without: vec![items[1]], depth: 0 };
    /// assert_eq!(span.walk(&dom).count(), 3, "the item, its text and the list");
    /// assert_eq!(span.text(&dom), "one");
    /// ```
    pub fn walk<'a>(&self, dom: &'a Dom) -> impl Iterator<Item = Node<'a>> {
        self.ranges(dom)
            .into_iter()
            .flat_map(|(from, to)| (from..to).map(NodeId))
            .map(|id| dom.node(id))
    }

    /// The stretches of node numbers that it is made of.
    pub(super) fn ranges(&self, dom: &Dom) -> Vec<(u32, u32)> {
        let mut ranges = Vec::with_capacity(self.nodes.len() + self.without.len());
        let mut without = self.without.iter().copied().peekable();
        for node in self.nodes.iter().filter_map(|id| dom.get(*id)) {
            let (mut from, to) = (node.id().0, node.end().0);
            while let Some(cut) = without.next_if(|cut| cut.0 < to) {
                if cut.0 >= from {
                    ranges.push((from, cut.0));
                    from = dom.node(cut).end().0;
                }
            }
            ranges.push((from, to));
        }
        ranges.retain(|(from, to)| from < to);
        ranges
    }

    /// What it shows: a line a block, whitespace folded.
    pub fn text(&self, dom: &Dom) -> String {
        let mut out = String::new();
        let mut gap = "";
        for node in self.nodes.iter().filter_map(|id| dom.get(*id)) {
            let mut walk = node.walk();
            while let Some(step) = walk.next() {
                let (Step::Open(node) | Step::Close(node)) = step;
                let opens = matches!(step, Step::Open(_));
                if opens && (is_invisible(node) || self.without.binary_search(&node.id()).is_ok()) {
                    walk.skip_inside();
                } else if node.kind() == Kind::Text && opens {
                    for (at, word) in node.text().split(is_space).enumerate() {
                        if at > 0 && gap.is_empty() {
                            gap = " ";
                        }
                        if !word.is_empty() {
                            out.push_str(if out.is_empty() { "" } else { gap });
                            out.push_str(word);
                            gap = "";
                        }
                    }
                } else if node.name_id().is_some_and(breaks_line) {
                    gap = "\n";
                } else if stands_apart(node) && gap.is_empty() {
                    gap = " ";
                }
            }
            gap = "\n";
        }
        out
    }
}

/// Whether an element is set apart from what is beside it, on the same line.
fn stands_apart(node: Node<'_>) -> bool {
    matches!(node.name_id(), Some(known::TD | known::TH | known::A | known::BUTTON | known::IMG))
}
