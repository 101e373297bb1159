//! What others get: the store given back as a static mirror (seed 001's SPG), as a state-transition graph
//! that people can look at, and as standard archive files. Reads the store, never fetches.
//!
//! Everything that is written here came from the web and is hostile: text is escaped for where it
//! goes, names of files are made from numbers and hashes only, and no script of a page survives.

pub mod block;
pub mod diff;
mod error;
pub mod graph;
pub mod mirror;
mod ndjson;
mod output_file;
pub mod replay;
mod text;
pub mod warc;

pub use error::PublishError;
pub use ndjson::write_ndjson;
