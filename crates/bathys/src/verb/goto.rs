//! `bathys goto`: drives a browser to a known page.

use std::io::Write;
use std::path::Path;
use std::sync::Arc;

use anyhow::{Context, bail};
use crawl::{Attempt, GotoError, goto};
use serde::Serialize;
use store::{CatalogWriter, PageNumber, PageRow, PathStep};

use crate::address::page as find;
use crate::cli::GotoFlags;
use crate::output::{clean_line, json_line, stdout};
use crate::say;
use crate::settings::Settings;

#[derive(Serialize)]
struct Arrival<'a> {
    page: PageNumber,
    key: &'a str,
    url: &'a str,
    arrived: bool,
    path: &'a [PathStep],
    cost_ms: u64,
    attempts: &'a [Attempt],
}

pub async fn run(settings: &Settings, flags: &GotoFlags) -> anyhow::Result<()> {
    let catalog = Arc::new(CatalogWriter::refusing(settings.open()?));
    let Some(row) = find(&catalog, &flags.key).await? else {
        bail!("no page {}; 'bathys pages' lists those that are known", flags.key);
    };
    let options = flags.manners.options();
    let told = settings.crawl(std::slice::from_ref(&row.url), &options)?;
    let destination = match goto(&row, told, catalog, flags.screenshot.is_some()).await {
        Ok(destination) => destination,
        Err(error) => {
            if let (GotoError::Missed { attempts, .. }, true) = (&error, settings.json) {
                print(settings, &row, attempts, false)?;
            }
            return Err(error.into());
        }
    };
    if let Some(file) = &flags.html {
        write(file, "--html", destination.html.as_bytes())?;
    }
    if let (Some(file), Some(picture)) = (&flags.screenshot, &destination.screenshot) {
        write(file, "--screenshot", picture)?;
    }
    print(settings, &row, &destination.attempts, true)
}

fn write(file: &Path, flag: &str, bytes: &[u8]) -> anyhow::Result<()> {
    std::fs::write(file, bytes)
        .with_context(|| format!("cannot write {}; name another with {flag}", file.display()))
}

fn print(
    settings: &Settings,
    row: &PageRow,
    attempts: &[Attempt],
    arrived: bool,
) -> anyhow::Result<()> {
    let last = attempts.last();
    let (path, cost_ms) = last.map_or((&[][..], 0), |last| (&last.path[..], last.cost_ms));
    let mut out = stdout();
    if settings.json {
        let (page, key, url) = (row.page, row.key.as_str(), row.url.as_str());
        let told = Arrival { page, key, url, arrived, path, cost_ms, attempts };
        json_line(&mut out, &told)?;
        return Ok(out.flush()?);
    }
    for failed in attempts.iter().filter_map(|attempt| attempt.found_instead.as_deref()) {
        say!("another path led elsewhere: {failed}");
    }
    writeln!(out, "load {}", clean_line(&row.url))?;
    for step in path {
        writeln!(out, "{} {}  {}", step.event, step.xpath, clean_line(&step.instruction))?;
    }
    writeln!(out, "page {}, {cost_ms} ms", row.page)?;
    Ok(out.flush()?)
}
