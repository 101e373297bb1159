//! The canonical form of a page, streamed into a hash: what decides whether two states are one.
//!
//! Dropped: comments, doctypes, `script`, `style`, `noscript` (scripting is on), `template`,
//! `link rel=stylesheet` and its relatives, `style` and `nonce` attributes, the values of form
//! tokens of known frameworks, and whatever the [`Mask`] names. Whitespace is folded and means
//! nothing at the ends of a text; attributes count in any order. Shadow trees and frames count.

use super::dom::{Dom, Kind, Node, NodeId};
use super::names::known;
use super::text::is_space;
use super::walk::Step;
use std::collections::HashSet;
use std::fmt;

/// The identity of a state: 128 bits of BLAKE3.
///
/// BLAKE3 and not a faster checksum, because pages are hostile: two states with one identity are
/// merged for good, so nobody may be able to make such a pair. 128 bits keep that at 2⁶⁴ work.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct StateHash(pub [u8; 16]);

impl fmt::Display for StateHash {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(out, "{byte:02x}"))
    }
}

impl fmt::Debug for StateHash {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "StateHash({self})")
    }
}

/// What changes by itself and must not make a new state, as learned for a page type.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Mask {
    /// Attributes that do not count on any element.
    pub attributes: Vec<String>,
    /// Attributes that do not count on the elements of a path.
    pub attributes_at: Vec<(super::XPath, String)>,
    /// Elements whose inside and attributes do not count. The element itself does: that there is
    /// an advert is part of the page, which one is not.
    pub regions: Vec<super::XPath>,
}

/// The identity of a state: everything of the canonical form.
///
/// ```
/// use page::tree::{Mask, canonical_hash, parse_str};
///
/// let of = |html| canonical_hash(&parse_str(html).dom, &Mask::default());
/// assert_eq!(of("<p class=a id=b> x  y </p>"), of("<p id=b class=a>x y<script>1</script></p>"));
/// assert_ne!(of("<p>x y</p>"), of("<p>x z</p>"));
/// ```
pub fn canonical_hash(dom: &Dom, mask: &Mask) -> StateHash {
    let masked = Masked::find(dom, mask);
    let mut stream = Stream::default();
    // The version of the form.
    stream.bytes(&[7]);
    let mut walk = dom.walk();
    while let Some(step) = walk.next() {
        match step {
            Step::Open(node) if is_dropped(node) => walk.skip_inside(),
            Step::Open(node) => match node.kind() {
                Kind::Text => stream.text(node.text()),
                Kind::Element => {
                    stream.mark(OPEN);
                    stream.bytes(node.name().as_bytes());
                    if masked.regions.contains(&node.id()) {
                        walk.skip_inside();
                        stream.mark(CLOSE);
                    } else {
                        stream.attributes(node, mask, &masked);
                    }
                }
                Kind::ShadowRoot => stream.mark(SHADOW),
                Kind::Document => stream.mark(DOCUMENT),
                Kind::Comment | Kind::Doctype => {}
            },
            Step::Close(node) => match node.kind() {
                Kind::Text | Kind::Comment | Kind::Doctype => {}
                _ => stream.mark(CLOSE),
            },
        }
    }
    stream.finish()
}

/// What the canonical form and the distances never look at.
pub(crate) fn is_dropped(node: Node<'_>) -> bool {
    match node.kind() {
        Kind::Comment | Kind::Doctype => true,
        Kind::Element => match node.name_id() {
            Some(known::SCRIPT | known::STYLE | known::NOSCRIPT | known::TEMPLATE) => true,
            Some(known::LINK) => node.attribute_by(known::REL).is_some_and(|rel| {
                let serves_scripts_or_styles = |word: &str| {
                    [
                        "stylesheet",
                        "preload",
                        "modulepreload",
                        "prefetch",
                        "preconnect",
                        "dns-prefetch",
                    ]
                    .iter()
                    .any(|name| word.eq_ignore_ascii_case(name))
                };
                rel.split(is_space).any(serves_scripts_or_styles)
            }),
            _ => false,
        },
        Kind::Document | Kind::ShadowRoot | Kind::Text => false,
    }
}

/// Hidden inputs and `meta` elements whose value is made anew for each visitor, by the documented
/// names of the frameworks that write them.
const TOKENS: &[&str] = &[
    "csrfmiddlewaretoken",        // Django
    "authenticity_token",         // Rails, in forms
    "csrf-token",                 // Rails, Laravel: <meta>
    "_token",                     // Laravel, in forms
    "_csrf",                      // Spring Security, csurf
    "_csrf_token",                // Symfony
    "csrf_token",                 // Flask-WTF
    "__RequestVerificationToken", // ASP.NET MVC
    "__EVENTVALIDATION",          // ASP.NET Web Forms
    "form_build_id",              // Drupal
    "form_token",                 // Drupal
    "_wpnonce",                   // WordPress
];

pub(crate) fn is_token(node: Node<'_>) -> bool {
    (node.is(known::INPUT) || node.is(known::META))
        && node.attribute_by(known::NAME).is_some_and(|name| TOKENS.contains(&name))
}

/// A mask, resolved to the nodes of one tree.
#[derive(Default)]
pub(crate) struct Masked<'m> {
    pub(crate) regions: HashSet<NodeId>,
    pub(crate) attributes: HashSet<(NodeId, &'m str)>,
}

impl<'m> Masked<'m> {
    pub(crate) fn find(dom: &Dom, mask: &'m Mask) -> Self {
        let mut masked = Masked::default();
        for path in &mask.regions {
            masked.regions.extend(path.evaluate(dom));
        }
        for (path, name) in &mask.attributes_at {
            masked.attributes.extend(path.evaluate(dom).into_iter().map(|id| (id, &**name)));
        }
        masked
    }
}

// Marks of the stream. None of these bytes occurs in UTF-8, so no text can imitate structure.
const OPEN: u8 = 0xF8;
const CLOSE: u8 = 0xF9;
const ATTRIBUTE: u8 = 0xFA;
const VALUE: u8 = 0xFB;
const TEXT: u8 = 0xFC;
const SHADOW: u8 = 0xFD;
const DOCUMENT: u8 = 0xFE;

/// The canonical form on its way into the hash.
struct Stream<'a> {
    hasher: blake3::Hasher,
    /// Many small pieces make few large updates.
    buffer: Vec<u8>,
    /// Whether the last thing written was text, so that the next text is its continuation, also
    /// across something that was dropped.
    in_text: bool,
    /// Whether whitespace waits for a word after it.
    gap: bool,
    sorted: Vec<(&'a str, &'a str)>,
}

impl Default for Stream<'_> {
    fn default() -> Self {
        Stream {
            hasher: blake3::Hasher::new(),
            buffer: Vec::with_capacity(BUFFER),
            in_text: false,
            gap: false,
            sorted: Vec::new(),
        }
    }
}

/// BLAKE3 reads 1 KB chunks and is fastest from about 16 KB at once.
const BUFFER: usize = 32 << 10;

impl<'a> Stream<'a> {
    fn mark(&mut self, mark: u8) {
        self.bytes(&[mark]);
        (self.in_text, self.gap) = (false, false);
    }

    fn bytes(&mut self, bytes: &[u8]) {
        if self.buffer.len() + bytes.len() > BUFFER {
            self.hasher.update(&self.buffer);
            self.buffer.clear();
        }
        if bytes.len() > BUFFER {
            self.hasher.update(bytes);
        } else {
            self.buffer.extend_from_slice(bytes);
        }
    }

    fn text(&mut self, text: &str) {
        for (at, word) in text.split(is_space).enumerate() {
            self.gap |= at > 0;
            if word.is_empty() {
                continue;
            }
            if !self.in_text {
                self.bytes(&[TEXT]);
            } else if self.gap {
                self.bytes(b" ");
            }
            (self.in_text, self.gap) = (true, false);
            self.bytes(word.as_bytes());
        }
    }

    fn attributes(&mut self, node: Node<'a>, mask: &Mask, masked: &Masked<'_>) {
        let is_token = is_token(node);
        let mut sorted = std::mem::take(&mut self.sorted);
        sorted.clear();
        let is_masked = |name: &str| {
            matches!(name, "style" | "nonce")
                || (is_token && matches!(name, "value" | "content"))
                || mask.attributes.iter().any(|masked| masked == name)
                || (!masked.attributes.is_empty() && masked.attributes.contains(&(node.id(), name)))
        };
        sorted.extend(node.attributes().filter(|(name, _)| !is_masked(name)));
        sorted.sort_unstable();
        for (name, value) in &sorted {
            self.bytes(&[ATTRIBUTE]);
            self.bytes(name.as_bytes());
            self.bytes(&[VALUE]);
            self.bytes(value.as_bytes());
        }
        self.sorted = sorted;
    }

    fn finish(mut self) -> StateHash {
        self.hasher.update(&self.buffer);
        let mut bytes = [0; 16];
        bytes.copy_from_slice(&self.hasher.finalize().as_bytes()[..16]);
        StateHash(bytes)
    }
}
