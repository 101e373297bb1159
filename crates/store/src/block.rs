//! Blocks of versions, and the versions that wait to be cut into them.

use serde::Serialize;

use crate::blob::{self, HasBytes, Packed};
use crate::catalog::{Catalog, CatalogWriter};
use crate::change::note;
use crate::content::{ContentId, keep_contents};
use crate::error::StoreError;
use crate::job::{next_version, sites_with};
use crate::model::PageNumber;
use crate::old::blocks::old_blocks;
use crate::step::count;
use crate::tx::{Row, ToValue, Tx, params, stored_as_number};
use crate::words::{Began, ChangeKind, Ended};

/// Names a block within its page. The first block of a lineage gives the lineage its number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(transparent)]
pub struct BlockNumber(pub i64);

stored_as_number!(BlockNumber);

impl std::fmt::Display for BlockNumber {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.fmt(f)
    }
}

/// A version that waits to be cut, claimed.
#[derive(Clone, Debug)]
pub struct Uncut {
    /// Its site.
    pub site: String,
    /// Its page.
    pub page: PageNumber,
    /// The first of the page's versions that wait.
    pub version: i64,
    /// How often it was claimed, this time included.
    pub attempts: u32,
}

/// The life of one content of a block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BlockRow {
    /// Its number within the page.
    pub block: BlockNumber,
    /// What it continues.
    pub lineage: BlockNumber,
    /// The version that it began with.
    pub first: i64,
    /// The last version that shows it; `None` while the latest does.
    pub last: Option<i64>,
    /// What made it.
    pub began: Began,
    /// What ended it, if something did.
    pub ended: Option<Ended>,
    /// How much of its text was new when it began, in thousandths.
    pub share: i64,
    /// Whether nothing but numbers in its text was.
    pub numbers: bool,
    /// How deep in the block tree it is.
    pub level: i64,
    /// What it is for.
    pub label: String,
    /// What it is about.
    pub topic: String,
    /// Characters that it shows.
    pub text_len: i64,
    /// The content, which other pages may show as well.
    pub content: ContentId,
}

impl BlockRow {
    /// Whether a version is made of it. One that was cut anew is not, any more.
    pub fn is_in(&self, version: i64) -> bool {
        let was_recut = self.ended == Some(Ended::Recut);
        let ends_after = |last: i64| version < last || (version == last && !was_recut);
        self.first <= version && self.last.is_none_or(ends_after)
    }
}

/// A block that begins with a version.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewBlock {
    /// Its number within the page, above all others.
    pub block: BlockNumber,
    /// What it continues; its own number if nothing.
    pub lineage: BlockNumber,
    /// What made it.
    pub began: Began,
    /// How much of its text is new, in thousandths.
    pub share: i64,
    /// Whether nothing but numbers in its text is.
    pub numbers: bool,
    /// How deep in the block tree it is.
    pub level: i64,
    /// What it is for.
    pub label: String,
    /// What it is about.
    pub topic: String,
    /// Characters that it shows.
    pub text_len: i64,
    /// Digest of its content.
    pub hash: u64,
}

impl NewBlock {
    /// What it holds and is called.
    pub(crate) fn content(&self) -> ContentId {
        ContentId::of(self.hash, &self.label, &self.topic)
    }
}

/// What cutting a version into blocks gave.
#[derive(Clone, Debug)]
pub struct CutStep {
    /// The site.
    pub site: String,
    /// The page.
    pub page: PageNumber,
    /// The version.
    pub version: i64,
    /// How far it is cut; `None` for what has no tree.
    pub level: Option<i64>,
    /// How it is cut, and the lineages of its blocks in order.
    pub layout: Option<Vec<u8>>,
    /// Whether what is left over when its blocks are taken out differs from the version before.
    pub layout_changed: bool,
    /// Its metadata, as JSON.
    pub meta: Option<Vec<u8>>,
    /// Whether something differs from the version before that is no noise.
    pub counts: bool,
    /// What was made of the version that it was compared with, if that was cut anew first.
    pub recut: Option<Recut>,
    /// Blocks that the version before was the last to show, and why they end.
    pub ended: Vec<(BlockNumber, Ended)>,
    /// Blocks that begin with it.
    pub begun: Vec<NewBlock>,
}

/// An earlier version cut anew, so that a new way to cut never shows as a change. Blocks that it
/// takes away end with that version, those that it brings begin with it.
#[derive(Clone, Debug)]
pub struct Recut {
    /// The version.
    pub version: i64,
    /// How far it is cut now.
    pub level: i64,
    /// How it is cut now.
    pub layout: Vec<u8>,
    /// Blocks that are no more.
    pub ended: Vec<BlockNumber>,
    /// Blocks in their place.
    pub begun: Vec<NewBlock>,
}

impl CutStep {
    /// A version without a tree: nothing to cut.
    pub fn uncuttable(uncut: &Uncut) -> Self {
        Self {
            site: uncut.site.clone(),
            page: uncut.page,
            version: uncut.version,
            level: None,
            layout: None,
            layout_changed: false,
            meta: None,
            counts: true,
            recut: None,
            ended: Vec::new(),
            begun: Vec::new(),
        }
    }
}

impl CatalogWriter {
    /// Takes a page with versions that wait to be cut, of a site that nobody else works on. Its holder cuts
    /// them in order.
    ///
    /// # Errors
    /// When the catalog fails.
    pub async fn claim_uncut(&self) -> Result<Option<Uncut>, StoreError> {
        for site in self.engine.read(|tx| sites_with(tx, "cut")).await? {
            let claimed = {
                let site = site.clone();
                self.engine.write(&site.clone(), move |tx| claim(tx, &site)).await
            };
            match claimed {
                Ok(None) | Err(StoreError::Leased { .. }) => {}
                claimed => return claimed,
            }
        }
        Ok(None)
    }

    /// Keeps what cutting a version gave. Says which of the page's versions waits next; its holder
    /// keeps the page until none does.
    ///
    /// # Errors
    /// When the catalog fails; then nothing of the step is kept.
    pub async fn commit_cut(&self, step: CutStep) -> Result<Option<i64>, StoreError> {
        self.engine.commit(&step.site.clone(), step, commit_cut).await
    }
}

impl Catalog {
    /// The blocks of a page that version `since` or a later one shows, by number.
    ///
    /// # Errors
    /// When the catalog fails.
    pub async fn blocks(&self, page: PageNumber, since: i64) -> Result<Vec<BlockRow>, StoreError> {
        self.engine.read(move |tx| blocks_since(tx, page, since)).await
    }

    /// How far pages of a type are cut that have a history: the mean level of their later versions.
    ///
    /// # Errors
    /// When the catalog fails.
    pub async fn level_of_type(
        &self,
        site: &str,
        page_type: &str,
    ) -> Result<Option<i64>, StoreError> {
        let (site, page_type) = (site.to_owned(), page_type.to_owned());
        self.engine
            .read(move |tx| {
                let mean: Option<f64> = tx.value(
                    "SELECT CAST(avg(v.level) AS DOUBLE PRECISION) FROM page p
                     JOIN version v ON v.site = p.site AND v.page = p.page
                     WHERE p.site = $1 AND p.page_type = $2 AND v.version > 1",
                    params![site, page_type],
                )?;
                Ok(mean.map(|mean| mean.round() as i64))
            })
            .await
    }

    /// The highest block number of a page.
    ///
    /// # Errors
    /// When the catalog fails.
    pub async fn last_block(&self, page: PageNumber) -> Result<BlockNumber, StoreError> {
        self.engine
            .read(move |tx| {
                tx.value(
                    "SELECT coalesce(max(block), 0) FROM
                       (SELECT block FROM block
                        WHERE site = (SELECT site FROM page WHERE page = $1) AND page = $1
                        UNION ALL SELECT last_block FROM old_blocks
                        WHERE site = (SELECT site FROM page WHERE page = $1) AND page = $1) known",
                    params![page],
                )
            })
            .await
    }
}

/// The blocks of a page that version `since` or a later one shows, by number.
pub(crate) fn blocks_since(
    tx: &mut Tx<'_>,
    page: PageNumber,
    since: i64,
) -> Result<Vec<BlockRow>, StoreError> {
    let mut blocks = old_blocks(tx, page, since)?;
    blocks.extend(block_rows(tx, page, since)?);
    blocks.sort_by_key(|block| block.block);
    Ok(blocks)
}

/// Those of them that have rows of their own.
pub(crate) fn block_rows(
    tx: &mut Tx<'_>,
    page: PageNumber,
    since: i64,
) -> Result<Vec<BlockRow>, StoreError> {
    let rows = tx.query(
        "SELECT b.block, b.lineage, b.first, b.last, b.began, b.ended, b.share, b.numbers, b.level,
                c.label, c.topic, c.text_len, b.content FROM block b
         JOIN content c ON c.site = b.site AND c.content = b.content
         WHERE b.site = (SELECT site FROM page WHERE page = $1) AND b.page = $1
           AND coalesce(b.last, $2) >= $2 ORDER BY b.block",
        params![page, since],
    )?;
    rows.iter().map(read_block).collect()
}

fn read_block(row: &Row) -> Result<BlockRow, StoreError> {
    Ok(BlockRow {
        block: row.get(0)?,
        lineage: row.get(1)?,
        first: row.get(2)?,
        last: row.get(3)?,
        began: row.get(4)?,
        ended: row.get(5)?,
        share: row.get(6)?,
        numbers: row.get(7)?,
        level: row.get(8)?,
        label: row.get(9)?,
        topic: row.get(10)?,
        text_len: row.get(11)?,
        content: row.get(12)?,
    })
}

fn claim(tx: &mut Tx<'_>, site: &str) -> Result<Option<Uncut>, StoreError> {
    let next = tx.query_optional(
        "SELECT page, version, attempts FROM job
         WHERE kind = 'cut' AND site = $1 AND held = 0 ORDER BY host, depth, page LIMIT 1",
        params![site],
    )?;
    let Some(next) = next else { return Ok(None) };
    let uncut = Uncut {
        site: site.to_owned(),
        page: next.get(0)?,
        version: next.get(1)?,
        attempts: next.get::<u32>(2)? + 1,
    };
    tx.execute(
        "UPDATE job SET held = 1, attempts = attempts + 1
         WHERE site = $1 AND page = $2 AND kind = 'cut'",
        params![site, uncut.page],
    )?;
    Ok(Some(uncut))
}

impl HasBytes for CutStep {
    fn bytes(&self) -> Vec<&[u8]> {
        let again = self.recut.as_ref().map(|recut| recut.layout.as_slice());
        [self.layout.as_deref(), self.meta.as_deref(), again].into_iter().flatten().collect()
    }
}

fn commit_cut(tx: &mut Tx<'_>, step: &CutStep, packed: &Packed) -> Result<Option<i64>, StoreError> {
    let CutStep { site, page, version, .. } = step;
    let again = step.recut.as_ref().map(|recut| recut.layout.as_slice());
    let blobs = blob::put_all(tx, packed, &[step.layout.as_deref(), step.meta.as_deref(), again])?;
    tx.execute(
        "UPDATE version SET level = $4, layout = $5, layout_changed = $6, meta = $7, counts = $8
         WHERE site = $1 AND page = $2 AND version = $3",
        params![
            site,
            page,
            version,
            step.level,
            blobs[0],
            step.layout_changed,
            blobs[1],
            step.counts
        ],
    )?;
    if let Some(recut) = &step.recut {
        tx.execute(
            "UPDATE version SET level = $4, layout = $5
             WHERE site = $1 AND page = $2 AND version = $3",
            params![site, page, recut.version, recut.level, blobs[2]],
        )?;
        end(tx, site, *page, &recut.ended, recut.version, Ended::Recut)?;
        begin(tx, site, *page, recut.version, &recut.begun)?;
    }
    for why in [Ended::Changed, Ended::Removed, Ended::Recut] {
        let blocks = step.ended.iter().filter(|(_, because)| *because == why);
        let blocks: Vec<_> = blocks.map(|(block, _)| *block).collect();
        end(tx, site, *page, &blocks, version - 1, why)?;
    }
    begin(tx, site, *page, *version, &step.begun)?;
    count(tx, site, &vec![("blocks_new", step.begun.len() as i64)])?;
    note(tx, site, ChangeKind::Blocks, &[(*page, Some(*version))])?;
    next_version(tx, site, *page, "cut", *version)
}

fn end(
    tx: &mut Tx<'_>,
    site: &str,
    page: PageNumber,
    blocks: &[BlockNumber],
    last: i64,
    why: Ended,
) -> Result<(), StoreError> {
    tx.execute_in(
        "UPDATE block SET last = $3, ended = $4
         WHERE site = $1 AND page = $2 AND block IN ($list)",
        params![site, page, last, why],
        &blocks.iter().map(ToValue::to_value).collect::<Vec<_>>(),
    )?;
    Ok(())
}

/// Keeps the blocks of the first version of a page, which is kept with how it is cut.
pub(crate) fn begin_first_blocks(
    tx: &mut Tx<'_>,
    site: &str,
    page: PageNumber,
    begun: &[NewBlock],
) -> Result<(), StoreError> {
    begin(tx, site, page, 1, begun)?;
    count(tx, site, &vec![("blocks_new", begun.len() as i64)])
}

fn begin(
    tx: &mut Tx<'_>,
    site: &str,
    page: PageNumber,
    version: i64,
    begun: &[NewBlock],
) -> Result<(), StoreError> {
    keep_contents(tx, site, begun)?;
    let rows: Vec<_> = begun
        .iter()
        .map(|new| {
            let NewBlock { block, lineage, began, share, numbers, level, .. } = new;
            let content = new.content();
            params![site, page, block, lineage, version, began, share, numbers, level, content]
                .to_vec()
        })
        .collect();
    tx.insert(
        "INSERT INTO block (site, page, block, lineage, first, began, share, numbers, level, content)",
        &rows,
        "",
    )?;
    Ok(())
}
