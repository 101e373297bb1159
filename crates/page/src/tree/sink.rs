//! Where html5ever builds: a linked tree that allows the moves of the HTML algorithm (foster
//! parents, the adoption agency), copied into the arena in document order at the end.

use super::builder::{DomBuilder, Limits};
use html5ever::interface::{ElementFlags, NodeOrText, QuirksMode, TreeSink};
use html5ever::tendril::StrTendril;
use html5ever::{Attribute, QualName, local_name};
use std::borrow::Cow;
use std::cell::{Cell, RefCell};
use typed_arena::Arena;

pub(super) type Ref<'a> = &'a Linked<'a>;
type Link<'a> = Cell<Option<Ref<'a>>>;

pub(super) struct Linked<'a> {
    parent: Link<'a>,
    previous: Link<'a>,
    next: Link<'a>,
    first: Link<'a>,
    last: Link<'a>,
    data: Data<'a>,
}

enum Data<'a> {
    Document,
    Doctype(String),
    Text(RefCell<StrTendril>),
    Comment(StrTendril),
    ShadowRoot,
    Element {
        name: QualName,
        attributes: RefCell<Vec<Attribute>>,
        integration_point: bool,
        /// A declarative shadow root that this template fills instead of itself.
        shadow: Link<'a>,
    },
}

/// The tree sink. Its work is bounded by [`Sink::is_full`], which its driver must heed.
pub(super) struct Sink<'a> {
    arena: &'a Arena<Linked<'a>>,
    document: Ref<'a>,
    limits: Limits,
    nodes: Cell<usize>,
    bytes: Cell<usize>,
    elements: Cell<usize>,
}

impl<'a> Sink<'a> {
    pub(super) fn new(arena: &'a Arena<Linked<'a>>, limits: Limits) -> Self {
        let document = arena.alloc(Linked::new(Data::Document));
        let zero = || Cell::new(0);
        Sink { arena, document, limits, nodes: Cell::new(1), bytes: zero(), elements: zero() }
    }

    /// Whether a limit is reached, so that no more tokens should come.
    pub(super) fn is_full(&self) -> bool {
        self.nodes.get() >= self.limits.nodes || self.bytes.get() >= self.limits.bytes
    }

    /// Elements made so far: an upper bound of those that were opened.
    pub(super) fn elements_made(&self) -> usize {
        self.elements.get()
    }

    fn make(&self, data: Data<'a>) -> Ref<'a> {
        self.nodes.set(self.nodes.get() + 1);
        self.arena.alloc(Linked::new(data))
    }

    fn spend(&self, bytes: usize) {
        self.bytes.set(self.bytes.get().saturating_add(bytes));
    }

    fn append_to(&self, parent: Ref<'a>, child: NodeOrText<Ref<'a>>) {
        match child {
            NodeOrText::AppendNode(node) => parent.append(node),
            NodeOrText::AppendText(text) => {
                self.spend(text.len());
                match parent.last.get() {
                    Some(last) if last.push_text(&text) => {}
                    _ => parent.append(self.make(Data::Text(RefCell::new(text)))),
                }
            }
        }
    }

    /// Copies the tree, in document order, without recursion.
    pub(super) fn copy_into(&self, builder: &mut DomBuilder) {
        let mut at = self.document.first.get();
        while let Some(node) = at {
            let has_inside = node.open_in(builder);
            at = node.first.get().filter(|_| has_inside);
            if at.is_some() {
                continue;
            }
            let mut done = Some(node);
            if has_inside {
                builder.close();
            }
            while let Some(node) = done {
                at = node.next.get();
                if at.is_some() {
                    break;
                }
                done = node.parent.get().filter(|parent| !std::ptr::eq(*parent, self.document));
                if done.is_some() {
                    builder.close();
                }
            }
        }
    }
}

impl<'a> Linked<'a> {
    fn new(data: Data<'a>) -> Self {
        let none = || Cell::new(None);
        Linked { parent: none(), previous: none(), next: none(), first: none(), last: none(), data }
    }

    /// Adds this node to the builder; true if it was opened and must be closed.
    fn open_in(&self, builder: &mut DomBuilder) -> bool {
        match &self.data {
            Data::Document => false,
            Data::Doctype(text) => {
                builder.doctype(text);
                false
            }
            Data::Text(text) => {
                builder.text(&text.borrow());
                false
            }
            Data::Comment(text) => {
                builder.comment(text);
                false
            }
            Data::ShadowRoot => {
                builder.open_shadow_root();
                true
            }
            Data::Element { name, attributes, .. } => {
                let attributes = attributes.borrow();
                let named = attributes.iter().map(|a| (attribute_name(&a.name), &*a.value));
                let prefixed: Vec<_> = named.collect();
                builder.open(&name.local, prefixed.iter().map(|(name, value)| (&**name, *value)));
                true
            }
        }
    }

    fn detach(&'a self) {
        let (parent, previous, next) = (self.parent.take(), self.previous.take(), self.next.take());
        match previous {
            Some(node) => node.next.set(next),
            None => {
                if let Some(parent) = parent {
                    parent.first.set(next);
                }
            }
        }
        match next {
            Some(node) => node.previous.set(previous),
            None => {
                if let Some(parent) = parent {
                    parent.last.set(previous);
                }
            }
        }
    }

    fn append(&'a self, child: Ref<'a>) {
        child.detach();
        child.parent.set(Some(self));
        match self.last.replace(Some(child)) {
            Some(last) => {
                child.previous.set(Some(last));
                last.next.set(Some(child));
            }
            None => self.first.set(Some(child)),
        }
    }

    fn prepend(&'a self, child: Ref<'a>) {
        match self.first.get() {
            Some(first) => first.insert_before(child),
            None => self.append(child),
        }
    }

    fn insert_before(&'a self, sibling: Ref<'a>) {
        sibling.detach();
        sibling.parent.set(self.parent.get());
        sibling.next.set(Some(self));
        match self.previous.replace(Some(sibling)) {
            Some(previous) => {
                sibling.previous.set(Some(previous));
                previous.next.set(Some(sibling));
            }
            None => {
                if let Some(parent) = self.parent.get() {
                    parent.first.set(Some(sibling));
                }
            }
        }
    }

    /// Adds text to a text node; false if it is none.
    fn push_text(&self, text: &StrTendril) -> bool {
        let Data::Text(own) = &self.data else {
            return false;
        };
        own.borrow_mut().push_tendril(text);
        true
    }
}

/// `xlink:href` and the like keep their prefix, as in the source.
fn attribute_name(name: &QualName) -> Cow<'_, str> {
    match &name.prefix {
        Some(prefix) if !prefix.is_empty() => format!("{}:{}", prefix, name.local).into(),
        _ => Cow::Borrowed(&name.local),
    }
}

impl<'a> TreeSink for Sink<'a> {
    type Handle = Ref<'a>;
    type Output = Self;
    type ElemName<'n>
        = &'n QualName
    where
        Self: 'n;

    fn finish(self) -> Self {
        self
    }

    fn parse_error(&self, _message: Cow<'static, str>) {}

    fn get_document(&self) -> Ref<'a> {
        self.document
    }

    fn elem_name<'n>(&'n self, target: &'n Ref<'a>) -> &'n QualName {
        static NOT_AN_ELEMENT: QualName =
            QualName { prefix: None, ns: html5ever::ns!(), local: local_name!("") };
        match &target.data {
            Data::Element { name, .. } => name,
            _ => &NOT_AN_ELEMENT,
        }
    }

    fn create_element(
        &self,
        name: QualName,
        attributes: Vec<Attribute>,
        flags: ElementFlags,
    ) -> Ref<'a> {
        let values: usize = attributes.iter().map(|a| a.value.len()).sum();
        self.spend(values + attributes.len() * size_of::<Attribute>());
        self.elements.set(self.elements.get() + 1);
        self.make(Data::Element {
            name,
            attributes: RefCell::new(attributes),
            integration_point: flags.mathml_annotation_xml_integration_point,
            shadow: Cell::new(None),
        })
    }

    fn create_comment(&self, text: StrTendril) -> Ref<'a> {
        self.spend(text.len());
        self.make(Data::Comment(text))
    }

    fn create_pi(&self, target: StrTendril, data: StrTendril) -> Ref<'a> {
        self.create_comment(format!("?{target} {data}").into())
    }

    fn append(&self, parent: &Ref<'a>, child: NodeOrText<Ref<'a>>) {
        self.append_to(parent, child);
    }

    fn append_based_on_parent_node(
        &self,
        element: &Ref<'a>,
        previous: &Ref<'a>,
        child: NodeOrText<Ref<'a>>,
    ) {
        if element.parent.get().is_some() {
            self.append_before_sibling(element, child);
        } else {
            self.append_to(previous, child);
        }
    }

    fn append_doctype_to_document(&self, name: StrTendril, public: StrTendril, system: StrTendril) {
        let quoted = |id: &str| {
            if id.contains('"') { format!("'{id}'") } else { format!("\"{id}\"") }
        };
        let text = match (public.is_empty(), system.is_empty()) {
            (true, true) => name.to_string(),
            (true, false) => format!("{name} SYSTEM {}", quoted(&system)),
            (false, true) => format!("{name} PUBLIC {}", quoted(&public)),
            (false, false) => format!("{name} PUBLIC {} {}", quoted(&public), quoted(&system)),
        };
        self.spend(text.len());
        self.document.append(self.make(Data::Doctype(text)));
    }

    fn get_template_contents(&self, target: &Ref<'a>) -> Ref<'a> {
        match &target.data {
            Data::Element { shadow, .. } => shadow.get().unwrap_or(*target),
            _ => target,
        }
    }

    fn same_node(&self, x: &Ref<'a>, y: &Ref<'a>) -> bool {
        std::ptr::eq(*x, *y)
    }

    fn set_quirks_mode(&self, _mode: QuirksMode) {}

    fn append_before_sibling(&self, sibling: &Ref<'a>, child: NodeOrText<Ref<'a>>) {
        match child {
            NodeOrText::AppendNode(node) => sibling.insert_before(node),
            NodeOrText::AppendText(text) => {
                self.spend(text.len());
                match sibling.previous.get() {
                    Some(previous) if previous.push_text(&text) => {}
                    _ => sibling.insert_before(self.make(Data::Text(RefCell::new(text)))),
                }
            }
        }
    }

    fn add_attrs_if_missing(&self, target: &Ref<'a>, more: Vec<Attribute>) {
        let Data::Element { attributes, .. } = &target.data else {
            return;
        };
        let mut attributes = attributes.borrow_mut();
        for attribute in more {
            // <html> and <body> can come again and again: their attributes add up.
            if attributes.len() >= super::builder::MAX_ATTRIBUTES {
                return;
            }
            if !attributes.iter().any(|own| own.name == attribute.name) {
                self.spend(attribute.value.len() + size_of::<Attribute>());
                attributes.push(attribute);
            }
        }
    }

    fn remove_from_parent(&self, target: &Ref<'a>) {
        target.detach();
    }

    fn reparent_children(&self, node: &Ref<'a>, new_parent: &Ref<'a>) {
        while let Some(child) = node.first.get() {
            new_parent.append(child);
        }
    }

    fn is_mathml_annotation_xml_integration_point(&self, handle: &Ref<'a>) -> bool {
        matches!(handle.data, Data::Element { integration_point: true, .. })
    }

    fn attach_declarative_shadow(
        &self,
        host: &Ref<'a>,
        template: &Ref<'a>,
        _attributes: &[Attribute],
    ) -> bool {
        let Data::Element { shadow, .. } = &template.data else {
            return false;
        };
        let taken = host.first.get().is_some_and(|node| matches!(node.data, Data::ShadowRoot));
        if taken || !can_host_shadow(host) {
            return false;
        }
        let root = self.make(Data::ShadowRoot);
        host.prepend(root);
        shadow.set(Some(root));
        true
    }
}

/// The elements that may host a shadow tree (DOM, "valid shadow host name").
fn can_host_shadow(host: Ref<'_>) -> bool {
    let Data::Element { name, .. } = &host.data else {
        return false;
    };
    let named = [
        "article",
        "aside",
        "blockquote",
        "body",
        "div",
        "footer",
        "h1",
        "h2",
        "h3",
        "h4",
        "h5",
        "h6",
        "header",
        "main",
        "nav",
        "p",
        "section",
        "span",
    ];
    name.ns == html5ever::ns!(html) && (name.local.contains('-') || named.contains(&&*name.local))
}
