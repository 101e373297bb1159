//! The program as its users and their scripts see it: the real binary, in a scratch directory,
//! against bundled sites with known truth.

mod archive;
mod bench;
mod config;
mod crawl;
mod demo;
mod dom;
mod dom_records;
mod goto;
mod graph;
mod help;
mod history;
mod install;
mod interrupt;
mod keep;
mod kill;
mod mirror;
mod pages;
mod program;
mod records;
mod search;
mod serve;
mod shared;
mod show;
mod site;
mod terminal;
mod train;
mod types;
mod usage;
mod watch;
