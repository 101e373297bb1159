//! The catalog: where a store lies and who may write to it. Its verbs are in `task` (what to do
//! next), `step` (what was done), `reading` (the records that were found), `learned` (what the crawler
//! makes of it), `lookup`, `graph`, `answer` and `record` (what is known).

use std::fs::{self, File};
use std::path::{Path, PathBuf};

use crate::engine::Engine;
use crate::error::StoreError;
use crate::schema::OLDEST;

const FILE: &str = "catalog.sqlite3";
const LOCK: &str = "lock";

/// What a store is opened for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// To add to it. One process at a time; the directory is made if it is not there.
    Crawl,
    /// To ask it questions, also while another process crawls.
    Read,
}

/// An open store.
pub struct Catalog {
    pub(crate) engine: Engine,
    directory: PathBuf,
    // Held until the store is closed: the system frees it even after kill -9.
    _lock: Option<File>,
}

impl Catalog {
    /// Opens the store in `directory`.
    ///
    /// # Errors
    /// When the directory cannot be used, another process crawls into it, or a program
    /// with another format wrote it.
    pub fn open(directory: &Path, access: Access) -> Result<Self, StoreError> {
        let file = directory.join(FILE);
        let lock = match access {
            Access::Read if file.exists() => None,
            Access::Read => return Err(StoreError::Missing(directory.to_owned())),
            Access::Crawl => Some(lock(directory)?),
        };
        let engine = Engine::open(&file, access == Access::Crawl).or_else(|error| match error {
            StoreError::Older { found: OLDEST.., .. } if access == Access::Read => {
                bring_up_to_date(directory, &file)
            }
            error => Err(error),
        });
        let engine = engine.map_err(|error| match error {
            error
            @ (StoreError::Newer { .. } | StoreError::Older { .. } | StoreError::InUse(_)) => error,
            source => StoreError::Broken { path: file, source: Box::new(source) },
        })?;
        Ok(Self { engine, directory: directory.to_owned(), _lock: lock })
    }

    /// Removes a store's files, and nothing else that may be in the directory.
    ///
    /// # Errors
    /// When another process crawls into it, or the files cannot be removed.
    pub fn erase(directory: &Path) -> Result<(), StoreError> {
        let _lock = lock(directory)?;
        for suffix in ["", "-wal", "-shm"] {
            match fs::remove_file(directory.join(format!("{FILE}{suffix}"))) {
                Err(source) if source.kind() != std::io::ErrorKind::NotFound => {
                    return Err(StoreError::Directory { path: directory.to_owned(), source });
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// Where the store lies.
    pub fn directory(&self) -> &Path {
        &self.directory
    }
}

/// Changes the format of a store that was to be read only, while nobody else writes to it.
fn bring_up_to_date(directory: &Path, file: &Path) -> Result<Engine, StoreError> {
    let _lock = lock(directory)?;
    drop(Engine::open(file, true)?);
    Engine::open(file, false)
}

fn lock(directory: &Path) -> Result<File, StoreError> {
    let broken = |source| StoreError::Directory { path: directory.to_owned(), source };
    fs::create_dir_all(directory).map_err(broken)?;
    let file = File::create(directory.join(LOCK)).map_err(broken)?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(fs::TryLockError::WouldBlock) => Err(StoreError::InUse(directory.to_owned())),
        Err(fs::TryLockError::Error(source)) => Err(broken(source)),
    }
}
