//! `bathys crawl`: links and script events into a store, resumable.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;
use std::process::ExitCode;
use std::sync::Arc;

use anyhow::{Context, bail};
use crawl::{Crawl, CrawlError, Model, Report};
use derive::{Meter, Stopped};
use page::state::url::normalise;
use store::{Catalog, CatalogWriter, PageNumber, PageStatus};
use url::Url;

use crate::cli::CrawlFlags;
use crate::hint::refusal;
use crate::interrupt::{INTERRUPTED, stop_gently};
use crate::output::deferred::deferred;
use crate::output::{Usage, bytes, command, json_line, stdout, thousands};
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
        CatalogWriter::erase(&settings.store)?;
    }
    let catalog = Arc::new(settings.open_to_write()?);
    let (starts, model) = (told.start.clone(), told.model.clone());
    let report = crawl_with_progress(told, catalog.clone()).await?;
    print(settings, &report)?;
    if report.pages == 0 && report.stopped.is_none() {
        bail!(
            "nothing could be captured: {}; 'bathys pages --all' lists what was tried",
            why_not(&catalog, &starts).await?
        );
    }
    if !settings.json {
        if let Some(model) = &model {
            say_what_was_left_out(&catalog, model).await?;
        }
        say!("to list the pages: {}", command(&settings.store, "pages"));
    }
    Ok(match report.stopped {
        Some(Stopped::Interrupted) => ExitCode::from(INTERRUPTED),
        _ => ExitCode::SUCCESS,
    })
}

/// A model that knows nothing about a type of pages leads nowhere from them, which nobody would guess
/// from the summary.
async fn say_what_was_left_out(catalog: &Catalog, model: &Model) -> anyhow::Result<()> {
    let has_pattern = |name: &str| model.patterns.iter().any(|known| known.page_type == name);
    let (mut left_out, mut after) = (BTreeMap::<String, i64>::new(), PageNumber(0));
    loop {
        let rows = catalog.pages(after).await?;
        let Some(last) = rows.last() else { break };
        after = last.page;
        let captured = rows.into_iter().filter(|row| row.condition == PageStatus::Captured);
        for name in captured.filter_map(|row| row.page_type).filter(|name| !has_pattern(name)) {
            *left_out.entry(name).or_default() += 1;
        }
    }
    if left_out.is_empty() {
        return Ok(());
    }
    let types = left_out.iter().map(|(name, pages)| format!("{name} ({})", thousands(*pages)));
    let known: BTreeSet<_> = model.patterns.iter().map(|known| &*known.page_type).collect();
    say!(
        "the model has no patterns for pages of these types, so none of their links and events were \
         tried: {}; start at a page of type {}, or train with samples of these types, too",
        types.collect::<Vec<_>>().join(", "),
        known.into_iter().collect::<Vec<_>>().join(" or ")
    );
    Ok(())
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
    catalog: Arc<CatalogWriter>,
) -> anyhow::Result<Report> {
    let crawl = Crawl::begin(told, catalog.clone()).await.context("cannot begin the crawl")?;
    with_progress(crawl.meter(), catalog, crawl.run()).await
}

/// Waits for work whose progress a meter tells, and stops it as the user asks.
pub async fn with_progress<T>(
    meter: Arc<Meter>,
    catalog: Arc<CatalogWriter>,
    work: impl Future<Output = Result<T, CrawlError>>,
) -> anyhow::Result<T> {
    let shown = tokio::spawn(progress::show(meter.clone(), catalog));
    let interrupts = tokio::spawn(stop_gently(meter));
    let done = work.await;
    interrupts.abort();
    shown.abort();
    // It has the store open, which is closed by the last to let it go.
    let _ = shown.await;
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
            "not needed: {} events with a known target, {} events of kinds that lead nowhere, {} requests",
            thousands(saved.instruction),
            thousands(saved.pattern),
            thousands(saved.request)
        )?;
    }
    if let Some(deferred) = deferred(&report.beliefs) {
        writeln!(out, "{deferred}")?;
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
    if report.submissions > 0 {
        writeln!(
            out,
            "{} submissions of {} forms; 'bathys forms' says what came of them",
            thousands(report.submissions),
            thousands(report.forms)
        )?;
    }
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
            "stopped: {why}; {} tasks wait, the same command continues",
            thousands(report.waiting)
        )?;
    }
    Ok(out.flush()?)
}
