//! The catalog: where a store lies and who may write to it. Its verbs are in `job` (what to do
//! next), `step` (what was done), `reading` (the records that were found), `learned` (what the crawler
//! makes of it), `lookup`, `graph`, `answer` and `record` (what is known).

use std::fs::{self, File};
use std::ops::Deref;
use std::path::Path;
use std::thread;
use std::time::Duration;

use crate::blob::BlobLocation;
use crate::engine::{Engine, FILE};
use crate::error::StoreError;
use crate::location::Location;

const LOCK: &str = "lock";
/// The most that a file of SQLite has without a table: a page.
const BARE: u64 = 4096;
/// What such a file begins with.
const SQLITE: &[u8] = b"SQLite format 3\0";
/// A program that a process starts holds its locks for a moment, until it is that program. So a store that
/// was just closed may still seem to be in use.
const LOCK_TRIES: u32 = 10;
const LOCK_PAUSE: Duration = Duration::from_millis(50);

/// What a store is opened for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Access {
    Write,
    Read,
}

/// A store that is open for questions, also while another process writes to it.
pub struct Catalog {
    pub(crate) engine: Engine,
    location: Location,
    // Held until the store is closed: the system frees it even after kill -9.
    _lock: Option<File>,
}

impl Catalog {
    /// Opens the store at `location`: a [`Location`], or the path of a directory.
    ///
    /// # Errors
    /// When there is none, it cannot be read, or a program with another format wrote it.
    pub fn open(location: impl Into<Location>) -> Result<Self, StoreError> {
        Self::open_with_blobs(location, None)
    }

    /// Opens the store at `location` that keeps the bytes of pages and answers at `blobs`.
    ///
    /// # Errors
    /// As [`Catalog::open`], and when its blobs are kept elsewhere.
    pub fn open_with_blobs(
        location: impl Into<Location>,
        blobs: Option<&BlobLocation>,
    ) -> Result<Self, StoreError> {
        Self::open_for(location.into(), blobs, Access::Read)
    }

    fn open_for(
        location: Location,
        blobs: Option<&BlobLocation>,
        access: Access,
    ) -> Result<Self, StoreError> {
        let lock = match (&location, access) {
            (Location::Directory(path), Access::Write) => Some(lock(path)?),
            (Location::Directory(path), Access::Read) if !path.join(FILE).exists() => {
                return Err(StoreError::Missing(location));
            }
            _ => None,
        };
        let engine =
            Engine::open(&location, blobs, access).map_err(|error| match (error, &location) {
                (StoreError::NoCatalog, Location::Postgres(_)) => {
                    StoreError::Missing(location.clone())
                }
                (StoreError::NoCatalog, Location::Directory(path)) if is_bare(path) => {
                    StoreError::Missing(location.clone())
                }
                (error @ (StoreError::NoCatalog | StoreError::Database { .. }), _) => {
                    let place = match &location {
                        Location::Directory(path) => path.join(FILE).display().to_string(),
                        server => server.to_string(),
                    };
                    StoreError::Broken { place, source: Box::new(error) }
                }
                (error, _) => error,
            })?;
        Ok(Self { engine, location, _lock: lock })
    }

    /// Where the store lies.
    pub fn location(&self) -> &Location {
        &self.location
    }
}

/// A store that is open to be added to: in a directory, by one process at a time.
pub struct CatalogWriter(Catalog);

impl Deref for CatalogWriter {
    type Target = Catalog;

    fn deref(&self) -> &Catalog {
        &self.0
    }
}

impl CatalogWriter {
    /// Opens the store at `location`: a [`Location`], or the path of a directory. It is made if it is not
    /// there.
    ///
    /// # Errors
    /// When the directory or server cannot be used, another process writes to the directory, or a program
    /// with another format wrote it.
    pub fn open(location: impl Into<Location>) -> Result<Self, StoreError> {
        Self::open_with_blobs(location, None)
    }

    /// Opens the store at `location` that keeps the bytes of pages and answers at `blobs`. A store
    /// remembers where that is, so whoever opens it later need not say it.
    ///
    /// # Errors
    /// As [`CatalogWriter::open`], and when its blobs are kept elsewhere.
    pub fn open_with_blobs(
        location: impl Into<Location>,
        blobs: Option<&BlobLocation>,
    ) -> Result<Self, StoreError> {
        Catalog::open_for(location.into(), blobs, Access::Write).map(Self)
    }

    /// What a catalog is to those who go the ways that are known and add nothing, also while another process
    /// writes: every verb that would change it is refused.
    pub fn refusing(catalog: Catalog) -> Self {
        Self(catalog)
    }

    /// Closes the store, and makes it as small as what it holds.
    ///
    /// # Errors
    /// When another process uses it, or there is no room for a copy of it.
    pub fn compact(self) -> Result<(), StoreError> {
        let Self(Catalog { engine, location, _lock }) = self;
        drop(engine);
        Engine::compact(&location)
    }

    /// Removes all that a store is made of, and nothing else that may be in its directory or database.
    ///
    /// # Errors
    /// When another process writes to the directory, or the store cannot be removed.
    pub fn erase(location: impl Into<Location>) -> Result<(), StoreError> {
        let location = location.into();
        let _lock = match &location {
            Location::Directory(path) if !path.exists() => return Ok(()),
            Location::Directory(path) => Some(lock(path)?),
            Location::Postgres(_) => None,
        };
        Engine::erase(&location)
    }
}

/// Whether the catalog is a file of SQLite without tables, since who was to make them was killed before that.
fn is_bare(directory: &Path) -> bool {
    let file = directory.join(FILE);
    let is_small = fs::metadata(&file).is_ok_and(|file| file.len() <= BARE);
    is_small && fs::read(&file).is_ok_and(|bytes| bytes.is_empty() || bytes.starts_with(SQLITE))
}

fn lock(directory: &Path) -> Result<File, StoreError> {
    let broken = |source| StoreError::Directory { path: directory.to_owned(), source };
    fs::create_dir_all(directory).map_err(broken)?;
    let file = File::create(directory.join(LOCK)).map_err(broken)?;
    for _ in 0..LOCK_TRIES {
        match file.try_lock() {
            Ok(()) => return Ok(file),
            Err(fs::TryLockError::WouldBlock) => thread::sleep(LOCK_PAUSE),
            Err(fs::TryLockError::Error(source)) => return Err(broken(source)),
        }
    }
    Err(StoreError::InUse(directory.to_owned()))
}
