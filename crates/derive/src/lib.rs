//! What follows from a capture: jobs that need no browser. Versions are cut into blocks (`blocks`),
//! records are read from them (`records`), captures made elsewhere come in (`import`), also from archives
//! (`warc`), and what is old is packed together (`seal`).
//!
//! Nothing here fetches, and nothing decides what to fetch.

mod acts;
mod blocks;
mod cpu_pool;
mod error;
mod hooks;
mod import;
mod meter;
mod page_types;
mod records;
mod script_names;
mod seal;
mod trees;
mod wait;
pub mod warc;

/// The program that writes versions, and which one of it.
pub const PROGRAM: &str = concat!("bathys ", env!("CARGO_PKG_VERSION"));

pub use acts::{Acts, scripts};
pub use blocks::{Captured, CutSettings, Levels, Processing, first_cut, parts_of, tree_of};
pub use cpu_pool::CpuPool;
pub use error::DeriveError;
pub use import::{Found, Import, ImportEnd};
pub use meter::{Limits, Meter, Progress, Stopped};
pub use page_types::{
    BY_TYPE, PageTypes, TYPE_KNOWLEDGE, TypeKnowledge, kept_method, recall_types, write_types,
};
pub use records::{
    Learned as LearnedWrappers, field_name, read_records, recall as recall_wrappers,
};
pub use script_names::script_vocabularies;
pub use seal::{SealSettings, Sealed, seal};
pub use wait::{Wait, WaitReason, Waiter, Waits};
