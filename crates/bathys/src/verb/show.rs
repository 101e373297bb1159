//! `bathys show`: a page as it was captured.

use std::collections::HashMap;
use std::io::Write;
use std::sync::Arc;

use anyhow::{Context, bail};
use base64::prelude::{BASE64_STANDARD, Engine};
use crawl::picture::{Kept, Mark, Stored, Studio};
use page::block::Parts;
use publish::diff::Numbers;
use serde::Serialize;
use store::{Catalog, ContentId, Occurrence, PageNumber, PageRow, VersionRow};

use crate::address::Address;
use crate::blocks::Blocks;
use crate::cli::{ShowAs, ShowFlags};
use crate::output::{Usage, clean_line, exact_stdout, json_line, stdout, stdout_is_terminal};
use crate::settings::Settings;
use crate::verb::meta;

/// Pages that the store is asked for at once.
const PAGES: u32 = 10_000;

pub const NO_TREE: &str = "this version is not an HTML page; use --as raw for its bytes";

pub async fn run(settings: &Settings, flags: &ShowFlags) -> anyhow::Result<()> {
    if (flags.blocks || flags.changes) && flags.form != ShowAs::Png {
        let flag = if flags.blocks { "--blocks" } else { "--changes" };
        return Err(Usage(format!("{flag} is drawn on a picture; add --as png")).into());
    }
    if flags.block.is_some() && flags.form != ShowAs::Blocks {
        return Err(Usage("--block is one of the blocks; add --as blocks".into()).into());
    }
    if flags.form == ShowAs::Png && !settings.json && stdout_is_terminal() {
        let said = "a picture is not text; write it to a file, as in --as png > page.png";
        return Err(Usage(said.into()).into());
    }
    let catalog = Arc::new(settings.open()?);
    let address = Address::find(&catalog, &flags.key).await?;
    let version = address.version(&catalog).await?;
    let row = &address.page;
    let mut out = stdout();
    match flags.form {
        ShowAs::Html => {
            let html = snapshot(&version)?;
            if settings.json {
                let html = String::from_utf8_lossy(&html);
                let shown = serde_json::json!({ "page": row.page, "key": row.key, "html": html });
                json_line(&mut out, &shown)?;
            } else {
                exact(&html)?;
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
                exact(body)?;
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
            let parts = parts(&catalog, row, &version).await?;
            let blocks = blocks(&catalog, settings, flags, row, &version, &parts).await?;
            let rows = catalog.blocks(row.page, version.version).await?;
            let marks = match (flags.blocks, flags.changes) {
                (true, _) => blocks.marks(),
                (false, true) => blocks.changes(&rows, version.version),
                (false, false) => Vec::new(),
            };
            let picture = picture(row, &version, answers, &marks).await?;
            if settings.json {
                let picture = BASE64_STANDARD.encode(picture);
                let shown =
                    serde_json::json!({ "page": row.page, "key": row.key, "base64": picture });
                json_line(&mut out, &shown)?;
            } else {
                exact(&picture)?;
            }
        }
        ShowAs::Blocks => {
            let parts = parts(&catalog, row, &version).await?;
            let mut blocks = blocks(&catalog, settings, flags, row, &version, &parts).await?;
            let shown = where_they_stand(&catalog, flags, row, &version, &mut blocks).await?;
            match settings.json {
                true => json_line(&mut out, &WithPages { blocks: &blocks, shown_by: &shown })?,
                false => {
                    blocks.print(&mut out)?;
                    for page in shown.iter().flatten() {
                        let (first, last) = (page.first_seen, page.last_seen);
                        let key = clean_line(&page.key);
                        writeln!(out, "     {first} to {last}  block {:<4} {key}", page.block)?;
                    }
                }
            }
        }
        ShowAs::Meta => meta::show(&catalog, settings, row, &version, &mut out).await?,
    }
    Ok(out.flush()?)
}

/// Bytes as they were kept.
fn exact(bytes: &[u8]) -> anyhow::Result<()> {
    let mut out = exact_stdout();
    out.write_all(bytes)?;
    Ok(out.flush()?)
}

/// A version taken apart.
pub async fn parts(
    catalog: &Catalog,
    row: &PageRow,
    version: &VersionRow,
) -> anyhow::Result<Parts> {
    let rules = catalog.mask(&row.site, &row.url).await?;
    let mask = page::state::mask_from_rules(rules.iter().map(String::as_str));
    derive::parts_of(version, &mask).context(NO_TREE)
}

/// Its blocks as they are kept, or at the level that is asked for.
async fn blocks<'a>(
    catalog: &Catalog,
    settings: &Settings,
    flags: &ShowFlags,
    row: &PageRow,
    version: &VersionRow,
    parts: &'a Parts,
) -> anyhow::Result<Blocks<'a>> {
    let topics = settings.process().topics;
    if flags.level.is_some() {
        return Ok(Blocks::at_level(parts, topics, flags.level));
    }
    let rows = catalog.blocks(row.page, version.version).await?;
    Ok(Blocks::kept(parts, topics, &Numbers::of(parts, version, &rows)))
}

/// The blocks of a version; of a single one, where else it stands.
#[derive(Serialize)]
struct WithPages<'a> {
    #[serde(flatten)]
    blocks: &'a Blocks<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    shown_by: &'a Option<Vec<Occurrence>>,
}

/// Adds on how many pages kept blocks stand now. Gives the pages themselves if one block is asked for.
async fn where_they_stand(
    catalog: &Catalog,
    flags: &ShowFlags,
    page: &PageRow,
    version: &VersionRow,
    blocks: &mut Blocks<'_>,
) -> anyhow::Result<Option<Vec<Occurrence>>> {
    if flags.level.is_some() {
        return Ok(None);
    }
    let rows = catalog.blocks(page.page, version.version).await?;
    let shared = catalog.pages_that_share(page.page, version.version).await?;
    // What ended is told of by the versions that had it.
    let stands = rows.iter().filter(|row| row.last.is_none());
    let contents: HashMap<i64, ContentId> = stands.map(|row| (row.block.0, row.content)).collect();
    let pages = |block: i64| contents.get(&block).and_then(|content| shared.get(content)).copied();
    blocks.tell_pages(pages, flags.block);
    let Some(block) = flags.block else { return Ok(None) };
    if blocks.is_empty() {
        bail!("this version of page {} has no block {block}; see --as blocks", page.page);
    }
    let content = contents.get(&block).with_context(|| {
        format!(
            "block {block} is no part of page {} any more, its latest version has others",
            page.page
        )
    })?;
    let mut all: Vec<Occurrence> = Vec::new();
    loop {
        let after = all.last().map_or(PageNumber(0), |last| last.page);
        let some = catalog.occurrences(&page.site, *content, after, PAGES).await?;
        if some.is_empty() {
            return Ok(Some(all));
        }
        all.extend(some);
    }
}

/// A version as a browser shows what was kept of it.
async fn picture(
    row: &PageRow,
    version: &VersionRow,
    answers: Stored,
    marks: &[Mark],
) -> anyhow::Result<Vec<u8>> {
    let url = url::Url::parse(&row.url).with_context(|| format!("{} is no URL", row.url))?;
    let html = snapshot(version)?;
    let page = match version.snapshot {
        Some(_) => Kept::snapshot(url, html),
        None => Kept::response(url, html, version.content_type.as_deref()),
    };
    let studio = Studio::open().await?;
    let drawn = async {
        let sitting = studio.show(page, Arc::new(answers)).await?;
        sitting.draw(marks).await
    };
    let drawn = drawn.await;
    studio.close().await;
    Ok(drawn?)
}

fn snapshot(version: &VersionRow) -> anyhow::Result<Vec<u8>> {
    version.snapshot.clone().or_else(|| version.body.clone()).context(
        "this version holds neither a snapshot nor a body; run 'bathys stats' on the store",
    )
}

fn tree(version: &VersionRow) -> anyhow::Result<page::tree::Dom> {
    derive::tree_of(version).context(NO_TREE)
}
