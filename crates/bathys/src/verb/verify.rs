//! `bathys verify`: is everything there that was kept, and what it was?

use std::collections::BTreeMap;
use std::io::Write;
use std::process::ExitCode;

use serde::Serialize;
use store::Lost;

use crate::output::{json_line, stdout, thousands};
use crate::progress::{Countdown, Display, number};
use crate::settings::Settings;

#[derive(Serialize)]
struct Summary {
    checked: i64,
    bad: Vec<Lost>,
}

pub async fn run(settings: &Settings) -> anyhow::Result<ExitCode> {
    let catalog = settings.open()?;
    let all = catalog.count_blobs().await?;
    let (mut display, mut countdown) = (Display::new(), Countdown::default());
    let (mut checked, mut last, mut bad) = (0, 0, BTreeMap::new());
    while let Some(some) = catalog.check_blobs(last).await? {
        checked += some.checked;
        last = some.last;
        bad.extend(some.bad);
        let (done, all, eta) = countdown.at((all - checked).unsigned_abs());
        let line = || format!("{} of {} blobs checked, {eta}", number(done), number(all));
        display.at(done, all, line, &[]);
    }
    let summary = Summary { checked, bad: catalog.lost(bad).await? };
    drop(display);
    let mut out = stdout();
    match settings.json {
        true => json_line(&mut out, &summary)?,
        false => print(&mut out, &summary)?,
    }
    out.flush()?;
    Ok(if summary.bad.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn print(out: &mut impl Write, summary: &Summary) -> anyhow::Result<()> {
    for lost in &summary.bad {
        let key = lost.key.as_deref().unwrap_or("the store");
        let version = lost.version.map(|version| format!("@v{version}")).unwrap_or_default();
        writeln!(out, "lost: {} of {key}{version}: {}", lost.what, lost.why)?;
    }
    let checked = thousands(summary.checked);
    match summary.bad.len() {
        0 => writeln!(out, "{checked} blobs checked, all are what they were")?,
        lost => writeln!(
            out,
            "{checked} blobs checked; {} are lost, everything else can be read",
            number(lost as u64)
        )?,
    }
    Ok(())
}
