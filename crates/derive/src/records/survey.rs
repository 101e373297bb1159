//! What of a site is to be read, and which of its pages to learn from.

use std::collections::BTreeMap;

use store::{Catalog, Unread};
use url::Url;

use super::copies::Copies;
use super::load::Wanted;
use crate::DeriveError;

/// Pages of a type that are learned from, and those that are read for a check of what was learned. Where
/// records are is known after a few; signatures and edit notes repeat only over many.
const LEARNED_FROM: usize = 64;
const CHECKED: usize = 8;
/// A site with no more pages than this is learned from whole.
const SMALL_SITE: usize = 160;
/// Bytes of all that is learned from.
const MOST_BYTES: i64 = 32 << 20;
/// Types that are learned: the largest of a site.
const MOST_TYPES: usize = 64;

/// The pages of a site, counted by type.
#[derive(Default)]
pub(super) struct Survey {
    types: BTreeMap<String, Of>,
    pages: usize,
    bytes: i64,
}

/// The pages of a type.
#[derive(Default)]
struct Of {
    all: Spread,
    waiting: Spread,
}

impl Survey {
    pub(super) async fn of(
        catalog: &Catalog,
        site: &str,
        copies: &Copies,
    ) -> Result<Self, DeriveError> {
        let mut survey = Self::default();
        let mut last = None;
        loop {
            let pages = catalog.to_read(site, last.as_ref()).await?;
            let own = pages.iter().filter(|page| !copies.is_copy(page));
            own.for_each(|page| survey.add(page));
            match pages.into_iter().next_back() {
                Some(page) => last = Some(page),
                None => return Ok(survey),
            }
        }
    }

    fn add(&mut self, page: &Unread) {
        self.pages += 1;
        self.bytes += page.bytes;
        let Some(page_type) = &page.page_type else { return };
        let of = self.types.entry(page_type.clone()).or_default();
        if page.waits.is_some() {
            of.waiting.add(page);
        }
        of.all.add(page);
    }

    /// Whether all of its pages can be held at once: then lists and threads prove each other.
    pub(super) fn is_small(&self) -> bool {
        self.pages <= SMALL_SITE && self.bytes <= MOST_BYTES
    }

    /// The types, and how many pages of each there are to learn from.
    pub(super) fn types(&self) -> impl Iterator<Item = (&str, usize)> {
        let largest = self.largest().into_iter();
        largest.map(|(name, of)| (name, of.all.seen.min(LEARNED_FROM)))
    }

    /// Pages of all types to learn from, in the order of their numbers; those that were captured
    /// last come first where there is not room for all.
    pub(super) fn sample(&self) -> Vec<Wanted> {
        let most = if self.is_small() { SMALL_SITE } else { LEARNED_FROM };
        let types = self.largest();
        let share = MOST_BYTES / i64::try_from(types.len().max(1)).unwrap_or(i64::MAX);
        let mut sample: Vec<Wanted> = Vec::new();
        for (_, of) in types {
            let (fresh, left) = of.waiting.take(most, share);
            let room = most.saturating_sub(fresh.len());
            let is_new = |page: &Wanted| fresh.iter().all(|known| known.page != page.page);
            let (more, _) = of.all.take(room, left);
            let more: Vec<_> = more.into_iter().filter(is_new).collect();
            sample.extend(more);
            sample.extend(fresh);
        }
        sample.sort_by_key(|wanted| wanted.page);
        sample
    }

    /// A few pages of a type that wait.
    pub(super) fn waiting(&self, page_type: &str) -> Vec<Wanted> {
        let of = self.types.get(page_type);
        of.map(|of| of.waiting.take(CHECKED, MOST_BYTES / 4).0).unwrap_or_default()
    }

    fn largest(&self) -> Vec<(&str, &Of)> {
        let mut types: Vec<_> = self.types.iter().map(|(name, of)| (name.as_str(), of)).collect();
        types.sort_by_key(|(_, of)| std::cmp::Reverse(of.all.seen));
        types.truncate(MOST_TYPES);
        types
    }
}

/// Pages from all over a long row of them, without knowing how long it will be.
#[derive(Default)]
struct Spread {
    kept: Vec<(Wanted, i64)>,
    /// Every so many is kept, less one.
    skipped: usize,
    seen: usize,
}

impl Spread {
    fn add(&mut self, page: &Unread) {
        let is_kept = self.seen.is_multiple_of(self.skipped + 1);
        self.seen += 1;
        let Some(wanted) = wanted(page, page.latest).filter(|_| is_kept) else { return };
        self.kept.push((wanted, page.bytes));
        if self.kept.len() > 2 * SMALL_SITE {
            let mut nth = 0;
            self.kept.retain(|_| {
                nth += 1;
                nth % 2 == 1
            });
            self.skipped = 2 * self.skipped + 1;
        }
    }

    /// At most so many, and so many bytes, from all over; and the bytes that are left.
    fn take(&self, most: usize, bytes: i64) -> (Vec<Wanted>, i64) {
        let count = self.kept.len().min(most);
        let places = (0..count).map(|nth| nth * self.kept.len() / count);
        let mut room = bytes;
        let pages = places.filter_map(|place| self.kept.get(place)).filter(|(_, bytes)| {
            let fits = *bytes <= room;
            room -= if fits { *bytes } else { 0 };
            fits
        });
        (pages.map(|(wanted, _)| wanted.clone()).collect(), room)
    }
}

/// A version of a page that is to be read.
pub(super) fn wanted(page: &Unread, version: i64) -> Option<Wanted> {
    let url = Url::parse(&page.url).ok()?;
    Some(Wanted { page: page.page, version, url, page_type: page.page_type.clone() })
}

#[cfg(test)]
mod tests {
    use store::PageNumber;

    use super::*;

    fn page(number: i64, page_type: &str, waits: Option<i64>, bytes: i64) -> Unread {
        Unread {
            page: PageNumber(number),
            url: format!("https://example.org/{number}"),
            page_type: Some(page_type.into()),
            latest: 1,
            waits,
            attempts: 0,
            bytes,
            state: None,
        }
    }

    fn survey(pages: impl IntoIterator<Item = Unread>) -> Survey {
        let mut survey = Survey::default();
        pages.into_iter().for_each(|page| survey.add(&page));
        survey
    }

    #[test]
    fn a_small_site_is_learned_from_whole() {
        let survey = survey((0..100).map(|n| page(n, ["list", "thread"][n as usize % 2], None, 9)));
        assert_eq!(survey.sample().len(), 100);
    }

    #[test]
    fn of_a_large_site_pages_from_all_over_are_learned_from_the_new_ones_first() {
        let new = 5_000..5_010;
        let pages = (0..10_000).map(|n| page(n, "thread", new.contains(&n).then_some(2), 1000));
        let sample = survey(pages).sample();
        assert_eq!(sample.len(), LEARNED_FROM);
        assert_eq!(sample.iter().filter(|w| new.contains(&w.page.0)).count(), 10);
        assert!(sample.iter().any(|w| w.page.0 < 1000) && sample.iter().any(|w| w.page.0 > 5_500));
    }

    #[test]
    fn what_is_learned_from_is_bounded_in_bytes() {
        let sample = survey((0..100).map(|n| page(n, "thread", Some(1), 4 << 20))).sample();
        assert_eq!(sample.len(), 8);
    }
}
