//! What can go wrong with a store.

use std::path::PathBuf;

/// A failure of the store, with what to do about it where something can be done.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// The directory or its lock could not be made.
    #[error("cannot use {path} as a store: {source}")]
    Directory {
        /// The directory.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// There is no store where one was to be read.
    #[error("no store at {0}")]
    Missing(PathBuf),
    /// Another process writes to it.
    #[error("{0} is in use by another bathys process")]
    InUse(PathBuf),
    /// Written by a program that knows more than this one.
    #[error("the store has format {found}, this program reads up to {known}: use a newer bathys")]
    Newer {
        /// The format of the file.
        found: i64,
        /// The newest format this program knows.
        known: i64,
    },
    /// Written by a program older than the first release, in a format that is not read any more.
    #[error("the store has format {found}, this program reads {known}")]
    Older {
        /// The format of the file.
        found: i64,
        /// The format this program knows.
        known: i64,
    },
    /// The file is there and holds no catalog.
    #[error("it holds no catalog; was it made by something else?")]
    NoCatalog,
    /// The file of the store cannot be read as one.
    #[error("{path} cannot be opened: {source}")]
    Broken {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        source: Box<StoreError>,
    },
    /// The database refused.
    #[error("the catalog failed: {0}")]
    Sqlite(#[from] rusqlite::Error),
    /// The commit that held this step did not reach the disk.
    #[error("the catalog could not commit; is the disk full?")]
    NotCommitted,
    /// The store was closed while a step was under way.
    #[error("the store is closed")]
    Closed,
    /// No thread for the writer.
    #[error("cannot start the writer: {0}")]
    Thread(std::io::Error),
    /// A blob did not decode to what its hash says.
    #[error("blob {0} is damaged: its bytes do not match their hash")]
    Damaged(i64),
    /// A step names a page that is not there.
    #[error("the store has no page {0}")]
    NoPage(crate::model::PageNumber),
    /// A column holds what no version of this program writes.
    #[error("the catalog holds an unreadable {what}: {value}")]
    Unreadable {
        /// Which column.
        what: &'static str,
        /// What it holds.
        value: String,
    },
}
