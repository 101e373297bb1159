//! What can go wrong with a store.

use std::path::PathBuf;

use crate::location::Location;

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
    /// What names a store can name none.
    #[error("cannot use {text} as a store: {why}")]
    Address {
        /// What was given, without a password.
        text: String,
        /// What is wrong with it.
        why: String,
    },
    /// The server of the store does not answer, or turns us away.
    #[error("cannot connect to {server}: {source}; is the server up, and the address right?")]
    Connect {
        /// Where it is, without a password.
        server: String,
        /// What the driver said.
        source: Box<dyn std::error::Error + Send + Sync>,
        /// Whether another try may succeed.
        passes: bool,
    },
    /// There is no store where one was to be read.
    #[error("no store at {0}")]
    Missing(Location),
    /// Another process writes to it.
    #[error("{0} is in use by another bathys process")]
    InUse(PathBuf),
    /// Another process works on a site of it.
    #[error(
        "{site} is being worked on by {owner}; it is free when that ends, or {seconds} s after it died"
    )]
    Leased {
        /// The site.
        site: String,
        /// Machine, process and time of its start.
        owner: String,
        /// For how long its lease holds.
        seconds: i64,
    },
    /// Another process took a site over, because its lease was not renewed in time.
    #[error("{0} was taken over by another process: what this one did last is not kept")]
    LeaseLost(String),
    /// It was opened without the right to write.
    #[error("the store was opened for reading only")]
    ReadOnly,
    /// Written by a program that knows more than this one.
    #[error("the store has format {found}, this program reads up to {known}: use a newer bathys")]
    Newer {
        /// The format of the store.
        found: i64,
        /// The newest format this program knows.
        known: i64,
    },
    /// Written by an earlier program; whoever writes to it brings it up to date, a reader does not.
    #[error(
        "the store has format {found}, this program reads {known}: whatever writes to it brings it up to date"
    )]
    Outdated {
        /// The format of the store.
        found: i64,
        /// The format this program knows.
        known: i64,
    },
    /// Written by a program older than the first release, in a format that is not read any more.
    #[error(
        "the store has format {found}, this program reads {known}: crawl anew into another store"
    )]
    Older {
        /// The format of the store.
        found: i64,
        /// The format this program knows.
        known: i64,
    },
    /// The store is there and holds no catalog.
    #[error("it holds no catalog; was it made by something else?")]
    NoCatalog,
    /// The file or database of the store cannot be read as one.
    #[error("{place} cannot be opened: {source}")]
    Broken {
        /// The file or database.
        place: String,
        /// What is wrong with it.
        source: Box<StoreError>,
    },
    /// The database refused.
    #[error("the catalog failed: {source}")]
    Database {
        /// What the driver said.
        source: Box<dyn std::error::Error + Send + Sync>,
        /// Whether another try may succeed.
        passes: bool,
        /// Whether the connection is gone.
        lost: bool,
    },
    /// The commit that held this step did not reach the disk.
    #[error("the catalog could not commit: {0}")]
    NotCommitted(String),
    /// The server that keeps blobs failed.
    #[error("blobs at {place} failed: {source}")]
    Blobs {
        /// Where they lie.
        place: String,
        /// What the driver said.
        source: Box<dyn std::error::Error + Send + Sync>,
    },
    /// Bytes lie outside of the catalog, and nobody said where.
    #[error("the bytes lie outside of the catalog, and it does not say where")]
    NoBlobs,
    /// The blobs of the store lie elsewhere.
    #[error("the blobs of this store are at {known}, not at {given}")]
    OtherBlobs {
        /// Where they are.
        known: String,
        /// Where they were said to be.
        given: String,
    },
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

impl StoreError {
    /// Whether the same may succeed when it is tried again.
    pub(crate) fn passes(&self) -> bool {
        matches!(self, Self::Database { passes: true, .. } | Self::Connect { passes: true, .. })
    }

    /// Whether the connection is gone.
    pub(crate) fn is_lost(&self) -> bool {
        matches!(self, Self::Database { lost: true, .. })
    }
}
