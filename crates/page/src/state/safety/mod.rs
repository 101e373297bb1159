//! What may be done on a page without changing anything there (the gate for events).
//!
//! Two questions, asked in this order, each with a reason for a "no":
//!
//! 1. [`may_fire`]: does the element say that it changes something? Its label, its names, its inline
//!    handler and its link are looked at, in a dozen languages. Not fired is lost, so a label that
//!    begins with an order to show ("next post", "load more likes") wins.
//! 2. [`may_send`]: does a request that an event caused change something? GET and HEAD pass without
//!    a write verb; POST needs evidence that it reads; nothing else passes.
//!
//! The first is a courtesy to the reader of the log, the second is the wall: a handler can hide what
//! it does from the first, but not that it sends.

mod element;
mod graphql;
mod label;
mod request;
mod words;

use std::fmt;

pub use element::{ElementDescription, may_fire};
pub use request::{RequestDescription, may_send};

/// Why an element is not fired or a request is not sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refusal {
    reason: String,
    flag: Option<String>,
}

impl Refusal {
    fn new(reason: String) -> Self {
        Self { reason, flag: None }
    }

    /// What is wrong, in words.
    pub fn reason(&self) -> &str {
        &self.reason
    }

    /// The flag of `bathys crawl` that would allow it, if there is one.
    pub fn flag(&self) -> Option<&str> {
        self.flag.as_deref()
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.reason)?;
        match &self.flag {
            Some(flag) => write!(f, " ({flag} would allow it)"),
            None => Ok(()),
        }
    }
}

impl std::error::Error for Refusal {}
