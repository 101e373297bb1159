//! Blocks of versions, and the versions that wait to be cut into them.

use rusqlite::{Connection, OptionalExtension, Row, params};
use serde::Serialize;

use crate::blob;
use crate::catalog::Catalog;
use crate::error::StoreError;
use crate::model::{Millis, PageNumber};
use crate::step::count;
use crate::task::LEASE_MS;

/// Names a block within its page. The first block of a lineage gives the lineage its number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(transparent)]
pub struct BlockNumber(pub i64);

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
    /// added, recut, or the kind of change that made it.
    pub began: String,
    /// changed, removed or recut, when it ended.
    pub ended: Option<String>,
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
    /// Digest of its content.
    pub hash: u64,
}

impl BlockRow {
    /// Whether a version is made of it. One that was cut anew is not, any more.
    pub fn is_in(&self, version: i64) -> bool {
        let was_recut = self.ended.as_deref() == Some("recut");
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
    /// added, recut, or the kind of change that made it.
    pub began: &'static str,
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
    pub ended: Vec<(BlockNumber, &'static str)>,
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

impl Catalog {
    /// Takes a page with versions that wait to be cut. Its holder cuts them in order.
    ///
    /// # Errors
    /// When the catalog fails.
    pub async fn claim_uncut(&self) -> Result<Option<Uncut>, StoreError> {
        let now = Millis::now();
        self.engine
            .write(move |connection| {
                let claimed = connection
                    .prepare_cached(
                        "SELECT site, page, version, attempts FROM uncut WHERE lease_until <= ?1
                         ORDER BY site, page LIMIT 1",
                    )?
                    .query_row([now.0], |row| {
                        Ok(Uncut {
                            site: row.get(0)?,
                            page: PageNumber(row.get(1)?),
                            version: row.get(2)?,
                            attempts: row.get::<_, u32>(3)? + 1,
                        })
                    })
                    .optional()?;
                if let Some(uncut) = &claimed {
                    connection
                        .prepare_cached(
                            "UPDATE uncut SET lease_until = ?3, attempts = attempts + 1
                             WHERE site = ?1 AND page = ?2",
                        )?
                        .execute(params![uncut.site, uncut.page.0, now.plus(LEASE_MS).0])?;
                }
                Ok(claimed)
            })
            .await
    }

    /// Keeps what cutting a version gave. Says which of the page's versions waits next; its holder
    /// keeps the page until none does.
    ///
    /// # Errors
    /// When the catalog fails; then nothing of the step is kept.
    pub async fn commit_cut(&self, step: CutStep) -> Result<Option<i64>, StoreError> {
        self.engine.write(move |connection| commit_cut(connection, &step)).await
    }

    /// How many pages have versions that wait to be cut.
    ///
    /// # Errors
    /// When the catalog fails.
    pub async fn uncut(&self) -> Result<u64, StoreError> {
        let count = |connection: &Connection| {
            Ok(connection
                .query_row("SELECT count(*) FROM uncut", [], |row| row.get::<_, i64>(0))?)
        };
        Ok(self.engine.read(count).await?.unsigned_abs())
    }

    /// Gives back what an earlier, interrupted run had claimed.
    ///
    /// # Errors
    /// When the catalog fails.
    pub async fn release_uncut(&self) -> Result<(), StoreError> {
        self.engine
            .write(|connection| Ok(connection.execute("UPDATE uncut SET lease_until = 0", [])?))
            .await
            .map(drop)
    }

    /// The blocks of a page that version `since` or a later one shows, by number.
    ///
    /// # Errors
    /// When the catalog fails.
    pub async fn blocks(&self, page: PageNumber, since: i64) -> Result<Vec<BlockRow>, StoreError> {
        self.engine
            .read(move |connection| {
                let mut question = connection.prepare_cached(
                    "SELECT block, lineage, first, last, began, ended, share, numbers, level, label,
                            topic, text_len, hash FROM block
                     WHERE site = (SELECT site FROM page WHERE page = ?1) AND page = ?1
                       AND coalesce(last, ?2) >= ?2 ORDER BY block",
                )?;
                let mut rows = question.query(params![page.0, since])?;
                let mut blocks = Vec::new();
                while let Some(row) = rows.next()? {
                    blocks.push(read_block(row)?);
                }
                Ok(blocks)
            })
            .await
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
            .read(move |connection| {
                let mean: Option<f64> = connection
                    .prepare_cached(
                        "SELECT avg(v.level) FROM page p
                         JOIN version v ON v.site = p.site AND v.page = p.page
                         WHERE p.site = ?1 AND p.page_type = ?2 AND v.version > 1",
                    )?
                    .query_row([site, page_type], |row| row.get(0))?;
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
            .read(move |connection| {
                let number = connection
                    .prepare_cached(
                        "SELECT coalesce(max(block), 0) FROM block
                         WHERE site = (SELECT site FROM page WHERE page = ?1) AND page = ?1",
                    )?
                    .query_row([page.0], |row| row.get(0))?;
                Ok(BlockNumber(number))
            })
            .await
    }
}

fn read_block(row: &Row<'_>) -> Result<BlockRow, rusqlite::Error> {
    Ok(BlockRow {
        block: BlockNumber(row.get(0)?),
        lineage: BlockNumber(row.get(1)?),
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
        // SQL has no unsigned numbers; the bits are what counts.
        hash: row.get::<_, i64>(12)? as u64,
    })
}

/// Puts a version behind those of its page that wait already.
pub(crate) fn wait_to_be_cut(
    connection: &Connection,
    site: &str,
    page: PageNumber,
    version: i64,
) -> Result<(), StoreError> {
    connection
        .prepare_cached(
            "INSERT INTO uncut (site, page, version) VALUES (?1, ?2, ?3) ON CONFLICT DO NOTHING",
        )?
        .execute(params![site, page.0, version])?;
    Ok(())
}

fn commit_cut(connection: &Connection, step: &CutStep) -> Result<Option<i64>, StoreError> {
    let (site, page, version) = (step.site.as_str(), step.page.0, step.version);
    let layout = step.layout.as_deref().map(|layout| blob::put(connection, layout)).transpose()?;
    let meta = step.meta.as_deref().map(|meta| blob::put(connection, meta)).transpose()?;
    connection
        .prepare_cached(
            "UPDATE version SET level = ?4, layout = ?5, layout_changed = ?6, meta = ?7, counts = ?8
             WHERE site = ?1 AND page = ?2 AND version = ?3",
        )?
        .execute(params![site, page, version, step.level, layout, step.layout_changed, meta, step.counts])?;
    if let Some(recut) = &step.recut {
        let layout = blob::put(connection, &recut.layout)?;
        connection
            .prepare_cached(
                "UPDATE version SET level = ?4, layout = ?5
                 WHERE site = ?1 AND page = ?2 AND version = ?3",
            )?
            .execute(params![site, page, recut.version, recut.level, layout])?;
        for block in &recut.ended {
            end(connection, site, page, *block, recut.version, "recut")?;
        }
        begin(connection, site, page, recut.version, &recut.begun)?;
    }
    for (block, why) in &step.ended {
        end(connection, site, page, *block, version - 1, why)?;
    }
    begin(connection, site, page, version, &step.begun)?;
    count(connection, site, &vec![("blocks_new", step.begun.len() as i64)])?;
    next_uncut(connection, site, page, version)
}

fn end(
    connection: &Connection,
    site: &str,
    page: i64,
    block: BlockNumber,
    last: i64,
    why: &str,
) -> Result<(), StoreError> {
    connection
        .prepare_cached(
            "UPDATE block SET last = ?4, ended = ?5 WHERE site = ?1 AND page = ?2 AND block = ?3",
        )?
        .execute(params![site, page, block.0, last, why])?;
    Ok(())
}

fn begin(
    connection: &Connection,
    site: &str,
    page: i64,
    version: i64,
    begun: &[NewBlock],
) -> Result<(), StoreError> {
    for new in begun {
        connection
            .prepare_cached(
                "INSERT INTO block (site, page, block, lineage, first, began, share, numbers, level,
                                    label, topic, text_len, hash)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13)",
            )?
            .execute(params![
                site,
                page,
                new.block.0,
                new.lineage.0,
                version,
                new.began,
                new.share,
                new.numbers,
                new.level,
                new.label,
                new.topic,
                new.text_len,
                new.hash as i64
            ])?;
    }
    Ok(())
}

/// The page's next version to be cut, or none: then the page waits no more.
fn next_uncut(
    connection: &Connection,
    site: &str,
    page: i64,
    version: i64,
) -> Result<Option<i64>, StoreError> {
    let next: Option<i64> = connection
        .prepare_cached(
            "SELECT min(version) FROM version WHERE site = ?1 AND page = ?2 AND version > ?3",
        )?
        .query_row(params![site, page, version], |row| row.get(0))?;
    match next {
        Some(next) => connection
            .prepare_cached(
                "UPDATE uncut SET version = ?3, attempts = 1, lease_until = ?4
                 WHERE site = ?1 AND page = ?2",
            )?
            .execute(params![site, page, next, Millis::now().plus(LEASE_MS).0])?,
        None => connection
            .prepare_cached("DELETE FROM uncut WHERE site = ?1 AND page = ?2")?
            .execute(params![site, page])?,
    };
    Ok(next)
}
