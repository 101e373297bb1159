//! What a page's structure is, in at most 2 kB; as a tree, in at most 10 kB.
//!
//! The set of its *places*: an element by name, classes and id, within its parent and the parent of
//! that, however often it occurs. So a list of 10 and one of 100 are the same, while a row of
//! threads and a post differ in every place. What a program appends to a name (`post-4711`,
//! `title_x1a367`) is made for one page or one build and leaves no trace; nor does an id that a link of
//! the page leads to, which is a heading in other words, nor any text.
//!
//! Three levels were chosen by measurement: with two, tables of links and lists of links inside one
//! frame were too alike; with the whole path, a page that lacks one wrapper shares nothing.
//!
//! Or, where types are told by tree distance as in seed 000, the tree of its elements.
//!
//! Shapes are stored: what they are made of must not change without a new version.

use std::collections::HashSet;
use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use xxhash_rust::xxh3::{Xxh3, xxh3_64};

use crate::tree::canonical::is_dropped;
use crate::tree::distance::LONGEST_STRUCTURE;
use crate::tree::names::known;
use crate::tree::{Dom, Kind, Node, Outline, Step};

/// The versions of [`Shape::to_bytes`], its first byte: of places, and of a tree.
const PLACES: u8 = 3;
const TREE: u8 = 2;

/// Places kept at most: those with the smallest hashes, so that two large pages keep the same ones
/// and the share they have in common is estimated without bias.
const MOST_PLACES: usize = 512;

/// Classes of an element that count. More are a style sheet written into the markup.
const MOST_CLASSES: usize = 8;

/// The structure of a page.
///
/// ```
/// use page::tree::parse_str;
/// use page::types::Shape;
///
/// let of = |html: &str| Shape::of(&parse_str(html).dom);
/// let list = of("<ul class=threads><li>one</ul>");
/// assert_eq!(list, of("<ul class=threads><li>two<li>three</ul>"));
/// assert_ne!(list, of("<ul class=posts><li>one</ul>"));
/// assert_eq!(list.to_string().parse(), Ok(list));
/// ```
#[derive(Clone, PartialEq, Eq)]
pub struct Shape(Form);

#[derive(Clone, PartialEq, Eq)]
enum Form {
    /// Hashes of places, sorted, each once.
    Places(Box<[u32]>),
    /// As [`Outline::structure_bytes`] has it.
    Tree(Box<[u8]>),
}

/// How pages of one type are told from others.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TypeMethod {
    /// By the places that they have in common, the frame of the site aside.
    #[default]
    Places,
    /// By restricted top-down mapping of their trees, as in seed 000.
    Rtdm,
}

impl fmt::Display for TypeMethod {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(match self {
            TypeMethod::Places => "places",
            TypeMethod::Rtdm => "rtdm",
        })
    }
}

impl Default for Shape {
    /// That of an empty page, by its places.
    fn default() -> Self {
        Shape(Form::Places(Box::default()))
    }
}

impl Shape {
    /// The shape of a page, for types that are told by a method.
    ///
    /// ```
    /// use page::tree::parse_str;
    /// use page::types::{Shape, TypeMethod};
    ///
    /// let of = |html: &str| Shape::by(TypeMethod::Rtdm, &parse_str(html).dom);
    /// let list = of("<ul class=threads><li>one</ul>");
    /// assert_eq!(list, of("<ul class=posts><li>two</ul>"), "elements count, not their classes");
    /// assert_ne!(list, of("<ul class=threads><li>two<li>three</ul>"));
    /// ```
    pub fn by(method: TypeMethod, dom: &Dom) -> Self {
        match method {
            TypeMethod::Places => Shape::of(dom),
            TypeMethod::Rtdm => Shape(Form::Tree(Outline::structure_bytes(dom).into())),
        }
    }

    /// The shape of a page by its places.
    pub fn of(dom: &Dom) -> Self {
        let mut places = Vec::new();
        let targets = targets(dom);
        // What each open element is; the two outermost stand for "nothing above".
        let mut above = vec![0u64, 0];
        let mut walk = dom.walk();
        while let Some(step) = walk.next() {
            match step {
                Step::Open(node) if shows_no_structure(node) => walk.skip_inside(),
                Step::Open(node) => {
                    let Some(own) = signature(node, &targets) else { continue };
                    if let [.., outer, parent] = above[..] {
                        places.push(place(outer, parent, own));
                    }
                    above.push(own);
                    if node.is(known::SVG) {
                        walk.skip_inside();
                        above.pop();
                    }
                }
                Step::Close(node) if is_level(node) => drop(above.pop()),
                Step::Close(_) => {}
            }
        }
        places.sort_unstable();
        places.dedup();
        places.truncate(MOST_PLACES);
        Shape(Form::Places(places.into()))
    }

    /// As bytes, to be stored: a version, then four bytes a place, or the tree.
    pub fn to_bytes(&self) -> Vec<u8> {
        match &self.0 {
            Form::Places(places) => {
                let places = places.iter().flat_map(|place| place.to_be_bytes());
                std::iter::once(PLACES).chain(places).collect()
            }
            Form::Tree(tree) => [&[TREE], &**tree].concat(),
        }
    }

    /// From stored bytes.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, BadShape> {
        let (version, rest) = bytes.split_first().ok_or(BadShape::Length(0))?;
        match *version {
            TREE if Outline::from_structure(rest).is_some() => Ok(Shape(Form::Tree(rest.into()))),
            TREE => Err(BadShape::Tree),
            PLACES => {
                let (places, rest) = rest.as_chunks();
                if !rest.is_empty() || places.len() > MOST_PLACES {
                    return Err(BadShape::Length(bytes.len()));
                }
                let places: Box<[u32]> = places.iter().copied().map(u32::from_be_bytes).collect();
                if !places.is_sorted_by(|a, b| a < b) {
                    return Err(BadShape::Order);
                }
                Ok(Shape(Form::Places(places)))
            }
            other => Err(BadShape::Version(other)),
        }
    }

    /// How types of such shapes are told.
    pub fn method(&self) -> TypeMethod {
        match self.0 {
            Form::Places(_) => TypeMethod::Places,
            Form::Tree(_) => TypeMethod::Rtdm,
        }
    }

    /// How long it is: in places, or in bytes of the tree.
    #[allow(clippy::len_without_is_empty)] // who asks compares two
    pub fn len(&self) -> usize {
        match &self.0 {
            Form::Places(places) => places.len(),
            Form::Tree(tree) => tree.len(),
        }
    }

    pub(super) fn places(&self) -> &[u32] {
        match &self.0 {
            Form::Places(places) => places,
            Form::Tree(_) => &[],
        }
    }

    pub(super) fn outline(&self) -> Option<Outline> {
        match &self.0 {
            Form::Places(_) => None,
            Form::Tree(tree) => Outline::from_structure(tree),
        }
    }
}

impl fmt::Debug for Shape {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "Shape({} {})", self.method(), self.len())
    }
}

impl fmt::Display for Shape {
    /// The bytes in hexadecimal digits.
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.to_bytes().iter().try_for_each(|byte| write!(out, "{byte:02x}"))
    }
}

impl FromStr for Shape {
    type Err = BadShape;

    fn from_str(text: &str) -> Result<Self, BadShape> {
        if text.len() > 2 + 2 * LONGEST_STRUCTURE.max(4 * MOST_PLACES) {
            return Err(BadShape::Length(text.len() / 2));
        }
        let (pairs, rest) = text.as_bytes().as_chunks::<2>();
        let digit = |byte: u8| char::from(byte).to_digit(16);
        let bytes: Option<Vec<u8>> = pairs
            .iter()
            .map(|[high, low]| u8::try_from(16 * digit(*high)? + digit(*low)?).ok())
            .collect();
        match bytes {
            Some(bytes) if rest.is_empty() => Shape::from_bytes(&bytes),
            _ => Err(BadShape::Digits),
        }
    }
}

impl Serialize for Shape {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Shape {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
    }
}

/// Why bytes or digits are no shape.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BadShape {
    /// It was written by another version.
    #[error("shape of version {0}: this program reads {PLACES} and {TREE}; learn the type again")]
    Version(u8),
    /// It is cut off, or longer than any shape.
    #[error(
        "shape of {0} bytes: it is a byte and then 4 bytes for each of at most {MOST_PLACES} places"
    )]
    Length(usize),
    /// Its places are not sorted.
    #[error("shape whose places are out of order: it was changed by hand; learn the type again")]
    Order,
    /// Its elements do not make a tree.
    #[error("shape whose elements make no tree: it was changed by hand; learn the type again")]
    Tree,
    /// The text is not hexadecimal.
    #[error("shape that is not written in pairs of hexadecimal digits")]
    Digits,
}

/// What is left out together with all inside: what nobody sees, and what is content by itself (the
/// choices of a select, line breaks).
fn shows_no_structure(node: Node<'_>) -> bool {
    is_dropped(node)
        || matches!(
            node.name_id(),
            Some(known::HEAD | known::BR | known::WBR | known::OPTION | known::OPTGROUP)
        )
}

fn is_level(node: Node<'_>) -> bool {
    matches!(node.kind(), Kind::Element | Kind::Document | Kind::ShadowRoot)
}

/// What a level of the tree is, without its content.
fn signature(node: Node<'_>, targets: &HashSet<&str>) -> Option<u64> {
    match node.kind() {
        Kind::Element => Some(element(node, targets)),
        Kind::Document => Some(xxh3_64(b"#document")),
        Kind::ShadowRoot => Some(xxh3_64(b"#shadow-root")),
        _ => None,
    }
}

/// The fragments that the links of a page lead to.
fn targets(dom: &Dom) -> HashSet<&str> {
    let links = dom.elements().filter(|node| node.is(known::A));
    let addresses = links.filter_map(|link| link.attribute_by(known::HREF));
    addresses.filter_map(|address| Some(address.split_once('#')?.1)).collect()
}

fn element(node: Node<'_>, targets: &HashSet<&str>) -> u64 {
    let classes = node.attribute_by(known::CLASS).unwrap_or_default();
    let mut hash = Xxh3::new();
    hash.update(node.name().as_bytes());
    // Classes count in any order.
    let classes = classes
        .split_ascii_whitespace()
        .take(MOST_CLASSES)
        .map(made_by_hand)
        .filter(|class| !class.is_empty())
        .fold(0, |sum: u64, class| sum.wrapping_add(xxh3_64(class.as_bytes())));
    hash.update(&classes.to_le_bytes());
    let id = node.attribute_by(known::ID).filter(|id| !targets.contains(id));
    hash.update(id.map_or("", made_by_hand).as_bytes());
    hash.digest()
}

/// What a person wrote of a name: all before the first part with a digit (`post-4711`,
/// `title_x1a367`). Of a single part the letters, if only a number follows them (`row12`).
fn made_by_hand(name: &str) -> &str {
    let Some(digit) = name.bytes().position(|byte| byte.is_ascii_digit()) else { return name };
    let (before, after) = name.split_at(digit);
    let end = after.find(['-', '_', ':', '.']).unwrap_or(after.len());
    let is_number = after.bytes().take(end).all(|byte| byte.is_ascii_digit());
    let kept = match before.rfind(['-', '_', ':', '.']) {
        Some(at) => before.get(..at).unwrap_or_default(),
        None if is_number => before,
        None => "",
    };
    kept.trim_end_matches(['-', '_', ':', '.'])
}

fn place(outer: u64, parent: u64, own: u64) -> u32 {
    let mut bytes = [0; 24];
    for (slot, level) in bytes.chunks_exact_mut(8).zip([outer, parent, own]) {
        slot.copy_from_slice(&level.to_le_bytes());
    }
    (xxh3_64(&bytes) >> 32) as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_lose_what_a_program_appended() {
        for (name, kept) in [
            ("post", "post"),
            ("post-4711", "post"),
            ("pid17", "pid"),
            ("title_x1a367", "title"),
            ("Post_title__3xK2a", "Post_title"),
            ("col-md-6", "col-md"),
            ("ad-cb12", "ad"),
            ("css-1x2y", "css"),
            ("a1b2c3", ""),
            ("7", ""),
            ("表1", "表"),
        ] {
            assert_eq!(made_by_hand(name), kept, "{name}");
        }
    }
}
