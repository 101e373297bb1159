//! What a crawl is doing: its totals and the pages that it finds, as they are committed.

use std::collections::HashMap;
use std::convert::Infallible;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use askama::Template;
use axum::extract::State;
use axum::response::sse::{Event, KeepAlive, Sse};
use futures_core::Stream;
use serde_json::json;
use store::{Millis, NewVersion};
use tokio::sync::mpsc;

use super::shown;
use crate::web::App;
use crate::web::failure::Failure;
use crate::web::frame::Frame;
use crate::web::server::told;
use crate::web::tell::{clip, in_path, thousands};

/// How often the store is asked.
const LOOK: Duration = Duration::from_secs(1);
/// Versions of one site that are told at a look; what is older than that is in the listing.
const TOLD: u32 = 20;

#[derive(Template)]
#[template(path = "live.html")]
pub struct Live {
    sites: Vec<SiteRow>,
    f: Frame,
}

shown!(Live);

struct SiteRow {
    name: String,
    in_path: String,
    pages: String,
    waiting: String,
    versions: String,
    is_running: bool,
}

pub async fn live(State(app): State<Arc<App>>, f: Frame) -> Result<Live, Failure> {
    let (mut sites, now) = (Vec::new(), Millis::now());
    for site in app.catalog.sites().await? {
        let overview = app.overviews.of(&app.catalog, &site).await?;
        let summary = &overview.summary;
        sites.push(SiteRow {
            in_path: in_path(&site.site),
            pages: thousands(summary.captured()),
            waiting: thousands(summary.waiting),
            versions: thousands(summary.versions),
            is_running: site.lease_until > now,
            name: site.site,
        });
    }
    Ok(Live { sites, f })
}

struct Events(mpsc::Receiver<Event>);

impl Stream for Events {
    type Item = Result<Event, Infallible>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.0.poll_recv(context).map(|event| event.map(Ok))
    }
}

/// What changes, as it is committed. It ends when the reader goes away, or with the program.
pub async fn events(
    State(app): State<Arc<App>>,
) -> Result<Sse<impl Stream<Item = Result<Event, Infallible>>>, Failure> {
    let Ok(place) = app.followers.clone().try_acquire_owned() else {
        return Err(Failure::TooMany);
    };
    let (sender, receiver) = mpsc::channel(64);
    let mut stop = app.stopping.clone();
    tokio::spawn(async move {
        let _place = place;
        tokio::select! {
            () = told(&mut stop) => {}
            () = sender.closed() => {}
            followed = follow(&app, &sender) => {
                if let Err(error) = followed {
                    tracing::warn!(target: "serve", "{error:#}");
                }
            }
        }
    });
    Ok(Sse::new(Events(receiver)).keep_alive(KeepAlive::default()))
}

async fn follow(app: &Arc<App>, sender: &mpsc::Sender<Event>) -> anyhow::Result<()> {
    let mut seen: HashMap<String, i64> = HashMap::new();
    loop {
        let now = Millis::now();
        for site in app.catalog.sites().await? {
            let known = seen.insert(site.site.clone(), site.changes);
            let is_running = site.lease_until > now;
            if known == Some(site.changes) && !is_running {
                continue;
            }
            let overview = app.overviews.of(&app.catalog, &site).await?;
            let summary = &overview.summary;
            let totals = json!({
                "site": site.site,
                "pages": summary.captured(),
                "waiting": summary.waiting,
                "versions": summary.versions,
                "running": is_running,
            });
            sender.send(Event::default().event("totals").json_data(totals)?).await?;
            // At first the last few versions, then what came since.
            let newest = app.catalog.new_versions(&site.site, i64::MAX, TOLD).await?;
            let is_new = |version: &&NewVersion| known.is_none_or(|known| version.seq > known);
            for version in newest.iter().rev().filter(is_new) {
                let title = if version.title.is_empty() { &version.key } else { &version.title };
                let line = json!({
                    "site": version.site,
                    "time": version.captured,
                    "page": version.page,
                    "version": version.version,
                    "title": clip(title, 120),
                    "key": clip(&version.key, 200),
                });
                sender.send(Event::default().event("version").json_data(line)?).await?;
            }
        }
        tokio::time::sleep(LOOK).await;
    }
}
