//! `bathys export --blocks`: what blocks said, and when.

use std::io::Write;
use std::path::Path;

use anyhow::Context as _;
use publish::warc::ExportReport;
use search::TextLine;
use serde_json::Value;
use store::Catalog;

use super::index;
use super::records::Target;
use super::records::columns::{Column, Holds};
use super::records::parquet::Groups;
use crate::cli::IndexPlace;
use crate::output::json_line;

/// The columns of the table: the fields of a line, but that its occurrences are one text.
const COLUMNS: &[Column] = &[
    ("site", Holds::Text),
    ("page", Holds::Integer),
    ("key", Holds::Text),
    ("url", Holds::Text),
    ("block", Holds::Integer),
    ("lineage", Holds::Integer),
    ("topic", Holds::Text),
    ("label", Holds::Text),
    ("text", Holds::Text),
    ("first_seen", Holds::Time),
    ("last_seen", Holds::Time),
    ("pages", Holds::Integer),
    ("occurrences", Holds::Text),
];

/// What lines are written as.
enum Table {
    Jsonl(Box<dyn Write + Send>),
    Parquet(Box<Groups>),
}

/// Writes every text of the index, brought up to date.
pub async fn write(
    catalog: &Catalog,
    path: &Path,
    place: &IndexPlace,
) -> anyhow::Result<ExportReport> {
    let (index, _) = index::open(catalog, place).await?;
    let target = Target::open(Some(path))?;
    let out = target.writer()?;
    let mut table = match path.extension().is_some_and(|extension| extension == "parquet") {
        true => Table::Parquet(Box::new(Groups::begin("blocks", COLUMNS, out)?)),
        false => Table::Jsonl(out),
    };
    let records = index.each_text_line(catalog, |line| table.add(&line)).await?;
    table.end()?;
    target.finish()?;
    let size =
        std::fs::metadata(path).with_context(|| format!("cannot read {}", path.display()))?;
    Ok(ExportReport { records, bytes: size.len() })
}

impl Table {
    fn add(&mut self, line: &TextLine) -> anyhow::Result<()> {
        match self {
            Self::Jsonl(out) => json_line(out, line),
            Self::Parquet(groups) => {
                let mut line = serde_json::to_value(line)?;
                if let Some(occurrences) = line.get_mut("occurrences") {
                    *occurrences = Value::String(occurrences.to_string());
                }
                groups.add(&line)
            }
        }
    }

    fn end(self) -> anyhow::Result<()> {
        match self {
            Self::Jsonl(mut out) => Ok(out.flush()?),
            Self::Parquet(groups) => groups.end(),
        }
    }
}
