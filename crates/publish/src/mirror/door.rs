//! Navigation elements (seed 001 §2.4.1): which element of a tree leads to which page.

use std::collections::BTreeMap;

use page::tree::{Dom, Kind, NodeId, XPath};
use store::{EdgeRow, PageNumber, PageRow};

use super::atlas::Atlas;
use crate::text::clip;

/// Doors of one element that are shown; a select has as many as options.
const MOST_DOORS: usize = 500;

/// One way out of a state.
#[derive(Clone, Debug)]
pub(crate) struct Door {
    /// `click`, `change`…
    pub event: String,
    /// The chosen value of a `change`.
    pub value: Option<String>,
    /// Where it leads.
    pub to: PageNumber,
}

impl Door {
    /// What tells it from the other doors of its element.
    pub(crate) fn label(&self) -> String {
        match &self.value {
            Some(value) => clip(value, 40),
            None => self.event.clone(),
        }
    }
}

/// The doors of a tree by element, the one that a click opens first.
pub(crate) struct Doors {
    by_node: BTreeMap<NodeId, Vec<Door>>,
    /// Those whose element is not in the tree.
    lost: Vec<Door>,
    /// How many elements up to each node a reader can act on.
    acted: Vec<u32>,
}

impl Doors {
    pub(crate) fn locate(dom: &Dom, page: &PageRow, atlas: &Atlas) -> Self {
        let mut by_node: BTreeMap<NodeId, Vec<Door>> = BTreeMap::new();
        let mut lost = Vec::new();
        let ids = ids(dom);
        for edge in atlas.doors(page) {
            let Some(to) = edge.to.and_then(|to| atlas.resolve(to)).filter(|to| *to != page.page)
            else {
                continue;
            };
            let (event, value) = match edge.event.split_once('=') {
                Some((event, value)) => (event.to_owned(), Some(value.to_owned())),
                None => (edge.event.clone(), None),
            };
            let doors = match find(dom, &ids, edge) {
                Some(node) => by_node.entry(node).or_default(),
                None => &mut lost,
            };
            if doors.len() < MOST_DOORS {
                doors.push(Door { event, value, to });
            }
        }
        for doors in by_node.values_mut() {
            doors.sort_by_key(|door| rank(&door.event));
            let mut seen = std::collections::HashSet::new();
            doors.retain(|door| seen.insert((door.to, door.value.clone())));
        }
        let acted = dom
            .nodes()
            .scan(0, |count, node| {
                let acts = by_node.contains_key(&node.id())
                    || matches!(
                        node.name(),
                        "a" | "button"
                            | "select"
                            | "textarea"
                            | "input"
                            | "iframe"
                            | "label"
                            | "details"
                            | "summary"
                            | "video"
                            | "audio"
                            | "object"
                            | "embed"
                    );
                *count += u32::from(acts);
                Some(*count)
            })
            .collect();
        Self { by_node, lost, acted }
    }

    /// The doors of an element.
    pub(crate) fn of(&self, node: NodeId) -> &[Door] {
        self.by_node.get(&node).map_or(&[], Vec::as_slice)
    }

    /// Doors whose element is not in the tree: it differs from the one that was explored.
    pub(crate) fn lost(&self) -> &[Door] {
        &self.lost
    }

    /// Whether something below a node can be acted on by itself.
    pub(crate) fn acts_inside(&self, node: page::tree::Node<'_>) -> bool {
        let count = |id: u32| self.acted.get(id as usize).copied().unwrap_or(0);
        count(node.end().0.saturating_sub(1)) > count(node.id().0)
    }
}

/// A value as edges keep it: one line of at most 80 characters.
pub(crate) fn folded(value: &str) -> String {
    let line = value.split_whitespace().collect::<Vec<_>>().join(" ");
    line.chars().take(80).collect()
}

/// A click before what only a pointer does, a plain link before all.
fn rank(event: &str) -> usize {
    let order = ["link", "click", "change", "submit", "input"];
    order.iter().position(|known| *known == event).unwrap_or(order.len())
}

/// Elements of the top document by `id`, the first of each.
fn ids(dom: &Dom) -> BTreeMap<&str, NodeId> {
    let mut ids = BTreeMap::new();
    for node in dom.elements() {
        if let Some(id) = node.attribute("id").filter(|id| !id.is_empty()) {
            ids.entry(id).or_insert(node.id());
        }
    }
    ids
}

/// The element of an edge: by XPath where its `id` agrees, else by `id`, else by XPath alone.
fn find(dom: &Dom, ids: &BTreeMap<&str, NodeId>, edge: &EdgeRow) -> Option<NodeId> {
    let path = edge.xpath.parse::<XPath>().ok();
    let found = path.and_then(|path| path.evaluate(dom).into_iter().next());
    let found = found.filter(|id| dom.get(*id).is_some_and(|node| node.kind() == Kind::Element));
    let id_of = |id: NodeId| dom.get(id).and_then(|node| node.attribute("id"));
    match edge.element_id.as_deref() {
        Some(wanted) if found.and_then(id_of) != Some(wanted) => ids.get(wanted).copied().or(found),
        _ => found,
    }
}
