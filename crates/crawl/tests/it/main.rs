//! Whole crawls of sites with known truth, in a real browser.

mod blocks;
mod claims;
mod facts;
mod filters;
mod forms;
mod goto;
mod habits;
mod limits;
mod maze;
mod news;
mod outage;
mod own;
mod picture;
mod records;
mod redirects;
mod resumed;
mod stopping;
mod train;
mod watch;
mod wire;

use std::collections::BTreeMap;
use std::sync::Arc;

use crawl::{Crawl, Report, Settings};
use page::tree::{parse, restore, visible_text};
use store::{CatalogWriter, PageNumber, PageRow, Which};
use testsite::{Options, Running, SiteKind};
use url::Url;

/// A crawl of a bundled site, with all that a test asks about afterwards.
struct Crawled {
    site: Running,
    catalog: Arc<CatalogWriter>,
    report: Report,
    _dir: tempfile::TempDir,
}

async fn crawl(kind: SiteKind, options: Options, tell: impl FnOnce(&mut Settings)) -> Crawled {
    let site = testsite::serve(kind, options).await.unwrap();
    let dir = tempfile::tempdir().unwrap();
    let catalog = Arc::new(CatalogWriter::open(dir.path()).unwrap());
    let mut settings = Settings::new(vec![Url::parse(&site.url()).unwrap()]);
    tell(&mut settings);
    let report = Crawl::begin(settings, catalog.clone()).await.unwrap().run().await.unwrap();
    Crawled { site, catalog, report, _dir: dir }
}

impl Crawled {
    async fn pages(&self) -> Vec<PageRow> {
        let (mut pages, mut after) = (Vec::new(), PageNumber(0));
        loop {
            let rows = self.catalog.pages(after).await.unwrap();
            let Some(last) = rows.last() else {
                return pages;
            };
            after = last.page;
            pages.extend(rows);
        }
    }

    /// The text of every captured page, by key.
    async fn texts(&self) -> BTreeMap<String, String> {
        let mut texts = BTreeMap::new();
        for page in
            self.pages().await.iter().filter(|page| page.condition == store::PageStatus::Captured)
        {
            let version = self.catalog.version(page.page, Which::Latest).await.unwrap().unwrap();
            let dom = match (&version.snapshot, &version.body) {
                (Some(snapshot), _) => restore(std::str::from_utf8(snapshot).unwrap()).unwrap(),
                (None, body) => parse(body.as_deref().unwrap_or_default(), None).dom,
            };
            texts.insert(page.key.clone(), visible_text(&dom));
        }
        texts
    }

    /// What the crawl did to the site. What any visitor causes by loading a page does not count.
    fn changes(&self) -> Vec<String> {
        let log = self.site.log();
        log.iter()
            .filter(|change| change.kind != "load")
            .map(|change| format!("{change:?}"))
            .collect()
    }

    /// The states of the truth that no captured page shows.
    async fn missing(&self) -> Vec<String> {
        let texts = self.texts().await;
        let truth = self.site.truth();
        let is_missing = |marker: &str| !texts.values().any(|text| text.contains(marker));
        truth
            .states
            .iter()
            .filter(|state| is_missing(&state.marker))
            .map(|state| state.id.clone())
            .collect()
    }
}
