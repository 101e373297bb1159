//! The files that archives come in: WARC files, and WACZ files with WARC files in them.

use std::borrow::Cow;
use std::fs::File;
use std::io::{self, Read, Seek};
use std::path::{Path, PathBuf};

use zip::ZipArchive;

/// Archives in one WACZ file; more is an attack.
const MOST_ARCHIVES: usize = 10_000;
/// Bytes that all archives of a WACZ file may take when they are unpacked.
const MOST_BYTES: u64 = 1 << 40;

/// A WARC file that is open.
pub(super) struct OpenWarc {
    /// What to call it: its path, and that within its WACZ file.
    pub(super) name: String,
    pub(super) file: File,
}

/// Opens the archives of a file.
pub(super) fn open(path: &Path) -> Result<Vec<OpenWarc>, FileError> {
    let failed = |source| FileError { path: path.to_owned(), source };
    let mut file = File::open(path).map_err(failed)?;
    let mut start = [0; 4];
    let is_zip = file.read_exact(&mut start).is_ok() && start == *b"PK\x03\x04";
    file.rewind().map_err(failed)?;
    let name = path.display().to_string();
    match is_zip {
        true => inside(&name, file).map_err(failed),
        false => Ok(vec![OpenWarc { name, file }]),
    }
}

/// Copies the archives of a WACZ file into temporary files, so that they can be read in any order.
fn inside(name: &str, file: File) -> io::Result<Vec<OpenWarc>> {
    let mut zip = ZipArchive::new(file)?;
    let paths: Vec<String> = zip.file_names().flatten().map(Cow::into_owned).collect();
    let is_archive = |path: &&String| {
        path.starts_with("archive/") && (path.ends_with(".warc") || path.ends_with(".warc.gz"))
    };
    let mut room = MOST_BYTES;
    let mut open = Vec::new();
    for path in paths.iter().filter(is_archive).take(MOST_ARCHIVES) {
        let mut copy = tempfile::tempfile()?;
        let size = io::copy(&mut zip.by_name(path)?.take(room), &mut copy)?;
        room -= size;
        copy.rewind()?;
        open.push(OpenWarc { name: format!("{name}/{path}"), file: copy });
    }
    if open.is_empty() {
        return Err(io::Error::other("it is a ZIP file without archive/*.warc.gz"));
    }
    Ok(open)
}

/// A file that cannot be read.
#[derive(Debug, thiserror::Error)]
#[error("cannot read {path}: {source}")]
pub struct FileError {
    /// Which one.
    pub path: PathBuf,
    /// What the system says.
    pub source: io::Error,
}
