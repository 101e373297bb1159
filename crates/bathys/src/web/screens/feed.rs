//! What changed, as an Atom feed (RFC 4287): of the store, a site or a page.

use std::fmt::Write;
use std::sync::Arc;

use axum::extract::{Path, Query, State};
use axum::http::{HeaderMap, header};
use axum::response::{IntoResponse, Response};
use store::NewVersion;

use super::changes::ChangesQuery;
use super::find;
use super::news::{News, newest, news_of};
use crate::web::App;
use crate::web::failure::Failure;
use crate::web::tell::clip;

/// Entries of a feed.
const ENTRIES: usize = 40;

/// The changes of the store or of a site.
pub async fn changes(
    State(app): State<Arc<App>>,
    Query(query): Query<ChangesQuery>,
    headers: HeaderMap,
) -> Result<Response, Failure> {
    let sites = app.catalog.sites().await?;
    let sites: Vec<String> = sites.into_iter().map(|site| site.site).collect();
    let is_told = |version: &NewVersion| query.asks_for(version);
    let found = newest(&app, &query.of(&sites)?, None, ENTRIES, is_told).await?;
    let title = match query.site.as_str() {
        "" => "Bathys: changes".to_owned(),
        site => format!("Bathys: changes of {site}"),
    };
    let news = news_of(&app, found.versions).await?;
    Ok(feed(&app, &headers, &title, "/changes", &news))
}

/// The changes of a page.
pub async fn of_page(
    State(app): State<Arc<App>>,
    Path(number): Path<String>,
    headers: HeaderMap,
) -> Result<Response, Failure> {
    let page = find(&app, &number).await?;
    let versions = app.catalog.versions(page.page).await?;
    let told = versions.iter().rev().filter(|version| version.counts).take(ENTRIES);
    let told = told.map(|version| NewVersion {
        site: page.site.clone(),
        seq: version.version,
        time: version.time,
        page: page.page,
        key: page.key.clone(),
        title: page.title.clone(),
        page_type: page.page_type.clone(),
        version: version.version,
        captured: version.time,
        counts: true,
    });
    let title = clip(if page.title.is_empty() { &page.key } else { &page.title }, 200);
    let news = news_of(&app, told.collect()).await?;
    Ok(feed(&app, &headers, &format!("Bathys: {title}"), &format!("/page/{}", page.page), &news))
}

fn feed(app: &App, headers: &HeaderMap, title: &str, path: &str, news: &[News]) -> Response {
    let base = app.own_origin(headers);
    let updated =
        news.first().map_or("1970-01-01T00:00:00Z".into(), |first| first.when.0.to_string());
    let mut out = format!(
        "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n<feed xmlns=\"http://www.w3.org/2005/Atom\">\n\
         <title>{}</title>\n<id>{base}{path}</id>\n<updated>{updated}</updated>\n\
         <link rel=\"alternate\" type=\"text/html\" href=\"{base}{path}\"/>\n\
         <author><name>Bathys</name></author>\n",
        xml(title)
    );
    for item in news {
        let view = if item.version > 1 { "&amp;view=changes" } else { "" };
        let link = format!("{base}/page/{}?v={}{view}", item.page, item.version);
        let what = if item.version > 1 { item.topics.join(" | ") } else { "new page".to_owned() };
        // Writing to a string does not fail.
        let _ = writeln!(
            out,
            "<entry><title>{}</title><id>{base}/page/{}?v={}</id><updated>{}</updated>\
             <link rel=\"alternate\" type=\"text/html\" href=\"{link}\"/><summary>{}</summary></entry>",
            xml(&item.title),
            item.page,
            item.version,
            item.when.0,
            xml(&format!("{what} ({})", item.key))
        );
    }
    out.push_str("</feed>\n");
    ([(header::CONTENT_TYPE, "application/atom+xml; charset=utf-8")], out).into_response()
}

/// Text as XML may hold it: the specials escaped, what XML forbids dropped.
fn xml(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\u{0}'..='\u{8}'
            | '\u{b}'
            | '\u{c}'
            | '\u{e}'..='\u{1f}'
            | '\u{fffe}'
            | '\u{ffff}' => {}
            other => out.push(other),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_title_is_markup_or_what_xml_forbids() {
        assert_eq!(xml("<a b=\"c\">&\u{1}\u{b}d"), "&lt;a b=&quot;c&quot;&gt;&amp;d");
    }
}
