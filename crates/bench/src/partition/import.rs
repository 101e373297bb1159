//! Whole imports and crawls: how fast series go through the pipeline, how much memory many pages
//! take, and how much of a crawl is processing.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

use anyhow::{Context as _, ensure};
use crawl::Report;
use derive::{CutSettings, Found, Import};
use jiff::tz::TimeZone;
use serde::{Deserialize, Serialize};
use store::Millis;
use testsite::{Options, Paging, SiteKind};
use url::Url;

use super::corpus::{Corpus, time_of};
use super::skip;
use crate::sheet::{Experiment, Sheet, rounded};
use crate::trial::{Trial, cpu_time, whole};

/// Asked for: of all stages together on one core, in MB/s.
const FASTEST: f64 = 15.0;
/// Asked for: the memory of a process that imports this many pages, in MB.
const MEMORY: f64 = 512.0;
const PAGES: usize = 5_000;
const PAGES_QUICK: usize = 200;
/// Versions of a series that a quick run imports.
const VERSIONS_QUICK: usize = 30;
/// Asked for: processing against the time of a crawl.
const PROCESSING: f64 = 0.50;
/// Valid pages of the forum, and others.
const FORUM: (u32, u32) = (200, 40);
const FORUM_QUICK: (u32, u32) = (20, 5);

pub(super) async fn run(sheet: &mut Sheet, corpus: &Corpus, quick: bool) -> anyhow::Result<()> {
    series(sheet, corpus, quick).await?;
    memory(sheet, corpus, quick)?;
    forum(sheet, quick).await
}

/// Every series through the whole pipeline, into a store.
async fn series(sheet: &mut Sheet, corpus: &Corpus, quick: bool) -> anyhow::Result<()> {
    let all = corpus.series()?;
    if all.is_empty() {
        skip("import", "no series found; name a directory with --data DIR");
        return Ok(());
    }
    let mut sum = Spent::default();
    for (name, mut files) in all {
        files.truncate(if quick { VERSIONS_QUICK } else { usize::MAX });
        let spent = import_series(&files).await?;
        sheet.put(spent.experiment(&name, false))?;
        sum.add(&spent);
    }
    sheet.put(sum.experiment("all", true))?;
    sheet.table(
        "series imported: parsed, kept, cut, named and compared; by the time of all cores together",
    )
}

async fn import_series(files: &[PathBuf]) -> anyhow::Result<Spent> {
    let trial = Trial::new()?;
    let url = Url::parse("https://page.example/")?;
    let mut import = Import::begin(trial.catalog.clone(), CutSettings::default(), "{}").await?;
    let (begun, cpu) = (Instant::now(), cpu_time());
    let mut bytes = 0;
    for file in files {
        let body = read(file)?;
        bytes += body.len();
        let name = file.file_name().unwrap_or_default().to_string_lossy();
        let time = Millis(time_of(&name)?.to_zoned(TimeZone::UTC)?.timestamp().as_millisecond());
        import.add(Found { url: url.clone(), time, body }).await?;
    }
    let end = import.finish().await?;
    Ok(Spent {
        pages: files.len(),
        bytes,
        cpu_s: (cpu_time() - cpu).as_secs_f64(),
        elapsed_s: begun.elapsed().as_secs_f64(),
        processing_s: end.processing.as_secs_f64(),
        peak_kb: None,
    })
}

fn read(file: &Path) -> anyhow::Result<Vec<u8>> {
    std::fs::read(file).with_context(|| format!("cannot read {}", file.display()))
}

/// What an import took.
#[derive(Debug, Default, Serialize, Deserialize)]
struct Spent {
    pages: usize,
    bytes: usize,
    cpu_s: f64,
    elapsed_s: f64,
    processing_s: f64,
    peak_kb: Option<u64>,
}

impl Spent {
    fn add(&mut self, other: &Self) {
        self.pages += other.pages;
        self.bytes += other.bytes;
        self.cpu_s += other.cpu_s;
        self.elapsed_s += other.elapsed_s;
        self.processing_s += other.processing_s;
    }

    fn rate(&self, seconds: f64) -> f64 {
        rounded(self.bytes as f64 / 1e6 / seconds.max(1e-9))
    }

    fn experiment(&self, name: &str, is_asked: bool) -> Experiment {
        let rate = self.rate(self.cpu_s);
        Experiment::new(format!("partition/import/{name}"))
            .ours("versions", self.pages)
            .ours("MB", rounded(self.bytes as f64 / 1e6))
            .ours("cpu_s", rounded(self.cpu_s))
            .ours("MB_per_cpu_s", rate)
            .ours("processing_MB_per_s", self.rate(self.processing_s))
            .ours("elapsed_s", rounded(self.elapsed_s))
            .ours("MB_per_s", self.rate(self.elapsed_s))
            .ask(!is_asked || rate >= FASTEST, format!("{rate:.1} MB/s on one core"))
    }
}

/// Many pages, in a process of its own, whose memory nothing else has been in.
fn memory(sheet: &mut Sheet, corpus: &Corpus, quick: bool) -> anyhow::Result<()> {
    let Some(data) = corpus.pages_data() else {
        skip("memory", "no pages found; name a directory with --data DIR");
        return Ok(());
    };
    let pages = if quick { PAGES_QUICK } else { PAGES };
    let mut command = Command::new(std::env::current_exe()?);
    command.args(["bench", "--import-pages", &pages.to_string(), "--data"]).arg(data);
    let ended = command.stdin(Stdio::null()).stderr(Stdio::inherit()).output()?;
    ensure!(ended.status.success(), "the import failed: {}", ended.status);
    let spent: Spent = serde_json::from_slice(&ended.stdout).context("it gave no figures")?;
    let peak = spent.peak_kb.context("this system does not tell the memory of a process")?;
    let peak_mb = peak as f64 / 1024.0;
    sheet.put(
        Experiment::new("partition/memory")
            .ours("pages", spent.pages)
            .ours("MB", rounded(spent.bytes as f64 / 1e6))
            .ours("peak_mb", rounded(peak_mb))
            .ours("MB_per_cpu_s", spent.rate(spent.cpu_s))
            .ours("elapsed_s", rounded(spent.elapsed_s))
            .ours("pages_per_s", rounded(spent.pages as f64 / spent.elapsed_s.max(1e-9)))
            .ask(peak_mb < MEMORY, format!("{peak_mb:.0} MB for {} pages", spent.pages)),
    )?;
    sheet.table("many pages imported: the memory of the process")
}

/// Imports pages of the data, again and again under other URLs, and prints what that took.
pub async fn import_pages(data: Option<&Path>, pages: usize) -> anyhow::Result<()> {
    let corpus = Corpus::open(data)?;
    let names = corpus.pages()?;
    ensure!(!names.is_empty(), "no pages to import; name a directory with --data DIR");
    let trial = Trial::new()?;
    let mut import = Import::begin(trial.catalog.clone(), CutSettings::default(), "{}").await?;
    let (begun, cpu) = (Instant::now(), cpu_time());
    let mut bytes = 0;
    for (round, name) in
        (0..).flat_map(|round| names.iter().map(move |name| (round, name))).take(pages)
    {
        let body = corpus.page(name)?.with_context(|| format!("{name} is gone"))?;
        bytes += body.len();
        let (folder, file) = name.split_once('/').unwrap_or(("page", name));
        let url = Url::parse(&format!("https://{folder}.example/{round}/{file}"))?;
        import.add(Found { url, time: Millis(3_600_000), body }).await?;
    }
    let end = import.finish().await?;
    let spent = Spent {
        pages,
        bytes,
        cpu_s: (cpu_time() - cpu).as_secs_f64(),
        elapsed_s: begun.elapsed().as_secs_f64(),
        processing_s: end.processing.as_secs_f64(),
        peak_kb: peak_kb(),
    };
    println!("{}", serde_json::to_string(&spent)?);
    Ok(())
}

/// The most memory that this process ever had, on systems that tell.
fn peak_kb() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM:"))?;
    line.split_whitespace().nth(1)?.parse().ok()
}

/// How much of the time of a crawl is processing: of a forum whose pages are turned by scripts, and
/// of one that needs no browser, where capturing costs the least.
async fn forum(sheet: &mut Sheet, quick: bool) -> anyhow::Result<()> {
    let (size, chaff) = if quick { FORUM_QUICK } else { FORUM };
    let ways: &[_] = &[("scripts", Paging::default()), ("plain", Paging::Plain)];
    for (name, paging) in ways {
        let options = Options { size, chaff, paging: *paging, ..Options::default() };
        let site = testsite::serve(SiteKind::Bbs, options).await?;
        let trial = Trial::new()?;
        let report = trial.crawl(whole(&site)?).await?;
        site.stop().await;
        sheet.put(processing(name, &report))?;
    }
    sheet.table("a crawl of a forum: how much of its time is processing, of all cores together")
}

fn processing(name: &str, report: &Report) -> Experiment {
    let share = report.processing_s / report.elapsed_s.max(1e-9);
    let per_version = report.processing_s * 1e3 / (report.versions.max(1) as f64);
    Experiment::new(format!("partition/bbs/{name}"))
        .ours("pages", report.pages)
        .ours("versions", report.versions)
        .ours("elapsed_s", rounded(report.elapsed_s))
        .ours("processing_s", rounded(report.processing_s))
        .ours("ms_per_version", rounded(per_version))
        .ours("share", rounded(share))
        .ask(share <= PROCESSING, format!("{:.0} % of the crawl is processing", share * 100.0))
}
