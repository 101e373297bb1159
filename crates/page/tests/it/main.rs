//! Tests of the crate from outside.

mod dom;
mod path;
mod snapshot;
mod tree_strategy;
