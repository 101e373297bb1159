//! .
pub mod http;
pub mod proxy;
