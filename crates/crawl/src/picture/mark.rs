//! What is drawn over a page.

use std::ops::Range;

use page::tree::{Dom, Kind, Node, NodeId, Paths};
use serde::{Serialize, Serializer};

/// An outline around a part of a page, with a tag.
#[derive(Clone, Debug, Serialize)]
pub struct Mark {
    /// Around what.
    #[serde(flatten)]
    pub place: Place,
    /// What the tag says.
    pub caption: String,
    /// What the colour stands for.
    #[serde(skip)]
    pub class: String,
    /// In which colour.
    pub colour: Colour,
}

/// A run of neighbouring siblings, as a browser can find it again.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Place {
    /// The path of what they are children of.
    parent: String,
    /// The first of them among its children; `None` stands for the parent itself.
    from: Option<u32>,
    /// One past the last of them.
    to: Option<u32>,
}

/// Finds the places of blocks of one tree.
///
/// ```
/// use crawl::picture::Places;
/// use page::block::{BlockAt, partition};
///
/// let dom = page::tree::parse_str("<p>one</p><p>two</p>").dom;
/// let tree = partition(&dom, None);
/// let places = Places::new(&dom);
/// let place = places.of(tree.block(BlockAt::PAGE).nodes());
/// ```
pub struct Places<'a> {
    dom: &'a Dom,
    paths: Paths<'a>,
    /// The number of each node among the children of its parent, as a browser counts them.
    numbers: Vec<u32>,
}

impl<'a> Places<'a> {
    /// Numbers the nodes of a tree.
    pub fn new(dom: &'a Dom) -> Self {
        let mut counts = vec![0; dom.node_count()];
        let number = |node: Node<'_>| {
            let count = node.parent().and_then(|parent| counts.get_mut(parent.id().0 as usize))?;
            // A shadow root is no child to a browser.
            let number = *count;
            *count += u32::from(node.kind() != Kind::ShadowRoot);
            Some(number)
        };
        let numbers = dom.nodes().map(number).map(Option::unwrap_or_default).collect();
        Self { dom, paths: Paths::new(dom), numbers }
    }

    /// Where the nodes of a block are. What is in a frame is where that is.
    pub fn of(&self, nodes: Range<u32>) -> Place {
        let first = self.dom.node(NodeId(nodes.start));
        let outermost = first.ancestors().filter(|node| is_frame(*node)).last();
        let Some(parent) = first.parent().filter(|_| outermost.is_none()) else {
            let whole = outermost.unwrap_or(first);
            return Place { parent: self.path(whole), from: None, to: None };
        };
        let next = |node: &Node<'a>| node.next_sibling().filter(|next| next.id().0 < nodes.end);
        let last = std::iter::successors(Some(first), next).last().unwrap_or(first);
        let number = |node: Node<'_>| self.numbers.get(node.id().0 as usize).copied();
        Place {
            parent: self.path(parent),
            from: number(first),
            to: number(last).map(|last| last + 1),
        }
    }

    fn path(&self, node: Node<'_>) -> String {
        self.paths.of(node.id()).map_or_else(String::new, |path| path.to_string())
    }
}

fn is_frame(node: Node<'_>) -> bool {
    // By name first: looking for the document of a long list would look at all its items.
    matches!(node.name(), "iframe" | "frame") && node.frame_document().is_some()
}

/// A colour of the palette: dark enough for white letters on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Colour(usize);

impl Colour {
    const PALETTE: [&str; 12] = [
        "#d62728", "#1f77b4", "#2a8a2a", "#8c3fb5", "#c45a00", "#0e8f8f", "#c2187e", "#7a5230",
        "#4a55c8", "#6b7a00", "#5a6b7b", "#a01345",
    ];

    /// A colour by its number; they repeat.
    pub fn nth(number: usize) -> Self {
        Self(number % Self::PALETTE.len())
    }

    /// Its red, green and blue.
    pub fn rgb(self) -> [u8; 3] {
        let digits = self.css().get(1..).and_then(|hex| u32::from_str_radix(hex, 16).ok());
        let [_, red, green, blue] = digits.unwrap_or_default().to_be_bytes();
        [red, green, blue]
    }

    fn css(self) -> &'static str {
        Self::PALETTE[self.0]
    }
}

impl Serialize for Colour {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.css())
    }
}

/// What the colours of marks stand for, each once, in the order of the palette.
pub(super) fn legend(marks: &[Mark]) -> Vec<(&str, Colour)> {
    let mut legend: Vec<_> = marks.iter().map(|mark| (mark.class.as_str(), mark.colour)).collect();
    legend.sort_by_key(|(class, colour)| (colour.0, *class));
    legend.dedup();
    legend
}
