//! Bundled sites, served by this process while the program crawls them.

use std::collections::BTreeSet;
use std::sync::{LazyLock, Mutex, MutexGuard, PoisonError};

use serde_json::Value;
use testsite::{Options, Running, SiteKind};
use tokio::runtime::Runtime;

use crate::program::Scratch;

static RUNTIME: LazyLock<Runtime> = LazyLock::new(|| Runtime::new().unwrap());

pub fn serve(kind: SiteKind) -> Running {
    serve_with(kind, Options::default())
}

pub fn serve_with(kind: SiteKind, options: Options) -> Running {
    RUNTIME.block_on(testsite::serve(kind, options)).unwrap()
}

/// Stops a site and frees its port.
pub fn stop(site: Running) {
    RUNTIME.block_on(site.stop());
}

/// What was done to the site. What any visitor causes by loading a page does not count.
pub fn changes(site: &Running) -> Vec<String> {
    let log = site.log();
    log.iter().filter(|change| change.kind != "load").map(|change| format!("{change:?}")).collect()
}

/// A whole crawl of the maze, made once: for the tests that only ask questions of a store.
pub struct Crawled {
    pub site: Running,
    pub scratch: Scratch,
    pub summary: Value,
    turn: Mutex<()>,
}

impl Crawled {
    /// The site, for one crawl at a time: two would count each other's requests.
    pub fn alone(&self) -> MutexGuard<'_, ()> {
        self.turn.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

pub fn maze() -> &'static Crawled {
    static MAZE: LazyLock<Crawled> = LazyLock::new(|| {
        let (site, scratch) = (serve(SiteKind::Maze), Scratch::lasting("maze"));
        let ended = scratch.run(&["crawl", &site.url(), "--json"]);
        assert_eq!(ended.code, Some(0), "{}", ended.stderr);
        let summary = ended.json();
        Crawled { site, scratch, summary, turn: Mutex::new(()) }
    });
    &MAZE
}

/// The pages of the store in a scratch directory.
pub fn pages(scratch: &Scratch) -> Vec<Value> {
    scratch.run(&["pages", "--json"]).json_lines()
}

/// The texts of the site's truth that no kept page shows.
pub fn missing(site: &Running, scratch: &Scratch) -> Vec<String> {
    scratch.run(&["export", "--ndjson", "pages.ndjson"]).ok();
    let lines = std::fs::read_to_string(scratch.path().join("pages.ndjson")).unwrap();
    let pages = lines.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let texts: Vec<_> = pages.map(|page| page["text"].as_str().unwrap().to_owned()).collect();
    let is_missing = |text: &&String| !texts.iter().any(|shown| shown.contains(*text));
    let truth = site.truth().states.iter().map(|state| &state.marker);
    truth.filter(is_missing).cloned().collect()
}

/// Of what never ends, a crawl keeps some: which, depends on when it was cut off.
fn is_endless(page: &Value) -> bool {
    let rooms = ["ticket", "calendar", "shelf", "gallery", "counter", "canvas"];
    let url = page["url"].as_str().unwrap_or_default();
    rooms.iter().any(|room| url.contains(&format!("/{room}/")))
}

/// The pages by what they are: those that a URL reaches by it, those that events reach by URL and
/// content, for the first known path to them is a matter of timing. None may be there twice.
pub fn identities(pages: &[Value]) -> BTreeSet<String> {
    let mut identities = BTreeSet::new();
    for page in pages.iter().filter(|page| !is_endless(page)) {
        let identity = match page["path"].as_array().map(Vec::is_empty) {
            Some(true) => page["url"].to_string(),
            _ => format!("{} {}", page["url"], page["content_hash"]),
        };
        assert!(identities.insert(identity.clone()), "twice: {identity}");
    }
    identities
}
