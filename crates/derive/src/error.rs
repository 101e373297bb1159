//! Why a derivation cannot go on.

use store::StoreError;

/// A failure that ends the work. What happens to single pages is kept with them and ends nothing.
#[derive(Debug, thiserror::Error)]
pub enum DeriveError {
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// Work that was lost to a defect of ours.
    #[error("{0}: a defect of bathys, please report it")]
    Lost(&'static str),
    /// A group of versions that cannot be packed. They stay what they were.
    #[error("cannot pack a group of versions")]
    Pack(#[source] pack::PackError),
    /// An address that names no site.
    #[error("{0} names no host that pages can be kept under")]
    NoSite(String),
}
