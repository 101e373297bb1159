//! Tests of the crate from outside.

mod distance;
mod dom;
mod path;
mod snapshot;
mod tree_strategy;
