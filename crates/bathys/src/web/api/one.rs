//! What is one answer: a version of a page, a difference, the graph, the totals.

use std::collections::HashMap;
use std::sync::Arc;

use axum::Json;
use axum::extract::{Query, State};
use axum::http::header;
use axum::response::{IntoResponse, Response};
use base64::prelude::{BASE64_STANDARD, Engine};
use publish::diff::{Diff, Numbers};
use publish::graph::{Format, GraphOptions, write};
use serde::Deserialize;
use serde_json::{Value, json};
use store::{ContentId, PageRow, VersionRow, Which};

use super::is_on;
use crate::address;
use crate::blocks::Blocks;
use crate::hint::refusal;
use crate::verb;
use crate::web::App;
use crate::web::failure::Failure;
use crate::web::screens::compare;
use crate::web::stream::blocking;

/// The page that a key, a URL or a number names.
pub async fn find(app: &App, key: &str) -> Result<PageRow, Failure> {
    let none = || Failure::NotFound(format!("no page {key}"));
    address::page(&app.catalog, key).await?.ok_or_else(none)
}

/// A version, as it is asked for: a time, a day, `v3` or `3`; the latest if nothing is said.
fn which(text: Option<&str>) -> Result<Which, Failure> {
    let Some(text) = text else { return Ok(Which::Latest) };
    let number = text.parse().ok().filter(|_| text.len() < 10).map(Which::Number);
    let which = number.or_else(|| address::which(text));
    which.ok_or_else(|| Failure::BadRequest(format!("'{text}' names no version")))
}

async fn version(app: &App, page: &PageRow, which: Which) -> Result<VersionRow, Failure> {
    let none = || Failure::NotFound(format!("page {} has no such version", page.page));
    app.catalog.version(page.page, which).await?.ok_or_else(none)
}

#[derive(Deserialize)]
pub struct ShowQuery {
    key: String,
    at: Option<String>,
    #[serde(rename = "as")]
    form: Option<String>,
}

pub async fn show(
    State(app): State<Arc<App>>,
    Query(query): Query<ShowQuery>,
) -> Result<Response, Failure> {
    let page = find(&app, &query.key).await?;
    let version = version(&app, &page, which(query.at.as_deref())?).await?;
    let (number, key) = (page.page, page.key.clone());
    let not_html = || Failure::BadRequest(verb::show::NO_TREE.into());
    let shown = match query.form.as_deref().unwrap_or("text") {
        "text" => {
            let read =
                move || derive::tree_of(&version).map(|tree| page::tree::visible_text(&tree));
            let text = app.busy(read).await?.ok_or_else(not_html)?;
            json!({ "page": number, "key": key, "text": text })
        }
        "html" => {
            let html = version.snapshot.or(version.body).ok_or_else(not_html)?;
            json!({ "page": number, "key": key, "html": String::from_utf8_lossy(&html) })
        }
        "raw" => {
            let none = || Failure::BadRequest("no response of its own holds this page".into());
            let body = version.body.ok_or_else(none)?;
            json!({ "page": number, "key": key, "base64": BASE64_STANDARD.encode(body) })
        }
        "blocks" => {
            let parts = verb::show::parts(&app.catalog, &page, &version).await;
            let parts = parts.map_err(|_| not_html())?;
            let rows = app.catalog.blocks(page.page, version.version).await?;
            let shared = app.catalog.pages_that_share(page.page, version.version).await?;
            let topics = app.topics;
            let tell = move || {
                let numbers = Numbers::of(&parts, &version, &rows);
                let mut blocks = Blocks::kept(&parts, topics, &numbers);
                // What ended is told of by the versions that had it.
                let stands = rows.iter().filter(|row| row.last.is_none());
                let contents: HashMap<i64, ContentId> =
                    stands.map(|row| (row.block.0, row.content)).collect();
                blocks.tell_pages(|block| shared.get(contents.get(&block)?).copied(), None);
                serde_json::to_value(blocks)
            };
            app.busy(tell).await??
        }
        "meta" => serde_json::to_value(verb::meta::Meta::of(&app.catalog, &page, &version).await?)?,
        other => {
            let said = format!("as={other}: give text, html, raw, blocks or meta");
            return Err(Failure::BadRequest(said));
        }
    };
    Ok(Json(shown).into_response())
}

#[derive(Deserialize)]
pub struct DiffQuery {
    key: String,
    from: Option<String>,
    to: Option<String>,
    all: Option<String>,
}

pub async fn diff(
    State(app): State<Arc<App>>,
    Query(query): Query<DiffQuery>,
) -> Result<Json<Diff>, Failure> {
    let page = find(&app, &query.key).await?;
    let new = version(&app, &page, which(query.to.as_deref())?).await?;
    let before = Which::Number((new.version - 1).max(1));
    let from = query.from.as_deref().map(|from| which(Some(from))).transpose()?;
    let old = version(&app, &page, from.unwrap_or(before)).await?;
    if old.version > new.version {
        let said =
            format!("v{} is later than v{}; name the older one first", old.version, new.version);
        return Err(Failure::BadRequest(said));
    }
    Ok(Json(compare(&app, &page, old, new, is_on(query.all.as_deref())?).await?))
}

#[derive(Deserialize)]
pub struct GraphQuery {
    format: Option<String>,
    events_only: Option<String>,
    to: Option<String>,
}

pub async fn graph(
    State(app): State<Arc<App>>,
    Query(query): Query<GraphQuery>,
) -> Result<Response, Failure> {
    let (format, content_type) = match query.format.as_deref().unwrap_or("json") {
        "json" => (Format::Json, "application/json"),
        "dot" => (Format::Dot, "text/vnd.graphviz; charset=utf-8"),
        "graphml" => (Format::Graphml, "application/graphml+xml"),
        "svg" => (Format::Svg, "image/svg+xml"),
        other => {
            let said = format!("format={other}: give json, dot, graphml or svg");
            return Err(Failure::BadRequest(said));
        }
    };
    let to = match &query.to {
        Some(key) => Some(find(&app, key).await?.page),
        None => None,
    };
    let events_only = is_on(query.events_only.as_deref())?;
    let options = GraphOptions { format, events_only, to, explain: refusal };
    let body = blocking(move |mut out, runtime| {
        runtime.block_on(write(&app.catalog, &options, &mut out))?;
        Ok(std::io::Write::flush(&mut out)?)
    });
    Ok(([(header::CONTENT_TYPE, content_type)], body).into_response())
}

pub async fn stats(State(app): State<Arc<App>>) -> Result<Json<Value>, Failure> {
    Ok(Json(serde_json::to_value(&*app.overviews.totals(&app.catalog).await?)?))
}
