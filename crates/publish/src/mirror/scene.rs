//! One captured state becomes the files of one page: its document, and one for every frame in it.

use std::collections::VecDeque;

use page::tree::{Dom, Kind, Node, NodeId};
use store::PageRow;
use url::Url;

use super::address::{is_script, trimmed};
use super::atlas::{Atlas, file};
use super::css::Refers;
use super::door::{Door, Doors};
use super::shelf::{FOLDER, Shelf};
use super::tally::Tally;
use super::writer::Writer;
use crate::text::escape;

/// Largest file of a page; what goes beyond is cut and said.
pub(crate) const LARGEST_FILE: usize = 64 << 20;

/// A state, and all that is needed to write it down.
pub(crate) struct Scene<'a> {
    pub dom: &'a Dom,
    pub page: &'a PageRow,
    pub doors: Doors,
    pub atlas: &'a Atlas,
    pub shelf: &'a mut Shelf,
    pub tally: &'a mut Tally,
    frames: VecDeque<Frame>,
    frame_count: usize,
}

/// A document of the state that has a file of its own.
#[derive(Clone)]
pub(crate) struct Frame {
    /// The document node.
    pub document: NodeId,
    /// The name of its file.
    pub file: String,
    /// The address that it was loaded from, as far as the page says.
    pub url: Url,
    /// Whether another document shows it.
    pub is_inner: bool,
}

/// Where a link of a page leads in the mirror.
pub(crate) enum Leads {
    /// To a file of the mirror, or within this one.
    Here(String),
    /// Out of it.
    Outside(String),
    /// Nowhere: it was a script.
    Nowhere,
}

impl<'a> Scene<'a> {
    pub(crate) fn new(
        dom: &'a Dom,
        page: &'a PageRow,
        atlas: &'a Atlas,
        shelf: &'a mut Shelf,
        tally: &'a mut Tally,
    ) -> Self {
        let doors = Doors::locate(dom, page, atlas);
        Self { dom, page, doors, atlas, shelf, tally, frames: VecDeque::new(), frame_count: 0 }
    }

    /// The files of the page, its own first.
    pub(crate) fn files(mut self) -> Vec<(String, String)> {
        let Ok(url) = Url::parse(&self.page.url) else { return Vec::new() };
        let document = NodeId::ROOT;
        self.frames.push_back(Frame { document, file: file(self.page.page), url, is_inner: false });
        let mut files = Vec::new();
        while let Some(frame) = self.frames.pop_front() {
            files.push((frame.file.clone(), Writer::new(&mut self, frame).document()));
        }
        files
    }

    /// The file that will hold the document of a frame.
    pub(crate) fn frame(&mut self, node: Node<'_>, base: &Url) -> Option<String> {
        let document = node.frame_document()?.id();
        self.frame_count += 1;
        let file = format!("{}.{}.html", self.page.page, self.frame_count);
        let src = node.attribute("src").and_then(trimmed).and_then(|src| base.join(src).ok());
        // A document that a script wrote has the addresses of the page around it.
        let url = src.filter(|url| url.has_host()).unwrap_or_else(|| base.clone());
        self.frames.push_back(Frame { document, file: file.clone(), url, is_inner: true });
        self.tally.report.frames += 1;
        Some(file)
    }

    /// Where an address in a page leads. `here` is the address of the document that holds it.
    pub(crate) fn leads(&mut self, address: &str, base: &Url, here: &Url) -> Leads {
        let Some(address) = trimmed(address).filter(|address| !is_script(address)) else {
            return Leads::Nowhere;
        };
        let Ok(url) = base.join(address) else { return Leads::Nowhere };
        let fragment = url.fragment().map(|part| format!("#{part}")).unwrap_or_default();
        if let Some(page) = self.atlas.at(&url) {
            let names_a_page = fragment.starts_with("#/") || fragment.starts_with("#!");
            let fragment = if names_a_page { "" } else { &fragment };
            // Within a state that events reached, a fragment stays in that state.
            if !fragment.is_empty() && same_document(&url, here) {
                return Leads::Here(fragment.to_owned());
            }
            self.tally.link(page);
            return Leads::Here(format!("{}{fragment}", file(page)));
        }
        if same_document(&url, here) {
            return Leads::Here(if fragment.is_empty() { "#".to_owned() } else { fragment });
        }
        if matches!(url.scheme(), "http" | "https")
            && self.shelf.answer(&url).is_some_and(|answer| !answer.media_type().contains("html"))
            && let Some(name) = self.shelf.take(&url, Refers::File)
        {
            self.tally.report.links += 1;
            return Leads::Here(format!("{FOLDER}/{name}"));
        }
        match url.scheme() {
            "http" | "https" | "ftp" | "mailto" | "tel" => {
                let known = self.atlas.knows(&url);
                self.tally.outside(url.as_str(), self.page.page, known);
                Leads::Outside(url.into())
            }
            _ => Leads::Nowhere,
        }
    }

    /// An asset by its address, as a page in the mirror refers to it.
    pub(crate) fn asset(&mut self, address: &str, base: &Url) -> Option<String> {
        let url = base.join(trimmed(address)?).ok()?;
        let name = self.shelf.take(&url, Refers::File)?;
        Some(format!("{FOLDER}/{name}"))
    }
}

/// A way out that the page itself shows no element for: an empty link whose mark comes from the
/// mirror's own style, so that the text of the page stays what it was.
pub(crate) fn also(door: &Door, is_inner: bool) -> String {
    let label = escape(&door.label());
    format!(
        "<a class=\"bathys-also\" href=\"{}\" title=\"{label}\" data-bathys=\"{label}\"{}></a>",
        file(door.to),
        target(is_inner)
    )
}

/// A link in a frame leads away from the whole page, as the state that it leads to is a whole page.
pub(crate) fn target(is_inner: bool) -> &'static str {
    if is_inner { " target=\"_top\"" } else { "" }
}

/// What relative addresses of one document are relative to.
pub(crate) fn base_of(document: Node<'_>, url: &Url) -> Url {
    let mut walk = document.walk();
    walk.next();
    while let Some(step) = walk.next() {
        let page::tree::Step::Open(node) = step else { continue };
        if node.kind() == Kind::Document || node.name() == "template" {
            walk.skip_inside();
        } else if node.name() == "base"
            && let Some(href) = node.attribute("href").and_then(trimmed)
        {
            return match url.join(href) {
                Ok(base) if base.has_host() => base,
                _ => url.clone(),
            };
        }
    }
    url.clone()
}

fn same_document(one: &Url, other: &Url) -> bool {
    let whole = |url: &Url| url.as_str().split('#').next().map(str::to_owned);
    whole(one) == whole(other)
}

#[cfg(test)]
mod tests {
    use page::tree::{DomBuilder, parse_str, visible_text};
    use proptest::prelude::*;
    use store::{Millis, PageNumber};

    use super::super::answers::Answers;
    use super::*;

    fn row() -> PageRow {
        PageRow {
            page: PageNumber(1),
            key: "http://a.example/".into(),
            url: "http://a.example/".into(),
            path: Vec::new(),
            page_type: None,
            title: String::new(),
            status: None,
            condition: store::PageStatus::Captured,
            via: None,
            content_hash: None,
            first_seen: Millis(0),
            last_seen: Millis(0),
            versions: 1,
            error: None,
            depth: 0,
            site: "a.example".into(),
            merged_into: None,
        }
    }

    fn written(dom: &Dom) -> String {
        let (row, atlas) = (row(), Atlas::default());
        let mut shelf = Shelf::new(Answers::default(), 0);
        let mut tally = Tally::default();
        let mut files = Scene::new(dom, &row, &atlas, &mut shelf, &mut tally).files();
        files.remove(0).1
    }

    fn folded(text: &str) -> String {
        text.split_whitespace().collect::<Vec<_>>().join(" ")
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(400))]
        /// Scripts nest elements as no parser would: text must neither move nor vanish.
        #[test]
        fn the_text_of_any_tree_survives_the_parser(calls in prop::collection::vec((0usize..26, 0usize..3), 1..40)) {
            const NAMES: [&str; 24] = [
                "div", "p", "span", "a", "b", "table", "tbody", "tr", "td", "th", "ul", "li", "form",
                "button", "h1", "h2", "pre", "label", "section", "caption", "em", "dd", "nobr", "thead",
            ];
            let mut builder = DomBuilder::new();
            builder.open("html", []);
            builder.open("body", []);
            for (at, (call, closes)) in calls.into_iter().enumerate() {
                match NAMES.get(call) {
                    Some(&"a") => drop(builder.open("a", [("href", "/x")])),
                    Some(name) => drop(builder.open(name, [])),
                    None => builder.text(&format!(" w{at} ")),
                }
                for _ in 0..closes.saturating_sub(1) {
                    builder.text(&format!(" t{at} "));
                    builder.close();
                }
            }
            let dom = builder.finish();
            let read = parse_str(&written(&dom)).dom;
            prop_assert_eq!(folded(&visible_text(&read)), folded(&visible_text(&dom)));
        }
    }
}
