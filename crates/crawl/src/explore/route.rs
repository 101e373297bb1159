//! Routes: states that a script shows under another address (the history API). Where these addresses
//! show the same when they are loaded, such a state is that address's page: it is visited as such,
//! and explored there. Otherwise every document of an application would hold the whole of it. That is told of
//! each by itself in the end: a state whose address shows something else, or is never visited, is explored
//! where it was found.

use std::collections::{HashMap, HashSet};

use store::PageNumber;

use crate::explore::shown::Shown;

/// Addresses that must show what the script showed before the others are believed to.
const AGREEMENTS: u32 = 3;
/// Agreements for each address that did not: servers that know most of an application's addresses
/// know them all but for errors.
const FOR_EACH_FAILURE: u32 = 4;
/// The share of what a script showed that its address has to show: times and counters differ.
const ENOUGH: f64 = 0.9;
/// Addresses that are waited for, and states that are remembered.
const MOST_AWAITED: usize = 256;
const MOST_STATES: usize = 100_000;

/// The routes of a crawl.
#[derive(Default)]
pub(crate) struct Routes {
    /// What scripts added to a page under an address, until the address is visited, and the state.
    awaited: HashMap<String, (PageNumber, Vec<u64>)>,
    states: HashSet<PageNumber>,
    agreements: u32,
    failures: u32,
}

impl Routes {
    /// Takes note of a state that a script showed under an address, with what it added.
    pub(crate) fn led(&mut self, url: &str, page: PageNumber, added: Vec<u64>) {
        if self.states.len() < MOST_STATES {
            self.states.insert(page);
        }
        if self.awaited.len() < MOST_AWAITED && !added.is_empty() {
            self.awaited.entry(url.to_owned()).or_insert((page, added));
        }
    }

    /// Whether an address was shown by a script, and not yet visited.
    pub(crate) fn awaits(&self, url: &str) -> bool {
        self.awaited.contains_key(url)
    }

    /// Takes note of what an address shows when it is loaded. If that is not what the script showed, returns
    /// the state, which is to be explored itself.
    pub(crate) fn visited(&mut self, url: &str, shown: &Shown) -> Option<PageNumber> {
        let (page, added) = self.awaited.remove(url)?;
        if shown.share_of(&added) >= ENOUGH {
            self.agreements += 1;
            return None;
        }
        self.failures += 1;
        self.states.remove(&page).then_some(page)
    }

    /// The states whose addresses nobody visited; nobody waits for these any more.
    pub(crate) fn take_awaited(&mut self) -> Vec<PageNumber> {
        let mut pages: Vec<_> = self.awaited.drain().map(|(_, (page, _))| page).collect();
        pages.sort_unstable();
        pages.iter().for_each(|page| {
            self.states.remove(page);
        });
        pages
    }

    /// Whether a state was shown under an address of its own.
    pub(crate) fn has(&self, page: PageNumber) -> bool {
        self.states.contains(&page)
    }

    /// Whether addresses show what scripts show under them.
    pub(crate) fn hold(&self) -> bool {
        self.agreements >= AGREEMENTS && self.agreements >= self.failures * FOR_EACH_FAILURE
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use page::tree::parse_str;

    fn shown(html: &str) -> Shown {
        Shown::of(&parse_str(html).dom)
    }

    fn visit(routes: &mut Routes, number: i64, html: &str) -> Option<PageNumber> {
        let url = format!("http://a.example/{number}");
        let added = shown(&format!("<h1>Page {number}</h1><p>Frame"));
        routes.led(&url, PageNumber(number), added.beyond(&shown("<p>Frame")));
        assert!(routes.awaits(&url));
        let to_explore = routes.visited(&url, &shown(html));
        assert!(!routes.awaits(&url));
        to_explore
    }

    #[test]
    fn addresses_that_show_what_scripts_show_are_believed_after_three() {
        let mut routes = Routes::default();
        for number in 1..=3 {
            assert!(!routes.hold());
            let html = format!("<h1>Page {number}</h1><p>Frame</p><p>Clock");
            assert_eq!(visit(&mut routes, number, &html), None);
        }
        assert!(routes.hold() && routes.has(PageNumber(2)) && !routes.has(PageNumber(9)));
    }

    #[test]
    fn a_server_that_shows_its_front_for_every_address_is_not() {
        let mut routes = Routes::default();
        for number in 1..=30 {
            let to_explore = visit(&mut routes, number, "<h1>Front</h1><p>Frame");
            assert_eq!(to_explore, Some(PageNumber(number)), "it is to be found nowhere else");
        }
        assert!(!routes.hold());
    }

    #[test]
    fn a_state_whose_address_is_never_visited_is_explored_where_it_was_found() {
        let mut routes = Routes::default();
        routes.led("http://a.example/1", PageNumber(7), vec![1, 2]);
        assert_eq!(routes.take_awaited(), [PageNumber(7)]);
        assert!(!routes.has(PageNumber(7)) && routes.take_awaited().is_empty());
    }
}
