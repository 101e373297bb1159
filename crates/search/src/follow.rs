//! Bringing the index up to date: what changed in the store since is read, and nothing else.
//!
//! The sequence of changes of a site says which pages to look at. Of each, the blocks that began or ended
//! since are looked up; a version is read again only where a block began with it. What is written and how
//! far the store was followed are one commit, and a page may be looked at twice without harm, so an end at
//! any moment costs at most one batch.

use std::collections::{BTreeMap, HashSet, VecDeque};
use std::sync::Arc;
use std::time::Duration;

use store::{BlockRow, Catalog, Change, ChangeKind, PageNumber, StoreError, Which};
use tantivy::{IndexWriter, TantivyError};
use tokio::task::JoinHandle;
use tracing::warn;

use crate::batch::Batch;
use crate::error::SearchError;
use crate::index::{Followed, Index, Inner, Mark};
use crate::page_life::PageLife;
use crate::schema::FORMAT;
use crate::version::{VersionTexts, texts_of};

/// Changes that are read at once.
const CHANGES: u32 = 2_000;
/// Memory for what is on its way into the index.
const MEMORY: usize = 64 << 20;
/// Threads that build it. More make more and smaller segments of one commit, each with a dictionary of its own.
const WRITERS: usize = 1;
/// Segments that are left as they are after an update that brought a good part of the index. More take more
/// room, and every query asks each.
const MOST_SEGMENTS: usize = 3;
/// How long another process that brings the index up to date is waited for.
const PATIENCE: Duration = Duration::from_secs(30);
const PAUSE: Duration = Duration::from_millis(100);

/// What bringing an index up to date did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Updated {
    /// Changes of the store that were looked at.
    pub changes: u64,
    /// Pages that were looked at.
    pub pages: u64,
    /// Versions that were read again.
    pub versions: u64,
    /// Blocks of versions that were indexed.
    pub blocks: u64,
    /// Bytes of their texts.
    pub bytes: u64,
    /// Texts that were new to the index.
    pub texts: u64,
    /// Their bytes.
    pub new_bytes: u64,
    /// Whether it is still behind, because another process was bringing it up to date all the time.
    pub behind: bool,
}

/// How far an update is.
#[derive(Clone, Copy, Debug)]
pub struct Progress {
    /// Changes that were looked at.
    pub done: u64,
    /// Changes there were to look at when it began.
    pub all: u64,
}

impl Index {
    /// Brings the index up to date with its store. `progress` is told now and then.
    ///
    /// # Errors
    /// When the store or the index fails. What was written until then is kept.
    pub async fn update(
        &self,
        catalog: &Catalog,
        mut progress: impl FnMut(Progress),
    ) -> Result<Updated, SearchError> {
        let _alone = self.updating.lock().await;
        let inner = &self.inner;
        if Behind::of(inner, catalog).await?.is_nothing() {
            inner.reader.reload()?;
            return Ok(Updated::default());
        }
        let Some(mut writer) = self.writer().await? else {
            inner.reader.reload()?;
            return Ok(Updated { behind: true, ..Updated::default() });
        };
        // Asked again: another process may have written meanwhile.
        let Behind { sites, followed, is_other_store } = Behind::of(inner, catalog).await?;
        if is_other_store {
            writer.delete_all_documents()?;
            writer.commit()?;
        }
        inner.reader.reload()?;
        let mut follower = Follower {
            inner: inner.clone(),
            catalog,
            writer,
            batch: Batch::new(inner.reader.searcher()),
            followed,
            reading: VecDeque::new(),
            most_reading: 2 * std::thread::available_parallelism().map_or(1, usize::from),
            updated: Updated::default(),
            in_batch: HashSet::new(),
        };
        let all = sites.iter().map(|(_, from, to)| (to - from).unsigned_abs()).sum();
        let mut done = 0;
        for (site, from, to) in sites {
            let mut after = from;
            while let Some(last) = follower.step(&site, after).await? {
                done += (last - after).unsigned_abs();
                after = last;
                progress(Progress { done, all });
                // What comes later is for the next update: a crawl may go on for days.
                if last >= to {
                    break;
                }
            }
        }
        let updated = follower.finish()?;
        self.forget_page_types();
        Ok(updated)
    }

    /// `None` if another process has one all the time.
    async fn writer(&self) -> Result<Option<IndexWriter>, SearchError> {
        let begun = tokio::time::Instant::now();
        loop {
            match self.inner.index.writer_with_num_threads(WRITERS, MEMORY) {
                Ok(writer) => return Ok(Some(writer)),
                Err(TantivyError::LockFailure(..)) if begun.elapsed() > PATIENCE => {
                    return Ok(None);
                }
                Err(TantivyError::LockFailure(..)) => tokio::time::sleep(PAUSE).await,
                Err(error) => return Err(error.into()),
            }
        }
    }
}

/// What the index does not have.
struct Behind {
    /// The sites with such changes: the last that it has, and the last there is.
    sites: Vec<(String, i64, i64)>,
    followed: Followed,
    /// Whether what it has is of a store that is no more: one that was begun anew in its place.
    is_other_store: bool,
}

impl Behind {
    async fn of(inner: &Inner, catalog: &Catalog) -> Result<Self, SearchError> {
        let mut followed = inner.followed()?.unwrap_or_default();
        followed.format = FORMAT;
        let last_changes = catalog.last_changes().await?;
        let is_gone = |site: &String| !last_changes.iter().any(|(known, _)| known == site);
        let mut is_other_store = followed.sites.keys().any(is_gone);
        for (site, last) in &last_changes {
            let Some(mark) = followed.sites.get(site) else { continue };
            let change = catalog.changes(site, mark.seq - 1, 1).await?.into_iter().next();
            let is_another = |change: &Change| change.seq == mark.seq && !mark.is_of(change);
            is_other_store |= mark.seq > *last || change.as_ref().is_some_and(is_another);
        }
        if is_other_store {
            followed.sites.clear();
        }
        let from = |site: &String| followed.sites.get(site).map_or(0, |mark| mark.seq);
        let sites = last_changes.into_iter().map(|(site, last)| (from(&site), last, site));
        let sites = sites.filter(|(from, last, _)| from < last);
        let sites = sites.map(|(from, last, site)| (site, from, last)).collect();
        Ok(Self { sites, followed, is_other_store })
    }

    fn is_nothing(&self) -> bool {
        self.sites.is_empty() && !self.is_other_store
    }
}

struct Follower<'a> {
    inner: Arc<Inner>,
    catalog: &'a Catalog,
    writer: IndexWriter,
    batch: Batch,
    followed: Followed,
    /// Versions that are being read, first come first.
    reading: VecDeque<Reading>,
    most_reading: usize,
    updated: Updated,
    /// Pages that the batch has something of: the index says of them what was before.
    in_batch: HashSet<PageNumber>,
}

/// A version that is being read for the blocks that began with it.
struct Reading {
    page: Arc<PageLife>,
    begun: Vec<BlockRow>,
    texts: JoinHandle<Option<VersionTexts>>,
}

impl Follower<'_> {
    /// Looks at the next changes of a site. Says which was the last; `None` if there were none.
    async fn step(&mut self, site: &str, after: i64) -> Result<Option<i64>, SearchError> {
        let changes = self.catalog.changes(site, after, CHANGES).await?;
        let Some(last) = changes.last() else { return Ok(None) };
        let mut pages: BTreeMap<PageNumber, i64> = BTreeMap::new();
        let is_of_blocks = |change: &&Change| change.what != ChangeKind::Records;
        for change in changes.iter().filter(is_of_blocks) {
            let version = change.version.unwrap_or(1);
            let since = pages.entry(change.page).or_insert(version);
            *since = (*since).min(version);
        }
        for (page, since) in pages {
            self.page(site, page, since).await?;
            if self.batch.is_full() {
                self.write()?;
            }
        }
        while self.take_next().await? {}
        self.followed.sites.insert(site.to_owned(), Mark::of(last));
        self.updated.changes += changes.len() as u64;
        Ok(Some(last.seq))
    }

    /// Looks at a page whose blocks changed in version `since` or later.
    async fn page(&mut self, site: &str, page: PageNumber, since: i64) -> Result<(), SearchError> {
        if !self.in_batch.insert(page) {
            while self.take_next().await? {}
            self.write()?;
            self.in_batch.insert(page);
        }
        self.updated.pages += 1;
        let open = self.batch.open_blocks(&self.inner, page)?;
        let row = self.catalog.find(&page.to_string()).await?;
        if row.is_none_or(|row| row.page != page) {
            for (block, id) in open {
                self.batch.remove(id, (page.0, block));
            }
            return Ok(());
        }
        // The version before may have been cut anew: then its blocks ended with it.
        let rows = self.catalog.blocks(page, since - 1).await?;
        let life = Arc::new(PageLife::load(self.catalog, site, page).await?);
        let mut begun: BTreeMap<i64, Vec<BlockRow>> = BTreeMap::new();
        for row in rows {
            match open.get(&row.block.0) {
                Some(id) => {
                    if row.last.is_some() {
                        let (last, gone) = life.end_of(&row);
                        self.batch.change(*id, (page.0, row.block.0), |of| {
                            (of.last_version, of.last_seen) = (row.last, last);
                            of.gone_seen = gone;
                        });
                    }
                }
                // One that was cut anew at once was never shown so; its texts stand in other blocks.
                None if !row.is_in(row.first) || row.text_len == 0 => {}
                // What ended before was indexed then.
                None if row.first < since && row.last.is_some_and(|last| last < since - 1) => {}
                None => begun.entry(row.first).or_default().push(row),
            }
        }
        for (version, begun) in begun {
            self.read(life.clone(), version, begun).await?;
        }
        Ok(())
    }

    /// Begins to read a version, while others are being read.
    async fn read(
        &mut self,
        page: Arc<PageLife>,
        version: i64,
        begun: Vec<BlockRow>,
    ) -> Result<(), SearchError> {
        if self.reading.len() >= self.most_reading {
            self.take_next().await?;
        }
        let number = version;
        let version = match self.catalog.version(page.page, Which::Number(number)).await {
            Ok(Some(version)) => version,
            Ok(None) => return Ok(()),
            // What is damaged takes nothing else with it.
            Err(StoreError::Damaged(_)) => {
                warn!("version {number} of page {} is damaged and cannot be searched", page.page);
                return Ok(());
            }
            Err(error) => return Err(error.into()),
        };
        self.updated.versions += 1;
        let wanted: Vec<i64> = begun.iter().map(|row| row.lineage.0).collect();
        let texts = tokio::task::spawn_blocking(move || texts_of(&version, &wanted));
        self.reading.push_back(Reading { page, begun, texts });
        Ok(())
    }

    /// Takes what was read first; says whether there was anything.
    async fn take_next(&mut self) -> Result<bool, SearchError> {
        let Some(Reading { page, begun, texts }) = self.reading.pop_front() else {
            return Ok(false);
        };
        let texts = texts.await.map_err(|_| SearchError::Lost("a version that was being read"))?;
        let Some(mut texts) = texts else { return Ok(true) };
        for row in begun {
            let Some(text) = texts.of_lineage.remove(&row.lineage.0) else { continue };
            self.updated.blocks += 1;
            self.updated.bytes += text.len() as u64;
            let occurrence = page.occurrence(&row, &texts.title);
            self.batch.add(&self.inner, &page.site, text, occurrence)?;
        }
        if self.batch.is_full() {
            self.write()?;
        }
        Ok(true)
    }

    fn write(&mut self) -> Result<(), SearchError> {
        self.in_batch.clear();
        self.batch.write(&self.inner, &mut self.writer, &self.followed)
    }

    fn finish(mut self) -> Result<Updated, SearchError> {
        self.write()?;
        self.updated.texts = self.batch.added;
        self.updated.new_bytes = self.batch.added_bytes;
        let segments = self.inner.index.searchable_segment_ids()?;
        let all = self.inner.reader.searcher().num_docs();
        // What single visits bring is merged as it comes.
        if segments.len() > MOST_SEGMENTS && self.updated.texts * 4 > all {
            self.writer.merge(&segments).wait()?;
        }
        self.writer.wait_merging_threads()?;
        self.inner.reader.reload()?;
        Ok(self.updated)
    }
}
