//! What records said before what they say now, as values.

use std::collections::BTreeMap;

use super::{LEAST, NewValue, read_lines, write_lines};
use crate::blob::{self, Packed};
use crate::catalog::CatalogWriter;
use crate::error::StoreError;
use crate::tx::{Row, Tx, params};

/// Editions in one value, and bytes of what they say: each is restored as a whole.
const MOST: i64 = 1000;
const MOST_BYTES: usize = 256 << 10;

/// Record, edition, page, version, time, when it was edited, confidence, proofs, and what it said. The digest is
/// only compared with that of the latest edition.
type Line = (i64, i64, i64, i64, i64, Option<i64>, f64, String, String);

/// What a record said.
pub(crate) struct Edition {
    pub(crate) page: i64,
    pub(crate) version: i64,
    pub(crate) time: i64,
    pub(crate) edited: Option<i64>,
    pub(crate) confidence: f64,
    pub(crate) proofs: String,
    pub(crate) body: Body,
}

/// What it said, or the number of the blob that holds it.
pub(crate) enum Body {
    Number(i64),
    Bytes(Vec<u8>),
}

struct OldEditions {
    value: NewValue,
    first: i64,
    last: i64,
    /// Records and editions.
    gone: Vec<(i64, i64)>,
}

impl blob::HasBytes for OldEditions {
    fn bytes(&self) -> Vec<&[u8]> {
        self.value.bytes()
    }
}

impl CatalogWriter {
    /// Makes values of what the records of a site said before. What was sealed by itself already stays a row.
    ///
    /// # Errors
    /// When the catalog fails; then it is what it was.
    pub async fn gather_old_editions(&self, site: &str) -> Result<(), StoreError> {
        let (mut after, mut is_first) = ((0, 0), true);
        loop {
            let of = site.to_owned();
            let lines = self.engine.read(move |tx| old_lines(tx, &of, after)).await?;
            let (Some(from), Some(until)) = (lines.first(), lines.last()) else { return Ok(()) };
            if is_first && lines.len() < LEAST {
                return Ok(());
            }
            (after, is_first) = ((until.0, until.1), false);
            let step = OldEditions {
                value: NewValue { site: site.to_owned(), bytes: write_lines(&lines) },
                first: from.0,
                last: until.0,
                gone: lines.iter().map(|line| (line.0, line.1)).collect(),
            };
            self.engine.commit(site, step, keep).await?;
        }
    }
}

/// The next editions that are not the latest of their records.
fn old_lines(tx: &mut Tx<'_>, site: &str, after: (i64, i64)) -> Result<Vec<Line>, StoreError> {
    let rows = tx.query(
        "SELECT e.record, e.edition, e.page, e.version, e.time, e.edited, e.confidence, e.proofs,
                e.body
         FROM edition e JOIN record r ON r.site = e.site AND r.record = e.record
         WHERE e.site = $1 AND e.record >= $2 AND (e.record > $2 OR e.edition > $3)
           AND e.edition < r.edition AND e.body > 0
         ORDER BY e.record, e.edition LIMIT $4",
        params![site, after.0, after.1, MOST],
    )?;
    let (mut lines, mut bytes) = (Vec::new(), 0);
    for some in rows.chunks(64) {
        let numbers: Vec<i64> = some.iter().map(|row| row.get(8)).collect::<Result<_, _>>()?;
        let bodies: BTreeMap<i64, _> = blob::each(tx, &numbers)?.into_iter().collect();
        for row in some {
            // What is damaged stays where it is, to be told of there.
            let Some(Ok(body)) = bodies.get(&row.get(8)?) else { continue };
            let Ok(body) = String::from_utf8(body.clone()) else { continue };
            bytes += body.len();
            lines.push(line(row, body)?);
        }
        if bytes >= MOST_BYTES {
            break;
        }
    }
    Ok(lines)
}

fn line(row: &Row, body: String) -> Result<Line, StoreError> {
    Ok((
        row.get(0)?,
        row.get(1)?,
        row.get(2)?,
        row.get(3)?,
        row.get(4)?,
        row.get(5)?,
        row.get(6)?,
        row.get(7)?,
        body,
    ))
}

fn keep(tx: &mut Tx<'_>, step: &OldEditions, packed: &Packed) -> Result<(), StoreError> {
    let OldEditions { value: NewValue { site, bytes }, first, last, gone } = step;
    let data = blob::put(tx, packed, Some(bytes))?;
    let number: i64 = tx.value(
        "SELECT coalesce(max(number), 0) + 1 FROM old_edition WHERE site = $1",
        params![site],
    )?;
    tx.execute(
        "INSERT INTO old_edition (site, number, first, last, data) VALUES ($1, $2, $3, $4, $5)",
        params![site, number, first, last, data],
    )?;
    for (record, edition) in gone {
        tx.execute(
            "DELETE FROM edition WHERE site = $1 AND record = $2 AND edition = $3",
            params![site, record, edition],
        )?;
    }
    Ok(())
}

/// All that these records of a site said, those that became values included: by record and edition.
pub(crate) fn editions_of(
    tx: &mut Tx<'_>,
    site: &str,
    first: i64,
    last: i64,
) -> Result<BTreeMap<(i64, i64), Edition>, StoreError> {
    let values: Vec<i64> = tx.values(
        "SELECT data FROM old_edition WHERE site = $1 AND last >= $2 AND first <= $3 ORDER BY number",
        params![site, first, last],
    )?;
    let mut all = BTreeMap::new();
    // The number of a record that never was one may be given again: what was kept later counts.
    for line in read_lines::<Line>(tx, &values)? {
        let (record, number, page, version, time, edited, confidence, proofs, body) = line;
        if (first..=last).contains(&record) {
            let body = Body::Bytes(body.into_bytes());
            let edition = Edition { page, version, time, edited, confidence, proofs, body };
            all.insert((record, number), edition);
        }
    }
    let rows = tx.query(
        "SELECT record, edition, page, version, time, edited, confidence, proofs, body FROM edition
         WHERE site = $1 AND record BETWEEN $2 AND $3 ORDER BY record, edition",
        params![site, first, last],
    )?;
    let mut latest: BTreeMap<i64, i64> = BTreeMap::new();
    for row in rows {
        let (record, number): (i64, i64) = (row.get(0)?, row.get(1)?);
        let edition = Edition {
            page: row.get(2)?,
            version: row.get(3)?,
            time: row.get(4)?,
            edited: row.get(5)?,
            confidence: row.get(6)?,
            proofs: row.get(7)?,
            body: Body::Number(row.get(8)?),
        };
        all.insert((record, number), edition);
        latest.insert(record, number);
    }
    all.retain(|(record, number), _| latest.get(record).is_some_and(|latest| number <= latest));
    Ok(all)
}
