//! `bathys crawl`: links and script events into a store, resumable.

use std::io::Write;
use std::process::ExitCode;
use std::sync::Arc;

use anyhow::{Context, bail};
use crawl::{Crawl, CrawlError, Report};
use derive::{Meter, Stopped};
use page::state::url::normalise;
use store::{Access, Catalog};
use url::Url;

use crate::cli::CrawlFlags;
use crate::hint::refusal;
use crate::interrupt::{INTERRUPTED, stop_gently};
use crate::output::{Usage, bytes, json_line, stdout, thousands};
use crate::progress;
use crate::say;
use crate::settings::Settings;

pub async fn run(settings: &Settings, flags: &CrawlFlags) -> anyhow::Result<ExitCode> {
    if flags.urls.is_empty() {
        return Err(Usage(
            "nothing to crawl; give a URL, such as 'bathys crawl https://example.org/'".into(),
        )
        .into());
    }
    let told = settings.crawl(&flags.urls, &flags.options)?;
    if flags.fresh {
        Catalog::erase(&settings.store)?;
    }
    let catalog = Arc::new(Catalog::open(&settings.store, Access::Crawl)?);
    let starts = told.start.clone();
    let report = crawl_with_progress(told, catalog.clone()).await?;
    print(settings, &report)?;
    if report.pages == 0 && report.stopped.is_none() {
        bail!(
            "nothing could be captured: {}; 'bathys pages --all' lists what was tried",
            why_not(&catalog, &starts).await?
        );
    }
    if !settings.json {
        say!("kept in {}; 'bathys pages' lists them", settings.store);
    }
    Ok(match report.stopped {
        Some(Stopped::Interrupted) => ExitCode::from(INTERRUPTED),
        _ => ExitCode::SUCCESS,
    })
}

/// What came of the start, when nothing came of the crawl.
async fn why_not(catalog: &Catalog, starts: &[Url]) -> anyhow::Result<String> {
    let mut reasons = Vec::new();
    for start in starts {
        let row = catalog.find(normalise(start.clone()).as_str()).await?;
        let reason = row.and_then(|row| row.error).map_or("no page".into(), |kept| refusal(&kept));
        reasons.push(format!("{start}: {reason}"));
    }
    Ok(reasons.join(", "))
}

/// Crawls, shows how it goes, and stops gently at the first Ctrl-C and at once at the second.
pub async fn crawl_with_progress(
    told: crawl::Settings,
    catalog: Arc<Catalog>,
) -> anyhow::Result<Report> {
    let crawl = Crawl::begin(told, catalog.clone()).await.context("cannot begin the crawl")?;
    with_progress(crawl.meter(), catalog, crawl.run()).await
}

/// Waits for work whose progress a meter tells, and stops it as the user asks.
pub async fn with_progress<T>(
    meter: Arc<Meter>,
    catalog: Arc<Catalog>,
    work: impl Future<Output = Result<T, CrawlError>>,
) -> anyhow::Result<T> {
    let shown = tokio::spawn(progress::show(meter.clone(), catalog));
    let interrupts = tokio::spawn(stop_gently(meter));
    let done = work.await;
    interrupts.abort();
    shown.abort();
    Ok(done?)
}

/// The summary, for a person or as JSON.
pub fn print(settings: &Settings, report: &Report) -> anyhow::Result<()> {
    let mut out = stdout();
    if settings.json {
        json_line(&mut out, report)?;
        return Ok(out.flush()?);
    }
    // Totals are those of all runs; only time and rate are this run's.
    let rate = report.tasks_done as f64 / report.elapsed_s.max(0.001);
    writeln!(
        out,
        "{} pages ({} that only events reach), this run {:.1} s at {rate:.1} tasks/s",
        thousands(report.pages),
        thousands(report.event_pages),
        report.elapsed_s
    )?;
    writeln!(
        out,
        "{} events fired, {} refused for safety, {} restores, {} requests",
        thousands(report.events_fired),
        thousands(report.refused),
        thousands(report.restores),
        thousands(report.requests.network)
    )?;
    let saved = &report.events_saved;
    if saved.instruction + saved.pattern + saved.request > 0 {
        writeln!(
            out,
            "saved: {} events whose end was known, {} whose like leads nowhere, {} requests",
            thousands(saved.instruction),
            thousands(saved.pattern),
            thousands(saved.request)
        )?;
    }
    writeln!(
        out,
        "{} versions of {} states in {} blocks, {} records, {} kept as {}",
        thousands(report.versions),
        thousands(report.states),
        thousands(report.blocks_new),
        thousands(report.records),
        bytes(report.bytes_raw),
        bytes(report.bytes_stored)
    )?;
    if report.failed > 0 {
        writeln!(out, "{} URLs failed; 'bathys pages --all' says why", thousands(report.failed))?;
    }
    for trap in &report.traps {
        writeln!(out, "stopped: {trap}")?;
    }
    if let Some(stopped) = report.stopped {
        let why = match stopped {
            Stopped::Interrupted => "interrupted",
            Stopped::MaxPages => "--max-pages reached",
            Stopped::MaxEvents => "--max-events reached",
            Stopped::MaxTime => "--max-time reached",
            Stopped::MaxRequests => "--max-requests reached",
        };
        writeln!(
            out,
            "stopped: {why}; {} tasks wait, the same command goes on",
            thousands(report.waiting)
        )?;
    }
    Ok(out.flush()?)
}
