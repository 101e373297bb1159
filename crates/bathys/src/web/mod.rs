//! The web: pages for people, an interface for programs, and the archive as it was, on a port of its own.
//!
//! Everything that is shown came from the web and is hostile. The pages for people hold it as text only
//! (templates escape whatever they are given); archived pages are served from another origin, where no script
//! runs. Nothing here changes the store.

mod access;
mod api;
mod assets;
mod failure;
mod frame;
mod headers;
mod metrics;
mod overview;
mod replay;
mod screens;
mod searching;
mod server;
mod stream;
mod tell;
mod words;

use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use anyhow::Context;
use axum::Router;
use axum::http::HeaderMap;
use axum::middleware::from_fn_with_state;
use page::block::Topics;
use publish::graph::GraphView;
use store::{Catalog, Millis, PageRow};
use tokio::net::TcpListener;
use tokio::sync::{Semaphore, watch};
use url::Url;

pub use access::{Access, Reads};

use metrics::Metrics;
use overview::{Kept, Overviews};
use searching::Searching;

/// How long an answer may take before it is given up. Streams begin at once and may go on.
const LONGEST: Duration = Duration::from_secs(30);

/// Graphs that are kept: a large one takes some megabytes.
const GRAPHS: usize = 8;
/// Streams of what changes at a time.
const FOLLOWERS: usize = 100;

/// What every answer is made from.
pub struct App {
    pub catalog: Arc<Catalog>,
    pub access: Access,
    pub overviews: Overviews,
    /// Graphs of sites, with links or without.
    graphs: Kept<(String, bool), GraphView>,
    pub replay: replay::Archive,
    pub searching: Searching,
    replay_port: u16,
    own_port: u16,
    replay_url: Option<Url>,
    pub topics: Topics,
    pub metrics: Metrics,
    /// Work that keeps a core busy: as many pieces at a time as there are cores.
    cores: Semaphore,
    /// Streams of what changes: as many readers as there may be.
    followers: Arc<Semaphore>,
    /// Becomes true when the program is to end; streams end then.
    pub stopping: watch::Receiver<bool>,
}

/// Where the servers are.
pub struct Places {
    /// Pages and the interface for programs.
    pub listen: SocketAddr,
    /// Archived pages; the next port if nothing is said.
    pub replay: Option<SocketAddr>,
    /// Where browsers find these, if not there.
    pub replay_url: Option<Url>,
    /// The directory of the search index, if that is not in the store.
    pub index: Option<PathBuf>,
}

/// Servers that listen.
pub struct Running {
    /// Where people and programs ask.
    pub address: SocketAddr,
    /// Where archived pages are.
    pub replay: SocketAddr,
    stop: watch::Sender<bool>,
    serving: [tokio::task::JoinHandle<()>; 2],
}

/// Listens, and answers until it is stopped.
pub async fn start(
    catalog: Arc<Catalog>,
    topics: Topics,
    access: Access,
    places: Places,
) -> anyhow::Result<Running> {
    let listener = bind(places.listen, "--listen").await?;
    let address = listener.local_addr()?;
    let next = SocketAddr::new(address.ip(), address.port().checked_add(1).unwrap_or(0));
    let next = if places.listen.port() == 0 { SocketAddr::new(address.ip(), 0) } else { next };
    let archive = bind(places.replay.unwrap_or(next), "--replay").await?;
    let replay = archive.local_addr()?;
    let (stop, stopping) = watch::channel(false);
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let app = Arc::new(App {
        catalog,
        access,
        overviews: Overviews::default(),
        graphs: Kept::holding(GRAPHS),
        replay: replay::Archive::default(),
        searching: Searching::new(places.index),
        replay_port: replay.port(),
        own_port: address.port(),
        replay_url: places.replay_url,
        topics,
        metrics: Metrics::default(),
        cores: Semaphore::new(cores),
        followers: Arc::new(Semaphore::new(FOLLOWERS)),
        stopping: stopping.clone(),
    });
    let pages = tokio::spawn(server::serve(listener, router(app.clone()), stopping.clone()));
    let archived = tokio::spawn(server::serve(archive, replay::router(app), stopping));
    Ok(Running { address, replay, stop, serving: [pages, archived] })
}

impl Running {
    /// Takes no more questions, and lets answers under way end.
    pub async fn stop(self) {
        // It fails only if the servers have ended already.
        let _ = self.stop.send(true);
        for serving in self.serving {
            let _ = serving.await;
        }
    }
}

async fn bind(address: SocketAddr, flag: &str) -> anyhow::Result<TcpListener> {
    let said = || format!("cannot listen on {address}; choose another port with {flag}, or 0");
    TcpListener::bind(address).await.with_context(said)
}

fn router(app: Arc<App>) -> Router {
    Router::new()
        .merge(screens::routes())
        .merge(api::routes())
        .merge(assets::routes())
        .merge(access::routes())
        .merge(metrics::routes())
        .fallback(failure::nothing_here)
        .layer(from_fn_with_state(app.clone(), access::guard))
        .layer(from_fn_with_state(app.clone(), failure::tell))
        .layer(from_fn_with_state(app.clone(), headers::secure))
        .layer(from_fn_with_state(app.clone(), metrics::observe))
        .with_state(app)
}

impl App {
    /// The origin of archived pages, for who asked by this name.
    pub fn replay_origin(&self, headers: &HeaderMap) -> String {
        match &self.replay_url {
            Some(url) => url.origin().ascii_serialization(),
            None => {
                let host = access::host_name(headers).unwrap_or("localhost");
                format!("http://{host}:{}", self.replay_port)
            }
        }
    }

    /// The origin of these pages, for who asked by this name.
    pub fn own_origin(&self, headers: &HeaderMap) -> String {
        let host = access::host(headers).unwrap_or("localhost");
        format!("http://{host}")
    }

    /// Where a page is as it was at a time, within that origin.
    pub fn replay_path(&self, page: &PageRow, time: Millis) -> String {
        let state = publish::warc::state_address(&page.key).filter(|_| !page.path.is_empty());
        let url = state.as_deref().unwrap_or(page.url.split('#').next().unwrap_or_default());
        format!("/web/{}/{url}", publish::replay::timestamp(time))
    }

    /// Does work that keeps a core busy beside what answers questions.
    pub async fn busy<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> anyhow::Result<T> {
        let _core = self.cores.acquire().await?;
        Ok(tokio::task::spawn_blocking(work).await?)
    }
}

/// Where the bytes of an answer are, within the origin of archived pages.
fn raw_path(url: &str, time: Millis) -> String {
    let url = url.split('#').next().unwrap_or_default();
    format!("/web/{}id_/{url}", publish::replay::timestamp(time))
}
