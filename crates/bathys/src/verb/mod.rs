//! One file a verb.

pub mod bench;
pub mod changes;
pub mod config;
pub mod crawl;
pub mod demo;
pub mod diff;
pub mod dom;
pub mod export;
pub mod gc;
pub mod goto;
pub mod graph;
pub mod import;
pub mod log;
pub mod manual;
pub mod meta;
pub mod mirror;
pub mod pages;
pub mod records;
pub mod seal;
pub mod show;
pub mod stats;
pub mod testsite;
pub mod train;
pub mod types;
pub mod verify;
pub mod worker;
