//! Why an index could not be used.

use std::io;
use std::path::PathBuf;

use store::StoreError;

/// Why an index could not be used.
#[derive(Debug, thiserror::Error)]
pub enum SearchError {
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The directory of the index cannot be used.
    #[error("cannot use {path} for the search index: {source}")]
    Directory {
        /// Where.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// The directory holds something else.
    #[error("{path} is no search index: it holds {found}")]
    NotAnIndex {
        /// The directory.
        path: PathBuf,
        /// Something in it that no index has.
        found: String,
    },
    /// The store has no directory that the index could be in.
    #[error("the store has no directory of its own for the search index")]
    NoDirectory,
    /// The index is damaged, or the disk is full.
    #[error("the search index failed: {0}")]
    Index(#[from] tantivy::TantivyError),
    /// What is searched for makes no sense.
    #[error("cannot search for this: {0}")]
    Query(String),
    /// Work on a thread of its own was lost.
    #[error("{0} was lost")]
    Lost(&'static str),
}
