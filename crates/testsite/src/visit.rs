//! One request, as a site's handlers see it.

use std::sync::Arc;

use axum::extract::FromRequestParts;
use axum::http::StatusCode;
use axum::http::request::Parts;
use jiff::Timestamp;

use crate::ledger::{Change, Ledger};
use crate::{Options, Random};

/// The request in hand. Any handler of a [`Site`](crate::Site) can take it as an argument.
#[derive(Debug, Clone)]
pub struct Visit {
    pub(crate) ledger: Ledger,
    pub(crate) options: Arc<Options>,
    pub(crate) now: Timestamp,
    pub(crate) method: String,
    pub(crate) path: String,
    pub(crate) nth: u64,
}

impl Visit {
    /// The options that the site is served with.
    pub fn options(&self) -> &Options {
        &self.options
    }

    /// The path that is asked for, without its query.
    pub fn path(&self) -> &str {
        &self.path
    }

    /// Which request to this path it is, from 1.
    pub fn nth(&self) -> u64 {
        self.nth
    }

    /// The time of the request by the site's clock.
    pub fn now(&self) -> Timestamp {
        self.now
    }

    /// The source of what differs with each request (times, ids, adverts, tokens): it follows
    /// from the seed, the path and [`nth`](Visit::nth), and from nothing but the path if
    /// [`volatile`](Options::volatile) is off.
    pub fn random(&self) -> Random {
        let nth = if self.options.volatile { self.nth } else { 0 };
        Random::of(self.options.seed.wrapping_add(nth), &self.path)
    }

    /// Counts a form that this page shows, and says which one of the site it is, from 0.
    pub(crate) fn show(&self) -> u64 {
        self.ledger.show()
    }

    /// How many forms the site has shown.
    pub(crate) fn shown(&self) -> u64 {
        self.ledger.shown()
    }

    /// Writes a state change into the server's log.
    pub fn change(&self, kind: &str, target: impl Into<String>) {
        self.ledger.change(Change {
            number: 0,
            time: self.now().to_string(),
            kind: kind.to_owned(),
            target: target.into(),
            method: self.method.clone(),
            path: self.path.clone(),
        });
    }
}

impl<S: Sync> FromRequestParts<S> for Visit {
    type Rejection = StatusCode;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, StatusCode> {
        // Absent only if a router is used without `serve`, which puts it there.
        parts.extensions.get().cloned().ok_or(StatusCode::INTERNAL_SERVER_ERROR)
    }
}
