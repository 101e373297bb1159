//! `bathys index`: the search index, brought up to date or built anew.

use std::io::Write;
use std::time::Instant;

use search::{Index, Updated};
use serde::Serialize;
use store::Catalog;

use crate::cli::{IndexFlags, IndexPlace};
use crate::output::{bytes, json_line, stdout, thousands};
use crate::progress::Display;
use crate::say;
use crate::settings::Settings;

#[derive(Serialize)]
struct Summary {
    texts: u64,
    new_texts: u64,
    blocks: u64,
    versions: u64,
    bytes: u64,
    elapsed_s: f64,
    behind: bool,
}

pub async fn run(settings: &Settings, flags: &IndexFlags) -> anyhow::Result<()> {
    let catalog = settings.open()?;
    let begun = Instant::now();
    if flags.rebuild {
        Index::remove(&Index::place(catalog.location(), flags.place.directory.as_deref())?)?;
    }
    let (index, updated) = open(&catalog, &flags.place).await?;
    let summary = Summary {
        texts: index.texts()?,
        new_texts: updated.texts,
        blocks: updated.blocks,
        versions: updated.versions,
        bytes: updated.bytes,
        elapsed_s: begun.elapsed().as_secs_f64(),
        behind: updated.behind,
    };
    let mut out = stdout();
    match settings.json {
        true => json_line(&mut out, &summary)?,
        false => writeln!(
            out,
            "{} texts, {} of them new, from {} blocks of {} versions ({}) in {:.1} s",
            thousands(summary.texts as i64),
            thousands(summary.new_texts as i64),
            thousands(summary.blocks as i64),
            thousands(summary.versions as i64),
            bytes(summary.bytes as i64),
            summary.elapsed_s
        )?,
    }
    Ok(out.flush()?)
}

/// Opens the index of a store and brings it up to date.
pub async fn open(catalog: &Catalog, place: &IndexPlace) -> anyhow::Result<(Index, Updated)> {
    let index = Index::open(&Index::place(catalog.location(), place.directory.as_deref())?)?;
    let mut display = Display::new();
    let updated = index
        .update(catalog, |progress| {
            let line = || {
                let (done, all) = (progress.done as i64, progress.all as i64);
                format!("{} of {} changes indexed", thousands(done), thousands(all))
            };
            display.at(progress.done, progress.all, line, &[]);
        })
        .await?;
    drop(display);
    if updated.behind {
        say!("another process is bringing the index up to date; what is newest may be missing");
    }
    Ok((index, updated))
}
