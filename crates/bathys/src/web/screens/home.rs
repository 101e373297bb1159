//! The sites of the store, and what it costs to keep them.

use std::sync::Arc;

use askama::Template;
use axum::extract::State;
use store::Millis;

use super::news::{self, News, news_of};
use super::shown;
use crate::web::App;
use crate::web::failure::Failure;
use crate::web::frame::Frame;
use crate::web::tell::{When, bytes, in_path, thousands};

/// Changes that are shown.
const NEWS: usize = 12;

#[derive(Template)]
#[template(path = "home.html")]
pub struct Home {
    figures: Vec<(&'static str, String, String)>,
    saved: Option<Saved>,
    sites: Vec<SiteCard>,
    news: Vec<News>,
    f: Frame,
}

shown!(Home);

struct Saved {
    words: String,
    /// Of a hundred.
    share: String,
}

struct SiteCard {
    name: String,
    in_path: String,
    pages: String,
    only_events: String,
    versions: String,
    records: String,
    waiting: String,
    last: Option<When>,
    is_running: bool,
}

pub async fn home(State(app): State<Arc<App>>, f: Frame) -> Result<Home, Failure> {
    let sites = app.catalog.sites().await?;
    let stats = app.overviews.store(&app.catalog).await?;
    let mut cards = Vec::with_capacity(sites.len());
    let (mut only_events, now) = (0, Millis::now());
    for site in &sites {
        let overview = app.overviews.of(&app.catalog, site).await?;
        let summary = &overview.summary;
        only_events += summary.event_pages;
        cards.push(SiteCard {
            name: site.site.clone(),
            in_path: in_path(&site.site),
            pages: thousands(summary.captured()),
            only_events: thousands(summary.event_pages),
            versions: thousands(summary.versions),
            records: thousands(summary.records),
            waiting: thousands(summary.waiting),
            last: overview.visited.map(|(_, last)| When(last)),
            is_running: site.lease_until > now,
        });
    }
    let w = f.w;
    let figures = vec![
        (w.sites, thousands(sites.len() as i64), String::new()),
        (w.pages, thousands(stats.pages), String::new()),
        (w.by_events_only, thousands(only_events), String::new()),
        (w.versions, thousands(stats.versions), String::new()),
        (w.blocks, thousands(stats.blocks), String::new()),
        (w.records, thousands(stats.records), String::new()),
    ];
    let saved = (stats.bytes_raw > 0).then(|| Saved {
        words: w
            .stored_as
            .replace("{stored}", &bytes(stats.bytes_stored))
            .replace("{raw}", &bytes(stats.bytes_raw))
            .replace("{versions}", &thousands(stats.versions)),
        share: format!(
            "{:.1}",
            (100.0 * stats.bytes_stored as f64 / stats.bytes_raw as f64).min(100.0)
        ),
    });
    // What was visited last has the news.
    cards.sort_by_key(|card| std::cmp::Reverse(card.last.map(|last| last.0)));
    let names: Vec<String> = cards.iter().take(NEWS).map(|card| card.name.clone()).collect();
    let mut newest =
        news::newest(&app, &names, None, NEWS, |version| version.counts && version.version > 1)
            .await?;
    if newest.versions.is_empty() {
        // Of a store that was crawled once everything is new.
        newest = news::newest(&app, &names, None, NEWS, |version| version.counts).await?;
    }
    let news = news_of(&app, newest.versions).await?;
    Ok(Home { figures, saved, sites: cards, news, f })
}
