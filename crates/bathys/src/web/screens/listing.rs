//! The pages of the store, by what is looked for.

use std::sync::Arc;

use askama::Template;
use axum::extract::{Query, State};
use serde::Deserialize;
use store::{PageNumber, PageQuery, PageRow, PageStatus, Via};

use super::{ROWS, shown};
use crate::hint::refusal;
use crate::web::App;
use crate::web::failure::Failure;
use crate::web::frame::Frame;
use crate::web::tell::{When, address, clip, thousands};

/// What is looked for, as the address has it.
#[derive(Deserialize)]
pub struct PagesQuery {
    #[serde(default)]
    site: String,
    #[serde(default)]
    status: String,
    #[serde(default)]
    reached: String,
    #[serde(default, rename = "type")]
    page_type: String,
    #[serde(default)]
    q: String,
    #[serde(default)]
    after: i64,
}

#[derive(Template)]
#[template(path = "pages.html")]
pub struct Pages {
    sites: Vec<String>,
    conditions: Vec<(&'static str, &'static str)>,
    query: PagesQuery,
    rows: Vec<Row>,
    first: String,
    next: String,
    f: Frame,
}

shown!(Pages);

struct Row {
    number: i64,
    title: String,
    key: String,
    only_events: bool,
    page_type: String,
    via: &'static str,
    versions: String,
    last: When,
    error: String,
}

impl PagesQuery {
    fn address(&self, after: i64) -> String {
        let after = if after > 0 { after.to_string() } else { String::new() };
        let query = [
            ("site", self.site.as_str()),
            ("status", &self.status),
            ("reached", &self.reached),
            ("type", &self.page_type),
            ("q", &self.q),
            ("after", &after),
        ];
        address("/pages", &query)
    }

    fn asked(&self) -> Result<PageQuery, Failure> {
        let some = |text: &str| (!text.trim().is_empty()).then(|| text.trim().to_owned());
        let condition =
            match self.status.as_str() {
                "" => Some(PageStatus::Captured),
                "any" => None,
                word => Some(word.parse().map_err(|_| {
                    Failure::BadRequest(format!("no condition of pages is '{word}'"))
                })?),
            };
        Ok(PageQuery {
            site: some(&self.site),
            page_type: some(&self.page_type),
            condition,
            only_events: match self.reached.as_str() {
                "events" => Some(true),
                "url" => Some(false),
                _ => None,
            },
            text: some(&self.q),
        })
    }
}

pub async fn pages(
    State(app): State<Arc<App>>,
    Query(query): Query<PagesQuery>,
    f: Frame,
) -> Result<Pages, Failure> {
    let sites = app.catalog.sites().await?.into_iter().map(|site| site.site).collect();
    // One more than is shown says whether there are more.
    let most = ROWS as u32 + 1;
    let mut rows =
        app.catalog.pages_like(query.asked()?, PageNumber(query.after.max(0)), most).await?;
    let has_more = rows.len() > ROWS;
    rows.truncate(ROWS);
    let next = match rows.last() {
        Some(last) if has_more => query.address(last.page.0),
        _ => String::new(),
    };
    let first = if query.after > 0 { query.address(0) } else { String::new() };
    let w = f.w;
    let conditions = vec![
        ("", w.captured_pages),
        ("queued", w.queued),
        ("failed", w.failed),
        ("redirect", w.redirects),
        ("merged", w.merged),
        ("held", w.held),
        ("any", w.any),
    ];
    let rows = rows.into_iter().map(|row| Row::of(row, &f)).collect();
    Ok(Pages { sites, conditions, query, rows, first, next, f })
}

impl Row {
    fn of(row: PageRow, f: &Frame) -> Self {
        Self {
            number: row.page.0,
            title: clip(if row.title.is_empty() { &row.key } else { &row.title }, 120),
            key: clip(&row.key, 300),
            only_events: !row.path.is_empty(),
            page_type: row.page_type.unwrap_or_default(),
            via: f.language.term(row.via.map_or(row.condition.as_str(), Via::as_str)),
            versions: thousands(row.versions),
            last: When(row.last_seen),
            error: clip(&row.error.as_deref().map(refusal).unwrap_or_default(), 300),
        }
    }
}
