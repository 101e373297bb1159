//! `bathys stats`: what the store holds and what it costs.

use std::io::Write;

use crawl::{Beliefs, Priors};
use serde::Serialize;
use store::{Catalog, Stats};

use crate::output::deferred::{claim, deferred};
use crate::output::{bytes, json_line, stdout, thousands};
use crate::settings::Settings;

pub async fn run(settings: &Settings) -> anyhow::Result<()> {
    let catalog = settings.open()?;
    let mut out = stdout();
    if settings.json {
        json_line(&mut out, &Totals::of(&catalog).await?)?;
        return Ok(out.flush()?);
    }
    let stats = catalog.stats().await?;
    let mut beliefs = Vec::with_capacity(stats.sites.len());
    for site in &stats.sites {
        beliefs.push((site, crawl::beliefs(&catalog, site, &Priors::default()).await?));
    }
    writeln!(out, "store      {}", catalog.location())?;
    writeln!(out, "sites      {}", stats.sites.join(", "))?;
    for (name, count) in [
        ("pages", stats.pages),
        ("states", stats.states),
        ("versions", stats.versions),
        ("records", stats.records),
        ("edges", stats.edges),
        ("exchanges", stats.exchanges),
        ("waiting", stats.waiting),
    ] {
        writeln!(out, "{name:<10} {}", thousands(count))?;
    }
    for (site, beliefs) in &beliefs {
        let Some(deferred) = deferred(beliefs) else { continue };
        writeln!(out, "{site}: {deferred}")?;
        for doubt in beliefs.doubts.iter().filter(|doubt| doubt.missed_expected > 0.0) {
            writeln!(out, "  type {}: {}", doubt.page_type, claim(doubt))?;
        }
    }
    let ratio = stats.bytes_raw as f64 / (stats.bytes_stored.max(1)) as f64;
    writeln!(
        out,
        "bytes      {} kept as {} ({ratio:.1} to 1, catalog included)",
        bytes(stats.bytes_raw),
        bytes(stats.bytes_stored)
    )?;
    Ok(out.flush()?)
}

/// What the store holds, and what crawls of its sites left out.
#[derive(Serialize)]
pub struct Totals {
    #[serde(flatten)]
    stats: Stats,
    #[serde(flatten)]
    beliefs: Beliefs,
}

impl Totals {
    /// Those of a store.
    pub async fn of(catalog: &Catalog) -> anyhow::Result<Self> {
        let (stats, mut beliefs) = (catalog.stats().await?, Beliefs::default());
        for site in &stats.sites {
            beliefs.add(crawl::beliefs(catalog, site, &Priors::default()).await?);
        }
        Ok(Self { stats, beliefs })
    }
}
