//! The sites as clients see them.

mod client;
mod news;
mod server;
