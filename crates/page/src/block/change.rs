//! What kind of change made one version of a block into the next.

use std::fmt;
use std::time::Duration;

use super::content::{Piece, Reading, fold};
use super::noise::{only_time_passed, same_address, same_but_numbers, same_but_tokens};
use super::tree::BlockAt;
use crate::tree::canonical::is_token;
use crate::tree::names::known;
use crate::tree::text::is_invisible;
use crate::tree::{Kind as NodeKind, Node, NodeId, visible_text_of};

/// What kind of change a block went through: the one that matters most to a reader.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Kind {
    /// Its visible text.
    Text,
    /// Where its links lead.
    Link,
    /// Its pictures, videos and frames.
    Image,
    /// Its elements and attributes.
    Format,
    /// What is run or not shown: scripts, styles, templates, comments.
    Script,
    /// Anything, in an advert.
    Advert,
    /// What differs at every look: clocks, ages, tokens, counters.
    Volatile,
}

impl Kind {
    /// All kinds, those that count first.
    pub const ALL: [Self; 7] = [
        Self::Text,
        Self::Link,
        Self::Image,
        Self::Format,
        Self::Script,
        Self::Advert,
        Self::Volatile,
    ];

    /// Whether a reader would call it a change.
    pub fn counts(self) -> bool {
        matches!(self, Self::Text | Self::Link | Self::Image)
    }

    /// Its name, as it is stored and printed.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Text => "text",
            Self::Link => "link",
            Self::Image => "image",
            Self::Format => "format",
            Self::Script => "script",
            Self::Advert => "advert",
            Self::Volatile => "volatile",
        }
    }

    /// The kind of a name.
    ///
    /// ```
    /// use page::block::Kind;
    /// assert!(Kind::ALL.iter().all(|kind| Kind::named(kind.as_str()) == Some(*kind)));
    /// ```
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.as_str() == name)
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(self.as_str())
    }
}

/// How a block differs from what it continues.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Change {
    /// None if not a byte differs.
    pub(super) kind: Option<Kind>,
    /// Per mille of its text that is in text nodes that the old one did not have.
    pub(super) share: u16,
    /// Whether its text differs in numbers alone.
    pub(super) numbers_only: bool,
}

impl Change {
    pub(super) const NONE: Self = Self { kind: None, share: 0, numbers_only: false };

    /// Compares two versions of a block, the second this long after the first.
    pub(super) fn between(
        old: (Reading<'_>, BlockAt),
        new: (Reading<'_>, BlockAt),
        apart: Duration,
    ) -> Self {
        if old.0.contents.hash(old.1) == new.0.contents.hash(new.1) {
            return Self::NONE;
        }
        let (a, b) = (Parts::of(old.0, old.1), Parts::of(new.0, new.1));
        let text = text(&a, &b, apart);
        let link = addresses(&a.links, &b.links, false);
        let image = addresses(&a.images, &b.images, true);
        let format = format(&a, &b);
        let script = if a.scripts == b.scripts { Differs::No } else { Differs::Yes };
        let aspects = [
            (text, Kind::Text),
            (link, Kind::Link),
            (image, Kind::Image),
            (format, Kind::Format),
            (script, Kind::Script),
        ];
        let real = aspects.iter().find(|(differs, _)| *differs == Differs::Yes);
        let is_noisy =
            aspects.iter().any(|(differs, _)| *differs == Differs::ByNoise) || a.masked != b.masked;
        let kind = match real {
            Some((_, kind)) => *kind,
            None if is_noisy => Kind::Volatile,
            // Whitespace, or the order of attributes.
            None => Kind::Format,
        };
        let numbers_only = kind == Kind::Text
            && [link, image].iter().all(|differs| *differs != Differs::Yes)
            && numbers_only(&a, &b);
        Self { kind: Some(kind), share: share(&old, &new), numbers_only }
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Differs {
    No,
    ByNoise,
    Yes,
}

/// A block taken apart.
struct Parts<'a> {
    reading: Reading<'a>,
    at: BlockAt,
    texts: Vec<(String, NodeId)>,
    links: Vec<&'a str>,
    images: Vec<&'a str>,
    /// Elements with the attributes that are no links and no pictures.
    elements: Vec<Node<'a>>,
    /// What is run or not shown.
    scripts: Vec<&'a str>,
    /// What the mask covers.
    masked: Vec<&'a str>,
    /// Whether the mask covers more than attributes.
    is_text_masked: bool,
    /// What is in elements that are not shown.
    hidden: Vec<&'a str>,
}

impl<'a> Parts<'a> {
    fn of(reading: Reading<'a>, at: BlockAt) -> Self {
        let mut parts = Self {
            reading,
            at,
            texts: Vec::new(),
            links: Vec::new(),
            images: Vec::new(),
            elements: Vec::new(),
            scripts: Vec::new(),
            masked: Vec::new(),
            is_text_masked: false,
            hidden: Vec::new(),
        };
        let (mut script_to, mut hidden_to) = (NodeId(0), NodeId(0));
        let mut folded = String::new();
        for node in reading.nodes(at) {
            let id = node.id();
            if reading.contents.is_masked(id) {
                parts.is_text_masked = true;
                parts.masked.push(node.text());
                parts.masked.extend(node.attributes().map(|(_, value)| value));
            } else if id < script_to || is_script(node) {
                script_to = script_to.max(node.end());
                parts.scripts.extend([node.name(), node.text()]);
                parts.scripts.extend(
                    node.attributes().filter(|(name, _)| *name != "nonce").map(|(_, value)| value),
                );
            } else if node.kind() != NodeKind::Text {
                if is_invisible(node) {
                    hidden_to = hidden_to.max(node.end());
                }
                parts.element(node, id < hidden_to);
            } else if fold(node.text(), &mut folded) > 0 {
                if id < hidden_to || is_invisible(node) {
                    parts.hidden.push(node.text());
                } else {
                    parts.texts.push((folded.clone(), id));
                }
            }
        }
        parts
    }

    fn element(&mut self, node: Node<'a>, is_hidden: bool) {
        for (name, value) in node.attributes() {
            let aspect = match role(node, name) {
                Role::Format => continue,
                _ if self.reading.contents.is_attribute_masked(node.id(), name) => &mut self.masked,
                _ if is_hidden => &mut self.hidden,
                Role::Link => &mut self.links,
                Role::Image => &mut self.images,
            };
            aspect.push(value);
        }
        self.elements.push(node);
    }
}

fn is_script(node: Node<'_>) -> bool {
    node.kind() == NodeKind::Comment
        || matches!(
            node.name_id(),
            Some(known::SCRIPT | known::STYLE | known::NOSCRIPT | known::TEMPLATE)
        )
}

enum Role {
    Link,
    Image,
    Format,
}

/// What an attribute does.
fn role(node: Node<'_>, name: &str) -> Role {
    match (node.name(), name) {
        ("a" | "area", "href" | "xlink:href") => Role::Link,
        ("img" | "input" | "source" | "video" | "audio" | "embed" | "iframe" | "frame", "src")
        | ("img" | "source", "srcset")
        // Where pictures are loaded when they come into view, and the address waits beside.
        | ("img" | "source" | "video" | "iframe", "data-src" | "data-srcset" | "data-original")
        | ("video", "poster")
        | ("object", "data")
        | ("image", "href" | "xlink:href")
        // The hash of what a rendered canvas shows.
        | ("canvas", "bathys-pixels") => Role::Image,
        _ => Role::Format,
    }
}

fn text(old: &Parts<'_>, new: &Parts<'_>, apart: Duration) -> Differs {
    let same = |((a, _), (b, _)): (&(String, NodeId), &(String, NodeId))| a == b;
    let (a, b) = (&old.texts, &new.texts);
    if a.len() == b.len() && a.iter().zip(b).all(same) {
        return Differs::No;
    }
    let is_passed = |((a, x), (b, y)): (&(String, NodeId), &(String, NodeId))| {
        a == b
            || only_time_passed((a, old.reading.dom.node(*x)), (b, new.reading.dom.node(*y)), apart)
    };
    if a.len() == b.len() && a.iter().zip(b).all(is_passed) {
        return Differs::ByNoise;
    }
    // The same text with other elements around its words.
    if !old.is_text_masked && !new.is_text_masked && shown(old) == shown(new) {
        return Differs::No;
    }
    Differs::Yes
}

/// The visible text of a block as one line.
fn shown(parts: &Parts<'_>) -> String {
    let mut line = String::new();
    let mut next = NodeId(0);
    for node in parts.reading.nodes(parts.at) {
        if node.id() >= next {
            next = node.end();
            if is_invisible(node) {
                continue;
            }
            for word in visible_text_of(node).split_ascii_whitespace() {
                line.push_str(word);
                line.push(' ');
            }
        }
    }
    line
}

fn addresses(old: &[&str], new: &[&str], is_file: bool) -> Differs {
    if old == new {
        return Differs::No;
    }
    let is_noise = |(a, b): (&&str, &&str)| a == b || same_address(a, b, is_file);
    match old.len() == new.len() && old.iter().zip(new).all(is_noise) {
        true => Differs::ByNoise,
        false => Differs::Yes,
    }
}

fn format(old: &Parts<'_>, new: &Parts<'_>) -> Differs {
    if old.elements.len() != new.elements.len() || old.hidden != new.hidden {
        return Differs::Yes;
    }
    let mut differs = Differs::No;
    for (a, b) in old.elements.iter().zip(&new.elements) {
        match element(old.reading, *a, new.reading, *b) {
            Differs::Yes => return Differs::Yes,
            Differs::ByNoise => differs = Differs::ByNoise,
            Differs::No => {}
        }
    }
    differs
}

fn element(old: Reading<'_>, a: Node<'_>, new: Reading<'_>, b: Node<'_>) -> Differs {
    fn attributes<'n>(node: Node<'n>) -> Vec<(&'n str, &'n str)> {
        let is_format = |name: &str| matches!(role(node, name), Role::Format);
        let mut found: Vec<_> = node.attributes().filter(|(name, _)| is_format(name)).collect();
        found.sort_unstable();
        found
    }
    let (x, y) = (attributes(a), attributes(b));
    if a.kind() != b.kind() || a.name() != b.name() || x.len() != y.len() {
        return Differs::Yes;
    }
    let is_noise = |name: &str, value: &str, other: &str| {
        name == "nonce"
            || (matches!(name, "value" | "content") && is_token(a) && is_token(b))
            || old.contents.is_attribute_masked(a.id(), name)
            || new.contents.is_attribute_masked(b.id(), name)
            || same_but_tokens(value, other)
            || same_address(value, other, true)
    };
    let mut differs = Differs::No;
    for ((name, value), (other_name, other)) in x.iter().zip(&y) {
        if name != other_name || (value != other && !is_noise(name, value, other)) {
            return Differs::Yes;
        } else if value != other {
            differs = Differs::ByNoise;
        }
    }
    differs
}

fn numbers_only(old: &Parts<'_>, new: &Parts<'_>) -> bool {
    let (a, b) = (&old.texts, &new.texts);
    a.len() == b.len() && a.iter().zip(b).all(|((a, _), (b, _))| a == b || same_but_numbers(a, b))
}

/// Per mille of the new text that is in text nodes that are not in the old block.
fn share(old: &(Reading<'_>, BlockAt), new: &(Reading<'_>, BlockAt)) -> u16 {
    let pieces = |(reading, at): &(Reading<'_>, BlockAt)| {
        let mut pieces: Vec<Piece> = reading.contents.texts(*at).to_vec();
        pieces.sort_unstable_by_key(|piece| piece.hash);
        pieces
    };
    let (old, new) = (pieces(old), pieces(new));
    let (mut at, mut all, mut fresh) = (0, 0u64, 0u64);
    for piece in &new {
        while old.get(at).is_some_and(|other| other.hash < piece.hash) {
            at += 1;
        }
        let is_held = old.get(at).is_some_and(|other| other.hash == piece.hash);
        at += usize::from(is_held);
        all += u64::from(piece.length);
        fresh += if is_held { 0 } else { u64::from(piece.length) };
    }
    (1000 * fresh).checked_div(all).unwrap_or(0) as u16
}
