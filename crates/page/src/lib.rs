//! What a page is: its tree, and what can be asked of a tree.
//!
//! This crate is pure. It does no I/O, has no clock, is never async, and cannot fail on any HTML:
//! whatever bytes come in, a [`tree::Dom`] comes out, within stated limits.

pub mod block;
pub mod form;
pub mod meta;
pub mod state;
pub mod tree;
pub mod types;
pub mod words;

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
