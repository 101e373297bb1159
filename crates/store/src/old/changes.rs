//! Changes that every follower has seen, as values.

use super::{LEAST, NewValue, read_lines, write_lines};
use crate::blob::{self, Packed};
use crate::catalog::CatalogWriter;
use crate::change::{Change, change_rows};
use crate::error::StoreError;
use crate::model::{Millis, PageNumber};
use crate::tx::{Tx, params};
use crate::words::ChangeKind;

/// Changes in one value.
const MOST: u32 = 10_000;

/// Milliseconds since the change before, what, its page and version. Numbers follow each other.
type Line = (i64, String, i64, Option<i64>);

struct OldChanges {
    value: NewValue,
    first: i64,
    last: i64,
}

impl blob::HasBytes for OldChanges {
    fn bytes(&self) -> Vec<&[u8]> {
        self.value.bytes()
    }
}

impl CatalogWriter {
    /// Makes values of the changes of a site.
    ///
    /// # Errors
    /// When the catalog fails; then they are what they were.
    pub async fn gather_old_changes(&self, site: &str) -> Result<(), StoreError> {
        loop {
            let of = site.to_owned();
            let rows = self.engine.read(move |tx| change_rows(tx, &of, 0, MOST)).await?;
            let first = rows.first().map_or(0, |change| change.seq);
            // A gap ends a value.
            let rows: Vec<Change> = (first..)
                .zip(rows)
                .take_while(|(seq, row)| *seq == row.seq)
                .map(|(_, row)| row)
                .collect();
            if rows.len() < LEAST {
                return Ok(());
            }
            let mut before = 0;
            let lines: Vec<Line> = rows
                .iter()
                .map(|row| {
                    let since = row.time.0 - before;
                    before = row.time.0;
                    (since, row.what.to_string(), row.page.0, row.version)
                })
                .collect();
            let value = NewValue { site: site.to_owned(), bytes: write_lines(&lines) };
            let last = first + rows.len() as i64 - 1;
            self.engine.commit(site, OldChanges { value, first, last }, keep).await?;
        }
    }
}

fn keep(tx: &mut Tx<'_>, step: &OldChanges, packed: &Packed) -> Result<(), StoreError> {
    let OldChanges { value: NewValue { site, bytes }, first, last } = step;
    let data = blob::put(tx, packed, Some(bytes))?;
    tx.execute(
        "INSERT INTO old_change (site, first, last, data) VALUES ($1, $2, $3, $4)",
        params![site, first, last, data],
    )?;
    tx.execute(
        "DELETE FROM change WHERE site = $1 AND seq BETWEEN $2 AND $3",
        params![site, first, last],
    )?;
    Ok(())
}

/// The changes after this one that became values, at most so many.
pub(crate) fn old_changes(
    tx: &mut Tx<'_>,
    site: &str,
    after: i64,
    most: u32,
) -> Result<Vec<Change>, StoreError> {
    let values = tx.query(
        "SELECT first, data FROM old_change WHERE site = $1 AND last > $2 ORDER BY last",
        params![site, after],
    )?;
    let mut all = Vec::new();
    for value in values {
        let lines: Vec<Line> = read_lines(tx, &[value.get(1)?])?;
        let mut time = 0;
        for (seq, (since, what, page, version)) in (value.get::<i64>(0)?..).zip(lines) {
            time += since;
            if seq > after && all.len() < most as usize {
                let (time, page) = (Millis(time), PageNumber(page));
                all.push(Change { seq, time, what: what.parse()?, page, version });
            }
        }
        if all.len() >= most as usize {
            break;
        }
    }
    Ok(all)
}

/// The changes before this one that became values, the latest first, of this kind and at most so many.
pub(crate) fn old_changes_before(
    tx: &mut Tx<'_>,
    site: &str,
    before: i64,
    what: ChangeKind,
    most: usize,
) -> Result<Vec<Change>, StoreError> {
    let mut all = Vec::new();
    let mut before = before;
    while all.len() < most {
        let last: Option<i64> = tx.value(
            "SELECT max(last) FROM old_change WHERE site = $1 AND first < $2",
            params![site, before],
        )?;
        let Some(last) = last else { break };
        let first: i64 = tx.value(
            "SELECT first FROM old_change WHERE site = $1 AND last = $2",
            params![site, last],
        )?;
        let some = old_changes(tx, site, first - 1, (last + 1 - first) as u32)?;
        let some = some.into_iter().rev();
        all.extend(some.filter(|change| change.what == what && change.seq < before));
        before = first;
    }
    all.truncate(most);
    Ok(all)
}
