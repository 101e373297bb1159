//! What is drawn over a page.

use page::block::Block;
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

impl Place {
    /// Where a block of a tree is. Blocks in frames are where their frame is.
    pub fn of(block: &Block, dom: &Dom, paths: &Paths<'_>) -> Self {
        let first = dom.node(block.first);
        let frames = first.ancestors().filter(|node| is_frame(*node));
        let outermost = frames.last();
        let Some(parent) = first.parent().filter(|_| outermost.is_none()) else {
            let whole = outermost.unwrap_or(first);
            return Self { parent: path(whole.id(), paths), from: None, to: None };
        };
        let (mut from, mut to) = (0, 0);
        for child in parent.children().filter(|child| child.kind() != Kind::ShadowRoot) {
            from += u32::from(child.id() < block.first);
            to += u32::from(child.id() < block.end);
        }
        Self { parent: path(parent.id(), paths), from: Some(from), to: Some(to) }
    }
}

fn path(node: NodeId, paths: &Paths<'_>) -> String {
    paths.of(node).map_or_else(String::new, |path| path.to_string())
}

fn is_frame(node: Node<'_>) -> bool {
    node.is_element() && node.frame_document().is_some()
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
