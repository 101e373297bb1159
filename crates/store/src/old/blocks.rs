//! Blocks that ended long ago: of a page with a long history they take more rows than anything else, and hardly
//! anybody asks for them. When a page is sealed, they become one value.

use super::LEAST;
use crate::blob::{self, HasBytes, Packed};
use crate::block::{BlockNumber, BlockRow, block_rows};
use crate::catalog::CatalogWriter;
use crate::content::ContentId;
use crate::error::StoreError;
use crate::model::PageNumber;
use crate::tx::{Tx, params};

/// A block, in the order of the columns of its table.
type Line = (i64, i64, i64, i64, String, Option<String>, i64, bool, i64, String, String, i64, u64);

/// Blocks of a page on their way into one value.
struct OldBlocks {
    site: String,
    page: PageNumber,
    /// All of them ended before this version.
    before: i64,
    blocks: i64,
    last_block: i64,
    /// The last version that shows one of them.
    last: i64,
    bytes: Vec<u8>,
}

impl HasBytes for OldBlocks {
    fn bytes(&self) -> Vec<&[u8]> {
        vec![&self.bytes]
    }
}

impl CatalogWriter {
    /// Makes one value of the blocks of a page that ended before its latest version.
    ///
    /// # Errors
    /// When the catalog fails; then they are what they were.
    pub async fn gather_old_blocks(&self, site: &str, page: PageNumber) -> Result<(), StoreError> {
        let site = site.to_owned();
        let latest = {
            let site = site.clone();
            let sql = "SELECT coalesce(max(version), 0) FROM version WHERE site = $1 AND page = $2";
            self.engine.read(move |tx| tx.value::<i64>(sql, params![site, page])).await?
        };
        let old: Vec<BlockRow> = self.engine.read(move |tx| block_rows(tx, page, 0)).await?;
        let is_old = |row: &&BlockRow| row.last.is_some_and(|last| last < latest);
        let old: Vec<&BlockRow> = old.iter().filter(is_old).collect();
        if old.len() < LEAST {
            return Ok(());
        }
        let lines: Vec<Line> = old.iter().map(|row| line(row)).collect();
        let step = OldBlocks {
            page,
            before: latest,
            blocks: old.len() as i64,
            last_block: old.iter().map(|row| row.block.0).max().unwrap_or_default(),
            last: old.iter().filter_map(|row| row.last).max().unwrap_or_default(),
            bytes: serde_json::to_vec(&lines).unwrap_or_default(),
            site: site.clone(),
        };
        self.engine.commit(&site, step, keep).await
    }
}

/// Blocks of a page that became values, of versions from `since` on.
pub(crate) fn old_blocks(
    tx: &mut Tx<'_>,
    page: PageNumber,
    since: i64,
) -> Result<Vec<BlockRow>, StoreError> {
    let values: Vec<i64> = tx.values(
        "SELECT data FROM old_blocks
         WHERE site = (SELECT site FROM page WHERE page = $1) AND page = $1 AND last >= $2
         ORDER BY last_block",
        params![page, since],
    )?;
    let mut blocks = Vec::new();
    for (number, bytes) in blob::get_all(tx, &values)? {
        let lines: Vec<Line> =
            serde_json::from_slice(&bytes).map_err(|_| StoreError::Damaged(number))?;
        for line in lines {
            blocks.push(block(line)?);
        }
    }
    blocks.retain(|row: &BlockRow| row.last.is_some_and(|last| last >= since));
    Ok(blocks)
}

fn keep(tx: &mut Tx<'_>, step: &OldBlocks, packed: &Packed) -> Result<(), StoreError> {
    let OldBlocks { site, page, before, blocks, last_block, last, bytes } = step;
    let data = blob::put(tx, packed, Some(bytes))?;
    tx.execute(
        "INSERT INTO old_blocks (site, page, last_block, last, blocks, data)
         VALUES ($1, $2, $3, $4, $5, $6)",
        params![site, page, last_block, last, blocks, data],
    )?;
    tx.execute(
        "DELETE FROM block WHERE site = $1 AND page = $2 AND last < $3",
        params![site, page, before],
    )?;
    Ok(())
}

fn line(row: &BlockRow) -> Line {
    (
        row.block.0,
        row.lineage.0,
        row.first,
        row.last.unwrap_or(row.first),
        row.began.to_string(),
        row.ended.map(|ended| ended.to_string()),
        row.share,
        row.numbers,
        row.level,
        row.label.clone(),
        row.topic.clone(),
        row.text_len,
        row.hash,
    )
}

fn block(line: Line) -> Result<BlockRow, StoreError> {
    let (
        block,
        lineage,
        first,
        last,
        began,
        ended,
        share,
        numbers,
        level,
        label,
        topic,
        text_len,
        hash,
    ) = line;
    Ok(BlockRow {
        content: ContentId::of(hash, &label, &topic),
        block: BlockNumber(block),
        lineage: BlockNumber(lineage),
        first,
        last: Some(last),
        began: began.parse()?,
        ended: ended.map(|ended| ended.parse()).transpose()?,
        share,
        numbers,
        level,
        label,
        topic,
        text_len,
        hash,
    })
}
