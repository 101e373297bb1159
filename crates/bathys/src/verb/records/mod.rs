//! `bathys records`: the tables of a site, back out of its pages.

pub mod columns;
mod csv;
pub mod parquet;

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use anyhow::Context;
use record::{Moment, Record};
use store::{Catalog, RecordLine, RecordQuery, Which};

use crate::address::which;
use crate::cli::{RecordFormat, RecordKind, RecordsFlags};
use crate::output::{CleanWriter, Usage, exact_stdout, json_line, stdout_is_terminal, thousands};
use crate::progress::Display;
use crate::records::{History, Line, Page};
use crate::say;
use crate::settings::Settings;

pub async fn run(settings: &Settings, flags: &RecordsFlags) -> anyhow::Result<()> {
    let query = query(flags)?;
    let format = match flags.format {
        Some(RecordFormat::Csv | RecordFormat::Parquet) if settings.json => {
            let said = "--json asks for JSON; leave it out, or leave --format out";
            return Err(Usage(said.into()).into());
        }
        None if settings.json => Some(RecordFormat::Jsonl),
        None => flags.output.as_deref().and_then(named),
        format => format,
    };
    let is_seen = flags.output.is_none() && stdout_is_terminal();
    if format == Some(RecordFormat::Parquet) && is_seen {
        let said = "Parquet is a binary format; name a file with -o, such as -o records.parquet";
        return Err(Usage(said.into()).into());
    }
    let catalog = settings.open()?;
    let target = Target::open(flags.output.as_deref())?;
    let mut table = Table::begin(format, target.writer()?)?;
    let mut display = Display::without_bar();
    let so_far = |count| display.at(0, 0, || format!("{} records", thousands(count)), &[]);
    let count = write(&catalog, query, &mut table, so_far).await?;
    table.end()?;
    target.finish()?;
    if count == 0 {
        say!("no records; 'bathys types' shows what was learned about the pages");
    } else if format.is_none() || flags.output.is_some() {
        say!("{} records", thousands(count));
    }
    Ok(())
}

/// The format that the name of a file asks for.
fn named(file: &Path) -> Option<RecordFormat> {
    match file.extension()?.to_str()? {
        "jsonl" | "ndjson" | "json" => Some(RecordFormat::Jsonl),
        "csv" => Some(RecordFormat::Csv),
        "parquet" => Some(RecordFormat::Parquet),
        _ => None,
    }
}

fn query(flags: &RecordsFlags) -> anyhow::Result<RecordQuery> {
    let at = match flags.at.as_deref().map(|text| (text, which(text))) {
        None => None,
        Some((_, Some(Which::At(time)))) => Some(time),
        Some((text, _)) => {
            let said = format!("{text} is no time; write 2026-01-31 or 2026-01-31T10:00:00Z");
            return Err(Usage(said).into());
        }
    };
    let kind = flags.kind.map(|kind| match kind {
        RecordKind::Thread => "thread",
        RecordKind::Post => "post",
        RecordKind::Item => "item",
    });
    Ok(RecordQuery {
        kind: kind.map(str::to_owned),
        site: flags.site.clone(),
        at,
        history: flags.history,
    })
}

/// Writes batch after batch, so that a store of any size takes the memory of one. `so_far` is told how many
/// there were.
pub async fn write(
    catalog: &Catalog,
    query: RecordQuery,
    table: &mut Table,
    mut so_far: impl FnMut(i64),
) -> anyhow::Result<i64> {
    let (mut count, mut after) = (0, None);
    loop {
        let batch = catalog.records(query.clone(), after).await?;
        let Some(last) = batch.last() else { return Ok(count) };
        after = Some((last.site.clone(), last.record, last.edition));
        for kept in batch {
            table.add(&line(&kept)?)?;
            count += 1;
        }
        so_far(count);
    }
}

/// A kept record, as it is told.
pub fn line(kept: &RecordLine) -> anyhow::Result<Line> {
    let name = || format!("record {} of {}", kept.record.0, kept.site);
    let broken = || format!("{} cannot be read; crawl again with --fresh", name());
    let mut record: Record = serde_json::from_slice(&kept.body).with_context(broken)?;
    record.confidence = kept.confidence;
    record.proofs = serde_json::from_str(&kept.proofs).with_context(broken)?;
    // A later look may have told the time more exactly than "3 hours ago".
    if record.time.as_ref().is_none_or(|time| time.relative)
        && let Some(moment) = &kept.moment
    {
        let moment: Moment = serde_json::from_str(moment).with_context(broken)?;
        record.time = Some(moment);
    }
    let url = kept.url.parse().with_context(broken)?;
    let line = Line::new(record, &kept.site, Page::Number(kept.page.0), url);
    let history = History {
        version: Some(kept.version),
        first_seen: Some(kept.first_seen),
        last_seen: Some(kept.last_seen),
        edited: kept.edited,
        deleted: kept.deleted,
    };
    Ok(Line { history, ..line })
}

/// Where a table is written: stdout, or a file that is there only when it is whole.
pub enum Target {
    Stdout,
    File {
        part: PathBuf,
        whole: PathBuf,
    },
    /// A device or a pipe, which is written to as it is.
    Device(PathBuf),
}

impl Target {
    pub fn open(file: Option<&Path>) -> anyhow::Result<Self> {
        let Some(whole) = file.map(Path::to_owned) else { return Ok(Self::Stdout) };
        // What a link leads to is written, not the link.
        let whole = std::fs::canonicalize(&whole).unwrap_or(whole);
        if std::fs::metadata(&whole).is_ok_and(|there| !there.is_file() && !there.is_dir()) {
            return Ok(Self::Device(whole));
        }
        let mut part = whole.clone().into_os_string();
        part.push(".part");
        Ok(Self::File { part: part.into(), whole })
    }

    pub fn writer(&self) -> anyhow::Result<Box<dyn Write + Send>> {
        Ok(match self {
            Self::Stdout => exact_stdout(),
            Self::Device(device) => {
                let said = || format!("cannot write {}; name another file", device.display());
                let open = std::fs::OpenOptions::new().write(true).open(device);
                Box::new(BufWriter::new(open.with_context(said)?))
            }
            Self::File { part, whole } => {
                let said = || format!("cannot write {}; name another file", whole.display());
                Box::new(BufWriter::new(File::create(part).with_context(said)?))
            }
        })
    }

    pub fn finish(&self) -> anyhow::Result<()> {
        let Self::File { part, whole } = self else { return Ok(()) };
        let said = || format!("cannot write {}; name another file", whole.display());
        std::fs::rename(part, whole).with_context(said)
    }
}

/// Half a file is of no use to anybody. A whole one has left its first name.
impl Drop for Target {
    fn drop(&mut self) {
        if let Self::File { part, .. } = self {
            let _ = std::fs::remove_file(part);
        }
    }
}

/// What records are written as.
pub enum Table {
    Eye(CleanWriter<Box<dyn Write + Send>>),
    Jsonl(Box<dyn Write + Send>),
    Csv(Box<dyn Write + Send>),
    Parquet(Box<parquet::Groups>),
}

impl Table {
    pub fn begin(
        format: Option<RecordFormat>,
        mut out: Box<dyn Write + Send>,
    ) -> anyhow::Result<Self> {
        Ok(match format {
            None => {
                let mut out = CleanWriter::new(out);
                Line::head(&mut out)?;
                Self::Eye(out)
            }
            Some(RecordFormat::Jsonl) => Self::Jsonl(out),
            Some(RecordFormat::Csv) => {
                csv::head(&mut out)?;
                Self::Csv(out)
            }
            Some(RecordFormat::Parquet) => {
                let groups = parquet::Groups::begin("records", columns::COLUMNS, out)?;
                Self::Parquet(Box::new(groups))
            }
        })
    }

    fn add(&mut self, line: &Line) -> anyhow::Result<()> {
        match self {
            Self::Eye(out) => line.row(out)?,
            Self::Jsonl(out) => json_line(out, line)?,
            Self::Csv(out) => csv::row(out, &serde_json::to_value(line)?)?,
            Self::Parquet(groups) => groups.add(&serde_json::to_value(line)?)?,
        }
        Ok(())
    }

    pub fn end(self) -> anyhow::Result<()> {
        match self {
            Self::Eye(mut out) => Ok(out.flush()?),
            Self::Jsonl(mut out) | Self::Csv(mut out) => Ok(out.flush()?),
            Self::Parquet(groups) => groups.end(),
        }
    }
}
