//! `bathys changes`: what followers of a store have to look at again.

use std::io::Write;

use anyhow::bail;
use serde::Serialize;
use store::Change;

use crate::cli::ChangesFlags;
use crate::output::{json_line, stdout};
use crate::settings::Settings;

/// Changes that are read at once.
const BATCH: u32 = 1_000;

#[derive(Serialize)]
struct Line<'a> {
    site: &'a str,
    #[serde(flatten)]
    change: &'a Change,
}

pub async fn run(settings: &Settings, flags: &ChangesFlags) -> anyhow::Result<()> {
    let catalog = settings.open()?;
    let sites = catalog.stats().await?.sites;
    let site = match (&flags.site, sites.as_slice()) {
        (Some(site), _) if sites.contains(site) => site,
        (Some(site), _) => bail!("the store has no site {site}; it has {}", sites.join(", ")),
        (None, [site]) => site,
        (None, []) => bail!("the store is empty"),
        (None, _) => bail!("say which site with --site: {}", sites.join(", ")),
    };
    let (mut out, mut after) = (stdout(), flags.after);
    loop {
        let changes = catalog.changes(site, after, BATCH).await?;
        let Some(last) = changes.last() else { break };
        after = last.seq;
        for change in &changes {
            if settings.json {
                json_line(&mut out, &Line { site, change })?;
                continue;
            }
            let version = change.version.map(|version| format!(" version {version}"));
            writeln!(
                out,
                "{:>8}  {}  {:8} page {}{}",
                change.seq,
                change.time,
                change.what,
                change.page,
                version.unwrap_or_default()
            )?;
        }
    }
    Ok(out.flush()?)
}
