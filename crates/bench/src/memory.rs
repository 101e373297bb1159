//! `bathys bench memory`: the memory of a crawling process, without the browser's, as the crawl
//! goes on.

use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use anyhow::{Context as _, ensure};
use testsite::{Options, Paging, Running, SiteKind};

use crate::sheet::{Experiment, Sheet, rounded};
use crate::trial::resident_kb;

/// Pages of the crawl, and from which on its memory must stay as it is.
const PAGES: (u32, u64) = (50_000, 1_000);
const PAGES_QUICK: (u32, u64) = (400, 100);
/// How far it may move.
const FLAT: f64 = 0.20;
const LOOK: Duration = Duration::from_millis(250);

pub async fn run(sheet: &mut Sheet, quick: bool) -> anyhow::Result<()> {
    let (size, begin) = if quick { PAGES_QUICK } else { PAGES };
    let options = Options { size, paging: Paging::Plain, ..Options::default() };
    let site = testsite::serve(SiteKind::Bbs, options).await?;
    let store = tempfile::tempdir().context("cannot make a directory for the crawl")?;
    let (looks, pages) = measure(&site, store.path(), begin).await?;
    site.stop().await;

    let (first, last) = (looks.first(), looks.last());
    let at = |look: Option<&Look>| look.map_or(0.0, |look| look.kb as f64 / 1024.0);
    let (base, end) = (at(first), at(last));
    let most = looks.iter().map(|look| look.kb).max().unwrap_or(0) as f64 / 1024.0;
    let least = looks.iter().map(|look| look.kb).min().unwrap_or(0) as f64 / 1024.0;
    let moved = (most / base.max(0.001) - 1.0).max(1.0 - least / base.max(0.001));
    sheet.put(
        Experiment::new("memory/bbs")
            .ours("pages", pages)
            .ours("from_request", first.map_or(0, |look| look.requests))
            .ours("from_mb", rounded(base))
            .ours("to_mb", rounded(end))
            .ours("least_mb", rounded(least))
            .ours("most_mb", rounded(most))
            .ours("moved", rounded(moved))
            .ask(pages >= i64::from(size), format!("{pages} of {size} pages"))
            .ask(moved <= FLAT, format!("memory moves by {:.0} %", moved * 100.0)),
    )?;
    sheet.table(&format!("memory of the crawling process, from page {begin} on"))
}

/// A look at the process: the requests that the site had answered by then, and its memory.
struct Look {
    requests: u64,
    kb: u64,
}

/// A process that is killed if it is still there in the end.
struct Crawling(Child);

impl Drop for Crawling {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Crawls in a process of its own, since the site lives in this one, and looks at it again and
/// again. A page is a request here, so the site's count says how far the crawl is without asking
/// it. Returns the pages that it kept, too.
async fn measure(site: &Running, store: &Path, begin: u64) -> anyhow::Result<(Vec<Look>, i64)> {
    let mut command = Command::new(std::env::current_exe()?);
    command.args(["crawl", &site.url(), "--json", "--store"]).arg(store);
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut crawling = Crawling(command.spawn().context("cannot start a crawl")?);
    let (mut looks, mut said) = (Vec::new(), 0);
    let status = loop {
        tokio::time::sleep(LOOK).await;
        if let Some(status) = crawling.0.try_wait()? {
            break status;
        }
        let Some(kb) = resident_kb(crawling.0.id()) else { continue };
        let requests = site.requests().total;
        if requests >= begin {
            looks.push(Look { requests, kb });
        }
        if requests / 1_000 > said {
            said = requests / 1_000;
            eprintln!("  {requests} requests, {:.1} MB", kb as f64 / 1024.0);
        }
    };
    ensure!(status.success(), "the crawl failed: {status}");
    ensure!(!looks.is_empty(), "the crawl ended before it could be looked at");
    let summary = crawling.0.stdout.take().context("the crawl gave no summary")?;
    let summary: serde_json::Value = serde_json::from_reader(summary)?;
    Ok((looks, summary["pages"].as_i64().unwrap_or_default()))
}
