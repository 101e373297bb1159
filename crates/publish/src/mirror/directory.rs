//! The directory of a mirror: made beside its place and put there when it is whole, never over
//! something that is no mirror.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use crate::PublishError;
use crate::mirror::shelf::FOLDER;

/// Names a directory as a mirror.
const MARKER: &str = "bathys-mirror.json";

/// A mirror in the making.
pub(crate) struct Directory {
    place: PathBuf,
    new: PathBuf,
}

impl Directory {
    /// Begins a mirror that will lie at `place`.
    pub(crate) fn begin(place: &Path) -> Result<Self, PublishError> {
        let failed = |source| PublishError::file(place, source);
        let place = std::path::absolute(place).map_err(failed)?;
        // Through links, so that what is replaced is what was looked at.
        let place = if place.exists() { place.canonicalize().map_err(failed)? } else { place };
        if place.exists() {
            check(&place)?;
        }
        let name = place.file_name().map(|name| name.to_string_lossy().into_owned());
        let name = name.unwrap_or_else(|| "mirror".into());
        let new = place.with_file_name(format!(".{name}.bathys-new"));
        if new.exists() {
            check(&new)?;
            fs::remove_dir_all(&new).map_err(|source| PublishError::file(&new, source))?;
        }
        let made = Self { place, new };
        fs::create_dir_all(made.new.join(FOLDER))
            .map_err(|source| PublishError::file(&made.new, source))?;
        made.write(MARKER, b"{\"format\":1,\"complete\":false}\n")?;
        Ok(made)
    }

    /// Writes one file. Names are made by this crate: numbers, hashes and constants.
    pub(crate) fn write(&self, name: &str, bytes: &[u8]) -> Result<u64, PublishError> {
        let path = self.new.join(name);
        let mut file =
            fs::File::create(&path).map_err(|source| PublishError::file(&path, source))?;
        file.write_all(bytes).map_err(|source| PublishError::file(&path, source))?;
        Ok(bytes.len() as u64)
    }

    /// Puts the mirror in its place; an older one is gone then.
    pub(crate) fn finish(self) -> Result<(), PublishError> {
        self.write(MARKER, b"{\"format\":1,\"complete\":true}\n")?;
        let failed = |source| PublishError::file(&self.place, source);
        if self.place.exists() {
            // Looked at again: it took a while.
            check(&self.place)?;
            let old = self.new.with_extension("bathys-old");
            if old.exists() {
                check(&old)?;
                fs::remove_dir_all(&old).map_err(failed)?;
            }
            fs::rename(&self.place, &old).map_err(failed)?;
            fs::rename(&self.new, &self.place).map_err(failed)?;
            return fs::remove_dir_all(&old).map_err(failed);
        }
        fs::rename(&self.new, &self.place).map_err(failed)
    }
}

/// That a directory is empty, or a mirror and nothing else.
fn check(path: &Path) -> Result<(), PublishError> {
    let refuse = |found: String| PublishError::NotAMirror { path: path.to_owned(), found };
    if !path.is_dir() {
        return Err(refuse("a file, not a directory".into()));
    }
    let entries = fs::read_dir(path).map_err(|source| PublishError::file(path, source))?;
    let (mut is_mirror, mut is_empty) = (false, true);
    for entry in entries {
        let entry = entry.map_err(|source| PublishError::file(path, source))?;
        let name = entry.file_name().to_string_lossy().into_owned();
        is_empty = false;
        is_mirror |= name == MARKER;
        if !is_own(&name) {
            return Err(refuse(name));
        }
    }
    match is_empty || is_mirror {
        true => Ok(()),
        false => Err(refuse("files, but not the marker of a mirror".into())),
    }
}

/// Whether a name is one that a mirror uses.
fn is_own(name: &str) -> bool {
    let is_page = |name: &str| {
        let Some(stem) = name.strip_suffix(".html") else { return false };
        let stem = stem.strip_prefix("index-").unwrap_or(stem);
        matches!(stem, "index" | "outside")
            || stem
                .split('.')
                .all(|part| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit()))
    };
    name == MARKER || name == FOLDER || name == "bathys.css" || is_page(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_an_empty_directory_or_a_mirror_is_replaced() {
        let scratch = tempfile::tempdir().unwrap();
        let place = scratch.path().join("m");
        for _ in 0..2 {
            let made = Directory::begin(&place).unwrap();
            made.write("1.html", b"x").unwrap();
            made.finish().unwrap();
        }
        assert!(place.join("1.html").exists());
        assert_eq!(fs::read_dir(scratch.path()).unwrap().count(), 1, "nothing is left beside it");
        fs::write(place.join("thesis.doc"), "x").unwrap();
        assert!(matches!(Directory::begin(&place), Err(PublishError::NotAMirror { .. })));
        assert!(place.join("thesis.doc").exists());
    }

    #[test]
    fn a_mirror_that_was_not_finished_is_begun_again() {
        let scratch = tempfile::tempdir().unwrap();
        let place = scratch.path().join("m");
        drop(Directory::begin(&place).unwrap());
        assert!(!place.exists());
        Directory::begin(&place).unwrap().finish().unwrap();
        assert!(place.exists());
    }
}
