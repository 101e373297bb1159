//! Pages that are read together: a thread with all its pages, as far as memory allows.
//!
//! In the order of URLs the pages of one thread follow each other in nearly every way to number them,
//! so that a site of any size is read in one pass over that order.

use std::collections::HashMap;

use store::{PageNumber, Unread};

use super::load::Wanted;
use super::survey::wanted;

/// Pages and bytes of a batch: after these it ends with the thread in hand, and in any case after
/// twice as many.
const PAGES: usize = 48;
const BYTES: i64 = 16 << 20;
/// Pages next to one that waits that are read along with it, since they may be of the same thread.
const AROUND: usize = 16;

/// Pages that are read together, some of them only to understand the others.
#[derive(Default)]
pub(super) struct Batch {
    pages: Vec<Unread>,
    bytes: i64,
    /// Where the thread in hand begins.
    thread: usize,
    /// Whether all pages of the site are to be in it.
    whole: bool,
}

impl Batch {
    /// All pages of a small site, or as many as there is room for.
    pub(super) fn new(whole: bool) -> Self {
        Self { whole, ..Self::default() }
    }

    /// Takes the next page in the order of URLs. Returns the batch that ends before it, if one does.
    pub(super) fn add(&mut self, page: Unread) -> Option<Batch> {
        let is_same = self.pages.last().is_some_and(|last| stem(&last.url) == stem(&page.url));
        if !is_same {
            self.end_thread();
        }
        let is_full =
            |times: usize| self.pages.len() >= times * PAGES || self.bytes >= times as i64 * BYTES;
        let ends = !self.whole && ((is_full(1) && !is_same) || is_full(2));
        let ended = ends.then(|| std::mem::take(self));
        self.bytes += page.bytes;
        self.pages.push(page);
        self.drop_far();
        ended.and_then(Batch::end)
    }

    /// A thread that nothing of waits is left out.
    fn end_thread(&mut self) {
        let is_read =
            self.whole || self.pages[self.thread..].iter().any(|page| page.waits.is_some());
        if !is_read {
            self.bytes -= self.pages.drain(self.thread..).map(|page| page.bytes).sum::<i64>();
        }
        self.thread = self.pages.len();
    }

    /// Of many pages between two that wait, the last ones are kept: a post answers what comes before.
    fn drop_far(&mut self) {
        let thread = &self.pages[self.thread..];
        let far = thread.iter().rev().take_while(|page| page.waits.is_none()).count();
        if !self.whole && far > AROUND {
            self.bytes -= self.pages.remove(self.pages.len() - far).bytes;
        }
    }

    /// What is left at the end.
    pub(super) fn end(mut self) -> Option<Batch> {
        self.end_thread();
        let waits = self.pages.iter().any(|page| page.waits.is_some());
        waits.then_some(self)
    }

    /// The pages that wait.
    pub(super) fn waiting(&self) -> Vec<PageNumber> {
        let waiting = self.pages.iter().filter(|page| page.waits.is_some());
        waiting.map(|page| page.page).collect()
    }

    /// Gives up what was tried too often: it waits no more. Returns which versions that is.
    pub(super) fn give_up(&mut self, tries: u32) -> Vec<(PageNumber, i64)> {
        let often = self.pages.iter_mut().filter(|page| page.attempts >= tries);
        often.filter_map(|page| Some((page.page, page.waits.take()?))).collect()
    }

    /// What is read together, round after round: of every page the next version that waits, or the
    /// latest, to understand the others by. Pages that share a URL, since only events tell them apart,
    /// are read apart: what one shows the other mostly shows, too.
    pub(super) fn rounds(&self) -> Vec<Vec<Step>> {
        let mut states: HashMap<&str, usize> = HashMap::new();
        let mut layers: Vec<Vec<&Unread>> = Vec::new();
        for page in &self.pages {
            let nth = states.entry(&page.url).or_default();
            if layers.len() <= *nth {
                layers.push(Vec::new());
            }
            layers[*nth].push(page);
            *nth += 1;
        }
        let mut rounds = Vec::new();
        for layer in layers {
            let waiting = layer.iter().filter_map(|page| Some(page.latest - page.waits? + 1));
            for round in 0..waiting.max().unwrap_or(0) {
                let step = |page: &&Unread| {
                    let waits = page.waits.map(|first| first + round);
                    let waits = waits.filter(|version| *version <= page.latest);
                    let wanted = wanted(page, waits.unwrap_or(page.latest))?;
                    Some(Step { wanted, waits: waits.is_some() })
                };
                rounds.push(layer.iter().filter_map(step).collect());
            }
        }
        rounds
    }
}

/// A page version of a round.
pub(super) struct Step {
    pub(super) wanted: Wanted,
    /// Whether its records are to be kept.
    pub(super) waits: bool,
}

/// What the addresses of the pages of a thread have in common: all up to the first number, and that.
fn stem(url: &str) -> &str {
    let path = url.find("://").map_or(0, |at| at + 3);
    let path = url[path..].find('/').map_or(url.len(), |at| path + at);
    let is_digit = |c: char| c.is_ascii_digit();
    match url[path..].find(is_digit) {
        Some(number) => {
            let rest = &url[path + number..];
            let length = rest.find(|c| !is_digit(c)).unwrap_or(rest.len());
            &url[..path + number + length]
        }
        None => url.split(['?', '#']).next().unwrap_or(url),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page(number: i64, url: &str, waits: Option<i64>) -> Unread {
        Unread {
            page: PageNumber(number),
            url: format!("http://127.0.0.1:80{url}"),
            page_type: Some("thread".into()),
            latest: 2,
            waits,
            attempts: 0,
            state: None,
            bytes: 1000,
        }
    }

    fn batches(pages: impl IntoIterator<Item = Unread>, whole: bool) -> Vec<Vec<i64>> {
        let mut batch = Batch::new(whole);
        let mut ended: Vec<Batch> = pages.into_iter().filter_map(|page| batch.add(page)).collect();
        ended.extend(batch.end());
        ended.iter().map(|batch| batch.pages.iter().map(|page| page.page.0).collect()).collect()
    }

    #[test]
    fn the_pages_of_a_thread_stay_together() {
        let threads = (100..140).flat_map(|thread| {
            [(0, ""), (1, "?page=2"), (2, "?page=3")]
                .map(|(nth, rest)| page(thread * 10 + nth, &format!("/t/{thread}{rest}"), Some(1)))
        });
        let batches = batches(threads, false);
        assert!(batches.len() > 1);
        for batch in &batches {
            assert_eq!((batch[0] % 10, batch.last().unwrap() % 10), (0, 2), "{batch:?}");
        }
    }

    #[test]
    fn what_does_not_wait_is_read_only_next_to_what_does() {
        let pages = (100..1000).flat_map(|thread| {
            let waits = (thread == 500).then_some(2);
            [(0, "", None), (1, "?page=2", waits), (2, "?page=3", None)].map(
                |(nth, rest, waits)| page(thread * 10 + nth, &format!("/t/{thread}{rest}"), waits),
            )
        });
        let batches = batches(pages, false);
        assert_eq!(batches, [[5000, 5001, 5002]]);
    }

    #[test]
    fn a_small_site_is_read_whole_and_states_of_one_url_apart() {
        let mut batch = Batch::new(true);
        for page in [page(1, "/a", Some(1)), page(2, "/a", Some(2)), page(3, "/b", None)] {
            assert!(batch.add(page).is_none());
        }
        let rounds = batch.end().unwrap().rounds();
        let rounds: Vec<Vec<_>> = rounds
            .iter()
            .map(|round| {
                round.iter().map(|s| (s.wanted.page.0, s.wanted.version, s.waits)).collect()
            })
            .collect();
        let expected = [
            vec![(1, 1, true), (3, 2, false)],
            vec![(1, 2, true), (3, 2, false)],
            vec![(2, 2, true)],
        ];
        assert_eq!(rounds, expected);
    }

    #[test]
    fn a_site_on_an_address_with_numbers_has_stems_all_the_same() {
        assert_eq!(stem("http://127.0.0.1:80/t/5?page=2"), "http://127.0.0.1:80/t/5");
        assert_eq!(stem("https://example.org/a?b"), "https://example.org/a");
        assert_eq!(stem("https://example.org"), "https://example.org");
    }
}
