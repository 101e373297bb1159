//! The texts of the index one after the other, for exports.

use serde::Serialize;
use store::{Catalog, Millis, PageNumber};
use tantivy::{DocAddress, TantivyDocument};

use crate::batch::Stored;
use crate::error::SearchError;
use crate::index::{Index, Inner};
use crate::occurrence::Occurrence;
use crate::schema::column;
use crate::search::page_of;

/// Blocks of documents that are held unpacked while all are read in turn.
const UNPACKED: usize = 4;

/// A text with all places and times at which blocks said it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct TextLine {
    /// Its site.
    pub site: String,
    /// The page that said it first.
    pub page: PageNumber,
    /// The key of that page.
    pub key: String,
    /// The address of its document.
    pub url: String,
    /// The block that said it first.
    pub block: i64,
    /// What that continues.
    pub lineage: i64,
    /// What the block is about.
    pub topic: String,
    /// What it is for.
    pub label: page::block::Label,
    /// The text.
    pub text: String,
    /// When it was first seen anywhere.
    pub first_seen: Millis,
    /// When it was last seen anywhere.
    pub last_seen: Millis,
    /// Whether the latest version of some page shows it.
    pub is_there: bool,
    /// Pages that said it.
    pub pages: usize,
    /// Every block that said it.
    pub occurrences: Vec<Occurrence>,
}

impl Index {
    /// Every text, by the first page that has it: `take` is given one after the other.
    ///
    /// # Errors
    /// When the index or the store fails, or `take` does.
    pub async fn each_text_line<E: From<SearchError>>(
        &self,
        catalog: &Catalog,
        mut take: impl FnMut(TextLine) -> Result<(), E>,
    ) -> Result<u64, E> {
        let searcher = self.inner.reader.searcher();
        let addresses = self.inner.by_page()?;
        let mut count = 0;
        for of_page in addresses.chunk_by(|one, other| one.0 == other.0) {
            let mut texts = Vec::with_capacity(of_page.len());
            for (_, address) in of_page {
                texts.extend(Stored::read(&self.inner, &searcher, *address)?);
            }
            texts.sort_by_key(|stored| stored.occurrences.keys().next().copied());
            for stored in texts {
                if let Some(line) = line(catalog, stored).await? {
                    take(line)?;
                    count += 1;
                }
            }
        }
        Ok(count)
    }
}

async fn line(catalog: &Catalog, stored: Stored) -> Result<Option<TextLine>, SearchError> {
    let all = stored.occurrences.values();
    let first = all.clone().min_by_key(|of| (of.first_seen, of.page, of.block));
    let latest = all.clone().max_by_key(|of| of.last_seen.map_or(i64::MAX, |last| last.0));
    let (Some(first), Some(latest)) = (first, latest) else { return Ok(None) };
    let Some((row, _)) = page_of(catalog, first).await? else { return Ok(None) };
    let Some((_, last_seen)) = page_of(catalog, latest).await? else { return Ok(None) };
    let mut pages: Vec<PageNumber> = all.map(|of| of.page).collect();
    pages.dedup();
    Ok(Some(TextLine {
        page: row.page,
        key: row.key,
        url: row.url,
        block: first.block,
        lineage: first.lineage,
        topic: first.topic.clone(),
        label: first.label,
        first_seen: first.first_seen,
        last_seen,
        is_there: latest.last_seen.is_none(),
        pages: pages.len(),
        site: stored.site,
        text: stored.text,
        occurrences: stored.occurrences.into_values().collect(),
    }))
}

impl Inner {
    /// Gives every text that the index holds, in no order.
    pub(crate) fn each_text(
        &self,
        mut take: impl FnMut(Stored) -> Result<(), SearchError>,
    ) -> Result<(), SearchError> {
        let searcher = self.reader.searcher();
        for segment in searcher.segment_readers() {
            let store = segment.get_store_reader(UNPACKED).map_err(tantivy::TantivyError::from)?;
            for document in store.iter::<TantivyDocument>(segment.alive_bitset()) {
                if let Some(stored) = Stored::of(self, &document?) {
                    take(stored)?;
                }
            }
        }
        Ok(())
    }

    /// Every document by the first of its pages: in an order that does not depend on how the index was built.
    fn by_page(&self) -> Result<Vec<(i64, DocAddress)>, SearchError> {
        let searcher = self.reader.searcher();
        let mut all = Vec::new();
        for (segment, reader) in (0..).zip(searcher.segment_readers()) {
            let pages = reader.fast_fields().i64(column::PAGE)?;
            for doc in reader.doc_ids_alive() {
                all.push((pages.first(doc).unwrap_or_default(), DocAddress::new(segment, doc)));
            }
        }
        all.sort_unstable();
        Ok(all)
    }
}
