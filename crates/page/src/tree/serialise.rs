//! The snapshot of a tree: our own versioned UTF-8 serialisation, format 1.
//!
//! A snapshot is HTML that a browser can show, and at the same time a form that
//! [`restore`](super::restore) reads back into exactly the same tree, also where HTML has no way
//! to say it. Every element that is not void has its end tag, attributes stand in double quotes,
//! and `<` occurs in no text or value outside raw text such as scripts, so boundaries of elements
//! are found by a byte scan.
//!
//! | in the tree | in the snapshot |
//! |---|---|
//! | the format | `<!--bathys:snapshot 1-->` at the start |
//! | shadow root | `<template shadowrootmode="open">` as the first child |
//! | document of a frame | `bathys:document=""` on the frame; its content is markup escaped once more a level, with the document as `<bathys:document>` |
//! | raw text that would end too early | `bathys:escaped=""` on the element, the text escaped |
//! | children of a void element | `bathys:children=""` and an end tag |
//! | a comment that would end too early | `<!--bathys:escaped …-->` |
//! | names of the page's own that begin like these | `bathys:own:` before them |

use super::dom::{Dom, Kind, Node};
use super::names::{Name, known};
use super::walk::Step;

/// What every snapshot of this format begins with.
pub const HEADER: &str = "<!--bathys:snapshot 1-->";

pub(super) const DOCUMENT: &str = "bathys:document";
pub(super) const ESCAPED: &str = "bathys:escaped";
pub(super) const CHILDREN: &str = "bathys:children";
pub(super) const OWN: &str = "bathys:own:";
pub(super) const RESERVED: &str = "bathys:";
pub(super) const SHADOW_MODE: &str = "shadowrootmode";

/// The snapshot of a tree.
///
/// ```
/// let dom = page::tree::parse_str("<p>a<p>b").dom;
/// let snapshot = page::tree::serialise(&dom);
/// assert_eq!(snapshot, "<!--bathys:snapshot 1--><html><head></head><body><p>a</p><p>b</p></body></html>");
/// assert_eq!(page::tree::restore(&snapshot).unwrap(), dom);
/// ```
pub fn serialise(dom: &Dom) -> String {
    let out = String::with_capacity(dom.strings.len() + 16 * dom.node_count());
    let mut writer = Writer { out, level: 0 };
    writer.markup(HEADER);
    for step in dom.walk() {
        match step {
            Step::Open(node) => writer.open(node),
            Step::Close(node) => writer.close(node),
        }
    }
    writer.out
}

struct Writer {
    out: String,
    /// Frames around what is being written: how many times more to escape.
    level: usize,
}

impl Writer {
    fn open(&mut self, node: Node<'_>) {
        match node.kind() {
            Kind::Document if node.parent().is_none() => {}
            Kind::Document => {
                self.markup("<");
                self.markup(DOCUMENT);
                self.markup(">");
            }
            Kind::ShadowRoot => self.markup("<template shadowrootmode=\"open\">"),
            Kind::Doctype => {
                self.markup("<!DOCTYPE ");
                self.markup(node.text());
                self.markup(">");
            }
            Kind::Comment => self.comment(node.text()),
            Kind::Text => match node.parent() {
                Some(parent) if writes_raw(parent) => self.markup(node.text()),
                _ => self.escaped(node.text(), false),
            },
            Kind::Element => self.start_tag(node),
        }
    }

    fn close(&mut self, node: Node<'_>) {
        match node.kind() {
            Kind::Document if node.parent().is_some() => {
                self.markup("</");
                self.markup(DOCUMENT);
                self.markup(">");
            }
            Kind::ShadowRoot => self.markup("</template>"),
            Kind::Element => {
                if node.frame_document().is_some() {
                    self.level -= 1;
                }
                if !(is_void(node) && node.first_child().is_none()) {
                    self.markup("</");
                    self.name(node.name());
                    self.markup(">");
                }
            }
            _ => {}
        }
    }

    fn start_tag(&mut self, node: Node<'_>) {
        self.markup("<");
        self.name(node.name());
        let own_shadow_mode = node.is(known::TEMPLATE) && node.attribute(SHADOW_MODE).is_some();
        for (name, value) in node.attributes() {
            self.markup(" ");
            if own_shadow_mode && name == SHADOW_MODE {
                self.markup(OWN);
            }
            self.name(name);
            self.markup("=\"");
            self.escaped(value, true);
            self.markup("\"");
        }
        let has_document = node.frame_document().is_some();
        if has_document {
            self.marker(DOCUMENT);
        } else if is_raw(node) && !writes_raw(node) {
            self.marker(ESCAPED);
        }
        if is_void(node) && node.first_child().is_some() {
            self.marker(CHILDREN);
        }
        self.markup(">");
        if has_document {
            self.level += 1;
            return;
        }
        let first = node.first_child();
        if eats_newline(node) && first.is_some_and(|text| text.text().starts_with('\n')) {
            self.markup("\n");
        }
    }

    fn marker(&mut self, name: &str) {
        self.markup(" ");
        self.markup(name);
        self.markup("=\"\"");
    }

    /// A name of the page's own.
    fn name(&mut self, name: &str) {
        if name.starts_with(RESERVED) {
            self.markup(OWN);
        }
        self.markup(name);
    }

    fn comment(&mut self, text: &str) {
        self.markup("<!--");
        if comment_is_plain(text) {
            self.markup(text);
        } else {
            self.markup(ESCAPED);
            self.markup(" ");
            // Neither the end of a comment nor its look-alikes survive this.
            let hidden = text.replace('&', "&amp;").replace('-', "&#45;").replace('>', "&gt;");
            self.markup(&hidden.replace('<', "&lt;").replace('\r', "&#13;"));
        }
        self.markup("-->");
    }

    /// Text or a value, with what means something in markup written as references.
    fn escaped(&mut self, text: &str, is_value: bool) {
        let mut from = 0;
        for (at, byte) in text.bytes().enumerate() {
            let reference = match byte {
                b'&' => "&amp;",
                b'<' => "&lt;",
                b'>' => "&gt;",
                b'\r' => "&#13;",
                b'"' if is_value => "&quot;",
                _ => continue,
            };
            self.markup(&text[from..at]);
            self.markup(reference);
            from = at + 1;
        }
        self.markup(&text[from..]);
    }

    /// Markup as it is, escaped once for every frame around it.
    fn markup(&mut self, markup: &str) {
        if self.level == 0 {
            self.out.push_str(markup);
            return;
        }
        let mut from = 0;
        for (at, byte) in markup.bytes().enumerate() {
            let last = match byte {
                b'&' => "amp;",
                b'<' => "lt;",
                _ => continue,
            };
            self.out.push_str(&markup[from..at]);
            self.out.push('&');
            for _ in 1..self.level {
                self.out.push_str("amp;");
            }
            self.out.push_str(last);
            from = at + 1;
        }
        self.out.push_str(&markup[from..]);
    }
}

/// Elements without content and end tag.
pub(super) fn is_void_name(name: Name) -> bool {
    matches!(
        name,
        known::AREA
            | known::BASE
            | known::BR
            | known::COL
            | known::EMBED
            | known::FRAME
            | known::HR
            | known::IMG
            | known::INPUT
            | known::LINK
            | known::META
            | known::PARAM
            | known::SOURCE
            | known::TRACK
            | known::WBR
    )
}

/// Elements whose text HTML reads as it stands (scripting on).
pub(super) fn is_raw_name(name: Name) -> bool {
    matches!(
        name,
        known::SCRIPT
            | known::STYLE
            | known::XMP
            | known::IFRAME
            | known::NOEMBED
            | known::NOFRAMES
            | known::NOSCRIPT
            | known::PLAINTEXT
    )
}

/// Elements whose first line feed HTML drops.
pub(super) fn eats_newline_name(name: Name) -> bool {
    matches!(name, known::PRE | known::TEXTAREA | known::LISTING)
}

fn eats_newline(node: Node<'_>) -> bool {
    !node.is_foreign() && node.name_id().is_some_and(eats_newline_name)
}

fn is_void(node: Node<'_>) -> bool {
    !node.is_foreign() && node.name_id().is_some_and(is_void_name)
}

fn is_raw(node: Node<'_>) -> bool {
    !node.is_foreign() && node.name_id().is_some_and(is_raw_name)
}

/// Whether the text of this element goes out as it stands: it must be nothing but text that
/// cannot be taken for the end of the element.
fn writes_raw(node: Node<'_>) -> bool {
    if !is_raw(node) {
        return false;
    }
    let Some(child) = node.first_child() else {
        return true;
    };
    let text = child.text();
    child.kind() == Kind::Text
        && child.next_sibling().is_none()
        && !text.contains('\r')
        && if node.is(known::SCRIPT) && text.contains("<!--") {
            script_end(&format!("{text}</script>")) == Some(text.len())
        } else {
            !contains_end_tag(text, node.name())
        }
}

fn contains_end_tag(text: &str, name: &str) -> bool {
    text.match_indices("</").any(|(at, _)| {
        let rest = &text.as_bytes()[at + 2..];
        rest.len() >= name.len() && rest[..name.len()].eq_ignore_ascii_case(name.as_bytes())
    })
}

/// Where the end tag of a script is. Between `<!--` and `-->`, a `<script>` hides the next
/// `</script>` (HTML, "script data double escaped state").
pub(super) fn script_end(text: &str) -> Option<usize> {
    enum State {
        Plain,
        Escaped,
        DoublyEscaped,
    }
    let bytes = text.as_bytes();
    let tag_at = |at: usize, tag: &str| {
        let (name, after) = (bytes.get(at..at + tag.len()), bytes.get(at + tag.len()));
        name.is_some_and(|name| name.eq_ignore_ascii_case(tag.as_bytes()))
            && matches!(after, Some(b'\t' | b'\n' | b'\x0c' | b' ' | b'/' | b'>'))
    };
    let mut state = State::Plain;
    let mut at = 0;
    while at < bytes.len() {
        let rest = &bytes[at..];
        let skip;
        (state, skip) = match state {
            // The dashes that open may also close: `<!-->`.
            State::Plain if rest.starts_with(b"<!--") => (State::Escaped, 2),
            State::Escaped | State::DoublyEscaped if rest.starts_with(b"-->") => (State::Plain, 3),
            State::Escaped if tag_at(at, "<script") => (State::DoublyEscaped, 7),
            State::DoublyEscaped if tag_at(at, "</script") => (State::Escaped, 8),
            State::Plain | State::Escaped if tag_at(at, "</script") => return Some(at),
            same => (same, 1),
        };
        at += skip;
    }
    None
}

/// Whether a comment reads back as it stands (HTML, the comment states of the tokenizer).
fn comment_is_plain(text: &str) -> bool {
    !(text.starts_with('>')
        || text.starts_with("->")
        || text.starts_with(RESERVED)
        || text.contains("-->")
        || text.contains("--!>")
        || text.contains('\r'))
}
