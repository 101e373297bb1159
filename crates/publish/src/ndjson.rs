//! The versions of pages as JSON Lines: what each showed, for programs that read text.

use std::io::{BufWriter, Write};
use std::path::Path;

use page::tree::{reread, title, visible_text};
use serde::Serialize;
use store::{Catalog, Millis, PageNumber, PageRow, Which};

use crate::PublishError;
use crate::output_file::OutputFile;
use crate::warc::ExportReport;

/// A version of a page.
#[derive(Serialize)]
struct Line<'a> {
    page: PageNumber,
    key: &'a str,
    url: &'a str,
    time: Millis,
    #[serde(rename = "type")]
    page_type: Option<&'a str>,
    title: String,
    text: String,
    version: i64,
}

/// Writes a line for each version of each page that has text, by page and version. `progress` is told
/// the pages done and their number.
///
/// # Errors
/// When the store cannot be read, or the file cannot be written.
pub async fn write_ndjson(
    catalog: &Catalog,
    path: &Path,
    mut progress: impl FnMut(u64, u64),
) -> Result<ExportReport, PublishError> {
    let file = OutputFile::create(path)?;
    let mut out = BufWriter::new(file.handle()?);
    let all = catalog.stats().await?.pages.unsigned_abs();
    let (mut records, mut done) = (0, 0);
    let mut after = PageNumber(0);
    loop {
        let rows = catalog.pages(after).await?;
        let Some(last) = rows.last() else { break };
        after = last.page;
        for row in rows.iter().filter(|row| row.versions > 0 && row.merged_into.is_none()) {
            records += write_page(catalog, row, &mut out).await?;
            done += 1;
            progress(done, all.max(done));
        }
    }
    out.flush()?;
    drop(out);
    Ok(ExportReport { records, bytes: file.finish()? })
}

async fn write_page(
    catalog: &Catalog,
    row: &PageRow,
    out: &mut impl Write,
) -> Result<u64, PublishError> {
    let mut lines = 0;
    for version in catalog.versions(row.page).await? {
        let kept = catalog.version(row.page, Which::Number(version.version)).await?;
        let Some(kept) = kept else { continue };
        let (snapshot, body) = (kept.snapshot.as_deref(), kept.body.as_deref());
        let Some(dom) = reread(snapshot, body, kept.content_type.as_deref()) else { continue };
        let line = Line {
            page: row.page,
            key: &row.key,
            url: &row.url,
            time: kept.time,
            page_type: row.page_type.as_deref(),
            title: title(&dom),
            text: visible_text(&dom),
            version: kept.version,
        };
        serde_json::to_writer(&mut *out, &line).map_err(std::io::Error::from)?;
        out.write_all(b"\n")?;
        lines += 1;
    }
    Ok(lines)
}
