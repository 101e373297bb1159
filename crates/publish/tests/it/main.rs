//! What is published of a store, read back by a parser and a browser.

mod graph;
mod mirror;
mod stage;
