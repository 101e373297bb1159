//! The sites as clients see them.

mod bbs;
mod browser;
mod client;
mod driven;
mod news;
mod server;
