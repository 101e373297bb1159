//! Things that elements are marked as: microdata, and RDFa Lite, which differs in the names of attributes.

use std::collections::HashMap;

use super::thing::{Text, Thing, Things, Value, local_name};
use page::tree::{Dom, Name, Node, NodeId, visible_text_of};

/// The longest text that is kept of an element, in bytes.
const LONGEST: usize = 100_000;

/// How many nodes are read for texts, in all: properties may be nested in properties.
const NODES: usize = 2_000_000;

/// The names of the attributes of a syntax, as a page has them.
struct Syntax {
    scope: Option<Name>,
    types: Option<Name>,
    property: Option<Name>,
    id: Option<Name>,
    also: Option<Name>,
}

/// What is marked on a page.
pub(super) fn marked(dom: &Dom, things: &mut Things) {
    let microdata = Syntax {
        scope: dom.name("itemscope"),
        types: dom.name("itemtype"),
        property: dom.name("itemprop"),
        id: dom.name("itemid"),
        also: dom.name("itemref"),
    };
    let rdfa = Syntax {
        scope: dom.name("typeof"),
        types: dom.name("typeof"),
        property: dom.name("property"),
        id: dom.name("resource"),
        also: None,
    };
    for syntax in [microdata, rdfa] {
        if syntax.scope.is_some() {
            let mut reader = Reader { things, syntax, at: HashMap::new(), nodes: NODES };
            reader.read(dom.root(), None);
            reader.follow(dom);
        }
    }
}

struct Reader<'t> {
    things: &'t mut Things,
    syntax: Syntax,
    /// The things by their elements.
    at: HashMap<NodeId, usize>,
    nodes: usize,
}

impl Reader<'_> {
    /// Reads what is at and below a node; what belongs to nothing in it belongs to the owner.
    fn read(&mut self, root: Node<'_>, owner: Option<usize>) {
        let mut open: Vec<(NodeId, usize)> = Vec::new();
        let mut skip_to = root.id();
        for node in std::iter::once(root).chain(root.descendants()) {
            while open.pop_if(|(end, _)| *end <= node.id()).is_some() {}
            if node.id() < skip_to || !node.is_element() {
                continue;
            }
            let owner = open.last().map(|(_, thing)| *thing).or(owner);
            let attribute = |name: Option<Name>| name.and_then(|name| node.attribute_by(name));
            let property = attribute(self.syntax.property).map(local_first);
            let owned = owner.zip(property.flatten());
            if attribute(self.syntax.scope).is_some() {
                if let Some(known) = self.at.get(&node.id()).copied() {
                    if let Some((owner, property)) = owned {
                        self.things.say(owner, property, Value::Thing(known));
                    }
                    skip_to = node.end();
                    continue;
                }
                let types = attribute(self.syntax.types).unwrap_or_default();
                let thing = Thing {
                    types: types
                        .split_whitespace()
                        .map(|name| local_name(name).to_owned())
                        .collect(),
                    id: attribute(self.syntax.id).map(str::to_owned),
                    element: Some(node.id()),
                    ..Thing::default()
                };
                let Some(thing) = self.things.add(thing, owned) else { return };
                self.at.insert(node.id(), thing);
                open.push((node.end(), thing));
            } else if let Some((owner, first)) = owned {
                let value = Value::Text(self.text(node));
                let names = attribute(self.syntax.property).unwrap_or(first);
                for property in names.split_whitespace().map(local_name) {
                    self.things.say(owner, property, value.clone());
                }
            }
        }
    }

    /// Reads what is elsewhere on the page, where a thing says so.
    fn follow(&mut self, dom: &Dom) {
        let Some(also) = self.syntax.also else { return };
        let mut wanted: HashMap<&str, Vec<usize>> = HashMap::new();
        for (element, thing) in &self.at {
            for id in dom
                .node(*element)
                .attribute_by(also)
                .unwrap_or_default()
                .split_whitespace()
                .take(16)
            {
                wanted.entry(id).or_default().push(*thing);
            }
        }
        if wanted.is_empty() {
            return;
        }
        for node in dom.elements() {
            if let Some(things) = node.attribute("id").and_then(|id| wanted.remove(id)) {
                for thing in things.into_iter().take(16) {
                    self.read(node, Some(thing));
                }
            }
        }
    }

    /// What an element says as the value of a property.
    fn text(&mut self, node: Node<'_>) -> Text {
        let link = ["href", "src", "data"].iter().find_map(|name| node.attribute(name));
        // Microdata has `content` on `meta` only, but sites write it, and search engines read it, everywhere.
        let stated = match node.name() {
            "time" => node.attribute("datetime").or_else(|| node.attribute("content")),
            "data" | "meter" => node.attribute("value"),
            _ => node.attribute("content"),
        };
        let text = match stated {
            Some(stated) => stated.trim().to_owned(),
            None if self.nodes < node.size() => String::new(),
            None => {
                self.nodes -= node.size();
                visible_text_of(node).trim().to_owned()
            }
        };
        Text {
            text: cut(text),
            link: link.map(|link| link.trim().to_owned()),
            element: Some(node.id()),
        }
    }
}

/// The first of the names of an attribute.
fn local_first(names: &str) -> Option<&str> {
    names.split_whitespace().next().map(local_name)
}

/// At most so much of a text.
fn cut(mut text: String) -> String {
    if text.len() > LONGEST {
        text.truncate(text.floor_char_boundary(LONGEST));
    }
    text
}
