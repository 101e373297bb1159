//! Real pages and series to measure on, under the names that judgements of them are kept by.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context as _, ensure};
use jiff::civil::DateTime;
use page::block::Parts;
use page::tree::{Mask, parse};

use crate::change::series_of;
use crate::tree::{Scratch, unpacked};

/// What there is of a directory with `pages`, `series` and `articles.json`, unpacked or not.
pub struct Corpus {
    data: Option<PathBuf>,
    pages: Option<PathBuf>,
    series: Option<PathBuf>,
    /// Where archives are unpacked to.
    _scratch: Scratch,
}

impl Corpus {
    pub fn open(data: Option<&Path>) -> anyhow::Result<Self> {
        let scratch = Scratch::new()?;
        let find = |name: &str| -> anyhow::Result<Option<PathBuf>> {
            let dir = data.map(|dir| unpacked(dir, name, &scratch)).transpose()?.flatten();
            // Unpacked into a directory of its own, it is once more inside.
            Ok(dir.map(|dir| Some(dir.join(name)).filter(|inner| inner.is_dir()).unwrap_or(dir)))
        };
        let (pages, series) = (find("pages")?, find("series")?);
        Ok(Self { data: data.map(Path::to_owned), pages, series, _scratch: scratch })
    }

    pub fn has_pages(&self) -> bool {
        self.pages.is_some()
    }

    /// The directory that pages were found in, unpacked, as another process would be told of it.
    pub fn pages_data(&self) -> Option<&Path> {
        self.pages.as_deref().and_then(Path::parent)
    }

    /// The names of all pages, in order: `FOLDER/FILE.html`.
    pub fn pages(&self) -> anyhow::Result<Vec<String>> {
        let Some(dir) = &self.pages else { return Ok(Vec::new()) };
        let mut names = Vec::new();
        for folder in listed(dir)?.into_iter().filter(|path| path.is_dir()) {
            let files = listed(&folder)?.into_iter();
            names.extend(
                files
                    .filter(|file| file.extension().is_some_and(|extension| extension == "html"))
                    .filter_map(|file| Some(file.strip_prefix(dir).ok()?.to_str()?.to_owned())),
            );
        }
        Ok(names)
    }

    /// A page by its name; `None` if it is not there.
    pub fn page(&self, name: &str) -> anyhow::Result<Option<Vec<u8>>> {
        read(self.pages.as_ref().map(|dir| dir.join(name)))
    }

    /// A page by its name, taken apart.
    pub fn parts(&self, name: &str) -> anyhow::Result<Option<Parts>> {
        Ok(self.page(name)?.map(|bytes| parts(&bytes)))
    }

    /// A version of a series by the time that its file is named by, taken apart.
    pub fn version(&self, series: &str, time: &str) -> anyhow::Result<Option<Parts>> {
        let time = time.trim_end_matches(".html");
        let file = self.series.as_ref().map(|dir| dir.join(series).join(format!("{time}.html")));
        Ok(read(file)?.map(|bytes| parts(&bytes)))
    }

    /// The series, each with the files of its versions in the order of time.
    pub fn series(&self) -> anyhow::Result<Vec<(String, Vec<PathBuf>)>> {
        self.series.as_deref().map_or(Ok(Vec::new()), series_of)
    }

    /// The text of articles by the name of their page, as people marked it.
    pub fn articles(&self) -> anyhow::Result<Option<serde_json::Value>> {
        let Some(data) = &self.data else { return Ok(None) };
        let plain = data.join("articles.json");
        let packed = data.join("articles.json.zst");
        let bytes = if plain.is_file() {
            std::fs::read(&plain).with_context(|| format!("cannot read {}", plain.display()))?
        } else if packed.is_file() {
            let mut zstd = Command::new("zstd");
            let unpacked = zstd.args(["-q", "-d", "-c"]).arg(&packed).stderr(Stdio::inherit());
            let output = unpacked.output().context("cannot run zstd; apt install zstd")?;
            ensure!(output.status.success(), "cannot unpack {}", packed.display());
            output.stdout
        } else {
            return Ok(None);
        };
        Ok(Some(serde_json::from_slice(&bytes).context("the articles are no JSON")?))
    }
}

fn parts(bytes: &[u8]) -> Parts {
    Parts::of(parse(bytes, None).dom, None, &Mask::default())
}

/// The time that a version is named by.
pub fn time_of(name: &str) -> anyhow::Result<DateTime> {
    DateTime::strptime("%Y%m%d%H%M%S", name.trim_end_matches(".html"))
        .with_context(|| format!("{name} is not named YYYYMMDDhhmmss.html"))
}

fn listed(dir: &Path) -> anyhow::Result<Vec<PathBuf>> {
    let entries =
        std::fs::read_dir(dir).with_context(|| format!("cannot list {}", dir.display()))?;
    let mut paths = entries.map(|entry| Ok(entry?.path())).collect::<anyhow::Result<Vec<_>>>()?;
    paths.sort();
    Ok(paths)
}

fn read(file: Option<PathBuf>) -> anyhow::Result<Option<Vec<u8>>> {
    let Some(file) = file.filter(|file| file.is_file()) else { return Ok(None) };
    Ok(Some(std::fs::read(&file).with_context(|| format!("cannot read {}", file.display()))?))
}
