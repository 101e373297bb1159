//! A page as those see it who run no scripts: with what `noscript` holds.
//!
//! Trees are made with scripting on, so that a `noscript` holds one text. Some sites put their whole
//! content there, for search engines, and build it by script for everybody else.

use super::builder::DomBuilder;
use super::dom::{Dom, Kind, Node};
use super::names::known;
use super::parse::parse_str;
use super::walk::Step;

/// Bytes of markup that are more than a counting pixel and a request to turn scripts on.
const CONTENT: usize = 500;

/// The tree with the content of `noscript` elements taken apart; none if they hold nothing of note.
///
/// ```
/// use page::tree::{parse_str, unscripted};
///
/// let post = "<p>What search engines are to read, and nobody else ever sees.</p>".repeat(20);
/// let page = parse_str(&format!("<div id=app></div><noscript>{post}</noscript>")).dom;
/// let open = unscripted(&page).unwrap();
/// assert_eq!(open.elements().filter(|node| node.name() == "p").count(), 20);
/// assert!(unscripted(&parse_str("<noscript>Turn <b>scripts</b> on.</noscript>").dom).is_none());
/// ```
pub fn unscripted(dom: &Dom) -> Option<Dom> {
    dom.elements().find(|node| held(*node).is_some())?;
    let mut out = DomBuilder::new();
    let mut walk = dom.walk();
    while let Some(step) = walk.next() {
        let markup = match step {
            Step::Open(node) => held(node),
            Step::Close(_) => None,
        };
        copy(&mut out, step);
        if let Some(markup) = markup {
            inside(&parse_str(markup).dom, &mut out);
            out.close();
            walk.skip_inside();
        }
    }
    Some(out.finish())
}

/// The markup that a `noscript` holds as text.
fn held(node: Node<'_>) -> Option<&str> {
    if node.name_id() != Some(known::NOSCRIPT) {
        return None;
    }
    let markup = node.first_child().filter(|child| child.kind() == Kind::Text)?.text();
    (markup.len() >= CONTENT && markup.contains('<')).then_some(markup)
}

/// Copies what is in the body of a page.
fn inside(page: &Dom, out: &mut DomBuilder) {
    let Some(body) = page.elements().find(|node| node.name_id() == Some(known::BODY)) else {
        return;
    };
    for child in body.children() {
        child.walk().for_each(|step| copy(out, step));
    }
}

fn copy(out: &mut DomBuilder, step: Step<'_>) {
    match step {
        Step::Open(node) => match node.kind() {
            Kind::Document if node.parent().is_none() => {}
            Kind::Document => _ = out.open_document(),
            Kind::Doctype => out.doctype(node.text()),
            Kind::Element => _ = out.open(node.name(), node.attributes()),
            Kind::Text => out.text(node.text()),
            Kind::Comment => out.comment(node.text()),
            Kind::ShadowRoot => _ = out.open_shadow_root(),
        },
        Step::Close(node) => match node.kind() {
            Kind::Document if node.parent().is_none() => {}
            Kind::Document | Kind::Element | Kind::ShadowRoot => out.close(),
            Kind::Doctype | Kind::Text | Kind::Comment => {}
        },
    }
}
