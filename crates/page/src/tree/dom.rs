//! The arena: one page as a flat list of nodes in document order.
//!
//! A node's number is its position in document order, so the subtree of node `i` is the range
//! `i..end(i)`: its first child is `i + 1`, its next sibling `end(i)`, and walking a subtree is
//! reading an array. Nothing is ever inserted later; a changed page is a new tree.
//!
//! A shadow root is a pseudo-node, the first child of its host. The document of a frame is a
//! [`Kind::Document`] child of its `iframe` or `frame` element. The contents of a `template` are
//! its children.

use super::names::{Name, Names};
use std::fmt;

/// The number of a node: its position in document order.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct NodeId(pub u32);

impl NodeId {
    /// The node that all others descend from.
    pub const ROOT: NodeId = NodeId(0);

    /// As an index: its place in document order.
    pub fn at(self) -> usize {
        self.0 as usize
    }
}

/// What a node is.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Kind {
    /// The root, or the document of a frame.
    Document,
    /// `<!DOCTYPE html>`; its text is what follows `<!DOCTYPE `.
    Doctype,
    /// An element.
    Element,
    /// A run of text; never empty, never beside another one.
    Text,
    /// A comment.
    Comment,
    /// The root of a shadow tree.
    ShadowRoot,
}

/// One entry of the arena: 28 bytes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Entry {
    pub(super) parent: u32,
    /// One past the last node of the subtree.
    pub(super) end: u32,
    /// Element: its name. Else unused.
    pub(super) name: Name,
    /// Element: its first attribute. Text, comment, doctype: where the text begins.
    pub(super) from: u32,
    /// Element: one past its last attribute. Text, comment, doctype: where the text ends.
    pub(super) to: u32,
    pub(super) kind: Kind,
    /// Inside SVG or MathML, where text-only elements such as `style` follow other rules.
    pub(super) foreign: bool,
    pub(super) depth: u16,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Attribute {
    pub(super) name: Name,
    pub(super) from: u32,
    pub(super) to: u32,
}

/// A page as a tree. See the [module](self) for its shape.
///
/// ```
/// use page::tree::{Kind, NodeId, parse_str};
///
/// let dom = parse_str("<ul><li class=a>one<li>two</ul>").dom;
/// let items: Vec<_> = dom.elements().filter(|node| node.name() == "li").collect();
/// assert_eq!(items.len(), 2);
/// assert_eq!(items[0].attribute("class"), Some("a"));
/// assert_eq!(items[1].children().next().map(|text| text.kind()), Some(Kind::Text));
/// assert_eq!(dom.node(NodeId::ROOT).kind(), Kind::Document);
/// ```
#[derive(Clone, Default)]
pub struct Dom {
    pub(super) nodes: Vec<Entry>,
    pub(super) attributes: Vec<Attribute>,
    pub(super) names: Names,
    /// All text and attribute values, end to end.
    pub(super) strings: String,
    pub(super) truncated: bool,
}

impl Dom {
    /// The document node.
    pub fn root(&self) -> Node<'_> {
        self.node(NodeId::ROOT)
    }

    /// The node with this number; the root if this tree has no such node.
    pub fn node(&self, id: NodeId) -> Node<'_> {
        let id = if id.at() < self.nodes.len() { id } else { NodeId::ROOT };
        Node { dom: self, id }
    }

    /// The node with this number, if this tree has it.
    pub fn get(&self, id: NodeId) -> Option<Node<'_>> {
        (id.at() < self.nodes.len()).then_some(Node { dom: self, id })
    }

    /// How many nodes there are, the root included. Never 0.
    pub fn node_count(&self) -> usize {
        self.nodes.len()
    }

    /// All nodes in document order, the root first.
    pub fn nodes(&self) -> impl DoubleEndedIterator<Item = Node<'_>> + ExactSizeIterator {
        (0..self.nodes.len() as u32).map(|id| Node { dom: self, id: NodeId(id) })
    }

    /// All elements in document order, those of shadow trees and frames included.
    pub fn elements(&self) -> impl DoubleEndedIterator<Item = Node<'_>> {
        self.nodes().filter(|node| node.kind() == Kind::Element)
    }

    /// Whether a limit cut something off: see [`Limits`](super::Limits).
    pub fn truncated(&self) -> bool {
        self.truncated
    }

    /// The number of a name in this tree, if any element or attribute has it.
    pub fn name(&self, text: &str) -> Option<Name> {
        self.names.get(text)
    }

    /// Bytes held, for memory accounting.
    pub fn memory(&self) -> usize {
        self.nodes.capacity() * size_of::<Entry>()
            + self.attributes.capacity() * size_of::<Attribute>()
            + self.strings.capacity()
    }

    pub(super) fn string(&self, from: u32, to: u32) -> &str {
        self.strings.get(from as usize..to as usize).unwrap_or_default()
    }
}

impl PartialEq for Dom {
    /// Equal trees: same shape, kinds, names, attributes in order, and texts. Names and strings
    /// are compared as text, since two trees may number and place them differently.
    fn eq(&self, other: &Dom) -> bool {
        self.nodes.len() == other.nodes.len()
            && self.nodes().zip(other.nodes()).all(|(a, b)| {
                a.kind() == b.kind()
                    && a.end() == b.end()
                    && a.name() == b.name()
                    && a.text() == b.text()
                    && a.attributes().eq(b.attributes())
            })
    }
}

impl Eq for Dom {}

impl fmt::Debug for Dom {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        for node in self.nodes() {
            writeln!(out)?;
            write!(out, "{:width$}{node:?}", "", width = 2 * node.depth())?;
        }
        Ok(())
    }
}

/// A node together with its tree.
#[derive(Clone, Copy)]
pub struct Node<'a> {
    dom: &'a Dom,
    id: NodeId,
}

impl PartialEq for Node<'_> {
    /// The same node of the same tree.
    fn eq(&self, other: &Self) -> bool {
        std::ptr::eq(self.dom, other.dom) && self.id == other.id
    }
}

impl Eq for Node<'_> {}

impl fmt::Debug for Node<'_> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.kind() {
            Kind::Element => {
                write!(out, "<{}", self.name())?;
                for (name, value) in self.attributes() {
                    write!(out, " {name}={value:?}")?;
                }
                write!(out, ">")
            }
            Kind::Document | Kind::ShadowRoot => write!(out, "{:?}", self.kind()),
            Kind::Doctype | Kind::Text | Kind::Comment => {
                write!(out, "{:?} {:?}", self.kind(), self.text())
            }
        }
    }
}

impl<'a> Node<'a> {
    fn entry(self) -> &'a Entry {
        // A `Node` is made only for numbers below `nodes.len()`.
        &self.dom.nodes[self.id.at()]
    }

    /// Its tree.
    pub fn dom(self) -> &'a Dom {
        self.dom
    }

    /// Its number.
    pub fn id(self) -> NodeId {
        self.id
    }

    /// What it is.
    pub fn kind(self) -> Kind {
        self.entry().kind
    }

    /// Whether it is an element.
    pub fn is_element(self) -> bool {
        self.kind() == Kind::Element
    }

    /// Whether it is an element of this name.
    pub fn is(self, name: Name) -> bool {
        let entry = self.entry();
        entry.kind == Kind::Element && entry.name == name
    }

    /// The number of its name, if it is an element.
    pub fn name_id(self) -> Option<Name> {
        let entry = self.entry();
        (entry.kind == Kind::Element).then_some(entry.name)
    }

    /// The name of an element, as written (SVG names keep their case); else empty.
    pub fn name(self) -> &'a str {
        self.name_id().map_or("", |name| self.dom.names.text(name))
    }

    /// The text of a text, comment or doctype node; else empty. Not the text below an element:
    /// see [`visible_text`](super::visible_text).
    pub fn text(self) -> &'a str {
        let entry = self.entry();
        match entry.kind {
            Kind::Text | Kind::Comment | Kind::Doctype => self.dom.string(entry.from, entry.to),
            _ => "",
        }
    }

    /// Whether it is inside SVG or MathML.
    pub fn is_foreign(self) -> bool {
        self.entry().foreign
    }

    /// How many ancestors it has.
    pub fn depth(self) -> usize {
        self.entry().depth.into()
    }

    /// One past the last node of its subtree: `id()..end()` is the subtree.
    pub fn end(self) -> NodeId {
        NodeId(self.entry().end)
    }

    /// How many nodes its subtree has, itself included.
    pub fn size(self) -> usize {
        (self.end().0 - self.id.0) as usize
    }

    /// The node it is a child of; none for the root.
    pub fn parent(self) -> Option<Node<'a>> {
        (self.id.0 != 0).then(|| Node { dom: self.dom, id: NodeId(self.entry().parent) })
    }

    /// Its first child.
    pub fn first_child(self) -> Option<Node<'a>> {
        let id = NodeId(self.id.0 + 1);
        (id < self.end()).then_some(Node { dom: self.dom, id })
    }

    /// The next node with the same parent.
    pub fn next_sibling(self) -> Option<Node<'a>> {
        let parent = self.parent()?;
        let id = self.end();
        (id < parent.end()).then_some(Node { dom: self.dom, id })
    }

    /// Its children in order: a shadow root first, then what is in the light.
    pub fn children(self) -> impl Iterator<Item = Node<'a>> {
        std::iter::successors(self.first_child(), move |child| {
            let id = child.end();
            (id < self.end()).then_some(Node { dom: self.dom, id })
        })
    }

    /// All nodes below it, in document order.
    pub fn descendants(self) -> impl DoubleEndedIterator<Item = Node<'a>> {
        let dom = self.dom;
        (self.id.0 + 1..self.end().0).map(move |id| Node { dom, id: NodeId(id) })
    }

    /// Its parent, the parent of that, up to the root.
    pub fn ancestors(self) -> impl Iterator<Item = Node<'a>> {
        std::iter::successors(self.parent(), |node| node.parent())
    }

    /// Its attributes, in the order of the page.
    pub fn attributes(self) -> impl ExactSizeIterator<Item = (&'a str, &'a str)> {
        let dom = self.dom;
        let text = |dom: &'a Dom, a: &Attribute| (dom.names.text(a.name), dom.string(a.from, a.to));
        self.attribute_entries().iter().map(move |a| text(dom, a))
    }

    /// The value of an attribute.
    pub fn attribute(self, name: &str) -> Option<&'a str> {
        self.attribute_by(self.dom.names.get(name)?)
    }

    /// The value of an attribute, by the number of its name.
    pub fn attribute_by(self, name: Name) -> Option<&'a str> {
        let found = self.attribute_entries().iter().find(|a| a.name == name)?;
        Some(self.dom.string(found.from, found.to))
    }

    pub(super) fn attribute_entries(self) -> &'a [Attribute] {
        let entry = self.entry();
        match entry.kind {
            Kind::Element => {
                let range = entry.from as usize..entry.to as usize;
                self.dom.attributes.get(range).unwrap_or_default()
            }
            _ => &[],
        }
    }

    /// Its shadow root, if it hosts one.
    pub fn shadow_root(self) -> Option<Node<'a>> {
        self.first_child().filter(|child| child.kind() == Kind::ShadowRoot)
    }

    /// The document shown in it, if it is a frame.
    pub fn frame_document(self) -> Option<Node<'a>> {
        if self.id == NodeId::ROOT {
            return None;
        }
        self.children().find(|child| child.kind() == Kind::Document)
    }
}
