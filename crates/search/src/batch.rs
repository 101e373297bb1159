//! What is to be written to the index with the next commit.

use std::collections::HashMap;

use store::PageNumber;
use tantivy::collector::DocSetCollector;
use tantivy::query::TermQuery;
use tantivy::schema::{IndexRecordOption, Value};
use tantivy::{DocAddress, IndexWriter, Searcher, TantivyDocument, Term};
use xxhash_rust::xxh3::{xxh3_64, xxh3_128_with_seed};

use crate::error::SearchError;
use crate::index::{Followed, Inner, end_of, number};
use crate::occurrence::{Occurrence, Occurrences, from_bytes, to_bytes};
use crate::unit::dense_words;

/// What is held before it is written.
const MOST_TEXT: usize = 24 << 20;
const MOST_OCCURRENCES: usize = 200_000;
/// Names of pages and topics that are looked up by their words; a text that is everywhere has thousands.
const MOST_NAMES: usize = 8;

/// Digest of a site and a text: 96 bits, so that no two of a billion texts have the same.
pub(crate) type Id = [u8; 12];

/// A text with its occurrences, as it will be.
pub(crate) struct Entry {
    pub(crate) site: String,
    pub(crate) text: String,
    pub(crate) occurrences: Occurrences,
    /// Whether it differs from what the index has.
    is_changed: bool,
}

/// Entries by their digest, and how far the store was followed once they are written.
pub(crate) struct Batch {
    searcher: Searcher,
    entries: HashMap<Id, Entry>,
    /// Documents of the index that are among the entries.
    loaded: HashMap<DocAddress, Id>,
    text: usize,
    occurrences: usize,
    /// Texts that were new to the index since the beginning, and their bytes.
    pub(crate) added: u64,
    pub(crate) added_bytes: u64,
}

impl Batch {
    pub(crate) fn new(searcher: Searcher) -> Self {
        Self {
            searcher,
            entries: HashMap::new(),
            loaded: HashMap::new(),
            text: 0,
            occurrences: 0,
            added: 0,
            added_bytes: 0,
        }
    }

    pub(crate) fn is_full(&self) -> bool {
        self.text > MOST_TEXT || self.occurrences > MOST_OCCURRENCES
    }

    /// Adds an occurrence of a text. One of the same block takes the place of what was known.
    pub(crate) fn add(
        &mut self,
        inner: &Inner,
        site: &str,
        text: String,
        occurrence: Occurrence,
    ) -> Result<(), SearchError> {
        let id = self.entry_of(inner, site, text)?;
        let Some(entry) = self.entries.get_mut(&id) else { return Ok(()) };
        entry.is_changed = true;
        let place = (occurrence.page.0, occurrence.block);
        if entry.occurrences.insert(place, occurrence).is_none() {
            self.occurrences += 1;
        }
        Ok(())
    }

    /// The texts that stand on a page as far as the index knows: which block says which of them.
    pub(crate) fn open_blocks(
        &mut self,
        inner: &Inner,
        page: PageNumber,
    ) -> Result<HashMap<i64, Id>, SearchError> {
        let term = Term::from_field_u64(inner.fields.open, number(page));
        let query = TermQuery::new(term, IndexRecordOption::Basic);
        let mut found: Vec<_> =
            self.searcher.search(&query, &DocSetCollector)?.into_iter().collect();
        found.sort_unstable();
        let mut blocks = HashMap::new();
        for address in found {
            let Some(id) = self.load(inner, address)? else { continue };
            let Some(entry) = self.entries.get(&id) else { continue };
            let of_page = entry.occurrences.range((page.0, i64::MIN)..=(page.0, i64::MAX));
            let open = of_page.filter(|(_, of)| of.last_seen.is_none());
            blocks.extend(open.map(|((_, block), _)| (*block, id)));
        }
        Ok(blocks)
    }

    /// Changes what is known of an occurrence.
    pub(crate) fn change(
        &mut self,
        id: Id,
        place: (i64, i64),
        change: impl FnOnce(&mut Occurrence),
    ) {
        if let Some(entry) = self.entries.get_mut(&id)
            && let Some(occurrence) = entry.occurrences.get_mut(&place)
        {
            change(occurrence);
            entry.is_changed = true;
        }
    }

    /// Takes an occurrence away. A text without any goes with it.
    pub(crate) fn remove(&mut self, id: Id, place: (i64, i64)) {
        if let Some(entry) = self.entries.get_mut(&id) {
            entry.is_changed |= entry.occurrences.remove(&place).is_some();
        }
    }

    /// The entry of a text, with what the index knows of it.
    fn entry_of(&mut self, inner: &Inner, site: &str, text: String) -> Result<Id, SearchError> {
        let id = id_of(site, &text);
        if self.entries.contains_key(&id) {
            return Ok(id);
        }
        let query = TermQuery::new(id_term(inner, &id), IndexRecordOption::Basic);
        match self.searcher.search(&query, &DocSetCollector)?.into_iter().next() {
            Some(address) => {
                self.load(inner, address)?;
            }
            None => {
                self.text += text.len();
                self.added += 1;
                self.added_bytes += text.len() as u64;
                let occurrences = Occurrences::new();
                let site = site.to_owned();
                self.entries.insert(id, Entry { site, text, occurrences, is_changed: true });
            }
        }
        Ok(id)
    }

    /// Makes an entry of a document, unless it is one.
    fn load(&mut self, inner: &Inner, address: DocAddress) -> Result<Option<Id>, SearchError> {
        if let Some(id) = self.loaded.get(&address) {
            return Ok(Some(*id));
        }
        let Some(stored) = Stored::read(inner, &self.searcher, address)? else { return Ok(None) };
        let Stored { site, text, occurrences } = stored;
        let id = id_of(&site, &text);
        self.loaded.insert(address, id);
        if !self.entries.contains_key(&id) {
            self.text += text.len();
            self.occurrences += occurrences.len();
            self.entries.insert(id, Entry { site, text, occurrences, is_changed: false });
        }
        Ok(Some(id))
    }

    /// Writes all of it, and begins anew with what is there then.
    pub(crate) fn write(
        &mut self,
        inner: &Inner,
        writer: &mut IndexWriter,
        followed: &Followed,
    ) -> Result<(), SearchError> {
        for (id, entry) in self.entries.drain().filter(|(_, entry)| entry.is_changed) {
            writer.delete_term(id_term(inner, &id));
            if !entry.occurrences.is_empty() {
                writer.add_document(document(inner, &id, &entry))?;
            }
        }
        let mut commit = writer.prepare_commit()?;
        commit.set_payload(&serde_json::to_string(followed).unwrap_or_default());
        commit.commit()?;
        inner.reader.reload()?;
        let (added, added_bytes) = (self.added, self.added_bytes);
        *self = Self { added, added_bytes, ..Self::new(inner.reader.searcher()) };
        Ok(())
    }
}

/// A document as it is kept.
pub(crate) struct Stored {
    pub(crate) site: String,
    pub(crate) text: String,
    pub(crate) occurrences: Occurrences,
}

impl Stored {
    /// `None` for one that cannot be read.
    pub(crate) fn read(
        inner: &Inner,
        searcher: &Searcher,
        address: DocAddress,
    ) -> Result<Option<Self>, SearchError> {
        Ok(Self::of(inner, &searcher.doc(address)?))
    }

    /// Likewise, of a document at hand.
    pub(crate) fn of(inner: &Inner, document: &TantivyDocument) -> Option<Self> {
        let text = |field| document.get_first(field).and_then(|value| value.as_str());
        let bytes = document.get_first(inner.fields.occurrences).and_then(|value| value.as_bytes());
        let (site, shown) = (text(inner.fields.site)?, text(inner.fields.text)?);
        let occurrences = bytes.and_then(from_bytes)?;
        Some(Self { site: site.to_owned(), text: shown.to_owned(), occurrences })
    }
}

fn id_of(site: &str, text: &str) -> Id {
    let digest = xxh3_128_with_seed(text.as_bytes(), xxh3_64(site.as_bytes())).to_be_bytes();
    let mut id = Id::default();
    for (into, byte) in id.iter_mut().zip(digest) {
        *into = byte;
    }
    id
}

fn id_term(inner: &Inner, id: &Id) -> Term {
    Term::from_field_bytes(inner.fields.id, id)
}

fn document(inner: &Inner, id: &Id, entry: &Entry) -> TantivyDocument {
    let fields = &inner.fields;
    let mut document = TantivyDocument::new();
    document.add_bytes(fields.id, id);
    document.add_text(fields.site, &entry.site);
    document.add_text(fields.text, &entry.text);
    let words = dense_words(&entry.text).join(" ");
    if !words.is_empty() {
        document.add_text(fields.words, words);
    }
    let all = entry.occurrences.values();
    for (field, names) in [
        (fields.topic, distinct(all.clone().map(|of| of.topic.as_str()))),
        (fields.title, distinct(all.clone().map(|of| of.title.as_str()))),
    ] {
        for name in names {
            document.add_text(field, name);
        }
    }
    let mut open: Vec<u64> =
        all.clone().filter(|of| of.last_seen.is_none()).map(|of| number(of.page)).collect();
    open.dedup();
    for page in open {
        document.add_u64(fields.open, page);
    }
    for of in all {
        document.add_i64(fields.page, of.page.0);
        document.add_i64(fields.first, of.first_seen.0);
        document.add_i64(fields.last, end_of(of.gone_seen));
        document.add_u64(fields.label, of.label as u64);
    }
    document.add_bytes(fields.occurrences, &to_bytes(&entry.occurrences));
    document
}

fn distinct<'a>(names: impl Iterator<Item = &'a str>) -> Vec<&'a str> {
    let mut distinct: Vec<&str> = Vec::new();
    for name in names {
        if !name.is_empty() && !distinct.contains(&name) {
            distinct.push(name);
            if distinct.len() == MOST_NAMES {
                break;
            }
        }
    }
    distinct
}
