//! Why a crawl cannot begin or go on.

use browser::{LaunchError, http::ClientError};
use page::types::TypeMethod;
use store::StoreError;

use crate::site::scope::ScopeError;

/// A failure that ends the crawl. What happens to single pages is kept with them and ends nothing.
#[derive(Debug, thiserror::Error)]
pub enum CrawlError {
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// No browser could be started.
    #[error(transparent)]
    Browser(#[from] LaunchError),
    /// The HTTP client could not be made.
    #[error(transparent)]
    Http(#[from] ClientError),
    /// The loopback proxy could not be started.
    #[error("cannot open the loopback proxy: {0}")]
    Proxy(std::io::Error),
    /// The scope cannot be used.
    #[error(transparent)]
    Scope(#[from] ScopeError),
    /// What follows from a capture could not be derived.
    #[error(transparent)]
    Derive(#[from] derive::DeriveError),
    /// Work that was lost to a defect of ours.
    #[error("{0}: a defect of bathys, please report it")]
    Lost(&'static str),
    /// A start URL that names no site.
    #[error("{0} names no host that can be crawled")]
    Start(String),
    /// A sample that cannot be learned from.
    #[error("cannot learn from the sample {url}: {reason}; give another URL of the same sort")]
    Sample {
        /// Where it should be.
        url: String,
        /// What is wrong with it.
        reason: String,
    },
    /// A page that is needed and cannot be had.
    #[error("cannot look at {url}: {reason}")]
    NoPage {
        /// Where it should be.
        url: String,
        /// What is wrong.
        reason: String,
    },
    /// The store has page types that were told in another way.
    #[error("the page types of {site} were told by {kept}, and cannot go on by {asked}")]
    OtherTypes {
        /// The site.
        site: String,
        /// How they were told.
        kept: TypeMethod,
        /// How they were to be told.
        asked: TypeMethod,
    },
    /// No picture could be taken.
    #[error("cannot take a picture: {0}")]
    Picture(String),
    /// A pattern that is no regular expression.
    #[error("{pattern} is no regular expression: {reason}")]
    Pattern {
        /// The pattern.
        pattern: String,
        /// What is wrong with it.
        reason: String,
    },
}
