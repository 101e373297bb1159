//! Which captures there are, by the key of their address.

use std::collections::BTreeMap;
use std::ops::Bound;

use store::{ArchiveEntry, ArchiveItem, ArchivedUrl, Catalog, Millis, PageNumber};

use super::cdx::Matches;
use crate::PublishError;
use crate::warc::fields::without_fragment;
use crate::warc::{message, state_address, surt};

/// A capture, by where it lies in the store.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    /// When it was captured.
    pub time: Millis,
    /// Its page.
    pub page: PageNumber,
    /// Which exchange or look it is.
    pub item: ArchiveItem,
}

/// The captures of a store as they were when it was read.
pub struct ReplayIndex {
    by_key: BTreeMap<Box<str>, Vec<Place>>,
}

impl ReplayIndex {
    /// Reads which captures there are.
    ///
    /// # Errors
    /// When the catalog fails.
    pub async fn read(catalog: &Catalog) -> Result<Self, PublishError> {
        let mut by_key: BTreeMap<Box<str>, Vec<Place>> = BTreeMap::new();
        let add = |archived: ArchivedUrl| {
            let state = state_address(&archived.key).filter(|_| archived.is_state);
            let target = state.as_deref().unwrap_or(without_fragment(&archived.key));
            let ArchiveEntry { time, page, item } = archived.entry;
            let is_exchange = matches!(item, ArchiveItem::Exchange(_));
            if is_exchange && !message::can_be_asked(target, &archived.method) {
                return;
            }
            by_key.entry(surt(target).into()).or_default().push(Place { time, page, item });
        };
        catalog.each_archived(add).await?;
        by_key.values_mut().for_each(|places| places.sort_unstable());
        Ok(Self { by_key })
    }

    /// The captures of an address, oldest first.
    pub fn places(&self, url: &str) -> &[Place] {
        self.by_key.get(surt(url).as_str()).map_or(&[], Vec::as_slice)
    }

    /// The capture of an address that is nearest to a time, to the second.
    pub fn nearest(&self, url: &str, time: Millis) -> Option<Place> {
        let seconds = |time: Millis| time.0.div_euclid(1000);
        let distance = |place: &&Place| (seconds(place.time) - seconds(time)).unsigned_abs();
        self.places(url).iter().min_by_key(distance).copied()
    }

    /// The captures of addresses like this one, by key, from the first key that is not below `from`.
    pub fn matching<'a>(
        &'a self,
        url: &str,
        matches: Matches,
        from: Option<&str>,
    ) -> impl Iterator<Item = (&'a str, &'a [Place])> + use<'a> {
        let key = surt(url);
        let prefix = match matches {
            Matches::Exact | Matches::Prefix => key.clone(),
            // A key has its host from the right, closed by a bracket.
            Matches::Host => host_of(&key).to_owned(),
            Matches::Domain => host_of(&key).trim_end_matches(')').to_owned(),
        };
        let start = from.filter(|from| *from > prefix.as_str()).unwrap_or(&prefix).to_owned();
        let range = (Bound::Included(start.into_boxed_str()), Bound::Unbounded);
        let is_in = move |key: &str| match matches {
            Matches::Exact => key == prefix,
            Matches::Prefix | Matches::Host => key.starts_with(&prefix),
            Matches::Domain => {
                key.strip_prefix(&prefix).is_some_and(|rest| rest.starts_with([')', ',', ':']))
            }
        };
        // Of a domain, what lies between its own host and those below it is skipped and not the end.
        let is_near = {
            let domain = match matches {
                Matches::Domain => host_of(&key).trim_end_matches(')').to_owned(),
                _ => String::new(),
            };
            move |key: &str| !domain.is_empty() && key.starts_with(&domain)
        };
        self.by_key
            .range::<Box<str>, _>(range)
            .map(|(key, places)| (&**key, places.as_slice()))
            .map_while(move |(key, places)| match (is_in(key), is_near(key)) {
                (true, _) => Some(Some((key, places))),
                (false, true) => Some(None),
                (false, false) => None,
            })
            .flatten()
    }

    /// How many addresses have a capture.
    pub fn len(&self) -> usize {
        self.by_key.len()
    }

    /// Whether there is nothing to replay.
    pub fn is_empty(&self) -> bool {
        self.by_key.is_empty()
    }
}

fn host_of(key: &str) -> &str {
    key.find(')').map_or(key, |end| key.get(..=end).unwrap_or(key))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn index(urls: &[&str]) -> ReplayIndex {
        let place = |page| Place {
            time: Millis(page * 1000),
            page: PageNumber(page),
            item: ArchiveItem::Exchange(1),
        };
        let mut by_key: BTreeMap<Box<str>, Vec<Place>> = BTreeMap::new();
        for (page, url) in (1..).zip(urls) {
            by_key.entry(surt(url).into()).or_default().push(place(page));
        }
        ReplayIndex { by_key }
    }

    #[test]
    fn the_nearest_capture_is_told_by_the_second() {
        let index = index(&["http://a.example/", "http://a.example/", "http://a.example/"]);
        let nearest = |time| index.nearest("https://www.a.example", Millis(time)).unwrap().page.0;
        assert_eq!([0, 1999, 2000, 2700, 9000].map(nearest), [1, 1, 2, 2, 3]);
        assert_eq!(index.nearest("http://b.example/", Millis(0)), None);
    }

    #[test]
    fn a_domain_has_its_hosts_and_no_host_that_only_begins_like_it() {
        let index = index(&[
            "http://example.org/a",
            "http://example.org/a/b",
            "http://example.org:81/",
            "http://m.example.org/",
            "http://example.org-x.com/",
            "http://examples.org/",
            "http://example.orgs/",
        ]);
        let of = |matches| {
            index
                .matching("http://example.org/a", matches, None)
                .map(|(key, _)| key)
                .collect::<Vec<_>>()
        };
        assert_eq!(of(Matches::Exact), ["org,example)/a"]);
        assert_eq!(of(Matches::Prefix), ["org,example)/a", "org,example)/a/b"]);
        assert_eq!(of(Matches::Host), ["org,example)/a", "org,example)/a/b"]);
        let domain = ["org,example)/a", "org,example)/a/b", "org,example,m)/", "org,example:81)/"];
        assert_eq!(of(Matches::Domain), domain);
    }
}
