//! The store as standard archive files: WARC 1.1, its CDXJ index, and WACZ with a list of pages.
//!
//! Records are in the order of their times, and the same store gives the same bytes. Memory is that of the
//! largest body, of 32 MB of index lines, and of some 200 bytes for each exchange. States that only events
//! reach are records of their own, under [an address of their own](state_address).

mod archiver;
mod digest;
pub(crate) mod fields;
pub(crate) mod index;
mod line_sorter;
pub(crate) mod message;
pub(crate) mod originals;
mod page_list;
mod record;
pub(crate) mod state;
mod surt;
mod wacz;

use std::io::{BufWriter, Write, sink};
use std::path::{Path, PathBuf};

use serde::Serialize;
use store::Catalog;

pub use archiver::Pictures;
pub use digest::PayloadDigest;
pub use record::{RecordId, RecordKind, RecordPlace, WarcDate, WarcRecord, WarcWriter};
pub use state::state_address;
pub use surt::surt;

use crate::PublishError;
use crate::output_file::OutputFile;
use archiver::Archiver;
use index::Index;
use page_list::PageList;
use wacz::WaczFile;

/// The level of gzip that is used if nothing is said: `bathys bench warc` measures what each costs.
pub const DEFAULT_LEVEL: u32 = 2;

/// The archive's name within a WACZ file.
const INNER: &str = "data.warc.gz";

/// What was written.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct ExportReport {
    /// Records of an archive, or lines.
    pub records: u64,
    /// Size of the files.
    pub bytes: u64,
}

/// How archives are written.
#[derive(Clone, Copy)]
pub struct ArchiveOptions<'a> {
    /// Level of gzip, 1 to 9.
    pub level: u32,
    /// Who draws each version of each page, if pictures are wanted: resources under `urn:view:` and the
    /// address of the page, as other archives have them.
    pub pictures: Option<&'a dyn Pictures>,
}

impl Default for ArchiveOptions<'_> {
    fn default() -> Self {
        Self { level: DEFAULT_LEVEL, pictures: None }
    }
}

/// Files to write of one archive.
#[derive(Clone, Debug, Default)]
pub struct WarcFiles {
    /// The archive; compressed unless its name ends in `.warc`. Without one, the index is that of the
    /// archive which would be written beside it.
    pub warc: Option<PathBuf>,
    /// Its index.
    pub cdxj: Option<PathBuf>,
}

/// Writes an archive of the whole store. `progress` is told the entries done and their number. Nothing
/// is left behind of files that were not finished.
///
/// ```no_run
/// use publish::warc::{ArchiveOptions, WarcFiles, write_warc};
///
/// # async fn example() -> Result<(), publish::PublishError> {
/// let catalog = store::Catalog::open(std::path::Path::new("bathys-data"))?;
/// let (files, options) =
///     (WarcFiles { warc: Some("site.warc.gz".into()), cdxj: None }, ArchiveOptions::default());
/// let report = write_warc(&catalog, &files, options, |done, all| println!("{done} of {all}")).await?;
/// assert!(report.records > 0);
/// # Ok(())
/// # }
/// ```
///
/// # Errors
/// When the store cannot be read, holds nothing, or a file cannot be written.
pub async fn write_warc(
    catalog: &Catalog,
    files: &WarcFiles,
    options: ArchiveOptions<'_>,
    progress: impl FnMut(u64, u64),
) -> Result<ExportReport, PublishError> {
    let beside = files.cdxj.as_ref().map(|cdxj| cdxj.with_extension("warc.gz"));
    let path = files.warc.as_ref().or(beside.as_ref());
    let name = path.map(|path| file_name(path)).unwrap_or_default();
    let level = (!name.ends_with(".warc")).then_some(options.level);
    let warc = files.warc.as_deref().map(OutputFile::create).transpose()?;
    let cdxj = files.cdxj.as_deref().map(OutputFile::create).transpose()?;
    let out: Box<dyn Write + Send> = match &warc {
        Some(file) => Box::new(BufWriter::new(file.handle()?)),
        None => Box::new(sink()),
    };
    let mut index = cdxj.is_some().then(|| Index::of(&name));
    let mut archiver =
        Archiver::new(WarcWriter::new(out, level), index.as_mut(), None, options.pictures);
    archiver.run(catalog, &name, progress).await?;
    let (records, mut bytes) = (archiver.records, 0);
    archiver.file.into_inner().flush()?;
    if let Some(file) = warc {
        bytes += file.finish()?;
    }
    if let (Some(file), Some(index)) = (cdxj, index) {
        let mut out = BufWriter::new(file.handle()?);
        index.write_to(&mut out)?;
        out.flush()?;
        bytes += file.finish()?;
    }
    Ok(ExportReport { records, bytes })
}

/// Writes an archive of the whole store with its index and a list of its pages, as one WACZ file.
///
/// # Errors
/// When the store cannot be read, holds nothing, or the file cannot be written.
pub async fn write_wacz(
    catalog: &Catalog,
    path: &Path,
    options: ArchiveOptions<'_>,
    progress: impl FnMut(u64, u64),
) -> Result<ExportReport, PublishError> {
    let file = OutputFile::create(path)?;
    let mut wacz = WaczFile::new(file.handle()?);
    let (mut index, mut pages) = (Index::of(INNER), PageList::new()?);
    let inner = format!("archive/{INNER}");
    let out = wacz.begin(&inner, true)?;
    let file_in_zip = WarcWriter::new(out, Some(options.level));
    let mut archiver =
        Archiver::new(file_in_zip, Some(&mut index), Some(&mut pages), options.pictures);
    archiver.run(catalog, INNER, progress).await?;
    let (records, last) = (archiver.records, archiver.last);
    let end = archiver.file.into_inner().end();
    wacz.note(&inner, end);
    wacz.add_index(index)?;
    let main = pages.main.clone();
    let [pages, extra] = pages.finish()?;
    wacz.add("pages/pages.jsonl", pages)?;
    wacz.add("pages/extraPages.jsonl", extra)?;
    wacz.finish(main, last)?;
    Ok(ExportReport { records, bytes: file.finish()? })
}

fn file_name(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}
