//! Metadata: what a page says about itself, and what a user's own rules find on it.

mod linked;
mod rule;

pub use rule::{Rule, RuleError, Rules, Source, Subject};

use crate::tree::names::known;
use crate::tree::{Dom, Kind, Node, title, visible_text};
use crate::words::language;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use url::Url;

/// Characters of a value that are kept.
const LONGEST: usize = 2000;

/// Keywords, and properties of Open Graph, that are kept.
const MOST: usize = 64;

/// What a page says about itself. As given, not checked: a date is a text, an author a name.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Metadata {
    /// The title of the document; else what it gives to others as such.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// What the page says it is about.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// Who wrote it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub author: Option<String>,
    /// The language as a BCP 47 tag: as given by the page or its headers, else told from its text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub language: Option<String>,
    /// The encoding that the page or its headers name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub charset: Option<String>,
    /// What it wants to be found by.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub keywords: Vec<String>,
    /// When it was published.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub published: Option<String>,
    /// When it was changed last.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub modified: Option<String>,
    /// The address that it wants to be known by.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub canonical: Option<String>,
    /// The program that made it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub generator: Option<String>,
    /// Open Graph and its relatives: `og:type`, `article:section`, `twitter:card`.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub open_graph: BTreeMap<String, String>,
    /// The schema.org types that it says it is, from JSON-LD and microdata.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub types: Vec<String>,
}

impl Metadata {
    /// Reads what a page says about itself. `url` is its address, `headers` those of its response.
    ///
    /// ```
    /// use page::meta::Metadata;
    ///
    /// let html = "<html lang=en><title>Tides</title><meta name=author content='A. Writer'>";
    /// let dom = page::tree::parse_str(html).dom;
    /// let url = url::Url::parse("http://harbour.example/tides").unwrap();
    /// let meta = Metadata::of(&dom, &url, [("Content-Type", "text/html; charset=utf-8")]);
    /// assert_eq!(meta.title.as_deref(), Some("Tides"));
    /// assert_eq!(meta.author.as_deref(), Some("A. Writer"));
    /// assert_eq!(meta.charset.as_deref(), Some("utf-8"));
    /// ```
    pub fn of<'h>(
        dom: &Dom,
        url: &Url,
        headers: impl IntoIterator<Item = (&'h str, &'h str)>,
    ) -> Self {
        let mut given = Given::default();
        dom.elements().for_each(|node| given.read(node, url));
        for (name, value) in headers {
            match name.to_ascii_lowercase().as_str() {
                "content-type" => given.header_charset = charset(value),
                "content-language" => given.header_language = clean(value),
                _ => {}
            }
        }
        given.finish(dom)
    }
}

/// What was met, before it is decided which of several says it best.
#[derive(Default)]
struct Given {
    /// By `name` or `property` in lower case, the first of each.
    named: BTreeMap<String, String>,
    equivalent: BTreeMap<String, String>,
    html_language: Option<String>,
    meta_charset: Option<String>,
    canonical: Option<String>,
    /// The first element that is marked as the author, and the first times.
    author: Option<String>,
    published: Option<String>,
    modified: Option<String>,
    linked: linked::Linked,
    types: Vec<String>,
    header_charset: Option<String>,
    header_language: Option<String>,
}

impl Given {
    fn read(&mut self, node: Node<'_>, url: &Url) {
        match node.name_id() {
            Some(known::HTML) if self.html_language.is_none() => {
                self.html_language = node.attribute("lang").and_then(clean);
            }
            Some(known::META) => self.meta(node),
            Some(known::LINK) if self.canonical.is_none() && has_rel(node, "canonical") => {
                let href = node.attribute_by(known::HREF).unwrap_or_default();
                self.canonical = url.join(href.trim()).ok().and_then(|url| clean(url.as_str()));
            }
            Some(known::SCRIPT)
                if node.attribute_by(known::TYPE) == Some("application/ld+json") =>
            {
                let texts = node.children().filter(|child| child.kind() == Kind::Text);
                texts.for_each(|text| self.linked.read(text.text()));
            }
            Some(known::A) if self.author.is_none() && has_rel(node, "author") => {
                self.author = clean(&crate::tree::visible_text_of(node));
            }
            _ => self.microdata(node),
        }
    }

    fn meta(&mut self, node: Node<'_>) {
        if self.meta_charset.is_none() {
            self.meta_charset = node.attribute("charset").and_then(clean);
        }
        let Some(content) = node.attribute_by(known::CONTENT).and_then(clean) else {
            return;
        };
        let names = ["name", "property", "itemprop"].map(|name| node.attribute(name));
        for name in names.into_iter().flatten() {
            self.named.entry(name.trim().to_ascii_lowercase()).or_insert_with(|| content.clone());
        }
        if let Some(name) = node.attribute("http-equiv") {
            self.equivalent.entry(name.to_ascii_lowercase()).or_insert(content);
        }
    }

    fn microdata(&mut self, node: Node<'_>) {
        let kind = node.attribute("itemtype").and_then(|kind| kind.trim().rsplit('/').next());
        if let Some(kind) = kind.and_then(clean) {
            self.add_type(kind);
        }
        let value = |node: Node<'_>| {
            let said = node.attribute_by(known::CONTENT).or_else(|| node.attribute("datetime"));
            said.and_then(clean).or_else(|| clean(&crate::tree::visible_text_of(node)))
        };
        let slot = match node.attribute("itemprop") {
            Some("author") => &mut self.author,
            Some("datePublished") => &mut self.published,
            Some("dateModified") => &mut self.modified,
            _ => return,
        };
        if slot.is_none() {
            *slot = value(node);
        }
    }

    fn add_type(&mut self, kind: String) {
        if self.types.len() < MOST && !self.types.contains(&kind) {
            self.types.push(kind);
        }
    }

    fn finish(mut self, dom: &Dom) -> Metadata {
        for kind in std::mem::take(&mut self.linked.types) {
            self.add_type(kind);
        }
        let named = |names: &[&str]| names.iter().find_map(|name| self.named.get(*name).cloned());
        let told = || language(&visible_text(dom)).map(|language| language.code().to_owned());
        let first_tag = |tags: &String| tags.split(',').next().and_then(clean);
        let keywords = named(&["keywords", "news_keywords", "article:tag"]).unwrap_or_default();
        let is_graph = |name: &str| {
            ["og:", "article:", "book:", "profile:", "video:", "music:", "product:", "twitter:"]
                .iter()
                .any(|prefix| name.starts_with(prefix))
        };
        let equivalent_type = self.equivalent.get("content-type");
        Metadata {
            title: clean(&title(dom)).or_else(|| named(&["og:title", "twitter:title"])),
            description: named(&["description", "og:description", "twitter:description"])
                .or(self.linked.description),
            author: named(&["author", "article:author", "dc.creator", "parsely-author"])
                .or(self.linked.author)
                .or(self.author),
            language: self
                .html_language
                .or_else(|| self.equivalent.get("content-language").and_then(first_tag))
                .or_else(|| self.header_language.as_ref().and_then(first_tag))
                .or_else(|| named(&["og:locale"]).map(|locale| locale.replace('_', "-")))
                .or_else(told),
            charset: self
                .header_charset
                .or(self.meta_charset)
                .or_else(|| equivalent_type.and_then(|content| charset(content)))
                .map(|name| name.to_ascii_lowercase()),
            keywords: keywords.split([',', ';', '，', '、']).filter_map(clean).take(MOST).collect(),
            published: named(&[
                "article:published_time",
                "datepublished",
                "date",
                "pubdate",
                "dc.date",
            ])
            .or(self.linked.published)
            .or(self.published),
            modified: named(&[
                "article:modified_time",
                "datemodified",
                "last-modified",
                "og:updated_time",
            ])
            .or(self.linked.modified)
            .or(self.modified),
            generator: named(&["generator"]),
            canonical: self.canonical,
            types: self.types,
            open_graph: self
                .named
                .into_iter()
                .filter(|(name, _)| is_graph(name) && name.len() <= MOST)
                .take(MOST)
                .collect(),
        }
    }
}

fn has_rel(node: Node<'_>, wanted: &str) -> bool {
    let rel = node.attribute_by(known::REL).unwrap_or_default();
    rel.split_ascii_whitespace().any(|word| word.eq_ignore_ascii_case(wanted))
}

/// The `charset` of a content type.
fn charset(content_type: &str) -> Option<String> {
    let parts = content_type.split(';').filter_map(|part| part.split_once('='));
    let mut found = parts.filter(|(name, _)| name.trim().eq_ignore_ascii_case("charset"));
    clean(found.next()?.1.trim().trim_matches('"'))
}

/// A value with its white space folded, within the limit; none if nothing is left.
fn clean(value: &str) -> Option<String> {
    let value = &value[..value.floor_char_boundary(LONGEST * 4)];
    let folded = value.split_whitespace().collect::<Vec<_>>().join(" ");
    let kept: String = folded.chars().take(LONGEST).collect();
    (!kept.is_empty()).then_some(kept)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree::parse_str;

    fn of(html: &str) -> Metadata {
        let url = Url::parse("http://site.example/a/b").unwrap();
        Metadata::of(&parse_str(html).dom, &url, [])
    }

    #[test]
    fn what_a_page_says_about_itself_is_read() {
        let meta = of("<html lang=de-AT><meta charset=UTF-8><title> A  b </title>\
            <meta name=Description content='What it is'><meta name=keywords content='x, y，z'>\
            <meta property=og:type content=article><link rel='x Canonical' href=/c>\
            <meta property=article:published_time content=2024-01-02><meta name=generator content=G>");
        assert_eq!(meta.title.as_deref(), Some("A b"));
        assert_eq!(meta.description.as_deref(), Some("What it is"));
        assert_eq!(meta.language.as_deref(), Some("de-AT"));
        assert_eq!(meta.charset.as_deref(), Some("utf-8"));
        assert_eq!(meta.keywords, ["x", "y", "z"]);
        assert_eq!(meta.open_graph.get("og:type").map(String::as_str), Some("article"));
        assert_eq!(meta.canonical.as_deref(), Some("http://site.example/c"));
        assert_eq!(meta.published.as_deref(), Some("2024-01-02"));
        assert_eq!(meta.generator.as_deref(), Some("G"));
    }

    #[test]
    fn the_language_is_told_from_the_text_if_nothing_else_says_it() {
        let text = "<p>网页布局是网页的一个重要的内部结构，我们可以分辨内容相关的信息。";
        assert_eq!(of(text).language.as_deref(), Some("zh"));
        let url = Url::parse("http://site.example/").unwrap();
        let given = Metadata::of(&parse_str(text).dom, &url, [("content-language", "zh-TW, en")]);
        assert_eq!(given.language.as_deref(), Some("zh-TW"));
    }

    #[test]
    fn the_charset_of_the_headers_goes_before_that_of_the_page() {
        let dom = parse_str("<meta charset=gbk>").dom;
        let url = Url::parse("http://site.example/").unwrap();
        let meta = Metadata::of(&dom, &url, [("Content-Type", "text/html; Charset=\"Big5\"")]);
        assert_eq!(meta.charset.as_deref(), Some("big5"));
    }

    #[test]
    fn linked_data_and_microdata_fill_what_is_missing() {
        let meta = of(
            r#"<script type="application/ld+json">{"@context":"https://schema.org","@graph":[
            {"@type":"WebSite","name":"S"},
            {"@type":["NewsArticle"],"author":[{"@type":"Person","name":"A. Writer"}],
             "datePublished":"2024-05-06","dateModified":"2024-05-07"}]}</script>
            <div itemscope itemtype="http://schema.org/Product"><time itemprop=datePublished datetime=1999></time></div>"#,
        );
        assert_eq!(meta.author.as_deref(), Some("A. Writer"));
        assert_eq!(meta.published.as_deref(), Some("2024-05-06"));
        assert_eq!(meta.modified.as_deref(), Some("2024-05-07"));
        assert_eq!(meta.types, ["Product", "WebSite", "NewsArticle"]);
    }

    #[test]
    fn values_without_end_are_cut() {
        let meta = of(&format!(
            "<title>{}</title><meta name=keywords content='{}'>",
            "x ".repeat(9000),
            "k,".repeat(9000)
        ));
        assert_eq!(meta.title.unwrap().chars().count(), LONGEST);
        assert!(meta.keywords.len() <= MOST);
    }
}
