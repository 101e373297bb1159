//! From a tree to what the store keeps of it.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use browser::FrameDocument;
use derive::Acts;
use page::block::Looks;
use page::form::{Form, forms};
use page::state::safety::{ElementDescription, Refusal, may_fire};
use page::state::{Content, url::normalise};
use page::tree::{Dom, Link, Mask, Node, NodeId, links, path::Paths, serialise, title};
use page::types::{Shape, TypeMethod};
use store::{Capture, LinkFound, StateId, Via};
use url::Url;

use crate::site::scope::Scope;

/// Longest link text that is kept with an edge.
const LONGEST_TEXT: usize = 80;

/// A state as it was seen.
pub(crate) struct Seen {
    /// The address that the tab, or the response, had by then.
    pub url: String,
    pub dom: Dom,
    pub content: Content,
    pub title: String,
    pub links: Vec<LinkFound>,
    /// Where each element leads that is a link of the crawl, by its path.
    pub addresses: HashMap<String, String>,
    /// How it is built, by which its type is told.
    pub shape: Shape,
    /// What sort of page it is.
    pub page_type: Arc<str>,
    /// How far the tab's clock ran ahead.
    pub drift_ms: i64,
    /// The address that it names as its own, if that is another one of the crawl.
    pub original: Option<String>,
    /// How its elements look, if it is to be kept.
    pub looks: Option<Looks>,
    /// Its forms.
    pub forms: Vec<Form>,
    /// What it can do, if its plain response shows the same.
    pub acts: Option<Acts>,
}

/// Looks at a tree: what it shows, where it leads, and how it is written down.
pub(crate) fn see(
    dom: Dom,
    frames: &[FrameDocument],
    url: &Url,
    mask: &Mask,
    scope: &Scope,
    types: TypeMethod,
) -> Seen {
    let content = Content::of(&dom, mask);
    let title = title(&dom);
    let (links, addresses) = follow(&dom, frames, url, scope);
    let shape = Shape::by(types, &dom);
    let forms = forms(&dom, url);
    let original = original(&dom, url).filter(|original| scope.admits(original).is_ok());
    Seen {
        url: normalise(url.clone()).into(),
        dom,
        content,
        title,
        links,
        addresses,
        shape,
        page_type: Arc::default(),
        drift_ms: 0,
        original: original.map(String::from),
        looks: None,
        acts: None,
        forms,
    }
}

/// The links of a tree that belong to the crawl, each URL once, and all elements that lead there.
fn follow(
    dom: &Dom,
    frames: &[FrameDocument],
    url: &Url,
    scope: &Scope,
) -> (Vec<LinkFound>, HashMap<String, String>) {
    let paths = Paths::new(dom);
    let mut seen = HashSet::new();
    let (mut found, mut addresses) = (Vec::new(), HashMap::new());
    for link in links(dom, url) {
        let Some(target) = resolved(dom, frames, &link).map(normalise) else {
            continue;
        };
        if scope.admits(&target).is_err() {
            continue;
        }
        let Some(xpath) = paths.of(link.node).map(|path| path.to_string()) else {
            continue;
        };
        let refusal = may_follow(dom, &link, &target).err();
        if refusal.is_none() {
            addresses.insert(xpath.clone(), target.to_string());
        }
        if !seen.insert(target.clone()) {
            continue;
        }
        found.push(LinkFound {
            refused_because: refusal.map(|refusal| refusal.to_string()),
            url: target.into(),
            xpath,
            text: short(&link.text),
            class: None,
            rank: 0,
        });
    }
    for (node, to) in refreshes(dom).chain(neighbours(dom)) {
        let target = url.join(&to).map(normalise);
        let (Ok(target), Some(xpath)) = (target, paths.of(node)) else { continue };
        if scope.admits(&target).is_ok() && seen.insert(target.clone()) {
            found.push(LinkFound {
                url: target.into(),
                xpath: xpath.to_string(),
                text: String::new(),
                refused_because: None,
                class: None,
                rank: 0,
            });
        }
    }
    (found, addresses)
}

/// The address that a page says is its own (`rel=canonical`, RFC 6596), if it was not loaded from it.
fn original(dom: &Dom, url: &Url) -> Option<Url> {
    let is_canonical = |node: &Node<'_>| {
        let relations = node.attribute("rel").unwrap_or_default();
        relations.split_ascii_whitespace().any(|rel| rel.eq_ignore_ascii_case("canonical"))
    };
    let link = dom.elements().filter(|node| node.name() == "link").find(is_canonical)?;
    let original = normalise(url.join(link.attribute("href")?.trim()).ok()?);
    (original != normalise(url.clone())).then_some(original)
}

/// The pages before and after it that a page names in its head: where a script loads what follows,
/// this is often the only link to it (`<link rel=next href="?start=20">`).
fn neighbours(dom: &Dom) -> impl Iterator<Item = (NodeId, String)> + '_ {
    let names_one = |node: &Node<'_>| {
        let relations = node.attribute("rel").unwrap_or_default();
        let is_one = |rel: &str| ["next", "prev"].iter().any(|it| rel.eq_ignore_ascii_case(it));
        relations.split_ascii_whitespace().any(is_one)
    };
    let links = dom.elements().filter(|node| node.name() == "link").filter(names_one);
    links.filter_map(|node| Some((node.id(), node.attribute("href")?.trim().to_owned())))
}

/// Where a page sends its visitors after a while: `<meta http-equiv=refresh content="5; url=/next">`.
fn refreshes(dom: &Dom) -> impl Iterator<Item = (NodeId, String)> + '_ {
    let metas = dom.elements().filter(|node| node.name() == "meta");
    metas.filter_map(|node| {
        let is_refresh = node.attribute("http-equiv")?.trim().eq_ignore_ascii_case("refresh");
        let (_, to) = node.attribute("content").filter(|_| is_refresh)?.split_once([';', ','])?;
        let (name, address) = to.split_once('=')?;
        let address = address.trim().trim_matches(['"', '\'']);
        name.trim().eq_ignore_ascii_case("url").then(|| (node.id(), address.to_owned()))
    })
}

/// Where a link leads. What stands in a frame is relative to the frame's own document.
fn resolved(dom: &Dom, frames: &[FrameDocument], link: &Link) -> Option<Url> {
    if frames.is_empty() {
        return link.url.clone();
    }
    let node = dom.get(link.node)?;
    let is_document = |above: &Node<'_>| frames.iter().any(|frame| frame.node == above.id());
    let Some(document) = node.ancestors().find(is_document) else { return link.url.clone() };
    let frame = frames.iter().find(|frame| frame.node == document.id())?;
    Url::parse(&frame.base).ok()?.join(link.href.trim()).ok()
}

/// The gate for links: some sites delete and log out by a plain link.
fn may_follow(dom: &Dom, link: &Link, target: &Url) -> Result<(), Refusal> {
    let attribute =
        |name| dom.get(link.node).and_then(|node| node.attribute(name)).unwrap_or_default();
    may_fire(&ElementDescription {
        tag: "a",
        text: &link.text,
        aria_label: attribute("aria-label"),
        title: attribute("title"),
        href: target.as_str(),
        ..ElementDescription::default()
    })
}

/// One line of text, cut to what an edge keeps.
pub(crate) fn short(text: &str) -> String {
    let mut line: String = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if let Some((at, _)) = line.char_indices().nth(LONGEST_TEXT) {
        line.truncate(at);
    }
    line
}

impl Seen {
    /// What the store keeps of it.
    pub(crate) fn capture(
        &self,
        http_status: Option<u16>,
        via: Via,
        body: Option<Vec<u8>>,
    ) -> Capture {
        Capture {
            state: state_id(&self.content),
            snapshot: Some(serialise(&self.dom).into_bytes()),
            body,
            title: self.title.clone(),
            http_status,
            via,
            drift_ms: self.drift_ms,
            page_type: Some(self.page_type.to_string()),
            content_type: None,
            looks: self.looks.as_ref().map(Looks::to_bytes),
            run: None,
            cut: None,
        }
    }
}

pub(crate) fn state_id(content: &Content) -> StateId {
    StateId(content.id().0)
}
