//! Archives: everything in WARC and WACZ files, in the order of its times.

use std::path::{Path, PathBuf};

use anyhow::Context;
use derive::Import;
use derive::warc::WarcSurvey;
use store::Imported;

use crate::output::thousands;
use crate::progress::{Countdown, Display, number};
use crate::say;

/// What became of captures that are no versions.
#[derive(Default)]
pub struct Leftover {
    pub again: i64,
    pub too_old: i64,
}

impl Leftover {
    pub fn add(&mut self, imported: Imported) {
        match imported {
            Imported::Version(..) | Imported::Nothing(_) => {}
            Imported::Again(_) | Imported::Known(_) => self.again += 1,
            Imported::TooOld(_) => self.too_old += 1,
        }
    }
}

/// Whether a file is an archive, by its name.
pub fn is_archive(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy().to_ascii_lowercase();
    [".warc", ".warc.gz", ".wacz"].iter().any(|end| name.ends_with(end))
}

/// Looks through the archives. A damaged record ends it, unless those are to be skipped.
pub fn survey(
    paths: &[PathBuf],
    skip_bad: bool,
    display: &mut Display,
) -> anyhow::Result<Option<WarcSurvey>> {
    if paths.is_empty() {
        return Ok(None);
    }
    let survey = WarcSurvey::of(paths, |records| {
        if records % 64 == 0 {
            display.at(0, records, || format!("{} records read", number(records)), &[]);
        }
    })?;
    let skipped = survey.bad.len();
    match survey.bad.first() {
        Some(bad) if !skip_bad => Err(bad.clone().into()),
        Some(bad) => {
            say!("{} damaged records are skipped; the first: {bad}", thousands(skipped as i64));
            Ok(Some(survey))
        }
        None => Ok(Some(survey)),
    }
}

/// Imports what was found; says how many captures that were.
pub async fn import(
    survey: &mut WarcSurvey,
    import: &mut Import,
    display: &mut Display,
    leftover: &mut Leftover,
) -> anyhow::Result<usize> {
    let (meter, mut countdown) = (import.meter(), Countdown::default());
    let all = survey.len();
    let mut done = 0;
    while let Some(capture) = survey.next_capture().context("an archive changed meanwhile")? {
        if meter.stopped().is_some() {
            break;
        }
        let (past, all, eta) = countdown.at((all - done) as u64);
        let cut = number(import.processed());
        let line = || {
            format!("{} of {} captures, {cut} cut into blocks, {eta}", number(past), number(all))
        };
        display.at(past, all, line, &[]);
        if let Some(imported) = import.add_capture(capture).await? {
            leftover.add(imported);
        }
        done = (done + 1).min(all as usize);
    }
    if survey.unresolved > 0 {
        say!(
            "{} revisits are skipped: what they found again is in none of the files",
            thousands(survey.unresolved as i64)
        );
    }
    Ok(done)
}
