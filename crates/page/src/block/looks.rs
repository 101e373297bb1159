//! How elements of a rendered page look: where they are and in which style.

use super::tree::Block;
use crate::tree::{Dom, NodeId};

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

/// All displays, by the number they have in stored looks.
const DISPLAYS: [Display; 9] = [
    Display::None,
    Display::Inline,
    Display::InlineBlock,
    Display::Block,
    Display::Flex,
    Display::Table,
    Display::Row,
    Display::Cell,
    Display::Contents,
];

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

impl Look {
    /// Where it is.
    pub fn rect(&self) -> Rect {
        Rect { x: self.x, y: self.y, width: self.width, height: self.height }
    }

    /// Whether it takes up room.
    pub fn has_size(&self) -> bool {
        self.width > 0 && self.height > 0
    }
}

/// A rectangle on a page, in pixels from its top left corner.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Rect {
    /// From the left edge of the document.
    pub x: i32,
    /// From its top.
    pub y: i32,
    /// Width.
    pub width: i32,
    /// Height.
    pub height: i32,
}

impl Rect {
    /// One past the right edge.
    pub fn right(&self) -> i32 {
        self.x.saturating_add(self.width)
    }

    /// One past the bottom edge.
    pub fn bottom(&self) -> i32 {
        self.y.saturating_add(self.height)
    }

    /// The least rectangle around both.
    pub fn union(&self, other: &Self) -> Self {
        let (x, y) = (self.x.min(other.x), self.y.min(other.y));
        let width = self.right().max(other.right()).saturating_sub(x);
        let height = self.bottom().max(other.bottom()).saturating_sub(y);
        Self { x, y, width, height }
    }
}

/// How the elements of a page look, by their node.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Looks {
    of: Vec<(NodeId, Look)>,
    /// The place in `of` and one, by the number of the node; 0 for what is no element.
    at: Vec<u32>,
}

/// Nodes beyond this have no looks: no tree is that large.
const MAX_NODES: u32 = 1 << 24;

impl Looks {
    /// Looks of elements in document order; those out of order are left out.
    pub fn new(of: Vec<(NodeId, Look)>) -> Self {
        let mut looks = Self { of: Vec::with_capacity(of.len()), at: Vec::new() };
        for (node, look) in of {
            if looks.at.len() <= node.at() && node.0 < MAX_NODES {
                looks.of.push((node, look));
                looks.at.resize(node.at(), 0);
                looks.at.push(looks.of.len() as u32);
            }
        }
        looks
    }

    /// How an element looks; `None` for what is no element.
    pub fn of(&self, node: NodeId) -> Option<&Look> {
        let at = (*self.at.get(node.at())? as usize).checked_sub(1)?;
        self.of.get(at).map(|(_, look)| look)
    }

    /// All looks, in document order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (NodeId, &Look)> {
        self.of.iter().map(|(node, look)| (*node, look))
    }

    /// The rectangle around all that a block shows. `None` if no element of it has a size, as where it
    /// is text alone: then the element around it, if that holds nothing else, is the nearest.
    pub fn box_of(&self, dom: &Dom, block: &Block) -> Option<Rect> {
        let mut found: Option<Rect> = None;
        let mut at = block.first;
        while at < block.end {
            let node = dom.node(at);
            let look = self.of(at);
            let is_hidden = look.is_some_and(|look| look.display == Display::None);
            if let Some(look) = look.filter(|look| look.display != Display::None && look.has_size())
            {
                let rect = look.rect();
                found = Some(found.map_or(rect, |found| found.union(&rect)));
            }
            // What overflows its parent counts as well, so all elements are asked.
            at = if is_hidden { node.end() } else { NodeId(at.0 + 1) };
        }
        found
    }

    /// The looks in a few bytes an element: styles once each, boxes as differences to the one before.
    ///
    /// ```
    /// use page::block::{Look, Looks};
    /// use page::tree::NodeId;
    ///
    /// let look = Look { y: 40, width: 800, height: 20, font_size: 160, ..Look::default() };
    /// let looks = Looks::new(vec![(NodeId(3), look), (NodeId(4), look)]);
    /// let bytes = looks.to_bytes();
    /// assert_eq!(Looks::from_bytes(&bytes), Some(looks));
    /// ```
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut styles: Vec<Style> = Vec::new();
        let mut numbers = std::collections::HashMap::new();
        let numbered: Vec<u64> = self
            .of
            .iter()
            .map(|(_, look)| {
                let style = Style::of(look);
                *numbers.entry(style).or_insert_with(|| {
                    styles.push(style);
                    styles.len() as u64 - 1
                })
            })
            .collect();
        let mut out = Writer(vec![VERSION]);
        out.number(styles.len() as u64);
        for style in &styles {
            out.style(style);
        }
        out.number(self.of.len() as u64);
        let mut last = Last::new(styles.len());
        for ((node, look), style) in self.of.iter().zip(numbered) {
            let (step, rect) = (u64::from(node.0) - last.node, look.rect());
            let (same, from) = last.same(step, style, rect);
            out.0.push(same);
            if same & SAME_STEP == 0 {
                out.number(step);
            }
            if same & SAME_STYLE == 0 {
                out.number(style);
            }
            if same & NO_BOX == 0 {
                for (field, (to, from)) in pairs(rect, from).into_iter().enumerate() {
                    if same & SAME_FIELD << field == 0 {
                        out.number(difference(to, from));
                    }
                }
            }
            last.follow(u64::from(node.0), style, rect);
        }
        out.0
    }

    /// Reads what [`to_bytes`](Self::to_bytes) wrote; `None` if these are not such bytes.
    pub fn from_bytes(bytes: &[u8]) -> Option<Self> {
        let (&version, rest) = bytes.split_first()?;
        if version != VERSION {
            return None;
        }
        let mut bytes = Reader(rest);
        let count = bytes.count()?;
        let styles: Vec<Style> = (0..count).map(|_| bytes.style()).collect::<Option<_>>()?;
        let count = bytes.count()?;
        let mut of = Vec::with_capacity(count);
        let mut last = Last::new(styles.len());
        for at in 0..count {
            let same = bytes.byte()?;
            let step = if same & SAME_STEP == 0 { bytes.number()? } else { last.step };
            let node = last.node.checked_add(step).filter(|_| step > 0 || at == 0)?;
            let style = if same & SAME_STYLE == 0 { bytes.number()? } else { last.style };
            let mut rect = [0; 4];
            if same & NO_BOX == 0 {
                let from = if same & AS_STYLE == 0 { last.rect } else { last.of_style(style) };
                for (field, (to, (_, from))) in
                    rect.iter_mut().zip(pairs(Rect::default(), from)).enumerate()
                {
                    *to = if same & SAME_FIELD << field == 0 {
                        bytes.difference(from)?
                    } else {
                        from
                    };
                }
            }
            let [x, y, width, height] = rect;
            let rect = Rect { x, y, width, height };
            let look = styles.get(usize::try_from(style).ok()?)?.look(rect);
            of.push((NodeId(u32::try_from(node).ok().filter(|node| *node < MAX_NODES)?), look));
            last.follow(node, style, rect);
        }
        bytes.0.is_empty().then(|| Self::new(of))
    }
}

/// What an element has in common with the one before, as bits of its first byte.
const SAME_STEP: u8 = 1;
const SAME_STYLE: u8 = 2;
/// All of its box is 0, as of whatever is not shown.
const NO_BOX: u8 = 4;
/// The first of four: left, top, width, height.
const SAME_FIELD: u8 = 8;
/// Its box is told from the last one in the same style, not from the one before.
const AS_STYLE: u8 = 128;

/// The elements before, when looks are written or read.
struct Last {
    node: u64,
    /// How far that was from the one before it.
    step: u64,
    style: u64,
    /// The last box.
    rect: Rect,
    /// The last box of each style: the parts of a card are as large as those of the card before.
    of_style: Vec<Rect>,
}

impl Last {
    fn new(styles: usize) -> Self {
        let of_style = vec![Rect::default(); styles];
        Self { node: 0, step: 0, style: 0, rect: Rect::default(), of_style }
    }

    /// The bits of an element, and what its box is told from: whatever takes fewer bytes.
    fn same(&self, step: u64, style: u64, rect: Rect) -> (u8, Rect) {
        let mut same = 0;
        if step == self.step {
            same |= SAME_STEP;
        }
        if style == self.style {
            same |= SAME_STYLE;
        }
        if rect == Rect::default() {
            same |= NO_BOX;
        }
        let size = |from| -> usize {
            let bytes = |(to, from)| if to == from { 0 } else { width(difference(to, from)) };
            pairs(rect, from).into_iter().map(bytes).sum()
        };
        let mut from = self.rect;
        if size(self.of_style(style)) < size(from) {
            same |= AS_STYLE;
            from = self.of_style(style);
        }
        for (field, (to, from)) in pairs(rect, from).into_iter().enumerate() {
            if to == from {
                same |= SAME_FIELD << field;
            }
        }
        (same, from)
    }

    fn of_style(&self, style: u64) -> Rect {
        let at = usize::try_from(style).unwrap_or(usize::MAX);
        self.of_style.get(at).copied().unwrap_or_default()
    }

    fn follow(&mut self, node: u64, style: u64, rect: Rect) {
        self.step = node.saturating_sub(self.node);
        (self.node, self.style) = (node, style);
        if rect != Rect::default() {
            self.rect = rect;
            if let Some(last) = usize::try_from(style).ok().and_then(|at| self.of_style.get_mut(at))
            {
                *last = rect;
            }
        }
    }
}

/// The numbers of a box, each with what it is told from.
fn pairs(to: Rect, from: Rect) -> [(i32, i32); 4] {
    [(to.x, from.x), (to.y, from.y), (to.width, from.width), (to.height, from.height)]
}

/// A difference as a number. The sign goes last, so that small differences are small numbers.
fn difference(to: i32, from: i32) -> u64 {
    let difference = i64::from(to) - i64::from(from);
    ((difference << 1) ^ (difference >> 63)) as u64
}

/// How many bytes a number takes.
fn width(number: u64) -> usize {
    (64 - (number | 1).leading_zeros() as usize).div_ceil(7)
}

/// The version of stored looks, their first byte.
const VERSION: u8 = 1;

/// What many elements of a page share.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct Style {
    display: Display,
    font_size: u16,
    weight: u16,
    colour: u32,
    background: u32,
}

impl Style {
    fn of(look: &Look) -> Self {
        let Look { display, font_size, weight, colour, background, .. } = *look;
        Self { display, font_size, weight, colour, background }
    }

    fn look(&self, rect: Rect) -> Look {
        let Self { display, font_size, weight, colour, background } = *self;
        let Rect { x, y, width, height } = rect;
        Look { display, x, y, width, height, font_size, weight, colour, background }
    }
}

struct Writer(Vec<u8>);

impl Writer {
    /// Seven bits a byte, the lowest first.
    fn number(&mut self, mut number: u64) {
        while number > 0x7f {
            self.0.push(number as u8 | 0x80);
            number >>= 7;
        }
        self.0.push(number as u8);
    }

    fn style(&mut self, style: &Style) {
        let display = DISPLAYS.iter().position(|display| *display == style.display);
        self.number(display.unwrap_or_default() as u64);
        self.number(style.font_size.into());
        self.number(style.weight.into());
        self.number(style.colour.into());
        self.number(style.background.into());
    }
}

struct Reader<'a>(&'a [u8]);

impl Reader<'_> {
    fn number(&mut self) -> Option<u64> {
        let mut number = 0_u64;
        for shift in (0..63).step_by(7) {
            let byte = self.byte()?;
            number |= u64::from(byte & 0x7f) << shift;
            if byte & 0x80 == 0 {
                return Some(number);
            }
        }
        None
    }

    fn byte(&mut self) -> Option<u8> {
        let (&byte, rest) = self.0.split_first()?;
        self.0 = rest;
        Some(byte)
    }

    /// How many things follow. Each takes a byte at least, so that a lie reserves little memory.
    fn count(&mut self) -> Option<usize> {
        let count = usize::try_from(self.number()?).ok()?;
        (count <= self.0.len()).then_some(count)
    }

    fn difference(&mut self, from: i32) -> Option<i32> {
        let number = self.number()?;
        let difference = (number >> 1) as i64 ^ -((number & 1) as i64);
        i32::try_from(i64::from(from).checked_add(difference)?).ok()
    }

    fn style(&mut self) -> Option<Style> {
        Some(Style {
            display: *DISPLAYS.get(usize::try_from(self.number()?).ok()?)?,
            font_size: self.number()?.try_into().ok()?,
            weight: self.number()?.try_into().ok()?,
            colour: self.number()?.try_into().ok()?,
            background: self.number()?.try_into().ok()?,
        })
    }
}
