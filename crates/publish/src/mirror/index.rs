//! The pages that a mirror adds to those of the site: its index, what lies outside, and stand-ins.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use store::PageRow;
use url::Url;

use super::atlas::{Atlas, file};
use super::css::Refers;
use super::shelf::{FOLDER, Shelf};
use super::tally::Tally;
use crate::text::{clip, escape};

/// Documents on one page of the index.
const DOCUMENTS: usize = 2_000;

/// Characters of a text file that its page shows.
const MOST_TEXT: usize = 1 << 20;

/// The index, in as many pages as it needs, and the list of what lies outside.
pub(crate) fn pages(
    atlas: &Atlas,
    tally: &Tally,
    missing: &BTreeSet<String>,
) -> Vec<(String, String)> {
    let documents = documents(atlas);
    let parts: Vec<_> = documents.chunks(DOCUMENTS).collect();
    let mut pages = Vec::new();
    for (at, part) in parts.iter().enumerate() {
        let mut html = String::new();
        let report = &tally.report;
        let _ = writeln!(
            html,
            "<p>{} pages of {} documents, {} frames, {} assets. {} links, {} of which only scripts \
             made. {} links leave the mirror; they are marked with &#8599; and <a \
             href=\"outside.html\">listed</a>.</p>",
            report.pages,
            documents.len(),
            report.frames,
            report.assets,
            report.links,
            report.script_links,
            report.outside_links
        );
        if parts.len() > 1 {
            html.push_str("<p>");
            for other in 0..parts.len() {
                let _ = write!(html, "<a href=\"{}\">{}</a> ", part_name(other), other + 1);
            }
            html.push_str("</p>\n");
        }
        let mut heading = None;
        for document in *part {
            if heading != Some(&document.kind) {
                if heading.is_some() {
                    html.push_str("</ul></details>\n");
                }
                let _ = writeln!(
                    html,
                    "<details open><summary>{}</summary><ul>",
                    escape(&document.kind)
                );
                heading = Some(&document.kind);
            }
            document.write(&mut html);
        }
        if heading.is_some() {
            html.push_str("</ul></details>\n");
        }
        pages.push((part_name(at), shell("Mirror", &html)));
    }
    pages.push(("outside.html".into(), shell("Outside the mirror", &outside(tally, missing))));
    pages
}

fn part_name(at: usize) -> String {
    match at {
        0 => "index.html".into(),
        at => format!("index-{}.html", at + 1),
    }
}

/// An address with the states that were captured under it.
struct Document<'a> {
    kind: String,
    url: &'a str,
    states: Vec<&'a PageRow>,
}

impl Document<'_> {
    fn write(&self, html: &mut String) {
        let mut depth = 0;
        for (at, row) in self.states.iter().enumerate() {
            // A way of three events stands three steps in, but never deeper than what is above it.
            let level = row.path.len().min(depth + usize::from(at > 0)).min(12);
            while depth > level {
                html.push_str("</ul>");
                depth -= 1;
            }
            while depth < level {
                html.push_str("<ul>");
                depth += 1;
            }
            let title = clip(if row.title.is_empty() { &row.url } else { &row.title }, 120);
            let name = match row.path.last() {
                Some(step) => {
                    let said = if step.text.is_empty() { &step.instruction } else { &step.text };
                    format!("{} {}", clip(&step.event, 40), clip(said, 80))
                }
                None => title,
            };
            let _ = write!(html, "<li><a href=\"{}\">{}</a>", file(row.page), escape(&name));
            if at == 0 {
                let _ = write!(html, " <small>{}</small>", escape(&clip(self.url, 160)));
            }
            if let Some(status) = row.status.filter(|status| *status >= 400) {
                let _ = write!(html, " <small>status {status}</small>");
            }
            html.push_str("</li>\n");
        }
        (0..depth).for_each(|_| html.push_str("</ul>"));
    }
}

/// Documents by page type and address, their states by the length of their way.
fn documents(atlas: &Atlas) -> Vec<Document<'_>> {
    let mut by_url: BTreeMap<&str, Vec<&PageRow>> = BTreeMap::new();
    for row in atlas.pages.values() {
        by_url.entry(&row.url).or_default().push(row);
    }
    let mut documents: Vec<_> = by_url
        .into_iter()
        .map(|(url, mut states)| {
            states.sort_by(|a, b| ways(a).cmp(&ways(b)).then(a.page.cmp(&b.page)));
            let kind = states.first().and_then(|row| row.page_type.clone());
            Document { kind: kind.unwrap_or_else(|| "Pages".into()), url, states }
        })
        .collect();
    documents.sort_by(|a, b| (&a.kind, a.url).cmp(&(&b.kind, b.url)));
    documents
}

/// The way to a state: states that follow from another come behind it.
fn ways(row: &PageRow) -> Vec<(&str, &str)> {
    row.path.iter().map(|step| (step.xpath.as_str(), step.event.as_str())).collect()
}

fn outside(tally: &Tally, missing: &BTreeSet<String>) -> String {
    let mut html = String::from("<p><a href=\"index.html\">Index</a></p>");
    let mut list = |heading: &str, known: bool| {
        let entries: Vec<_> =
            tally.outside.iter().filter(|(_, (_, is_known))| *is_known == known).collect();
        let _ = writeln!(html, "<h2>{heading} ({})</h2><ul>", entries.len());
        for (url, (from, _)) in entries {
            let _ = writeln!(
                html,
                "<li><a class=\"bathys-outside\" rel=\"external nofollow noopener noreferrer\" \
                 href=\"{0}\">{0}</a> <small>from <a href=\"{1}\">{2}</a></small></li>",
                escape(url),
                file(*from),
                from
            );
        }
        html.push_str("</ul>\n");
    };
    list("Pages of the site that were not captured", true);
    list("Links that leave the site", false);
    let _ = writeln!(html, "<h2>Assets that the store has not kept ({})</h2><ul>", missing.len());
    for url in missing {
        let _ = writeln!(html, "<li>{}</li>", escape(url));
    }
    html.push_str("</ul>\n");
    html
}

/// The page of something without a tree: a picture, a text, a file.
pub(crate) fn file_page(row: &PageRow, body: &[u8], shelf: &mut Shelf) -> (String, String) {
    let url = Url::parse(&row.url).ok();
    let kind = url.as_ref().and_then(|url| shelf.answer(url)).map(|answer| answer.media_type());
    let kind = kind.unwrap_or_default();
    let name = url.as_ref().and_then(|url| shelf.take(url, Refers::File));
    let address = name.map(|name| format!("{FOLDER}/{name}"));
    let shown = match &address {
        Some(file) if kind.starts_with("image/") => format!("<img src=\"{file}\" alt=\"\">"),
        _ if kind.starts_with("text/") || kind.contains("json") || kind.contains("xml") => {
            let text = String::from_utf8_lossy(body);
            let text: String = text.chars().take(MOST_TEXT).collect();
            format!("<pre>\n{}</pre>", escape(&text))
        }
        Some(file) => format!("<p><a href=\"{file}\">{}</a></p>", escape(&kind)),
        None => format!("<p>A file of type {} that is not copied.</p>", escape(&kind)),
    };
    (file(row.page), shell(&row.url, &shown))
}

/// The stand-in for a page that cannot be restored, so that no link to it is dead.
pub(crate) fn lost_page(row: &PageRow) -> (String, String) {
    let said = "<p>This page was captured, but the store could not give it back. \
                <a href=\"index.html\">Index</a></p>";
    (file(row.page), shell(&row.url, said))
}

fn shell(title: &str, body: &str) -> String {
    format!(
        "<!DOCTYPE html>\n<html><head><meta charset=\"utf-8\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; script-src 'none'; \
         img-src 'self' file: data:; style-src 'self' file: 'unsafe-inline'; form-action 'none'; base-uri 'none'\">\n\
         <meta name=\"viewport\" content=\"width=device-width\">\n<title>{title}</title>\n\
         <link rel=\"stylesheet\" href=\"bathys.css\">\n\
         <style>:root{{color-scheme:light dark}}body{{font:15px/1.5 system-ui,sans-serif;max-width:70em;margin:2em auto;padding:0 1em}}\
         summary{{font-weight:600;font-size:1.1em;margin:.6em 0}}small{{opacity:.65}}li{{overflow-wrap:anywhere}}img{{max-width:100%}}\
         pre{{white-space:pre-wrap;overflow-wrap:anywhere}}</style></head>\n\
         <body><h1>{title}</h1>\n{body}</body></html>\n",
        title = escape(&clip(title, 200)),
    )
}
