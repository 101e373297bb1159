//! Is everything there, and what it was? Every blob is restored and compared with its hash, every group unpacked,
//! and everything that is referred to looked for.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::blob;
use crate::catalog::Catalog;
use crate::error::StoreError;
use crate::seal::REFERENCES;
use crate::tx::{ToValue, Tx, params};

/// Bytes and blobs that are restored at once.
const BATCH_BYTES: i64 = 8 << 20;
const BATCH: i64 = 256;

/// Something that is lost.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Lost {
    /// Which site it belongs to; none for the file of the store itself.
    pub site: Option<String>,
    /// The key of the page.
    pub key: Option<String>,
    /// The version of the page, if it is of one.
    pub version: Option<i64>,
    /// What it is: a column of the catalog, as `version.body`.
    pub what: String,
    /// Why it cannot be had.
    pub why: String,
}

/// How far a check has come.
#[derive(Clone, Debug, Default)]
pub struct Checked {
    /// Blobs that were restored and compared.
    pub checked: i64,
    /// The last one: where to go on.
    pub last: i64,
    /// Those that cannot be restored, and why.
    pub bad: BTreeMap<i64, String>,
}

impl Catalog {
    /// Restores the next blobs after `last` and compares them with their hashes; `None` when all were.
    ///
    /// # Errors
    /// When the catalog cannot be read.
    pub async fn check_blobs(&self, last: i64) -> Result<Option<Checked>, StoreError> {
        self.engine.read(move |tx| check_blobs(tx, last)).await
    }

    /// How many blobs there are to be checked.
    ///
    /// # Errors
    /// When the catalog cannot be read.
    pub async fn count_blobs(&self) -> Result<i64, StoreError> {
        self.engine.read(|tx| tx.value("SELECT count(*) FROM blob", &[])).await
    }

    /// What is lost with these blobs, and with those that are referred to and not there.
    ///
    /// # Errors
    /// When the catalog cannot be read.
    pub async fn lost(&self, bad: BTreeMap<i64, String>) -> Result<Vec<Lost>, StoreError> {
        self.engine.read(move |tx| lost(tx, &bad)).await
    }
}

fn check_blobs(tx: &mut Tx<'_>, last: i64) -> Result<Option<Checked>, StoreError> {
    let rows = tx.query(
        "SELECT blob, codec, raw_size FROM blob WHERE blob > $1 ORDER BY blob LIMIT $2",
        params![last, BATCH],
    )?;
    let (mut numbers, mut groups, mut room) = (Vec::new(), Vec::new(), BATCH_BYTES);
    for row in &rows {
        let (number, codec, raw_size): (i64, i64, i64) = (row.get(0)?, row.get(1)?, row.get(2)?);
        room -= raw_size;
        if room < 0 && !(numbers.is_empty() && groups.is_empty()) {
            break;
        }
        if codec == blob::GROUP { groups.push(number) } else { numbers.push(number) }
    }
    let Some(last) = numbers.iter().chain(&groups).max().copied() else { return Ok(None) };
    let mut checked =
        Checked { checked: (numbers.len() + groups.len()) as i64, last, bad: BTreeMap::new() };
    for (number, bytes) in blob::each(tx, &numbers)? {
        if let Err(error) = bytes {
            checked.bad.insert(number, error.to_string());
        }
    }
    for group in groups {
        if let Err(error) = blob::check_group(tx, group) {
            checked.bad.insert(group, error.to_string());
        }
    }
    Ok(Some(checked))
}

fn lost(tx: &mut Tx<'_>, bad: &BTreeMap<i64, String>) -> Result<Vec<Lost>, StoreError> {
    let mut lost: Vec<Lost> = tx
        .driver
        .check()?
        .into_iter()
        .map(|why| Lost { site: None, key: None, version: None, what: "catalog".into(), why })
        .collect();
    // Numbers of blobs are compared in the catalog: a store may have more of them than there is memory for.
    let rows_of_bad: Vec<_> = bad.keys().map(ToValue::to_value).collect();
    for reference in REFERENCES.iter().filter(|reference| reference.table != "blob") {
        let (table, column) = (reference.table, reference.column);
        let row = format!(
            "CASE WHEN t.{column} < 0 THEN -t.{column} / {PLACES} ELSE t.{column} END",
            PLACES = blob::PLACES
        );
        let mut gone: BTreeMap<i64, &str> = BTreeMap::new();
        let missing: Vec<i64> = tx.values(
            &format!(
                "SELECT DISTINCT t.{column} FROM {table} t WHERE t.{column} IS NOT NULL
                 AND NOT EXISTS (SELECT 1 FROM blob b WHERE b.blob = {row})"
            ),
            &[],
        )?;
        gone.extend(missing.into_iter().map(|number| (number, "it is not there")));
        let damaged = tx.query_in(
            &format!("SELECT DISTINCT t.{column} FROM {table} t WHERE {row} IN ($list)"),
            &[],
            &rows_of_bad,
        )?;
        for number in damaged {
            let number = number.get(0)?;
            if let Some(why) = bad.get(&blob::row_of(number)) {
                gone.insert(number, why);
            }
        }
        let numbers: Vec<_> = gone.keys().map(ToValue::to_value).collect();
        let question = match table {
            // Of the whole site.
            "old_change" | "old_edition" => format!(
                "SELECT t.site, NULL, NULL, t.{column} FROM {table} t WHERE t.{column} IN ($list)"
            ),
            table => format!(
                "SELECT t.site, k.key, {version}, t.{column} FROM {table} t
                 LEFT JOIN page_key k ON k.page = t.page AND k.is_main = 1
                 WHERE t.{column} IN ($list)",
                version =
                    if matches!(table, "exchange" | "old_blocks") { "NULL" } else { "t.version" },
            ),
        };
        let rows = tx.query_in(&question, &[], &numbers)?;
        for row in rows {
            let why = gone.get(&row.get::<i64>(3)?).copied().unwrap_or_default().to_owned();
            lost.push(Lost {
                site: row.get(0)?,
                key: row.get(1)?,
                version: row.get(2)?,
                what: format!("{table}.{column}"),
                why,
            });
        }
    }
    lost.sort_by(|one, other| (&one.key, one.version).cmp(&(&other.key, other.version)));
    Ok(lost)
}
