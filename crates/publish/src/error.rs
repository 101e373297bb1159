//! Why something could not be published.

use std::io;
use std::path::PathBuf;

use store::{PageNumber, StoreError};

/// Why something could not be published.
#[derive(Debug, thiserror::Error)]
pub enum PublishError {
    /// The catalog failed.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The output could not be written.
    #[error("cannot write: {0}")]
    Output(#[from] io::Error),
    /// A file or directory could not be written.
    #[error("cannot write {path}: {source}; free space or name another directory")]
    File {
        /// Where.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// The directory holds something else.
    #[error("{path} is no mirror: it holds {found}; name an empty or a new directory")]
    NotAMirror {
        /// The directory.
        path: PathBuf,
        /// Something in it that no mirror has.
        found: String,
    },
    /// Nothing was captured.
    #[error("the store holds no captured page")]
    Nothing,
    /// A version is no HTML page.
    #[error("version {version} of page {page} is no HTML page and has no blocks")]
    NoTree {
        /// The page.
        page: PageNumber,
        /// The version.
        version: i64,
    },
    /// A highlighted page is not in the graph.
    #[error("page {0} is not in the graph that was asked for")]
    NotInGraph(i64),
}

impl PublishError {
    pub(crate) fn file(path: impl Into<PathBuf>, source: io::Error) -> Self {
        Self::File { path: path.into(), source }
    }
}
