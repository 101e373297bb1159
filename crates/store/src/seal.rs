//! Moving old versions into the cold tier: blobs that belong together become groups.
//!
//! Sealing is done in two kinds of commits. One for each group keeps it and leaves, of each blob that went into it,
//! a row that says where it is now ([`CatalogWriter::seal_group`]). The last one of all has whoever refers to these
//! rows refer to the members themselves, and drops the rows ([`CatalogWriter::sweep`]). Whatever is cut off
//! between them is whole, and goes on with the next sealing.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use serde::Serialize;

use crate::blob::{self, HasBytes, Hash, Packed};
use crate::catalog::{Catalog, CatalogWriter};
use crate::content::remove_unused_contents;
use crate::error::StoreError;
use crate::model::PageNumber;
use crate::tx::{Row, ToValue, Tx, params};

/// Bytes that are restored at once.
const BATCH: i64 = 8 << 20;

/// A column that refers to blobs.
pub(crate) struct Reference {
    pub(crate) table: &'static str,
    pub(crate) column: &'static str,
}

/// All of them.
pub(crate) const REFERENCES: [Reference; 12] = [
    Reference { table: "version", column: "snapshot" },
    Reference { table: "version", column: "body" },
    Reference { table: "version", column: "looks" },
    Reference { table: "version", column: "layout" },
    Reference { table: "version", column: "meta" },
    Reference { table: "exchange", column: "request_body" },
    Reference { table: "exchange", column: "response_body" },
    Reference { table: "edition", column: "body" },
    Reference { table: "old_blocks", column: "data" },
    Reference { table: "old_change", column: "data" },
    Reference { table: "old_edition", column: "data" },
    Reference { table: "blob", column: "base" },
];

/// Which blobs are packed together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Series {
    /// What was received for a page, and the trees that were made of it, version after version.
    Page(PageNumber),
    /// How the versions of a page are cut, how they look, and what they say about themselves.
    Cuts(PageNumber),
    /// What the records of a site say and said, and its old changes.
    Records,
}

/// A blob that waits to be sealed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unsealed {
    /// What it is referred to by.
    pub blob: i64,
    /// How many bytes it has.
    pub raw_size: i64,
    /// How many it takes.
    pub stored: i64,
}

/// A group, and where its members come from.
#[derive(Clone, Debug)]
pub struct NewGroup {
    /// The site.
    pub site: String,
    /// As `pack` made it.
    pub bytes: Vec<u8>,
    /// The member of another group that it was packed against.
    pub base: Option<i64>,
    /// The blobs that are its members, in order.
    pub members: Vec<i64>,
    /// How many bytes of bodies and trees it holds.
    pub raw_size: i64,
}

/// What a sweep did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Swept {
    /// Blobs that nothing refers to any more.
    pub removed: i64,
    /// What they took.
    pub bytes: i64,
}

impl Catalog {
    /// The pages of a site with something to seal: versions older than the latest, or any if `all`. By type and
    /// number, so that pages that are built alike come one after another.
    ///
    /// # Errors
    /// When the catalog fails.
    pub async fn unsealed_pages(
        &self,
        site: &str,
        all: bool,
    ) -> Result<Vec<PageNumber>, StoreError> {
        let site = site.to_owned();
        self.engine
            .read(move |tx| {
                tx.values(
                    "SELECT p.page FROM page p WHERE p.site = $1 AND EXISTS
                       (SELECT 1 FROM version v WHERE v.site = p.site AND v.page = p.page
                          AND (v.snapshot > 0 OR v.body > 0 OR v.layout > 0 OR v.meta > 0 OR v.looks > 0)
                          AND ($2 = 1 OR v.version < (SELECT max(version) FROM version w
                               WHERE w.site = p.site AND w.page = p.page)))
                     ORDER BY p.page_type, p.page",
                    params![site, all],
                )
            })
            .await
    }

    /// The blobs of a series that wait to be sealed, in order; of versions before the latest, or of any if `all`.
    ///
    /// # Errors
    /// When the catalog fails.
    pub async fn unsealed(
        &self,
        site: &str,
        series: Series,
        all: bool,
    ) -> Result<Vec<Unsealed>, StoreError> {
        let site = site.to_owned();
        self.engine.read(move |tx| unsealed(tx, &site, series, all)).await
    }

    /// The bytes of the first of these blobs, as many as are restored at once, and how many these are. Those that
    /// are damaged are left out.
    ///
    /// # Errors
    /// When the catalog fails.
    pub async fn restore(
        &self,
        blobs: &[Unsealed],
    ) -> Result<(usize, Vec<(Unsealed, Vec<u8>)>), StoreError> {
        let mut room = BATCH;
        let some = blobs.iter().enumerate().take_while(|(at, blob)| {
            room -= blob.raw_size;
            *at == 0 || room > 0
        });
        let some: Vec<Unsealed> = some.map(|(_, blob)| *blob).collect();
        let tried = some.len();
        let restored = self
            .engine
            .read(move |tx| {
                let numbers: Vec<i64> = some.iter().map(|blob| blob.blob).collect();
                let mut found: HashMap<i64, _> = blob::each(tx, &numbers)?.into_iter().collect();
                let whole = |blob: &Unsealed| Some((*blob, found.remove(&blob.blob)?.ok()?));
                Ok(some.iter().filter_map(whole).collect())
            })
            .await?;
        Ok((tried, restored))
    }

    /// How many versions are in the cold tier.
    ///
    /// # Errors
    /// When the catalog fails.
    pub async fn sealed_versions(&self) -> Result<i64, StoreError> {
        let sql = "SELECT count(*) FROM version WHERE coalesce(snapshot, body) < 0";
        self.engine.read(|tx| tx.value(sql, &[])).await
    }

    /// What to pack the next group of a series against: a member of its last group, or, if too many rest on each
    /// other, of the first of these; with its bytes.
    ///
    /// # Errors
    /// When the catalog fails or the member is damaged.
    pub async fn key_of(&self, member: i64) -> Result<Option<(i64, Vec<u8>)>, StoreError> {
        self.engine
            .read(move |tx| {
                let key = blob::key_of(tx, member)?;
                let bytes = blob::get_all(tx, &[key])?.remove(&key);
                Ok(bytes.map(|bytes| (key, bytes)))
            })
            .await
    }

    /// A member of the last group that versions of a page went into.
    ///
    /// # Errors
    /// When the catalog fails.
    pub async fn last_sealed(
        &self,
        site: &str,
        page: PageNumber,
    ) -> Result<Option<i64>, StoreError> {
        let site = site.to_owned();
        self.engine
            .read(move |tx| {
                tx.value_optional(
                    "SELECT coalesce(snapshot, body) FROM version
                     WHERE site = $1 AND page = $2 AND coalesce(snapshot, body) < 0
                     ORDER BY version DESC LIMIT 1",
                    params![site, page],
                )
            })
            .await
    }
}

impl CatalogWriter {
    /// Keeps a group, in place of the blobs that are its members. Returns the number of its last member.
    ///
    /// # Errors
    /// When the catalog fails; then the blobs are what they were.
    pub async fn seal_group(&self, group: NewGroup) -> Result<i64, StoreError> {
        self.engine.commit(&group.site.clone(), group, seal_group).await
    }

    /// Has everything that refers to sealed blobs refer to the members of their groups, and removes all blobs
    /// that nothing refers to. Nobody else may write to the store meanwhile.
    ///
    /// # Errors
    /// [`StoreError::Leased`] when another process has a site, and when the catalog fails.
    pub async fn sweep(&self) -> Result<Swept, StoreError> {
        let sites: Vec<String> =
            self.engine.read(|tx| tx.values("SELECT site FROM site ORDER BY site", &[])).await?;
        for site in &sites {
            self.lease(site).await?;
        }
        // Nobody puts an object meanwhile that is about to be removed.
        let alone = self.engine.alone_outside().await;
        let (swept, gone) = self.engine.write("", sweep).await?;
        self.engine.remove_outside(gone).await?;
        drop(alone);
        Ok(swept)
    }
}

impl HasBytes for NewGroup {
    fn bytes(&self) -> Vec<&[u8]> {
        vec![&self.bytes]
    }

    fn is_packed(&self) -> bool {
        true
    }
}

fn seal_group(tx: &mut Tx<'_>, group: &NewGroup, packed: &Packed) -> Result<i64, StoreError> {
    let number = blob::put(tx, packed, Some(&group.bytes))?.ok_or(StoreError::NoCatalog)?;
    tx.execute(
        "UPDATE blob SET codec = $2, base = $3, raw_size = $4 WHERE blob = $1",
        params![number, blob::GROUP, group.base, group.raw_size],
    )?;
    for (place, member) in group.members.iter().enumerate() {
        blob::mark_moved(tx, *member, number, place)?;
    }
    let last = group.members.len().saturating_sub(1);
    Ok(blob::member(number, last))
}

fn unsealed(
    tx: &mut Tx<'_>,
    site: &str,
    series: Series,
    all: bool,
) -> Result<Vec<Unsealed>, StoreError> {
    let until = |page: &PageNumber| -> String {
        match all {
            true => i64::MAX.to_string(),
            false => {
                format!("(SELECT max(version) FROM version WHERE site = $1 AND page = {})", page.0)
            }
        }
    };
    let rows: Vec<Row> = match series {
        Series::Page(page) => {
            let until = until(&page);
            let mut rows = tx.query(
                "SELECT seq, request_body, response_body FROM exchange
                 WHERE site = $1 AND page = $2 AND ($3 = 1 OR time < (SELECT max(time) FROM version
                       WHERE site = $1 AND page = $2)) ORDER BY seq",
                params![site, page, all],
            )?;
            // Last, so that the key of a group is a version.
            rows.extend(tx.query(
                &format!(
                    "SELECT version, body, snapshot FROM version
                     WHERE site = $1 AND page = $2 AND version < {until} ORDER BY version"
                ),
                params![site, page],
            )?);
            rows
        }
        Series::Cuts(page) => {
            let until = until(&page);
            let mut rows = tx.query(
                &format!(
                    "SELECT version, looks, layout, meta FROM version
                     WHERE site = $1 AND page = $2 AND version < {until} ORDER BY version"
                ),
                params![site, page],
            )?;
            rows.extend(tx.query(
                "SELECT last_block, data FROM old_blocks WHERE site = $1 AND page = $2
                 ORDER BY last_block",
                params![site, page],
            )?);
            rows
        }
        Series::Records => {
            // First what is large and resembles the rest.
            let mut rows = tx.query(
                "SELECT number, data FROM old_edition WHERE site = $1 ORDER BY number",
                params![site],
            )?;
            rows.extend(tx.query(
                "SELECT record, body FROM edition WHERE site = $1 AND body > 0
                 ORDER BY record, edition",
                params![site],
            )?);
            rows.extend(tx.query(
                "SELECT last, data FROM old_change WHERE site = $1 ORDER BY last",
                params![site],
            )?);
            rows
        }
    };
    let mut order = Vec::new();
    let mut seen = BTreeSet::new();
    for row in &rows {
        for at in 1..row.len() {
            if let Some(number) = row.get::<Option<i64>>(at)?.filter(|number| *number > 0)
                && seen.insert(number)
            {
                order.push(number);
            }
        }
    }
    let sizes = blob::unsealed_sizes(tx, &order)?;
    Ok(order.into_iter().filter_map(|number| sizes.get(&number).copied()).collect())
}

/// Also gives the hashes of blobs whose objects nobody needs any more.
fn sweep(tx: &mut Tx<'_>) -> Result<(Swept, Vec<Hash>), StoreError> {
    for Reference { table, column } in &REFERENCES {
        tx.execute(
            &format!(
                "UPDATE {table} SET {column} =
                   (SELECT m.base FROM blob m WHERE m.blob = {table}.{column})
                 WHERE {column} IN (SELECT m.blob FROM blob m WHERE m.codec = $1)"
            ),
            params![blob::MOVED],
        )?;
    }
    remove_unused_contents(tx)?;
    let (mut swept, mut gone) = (Swept::default(), Vec::new());
    loop {
        // What went may have been all that needed others.
        let removed = remove_unreferenced(tx, &mut gone)?;
        if removed.removed == 0 {
            return Ok((swept, gone));
        }
        swept.removed += removed.removed;
        swept.bytes += removed.bytes;
    }
}

/// Removes blobs that nothing refers to: neither a row, nor a blob that is packed with them.
fn remove_unreferenced(tx: &mut Tx<'_>, gone: &mut Vec<Hash>) -> Result<Swept, StoreError> {
    let mut needed: BTreeSet<i64> = BTreeSet::new();
    for Reference { table, column } in &REFERENCES {
        let rows = tx.query(
            &format!("SELECT DISTINCT {column} FROM {table} WHERE {column} IS NOT NULL"),
            &[],
        )?;
        for row in rows {
            needed.insert(blob::row_of(row.get(0)?));
        }
    }
    let dictionaries: Vec<String> =
        tx.values("SELECT value FROM learned WHERE what = 'dictionary'", &[])?;
    needed.extend(dictionaries.iter().filter_map(|number| number.parse::<i64>().ok()));
    let sizes: BTreeMap<i64, i64> = tx
        .query("SELECT blob, coalesce(stored, length(data)) FROM blob", &[])?
        .iter()
        .map(|row| Ok((row.get(0)?, row.get(1)?)))
        .collect::<Result<_, StoreError>>()?;
    let unneeded: Vec<_> = sizes.iter().filter(|(number, _)| !needed.contains(number)).collect();
    let numbers: Vec<_> = unneeded.iter().map(|(number, _)| number.to_value()).collect();
    if tx.outside.is_some() {
        let rows = tx.query_in("SELECT hash FROM blob WHERE blob IN ($list)", &[], &numbers)?;
        for row in rows {
            gone.push(row.get(0)?);
        }
    }
    tx.execute_in("DELETE FROM blob WHERE blob IN ($list)", &[], &numbers)?;
    Ok(Swept {
        removed: unneeded.len() as i64,
        bytes: unneeded.iter().map(|(_, bytes)| **bytes).sum(),
    })
}
