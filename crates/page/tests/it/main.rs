//! Tests of the crate from outside.

mod block_kept;
mod block_portal;
mod block_table1;
mod block_tree;
mod canonical;
mod compare;
mod difference;
mod distance;
mod dom;
mod edits;
mod form;
mod hostile;
mod label;
mod path;
mod snapshot;
mod topic;
mod tree_strategy;
mod types;
