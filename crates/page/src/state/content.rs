//! What a state shows: its texts, links and pictures, in order.
//!
//! This is the identity of a state. The canonical form also holds structure and attributes, which
//! change when a menu opens or a row is highlighted; DESIGN §1 says that restyling makes no new
//! state, so a state is what it shows and not how.

use std::collections::HashSet;

use xxhash_rust::xxh3::xxh3_64;

use crate::tree::canonical::{Masked, is_dropped};
use crate::tree::names::known;
use crate::tree::{Dom, Kind, Mask, Node, NodeId, StateHash, Step};

/// What an item is, so that a link and a text of the same words differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum ItemKind {
    Text,
    Link,
    Picture,
}

impl ItemKind {
    pub(super) fn name(self) -> &'static str {
        match self {
            ItemKind::Text => "text",
            ItemKind::Link => "link",
            ItemKind::Picture => "picture",
        }
    }

    /// A byte that no UTF-8 holds. Stored identities depend on it.
    fn mark(self) -> u8 {
        match self {
            ItemKind::Text => 0xFC,
            ItemKind::Link => 0xFB,
            ItemKind::Picture => 0xFA,
        }
    }
}

/// A text, link or picture of a state.
pub(super) struct Item {
    pub(super) kind: ItemKind,
    /// The text with its whitespace folded, or the URL as it is written.
    pub(super) value: String,
    pub(super) node: NodeId,
}

impl Item {
    /// What it shows, wherever it stands.
    pub(super) fn key(&self) -> (ItemKind, &str) {
        (self.kind, &self.value)
    }
}

/// All items of a state outside what the mask names, in order.
pub(super) fn items(dom: &Dom, mask: &Mask) -> Vec<Item> {
    let mut items = Vec::new();
    each_item(dom, mask, |kind, value, node| {
        items.push(Item { kind, value: value.to_owned(), node: node.id() });
    });
    items
}

fn each_item<'a>(dom: &'a Dom, mask: &Mask, mut found: impl FnMut(ItemKind, &str, Node<'a>)) {
    let masked = Masked::find(dom, mask);
    let mut folded = String::new();
    let mut walk = dom.walk();
    while let Some(step) = walk.next() {
        let Step::Open(node) = step else { continue };
        if is_dropped(node) || masked.regions.contains(&node.id()) {
            walk.skip_inside();
        } else if node.kind() == Kind::Text {
            fold(node.text(), &mut folded);
            if !folded.is_empty() {
                found(ItemKind::Text, &folded, node);
            }
        } else if let Some((kind, name, value)) = reference(node)
            && !mask.attributes.iter().any(|masked| masked == name)
            && !masked.attributes.contains(&(node.id(), name))
        {
            found(kind, value, node);
        }
    }
}

/// Whitespace is folded, and a text of nothing else is none.
fn fold(text: &str, into: &mut String) {
    into.clear();
    for word in text.split_ascii_whitespace() {
        if !into.is_empty() {
            into.push(' ');
        }
        into.push_str(word);
    }
}

/// What a state shows.
#[derive(Clone, Debug)]
pub struct Content {
    id: StateHash,
    items: HashSet<u64>,
}

impl Content {
    /// The content of a tree outside what the mask names.
    ///
    /// ```
    /// use page::state::Content;
    /// use page::tree::{Mask, parse_str};
    ///
    /// let of = |html| Content::of(&parse_str(html).dom, &Mask::default());
    /// let closed = of("<ul class=menu><li>One<li>Two</ul><p>Text");
    /// assert_eq!(closed.id(), of("<ul class='menu open'><li>One<li>Two</ul><p>Text").id());
    ///
    /// let more = of("<ul class=menu><li>One<li>Two</ul><p>Text<p>More");
    /// assert!(more.adds_to(&closed) && !closed.adds_to(&more));
    /// ```
    pub fn of(dom: &Dom, mask: &Mask) -> Self {
        let mut stream = Stream::default();
        each_item(dom, mask, |kind, value, _| stream.item(kind, value.as_bytes()));
        stream.finish()
    }

    /// The identity.
    pub fn id(&self) -> StateHash {
        self.id
    }

    /// Whether it shows anything that `origin` does not hold.
    pub fn adds_to(&self, origin: &Content) -> bool {
        !self.items.is_subset(&origin.items)
    }

    /// How much of what this and another content show beyond their origin they have in common, from
    /// 0 to 1. One answer with an advert in it agrees with itself; two answers do not.
    pub fn agreement(&self, other: &Content, origin: &Content) -> f64 {
        let beyond = |content: &Content| content.items.difference(&origin.items).count();
        let is_common = |item: &&u64| other.items.contains(item) && !origin.items.contains(item);
        let common = self.items.iter().filter(is_common).count();
        match beyond(self) + beyond(other) - common {
            0 => 1.0,
            all => common as f64 / all as f64,
        }
    }
}

/// Everything that several states showed, in whatever combination.
///
/// ```
/// use page::state::{Content, ContentSet};
/// use page::tree::{Mask, parse_str};
///
/// let of = |html| Content::of(&parse_str(html).dom, &Mask::default());
/// let mut shown = ContentSet::default();
/// shown.add(&of("<p>One<p>Two"));
/// shown.add(&of("<p>Three<p>Four"));
/// assert!(shown.holds(&of("<p>Four<p>One")), "sorted by another column");
/// assert!(!shown.holds(&of("<p>Four<p>Five")));
/// ```
#[derive(Clone, Debug, Default)]
pub struct ContentSet(HashSet<u64>);

impl ContentSet {
    /// Adds what a state shows.
    pub fn add(&mut self, content: &Content) {
        self.0.extend(&content.items);
    }

    /// Whether there is nothing in a state that was not shown before.
    pub fn holds(&self, content: &Content) -> bool {
        content.items.is_subset(&self.0)
    }
}

/// The attribute of a canvas that holds the hash of its pixels.
const PIXELS: &str = "bathys-pixels";

/// The attribute by which an element shows something that is elsewhere.
fn reference(node: Node<'_>) -> Option<(ItemKind, &'static str, &str)> {
    let (kind, name, attribute) = match node.name_id()? {
        known::A | known::AREA => (ItemKind::Link, "href", known::HREF),
        known::IMG => (ItemKind::Picture, "src", known::SRC),
        // What a canvas shows is nowhere but in its pixels; the rendered walk carries their hash.
        _ if node.name() == "canvas" => {
            return Some((ItemKind::Picture, PIXELS, node.attribute(PIXELS)?));
        }
        _ => return None,
    };
    Some((kind, name, node.attribute_by(attribute)?))
}

#[derive(Default)]
struct Stream {
    hasher: blake3::Hasher,
    items: HashSet<u64>,
}

impl Stream {
    fn item(&mut self, kind: ItemKind, value: &[u8]) {
        self.hasher.update(&[kind.mark()]);
        self.hasher.update(value);
        // The set only answers "was it there before?"; identity rests on the strong hash alone.
        self.items.insert(xxh3_64(value).wrapping_add(u64::from(kind.mark())));
    }

    fn finish(self) -> Content {
        let mut id = [0; 16];
        id.copy_from_slice(&self.hasher.finalize().as_bytes()[..16]);
        Content { id: StateHash(id), items: self.items }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree::parse_str;

    fn of(html: &str) -> Content {
        Content::of(&parse_str(html).dom, &Mask::default())
    }

    #[test]
    fn the_next_picture_of_a_gallery_is_another_state() {
        let (first, second) = (of("<img src=1.jpg>"), of("<img src=2.jpg>"));
        assert_ne!(first.id(), second.id());
        assert!(second.adds_to(&first));
    }

    #[test]
    fn the_same_words_as_text_and_as_link_differ() {
        assert_ne!(of("<a href=x></a>").id(), of("x").id());
        assert_ne!(of("<p>a</p><p>b</p>").id(), of("<p>b</p><p>a</p>").id());
    }

    #[test]
    fn scripts_and_folded_whitespace_do_not_count() {
        assert_eq!(of("<p> a   b </p><script>1</script>").id(), of("<p>a b</p>").id());
    }

    #[test]
    fn a_masked_region_shows_nothing() {
        let mask = Mask { regions: vec!["/html/body/i[1]".parse().unwrap()], ..Mask::default() };
        let at = |time| Content::of(&parse_str(&format!("<p>news</p><i>{time}</i>")).dom, &mask);
        assert_eq!(at("10:01").id(), at("10:02").id());
        assert!(!at("10:02").adds_to(&of("<p>news</p>")));
    }
}
