//! `bathys train`: learns from samples what to fire, and writes it into a model.

use std::io::Write;
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;

use anyhow::Context;
use crawl::{PatternModel, Trained, Training};
use derive::Stopped;
use serde::Serialize;
use store::CatalogWriter;
use url::Url;

use crate::cli::{CrawlOptions, TrainFlags};
use crate::interrupt::INTERRUPTED;
use crate::output::{Usage, clip, json_line, shell_word, stdout, thousands};
use crate::say;
use crate::settings::{Settings, start_url};
use crate::verb::crawl::with_progress;

#[derive(Serialize)]
struct TrainReport<'a> {
    types: Vec<&'a str>,
    patterns: &'a [PatternModel],
    events_fired: u64,
    events_replayed: i64,
    pages: i64,
    requests: i64,
    elapsed_s: f64,
    stopped: Option<Stopped>,
    model: &'a Path,
}

/// `keep` says whether what was seen is kept in the store.
pub async fn run(settings: &Settings, keep: bool, flags: &TrainFlags) -> anyhow::Result<ExitCode> {
    let samples =
        flags.samples.iter().map(|text| sample(text)).collect::<anyhow::Result<Vec<_>>>()?;
    let urls: Vec<_> = samples.iter().map(|(_, url)| url.to_string()).collect();
    let options = CrawlOptions {
        max_events: flags.max_events,
        max_time: flags.max_time,
        types: flags.types,
        ..flags.manners.options()
    };
    let told = settings.crawl(&urls, &options)?;
    let scratch;
    let catalog = match keep {
        true => settings.open_to_write()?,
        false => {
            scratch = tempfile::tempdir().context("cannot make a scratch directory")?;
            CatalogWriter::open(scratch.path())?
        }
    };
    let catalog = Arc::new(catalog);
    let training = Training::begin(samples, told, catalog.clone()).await;
    let training = training.context("cannot begin the training")?;
    let trained = with_progress(training.meter(), catalog, training.run()).await?;
    std::fs::write(&flags.output, trained.model.to_string()).with_context(|| {
        format!("cannot write the model to {}; name another with -o", flags.output.display())
    })?;
    print(settings, flags, &trained)?;
    Ok(match trained.report.stopped {
        Some(Stopped::Interrupted) => ExitCode::from(INTERRUPTED),
        _ => ExitCode::SUCCESS,
    })
}

/// `TYPE=URL`.
fn sample(text: &str) -> anyhow::Result<(String, Url)> {
    let parts = text.split_once('=').filter(|(name, _)| {
        let is_plain = |letter: char| letter.is_alphanumeric() || matches!(letter, '-' | '_');
        !name.is_empty() && name.chars().all(is_plain)
    });
    let (name, url) = parts.ok_or_else(|| {
        Usage(format!(
            "--sample '{text}' is not TYPE=URL, with a TYPE of letters and digits; write it as comments=https://example.org/news/1/comments"
        ))
    })?;
    Ok((name.to_owned(), start_url(url)?))
}

fn print(settings: &Settings, flags: &TrainFlags, trained: &Trained) -> anyhow::Result<()> {
    let Trained { model, events_fired, report } = trained;
    let mut out = stdout();
    if settings.json {
        let told = TrainReport {
            types: model.types.iter().map(|known| known.name.as_str()).collect(),
            patterns: &model.patterns,
            events_fired: *events_fired,
            events_replayed: report.events_replayed,
            pages: report.pages,
            requests: report.requests.network,
            elapsed_s: report.elapsed_s,
            stopped: report.stopped,
            model: &flags.output,
        };
        json_line(&mut out, &told)?;
        return Ok(out.flush()?);
    }
    table(&mut out, &model.patterns)?;
    out.flush()?;
    say!(
        "{} types and {} patterns in {}: learned from {} events and {} pages in {:.1} s",
        model.types.len(),
        model.patterns.len(),
        flags.output.display(),
        thousands(i64::try_from(*events_fired).unwrap_or(i64::MAX)),
        thousands(report.pages),
        report.elapsed_s
    );
    if report.stopped.is_some() {
        say!("stopped early: the model knows nothing about events that were not fired");
    }
    let model = shell_word(&flags.output.display().to_string());
    say!(
        "to use it: bathys crawl URL --model {model} --want TYPE, from a page of a type listed above"
    );
    Ok(())
}

fn table(out: &mut impl Write, patterns: &[PatternModel]) -> anyhow::Result<()> {
    writeln!(
        out,
        "{:<16} {:<9} {:<7} {:>7} {:>9} {:>5} {:<4} {:<24} XPATH",
        "TYPE", "EVENT", "LABEL", "SUPPORT", "PRECISION", "NEW", "FREE", "LEADS TO"
    )?;
    for pattern in patterns {
        writeln!(
            out,
            "{:<16} {:<9} {:<7} {:>7} {:>9.2} {:>5} {:<4} {:<24} {}",
            clip(&pattern.page_type, 16),
            clip(&pattern.event, 9),
            pattern.label,
            pattern.support,
            pattern.precision,
            pattern.new,
            if pattern.context_free { "yes" } else { "-" },
            clip(&pattern.leads_to.join(","), 24),
            clip(&pattern.xpath, 100)
        )?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sample_is_a_name_and_a_url_that_may_hold_equals_signs() {
        let (name, url) = sample("post=https://example.org/?id=1").unwrap();
        assert_eq!((name.as_str(), url.as_str()), ("post", "https://example.org/?id=1"));
        for wrong in ["https://example.org/?id=1", "=https://example.org/", "post", "a b=x.org"] {
            assert!(sample(wrong).unwrap_err().is::<Usage>(), "{wrong}");
        }
    }
}
