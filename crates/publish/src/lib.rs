//! What others get: the store given back as a static mirror (seed 001's SPG) and as a
//! state-transition graph that people can look at. Reads the store, never fetches.
//!
//! Everything that is written here came from the web and is hostile: text is escaped for where it
//! goes, names of files are made from numbers and hashes only, and no script of a page survives.

pub mod block;
pub mod diff;
mod error;
pub mod graph;
pub mod mirror;
mod text;

pub use error::PublishError;
