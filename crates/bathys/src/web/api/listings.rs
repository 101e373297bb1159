//! Listings: what commands write as JSON Lines.

use std::sync::Arc;

use axum::Json;
use axum::extract::{Query, State};
use axum::http::{HeaderMap, header};
use axum::response::{IntoResponse, Response};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use store::{Change, PageNumber, PageQuery, RecordNumber, RecordQuery, Which};

use super::is_on;
use crate::address;
use crate::cli::RecordFormat;
use crate::hint::refusal;
use crate::verb;
use crate::verb::records::Table;
use crate::web::App;
use crate::web::failure::Failure;
use crate::web::stream::{Lines, blocking, lines};
use crate::web::tell::address as with_query;

/// Items of a page of a listing, unless others are asked for, and at most.
const ITEMS: usize = 100;
const MOST: usize = 1_000;

/// A page of a listing.
#[derive(Serialize)]
struct Items<T> {
    items: Vec<T>,
    /// Where it goes on.
    next: Option<String>,
}

/// Whether all of a listing is asked for, as JSON Lines.
fn wants_lines(headers: &HeaderMap, format: Option<&str>) -> Result<bool, Failure> {
    match format {
        Some("jsonl" | "ndjson") => return Ok(true),
        Some("json") => return Ok(false),
        Some(other) => {
            return Err(Failure::BadRequest(format!("no listing is written as '{other}'")));
        }
        None => {}
    }
    let accept = headers.get(header::ACCEPT).and_then(|accept| accept.to_str().ok());
    Ok(accept.is_some_and(|accept| accept.contains("ndjson") || accept.contains("jsonl")))
}

fn streamed(body: axum::body::Body) -> Response {
    ([(header::CONTENT_TYPE, "application/x-ndjson")], body).into_response()
}

fn line(value: &impl Serialize) -> anyhow::Result<String> {
    let mut line = serde_json::to_string(value)?;
    line.push('\n');
    Ok(line)
}

fn limit(asked: Option<usize>) -> usize {
    asked.unwrap_or(ITEMS).clamp(1, MOST)
}

/// All items of a listing that is short.
async fn whole<T: Serialize + Send + Sync + 'static>(
    headers: &HeaderMap,
    format: Option<&str>,
    items: Vec<T>,
) -> Result<Response, Failure> {
    if !wants_lines(headers, format)? {
        return Ok(Json(Items { items, next: None }).into_response());
    }
    Ok(streamed(lines(async move |mut out: Lines| {
        for item in &items {
            out.write(line(item)?).await?;
        }
        out.end().await
    })))
}

#[derive(Deserialize)]
pub struct OnlyFormat {
    format: Option<String>,
}

pub async fn sites(
    State(app): State<Arc<App>>,
    Query(query): Query<OnlyFormat>,
    headers: HeaderMap,
) -> Result<Response, Failure> {
    let mut items = Vec::new();
    for site in app.catalog.sites().await? {
        let overview = app.overviews.of(&app.catalog, &site).await?;
        let summary = &overview.summary;
        items.push(json!({
            "site": site.site,
            "changes": site.changes,
            "pages": summary.captured(),
            "event_pages": summary.event_pages,
            "states": summary.states,
            "page_types": summary.page_types,
            "versions": summary.versions,
            "records": summary.records,
            "waiting": summary.waiting,
            "first_seen": overview.visited.map(|(first, _)| first),
            "last_seen": overview.visited.map(|(_, last)| last),
        }));
    }
    whole(&headers, query.format.as_deref(), items).await
}

#[derive(Clone, Deserialize)]
pub struct PagesQuery {
    site: Option<String>,
    #[serde(rename = "type")]
    page_type: Option<String>,
    status: Option<String>,
    reached: Option<String>,
    q: Option<String>,
    #[serde(default)]
    after: i64,
    limit: Option<usize>,
    format: Option<String>,
}

impl PagesQuery {
    fn asked(&self) -> Result<PageQuery, Failure> {
        let condition =
            match self.status.as_deref() {
                None => Some(store::PageStatus::Captured),
                Some("any") => None,
                Some(word) => Some(word.parse().map_err(|_| {
                    Failure::BadRequest(format!("no condition of pages is '{word}'"))
                })?),
            };
        let only_events = match self.reached.as_deref() {
            None => None,
            Some("events") => Some(true),
            Some("url") => Some(false),
            Some(other) => {
                return Err(Failure::BadRequest(format!("'{other}' is neither url nor events")));
            }
        };
        Ok(PageQuery {
            site: self.site.clone(),
            page_type: self.page_type.clone(),
            condition,
            only_events,
            text: self.q.clone(),
        })
    }

    fn next(&self, after: PageNumber, limit: usize) -> String {
        let some = |text: &Option<String>| text.clone().unwrap_or_default();
        let [site, page_type, status, reached, q] =
            [&self.site, &self.page_type, &self.status, &self.reached, &self.q].map(some);
        let (after, limit) = (after.to_string(), limit.to_string());
        let query = [
            ("site", site.as_str()),
            ("type", &page_type),
            ("status", &status),
            ("reached", &reached),
            ("q", &q),
            ("limit", &limit),
            ("after", &after),
        ];
        with_query("/api/v1/pages", &query)
    }
}

pub async fn pages(
    State(app): State<Arc<App>>,
    Query(query): Query<PagesQuery>,
    headers: HeaderMap,
) -> Result<Response, Failure> {
    let asked = query.asked()?;
    let after = PageNumber(query.after.max(0));
    if wants_lines(&headers, query.format.as_deref())? {
        return Ok(streamed(lines(async move |mut out: Lines| {
            let mut after = after;
            loop {
                let rows = app.catalog.pages_like(asked.clone(), after, MOST as u32).await?;
                let Some(last) = rows.last() else { break };
                after = last.page;
                for row in rows {
                    out.write(line(&told(row))?).await?;
                }
            }
            out.end().await
        })));
    }
    let limit = limit(query.limit);
    let mut rows = app.catalog.pages_like(asked, after, limit as u32 + 1).await?;
    let has_more = rows.len() > limit;
    rows.truncate(limit);
    let last = rows.last().filter(|_| has_more);
    let next = last.map(|last| query.next(last.page, limit));
    let items = rows.into_iter().map(told).collect();
    Ok(Json(Items { items, next }).into_response())
}

fn told(mut row: store::PageRow) -> store::PageRow {
    row.error = row.error.as_deref().map(refusal);
    row
}

#[derive(Deserialize)]
pub struct OfSite {
    site: Option<String>,
    format: Option<String>,
}

pub async fn types(
    State(app): State<Arc<App>>,
    Query(query): Query<OfSite>,
    headers: HeaderMap,
) -> Result<Response, Failure> {
    let mut items: Vec<Value> = Vec::new();
    let sites = app.catalog.sites().await?;
    for site in sites.iter().filter(|site| query.site.as_ref().is_none_or(|of| *of == site.site)) {
        let learned = app.overviews.learned(&app.catalog, site).await?;
        for known in &learned.types {
            items.push(serde_json::to_value(known)?);
        }
    }
    whole(&headers, query.format.as_deref(), items).await
}

#[derive(Clone, Deserialize)]
pub struct ChangesQuery {
    site: Option<String>,
    #[serde(default)]
    after: i64,
    limit: Option<usize>,
    format: Option<String>,
}

#[derive(Serialize)]
struct ChangeLine {
    site: String,
    #[serde(flatten)]
    change: Change,
}

pub async fn changes(
    State(app): State<Arc<App>>,
    Query(query): Query<ChangesQuery>,
    headers: HeaderMap,
) -> Result<Response, Failure> {
    let sites: Vec<String> = app.catalog.sites().await?.into_iter().map(|site| site.site).collect();
    let site = match (query.site, sites.as_slice()) {
        (Some(site), _) if sites.contains(&site) => site,
        (Some(site), _) => return Err(Failure::NotFound(format!("the store has no site {site}"))),
        (None, [site]) => site.clone(),
        (None, _) => {
            let said = format!("say which site with site=; there are {}", sites.join(", "));
            return Err(Failure::BadRequest(said));
        }
    };
    if wants_lines(&headers, query.format.as_deref())? {
        return Ok(streamed(lines(async move |mut out: Lines| {
            let mut after = query.after;
            loop {
                let changes = app.catalog.changes(&site, after, MOST as u32).await?;
                let Some(last) = changes.last() else { break };
                after = last.seq;
                for change in changes {
                    out.write(line(&ChangeLine { site: site.clone(), change })?).await?;
                }
            }
            out.end().await
        })));
    }
    let limit = limit(query.limit);
    let mut changes = app.catalog.changes(&site, query.after, limit as u32 + 1).await?;
    let has_more = changes.len() > limit;
    changes.truncate(limit);
    let next = changes.last().filter(|_| has_more).map(|last| {
        let (limit, after) = (limit.to_string(), last.seq.to_string());
        with_query("/api/v1/changes", &[("site", &site), ("limit", &limit), ("after", &after)])
    });
    let items = changes.into_iter().map(|change| ChangeLine { site: site.clone(), change });
    Ok(Json(Items { items: items.collect(), next }).into_response())
}

#[derive(Deserialize)]
pub struct LogQuery {
    key: String,
    visits: Option<String>,
    all: Option<String>,
    format: Option<String>,
}

pub async fn log(
    State(app): State<Arc<App>>,
    Query(query): Query<LogQuery>,
    headers: HeaderMap,
) -> Result<Response, Failure> {
    let (visits, all) = (is_on(query.visits.as_deref())?, is_on(query.all.as_deref())?);
    let page = super::one::find(&app, &query.key).await?;
    let entries = verb::log::entries(&app.catalog, page.page, visits, all).await?.entries;
    let items: Vec<Value> = entries.iter().map(serde_json::to_value).collect::<Result<_, _>>()?;
    whole(&headers, query.format.as_deref(), items).await
}

#[derive(Clone, Deserialize)]
pub struct RecordsQuery {
    kind: Option<String>,
    site: Option<String>,
    at: Option<String>,
    history: Option<String>,
    after: Option<String>,
    limit: Option<usize>,
    format: Option<String>,
}

impl RecordsQuery {
    fn asked(&self) -> Result<RecordQuery, Failure> {
        let at = match self.at.as_deref().map(|text| (text, address::which(text))) {
            None => None,
            Some((_, Some(Which::At(time)))) => Some(time),
            Some((text, _)) => return Err(Failure::BadRequest(format!("'{text}' is no time"))),
        };
        if let Some(kind) = &self.kind
            && !["thread", "post", "item"].contains(&kind.as_str())
        {
            return Err(Failure::BadRequest(format!("no kind of records is '{kind}'")));
        }
        Ok(RecordQuery {
            kind: self.kind.clone(),
            site: self.site.clone(),
            at,
            history: is_on(self.history.as_deref())?,
        })
    }

    /// Where a page of records ended: record, edition and site.
    fn place(&self) -> Result<Option<(String, RecordNumber, i64)>, Failure> {
        let Some(after) = &self.after else { return Ok(None) };
        let read = || {
            let mut parts = after.splitn(3, '~');
            let (record, edition) = (parts.next()?.parse().ok()?, parts.next()?.parse().ok()?);
            Some((parts.next()?.to_owned(), RecordNumber(record), edition))
        };
        read().map(Some).ok_or_else(|| Failure::BadRequest(format!("'{after}' is no place")))
    }
}

pub async fn records(
    State(app): State<Arc<App>>,
    Query(query): Query<RecordsQuery>,
    headers: HeaderMap,
) -> Result<Response, Failure> {
    let asked = query.asked()?;
    let format = match query.format.as_deref() {
        Some("csv") => Some((RecordFormat::Csv, "text/csv; charset=utf-8", "csv")),
        Some("parquet") => {
            Some((RecordFormat::Parquet, "application/vnd.apache.parquet", "parquet"))
        }
        other => wants_lines(&headers, other)?.then_some((
            RecordFormat::Jsonl,
            "application/x-ndjson",
            "jsonl",
        )),
    };
    if let Some((format, content_type, name)) = format {
        let body = blocking(move |out, runtime| {
            let mut table = Table::begin(Some(format), Box::new(out))?;
            runtime.block_on(verb::records::write(&app.catalog, asked, &mut table, |_| ()))?;
            table.end()
        });
        let file = format!("attachment; filename=\"records.{name}\"");
        let headers =
            [(header::CONTENT_TYPE, content_type.to_owned()), (header::CONTENT_DISPOSITION, file)];
        return Ok((headers, body).into_response());
    }
    let limit = limit(query.limit);
    let (mut kept, mut last) = (Vec::new(), query.place()?);
    // Sites end batches.
    while kept.len() <= limit {
        let more = (limit + 1 - kept.len()) as i64;
        let some = app.catalog.some_records(asked.clone(), last, more).await?;
        let Some(end) = some.last() else { break };
        last = Some((end.site.clone(), end.record, end.edition));
        kept.extend(some);
    }
    let has_more = kept.len() > limit;
    kept.truncate(limit);
    let next = kept.last().filter(|_| has_more).map(|last| {
        let some = |text: &Option<String>| text.clone().unwrap_or_default();
        let [kind, site, at, history] =
            [&query.kind, &query.site, &query.at, &query.history].map(some);
        let after = format!("{}~{}~{}", last.record.0, last.edition, last.site);
        let limit = limit.to_string();
        let query = [
            ("kind", kind.as_str()),
            ("site", &site),
            ("at", &at),
            ("history", &history),
            ("limit", &limit),
            ("after", &after),
        ];
        with_query("/api/v1/records", &query)
    });
    let items: Vec<Value> = kept
        .iter()
        .map(|kept| Ok(serde_json::to_value(verb::records::line(kept)?)?))
        .collect::<anyhow::Result<_>>()?;
    Ok(Json(Items { items, next }).into_response())
}
