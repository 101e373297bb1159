//! The index: where it lies, and how far it has followed its store.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use serde::{Deserialize, Serialize};
use store::{Location, Millis, PageNumber};
use tantivy::{IndexReader, ReloadPolicy};

use crate::error::SearchError;
use crate::page_types::CachedTypes;
use crate::schema::{self, FORMAT, Fields};

/// The directory of the index in a store that has one.
const NAME: &str = "search";
/// Every index has it.
const META: &str = "meta.json";

/// A full-text index of a store, derived from it: it can be removed at any time.
///
/// Many processes may ask; one at a time brings it up to date.
///
/// ```
/// use search::{Index, Query};
/// use store::CatalogWriter;
///
/// # tokio::runtime::Runtime::new().unwrap().block_on(async {
/// # let dir = tempfile::tempdir().unwrap();
/// let store = CatalogWriter::open(dir.path()).unwrap();
/// let index = Index::open(&Index::place(store.location(), None).unwrap()).unwrap();
/// index.update(&store, |_| ()).await.unwrap();
/// let found = index.search(&store, &Query::new("harbour -fire \"in the morning\"")).await.unwrap();
/// assert_eq!(found.total, 0);
/// # });
/// ```
pub struct Index {
    pub(crate) inner: Arc<Inner>,
    /// Held by whoever brings it up to date in this process.
    pub(crate) updating: tokio::sync::Mutex<()>,
    pub(crate) types: Mutex<Option<CachedTypes>>,
}

pub(crate) struct Inner {
    pub(crate) index: tantivy::Index,
    pub(crate) fields: Fields,
    pub(crate) reader: IndexReader,
}

/// How far a store was followed: kept with each commit of the index.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Followed {
    pub(crate) format: u32,
    pub(crate) sites: BTreeMap<String, Mark>,
}

/// The last change of a site that the index has. Its time and page tell a store that was begun anew from
/// one that went on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Mark {
    pub(crate) seq: i64,
    pub(crate) time: i64,
    pub(crate) page: i64,
}

impl Mark {
    pub(crate) fn of(change: &store::Change) -> Self {
        Self { seq: change.seq, time: change.time.0, page: change.page.0 }
    }

    pub(crate) fn is_of(&self, change: &store::Change) -> bool {
        *self == Self::of(change)
    }
}

impl Index {
    /// Where the index of a store lies: in its directory, unless another place is named.
    ///
    /// # Errors
    /// When the store has no directory and no place is named.
    pub fn place(store: &Location, named: Option<&Path>) -> Result<PathBuf, SearchError> {
        match (named, store) {
            (Some(named), _) => Ok(named.to_owned()),
            (None, Location::Directory(store)) => Ok(store.join(NAME)),
            (None, Location::Postgres(_)) => Err(SearchError::NoDirectory),
        }
    }

    /// Opens the index in a directory, or begins one there. One of another format is begun anew.
    ///
    /// # Errors
    /// When the directory cannot be used, or holds something else.
    pub fn open(directory: &Path) -> Result<Self, SearchError> {
        let broken = |source| SearchError::Directory { path: directory.to_owned(), source };
        fs::create_dir_all(directory).map_err(broken)?;
        check(directory)?;
        if let Some(inner) = Inner::open(directory)? {
            return Ok(Self::of(inner));
        }
        Self::remove(directory)?;
        Self::open(directory)
    }

    fn of(inner: Inner) -> Self {
        Self {
            inner: Arc::new(inner),
            updating: tokio::sync::Mutex::new(()),
            types: Mutex::new(None),
        }
    }

    /// Removes the index in a directory, and nothing else that may be there.
    ///
    /// # Errors
    /// When the directory holds something else, or cannot be written to.
    pub fn remove(directory: &Path) -> Result<(), SearchError> {
        if !directory.exists() {
            return Ok(());
        }
        check(directory)?;
        let broken = |source| SearchError::Directory { path: directory.to_owned(), source };
        for entry in fs::read_dir(directory).map_err(broken)? {
            let path = entry.map_err(broken)?.path();
            if path.is_file() {
                fs::remove_file(&path).map_err(broken)?;
            }
        }
        Ok(())
    }

    /// The distinct texts that it holds.
    ///
    /// # Errors
    /// When the index fails.
    pub fn texts(&self) -> Result<u64, SearchError> {
        self.inner.reader.reload()?;
        Ok(self.inner.reader.searcher().num_docs())
    }
}

impl Inner {
    fn open(directory: &Path) -> Result<Option<Self>, SearchError> {
        let Some((index, fields)) = schema::open(directory)? else { return Ok(None) };
        let reader = index.reader_builder().reload_policy(ReloadPolicy::Manual).try_into()?;
        let inner = Self { index, fields, reader };
        // Before its first commit it says nothing, and holds nothing.
        let is_known = inner.followed()?.is_none_or(|followed| followed.format == FORMAT);
        Ok(is_known.then_some(inner))
    }

    /// How far the store was followed; `None` for an index that holds nothing yet, or one whose
    /// note cannot be read.
    pub(crate) fn followed(&self) -> Result<Option<Followed>, SearchError> {
        let payload = self.index.load_metas()?.payload;
        Ok(payload.and_then(|payload| serde_json::from_str(&payload).ok()))
    }
}

/// Refuses a directory that holds anything but an index.
fn check(directory: &Path) -> Result<(), SearchError> {
    if directory.join(META).exists() {
        return Ok(());
    }
    let broken = |source| SearchError::Directory { path: directory.to_owned(), source };
    let first = fs::read_dir(directory).map_err(broken)?.next().transpose().map_err(broken)?;
    // An index that was being begun, or removed, leaves files with a point in front.
    match first.map(|entry| entry.file_name().to_string_lossy().into_owned()) {
        Some(found) if !found.starts_with('.') => {
            Err(SearchError::NotAnIndex { path: directory.to_owned(), found })
        }
        _ => Ok(()),
    }
}

/// The last moment at which something is taken to be there, as the columns have it: what still stands ends
/// never.
pub(crate) fn end_of(gone: Option<Millis>) -> i64 {
    gone.map_or(i64::MAX, |gone| gone.0 - 1)
}

/// The number of a page as an indexed field has it.
pub(crate) fn number(page: PageNumber) -> u64 {
    page.0 as u64
}
