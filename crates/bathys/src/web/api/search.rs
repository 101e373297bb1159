//! Search, answers and topics, as the commands of these names say them.

use std::sync::Arc;

use axum::Json;
use axum::extract::{Query, State};
use search::{
    Answers, Order, Query as SearchQuery, Question, SearchResult, TopicQuery, Topics, Trend, moment,
};
use serde::Deserialize;
use store::Millis;

use crate::web::App;
use crate::web::failure::Failure;
use crate::web::searching::told;

/// Hits, answers and topics, unless others are asked for, and at most.
const HITS: usize = 20;
const ANSWERS: usize = 5;
const TOPICS: usize = 100;
const MOST: usize = 1_000;

fn time(text: Option<&str>, is_end: bool) -> Result<Option<Millis>, Failure> {
    let Some(text) = text else { return Ok(None) };
    let wrong = || Failure::BadRequest(format!("'{text}' is no time"));
    moment(text, is_end).map(Some).ok_or_else(wrong)
}

fn limit(asked: Option<usize>, usual: usize) -> usize {
    asked.unwrap_or(usual).clamp(1, MOST)
}

#[derive(Deserialize)]
pub struct SearchParameters {
    q: String,
    from: Option<String>,
    to: Option<String>,
    site: Option<String>,
    label: Option<String>,
    #[serde(rename = "type")]
    page_type: Option<String>,
    order: Option<String>,
    offset: Option<usize>,
    limit: Option<usize>,
}

pub async fn search(
    State(app): State<Arc<App>>,
    Query(asked): Query<SearchParameters>,
) -> Result<Json<SearchResult>, Failure> {
    let label = match asked.label.as_deref() {
        None => None,
        Some(name) => {
            Some(name.parse().map_err(|_| Failure::BadRequest(format!("no label is '{name}'")))?)
        }
    };
    let order = match asked.order.as_deref() {
        None | Some("best") => Order::Best,
        Some("newest") => Order::Newest,
        Some("oldest") => Order::Oldest,
        Some(other) => return Err(Failure::BadRequest(format!("no order is '{other}'"))),
    };
    let query = SearchQuery {
        from: time(asked.from.as_deref(), false)?,
        to: time(asked.to.as_deref(), true)?,
        site: asked.site,
        label,
        page_type: asked.page_type,
        order,
        offset: asked.offset.unwrap_or(0),
        limit: limit(asked.limit, HITS),
        ..SearchQuery::new(asked.q)
    };
    let index = app.searching.get(&app.catalog).await?.index;
    Ok(Json(index.search(&app.catalog, &query).await.map_err(told)?))
}

#[derive(Deserialize)]
pub struct AskParameters {
    q: String,
    from: Option<String>,
    to: Option<String>,
    site: Option<String>,
    limit: Option<usize>,
}

pub async fn ask(
    State(app): State<Arc<App>>,
    Query(asked): Query<AskParameters>,
) -> Result<Json<Answers>, Failure> {
    let question = Question {
        from: time(asked.from.as_deref(), false)?,
        to: time(asked.to.as_deref(), true)?,
        site: asked.site,
        limit: limit(asked.limit, ANSWERS),
        text: asked.q,
    };
    let index = app.searching.get(&app.catalog).await?.index;
    Ok(Json(index.ask(&app.catalog, &question).await.map_err(told)?))
}

#[derive(Deserialize)]
pub struct TopicParameters {
    site: Option<String>,
    since: Option<String>,
    until: Option<String>,
    trend: Option<String>,
    limit: Option<usize>,
}

pub async fn topics(
    State(app): State<Arc<App>>,
    Query(asked): Query<TopicParameters>,
) -> Result<Json<Topics>, Failure> {
    let trend = match asked.trend.as_deref() {
        None => None,
        Some("new") => Some(Trend::New),
        Some("rising") => Some(Trend::Rising),
        Some("gone") => Some(Trend::Gone),
        Some("steady") => Some(Trend::Steady),
        Some(other) => return Err(Failure::BadRequest(format!("no trend is '{other}'"))),
    };
    let query = TopicQuery {
        site: asked.site,
        since: time(asked.since.as_deref(), false)?,
        until: time(asked.until.as_deref(), true)?,
        trend,
        limit: limit(asked.limit, TOPICS),
    };
    let index = app.searching.get(&app.catalog).await?.index;
    Ok(Json(index.topics(&app.catalog, &query).await.map_err(told)?))
}
