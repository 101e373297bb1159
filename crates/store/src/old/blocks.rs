//! Blocks that ended long ago: of a page with a long history they take more rows than anything else, and hardly
//! anybody asks for them. When a page is sealed, they become one value.

use serde::{Deserialize, Serialize};

use super::LEAST;
use crate::blob::{self, HasBytes, Packed};
use crate::block::{BlockNumber, BlockRow, block_rows};
use crate::catalog::CatalogWriter;
use crate::content::ContentId;
use crate::error::StoreError;
use crate::model::PageNumber;
use crate::tx::{Tx, params};

/// A block as format 6 kept it, in the order of the columns of its table.
type Line = (i64, i64, i64, i64, String, Option<String>, i64, bool, i64, String, String, i64, u64);

/// Blocks, column by column: what stands in one column resembles itself, and is packed to half of what rows are.
/// Digests are left out, which cannot be packed at all: as much as the rest of the value.
#[derive(Default, Serialize, Deserialize)]
struct Columns {
    /// Each as the difference to the one before.
    block: Vec<i64>,
    /// As how far it lies behind the block.
    lineage: Vec<i64>,
    /// Each as the difference to the one before.
    first: Vec<i64>,
    /// As how far it lies behind the first.
    last: Vec<i64>,
    began: Vec<String>,
    ended: Vec<Option<String>>,
    share: Vec<i64>,
    numbers: Vec<i64>,
    level: Vec<i64>,
    label: Vec<String>,
    text_len: Vec<i64>,
    topic: Vec<String>,
}

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
        let columns = Columns::of(&old);
        let step = OldBlocks {
            page,
            before: latest,
            blocks: old.len() as i64,
            last_block: old.iter().map(|row| row.block.0).max().unwrap_or_default(),
            last: old.iter().filter_map(|row| row.last).max().unwrap_or_default(),
            bytes: serde_json::to_vec(&columns).unwrap_or_default(),
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
        let damaged = || StoreError::Damaged(number);
        if bytes.first() == Some(&b'[') {
            let lines: Vec<Line> = serde_json::from_slice(&bytes).map_err(|_| damaged())?;
            for line in lines {
                blocks.push(block(line)?);
            }
        } else {
            let columns: Columns = serde_json::from_slice(&bytes).map_err(|_| damaged())?;
            blocks.extend(columns.blocks(page)?.ok_or_else(damaged)?);
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

impl Columns {
    fn of(blocks: &[&BlockRow]) -> Self {
        let mut columns = Self::default();
        let (mut block, mut first) = (0, 0);
        for row in blocks {
            columns.block.push(row.block.0 - block);
            columns.lineage.push(row.block.0 - row.lineage.0);
            columns.first.push(row.first - first);
            columns.last.push(row.last.unwrap_or(row.first) - row.first);
            columns.began.push(row.began.to_string());
            columns.ended.push(row.ended.map(|ended| ended.to_string()));
            columns.share.push(row.share);
            columns.numbers.push(row.numbers.into());
            columns.level.push(row.level);
            columns.label.push(row.label.clone());
            columns.text_len.push(row.text_len);
            columns.topic.push(row.topic.clone());
            (block, first) = (row.block.0, row.first);
        }
        columns
    }

    /// The blocks of a page; `None` if a column is too short.
    fn blocks(self, page: PageNumber) -> Result<Option<Vec<BlockRow>>, StoreError> {
        let mut blocks = Vec::with_capacity(self.block.len());
        let (mut number, mut first) = (0_i64, 0_i64);
        let (mut labels, mut topics) = (self.label.into_iter(), self.topic.into_iter());
        for at in 0..self.block.len() {
            let value = |column: &[i64]| column.get(at).copied();
            let numbers = [&self.block, &self.lineage, &self.first, &self.last, &self.share]
                .map(|column| value(column));
            let [Some(block), Some(lineage), Some(since), Some(last), Some(share)] = numbers else {
                return Ok(None);
            };
            let rest = [&self.numbers, &self.level, &self.text_len].map(|column| value(column));
            let [Some(numbers), Some(level), Some(text_len)] = rest else { return Ok(None) };
            let (Some(label), Some(topic)) = (labels.next(), topics.next()) else {
                return Ok(None);
            };
            let (Some(began), Some(ended)) = (self.began.get(at), self.ended.get(at)) else {
                return Ok(None);
            };
            number = number.wrapping_add(block);
            first = first.wrapping_add(since);
            blocks.push(BlockRow {
                block: BlockNumber(number),
                lineage: BlockNumber(number.wrapping_sub(lineage)),
                first,
                last: Some(first.wrapping_add(last)),
                began: began.parse()?,
                ended: ended.as_ref().map(|ended| ended.parse()).transpose()?,
                share,
                numbers: numbers != 0,
                level,
                content: ContentId::of_old(page, BlockNumber(number)),
                label,
                topic,
                text_len,
            });
        }
        Ok(Some(blocks))
    }
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
    })
}
