//! Entries of feeds (RSS, Atom), as they come out of a parser of HTML: `link` has no content there, and what
//! is quoted as data begins with a comment.

use std::collections::BTreeMap;

use url::Url;

use super::super::Kind as RecordKind;
use super::super::date::{self, Order};
use super::meaning::plain;
use super::{Taught, Teacher};
use page::tree::{Dom, Kind, Node, visible_text_of};

/// The most entries of a feed.
const ENTRIES: usize = 1_000;

/// The entries of a page that is a feed; nothing of any other page.
pub(super) fn entries(dom: &Dom, base: &Url) -> Vec<Taught> {
    let is_feed = |node: Node<'_>| matches!(node.name(), "rss" | "feed" | "rdf:rdf");
    if !dom.elements().take(8).any(is_feed) {
        return Vec::new();
    }
    dom.elements()
        .filter(|node| matches!(node.name(), "item" | "entry"))
        .take(ENTRIES)
        .map(|node| entry(node, base))
        .filter(|entry| entry.title.is_some() || entry.content.is_some())
        .collect()
}

fn entry(node: Node<'_>, base: &Url) -> Taught {
    let text = |names: &[&str]| {
        names.iter().find_map(|name| {
            let part = node.children().find(|child| child.name() == *name)?;
            Some(text_of(part)).filter(|text| !text.is_empty())
        })
    };
    let html = |names: &[&str]| text(names).map(|text| plain(&text, false));
    let order = Order::default();
    let time = text(&["pubdate", "published", "dc:date", "updated", "date"]);
    let url = address(node).or_else(|| text(&["guid", "id"]).filter(|id| id.starts_with("http")));
    let replies = text(&["slash:comments", "thr:total"]);
    Taught {
        kind: RecordKind::Item,
        teacher: Teacher::Feed,
        name: node.name().to_owned(),
        element: Some(node.id()),
        title: html(&["title"]),
        author: text(&["dc:creator", "author"]).map(|author| name(&author)),
        time: time.and_then(|time| date::read(&time, &order, None)),
        content: html(&["content:encoded", "content", "description", "summary"]),
        url: url.and_then(|url| base.join(&url).ok()),
        replies: replies.and_then(|count| count.parse().ok()),
        parent: None,
        places: BTreeMap::new(),
        others: BTreeMap::new(),
    }
}

/// The address of an entry: an attribute, or the text after an element that HTML knows as empty.
fn address(node: Node<'_>) -> Option<String> {
    let links = || node.children().filter(|child| child.name() == "link");
    let own = links().find(|link| link.attribute("rel").is_none_or(|rel| rel == "alternate"));
    if let Some(href) = own.and_then(|link| link.attribute("href")) {
        return Some(href.trim().to_owned());
    }
    let after =
        links().find_map(|link| link.next_sibling().filter(|next| next.kind() == Kind::Text))?;
    Some(after.text().trim().to_owned()).filter(|address| !address.is_empty())
}

/// What an element of a feed says.
fn text_of(node: Node<'_>) -> String {
    let mut out = String::new();
    for comment in node.children().filter(|child| child.kind() == Kind::Comment).take(1) {
        if let Some(data) = comment.text().strip_prefix("[CDATA[") {
            // The comment ended at the first ">", which is that of a tag if the data is HTML.
            let data = data
                .strip_suffix("]]")
                .unwrap_or_else(|| data.split('<').next().unwrap_or_default());
            out.push_str(data);
        }
    }
    out.push_str(visible_text_of(node).trim().trim_end_matches("]]>"));
    if node.name() == "title" && out.is_empty() {
        let raw: String = node.children().map(Node::text).collect();
        let data = raw.trim().strip_prefix("<![CDATA[").and_then(|data| data.strip_suffix("]]>"));
        out.push_str(data.unwrap_or(raw.trim()));
    }
    out.trim().to_owned()
}

/// A name, without the address that RSS has before it: "ann@example.org (Ann)".
fn name(author: &str) -> String {
    let line = author.lines().next().unwrap_or_default().trim();
    match line.split_once(" (").map(|(_, name)| name.trim_end_matches(')')) {
        Some(name) if line.contains('@') => name.to_owned(),
        _ => line.to_owned(),
    }
}
