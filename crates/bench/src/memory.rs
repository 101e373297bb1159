//! `bathys bench memory`: the memory of a crawling process, without the browser's, on a small site and on
//! one with fifty times its pages.

use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use anyhow::{Context as _, ensure};
use testsite::{Options, Paging, Running, SiteKind};

use crate::sheet::{Experiment, Sheet, rounded};
use crate::trial::resident_kb;

/// Pages of the small and of the large site.
const PAGES: [u32; 2] = [1_000, 50_000];
const PAGES_QUICK: [u32; 2] = [100, 400];
/// How much more the large one may take.
const FLAT: f64 = 0.20;
const LOOK: Duration = Duration::from_millis(250);

pub async fn run(sheet: &mut Sheet, quick: bool) -> anyhow::Result<()> {
    let mut small: Option<Memory> = None;
    for size in if quick { PAGES_QUICK } else { PAGES } {
        let options = Options { size, paging: Paging::Plain, ..Options::default() };
        let site = testsite::serve(SiteKind::Bbs, options).await?;
        let store = tempfile::tempdir().context("cannot make a directory for the crawl")?;
        let memory = measure(&site, store.path()).await?;
        site.stop().await;
        let Memory { pages, crawling_kb, most_kb } = memory;
        let mut experiment = Experiment::new(format!("memory/bbs/{size}"))
            .ours("pages", pages)
            .ours("crawling_mb", rounded(megabytes(crawling_kb)))
            .ours("most_mb", rounded(megabytes(most_kb)))
            .ask(pages >= i64::from(size), format!("{pages} of {size} pages"));
        if let Some(small) = &small {
            for (when, few, many) in [
                ("while it crawls", small.crawling_kb, crawling_kb),
                ("with records", small.most_kb, most_kb),
            ] {
                let grown = many as f64 / few.max(1) as f64 - 1.0;
                let said = format!("{:.0} % more memory {when}", grown * 100.0);
                experiment = experiment.ask(grown <= FLAT, said);
            }
        }
        sheet.put(experiment)?;
        small.get_or_insert(memory);
    }
    sheet.table("memory of the crawling process, on a small and on a large site")
}

fn megabytes(kb: u64) -> f64 {
    kb as f64 / 1024.0
}

/// The most that a process took.
struct Memory {
    pages: i64,
    /// Until the last page was asked for.
    crawling_kb: u64,
    /// Until its end, when records are read.
    most_kb: u64,
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
/// again. A page is a request here, so the site's count says how far the crawl is without asking it.
async fn measure(site: &Running, store: &Path) -> anyhow::Result<Memory> {
    let mut command = Command::new(std::env::current_exe()?);
    command.args(["crawl", &site.url(), "--json", "--store"]).arg(store);
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut crawling = Crawling(command.spawn().context("cannot start a crawl")?);
    let mut memory = Memory { pages: 0, crawling_kb: 0, most_kb: 0 };
    let (mut requests, mut said) = (0, 0);
    let status = loop {
        tokio::time::sleep(LOOK).await;
        if let Some(status) = crawling.0.try_wait()? {
            break status;
        }
        let Some(kb) = resident_kb(crawling.0.id()) else { continue };
        memory.most_kb = memory.most_kb.max(kb);
        let now = site.requests().total;
        if now > requests {
            (requests, memory.crawling_kb) = (now, memory.most_kb);
        }
        if requests / 1_000 > said {
            said = requests / 1_000;
            eprintln!("  {requests} requests, {:.1} MB", megabytes(kb));
        }
    };
    ensure!(status.success(), "the crawl failed: {status}");
    let summary = crawling.0.stdout.take().context("the crawl gave no summary")?;
    let summary: serde_json::Value = serde_json::from_reader(summary)?;
    memory.pages = summary["pages"].as_i64().unwrap_or_default();
    ensure!(memory.crawling_kb > 0, "the crawl ended before it could be looked at");
    Ok(memory)
}
