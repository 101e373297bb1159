//! What a writer remembers of the sites that it serves, so that links which are on every page of a site
//! are not looked up for every page. It holds what is committed, and what the present transaction adds to
//! that: where a transaction fails, all of it is forgotten. Nobody else writes to a site meanwhile
//! ([`lease`](crate::lease)), and all verbs of a site go to one writer.

use std::collections::HashMap;

use crate::model::PageNumber;

/// Addresses and places that are remembered, about ten megabytes of them. When there are more, all are
/// forgotten.
const MOST: usize = 100_000;

/// What is remembered, by site.
#[derive(Default)]
pub(crate) struct Memory {
    sites: HashMap<String, SiteMemory>,
    entries: usize,
}

#[derive(Default)]
struct SiteMemory {
    pages: HashMap<String, (PageNumber, i64)>,
    places: HashMap<String, u64>,
}

impl Memory {
    /// The page of an address, and the highest rank that was asked for its visit.
    pub(crate) fn page(&self, site: &str, url: &str) -> Option<(PageNumber, i64)> {
        self.sites.get(site)?.pages.get(url).copied()
    }

    /// Remembers the page of an address, whose visit has at least this rank if it waits.
    pub(crate) fn remember_page(&mut self, site: &str, url: &str, page: PageNumber, rank: i64) {
        self.of(site).pages.insert(url.to_owned(), (page, rank));
    }

    /// The number of a place.
    pub(crate) fn place(&self, site: &str, xpath: &str) -> Option<u64> {
        self.sites.get(site)?.places.get(xpath).copied()
    }

    /// Remembers the number of a place.
    pub(crate) fn remember_place(&mut self, site: &str, xpath: &str, number: u64) {
        self.of(site).places.insert(xpath.to_owned(), number);
    }

    /// Forgets a site: its pages merge, or their visits wait anew.
    pub(crate) fn forget(&mut self, site: &str) {
        if let Some(gone) = self.sites.remove(site) {
            self.entries = self.entries.saturating_sub(gone.pages.len() + gone.places.len());
        }
    }

    fn of(&mut self, site: &str) -> &mut SiteMemory {
        if self.entries >= MOST {
            *self = Self::default();
        }
        self.entries += 1;
        self.sites.entry(site.to_owned()).or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_does_not_grow_with_the_site() {
        let mut memory = Memory::default();
        for number in 0..3 * MOST as i64 {
            memory.remember_page("example.org", &number.to_string(), PageNumber(number), 0);
        }
        let last = 3 * MOST as i64 - 1;
        assert_eq!(memory.page("example.org", &last.to_string()), Some((PageNumber(last), 0)));
        assert!(memory.sites["example.org"].pages.len() <= MOST);
    }

    #[test]
    fn sites_are_forgotten_one_by_one() {
        let mut memory = Memory::default();
        for site in ["a.org", "b.org"] {
            memory.remember_page(site, "/", PageNumber(1), 5);
            memory.remember_place(site, "/html", 7);
        }
        memory.forget("a.org");
        assert_eq!((memory.page("a.org", "/"), memory.place("a.org", "/html")), (None, None));
        assert_eq!(memory.page("b.org", "/"), Some((PageNumber(1), 5)));
        assert_eq!((memory.place("b.org", "/html"), memory.entries), (Some(7), 2));
    }
}
