//! Pages whose records are still to be taken, and what taking them gave.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use crate::blob::{self, HasBytes, Kept, Packed, Resemblance};
use crate::catalog::{Catalog, CatalogWriter};
use crate::change::note;
use crate::error::StoreError;
use crate::job::{next_version, sites_with};
use crate::model::{Millis, PageNumber};
use crate::record::{RecordNumber, name_digest};
use crate::tx::{Row, ToValue, Tx, params};
use crate::words::ChangeKind;

/// Pages that one question returns at most; callers go on after the last.
const BATCH: i64 = 1000;

/// A captured page, and what of it waits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unread {
    /// Its number.
    pub page: PageNumber,
    /// Its document's URL.
    pub url: String,
    /// Its type.
    pub page_type: Option<String>,
    /// Its latest version.
    pub latest: i64,
    /// The first version that records are still to be taken from, if any.
    pub waits: Option<i64>,
    /// How often that was tried.
    pub attempts: u32,
    /// Bytes of its latest version, as they restore.
    pub bytes: i64,
    /// A number for what it shows: pages with one number show the same.
    pub state: Option<u64>,
}

/// The records of a page version.
#[derive(Clone, Debug)]
pub struct Reading {
    /// The site.
    pub site: String,
    /// The page.
    pub page: PageNumber,
    /// The version.
    pub version: i64,
    /// When it was captured.
    pub time: Millis,
    /// What it shows, in order.
    pub seen: Vec<Sighting>,
    /// What it does not show any more between the same neighbours.
    pub missed: Vec<RecordNumber>,
}

/// A record on a page.
#[derive(Clone, Debug)]
pub struct Sighting {
    /// Which one, if it is known.
    pub record: Option<RecordNumber>,
    /// thread, post or item.
    pub kind: String,
    /// What it is found again by; no two records of a kind have the same.
    pub name: String,
    /// The thread or list that it belongs to.
    pub series: String,
    /// What it says, if that is not what it last said.
    pub edition: Option<NewEdition>,
    /// From 0 to 1.
    pub confidence: f64,
    /// What another page says of it, too, as JSON.
    pub proofs: String,
    /// When it was written, as exactly as is known by now, as JSON.
    pub moment: Option<String>,
}

/// What a record says.
#[derive(Clone, Debug)]
pub struct NewEdition {
    /// Of all that makes an edition.
    pub digest: u64,
    /// Whether its author's own words are not what they were.
    pub is_edited: bool,
    /// All of it, as JSON.
    pub body: Vec<u8>,
}

/// Shown by the latest version of some page after all.
const SHOWN_AFTER_ALL: &str =
    "UPDATE record SET missed = NULL WHERE site = $1 AND missed IS NOT NULL
   AND EXISTS (SELECT 1 FROM sighting s WHERE s.site = record.site
     AND s.record = record.record
     AND s.last = (SELECT max(version) FROM version v
                   WHERE v.site = s.site AND v.page = s.page))";

/// Of each thread or list, when the page of it that was not looked at for longest was: told once, not for
/// each of thousands of records.
const GONE: &str = "WITH looked AS MATERIALIZED
     (SELECT near.series, min(coalesce((SELECT max(v.time) FROM visit v WHERE v.site = $1
        AND v.page = near.page AND v.version IS NOT NULL), 0)) AS time
      FROM (SELECT DISTINCT r.series, s.page FROM record r
            JOIN sighting s ON s.site = r.site AND s.record = r.record
            WHERE r.site = $1) near
      GROUP BY near.series)
 UPDATE record SET deleted = missed
 WHERE site = $1 AND missed IS NOT NULL AND deleted IS NULL
   AND NOT EXISTS
     (SELECT 1 FROM looked WHERE looked.series = record.series AND looked.time
         <= (SELECT max(v.time) FROM sighting s JOIN visit v ON v.site = s.site
             AND v.page = s.page AND v.version BETWEEN s.first AND s.last
             WHERE s.site = $1 AND s.record = record.record))
 RETURNING record";

impl CatalogWriter {
    /// Says that these pages are about to be read: what ends the program is not tried for ever.
    ///
    /// # Errors
    /// When the catalog fails.
    pub async fn try_reading(&self, site: &str, pages: Vec<PageNumber>) -> Result<(), StoreError> {
        let site = site.to_owned();
        self.engine
            .write(&site.clone(), move |tx| {
                tx.execute_in(
                    "UPDATE job SET attempts = attempts + 1
                     WHERE site = $1 AND kind = 'read' AND page IN ($list)",
                    params![site],
                    &pages.iter().map(ToValue::to_value).collect::<Vec<_>>(),
                )?;
                Ok(())
            })
            .await
    }

    /// Keeps the records of page versions. A version that waits does so no more; the page does if it
    /// has later ones.
    ///
    /// # Errors
    /// When the catalog fails; then nothing of the readings is kept.
    pub async fn commit_readings(&self, readings: Vec<Reading>) -> Result<(), StoreError> {
        let site = readings.first().map(|reading| reading.site.clone()).unwrap_or_default();
        self.engine
            .commit(&site, readings, |tx, readings, packed| {
                readings.iter().try_for_each(|reading| commit(tx, reading, packed))
            })
            .await
    }

    /// Makes the latest version of every page of a type wait again: it is to be read in another way.
    ///
    /// # Errors
    /// When the catalog fails.
    pub async fn read_again(&self, site: &str, page_type: &str) -> Result<(), StoreError> {
        let (site, page_type) = (site.to_owned(), page_type.to_owned());
        self.engine
            .write(&site.clone(), move |tx| {
                tx.execute(
                    "INSERT INTO job (site, page, kind, version)
                     SELECT v.site, v.page, 'read', max(v.version) FROM page p
                     JOIN version v ON v.site = p.site AND v.page = p.page
                     WHERE p.site = $1 AND p.page_type = $2 AND p.status = 'captured'
                     GROUP BY v.site, v.page ON CONFLICT DO NOTHING",
                    params![site, page_type],
                )?;
                Ok(())
            })
            .await
    }

    /// Takes for deleted what was missed and is nowhere: no page shows it in its latest version, and
    /// every page of its thread or list was looked at with success since it was last seen, so that it
    /// has not merely moved to one that could not be had. Returns how many there are.
    ///
    /// # Errors
    /// When the catalog fails.
    pub async fn settle_missed(&self, site: &str) -> Result<usize, StoreError> {
        let site = site.to_owned();
        self.engine.write(&site.clone(), move |tx| settle(tx, &site)).await
    }
}

impl Catalog {
    /// The sites with pages that records are still to be taken from.
    ///
    /// # Errors
    /// When the catalog fails.
    pub async fn unread_sites(&self) -> Result<Vec<String>, StoreError> {
        self.engine.read(|tx| sites_with(tx, "read")).await
    }

    /// The captured pages of a site in the order of their URLs, after the one that `after` names, at
    /// most a thousand: those that wait to be read, and those that are read along with them.
    ///
    /// # Errors
    /// When the catalog fails.
    pub async fn to_read(
        &self,
        site: &str,
        after: Option<&Unread>,
    ) -> Result<Vec<Unread>, StoreError> {
        let site = site.to_owned();
        let (url, page) = after.map_or((String::new(), 0), |last| (last.url.clone(), last.page.0));
        self.engine
            .read(move |tx| {
                let rows = tx.query(
                    "SELECT p.page, p.url, p.page_type, v.version, u.version,
                            coalesce(u.attempts, 0),
                            coalesce((SELECT raw_size FROM blob WHERE blob = v.snapshot), 0)
                          + coalesce((SELECT raw_size FROM blob WHERE blob = v.body), 0),
                            v.state
                     FROM page p
                     JOIN version v ON v.site = p.site AND v.page = p.page AND v.version =
                          (SELECT max(version) FROM version WHERE site = p.site AND page = p.page)
                     LEFT JOIN job u ON u.site = p.site AND u.page = p.page AND u.kind = 'read'
                     WHERE p.site = $1 AND p.url >= $2 AND (p.url > $2 OR p.page > $3)
                       AND p.status = 'captured'
                     ORDER BY p.url, p.page LIMIT $4",
                    params![site, url, page, BATCH],
                )?;
                let read = |row: &Row| {
                    let state: Vec<u8> = row.get(7)?;
                    Ok(Unread {
                        page: row.get(0)?,
                        url: row.get(1)?,
                        page_type: row.get(2)?,
                        latest: row.get(3)?,
                        waits: row.get(4)?,
                        attempts: row.get(5)?,
                        bytes: row.get(6)?,
                        state: state.first_chunk().copied().map(u64::from_be_bytes),
                    })
                };
                rows.iter().map(read).collect()
            })
            .await
    }
}

impl HasBytes for Reading {
    fn bytes(&self) -> Vec<&[u8]> {
        let editions = self.seen.iter().filter_map(|seen| seen.edition.as_ref());
        editions.map(|edition| edition.body.as_slice()).collect()
    }

    fn resemblances(&self) -> Vec<Resemblance<'_>> {
        let known = self.seen.iter().filter_map(|seen| seen.record.zip(seen.edition.as_ref()));
        let next = known.map(|(record, edition)| Resemblance {
            bytes: &edition.body,
            kept: Kept::Edition(record),
            own: None,
        });
        next.collect()
    }
}

fn commit(tx: &mut Tx<'_>, reading: &Reading, packed: &Packed) -> Result<(), StoreError> {
    let Reading { site, page, version, .. } = reading;
    let bodies = reading.seen.iter().map(|seen| Some(seen.edition.as_ref()?.body.as_slice()));
    let bodies = blob::put_all(tx, packed, &bodies.collect::<Vec<_>>())?;
    let (records, is_new) = numbers(tx, reading, &bodies)?;
    let known = reading.seen.iter().zip(&records).zip(bodies).zip(is_new);
    for (((seen, record), body), _) in known.filter(|(_, is_new)| !is_new) {
        see(tx, reading, seen, *record, body)?;
    }
    // Of two that are one record after all, the last place counts.
    let places: BTreeMap<_, _> = records.iter().zip(0_i64..).collect();
    let sightings: Vec<_> = places
        .iter()
        .map(|(record, nth)| params![site, page, record, nth, version, version].to_vec())
        .collect();
    tx.insert(
        "INSERT INTO sighting (site, page, record, nth, first, last)",
        &sightings,
        "ON CONFLICT (site, page, record) DO UPDATE SET
             nth = CASE WHEN excluded.last < sighting.last THEN sighting.nth
                        ELSE excluded.nth END,
             first = CASE WHEN excluded.first < sighting.first THEN excluded.first
                          ELSE sighting.first END,
             last = CASE WHEN excluded.last > sighting.last THEN excluded.last
                         ELSE sighting.last END",
    )?;
    unsee(tx, reading, &places.into_keys().copied().collect())?;
    tx.execute_in(
        "UPDATE record SET missed = coalesce(missed, $2) WHERE site = $1 AND record IN ($list)",
        params![site, reading.time],
        &reading.missed.iter().map(ToValue::to_value).collect::<Vec<_>>(),
    )?;
    note(tx, site, ChangeKind::Records, &[(*page, Some(*version))])?;
    next_version(tx, site, *page, "read", *version).map(drop)
}

/// Takes back what an earlier reading of the same version took for records.
fn unsee(
    tx: &mut Tx<'_>,
    reading: &Reading,
    shown: &BTreeSet<RecordNumber>,
) -> Result<(), StoreError> {
    let Reading { site, page, version, .. } = reading;
    let before: BTreeSet<RecordNumber> = tx.values(
        "SELECT record FROM sighting WHERE site = $1 AND page = $2 AND last = $3",
        params![site, page, version],
    )?;
    let gone: Vec<_> = before.difference(shown).map(ToValue::to_value).collect();
    for change in [
        "UPDATE sighting SET last = last - 1 WHERE site = $1 AND page = $2 AND record IN ($list)",
        "DELETE FROM sighting
         WHERE site = $1 AND page = $2 AND last < first AND record IN ($list)",
    ] {
        tx.execute_in(change, params![site, page], &gone)?;
    }
    for change in [
        "DELETE FROM record WHERE site = $1 AND record IN ($list) AND NOT EXISTS
           (SELECT 1 FROM sighting s WHERE s.site = $1 AND s.record = record.record)",
        "DELETE FROM edition WHERE site = $1 AND record IN ($list) AND NOT EXISTS
           (SELECT 1 FROM record r WHERE r.site = $1 AND r.record = edition.record)",
    ] {
        tx.execute_in(change, params![site], &gone)?;
    }
    Ok(())
}

/// The numbers of the records of a reading, in order, and which of them were never seen before: those are
/// entered, with what they say.
fn numbers(
    tx: &mut Tx<'_>,
    reading: &Reading,
    bodies: &[Option<i64>],
) -> Result<(Vec<RecordNumber>, Vec<bool>), StoreError> {
    let Reading { site, page, version, time, .. } = reading;
    let unknown = reading.seen.iter().filter(|seen| seen.record.is_none());
    let digests: BTreeSet<i64> = unknown.map(|seen| name_digest(&seen.kind, &seen.name)).collect();
    let rows = tx.query_in(
        "SELECT kind, name, record FROM record WHERE site = $1 AND named IN ($list)",
        params![site],
        &digests.iter().map(ToValue::to_value).collect::<Vec<_>>(),
    )?;
    let mut known: HashMap<(String, String), RecordNumber> = HashMap::new();
    for row in rows {
        known.insert((row.get(0)?, row.get(1)?), row.get(2)?);
    }
    let mut last: Option<i64> = None;
    let (mut numbers, mut is_new) = (Vec::new(), Vec::new());
    let (mut records, mut editions) = (Vec::new(), Vec::new());
    for (seen, body) in reading.seen.iter().zip(bodies) {
        let name = (seen.kind.clone(), seen.name.clone());
        let number = seen.record.or_else(|| known.get(&name).copied());
        is_new.push(number.is_none());
        if let Some(number) = number {
            numbers.push(number);
            continue;
        }
        let number = 1 + match last {
            Some(last) => last,
            None => tx.value(
                "SELECT coalesce(max(record), 0) FROM record WHERE site = $1",
                params![site],
            )?,
        };
        last = Some(number);
        known.insert(name, RecordNumber(number));
        numbers.push(RecordNumber(number));
        let Sighting { kind, name, series, moment, confidence, proofs, .. } = seen;
        let latest = i64::from(seen.edition.is_some());
        let named = name_digest(kind, name);
        records
            .push(params![site, number, kind, name, series, latest, time, moment, named].to_vec());
        if let (Some(edition), Some(body)) = (&seen.edition, body) {
            let (edited, digest) = (edition.is_edited.then_some(time), edition.digest as i64);
            let row = params![
                site, number, latest, page, version, time, edited, digest, confidence, proofs, body
            ];
            editions.push(row.to_vec());
        }
    }
    let into = "INSERT INTO record (site, record, kind, name, series, edition, first_seen, moment,
                                    named)";
    tx.insert(into, &records, "")?;
    tx.insert(
        "INSERT INTO edition (site, record, edition, page, version, time, edited, digest,
                              confidence, proofs, body)",
        &editions,
        "",
    )?;
    Ok((numbers, is_new))
}

/// What a sighting tells about a record.
fn see(
    tx: &mut Tx<'_>,
    reading: &Reading,
    seen: &Sighting,
    record: RecordNumber,
    body: Option<i64>,
) -> Result<(), StoreError> {
    let (site, time) = (&reading.site, reading.time);
    // What is told later than it was seen changes nothing that is known of later times.
    tx.execute(
        "UPDATE record SET series = $3, moment = coalesce($4, moment),
             first_seen = CASE WHEN $5 < first_seen THEN $5 ELSE first_seen END,
             missed = CASE WHEN missed > $5 THEN missed END,
             deleted = CASE WHEN deleted > $5 THEN deleted END
         WHERE site = $1 AND record = $2",
        params![site, record, seen.series, seen.moment, time],
    )?;
    let Some(edition) = &seen.edition else {
        tx.execute(
            "UPDATE edition SET confidence = $3, proofs = $4 WHERE site = $1 AND record = $2
             AND edition = (SELECT edition FROM record WHERE site = $1 AND record = $2)",
            params![site, record, seen.confidence, seen.proofs],
        )?;
        return Ok(());
    };
    // Two pages of one commit may show what neither of them knew.
    let added = tx.execute(
        "INSERT INTO edition (site, record, edition, page, version, time, edited, digest,
                              confidence, proofs, body)
         SELECT r.site, r.record, r.edition + 1, $3, $4, $5,
                CASE WHEN $6 = 1 THEN $5 ELSE e.edited END, $7, $8, $9, $10
         FROM record r LEFT JOIN edition e
           ON e.site = r.site AND e.record = r.record AND e.edition = r.edition
         WHERE r.site = $1 AND r.record = $2
           AND (e.edition IS NULL OR (e.digest <> $7 AND e.time <= $5))",
        params![
            site,
            record,
            reading.page,
            reading.version,
            time,
            edition.is_edited,
            edition.digest as i64,
            seen.confidence,
            seen.proofs,
            body
        ],
    )?;
    if added > 0 {
        tx.execute(
            "UPDATE record SET edition = edition + 1 WHERE site = $1 AND record = $2",
            params![site, record],
        )?;
    }
    Ok(())
}

fn settle(tx: &mut Tx<'_>, site: &str) -> Result<usize, StoreError> {
    tx.execute(SHOWN_AFTER_ALL, params![site])?;
    let deleted: Vec<RecordNumber> = tx.values(GONE, params![site])?;
    let rows = tx.query_in(
        "SELECT DISTINCT page, last FROM sighting WHERE site = $1 AND record IN ($list)",
        params![site],
        &deleted.iter().map(ToValue::to_value).collect::<Vec<_>>(),
    )?;
    let shown: BTreeSet<(PageNumber, Option<i64>)> =
        rows.iter().map(|row| Ok((row.get(0)?, row.get(1)?))).collect::<Result<_, StoreError>>()?;
    note(tx, site, ChangeKind::Records, &shown.into_iter().collect::<Vec<_>>())?;
    Ok(deleted.len())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::plan;

    #[test]
    fn what_became_of_a_record_is_told_without_a_look_at_all_of_its_site() {
        for statement in [SHOWN_AFTER_ALL, GONE] {
            let plan = plan(statement, params!["example.org"]);
            assert!(
                plan.contains("s USING INDEX sighting_by_record (site=? AND record=?)"),
                "{plan}"
            );
            for table in ["s", "v"] {
                let all = format!("SEARCH {table} USING PRIMARY KEY (site=?);");
                assert!(!format!("{plan};").contains(&all), "{plan}");
            }
        }
    }
}
