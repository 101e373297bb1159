//! WACZ 1.1.1: one ZIP file with the archive, its index, the list of its pages with their text, and the
//! hashes of all of it.

use std::io::{self, BufWriter, Seek, Write};

use flate2::{Compression, GzBuilder};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use store::Millis;
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipWriter};

use super::index::Index;
use super::record::WarcDate;
use crate::PublishError;

/// Lines of the index in one gzip member, as other writers have it.
const LINES: usize = 1024;

/// A WACZ file that is being written.
pub(super) struct WaczFile<W: Write + Seek> {
    zip: ZipWriter<BufWriter<W>>,
    resources: Vec<Value>,
}

impl<W: Write + Seek> WaczFile<W> {
    pub(super) fn new(out: W) -> Self {
        Self { zip: ZipWriter::new(BufWriter::new(out)), resources: Vec::new() }
    }

    /// Adds a file; `fill` writes it. What is compressed already is stored as it is.
    pub(super) fn begin(
        &mut self,
        path: &str,
        is_packed: bool,
    ) -> Result<Hashed<&mut ZipWriter<BufWriter<W>>>, PublishError> {
        self.zip.start_file(path, options(is_packed)).map_err(io::Error::from)?;
        Ok(Hashed { out: &mut self.zip, hash: Sha256::new(), size: 0 })
    }

    /// Notes the file that was added.
    pub(super) fn note(&mut self, path: &str, (hash, size): (String, u64)) {
        // Names of a data package have no capitals.
        let name = path.rsplit('/').next().unwrap_or(path).to_ascii_lowercase();
        self.resources.push(json!({ "name": name, "path": path, "hash": hash, "bytes": size }));
    }

    /// Adds a file that is at hand.
    pub(super) fn add(&mut self, path: &str, mut from: impl io::Read) -> Result<(), PublishError> {
        let mut out = self.begin(path, false)?;
        io::copy(&mut from, &mut out)?;
        let end = out.end();
        self.note(path, end);
        Ok(())
    }

    /// Adds the index: lines in gzip members, and an index of these.
    pub(super) fn add_index(&mut self, index: Index) -> Result<(), PublishError> {
        let (path, mut offset) = ("indexes/index.cdx.gz", 0);
        let mut members = String::from(
            "!meta 0 {\"format\": \"cdxj-gzip-1.0\", \"filename\": \"index.cdx.gz\"}\n",
        );
        let mut out = self.begin(path, true)?;
        let mut block = String::new();
        let mut lines = 0;
        let mut flush = |block: &mut String| -> io::Result<()> {
            let mut gzip = GzBuilder::new().write(Vec::new(), Compression::default());
            gzip.write_all(block.as_bytes())?;
            let packed = gzip.finish()?;
            out.write_all(&packed)?;
            let first = block.split('{').next().unwrap_or_default().trim();
            let (hash, length) = (sha256(&packed), packed.len());
            members.push_str(&format!(
                "{first} {{\"offset\": {offset}, \"length\": {length}, \"digest\": \"{hash}\"}}\n"
            ));
            offset += length;
            block.clear();
            Ok(())
        };
        index.for_each(|line| {
            block.push_str(line);
            lines += 1;
            if lines % LINES == 0 { flush(&mut block) } else { Ok(()) }
        })?;
        if !block.is_empty() {
            flush(&mut block)?;
        }
        let end = out.end();
        self.note(path, end);
        self.add("indexes/index.idx", members.as_bytes())
    }

    /// Writes what the file is, and ends it.
    pub(super) fn finish(
        mut self,
        main: Option<(String, Millis)>,
        created: Millis,
    ) -> Result<W, PublishError> {
        let mut package = json!({
            "profile": "data-package",
            "wacz_version": "1.1.1",
            "software": concat!("bathys ", env!("CARGO_PKG_VERSION")),
            "created": WarcDate(Millis(created.0 / 1000 * 1000)).to_string(),
            "resources": self.resources,
        });
        if let Some((url, date)) = main {
            package["mainPageUrl"] = url.into();
            package["mainPageDate"] = WarcDate(date).to_string().into();
        }
        let package = format!("{package:#}\n");
        let digest = json!({ "path": "datapackage.json", "hash": sha256(package.as_bytes()) });
        let files =
            [("datapackage.json", package), ("datapackage-digest.json", format!("{digest:#}\n"))];
        for (path, text) in files {
            self.zip.start_file(path, options(false)).map_err(io::Error::from)?;
            self.zip.write_all(text.as_bytes())?;
        }
        let out = self.zip.finish().map_err(io::Error::from)?;
        Ok(out.into_inner().map_err(io::IntoInnerError::into_error)?)
    }
}

fn options(is_packed: bool) -> SimpleFileOptions {
    let method = if is_packed { CompressionMethod::Stored } else { CompressionMethod::Deflated };
    SimpleFileOptions::default().compression_method(method).large_file(true)
}

fn sha256(bytes: &[u8]) -> String {
    written(Sha256::new_with_prefix(bytes))
}

fn written(hash: Sha256) -> String {
    let digits: String = hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect();
    format!("sha256:{digits}")
}

/// Hashes and counts what is written through it.
pub(super) struct Hashed<W> {
    out: W,
    hash: Sha256,
    size: u64,
}

impl<W> Hashed<W> {
    pub(super) fn end(self) -> (String, u64) {
        (written(self.hash), self.size)
    }
}

impl<W: Write> Write for Hashed<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let size = self.out.write(bytes)?;
        self.hash.update(&bytes[..size]);
        self.size += size as u64;
        Ok(size)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}
