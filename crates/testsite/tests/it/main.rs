//! The sites as clients see them.

mod bbs;
mod browser;
mod client;
mod news;
mod server;
