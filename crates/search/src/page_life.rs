//! A page through time: when each version of it was first and last seen.

use std::collections::BTreeMap;

use page::block::Label;
use store::{BlockRow, Catalog, Millis, PageNumber, StoreError};

use crate::occurrence::Occurrence;

/// A page through time.
pub(crate) struct PageLife {
    pub(crate) site: String,
    pub(crate) page: PageNumber,
    /// When each version was first and last seen.
    seen: BTreeMap<i64, (Millis, Millis)>,
}

impl PageLife {
    pub(crate) async fn load(
        catalog: &Catalog,
        site: &str,
        page: PageNumber,
    ) -> Result<Self, StoreError> {
        let mut seen = BTreeMap::new();
        for visit in catalog.visits(page).await? {
            let Some(version) = visit.version else { continue };
            let (first, last) = seen.entry(version).or_insert((visit.time, visit.time));
            (*first, *last) = ((*first).min(visit.time), (*last).max(visit.time));
        }
        Ok(Self { site: site.to_owned(), page, seen })
    }

    /// A block of it, as it is indexed.
    pub(crate) fn occurrence(&self, row: &BlockRow, title: &str) -> Occurrence {
        let first = self.seen.get(&row.first).map_or(Millis(0), |(first, _)| *first);
        let (last_seen, gone_seen) = self.end_of(row);
        Occurrence {
            page: self.page,
            block: row.block.0,
            lineage: row.lineage.0,
            first_version: row.first,
            last_version: row.last,
            first_seen: first,
            last_seen,
            gone_seen,
            label: row.label.parse().unwrap_or(Label::Other),
            topic: row.topic.clone(),
            title: title.to_owned(),
        }
    }

    /// When a block was last seen, at the last visit that found the last version that shows it; and when the
    /// next version was.
    pub(crate) fn end_of(&self, row: &BlockRow) -> (Option<Millis>, Option<Millis>) {
        let Some(last) = row.last else { return (None, None) };
        let seen = self.seen.range(..=last).next_back();
        let last_seen = seen.map_or(Millis(0), |(_, (_, last))| *last);
        let next = self.seen.range(last + 1..).next();
        (Some(last_seen), Some(next.map_or(last_seen.plus(1), |(_, (first, _))| *first)))
    }
}
