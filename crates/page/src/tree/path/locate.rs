//! From a node to its path, and from a path to its nodes.

use super::{Index, PathStep, Predicate, XPath, is_single};
use crate::tree::dom::{Dom, Kind, Node, NodeId};
use std::collections::HashMap;

impl XPath {
    /// The path of an element, shadow root or document; none for text and comments.
    ///
    /// Counts siblings: for many nodes of one tree make [`Paths`] once.
    pub fn of(node: Node<'_>) -> Option<XPath> {
        path_with(node, |node| {
            let name = node.name_id();
            let earlier = node.parent().into_iter().flat_map(Node::children);
            let same = earlier.take_while(|other| *other != node).filter(|o| o.name_id() == name);
            same.count() as u32 + 1
        })
    }

    /// The nodes that the path leads to, in document order.
    pub fn evaluate(&self, dom: &Dom) -> Vec<NodeId> {
        let mut found = vec![dom.root()];
        for step in &self.steps {
            let mut next = Vec::new();
            for node in found {
                step.follow(node, &mut next);
            }
            found = next;
        }
        found.into_iter().map(Node::id).collect()
    }

    /// Whether the path leads to this node.
    pub fn matches(&self, node: Node<'_>) -> bool {
        let mut at = node;
        for step in self.steps.iter().rev() {
            let Some(parent) = at.parent() else {
                return false;
            };
            if !step.admits(at) {
                return false;
            }
            at = parent;
        }
        at.parent().is_none()
    }

    /// Whether every element that `other` can lead to is one that this path can lead to, as far
    /// as the two say by themselves: same names step by step, numbers equal or open.
    pub fn covers(&self, other: &XPath) -> bool {
        self.steps.len() == other.steps.len()
            && self.steps.iter().zip(&other.steps).all(|(own, other)| own.covers(other))
    }
}

impl PathStep {
    pub(super) fn follow<'a>(&self, from: Node<'a>, into: &mut Vec<Node<'a>>) {
        match self {
            PathStep::ShadowRoot => into.extend(from.shadow_root()),
            PathStep::Document => into.extend(from.frame_document()),
            PathStep::Element { name, index, predicates } => {
                let Some(wanted) = from.dom().name(name) else {
                    return;
                };
                let named = from.children().filter(|child| child.is(wanted));
                let numbered = named.zip(1..);
                into.extend(
                    numbered
                        .filter(|(_, number)| index.admits(name, *number))
                        .map(|(child, _)| child)
                        .filter(|child| predicates.iter().all(|p| p.holds(*child))),
                );
            }
        }
    }

    fn admits(&self, node: Node<'_>) -> bool {
        match self {
            PathStep::ShadowRoot => node.kind() == Kind::ShadowRoot,
            PathStep::Document => node.kind() == Kind::Document,
            PathStep::Element { name, index, predicates } => {
                let open = index.is_open(name);
                node.is_element()
                    && node.name() == &**name
                    && predicates.iter().all(|p| p.holds(node))
                    && (open || {
                        let siblings = node.parent().into_iter().flat_map(Node::children);
                        let same = siblings.filter(|other| other.name_id() == node.name_id());
                        let number = same.take_while(|other| *other != node).count() as u32 + 1;
                        index.admits(name, number)
                    })
            }
        }
    }

    fn covers(&self, other: &PathStep) -> bool {
        match (self, other) {
            (
                PathStep::Element { name, index, predicates },
                PathStep::Element { name: other_name, index: other_index, predicates: theirs },
            ) => {
                let same_number = match (index, other_index) {
                    _ if index.is_open(name) => true,
                    (a, b) => a == b,
                };
                name == other_name && same_number && predicates.iter().all(|p| theirs.contains(p))
            }
            (own, other) => own == other,
        }
    }
}

impl Index {
    /// Whether it leaves the number open, in a step of that name.
    pub(super) fn is_open(self, name: &str) -> bool {
        match self {
            Index::Any => true,
            Index::Unsaid => !is_single(name),
            Index::At(_) => false,
        }
    }

    pub(super) fn admits(self, name: &str, number: u32) -> bool {
        match self {
            Index::Any => true,
            Index::Unsaid => !is_single(name) || number == 1,
            Index::At(at) => at == number,
        }
    }
}

impl Predicate {
    pub(super) fn holds(&self, node: Node<'_>) -> bool {
        let own = node.attribute(&self.attribute);
        match &self.value {
            Some(value) => own == Some(&**value),
            None => own.is_some(),
        }
    }
}

/// The paths of all nodes of a tree, with the siblings counted once.
///
/// ```
/// use page::tree::{Paths, parse_str};
///
/// let dom = parse_str("<p>1<p>2<p>3").dom;
/// let paths = Paths::new(&dom);
/// let of_third = dom.elements().last().and_then(|node| paths.of(node.id())).unwrap();
/// assert_eq!(of_third.to_string(), "/html/body/p[3]");
/// ```
pub struct Paths<'a> {
    dom: &'a Dom,
    /// The number of each element among its siblings of that name.
    numbers: Vec<u32>,
}

impl<'a> Paths<'a> {
    /// Counts the siblings of a tree.
    pub fn new(dom: &'a Dom) -> Self {
        let mut counts = HashMap::new();
        let numbers = dom
            .nodes()
            .map(|node| match (node.parent(), node.name_id()) {
                (Some(parent), Some(name)) => {
                    let count = counts.entry((parent.id(), name)).or_insert(0);
                    *count += 1;
                    *count
                }
                _ => 0,
            })
            .collect();
        Paths { dom, numbers }
    }

    /// The path of a node: see [`XPath::of`].
    pub fn of(&self, id: NodeId) -> Option<XPath> {
        path_with(self.dom.get(id)?, |node| self.numbers.get(node.id().at()).copied().unwrap_or(1))
    }
}

fn path_with(node: Node<'_>, number: impl Fn(Node<'_>) -> u32) -> Option<XPath> {
    let mut steps = Vec::with_capacity(node.depth());
    let mut at = node;
    while let Some(parent) = at.parent() {
        steps.push(match at.kind() {
            Kind::Element => PathStep::element(at.name(), Index::At(number(at))),
            Kind::ShadowRoot => PathStep::ShadowRoot,
            Kind::Document => PathStep::Document,
            Kind::Text | Kind::Comment | Kind::Doctype => return None,
        });
        at = parent;
    }
    steps.reverse();
    Some(XPath { steps })
}
