//! What is left of a post, as text and as HTML that is safe to show.

use url::Url;

use super::sheet::Sheet;
use page::tree::names::known;
use page::tree::text::{breaks_line, is_space};
use page::tree::{Kind, Name, Node, Step};

/// Links of a post beyond these are not listed.
const MOST_LINKS: usize = 1_000;

/// The text: a line a block, white space folded but in preformatted text.
pub(super) fn text(sheet: &Sheet<'_>) -> String {
    let mut out = Lines::default();
    for root in &sheet.roots {
        out.end_line();
        walk(sheet, sheet.dom.node(*root), |step| match step {
            Step::Open(node) if node.kind() == Kind::Text => out.text(node.text()),
            Step::Open(node) => {
                out.boundary(node);
                out.preformatted += usize::from(is_preformatted(node));
            }
            Step::Close(node) => {
                out.boundary(node);
                out.preformatted -= usize::from(is_preformatted(node));
            }
        });
    }
    out.out.truncate(out.out.trim_end().len());
    out.out
}

/// What the post links to, each address once.
pub(super) fn links(sheet: &Sheet<'_>, base: Option<&Url>) -> Vec<Url> {
    let mut found: Vec<Url> = Vec::new();
    for root in &sheet.roots {
        walk(sheet, sheet.dom.node(*root), |step| {
            let Step::Open(node) = step else { return };
            if !node.is(known::A) || found.len() >= MOST_LINKS {
                return;
            }
            let url = node.attribute_by(known::HREF).and_then(|href| absolute(href, base));
            if let Some(url) = url.filter(|url| is_safe(url) && !found.contains(url)) {
                found.push(url);
            }
        });
    }
    found
}

/// The HTML: only elements and attributes that text needs; of others, what is in them.
pub(super) fn html(sheet: &Sheet<'_>, base: Option<&Url>) -> String {
    let mut out = String::new();
    for root in &sheet.roots {
        walk(sheet, sheet.dom.node(*root), |step| match step {
            Step::Open(node) if node.kind() == Kind::Text => escape(node.text(), &mut out),
            Step::Open(node) if is_kept(node) => {
                out.push('<');
                out.push_str(node.name());
                attributes(node, base, &mut out);
                out.push('>');
            }
            Step::Close(node) if is_kept(node) && !is_void(node) => {
                out.push_str("</");
                out.push_str(node.name());
                out.push('>');
            }
            _ => {}
        });
    }
    out.trim().to_owned()
}

/// Walks what is left below a node; elements that were emptied are left out.
fn walk<'a>(sheet: &Sheet<'a>, root: Node<'a>, mut visit: impl FnMut(Step<'a>)) {
    let mut walk = root.walk();
    while let Some(step) = walk.next() {
        match step {
            Step::Open(node) if sheet.is_gone(node.id()) || sheet.is_hidden(node) => {
                walk.skip_inside();
            }
            Step::Open(node) if is_emptied(sheet, node) => walk.skip_inside(),
            step => visit(step),
        }
    }
}

fn is_emptied(sheet: &Sheet<'_>, node: Node<'_>) -> bool {
    sheet.element(node.id()).is_some_and(|element| {
        !element.tokens.is_empty()
            && sheet.left(&element.tokens) == 0
            && !node.descendants().any(|inner| inner.is(known::IMG) && !sheet.is_gone(inner.id()))
    })
}

#[derive(Default)]
struct Lines {
    out: String,
    gap: Gap,
    preformatted: usize,
}

#[derive(Default, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Gap {
    #[default]
    None,
    Space,
    Line,
}

impl Lines {
    fn boundary(&mut self, node: Node<'_>) {
        match node.name_id() {
            Some(known::TD | known::TH) => self.gap = self.gap.max(Gap::Space),
            Some(name) if breaks_line(name) => self.end_line(),
            _ => {}
        }
    }

    fn end_line(&mut self) {
        self.gap = Gap::Line;
    }

    fn text(&mut self, text: &str) {
        if self.preformatted > 0 {
            self.fill();
            self.out.push_str(text);
            return;
        }
        for (at, word) in text.split(is_space).enumerate() {
            if at > 0 {
                self.gap = self.gap.max(Gap::Space);
            }
            if !word.is_empty() {
                self.fill();
                self.out.push_str(word);
            }
        }
    }

    fn fill(&mut self) {
        match std::mem::take(&mut self.gap) {
            _ if self.out.is_empty() => {}
            Gap::None => {}
            Gap::Space => self.out.push(' '),
            Gap::Line => self.out.push('\n'),
        }
    }
}

fn is_preformatted(node: Node<'_>) -> bool {
    matches!(node.name_id(), Some(known::PRE | known::LISTING | known::XMP))
}

fn is_void(node: Node<'_>) -> bool {
    matches!(node.name_id(), Some(known::BR | known::HR | known::IMG | known::WBR))
}

fn is_kept(node: Node<'_>) -> bool {
    const KEPT: &[Name] = &[
        known::A,
        known::BLOCKQUOTE,
        known::BR,
        known::DD,
        known::DL,
        known::DT,
        known::DIV,
        known::H1,
        known::H2,
        known::H3,
        known::H4,
        known::H5,
        known::H6,
        known::HR,
        known::IMG,
        known::LI,
        known::OL,
        known::P,
        known::PRE,
        known::TABLE,
        known::TBODY,
        known::TD,
        known::TH,
        known::THEAD,
        known::TR,
        known::UL,
        known::WBR,
    ];
    const INLINE: &[&str] = &[
        "abbr", "b", "code", "del", "em", "i", "ins", "kbd", "mark", "q", "ruby", "rp", "rt", "s",
        "samp", "small", "strike", "strong", "sub", "sup", "time", "tt", "u", "var",
    ];
    !node.is_foreign()
        && node.name_id().is_some_and(|name| KEPT.contains(&name) || INLINE.contains(&node.name()))
}

fn attributes(node: Node<'_>, base: Option<&Url>, out: &mut String) {
    let kept: &[&str] = match node.name_id() {
        Some(known::A) => &["href", "title"],
        Some(known::IMG) => &["src", "alt", "width", "height"],
        Some(known::TD | known::TH) => &["colspan", "rowspan"],
        Some(known::OL) => &["start"],
        _ if node.name() == "time" => &["datetime"],
        _ => &[],
    };
    for name in kept {
        let Some(value) = node.attribute(name) else { continue };
        let address = matches!(*name, "href" | "src").then(|| address(value, base));
        let value = match &address {
            Some(None) => continue,
            Some(Some(address)) => address,
            None => value,
        };
        out.push(' ');
        out.push_str(name);
        out.push_str("=\"");
        escape(value, out);
        out.push('"');
    }
}

/// An address as it may stand in HTML: absolute where that can be said, and leading to a page.
fn address(written: &str, base: Option<&Url>) -> Option<String> {
    if let Some(url) = absolute(written, base) {
        return is_safe(&url).then(|| url.into());
    }
    // Without a base only what has no scheme of its own is left: it is taken as a browser would read
    // it, so that no white space or control character hides a scheme.
    let stand_in = Url::parse("http://relative.invalid/").ok()?;
    let read = stand_in.join(written).ok()?;
    (read.host() == stand_in.host()).then(|| written.trim().to_owned())
}

fn absolute(written: &str, base: Option<&Url>) -> Option<Url> {
    match base {
        Some(base) => base.join(written).ok(),
        None => Url::parse(written).ok(),
    }
}

fn is_safe(url: &Url) -> bool {
    matches!(url.scheme(), "http" | "https" | "mailto" | "ftp" | "magnet" | "tel")
}

fn escape(text: &str, out: &mut String) {
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            c => out.push(c),
        }
    }
}
