//! What changed in the store, newest first, with noise folded.

use std::sync::Arc;

use askama::Template;
use axum::extract::{Query, State};
use serde::Deserialize;
use store::NewVersion;

use super::news::{News, newest, news_of};
use super::{ROWS, shown};
use crate::web::App;
use crate::web::failure::Failure;
use crate::web::frame::Frame;
use crate::web::tell::address;

#[derive(Deserialize)]
pub struct ChangesQuery {
    #[serde(default)]
    pub site: String,
    /// Noise too.
    #[serde(default)]
    pub all: String,
    /// First versions too.
    #[serde(default)]
    pub new: String,
    /// Of one site, before the change with this number.
    pub before: Option<i64>,
}

#[derive(Template)]
#[template(path = "changes.html")]
pub struct Changes {
    sites: Vec<String>,
    query: ChangesQuery,
    news: Vec<News>,
    folded: usize,
    next: String,
    feed: String,
    f: Frame,
}

shown!(Changes);

impl ChangesQuery {
    /// Whether a version is one of those that are asked for.
    pub fn asks_for(&self, version: &NewVersion) -> bool {
        (version.counts || self.all == "1") && (version.version > 1 || self.new == "1")
    }

    /// The sites that are asked for, of those that there are.
    pub fn of(&self, sites: &[String]) -> Result<Vec<String>, Failure> {
        match self.site.as_str() {
            "" => Ok(sites.to_vec()),
            site if sites.iter().any(|known| known == site) => Ok(vec![site.to_owned()]),
            site => Err(Failure::NotFound(format!("the store has no site {site}"))),
        }
    }
}

pub async fn changes(
    State(app): State<Arc<App>>,
    Query(query): Query<ChangesQuery>,
    f: Frame,
) -> Result<Changes, Failure> {
    let sites = app.catalog.sites().await?;
    let sites: Vec<String> = sites.into_iter().map(|site| site.site).collect();
    let of = query.of(&sites)?;
    let before = query.before.filter(|_| of.len() == 1);
    let found = newest(&app, &of, before, ROWS, |version| query.asks_for(version)).await?;
    let flags = [("site", query.site.as_str()), ("all", &query.all), ("new", &query.new)];
    let next = match found.versions.last() {
        // Changes are numbered within a site.
        Some(last) if found.versions.len() == ROWS && of.len() == 1 => {
            let (site, before) = (of.concat(), last.seq.to_string());
            let flags = [("all", query.all.as_str()), ("new", &query.new)];
            address("/changes", &[&flags[..], &[("site", &site), ("before", &before)]].concat())
        }
        _ => String::new(),
    };
    let feed = address("/changes.atom", &flags);
    let news = news_of(&app, found.versions).await?;
    Ok(Changes { sites, news, folded: found.folded, next, feed, query, f })
}
