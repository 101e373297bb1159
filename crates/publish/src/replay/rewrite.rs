//! Kept pages and sheets, with every address leading into the archive, and nothing in them that acts.

use std::borrow::Cow;

use page::tree::{Dom, DomBuilder, Kind, Node, Step, base_url, serialise};
use url::Url;

use crate::mirror::address::{candidates, is_inline, trimmed};
use crate::mirror::css::{self, Refers};
use crate::warc::state::{acts, is_script_address};

/// Frames within frames whose documents are written out.
const DEEPEST: usize = 8;

/// Where addresses of an archived page lead.
#[derive(Clone, Copy, Debug)]
pub struct Links<'a> {
    /// What addresses within the archive begin with: `/web/`.
    pub prefix: &'a str,
    /// The time of the page, as fourteen digits.
    pub time: &'a str,
}

impl Links<'_> {
    /// The address of something in the archive; `form` says as what it is asked for.
    pub fn to(&self, url: &Url, form: &str) -> String {
        let fragment = url.fragment().map(|part| format!("#{part}")).unwrap_or_default();
        let mut plain = url.clone();
        plain.set_fragment(None);
        format!("{}{}{form}/{plain}{fragment}", self.prefix, self.time)
    }

    fn leads(&self, address: &str, base: &Url, form: &str) -> Option<String> {
        let url = base.join(trimmed(address)?).ok()?;
        match url.scheme() {
            "http" | "https" => Some(self.to(&url, form)),
            "mailto" | "tel" => Some(url.into()),
            _ => None,
        }
    }
}

/// A page as it was, as HTML in UTF-8.
pub fn rewrite_page(dom: &Dom, url: &Url, links: Links<'_>) -> String {
    let base = base_url(dom, url);
    document(dom.root(), &base, links, 0)
}

/// A style sheet as it was.
pub fn rewrite_sheet(sheet: &str, url: &Url, links: Links<'_>) -> String {
    css::rewrite(sheet, url, &mut |url, refers| Some(links.to(url, form_of(refers))))
}

fn form_of(refers: Refers) -> &'static str {
    match refers {
        Refers::Sheet => "cs_",
        Refers::File => "im_",
    }
}

fn document(root: Node<'_>, base: &Url, links: Links<'_>, depth: usize) -> String {
    let mut out = DomBuilder::new();
    let mut walk = root.walk();
    while let Some(step) = walk.next() {
        match step {
            Step::Open(node) if node.is_element() && is_dropped(node) => walk.skip_inside(),
            Step::Open(node) if node.id() == root.id() => {}
            Step::Open(node) => match node.kind() {
                Kind::Document => _ = out.open_document(),
                Kind::Doctype => out.doctype(node.text()),
                Kind::Element => {
                    let frame = node.frame_document().filter(|_| depth < DEEPEST);
                    let attributes = attributes(node, base, links, frame.is_some());
                    let mut attributes: Vec<(&str, Cow<'_, str>)> = attributes;
                    if let Some(frame) = frame {
                        let within = node.attribute("src").and_then(|src| base.join(src).ok());
                        let within = within.filter(|url| url.has_host());
                        let within = within.as_ref().unwrap_or(base);
                        let written = document(frame, within, links, depth + 1);
                        attributes.push(("srcdoc", Cow::Owned(written)));
                    }
                    out.open(
                        node.name(),
                        attributes
                            .iter()
                            .map(|(name, value)| (*name, &**value))
                            .collect::<Vec<_>>(),
                    );
                    if frame.is_some() {
                        // Its document is in the attribute.
                        out.close();
                        walk.skip_inside();
                    }
                }
                Kind::Text => match node.parent() {
                    Some(parent) if parent.name().eq_ignore_ascii_case("style") => {
                        out.text(&rewrite_sheet(node.text(), base, links));
                    }
                    _ => out.text(node.text()),
                },
                Kind::Comment => out.comment(node.text()),
                Kind::ShadowRoot => _ = out.open_shadow_root(),
            },
            Step::Close(node) if node.id() == root.id() => {}
            Step::Close(node) => match node.kind() {
                Kind::Document | Kind::Element | Kind::ShadowRoot => out.close(),
                Kind::Doctype | Kind::Text | Kind::Comment => {}
            },
        }
    }
    let snapshot = serialise(&out.finish());
    // What stands before a doctype would make a browser take the page for an older one in some modes.
    snapshot.strip_prefix("<!--bathys:snapshot 1-->").map(str::to_owned).unwrap_or(snapshot)
}

/// Scripts, what would say where addresses begin or who may show the page, and what runs code of others.
fn is_dropped(node: Node<'_>) -> bool {
    let is = |names: &[&str]| names.iter().any(|name| node.name().eq_ignore_ascii_case(name));
    acts(node)
        || is(&["base", "object", "embed", "applet", "portal"])
        || is(&["meta"]) && node.attribute("http-equiv").is_some()
}

fn attributes<'a>(
    node: Node<'a>,
    base: &Url,
    links: Links<'_>,
    has_frame: bool,
) -> Vec<(&'a str, Cow<'a, str>)> {
    let name = node.name().to_ascii_lowercase();
    let is_page = matches!(name.as_str(), "iframe" | "frame");
    let mut kept = Vec::new();
    for (attribute, value) in node.attributes() {
        let lower = attribute.to_ascii_lowercase();
        if lower.starts_with("on") || is_script_address(value) {
            continue;
        }
        let value = match lower.as_str() {
            "srcdoc" | "ping" | "integrity" | "nonce" | "crossorigin" | "http-equiv"
            | "sandbox" | "allow" | "attributionsrc" | "manifest" => continue,
            "href" | "xlink:href" if name == "link" => {
                let rel = node.attribute("rel").unwrap_or_default().to_ascii_lowercase();
                let form = if rel.contains("stylesheet") { "cs_" } else { "im_" };
                // Connections ahead of time lead elsewhere.
                if rel.contains("preconnect") || rel.contains("prefetch") || rel.contains("preload")
                {
                    continue;
                }
                links.leads(value, base, form)
            }
            "href" | "xlink:href" if node.is_foreign() && name != "a" => {
                match value.starts_with('#') {
                    true => Some(value.to_owned()),
                    false => inline_or(value, || links.leads(value, base, "im_")),
                }
            }
            "href" | "xlink:href" => match value.trim().starts_with('#') {
                true => Some(value.to_owned()),
                false => links.leads(value, base, ""),
            },
            "src" if is_page => match has_frame {
                true => continue,
                false => links.leads(value, base, "if_"),
            },
            "src" | "poster" | "background" | "data" | "lowsrc" => {
                inline_or(value, || links.leads(value, base, "im_"))
            }
            "srcset" | "imagesrcset" => Some(source_set(value, base, links)),
            "action" | "formaction" => links.leads(value, base, ""),
            "style" => Some(rewrite_sheet(value, base, links)),
            _ if node.is_foreign() && value.contains("url(") => {
                Some(rewrite_sheet(value, base, links))
            }
            _ => {
                kept.push((attribute, Cow::Borrowed(value)));
                continue;
            }
        };
        if let Some(value) = value {
            kept.push((attribute, Cow::Owned(value)));
        }
    }
    kept
}

fn inline_or(value: &str, leads: impl FnOnce() -> Option<String>) -> Option<String> {
    match is_inline(value.trim()) {
        true => Some(value.to_owned()),
        false => leads(),
    }
}

fn source_set(value: &str, base: &Url, links: Links<'_>) -> String {
    let mut kept = Vec::new();
    for (address, descriptor) in candidates(value) {
        let address = inline_or(address, || links.leads(address, base, "im_"));
        kept.extend(address.map(|address| format!("{address} {descriptor}").trim_end().to_owned()));
    }
    kept.join(", ")
}

#[cfg(test)]
mod tests {
    use page::tree::parse_str;

    use super::*;

    const LINKS: Links<'_> = Links { prefix: "/web/", time: "20260131000000" };

    fn rewritten(html: &str) -> String {
        let url = Url::parse("https://a.example/dir/page?x=1").unwrap();
        rewrite_page(&parse_str(html).dom, &url, LINKS)
    }

    #[test]
    fn addresses_lead_into_the_archive_and_keep_their_fragments() {
        let html = rewritten(
            "<link rel=stylesheet href=/s.css><a href='../b?c#d'>b</a><a href='#e'>e</a>\
             <img src=i.png srcset='j.png 2x, //b.example/k.png 3x' style='background:url(l.png)'>\
             <style>p{background:url(\"m.png\")}@import \"n.css\";</style><iframe src=/f></iframe>",
        );
        for part in [
            "href=\"/web/20260131000000cs_/https://a.example/s.css\"",
            "href=\"/web/20260131000000/https://a.example/b?c#d\"",
            "href=\"#e\"",
            "src=\"/web/20260131000000im_/https://a.example/dir/i.png\"",
            "/web/20260131000000im_/https://a.example/dir/j.png 2x, /web/20260131000000im_/https://b.example/k.png 3x",
            "/web/20260131000000im_/https://a.example/dir/l.png",
            "/web/20260131000000im_/https://a.example/dir/m.png",
            "/web/20260131000000cs_/https://a.example/dir/n.css",
            "src=\"/web/20260131000000if_/https://a.example/f\"",
        ] {
            assert!(html.contains(part), "{part} in {html}");
        }
    }

    #[test]
    fn nothing_acts_and_nothing_says_where_addresses_begin() {
        let html = rewritten(
            "<base href='https://evil.example/'><meta http-equiv=refresh content='0;url=//evil.example'>\
             <meta http-equiv=Content-Security-Policy content=x><script>a()</script><body onload=a()>\
             <a href='java\nscript:a()' ping=//evil.example>x</a><object data=//evil.example></object>\
             <iframe srcdoc='<script>a()</script>'></iframe><link rel=preconnect href=//evil.example>\
             <form action='//evil.example/'><button formaction='//evil.example'>b</button></form>",
        );
        for gone in
            ["<script", "onload", "refresh", "<base", "<object", "srcdoc", "ping", "script:"]
        {
            assert!(!html.contains(gone), "{gone} in {html}");
        }
        assert!(
            !html.replace("/web/20260131000000/https://evil.example", "").contains("evil"),
            "{html}"
        );
    }
}
