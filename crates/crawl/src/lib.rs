//! .
pub mod politeness;
pub mod robots;
pub mod scope;
