//! `bathys seal`: moves old versions to the cold tier.

use std::io::Write;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use anyhow::bail;
use derive::{SealSettings, Sealed, seal};
use serde::Serialize;

use crate::cli::{Cold, SealFlags};
use crate::interrupt::{INTERRUPTED, asked_to_stop};
use crate::output::{bytes, json_line, stdout, thousands};
use crate::progress::{Countdown, Display, number};
use crate::say;
use crate::settings::Settings;

#[derive(Serialize)]
struct Summary {
    /// Versions that were moved.
    versions: i64,
    /// The whole store, before and after.
    bytes_before: i64,
    bytes_after: i64,
    groups: u64,
    blobs: u64,
}

pub async fn run(settings: &Settings, flags: &SealFlags) -> anyhow::Result<ExitCode> {
    // What is not there is not made.
    drop(settings.open()?);
    let catalog = settings.open_to_write()?;
    let before = catalog.stats().await?;
    let sites = match &flags.site {
        Some(site) if !before.sites.contains(site) => {
            bail!("the store has no site {site}; it has {}", before.sites.join(", "))
        }
        Some(site) => vec![site.clone()],
        None => before.sites,
    };
    let told = SealSettings { all: flags.all, smallest: flags.cold == Cold::Smallest };
    let is_stopped = Arc::new(AtomicBool::new(false));
    let watch = tokio::spawn({
        let is_stopped = is_stopped.clone();
        async move {
            asked_to_stop().await;
            say!("stopping after the group in hand; Ctrl-C again to leave at once");
            is_stopped.store(true, Relaxed);
            asked_to_stop().await;
            std::process::exit(INTERRUPTED.into());
        }
    });
    let versions = catalog.sealed_versions().await?;
    let mut sealed = Sealed::default();
    for site in &sites {
        let (mut display, mut countdown) = (Display::new(), Countdown::default());
        let go_on = |done: usize, all: usize| {
            let (done, all, eta) = {
                let (_, _, eta) = countdown.at((all - done) as u64);
                (done as u64, all as u64, eta)
            };
            let line =
                || format!("{site}: {} of {} pages sealed, {eta}", number(done), number(all));
            display.at(done, all, line, &[]);
            !is_stopped.load(Relaxed)
        };
        sealed.add(seal(&catalog, site, told, go_on).await?);
    }
    catalog.sweep().await?;
    let versions = catalog.sealed_versions().await? - versions;
    catalog.compact()?;
    watch.abort();
    let summary = Summary {
        versions,
        bytes_before: before.bytes_stored,
        bytes_after: settings.open()?.stats().await?.bytes_stored,
        groups: sealed.groups,
        blobs: sealed.blobs,
    };
    let mut out = stdout();
    match settings.json {
        true => json_line(&mut out, &summary)?,
        false => writeln!(
            out,
            "sealed {} versions; the store takes {}, it took {}",
            thousands(summary.versions),
            bytes(summary.bytes_after),
            bytes(summary.bytes_before)
        )?,
    }
    out.flush()?;
    Ok(if is_stopped.load(Relaxed) { ExitCode::from(INTERRUPTED) } else { ExitCode::SUCCESS })
}
