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

use std::convert::Infallible;
use std::fmt;
use std::str::FromStr;

pub use element::{ElementDescription, may_fire};
pub(crate) use label::verb_in_control;
pub use request::{RequestDescription, may_send};
pub(crate) use request::{verb_in_order, verb_in_url as verb_in_address};
pub(crate) use words::{is_dense, label_words, words};

/// Why an element is not fired or a request is not sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refusal {
    reason: String,
    permit: Option<Permit>,
}

/// What whoever runs the crawl could permit, so that it is not refused again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Permit {
    /// Requests whose URL matches this regular expression, whatever they write.
    Post(String),
    /// What robots.txt disallows.
    Robots,
}

impl Refusal {
    fn new(reason: String) -> Self {
        Self { reason, permit: None }
    }

    /// A refusal that a permit would lift.
    pub fn unless(reason: String, permit: Permit) -> Self {
        Self { reason, permit: Some(permit) }
    }

    /// What is wrong, in words.
    pub fn reason(&self) -> &str {
        &self.reason
    }

    /// What would lift it, if anything does.
    pub fn permit(&self) -> Option<&Permit> {
        self.permit.as_ref()
    }
}

/// Stands before the permit where a refusal is kept as text.
const NEEDS: &str = " (needs permit: ";

/// As it is kept: the reason, and what would lift it. [`Refusal::from_str`] reads it back.
impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.reason)?;
        match &self.permit {
            Some(Permit::Post(pattern)) => write!(f, "{NEEDS}post {pattern})"),
            Some(Permit::Robots) => write!(f, "{NEEDS}robots)"),
            None => Ok(()),
        }
    }
}

impl FromStr for Refusal {
    type Err = Infallible;

    fn from_str(text: &str) -> Result<Self, Infallible> {
        let parts = text.strip_suffix(')').and_then(|text| text.rsplit_once(NEEDS));
        let permit = parts.and_then(|(reason, permit)| match permit.split_once(' ') {
            Some(("post", pattern)) => Some((reason, Permit::Post(pattern.to_owned()))),
            None if permit == "robots" => Some((reason, Permit::Robots)),
            _ => None,
        });
        Ok(match permit {
            Some((reason, permit)) => Self::unless(reason.to_owned(), permit),
            None => Self::new(text.to_owned()),
        })
    }
}

impl std::error::Error for Refusal {}
