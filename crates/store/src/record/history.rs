//! What records said at a time, or ever.

use std::collections::BTreeMap;
use std::ops::Bound::{Excluded, Unbounded};

use super::{BATCH_BYTES, RecordLine, RecordQuery};
use crate::blob;
use crate::error::StoreError;
use crate::model::{Millis, PageNumber};
use crate::old::editions::{Body, Edition, editions_of};
use crate::tx::{Row, Tx, params};

/// Records that are looked at together.
const AT_ONCE: i64 = 100;

/// When a record was last seen, of the visits until a time and before another.
const LAST_SEEN: &str = "SELECT max(v.time) FROM sighting s JOIN visit v ON v.site = s.site
   AND v.page = s.page AND v.version BETWEEN s.first AND s.last
 WHERE s.site = $1 AND s.record = $2 AND v.time <= $3 AND v.time < $4";

/// A record, whatever it said.
struct Known {
    kind: String,
    first_seen: Millis,
    deleted: Option<Millis>,
    moment: Option<String>,
}

/// Editions of the records of a site, by record and number, after this one: at most so many.
///
/// An edition is seen from its time until the next one is; of a page's visits, those count that found a version
/// which shows the record.
pub(super) fn lines(
    tx: &mut Tx<'_>,
    query: &RecordQuery,
    site: &str,
    after: (i64, i64),
    most: i64,
) -> Result<Vec<RecordLine>, StoreError> {
    let until = query.at.map_or(i64::MAX - 1, |at| at.0.min(i64::MAX - 1));
    let (mut lines, mut bytes, mut from) = (Vec::new(), 0, after.0);
    loop {
        let rows = tx.query(
            "SELECT record, kind, first_seen, deleted, moment FROM record
             WHERE site = $1 AND record >= $2 ORDER BY record LIMIT $3",
            params![site, from, AT_ONCE],
        )?;
        let known: BTreeMap<i64, Known> = rows.iter().map(read).collect::<Result<_, _>>()?;
        let Some(last) = known.keys().next_back().copied() else { return Ok(lines) };
        let mut editions = editions_of(tx, site, from, last)?;
        editions.retain(|_, edition| edition.time <= until);
        for at in
            editions.range((Excluded(after), Unbounded)).map(|(at, _)| *at).collect::<Vec<_>>()
        {
            let next = editions.get(&(at.0, at.1 + 1)).map(|next| next.time);
            let is_told = query.history || next.is_none();
            let Some(known) = known.get(&at.0).filter(|_| is_told) else { continue };
            let is_gone = known.deleted.is_some_and(|deleted| deleted.0 <= until);
            let is_kind = query.kind.as_ref().is_none_or(|kind| *kind == known.kind);
            if !is_kind || (is_gone && !query.history) {
                continue;
            }
            let Some(edition) = editions.get(&at) else { continue };
            let Some(line) = line(tx, site, at, (known, edition), next, until)? else { continue };
            bytes += line.body.len();
            lines.push(line);
            if lines.len() as i64 >= most || bytes >= BATCH_BYTES {
                return Ok(lines);
            }
        }
        from = last + 1;
    }
}

fn read(row: &Row) -> Result<(i64, Known), StoreError> {
    let known = Known {
        kind: row.get(1)?,
        first_seen: row.get(2)?,
        deleted: row.get(3)?,
        moment: row.get(4)?,
    };
    Ok((row.get(0)?, known))
}

/// An edition with what is known of it; `None` if its page is not there.
fn line(
    tx: &mut Tx<'_>,
    site: &str,
    (record, number): (i64, i64),
    (known, edition): (&Known, &Edition),
    next: Option<i64>,
    until: i64,
) -> Result<Option<RecordLine>, StoreError> {
    let page = tx.query_optional(
        "SELECT coalesce(merged_into, page), url FROM page WHERE site = $1 AND page = $2",
        params![site, edition.page],
    )?;
    let Some(page) = page else { return Ok(None) };
    let seen: Option<Millis> =
        tx.value(LAST_SEEN, params![site, record, until, next.unwrap_or(until + 1)])?;
    let body = match &edition.body {
        Body::Bytes(bytes) => bytes.clone(),
        Body::Number(number) => {
            blob::get_all(tx, &[*number])?.remove(number).ok_or(StoreError::Damaged(*number))?
        }
    };
    Ok(Some(RecordLine {
        site: site.to_owned(),
        record: super::RecordNumber(record),
        edition: number,
        kind: known.kind.clone(),
        page: page.get::<PageNumber>(0)?,
        url: page.get(1)?,
        version: edition.version,
        first_seen: known.first_seen,
        last_seen: seen.unwrap_or(Millis(edition.time)),
        edited: edition.edited.map(Millis),
        deleted: known.deleted.filter(|deleted| deleted.0 <= until && next.is_none()),
        confidence: edition.confidence,
        proofs: edition.proofs.clone(),
        moment: known.moment.clone(),
        body,
    }))
}
