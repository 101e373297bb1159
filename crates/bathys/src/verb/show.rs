//! `bathys show`: a page as it was captured.

use std::io::Write;
use std::sync::Arc;

use anyhow::{Context, bail};
use base64::prelude::{BASE64_STANDARD, Engine};
use crawl::picture::{Kept, Stored, Studio};
use serde::Serialize;
use store::{Access, Catalog, ExchangeRow, Millis, PageRow, VersionRow, Which};

use crate::blocks::Blocks;
use crate::cli::{ShowAs, ShowFlags};
use crate::output::{Usage, bytes, json_line, stdout};
use crate::settings::Settings;

#[derive(Serialize)]
struct Meta<'a> {
    #[serde(flatten)]
    page: &'a PageRow,
    version: i64,
    time: Millis,
    drift_ms: i64,
    exchanges: Vec<ExchangeRow>,
}

pub async fn run(settings: &Settings, flags: &ShowFlags) -> anyhow::Result<()> {
    if flags.blocks && flags.form != ShowAs::Png {
        return Err(Usage("--blocks is drawn on a picture; add --as png".into()).into());
    }
    let catalog = Arc::new(Catalog::open(&settings.store, Access::Read)?);
    let (name, at) = split_time(&flags.key);
    // A key may itself hold an @, so the whole is tried first.
    let (row, at) = match catalog.find(&flags.key).await? {
        Some(row) => (row, None),
        None => match find(&catalog, name).await? {
            Some(row) => (row, at),
            None => bail!("no page {}; 'bathys pages' lists those that are known", flags.key),
        },
    };
    let version = catalog
        .version(row.page, at.map_or(Which::Latest, Which::At))
        .await?
        .with_context(|| nothing_kept(&row, at.is_some()))?;
    let mut out = stdout();
    match flags.form {
        ShowAs::Html => {
            let html = snapshot(&version)?;
            if settings.json {
                let html = String::from_utf8_lossy(&html);
                let shown = serde_json::json!({ "page": row.page, "key": row.key, "html": html });
                json_line(&mut out, &shown)?;
            } else {
                out.write_all(&html)?;
            }
        }
        ShowAs::Raw => {
            let body = version.body.as_ref().with_context(|| {
                format!(
                    "page {} was reached by events, no response of its own holds it; use --as html",
                    row.page
                )
            })?;
            if settings.json {
                let body = BASE64_STANDARD.encode(body);
                let shown = serde_json::json!({ "page": row.page, "key": row.key, "base64": body });
                json_line(&mut out, &shown)?;
            } else {
                out.write_all(body)?;
            }
        }
        ShowAs::Text => {
            let text = page::tree::visible_text(&tree(&version)?);
            if settings.json {
                let shown = serde_json::json!({ "page": row.page, "key": row.key, "text": text });
                json_line(&mut out, &shown)?;
            } else {
                writeln!(out, "{text}")?;
            }
        }
        ShowAs::Png => {
            let answers = Stored::at(catalog.clone(), version.time).await?;
            let picture = picture(&row, &version, answers, flags).await?;
            if settings.json {
                let picture = BASE64_STANDARD.encode(picture);
                let shown =
                    serde_json::json!({ "page": row.page, "key": row.key, "base64": picture });
                json_line(&mut out, &shown)?;
            } else {
                out.write_all(&picture)?;
            }
        }
        ShowAs::Meta => {
            let exchanges = catalog.exchanges(row.page).await?;
            let meta = Meta {
                page: &row,
                version: version.version,
                time: version.time,
                drift_ms: version.drift_ms,
                exchanges,
            };
            if settings.json { json_line(&mut out, &meta)? } else { print_meta(&mut out, &meta)? }
        }
    }
    Ok(out.flush()?)
}

/// A version as a browser shows what was kept of it.
async fn picture(
    row: &PageRow,
    version: &VersionRow,
    answers: Stored,
    flags: &ShowFlags,
) -> anyhow::Result<Vec<u8>> {
    let url = url::Url::parse(&row.url).with_context(|| format!("{} is no URL", row.url))?;
    let dom = tree(version)?;
    let html = snapshot(version)?;
    let page = match version.snapshot {
        Some(_) => Kept::snapshot(url, html),
        None => Kept::response(url, html, version.content_type.as_deref()),
    };
    let studio = Studio::open().await?;
    let drawn = async {
        let sitting = studio.show(page, Arc::new(answers)).await?;
        let marks = match flags.blocks {
            true => Blocks::new(&dom, None, flags.level).marks(),
            false => Vec::new(),
        };
        sitting.draw(&marks).await
    };
    let drawn = drawn.await;
    studio.close().await;
    Ok(drawn?)
}

/// Why a page that is known cannot be shown.
fn nothing_kept(row: &PageRow, at_a_time: bool) -> String {
    let page = row.page;
    match row.condition.as_str() {
        _ if at_a_time && row.versions > 0 => format!(
            "page {page} has no version of that time; it was first seen at {}",
            row.first_seen
        ),
        "queued" => format!("page {page} is not visited yet; run 'bathys crawl' again"),
        condition => format!(
            "page {page} has nothing to show ({condition}{}{}); 'bathys graph' says what leads to it",
            if row.error.is_some() { ": " } else { "" },
            row.error.as_deref().unwrap_or_default()
        ),
    }
}

/// A page by key or number, or by a URL as a person types it.
pub async fn find(catalog: &Catalog, name: &str) -> anyhow::Result<Option<PageRow>> {
    if let Some(row) = catalog.find(name).await? {
        return Ok(Some(row));
    }
    match url::Url::parse(name) {
        Ok(url) => Ok(catalog.find(page::state::url::normalise(url).as_str()).await?),
        Err(_) => Ok(None),
    }
}

fn snapshot(version: &VersionRow) -> anyhow::Result<Vec<u8>> {
    version.snapshot.clone().or_else(|| version.body.clone()).context(
        "this version holds neither a snapshot nor a body; run 'bathys stats' on the store",
    )
}

fn tree(version: &VersionRow) -> anyhow::Result<page::tree::Dom> {
    crawl::tree_of(version)
        .context("this version has no tree, it is no HTML page; --as raw gives its bytes")
}

/// Splits `KEY@TIME` where what follows the last @ is a time or a date.
fn split_time(name: &str) -> (&str, Option<Millis>) {
    let Some((key, time)) = name.rsplit_once('@') else {
        return (name, None);
    };
    let instant = time.parse::<jiff::Timestamp>().ok().or_else(|| {
        // A date stands for its end: what was current on that day.
        let day = time.parse::<jiff::civil::Date>().ok()?;
        let end = day.at(23, 59, 59, 999_000_000).to_zoned(jiff::tz::TimeZone::UTC).ok()?;
        Some(end.timestamp())
    });
    match instant {
        Some(instant) => (key, Some(Millis(instant.as_millisecond()))),
        None => (name, None),
    }
}

fn print_meta(out: &mut impl Write, meta: &Meta<'_>) -> anyhow::Result<()> {
    let page = meta.page;
    writeln!(out, "page       {}", page.page)?;
    writeln!(out, "key        {}", page.key)?;
    writeln!(out, "url        {}", page.url)?;
    for step in &page.path {
        writeln!(out, "  {} {}  {}", step.event, step.xpath, step.instruction)?;
    }
    writeln!(out, "title      {}", page.title)?;
    writeln!(out, "status     {}", page.status.map_or("-".into(), |status| status.to_string()))?;
    writeln!(out, "via        {}", page.via.as_deref().unwrap_or("-"))?;
    writeln!(out, "hash       {}", page.content_hash.as_deref().unwrap_or("-"))?;
    writeln!(out, "version    {} of {}, {}", meta.version, page.versions, meta.time)?;
    writeln!(out, "seen       {} to {}", page.first_seen, page.last_seen)?;
    for exchange in &meta.exchanges {
        let status = exchange.status.map_or("---".into(), |status| status.to_string());
        let size = exchange.body_bytes.map_or("-".into(), bytes);
        writeln!(
            out,
            "  {status} {:<5} {:<10} {size:>9}  {}",
            exchange.method, exchange.resource, exchange.url
        )?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_at_sign_is_a_time_only_when_a_time_follows() {
        assert_eq!(split_time("https://example.org/@me"), ("https://example.org/@me", None));
        let (key, time) = split_time("https://example.org/@me@2026-01-31");
        assert_eq!(key, "https://example.org/@me");
        assert_eq!(time.unwrap().to_string(), "2026-01-31T23:59:59.999Z");
        assert_eq!(
            split_time("12@2026-01-31T10:00:00Z").1.unwrap().to_string(),
            "2026-01-31T10:00:00.000Z"
        );
    }
}
