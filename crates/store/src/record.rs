//! Records as they are known: what each says, since when, and where it is shown.

mod history;

use std::collections::{BTreeSet, HashMap};

use serde::Serialize;

use crate::blob;
use crate::catalog::{Catalog, CatalogWriter};
use crate::error::StoreError;
use crate::model::{Millis, PageNumber};
use crate::tx::{Row, ToValue, Tx, params, stored_as_number};

/// Lines that one question returns at most, and the bytes of bodies that end it earlier: callers go on
/// after the last.
const BATCH: i64 = 500;
const BATCH_BYTES: usize = 4 << 20;
/// Bodies that are fetched together.
const AT_ONCE: usize = 64;

/// Names a record within its site.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(transparent)]
pub struct RecordNumber(pub i64);

stored_as_number!(RecordNumber);

/// A record as it was last seen.
#[derive(Clone, Debug, PartialEq)]
pub struct RecordRow {
    /// Its number.
    pub record: RecordNumber,
    /// thread, post or item.
    pub kind: String,
    /// What it is found again by.
    pub name: String,
    /// The thread or list that it belongs to.
    pub series: String,
    /// The latest version of the page that was asked about that shows it; 0 if none was.
    pub last: i64,
    /// When what it says began.
    pub time: Millis,
    /// Of all that makes an edition.
    pub digest: u64,
    /// What it says, as JSON.
    pub body: Vec<u8>,
    /// When it was written, as exactly as any version tells it, as JSON.
    pub moment: Option<String>,
    /// What another page says of it, too, as JSON.
    pub proofs: String,
}

/// Which records are meant.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RecordQuery {
    /// thread, post or item; all if none.
    pub kind: Option<String>,
    /// Those of one site.
    pub site: Option<String>,
    /// As they were at this time: what was not yet or no more there is left out.
    pub at: Option<Millis>,
    /// All that each has said, instead of the latest.
    pub history: bool,
}

/// What a record said, and all that is known about that.
#[derive(Clone, Debug, PartialEq)]
pub struct RecordLine {
    /// Its site.
    pub site: String,
    /// Its number within the site.
    pub record: RecordNumber,
    /// Which of the things that it said, from 1.
    pub edition: i64,
    /// thread, post or item.
    pub kind: String,
    /// The page that first showed it so.
    pub page: PageNumber,
    /// The URL of its document.
    pub url: String,
    /// The page's version that did.
    pub version: i64,
    /// When the record was first seen.
    pub first_seen: Millis,
    /// When it was last seen as it says here.
    pub last_seen: Millis,
    /// When its author's own words last changed, up to this.
    pub edited: Option<Millis>,
    /// When it was found gone.
    pub deleted: Option<Millis>,
    /// From 0 to 1.
    pub confidence: f64,
    /// What another page says of it, too, as JSON.
    pub proofs: String,
    /// When it was written, as exactly as any version tells it, as JSON.
    pub moment: Option<String>,
    /// What it says, as JSON.
    pub body: Vec<u8>,
}

const LATEST: &str = "r.record, r.kind, r.name, r.series, coalesce(s.last, 0), e.time, e.digest, e.body, r.moment, e.proofs";

impl CatalogWriter {
    /// Keeps what pages agree on about records that were read before, as JSON.
    ///
    /// # Errors
    /// When the catalog fails; then nothing of it is kept.
    pub async fn prove_records(
        &self,
        site: &str,
        proofs: Vec<(RecordNumber, String)>,
    ) -> Result<(), StoreError> {
        let site = site.to_owned();
        self.engine
            .write(&site.clone(), move |tx| {
                for (record, proofs) in &proofs {
                    tx.execute(
                        "UPDATE edition SET proofs = $3 WHERE site = $1 AND record = $2
                         AND edition = (SELECT edition FROM record
                                        WHERE site = $1 AND record = $2)",
                        params![site, record, proofs],
                    )?;
                }
                Ok(())
            })
            .await
    }
}

impl Catalog {
    /// The records that the page showed when it was last read, in order.
    ///
    /// # Errors
    /// When the catalog fails or a blob is damaged.
    pub async fn records_on(
        &self,
        site: &str,
        page: PageNumber,
    ) -> Result<Vec<RecordRow>, StoreError> {
        let site = site.to_owned();
        self.engine
            .read(move |tx| {
                let rows = tx.query(
                    &format!(
                        "SELECT {LATEST} FROM sighting s
                         JOIN record r ON r.site = s.site AND r.record = s.record
                         JOIN edition e ON e.site = r.site AND e.record = r.record
                              AND e.edition = r.edition
                         WHERE s.site = $1 AND s.page = $2 AND s.last =
                               (SELECT max(last) FROM sighting WHERE site = $1 AND page = $2)
                         ORDER BY s.nth"
                    ),
                    params![site, page],
                )?;
                read_rows(tx, &rows)
            })
            .await
    }

    /// The records of these kinds and names, for each that is known.
    ///
    /// # Errors
    /// When the catalog fails or a blob is damaged.
    pub async fn records_named(
        &self,
        site: &str,
        names: Vec<(String, String)>,
    ) -> Result<Vec<Option<RecordRow>>, StoreError> {
        let site = site.to_owned();
        self.engine
            .read(move |tx| {
                let digests: BTreeSet<i64> =
                    names.iter().map(|(kind, name)| name_digest(kind, name)).collect();
                let rows = tx.query_in(
                    &format!(
                        "SELECT {LATEST} FROM record r
                         JOIN edition e ON e.site = r.site AND e.record = r.record
                              AND e.edition = r.edition
                         LEFT JOIN sighting s ON s.site = r.site AND s.record = r.record
                              AND s.page = -1
                         WHERE r.site = $1 AND r.named IN ($list)"
                    ),
                    params![site],
                    &digests.iter().map(ToValue::to_value).collect::<Vec<_>>(),
                )?;
                // Two names may have one digest.
                let known: HashMap<_, _> = read_rows(tx, &rows)?
                    .into_iter()
                    .map(|row| ((row.kind.clone(), row.name.clone()), row))
                    .collect();
                Ok(names.iter().map(|name| known.get(name).cloned()).collect())
            })
            .await
    }

    /// Records by site, number and edition, after the line that `after` names: at most 500, fewer if
    /// they are long, none when there are no more.
    ///
    /// # Errors
    /// When the catalog fails or a blob is damaged.
    pub async fn records(
        &self,
        query: RecordQuery,
        after: Option<(String, RecordNumber, i64)>,
    ) -> Result<Vec<RecordLine>, StoreError> {
        self.some_records(query, after, BATCH).await
    }

    /// Records likewise, at most `most` of them.
    ///
    /// # Errors
    /// When the catalog fails or a blob is damaged.
    pub async fn some_records(
        &self,
        query: RecordQuery,
        after: Option<(String, RecordNumber, i64)>,
        most: i64,
    ) -> Result<Vec<RecordLine>, StoreError> {
        let most = most.clamp(1, BATCH);
        self.engine
            .read(move |tx| {
                let sites = match &query.site {
                    Some(site) => vec![site.clone()],
                    None => sites(tx)?,
                };
                let (from, record, edition) = match &after {
                    Some((site, record, edition)) => (site.as_str(), record.0, *edition),
                    None => ("", 0, 0),
                };
                for site in sites.into_iter().filter(|site| site.as_str() >= from) {
                    let (record, edition) = if site == from { (record, edition) } else { (0, 0) };
                    let lines = lines(tx, &query, &site, (record, edition), most)?;
                    if !lines.is_empty() {
                        return Ok(lines);
                    }
                }
                Ok(Vec::new())
            })
            .await
    }
}

/// What a record is found by: a name is long, and an index of names would hold each a second time.
pub(crate) fn name_digest(kind: &str, name: &str) -> i64 {
    let mut named = blake3::Hasher::new();
    named.update(kind.as_bytes()).update(&[0]).update(name.as_bytes());
    named.finalize().as_bytes().first_chunk().copied().map_or(0, i64::from_le_bytes)
}

/// Format 7 finds records by digests of their names.
pub(crate) fn names_from_6(tx: &mut Tx<'_>) -> Result<(), StoreError> {
    tx.driver.batch(
        "DROP INDEX record_by_name;
         ALTER TABLE record ADD COLUMN named BIGINT NOT NULL DEFAULT 0",
    )?;
    for site in sites(tx)? {
        let mut after = 0_i64;
        loop {
            let rows = tx.query(
                "SELECT record, kind, name FROM record WHERE site = $1 AND record > $2
                 ORDER BY record LIMIT $3",
                params![site, after, BATCH],
            )?;
            let Some(last) = rows.last() else { break };
            after = last.get(0)?;
            for row in &rows {
                let (kind, name): (String, String) = (row.get(1)?, row.get(2)?);
                tx.execute(
                    "UPDATE record SET named = $3 WHERE site = $1 AND record = $2",
                    params![site, row.get::<i64>(0)?, name_digest(&kind, &name)],
                )?;
            }
        }
    }
    tx.driver.batch("CREATE INDEX record_by_name ON record (site, named)")
}

fn sites(tx: &mut Tx<'_>) -> Result<Vec<String>, StoreError> {
    // A step from site to site: asked for what is distinct, every record would be looked at.
    let mut sites = Vec::new();
    let mut after = String::new();
    while let Some(site) =
        tx.value::<Option<String>>("SELECT min(site) FROM record WHERE site > $1", params![after])?
    {
        after.clone_from(&site);
        sites.push(site);
    }
    Ok(sites)
}

fn lines(
    tx: &mut Tx<'_>,
    query: &RecordQuery,
    site: &str,
    after: (i64, i64),
    most: i64,
) -> Result<Vec<RecordLine>, StoreError> {
    match query.history || query.at.is_some() {
        true => history::lines(tx, query, site, after, most),
        false => latest_lines(tx, query, site, after, most),
    }
}

/// What records say now. What is gone is told with the rest: when it went is part of what is known.
fn latest_lines(
    tx: &mut Tx<'_>,
    query: &RecordQuery,
    site: &str,
    after: (i64, i64),
    most: i64,
) -> Result<Vec<RecordLine>, StoreError> {
    let rows = tx.query(
        "SELECT r.record, e.edition, r.kind, coalesce(p.merged_into, p.page), p.url, e.version,
                r.first_seen,
                coalesce((SELECT max(v.time) FROM sighting s JOIN visit v ON v.site = s.site
                          AND v.page = s.page AND v.version BETWEEN s.first AND s.last
                          WHERE s.site = r.site AND s.record = r.record), e.time),
                e.edited, r.deleted, e.confidence, e.proofs, r.moment, e.body
         FROM record r
         JOIN edition e ON e.site = r.site AND e.record = r.record AND e.edition = r.edition
         JOIN page p ON p.site = e.site AND p.page = e.page
         WHERE r.site = $1 AND r.record >= $2 AND (r.record > $2 OR e.edition > $3)
           AND r.kind = coalesce($4, r.kind)
         ORDER BY r.record LIMIT $5",
        params![site, after.0, after.1, query.kind, most],
    )?;
    let mut lines = Vec::new();
    let mut bytes = 0;
    for some in rows.chunks(AT_ONCE) {
        let bodies = bodies(tx, some, 13)?;
        for row in some {
            let body = body(&bodies, row.get(13)?)?;
            bytes += body.len();
            lines.push(RecordLine {
                site: site.to_owned(),
                record: row.get(0)?,
                edition: row.get(1)?,
                kind: row.get(2)?,
                page: row.get(3)?,
                url: row.get(4)?,
                version: row.get(5)?,
                first_seen: row.get(6)?,
                last_seen: row.get(7)?,
                edited: row.get(8)?,
                deleted: row.get(9)?,
                confidence: row.get(10)?,
                proofs: row.get(11)?,
                moment: row.get(12)?,
                body,
            });
        }
        if bytes >= BATCH_BYTES {
            break;
        }
    }
    Ok(lines)
}

fn read_rows(tx: &mut Tx<'_>, rows: &[Row]) -> Result<Vec<RecordRow>, StoreError> {
    let bodies = bodies(tx, rows, 7)?;
    let read = |row: &Row| {
        Ok(RecordRow {
            record: row.get(0)?,
            kind: row.get(1)?,
            name: row.get(2)?,
            series: row.get(3)?,
            last: row.get(4)?,
            time: row.get(5)?,
            // SQL has no unsigned numbers; the bits are what counts.
            digest: row.get::<i64>(6)? as u64,
            body: body(&bodies, row.get(7)?)?,
            moment: row.get(8)?,
            proofs: row.get(9)?,
        })
    };
    rows.iter().map(read).collect()
}

/// What the blobs that this column names hold.
fn bodies(
    tx: &mut Tx<'_>,
    rows: &[Row],
    column: usize,
) -> Result<HashMap<i64, Vec<u8>>, StoreError> {
    let numbers: Vec<i64> = rows.iter().map(|row| row.get(column)).collect::<Result<_, _>>()?;
    blob::get_all(tx, &numbers)
}

fn body(bodies: &HashMap<i64, Vec<u8>>, number: i64) -> Result<Vec<u8>, StoreError> {
    bodies.get(&number).cloned().ok_or(StoreError::Damaged(number))
}
