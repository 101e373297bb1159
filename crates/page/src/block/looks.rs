//! How elements of a rendered page look: where they are and in which style.

use crate::tree::NodeId;

/// The computed `display`, as far as it matters to where a page can be cut.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Display {
    /// Not shown.
    None,
    /// Part of a line of text.
    #[default]
    Inline,
    /// A box inside a line of text.
    InlineBlock,
    /// A box of its own: `block`, `flow-root`, `list-item` and whatever is unknown.
    Block,
    /// A box whose children stand beside each other: `flex`, `grid`.
    Flex,
    /// A table.
    Table,
    /// A row of a table, or a group of rows.
    Row,
    /// A cell of a table.
    Cell,
    /// No box; its children stand in its place.
    Contents,
}

/// How one element looks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Look {
    /// How it takes part in the layout.
    pub display: Display,
    /// From the left edge of the document, in pixels.
    pub x: i32,
    /// From its top.
    pub y: i32,
    /// Width.
    pub width: i32,
    /// Height.
    pub height: i32,
    /// Font size in tenths of a pixel.
    pub font_size: u16,
    /// Font weight, 100 to 900.
    pub weight: u16,
    /// The colour of its text, as 0xRRGGBBAA.
    pub colour: u32,
    /// The colour behind it, as 0xRRGGBBAA; 0 where nothing is painted.
    pub background: u32,
}

/// How the elements of a page look, by their node.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Looks {
    of: Vec<(NodeId, Look)>,
}

impl Looks {
    /// Looks of elements in document order.
    pub fn new(of: Vec<(NodeId, Look)>) -> Self {
        Self { of }
    }

    /// How an element looks; `None` for what is no element.
    pub fn of(&self, node: NodeId) -> Option<&Look> {
        let at = self.of.binary_search_by_key(&node, |(node, _)| *node).ok()?;
        self.of.get(at).map(|(_, look)| look)
    }
}
