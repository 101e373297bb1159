//! .
pub mod http;
