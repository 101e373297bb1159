//! What blocks hold, once for all pages of a site: the Volumes that seed 003 §2.4 names and leaves to others. A
//! block of a page is a lifetime that refers to a content; the menu of a site is one content that stands on all
//! of its pages.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use serde::Serialize;

use crate::block::{BlockNumber, BlockRow, NewBlock, blocks_since};
use crate::catalog::Catalog;
use crate::error::StoreError;
use crate::model::{Millis, PageNumber};
use crate::tx::{Row, Tx, params, stored_as_number};
use crate::words::{Began, Ended};

/// Names a content within its site: what is in it, and what it is called. Blocks that are the same to the byte
/// but are called otherwise where they stand have different contents.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(transparent)]
pub struct ContentId(pub i64);

stored_as_number!(ContentId);

impl ContentId {
    /// The content of a block with this digest of what is in it, this label and this topic.
    pub fn of(hash: u64, label: &str, topic: &str) -> Self {
        let mut named = blake3::Hasher::new();
        named.update(&hash.to_le_bytes()).update(label.as_bytes()).update(&[0]);
        named.update(topic.as_bytes());
        Self::cut(named.finalize())
    }

    /// The content of a block that ended long ago and was sealed: it stands for itself, whoever else held the same.
    pub(crate) fn of_old(page: PageNumber, block: BlockNumber) -> Self {
        let mut named = blake3::Hasher::new();
        named.update(b"old").update(&page.0.to_le_bytes()).update(&block.0.to_le_bytes());
        Self::cut(named.finalize())
    }

    fn cut(digest: blake3::Hash) -> Self {
        // The upper bits of a digest are as good as any; SQL has no unsigned numbers.
        Self(digest.as_bytes().first_chunk().copied().map_or(0, i64::from_le_bytes))
    }
}

/// A page that shows a content now.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Occurrence {
    /// The page.
    pub page: PageNumber,
    /// Its primary key.
    pub key: String,
    /// Which of the page's blocks it is.
    pub block: BlockNumber,
    /// Since when the page shows it there.
    pub first_seen: Millis,
    /// When it was last seen there.
    pub last_seen: Millis,
}

/// What happened to a content since a change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ContentChange {
    /// The content.
    pub content: ContentId,
    /// What it is for.
    pub label: String,
    /// What it is about.
    pub topic: String,
    /// Characters that it shows.
    pub text_len: i64,
    /// The blocks that began or ended to hold it, or were seen again, as they are now.
    pub lives: Vec<ContentLife>,
}

/// A block that holds, or held, a content.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ContentLife {
    /// The page.
    pub page: PageNumber,
    /// Its block.
    pub block: BlockNumber,
    /// What the block continues.
    pub lineage: BlockNumber,
    /// The version that it began with: what it says can be read there.
    pub first: i64,
    /// The last version that shows it; `None` while the latest does.
    pub last: Option<i64>,
    /// What made it.
    pub began: Began,
    /// What ended it, if something did.
    pub ended: Option<Ended>,
    /// When it was first seen.
    pub first_seen: Millis,
    /// When it was last seen.
    pub last_seen: Millis,
}

impl Catalog {
    /// On how many pages of its site each content of a page stands now: those of the blocks that version `since`
    /// or a later one shows. Contents that no page shows any more are left out.
    ///
    /// There is no index of contents, which would take as much room as the blocks: every block of the site is
    /// looked at.
    ///
    /// # Errors
    /// When the catalog fails.
    pub async fn pages_that_share(
        &self,
        page: PageNumber,
        since: i64,
    ) -> Result<HashMap<ContentId, i64>, StoreError> {
        self.engine
            .read(move |tx| {
                let rows = tx.query(
                    "SELECT content, count(DISTINCT page) FROM block
                     WHERE site = (SELECT site FROM page WHERE page = $1) AND last IS NULL
                       AND content IN (SELECT content FROM block
                         WHERE site = (SELECT site FROM page WHERE page = $1) AND page = $1
                           AND coalesce(last, $2) >= $2)
                       AND page NOT IN (SELECT page FROM page WHERE merged_into IS NOT NULL
                         AND site = (SELECT site FROM page WHERE page = $1))
                     GROUP BY content",
                    params![page, since],
                )?;
                rows.iter().map(|row| Ok((row.get(0)?, row.get(1)?))).collect()
            })
            .await
    }

    /// The pages of a site that show this content now, after the page `after`, at most `most`.
    ///
    /// # Errors
    /// When the catalog fails.
    pub async fn occurrences(
        &self,
        site: &str,
        content: ContentId,
        after: PageNumber,
        most: u32,
    ) -> Result<Vec<Occurrence>, StoreError> {
        let site = site.to_owned();
        self.engine
            .read(move |tx| {
                let rows = tx.query(
                    "SELECT b.page, coalesce(k.key, p.url), b.block, v.time, p.last_seen
                     FROM (SELECT site, page, min(block) AS block, min(first) AS first FROM block
                           WHERE site = $1 AND content = $2 AND last IS NULL AND page > $3
                           GROUP BY site, page) b
                     JOIN page p ON p.site = b.site AND p.page = b.page AND p.merged_into IS NULL
                     JOIN version v ON v.site = b.site AND v.page = b.page AND v.version = b.first
                     LEFT JOIN page_key k ON k.page = b.page AND k.is_main = 1
                     ORDER BY b.page LIMIT $4",
                    params![site, content, after, most],
                )?;
                rows.iter().map(read_occurrence).collect()
            })
            .await
    }

    /// What became of the contents of a site in the changes after the one with this number, at most `most`
    /// changes; with the number of the last of them, and `None` when there are none. Who follows a store by
    /// this sees every content once, and again each time that blocks begin or cease to hold it; a content may
    /// be told again though nothing is new. What a block held that ended long ago and was sealed is a content
    /// of its own.
    ///
    /// # Errors
    /// When the catalog fails.
    pub async fn changed_contents(
        &self,
        site: &str,
        after: i64,
        most: u32,
    ) -> Result<Option<(i64, Vec<ContentChange>)>, StoreError> {
        let site = site.to_owned();
        self.engine.read(move |tx| changed_contents(tx, &site, after, most)).await
    }
}

fn read_occurrence(row: &Row) -> Result<Occurrence, StoreError> {
    Ok(Occurrence {
        page: row.get(0)?,
        key: row.get(1)?,
        block: row.get(2)?,
        first_seen: row.get(3)?,
        last_seen: row.get(4)?,
    })
}

fn changed_contents(
    tx: &mut Tx<'_>,
    site: &str,
    after: i64,
    most: u32,
) -> Result<Option<(i64, Vec<ContentChange>)>, StoreError> {
    let changes = crate::change::changes(tx, site, after, most)?;
    let Some(last) = changes.last().map(|change| change.seq) else { return Ok(None) };
    // The first version of each page that was cut, or seen to be a new one.
    let mut pages: BTreeMap<PageNumber, i64> = BTreeMap::new();
    for change in &changes {
        if let Some(version) = change.version {
            let first = pages.entry(change.page).or_insert(version);
            *first = version.min(*first);
        }
    }
    let mut contents: BTreeMap<ContentId, ContentChange> = BTreeMap::new();
    for (page, version) in pages {
        // A version that is cut ends blocks of the one before it, and may have that cut anew.
        let since: i64 = tx.value(
            "SELECT coalesce(max(version), $3) FROM version
             WHERE site = $1 AND page = $2 AND version < $3 AND layout IS NOT NULL",
            params![site, page, version],
        )?;
        let blocks = blocks_since(tx, page, since)?;
        let touched = |row: &BlockRow| row.first >= since || row.last.is_some();
        let touched: Vec<BlockRow> = blocks.into_iter().filter(touched).collect();
        if touched.is_empty() {
            continue;
        }
        let seen = Seen::of(tx, site, page)?;
        for row in touched {
            let (first_seen, last_seen) = (seen.first(row.first), seen.last(row.last));
            let content = contents.entry(row.content).or_insert_with(|| ContentChange {
                content: row.content,
                label: row.label,
                topic: row.topic,
                text_len: row.text_len,
                lives: Vec::new(),
            });
            content.lives.push(ContentLife {
                page,
                block: row.block,
                lineage: row.lineage,
                first: row.first,
                last: row.last,
                began: row.began,
                ended: row.ended,
                first_seen,
                last_seen,
            });
        }
    }
    Ok(Some((last, contents.into_values().collect())))
}

/// When the versions of a page were seen: each first and last.
struct Seen(BTreeMap<i64, (Millis, Millis)>);

impl Seen {
    fn of(tx: &mut Tx<'_>, site: &str, page: PageNumber) -> Result<Self, StoreError> {
        let rows = tx.query(
            "SELECT v.version, v.time, coalesce(max(l.time), v.time) FROM version v
             LEFT JOIN visit l ON l.site = v.site AND l.page = v.page AND l.version = v.version
             WHERE v.site = $1 AND v.page = $2 GROUP BY v.version, v.time",
            params![site, page],
        )?;
        let read = |row: &Row| Ok((row.get(0)?, (row.get(1)?, row.get(2)?)));
        rows.iter().map(read).collect::<Result<_, _>>().map(Self)
    }

    fn first(&self, version: i64) -> Millis {
        self.0.get(&version).map_or(Millis(0), |(first, _)| *first)
    }

    fn last(&self, version: Option<i64>) -> Millis {
        let until = self.0.range(..=version.unwrap_or(i64::MAX)).next_back();
        until.map_or(Millis(0), |(_, (_, last))| *last)
    }
}

/// Keeps the contents of these blocks, those that the site does not have.
pub(crate) fn keep_contents(
    tx: &mut Tx<'_>,
    site: &str,
    blocks: &[NewBlock],
) -> Result<(), StoreError> {
    // In order, so that two writers never wait for each other.
    let contents: BTreeMap<ContentId, &NewBlock> =
        blocks.iter().map(|block| (block.content(), block)).collect();
    let rows: Vec<_> = contents
        .iter()
        .map(|(content, block)| {
            let NewBlock { text_len, label, topic, .. } = block;
            params![site, content, text_len, label, topic].to_vec()
        })
        .collect();
    tx.insert(
        "INSERT INTO content (site, content, text_len, label, topic)",
        &rows,
        "ON CONFLICT DO NOTHING",
    )?;
    Ok(())
}

/// Removes contents that no block has any more: those of old blocks that became values.
pub(crate) fn remove_unused_contents(tx: &mut Tx<'_>) -> Result<(), StoreError> {
    let sites: Vec<String> = tx.values("SELECT DISTINCT site FROM content", &[])?;
    for site in sites {
        tx.execute(
            "DELETE FROM content WHERE site = $1
               AND content NOT IN (SELECT content FROM block WHERE site = $1)",
            params![site],
        )?;
    }
    Ok(())
}

/// Format 7 has contents in rows of their own.
pub(crate) fn contents_from_6(tx: &mut Tx<'_>) -> Result<(), StoreError> {
    let pages = tx.query("SELECT DISTINCT site, page FROM block", &[])?;
    for page in pages {
        let (site, page): (String, PageNumber) = (page.get(0)?, page.get(1)?);
        let rows = tx.query(
            "SELECT block, hash, text_len, label, topic FROM block WHERE site = $1 AND page = $2",
            params![site, page],
        )?;
        let mut known: BTreeSet<ContentId> = BTreeSet::new();
        let mut contents = Vec::new();
        for row in rows {
            let (block, hash, text_len): (BlockNumber, i64, i64) =
                (row.get(0)?, row.get(1)?, row.get(2)?);
            let (label, topic): (String, String) = (row.get(3)?, row.get(4)?);
            let content = ContentId::of(hash as u64, &label, &topic);
            tx.execute(
                "UPDATE block SET content = $4 WHERE site = $1 AND page = $2 AND block = $3",
                params![site, page, block, content],
            )?;
            if known.insert(content) {
                contents.push((content, text_len, label, topic));
            }
        }
        let rows: Vec<_> = contents
            .iter()
            .map(|(content, text_len, label, topic)| {
                params![site, content, text_len, label, topic].to_vec()
            })
            .collect();
        tx.insert(
            "INSERT INTO content (site, content, text_len, label, topic)",
            &rows,
            "ON CONFLICT DO NOTHING",
        )?;
    }
    for column in ["hash", "text_len", "label", "topic"] {
        tx.driver.batch(&format!("ALTER TABLE block DROP COLUMN {column}"))?;
    }
    Ok(())
}
