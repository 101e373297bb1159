//! What a reader sees: visible text, title, links, pictures.
//!
//! By markup alone: what CSS hides is not known here.

use super::dom::{Dom, Kind, Node, NodeId};
use super::names::{Name, known};
use super::walk::Step;
use url::Url;

/// The visible text: a line a block, whitespace folded (but not in `pre` and `textarea`), cells of
/// a row parted by tabs. Scripts, styles, templates, `head`, the fallback content of frames and
/// elements with the `hidden` attribute are not visible. Shadow trees and frames are.
pub fn visible_text(dom: &Dom) -> String {
    visible_text_of(dom.root())
}

/// The visible text below a node.
pub fn visible_text_of(node: Node<'_>) -> String {
    let mut writer = TextWriter::default();
    let mut walk = node.walk();
    while let Some(step) = walk.next() {
        match step {
            Step::Open(node) if is_invisible(node) => walk.skip_inside(),
            Step::Open(node) => writer.open(node),
            Step::Close(node) => writer.close(node),
        }
    }
    writer.out
}

/// Whether a node and all below it show nothing.
pub fn is_invisible(node: Node<'_>) -> bool {
    match node.kind() {
        Kind::Comment | Kind::Doctype => true,
        Kind::Text => {
            let parent = node.parent().and_then(Node::name_id);
            matches!(parent, Some(known::IFRAME | known::NOEMBED | known::NOFRAMES))
        }
        Kind::Element => {
            matches!(
                node.name_id(),
                Some(
                    known::SCRIPT
                        | known::STYLE
                        | known::TEMPLATE
                        | known::HEAD
                        | known::NOEMBED
                        | known::NOFRAMES
                )
            ) || (node.is(known::TITLE) && !node.is_foreign())
                || node.attribute_by(known::HIDDEN).is_some()
                // With scripting on it holds one text; elements only where it was taken apart.
                || (node.is(known::NOSCRIPT) && !node.children().any(Node::is_element))
        }
        Kind::Document | Kind::ShadowRoot => false,
    }
}

#[derive(Default)]
struct TextWriter {
    out: String,
    /// What to put between the last word and the next.
    gap: Gap,
    /// Elements open that keep whitespace.
    preserved: usize,
}

#[derive(Default, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Gap {
    #[default]
    None,
    Space,
    Tab,
    Line,
}

impl TextWriter {
    fn open(&mut self, node: Node<'_>) {
        match node.kind() {
            Kind::Text => self.text(node.text()),
            Kind::Element => {
                self.boundary(node);
                self.preserved += usize::from(keeps_whitespace(node));
            }
            Kind::Document => self.widen(Gap::Line),
            _ => {}
        }
    }

    fn close(&mut self, node: Node<'_>) {
        match node.kind() {
            Kind::Element => {
                self.boundary(node);
                self.preserved -= usize::from(keeps_whitespace(node));
            }
            Kind::Document => self.widen(Gap::Line),
            _ => {}
        }
    }

    fn boundary(&mut self, node: Node<'_>) {
        match node.name_id() {
            Some(known::TD | known::TH) => self.widen(Gap::Tab),
            Some(name) if breaks_line(name) => self.widen(Gap::Line),
            _ => {}
        }
    }

    fn widen(&mut self, gap: Gap) {
        self.gap = self.gap.max(gap);
    }

    fn text(&mut self, text: &str) {
        if self.preserved > 0 {
            self.fill_gap();
            self.out.push_str(text);
            return;
        }
        for (at, word) in text.split(is_space).enumerate() {
            if at > 0 {
                self.widen(Gap::Space);
            }
            if !word.is_empty() {
                self.fill_gap();
                self.out.push_str(word);
            }
        }
    }

    fn fill_gap(&mut self) {
        let gap = std::mem::take(&mut self.gap);
        if self.out.is_empty() {
            return;
        }
        match gap {
            Gap::None => {}
            Gap::Space => self.out.push(' '),
            Gap::Tab => self.out.push('\t'),
            Gap::Line => self.out.push('\n'),
        }
    }
}

/// ASCII whitespace, which HTML folds. A no-break space is a character like others.
pub fn is_space(c: char) -> bool {
    matches!(c, ' ' | '\t' | '\n' | '\r' | '\x0c')
}

fn keeps_whitespace(node: Node<'_>) -> bool {
    matches!(node.name_id(), Some(known::PRE | known::TEXTAREA | known::LISTING | known::XMP))
}

/// Elements that begin and end a line (HTML, "flow content" of the rendering section).
pub fn breaks_line(name: Name) -> bool {
    use known::*;
    [
        ADDRESS, ARTICLE, ASIDE, BLOCKQUOTE, BODY, BR, CAPTION, CENTER, DD, DETAILS, DIALOG, DIR,
        DIV, DL, DT, FIELDSET, FIGCAPTION, FIGURE, FOOTER, FORM, FRAMESET, H1, H2, H3, H4, H5, H6,
        HEADER, HGROUP, HR, HTML, LEGEND, LI, LISTING, MAIN, MENU, NAV, OL, OPTGROUP, OPTION, P,
        PLAINTEXT, PRE, SEARCH, SECTION, SUMMARY, TABLE, TBODY, TFOOT, THEAD, TR, UL, XMP,
    ]
    .contains(&name)
}

/// The title of the page, whitespace folded; empty if it has none.
pub fn title(dom: &Dom) -> String {
    let in_light = |node: &Node<'_>| node.is(known::TITLE) && !node.is_foreign();
    let Some(node) = dom.elements().find(in_light) else {
        return String::new();
    };
    let mut out = String::new();
    for text in node.children().filter(|child| child.kind() == Kind::Text) {
        for word in text.text().split(is_space).filter(|word| !word.is_empty()) {
            if !out.is_empty() {
                out.push(' ');
            }
            out.push_str(word);
        }
    }
    out
}

/// A link of a page.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Link {
    /// The `a` or `area` element.
    pub node: NodeId,
    /// Where it leads, resolved; none if the `href` is no URL.
    pub url: Option<Url>,
    /// The `href` as written.
    pub href: String,
    /// The text of the link.
    pub text: String,
}

/// A picture of a page.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Image {
    /// The element.
    pub node: NodeId,
    /// Where the picture is, resolved; none if the `src` is no URL.
    pub url: Option<Url>,
    /// The `src` as written.
    pub src: String,
    /// The `alt` text; empty if it has none.
    pub alt: String,
}

/// What relative addresses of a page are relative to: its first `<base href>`, itself relative to
/// the address of the page.
pub fn base_url(dom: &Dom, page: &Url) -> Url {
    let href = dom
        .elements()
        .filter(|node| node.is(known::BASE))
        .find_map(|node| node.attribute_by(known::HREF));
    match href.and_then(|href| page.join(href.trim_matches(is_space)).ok()) {
        Some(base) if !matches!(base.scheme(), "javascript" | "data") => base,
        _ => page.clone(),
    }
}

/// The links of a page: every `a` and `area` with an `href`, in order, those in templates and
/// `noscript` not counting. `page` is the address of the page.
///
/// ```
/// let dom = page::tree::parse_str("<base href=/b/><a href='c?x=1'> see <b>this</b></a>").dom;
/// let page = url::Url::parse("http://site.example/a").unwrap();
/// let links = page::tree::links(&dom, &page);
/// assert_eq!(links[0].url.as_ref().unwrap().as_str(), "http://site.example/b/c?x=1");
/// assert_eq!(links[0].text, "see this");
/// ```
pub fn links(dom: &Dom, page: &Url) -> Vec<Link> {
    let base = base_url(dom, page);
    let mut found = Vec::new();
    for node in outside_templates(dom) {
        let is_link = node.is(known::A) || node.is(known::AREA);
        let own = node.attribute_by(known::HREF).or_else(|| node.attribute_by(known::XLINK_HREF));
        if let Some(href) = own.filter(|_| is_link) {
            found.push(Link {
                node: node.id(),
                url: base.join(href.trim_matches(is_space)).ok(),
                href: href.to_owned(),
                text: visible_text_of(node),
            });
        }
    }
    found
}

/// The pictures of a page: every `img` and picture button, and every poster of a video.
pub fn images(dom: &Dom, page: &Url) -> Vec<Image> {
    let base = base_url(dom, page);
    let mut found = Vec::new();
    for node in outside_templates(dom) {
        let source = match node.name_id() {
            Some(known::IMG | known::INPUT) => node.attribute_by(known::SRC),
            Some(known::IMAGE) => {
                node.attribute_by(known::HREF).or_else(|| node.attribute_by(known::XLINK_HREF))
            }
            Some(known::VIDEO) => node.attribute_by(known::POSTER),
            _ => None,
        };
        if let Some(src) = source {
            found.push(Image {
                node: node.id(),
                url: base.join(src.trim_matches(is_space)).ok(),
                src: src.to_owned(),
                alt: node.attribute_by(known::ALT).unwrap_or_default().to_owned(),
            });
        }
    }
    found
}

fn outside_templates(dom: &Dom) -> impl Iterator<Item = Node<'_>> {
    let mut walk = dom.walk();
    std::iter::from_fn(move || {
        loop {
            match walk.next()? {
                Step::Open(node) if node.is(known::TEMPLATE) => walk.skip_inside(),
                Step::Open(node) if node.is_element() => return Some(node),
                _ => {}
            }
        }
    })
}
