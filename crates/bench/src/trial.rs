//! One crawl for a figure: a store of its own that is gone afterwards.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use anyhow::Context as _;
use crawl::{Crawl, Report, Settings};
use rustix::time::{ClockId, clock_gettime};
use serde_json::Value;
use store::{Catalog, CatalogWriter, PageNumber, PageRow};
use tempfile::TempDir;
use testsite::Running;
use url::Url;

/// A crawl that takes longer is ended, and its figures say so: a bench must come to an end.
const LONGEST: Duration = Duration::from_secs(3 * 3600);

/// A fresh store.
pub struct Trial {
    pub catalog: Arc<CatalogWriter>,
    _dir: TempDir,
}

impl Trial {
    pub fn new() -> anyhow::Result<Self> {
        let dir = tempfile::tempdir().context("cannot make a directory for a trial")?;
        let catalog = Arc::new(CatalogWriter::open(dir.path())?);
        Ok(Self { catalog, _dir: dir })
    }

    /// Crawls into it.
    pub async fn crawl(&self, mut settings: Settings) -> anyhow::Result<Report> {
        settings.limits.time.get_or_insert(LONGEST);
        Ok(Crawl::begin(settings, self.catalog.clone()).await?.run().await?)
    }

    /// The captured pages.
    pub async fn pages(&self) -> anyhow::Result<Vec<PageRow>> {
        captured(&self.catalog).await
    }
}

/// The captured pages of a store.
pub async fn captured(catalog: &Catalog) -> anyhow::Result<Vec<PageRow>> {
    let (mut pages, mut after) = (Vec::new(), PageNumber(0));
    loop {
        let rows = catalog.pages(after).await?;
        let Some(last) = rows.last() else { return Ok(pages) };
        after = last.page;
        pages.extend(rows.into_iter().filter(|row| row.condition == store::PageStatus::Captured));
    }
}

/// The settings of a crawl that begins at this path of a site.
pub fn from(site: &Running, path: &str) -> anyhow::Result<Settings> {
    Ok(Settings::new(vec![Url::parse(&site.url_of(path))?]))
}

/// The settings of a crawl of a whole site.
pub fn whole(site: &Running) -> anyhow::Result<Settings> {
    Ok(Settings::new(vec![Url::parse(&site.url())?]))
}

/// No filter at all: the papers' generic crawl.
pub fn no_filters() -> crawl::Filters {
    crawl::Filters { instruction: false, pattern: false, request: false }
}

/// What a crawl must leave untouched; what any visitor causes by loading a page does not count.
pub fn state_changes(site: &Running) -> usize {
    site.log().iter().filter(|change| change.kind != "load").count()
}

/// Why a crawl ended before everything was seen, if it did, as its summary names it.
pub fn stopped(report: &Report) -> Value {
    serde_json::to_value(report.stopped).unwrap_or_default()
}

/// The path of a URL, without the query.
pub fn path_of(url: &str) -> String {
    Url::parse(url).map(|url| url.path().to_owned()).unwrap_or_default()
}

/// The resident memory of a process in kilobytes, on systems that tell.
pub fn resident_kb(process: u32) -> Option<u64> {
    let status = Path::new("/proc").join(process.to_string()).join("status");
    let text = std::fs::read_to_string(status).ok()?;
    let line = text.lines().find(|line| line.starts_with("VmRSS:"))?;
    line.split_whitespace().nth(1)?.parse().ok()
}

/// The time that this process has had on all cores.
pub fn cpu_time() -> Duration {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    Duration::new(time.tv_sec.unsigned_abs(), time.tv_nsec.unsigned_abs() as u32)
}
