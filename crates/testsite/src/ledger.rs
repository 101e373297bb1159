//! What the server saw: requests, and what they changed.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde::{Deserialize, Serialize};

/// More changes than this are counted but not kept, so that a runaway client costs no memory.
const CHANGES_KEPT: usize = 100_000;
/// More paths than this are counted together.
const PATHS_KEPT: usize = 100_000;

/// A state change on the server that a request caused: a like, a reply, a logout.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Change {
    /// 1 for the first change since the start.
    pub number: u64,
    /// The time by the site's clock, RFC 3339.
    pub time: String,
    /// What was done, such as `like`.
    pub kind: String,
    /// To what it was done.
    pub target: String,
    /// The method of the request.
    pub method: String,
    /// The path of the request, without its query.
    pub path: String,
}

/// How often each path was asked for, since the start.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Requests {
    /// All requests to the site.
    pub total: u64,
    /// Those of them that were neither GET nor HEAD.
    pub writes: u64,
    /// Path (without query) to number of requests.
    pub paths: BTreeMap<String, u64>,
    /// Requests to paths beyond the 100,000 first ones.
    pub other: u64,
}

/// The server's own record. Clones share it.
#[derive(Debug, Clone, Default)]
pub(crate) struct Ledger(Arc<Mutex<Book>>);

#[derive(Debug, Default)]
struct Book {
    changes: Vec<Change>,
    changed: u64,
    requests: Requests,
    shown: u64,
}

impl Ledger {
    /// Counts a form that was shown, and says which one it is, from 0.
    pub(crate) fn show(&self) -> u64 {
        let mut book = self.book();
        book.shown += 1;
        book.shown - 1
    }

    /// How many forms were shown.
    pub(crate) fn shown(&self) -> u64 {
        self.book().shown
    }

    /// Counts a request and says which one to its path it is, from 1.
    pub(crate) fn request(&self, path: &str, writes: bool) -> u64 {
        let requests = &mut self.book().requests;
        requests.total += 1;
        requests.writes += u64::from(writes);
        if let Some(count) = requests.paths.get_mut(path) {
            *count += 1;
            return *count;
        }
        if requests.paths.len() < PATHS_KEPT {
            requests.paths.insert(path.to_owned(), 1);
            return 1;
        }
        requests.other += 1;
        requests.other
    }

    /// Writes down a change; its number is set here.
    pub(crate) fn change(&self, mut change: Change) {
        let mut book = self.book();
        book.changed += 1;
        change.number = book.changed;
        if book.changes.len() < CHANGES_KEPT {
            book.changes.push(change);
        }
    }

    pub(crate) fn changes(&self) -> Vec<Change> {
        self.book().changes.clone()
    }

    pub(crate) fn changed(&self) -> u64 {
        self.book().changed
    }

    pub(crate) fn requests(&self) -> Requests {
        self.book().requests.clone()
    }

    fn book(&self) -> MutexGuard<'_, Book> {
        // Every update leaves the book whole, so a panic elsewhere does not spoil it.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
