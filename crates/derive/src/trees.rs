//! Trees of versions that are needed again: seed 003's page cache. The queues are in the store; this only
//! spares parsing a page twice, within a bound.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use page::tree::Dom;
use store::{Millis, PageNumber};

/// A version of a page.
type Name = (PageNumber, i64);

/// A page that was not rendered, parsed.
pub(crate) struct ParsedVersion {
    /// When it was captured.
    pub(crate) time: Millis,
    pub(crate) dom: Dom,
}

/// Parsed versions, as many as there is room for.
pub(crate) struct Trees {
    room: usize,
    held: Mutex<Held>,
}

#[derive(Default)]
struct Held {
    trees: BTreeMap<Name, ParsedVersion>,
    bytes: usize,
}

impl Trees {
    /// With room for so many bytes.
    pub(crate) fn new(room: usize) -> Self {
        Self { room, held: Mutex::default() }
    }

    /// Holds a tree, unless those that wait fill the room already.
    pub(crate) fn put(&self, name: Name, version: ParsedVersion) {
        let mut held = self.held.lock().unwrap_or_else(PoisonError::into_inner);
        let bytes = version.dom.memory();
        if held.bytes + bytes <= self.room {
            held.remove(name);
            held.trees.insert(name, version);
            held.bytes += bytes;
        }
    }

    /// Gives a tree out, once. Those of the same page that came before it were read from the store.
    pub(crate) fn take(&self, name: Name) -> Option<ParsedVersion> {
        let mut held = self.held.lock().unwrap_or_else(PoisonError::into_inner);
        let (page, _) = name;
        while let Some((first, _)) = held.trees.range((page, 0)..name).next() {
            let first = *first;
            held.remove(first);
        }
        held.remove(name)
    }
}

impl Held {
    fn remove(&mut self, name: Name) -> Option<ParsedVersion> {
        let version = self.trees.remove(&name)?;
        self.bytes -= version.dom.memory();
        Some(version)
    }
}

#[cfg(test)]
mod tests {
    use page::tree::parse_str;

    use super::*;

    fn parsed(text: &str) -> ParsedVersion {
        ParsedVersion { time: Millis(0), dom: parse_str(text).dom }
    }

    #[test]
    fn what_fits_is_given_out_once_and_what_came_before_it_is_dropped() {
        let page = PageNumber(1);
        let trees = Trees::new(4 * parsed("one").dom.memory());
        for version in 1..=3 {
            trees.put((page, version), parsed("one"));
        }
        assert!(trees.take((page, 2)).is_some());
        assert!(trees.take((page, 2)).is_none());
        assert!(trees.take((page, 1)).is_none(), "it came before what was asked for");
        assert!(trees.take((page, 3)).is_some());
        assert_eq!(trees.held.lock().unwrap().bytes, 0);
    }

    #[test]
    fn what_does_not_fit_is_not_held() {
        let trees = Trees::new(2 * parsed("one").dom.memory());
        for page in 1..=3 {
            trees.put((PageNumber(page), 1), parsed("one"));
        }
        assert!(trees.take((PageNumber(2), 1)).is_some());
        assert!(trees.take((PageNumber(3), 1)).is_none());
    }
}
