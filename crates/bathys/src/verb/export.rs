//! `bathys export`: the store as standard files.

use std::io::Write;

use publish::warc::{DEFAULT_LEVEL, ExportReport, WarcFiles, write_wacz, write_warc};
use publish::write_ndjson;

use crate::cli::ExportFlags;
use crate::output::{bytes, json_line, stdout};
use crate::progress::{Countdown, Display, number};
use crate::settings::Settings;

pub async fn run(settings: &Settings, flags: &ExportFlags) -> anyhow::Result<()> {
    let catalog = settings.open()?;
    let level = flags.level.unwrap_or(DEFAULT_LEVEL);
    let mut display = Display::new();
    let mut all = ExportReport::default();
    let mut add = |report: ExportReport| {
        all.records += report.records;
        all.bytes += report.bytes;
    };
    if flags.warc.is_some() || flags.cdxj.is_some() {
        let files = WarcFiles { warc: flags.warc.clone(), cdxj: flags.cdxj.clone(), level };
        add(write_warc(&catalog, &files, shown(&mut display, "captures")).await?);
    }
    if let Some(path) = &flags.wacz {
        add(write_wacz(&catalog, path, level, shown(&mut display, "captures")).await?);
    }
    if let Some(path) = &flags.ndjson {
        add(write_ndjson(&catalog, path, shown(&mut display, "pages")).await?);
    }
    drop(display);
    let mut out = stdout();
    match settings.json {
        true => json_line(&mut out, &all)?,
        false => {
            writeln!(out, "{} records, {}", number(all.records), bytes(all.bytes as i64))?;
        }
    }
    Ok(out.flush()?)
}

/// Shows how far an export is, and how long the rest will take.
fn shown<'a>(display: &'a mut Display, what: &'a str) -> impl FnMut(u64, u64) + 'a {
    let mut countdown = Countdown::default();
    move |done, all| {
        // The clock is asked often enough.
        if done % 16 == 0 || done == all {
            let (_, _, eta) = countdown.at(all - done);
            let line = || format!("{} of {} {what}, {eta}", number(done), number(all));
            display.at(done, all, line, &[]);
        }
    }
}
