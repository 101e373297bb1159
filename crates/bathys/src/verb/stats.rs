//! `bathys stats`: what the store holds and what it costs.

use std::io::Write;

use crate::output::{bytes, json_line, stdout, thousands};
use crate::settings::Settings;
use crate::verb::crawl::deferred;

pub async fn run(settings: &Settings) -> anyhow::Result<()> {
    let catalog = settings.open()?;
    let stats = catalog.stats().await?;
    let mut out = stdout();
    if settings.json {
        json_line(&mut out, &stats)?;
        return Ok(out.flush()?);
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
    for site in &stats.sites {
        let beliefs = crawl::beliefs(&catalog, site).await?;
        if beliefs.deferred > 0 {
            writeln!(out, "{site}: {}", deferred(&beliefs))?;
            for doubt in beliefs.doubts.iter().filter(|doubt| doubt.missed_expected > 0.0) {
                writeln!(
                    out,
                    "  {:.3} in {} documents of type {}, {} at {} {}: {} ({} documents say so)",
                    doubt.missed_expected,
                    thousands(doubt.documents),
                    doubt.page_type,
                    doubt.event,
                    doubt.place,
                    doubt.handler,
                    doubt.claim,
                    doubt.held
                )?;
            }
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
