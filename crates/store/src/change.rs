//! The sequence of changes of a site: what a search index, an export or a screen has to look at again.

use serde::Serialize;

use crate::catalog::Catalog;
use crate::error::StoreError;
use crate::model::{Millis, PageNumber};
use crate::old::changes::{old_changes, old_changes_before};
use crate::tx::{Row, Tx, params};
use crate::words::ChangeKind;

/// Something that changed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Change {
    /// Its number: changes of a site are numbered from 1, in the order in which they were committed.
    pub seq: i64,
    /// When.
    pub time: Millis,
    /// What.
    pub what: ChangeKind,
    /// Of which page.
    pub page: PageNumber,
    /// Of which version, where it is of one.
    pub version: Option<i64>,
}

impl Catalog {
    /// The changes of a site after the one with this number, at most `most`. Who keeps the number of the
    /// last one that it has dealt with misses none: numbers are given in the order of commits.
    ///
    /// ```
    /// # use store::{Catalog, CatalogWriter};
    /// # tokio::runtime::Runtime::new().unwrap().block_on(async {
    /// # let dir = tempfile::tempdir().unwrap();
    /// # CatalogWriter::open(dir.path()).unwrap();
    /// let catalog = Catalog::open(dir.path()).unwrap();
    /// let mut last = 0;
    /// for change in catalog.changes("example.org", last, 1000).await.unwrap() {
    ///     println!("{} of page {}", change.what, change.page);
    ///     last = change.seq;
    /// }
    /// # });
    /// ```
    ///
    /// # Errors
    /// When the catalog fails.
    pub async fn changes(
        &self,
        site: &str,
        after: i64,
        most: u32,
    ) -> Result<Vec<Change>, StoreError> {
        let site = site.to_owned();
        self.engine.read(move |tx| changes(tx, &site, after, most)).await
    }

    /// The number of the last change of every site that has one: who follows a store knows at once
    /// whether there is anything to look at.
    ///
    /// # Errors
    /// When the catalog fails.
    pub async fn last_changes(&self) -> Result<Vec<(String, i64)>, StoreError> {
        self.engine
            .read(|tx| {
                let rows = tx
                    .query("SELECT site, changes FROM site WHERE changes > 0 ORDER BY site", &[])?;
                rows.iter().map(|row| Ok((row.get(0)?, row.get(1)?))).collect()
            })
            .await
    }
}

/// The changes of a site after this one, at most so many.
pub(crate) fn changes(
    tx: &mut Tx<'_>,
    site: &str,
    after: i64,
    most: u32,
) -> Result<Vec<Change>, StoreError> {
    let mut changes = old_changes(tx, site, after, most)?;
    let left = most - changes.len() as u32;
    changes.extend(change_rows(tx, site, after, left)?);
    Ok(changes)
}

/// Those of them that have rows of their own.
pub(crate) fn change_rows(
    tx: &mut Tx<'_>,
    site: &str,
    after: i64,
    most: u32,
) -> Result<Vec<Change>, StoreError> {
    let rows = tx.query(
        "SELECT seq, time, what, page, version FROM change
         WHERE site = $1 AND seq > $2 ORDER BY seq LIMIT $3",
        params![site, after, most],
    )?;
    rows.iter().map(read).collect()
}

/// The changes of this kind before this one, the latest first, at most so many.
pub(crate) fn changes_before(
    tx: &mut Tx<'_>,
    site: &str,
    before: i64,
    what: ChangeKind,
    most: u32,
) -> Result<Vec<Change>, StoreError> {
    let rows = tx.query(
        "SELECT seq, time, what, page, version FROM change
         WHERE site = $1 AND seq < $2 AND what = $3 ORDER BY seq DESC LIMIT $4",
        params![site, before, what, most],
    )?;
    let mut changes: Vec<Change> = rows.iter().map(read).collect::<Result<_, _>>()?;
    let left = most as usize - changes.len();
    changes.extend(old_changes_before(tx, site, before, what, left)?);
    Ok(changes)
}

fn read(row: &Row) -> Result<Change, StoreError> {
    Ok(Change {
        seq: row.get(0)?,
        time: row.get(1)?,
        what: row.get(2)?,
        page: row.get(3)?,
        version: row.get(4)?,
    })
}

/// Notes that these pages changed, each in one of its versions.
pub(crate) fn note(
    tx: &mut Tx<'_>,
    site: &str,
    what: ChangeKind,
    changed: &[(PageNumber, Option<i64>)],
) -> Result<(), StoreError> {
    if changed.is_empty() {
        return Ok(());
    }
    let last: i64 = tx.value(
        "UPDATE site SET changes = changes + $2 WHERE site = $1 RETURNING changes",
        params![site, changed.len() as i64],
    )?;
    let now = Millis::now();
    let rows: Vec<_> = (last - changed.len() as i64 + 1..)
        .zip(changed)
        .map(|(seq, (page, version))| params![site, seq, now, what, page, version].to_vec())
        .collect();
    tx.insert("INSERT INTO change (site, seq, time, what, page, version)", &rows, "")?;
    Ok(())
}
