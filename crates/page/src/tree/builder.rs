//! Filling the arena in document order, within limits.

use super::dom::{Attribute, Dom, Entry, Kind, NodeId};
use super::names::{Name, known};

/// How large a tree may become. What goes beyond is left out, and [`Dom::truncated`] says so.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Nodes, the root included.
    pub nodes: usize,
    /// Ancestors of a node. What is nested deeper becomes a child of the deepest allowed node, as
    /// in Chromium, whose limit is the same 512.
    pub depth: usize,
    /// Bytes of text, attribute values and names.
    pub bytes: usize,
    /// Frames inside frames.
    pub frames: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Limits { nodes: 1_000_000, depth: 512, bytes: 64 << 20, frames: 16 }
    }
}

impl Limits {
    /// The same, with every value inside what the arena can number.
    fn sane(self) -> Limits {
        Limits {
            nodes: self.nodes.clamp(1, u32::MAX as usize / 2),
            depth: self.depth.clamp(1, 512),
            bytes: self.bytes.min(u32::MAX as usize / 2),
            frames: self.frames.min(16),
        }
    }
}

/// Builds a [`Dom`] from calls in document order, as a walk over a live page makes them.
///
/// Any sequence of calls gives a well-formed tree: texts in a row become one, `close` without an
/// open node does nothing, and what is open at the end is closed. `NUL` becomes U+FFFD, as in the
/// HTML parser, and names lose the characters that no markup could carry.
///
/// ```
/// use page::tree::{DomBuilder, serialise};
///
/// let mut builder = DomBuilder::new();
/// builder.doctype("html");
/// builder.open("html", []);
/// builder.open("body", [("class", "x")]);
/// builder.text("1 < 2");
/// builder.close();
/// builder.close();
/// let dom = builder.finish();
/// assert!(serialise(&dom).ends_with(r#"<html><body class="x">1 &lt; 2</body></html>"#));
/// ```
pub struct DomBuilder {
    dom: Dom,
    limits: Limits,
    /// Open nodes from the root down; never empty.
    open: Vec<Open>,
    bytes: usize,
    frames: usize,
}

/// An open node, or one that a limit left out but that will still be closed.
enum Open {
    Node(u32),
    /// Left out; what is in it goes to the node above.
    Flattened,
    /// Left out with all that is in it.
    Dropped,
}

impl Default for DomBuilder {
    fn default() -> Self {
        DomBuilder::new()
    }
}

impl DomBuilder {
    /// A builder with the default [`Limits`], holding only the root.
    pub fn new() -> Self {
        DomBuilder::with_limits(Limits::default())
    }

    /// A builder with these limits.
    pub fn with_limits(limits: Limits) -> Self {
        let mut builder = DomBuilder {
            dom: Dom::default(),
            limits: limits.sane(),
            open: vec![Open::Node(0)],
            bytes: 0,
            frames: 0,
        };
        builder.dom.nodes.push(Entry {
            parent: 0,
            end: 1,
            name: Name(0),
            from: 0,
            to: 0,
            kind: Kind::Document,
            foreign: false,
            depth: 0,
        });
        builder
    }

    /// Makes room for a page of about this many bytes.
    pub(super) fn reserve(&mut self, bytes: usize) {
        let bytes = bytes.min(self.limits.bytes);
        self.dom.strings.reserve(bytes);
        self.dom.nodes.reserve(bytes / 32);
        self.dom.attributes.reserve(bytes / 64);
    }

    /// Adds a doctype: `html`, or with identifiers `html PUBLIC "…" "…"`.
    pub fn doctype(&mut self, text: &str) {
        let clean = text.replace('>', "");
        self.leaf(Kind::Doctype, clean.trim());
    }

    /// Opens an element and returns its number (that of the nearest open node if a limit left it
    /// out). Of attributes with the same name the first counts.
    pub fn open<'s>(
        &mut self,
        name: &str,
        attributes: impl IntoIterator<Item = (&'s str, &'s str)>,
    ) -> NodeId {
        let name = markup_name(name);
        let Some(id) = self.push(Kind::Element, name.len()) else {
            return self.current();
        };
        let from = self.dom.attributes.len();
        for (name, value) in attributes {
            self.attribute(from, name, value);
        }
        let (from, to) = (from as u32, self.dom.attributes.len() as u32);
        let interned = self.dom.names.intern(&name);
        let parent = self.dom.nodes[id.at()].parent;
        let foreign = self.is_foreign(parent as usize, interned);
        let entry = &mut self.dom.nodes[id.at()];
        (entry.name, entry.from, entry.to, entry.foreign) = (interned, from, to, foreign);
        id
    }

    /// Adds text to the open node.
    pub fn text(&mut self, text: &str) {
        if text.is_empty() {
            return;
        }
        // The newest node is a text of the open node: the two are one run.
        if let (Some(Open::Node(open)), Some(last)) = (self.holder(), self.dom.nodes.last()) {
            let (open, last) = (*open, *last);
            if last.kind == Kind::Text && last.parent == open {
                let (_, to) = self.store(text);
                if let Some(last) = self.dom.nodes.last_mut() {
                    last.to = to;
                }
                return;
            }
        }
        self.leaf(Kind::Text, text);
    }

    /// Adds a comment to the open node.
    pub fn comment(&mut self, text: &str) {
        self.leaf(Kind::Comment, text);
    }

    /// Opens the shadow root of the open element. To be called before its other children.
    pub fn open_shadow_root(&mut self) -> NodeId {
        self.push(Kind::ShadowRoot, 0).unwrap_or_else(|| self.current())
    }

    /// Opens the document of the open frame element.
    pub fn open_document(&mut self) -> NodeId {
        if self.frames >= self.limits.frames {
            self.dom.truncated = true;
            self.open.push(Open::Dropped);
            return self.current();
        }
        match self.push(Kind::Document, 0) {
            Some(id) => {
                self.frames += 1;
                id
            }
            None => self.current(),
        }
    }

    /// Closes what was opened last. The root stays open.
    pub fn close(&mut self) {
        if self.open.len() < 2 {
            return;
        }
        if let Some(Open::Node(id)) = self.open.pop() {
            let end = self.dom.nodes.len() as u32;
            let entry = &mut self.dom.nodes[id as usize];
            entry.end = end;
            if entry.kind == Kind::Document {
                self.frames = self.frames.saturating_sub(1);
            }
        }
    }

    /// Closes everything and gives the tree.
    pub fn finish(mut self) -> Dom {
        while self.open.len() > 1 {
            self.close();
        }
        self.dom.nodes[0].end = self.dom.nodes.len() as u32;
        // Room was made for more than most pages need, and trees may be held for a while.
        self.dom.nodes.shrink_to_fit();
        self.dom.attributes.shrink_to_fit();
        self.dom.strings.shrink_to_fit();
        self.dom
    }

    /// The number of a name, if the open node is outside SVG and MathML.
    pub(super) fn html_name(&self, name: &str) -> Option<Name> {
        let open = self.dom.nodes.get(self.current().at())?;
        if open.foreign { None } else { self.dom.names.get(name) }
    }

    /// Says that something was already left out before it came here.
    pub(super) fn mark_truncated(&mut self) {
        self.dom.truncated = true;
    }

    /// The open node that new nodes go into.
    pub(super) fn current(&self) -> NodeId {
        let open = self.open.iter().rev().find_map(|open| match open {
            Open::Node(id) => Some(NodeId(*id)),
            _ => None,
        });
        open.unwrap_or(NodeId::ROOT)
    }

    /// Where new nodes go: the nearest open node, unless something dropped lies between.
    fn holder(&self) -> Option<&Open> {
        self.open.iter().rev().find(|open| !matches!(open, Open::Flattened))
    }

    /// Adds an entry and opens it; none if a limit forbids it.
    fn push(&mut self, kind: Kind, bytes: usize) -> Option<NodeId> {
        let Some(Open::Node(parent)) = self.holder() else {
            self.open.push(Open::Dropped);
            return None;
        };
        let parent = *parent;
        let depth = self.dom.nodes[parent as usize].depth + 1;
        let over_depth = usize::from(depth) > self.limits.depth;
        if over_depth || self.is_full(bytes) {
            self.dom.truncated = true;
            self.open.push(if over_depth { Open::Flattened } else { Open::Dropped });
            return None;
        }
        self.bytes += bytes;
        let id = self.add(kind, parent, depth);
        self.open.push(Open::Node(id.0));
        Some(id)
    }

    fn leaf(&mut self, kind: Kind, text: &str) {
        let Some(Open::Node(parent)) = self.holder() else {
            return;
        };
        let parent = *parent;
        if self.is_full(0) {
            self.dom.truncated = true;
            return;
        }
        // Leaves may sit one deeper than elements: they open nothing, and text must not be lost.
        let depth = self.dom.nodes[parent as usize].depth + 1;
        let (from, to) = self.store(text);
        if from == to && kind == Kind::Text {
            return;
        }
        let id = self.add(kind, parent, depth);
        let entry = &mut self.dom.nodes[id.at()];
        (entry.from, entry.to) = (from, to);
    }

    fn is_full(&self, bytes: usize) -> bool {
        self.dom.nodes.len() >= self.limits.nodes || self.bytes + bytes > self.limits.bytes
    }

    fn add(&mut self, kind: Kind, parent: u32, depth: u16) -> NodeId {
        let id = self.dom.nodes.len() as u32;
        let foreign = self.is_foreign(parent as usize, Name(u32::MAX));
        let name = Name(0);
        self.dom.nodes.push(Entry {
            parent,
            end: id + 1,
            name,
            from: 0,
            to: 0,
            kind,
            foreign,
            depth,
        });
        NodeId(id)
    }

    /// Adds an attribute to the element being opened, unless it has it or is full.
    fn attribute(&mut self, first: usize, name: &str, value: &str) {
        let name = markup_name(name);
        // An attribute costs memory even with no value.
        let cost = name.len() + value.len() + size_of::<Attribute>();
        if self.bytes + cost > self.limits.bytes {
            self.dom.truncated = true;
            return;
        }
        let name = self.dom.names.intern(&name);
        // Quadratic in the attributes of one element, hence their cap.
        if self.dom.attributes.len() - first >= MAX_ATTRIBUTES {
            self.dom.truncated = true;
            return;
        }
        if self.dom.attributes[first..].iter().any(|a| a.name == name) {
            return;
        }
        self.bytes += cost - value.len();
        let (from, to) = self.store(value);
        self.dom.attributes.push(Attribute { name, from, to });
    }

    /// Copies text into the arena, as much of it as may be.
    fn store(&mut self, text: &str) -> (u32, u32) {
        let room = self.limits.bytes - self.bytes.min(self.limits.bytes);
        let mut text = text;
        if text.len() > room {
            self.dom.truncated = true;
            text = &text[..text.floor_char_boundary(room)];
        }
        let from = self.dom.strings.len();
        if memchr::memchr(0, text.as_bytes()).is_some() {
            self.dom.strings.extend(text.chars().map(|c| if c == '\0' { '\u{fffd}' } else { c }));
        } else {
            self.dom.strings.push_str(text);
        }
        self.bytes += self.dom.strings.len() - from;
        (from as u32, self.dom.strings.len() as u32)
    }

    /// Whether a child of that parent with that name is inside SVG or MathML: the parser's rule
    /// (HTML, "integration point"), by names alone.
    fn is_foreign(&self, parent: usize, name: Name) -> bool {
        let parent = &self.dom.nodes[parent];
        if name == known::SVG || name == known::MATH {
            return true;
        }
        let html_inside = [
            known::FOREIGN_OBJECT,
            known::DESC,
            known::TITLE,
            known::MI,
            known::MO,
            known::MN,
            known::MS,
            known::MTEXT,
            known::ANNOTATION_XML,
        ];
        parent.kind == Kind::Element && parent.foreign && !html_inside.contains(&parent.name)
    }
}

/// Attributes of one element that are kept. Pages have tens; 1,024 of them is an attack.
pub(super) const MAX_ATTRIBUTES: usize = 1024;

/// A name without what would end it in markup; `-` if nothing is left.
fn markup_name(name: &str) -> std::borrow::Cow<'_, str> {
    let breaks = |c: char| matches!(c, '\0' | '/' | '>' | '<' | '=') || c.is_ascii_whitespace();
    if name.is_empty() {
        "-".into()
    } else if name.contains(breaks) {
        name.replace(breaks, "-").into()
    } else {
        name.into()
    }
}
