//! Pages whose records are still to be taken, and what taking them gave.

use rusqlite::{Connection, params};

use crate::blob;
use crate::catalog::Catalog;
use crate::error::StoreError;
use crate::model::{Millis, PageNumber};
use crate::record::RecordNumber;

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

impl Catalog {
    /// The sites with pages that records are still to be taken from.
    ///
    /// # Errors
    /// When the catalog fails.
    pub async fn unread_sites(&self) -> Result<Vec<String>, StoreError> {
        self.engine
            .read(|connection| {
                let mut question =
                    connection.prepare_cached("SELECT DISTINCT site FROM unread ORDER BY site")?;
                let rows = question.query_map([], |row| row.get(0))?;
                Ok(rows.collect::<Result<_, _>>()?)
            })
            .await
    }

    /// How many pages wait to be read for records.
    ///
    /// # Errors
    /// When the catalog fails.
    pub async fn unread(&self) -> Result<u64, StoreError> {
        let count = |connection: &Connection| {
            Ok(connection
                .query_row("SELECT count(*) FROM unread", [], |row| row.get::<_, i64>(0))?)
        };
        Ok(self.engine.read(count).await?.unsigned_abs())
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
            .read(move |connection| {
                let mut question = connection.prepare_cached(
                    "SELECT p.page, p.url, p.page_type, v.version, u.version, coalesce(u.attempts, 0),
                            coalesce((SELECT raw_size FROM blob WHERE blob = v.snapshot), 0)
                          + coalesce((SELECT raw_size FROM blob WHERE blob = v.body), 0),
                            v.state
                     FROM page p
                     JOIN version v ON v.site = p.site AND v.page = p.page AND v.version =
                          (SELECT max(version) FROM version WHERE site = p.site AND page = p.page)
                     LEFT JOIN unread u ON u.site = p.site AND u.page = p.page
                     WHERE p.site = ?1 AND p.url >= ?2 AND (p.url > ?2 OR p.page > ?3)
                       AND p.status = 'captured'
                     ORDER BY p.url, p.page LIMIT ?4",
                )?;
                let rows = question.query_map(params![site, url, page, BATCH], |row| {
                    Ok(Unread {
                        page: PageNumber(row.get(0)?),
                        url: row.get(1)?,
                        page_type: row.get(2)?,
                        latest: row.get(3)?,
                        waits: row.get(4)?,
                        attempts: row.get(5)?,
                        bytes: row.get(6)?,
                        state: row.get::<_, Vec<u8>>(7)?.first_chunk().copied().map(u64::from_be_bytes),
                    })
                })?;
                Ok(rows.collect::<Result<_, _>>()?)
            })
            .await
    }

    /// Says that these pages are about to be read: what ends the program is not tried for ever.
    ///
    /// # Errors
    /// When the catalog fails.
    pub async fn try_reading(&self, site: &str, pages: Vec<PageNumber>) -> Result<(), StoreError> {
        let site = site.to_owned();
        self.engine
            .write(move |connection| {
                let mut count = connection.prepare_cached(
                    "UPDATE unread SET attempts = attempts + 1 WHERE site = ?1 AND page = ?2",
                )?;
                for page in &pages {
                    count.execute(params![site, page.0])?;
                }
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
        self.engine
            .write(move |connection| readings.iter().try_for_each(|r| commit(connection, r)))
            .await
    }

    /// Makes the latest version of every page of a type wait again: it is to be read in another way.
    ///
    /// # Errors
    /// When the catalog fails.
    pub async fn read_again(&self, site: &str, page_type: &str) -> Result<(), StoreError> {
        let (site, page_type) = (site.to_owned(), page_type.to_owned());
        self.engine
            .write(move |connection| {
                connection.execute(
                    "INSERT INTO unread (site, page, version)
                     SELECT v.site, v.page, max(v.version) FROM page p
                     JOIN version v ON v.site = p.site AND v.page = p.page
                     WHERE p.site = ?1 AND p.page_type = ?2 AND p.status = 'captured'
                     GROUP BY v.site, v.page ON CONFLICT DO NOTHING",
                    [site, page_type],
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
        self.engine.write(move |connection| settle(connection, &site)).await
    }
}

/// Puts a version behind those of its page that wait already.
pub(crate) fn wait_to_be_read(
    connection: &Connection,
    site: &str,
    page: PageNumber,
    version: i64,
) -> Result<(), StoreError> {
    connection
        .prepare_cached(
            "INSERT INTO unread (site, page, version) VALUES (?1, ?2, ?3) ON CONFLICT DO NOTHING",
        )?
        .execute(params![site, page.0, version])?;
    Ok(())
}

fn commit(connection: &Connection, reading: &Reading) -> Result<(), StoreError> {
    let mut shown = Vec::with_capacity(reading.seen.len());
    for (nth, seen) in (0..).zip(&reading.seen) {
        let record = match seen.record {
            Some(record) => record,
            None => enter(connection, reading, seen)?,
        };
        see(connection, reading, seen, record)?;
        connection
            .prepare_cached(
                "INSERT INTO sighting (site, page, record, nth, first, last)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?5)
                 ON CONFLICT (site, page, record) DO UPDATE SET
                     nth = CASE WHEN excluded.last < sighting.last THEN sighting.nth
                                ELSE excluded.nth END,
                     first = CASE WHEN excluded.first < sighting.first THEN excluded.first
                                  ELSE sighting.first END,
                     last = CASE WHEN excluded.last > sighting.last THEN excluded.last
                                 ELSE sighting.last END",
            )?
            .execute(params![reading.site, reading.page.0, record.0, nth, reading.version])?;
        shown.push(record.0);
    }
    unsee(connection, reading, &shown)?;
    for record in &reading.missed {
        connection
            .prepare_cached(
                "UPDATE record SET missed = coalesce(missed, ?3) WHERE site = ?1 AND record = ?2",
            )?
            .execute(params![reading.site, record.0, reading.time.0])?;
    }
    next_unread(connection, reading)
}

/// Takes back what an earlier reading of the same version took for records.
fn unsee(connection: &Connection, reading: &Reading, shown: &[i64]) -> Result<(), StoreError> {
    let (site, page, version) = (reading.site.as_str(), reading.page.0, reading.version);
    let before: Vec<i64> = connection
        .prepare_cached("SELECT record FROM sighting WHERE site = ?1 AND page = ?2 AND last = ?3")?
        .query_map(params![site, page, version], |row| row.get(0))?
        .collect::<Result<_, _>>()?;
    for record in before.into_iter().filter(|record| !shown.contains(record)) {
        for change in [
            "UPDATE sighting SET last = last - 1 WHERE site = ?1 AND page = ?2 AND record = ?3",
            "DELETE FROM sighting WHERE site = ?1 AND page = ?2 AND record = ?3 AND last < first",
        ] {
            connection.prepare_cached(change)?.execute(params![site, page, record])?;
        }
        for change in [
            "DELETE FROM record WHERE site = ?1 AND record = ?2 AND NOT EXISTS
               (SELECT 1 FROM sighting WHERE site = ?1 AND record = ?2)",
            "DELETE FROM edition WHERE site = ?1 AND record = ?2 AND NOT EXISTS
               (SELECT 1 FROM record WHERE site = ?1 AND record = ?2)",
        ] {
            connection.prepare_cached(change)?.execute(params![site, record])?;
        }
    }
    Ok(())
}

/// A record that was never seen before.
fn enter(
    connection: &Connection,
    reading: &Reading,
    seen: &Sighting,
) -> Result<RecordNumber, StoreError> {
    let number = connection
        .prepare_cached(
            "INSERT INTO record (site, record, kind, name, series, edition, first_seen)
             VALUES (?1, (SELECT coalesce(max(record), 0) + 1 FROM record WHERE site = ?1),
                     ?2, ?3, ?4, 0, ?5)
             ON CONFLICT (site, kind, name) DO UPDATE SET name = excluded.name RETURNING record",
        )?
        .query_row(
            params![reading.site, seen.kind, seen.name, seen.series, reading.time.0],
            |row| row.get(0),
        )?;
    Ok(RecordNumber(number))
}

/// What a sighting tells about a record.
fn see(
    connection: &Connection,
    reading: &Reading,
    seen: &Sighting,
    record: RecordNumber,
) -> Result<(), StoreError> {
    let (site, time) = (reading.site.as_str(), reading.time.0);
    // What is told later than it was seen changes nothing that is known of later times.
    connection
        .prepare_cached(
            "UPDATE record SET series = ?3, moment = coalesce(?4, moment),
                 first_seen = CASE WHEN ?5 < first_seen THEN ?5 ELSE first_seen END,
                 missed = CASE WHEN missed > ?5 THEN missed END,
                 deleted = CASE WHEN deleted > ?5 THEN deleted END
             WHERE site = ?1 AND record = ?2",
        )?
        .execute(params![site, record.0, seen.series, seen.moment, time])?;
    let Some(edition) = &seen.edition else {
        connection
            .prepare_cached(
                "UPDATE edition SET confidence = ?3, proofs = ?4 WHERE site = ?1 AND record = ?2
                 AND edition = (SELECT edition FROM record WHERE site = ?1 AND record = ?2)",
            )?
            .execute(params![site, record.0, seen.confidence, seen.proofs])?;
        return Ok(());
    };
    let body = blob::put(connection, &edition.body)?;
    // Two pages of one commit may show what neither of them knew.
    let added = connection
        .prepare_cached(
            "INSERT INTO edition (site, record, edition, page, version, time, edited, digest,
                                  confidence, proofs, body)
             SELECT r.site, r.record, r.edition + 1, ?3, ?4, ?5,
                    CASE WHEN ?6 THEN ?5 ELSE e.edited END, ?7, ?8, ?9, ?10
             FROM record r LEFT JOIN edition e
               ON e.site = r.site AND e.record = r.record AND e.edition = r.edition
             WHERE r.site = ?1 AND r.record = ?2
               AND (e.edition IS NULL OR (e.digest <> ?7 AND e.time <= ?5))",
        )?
        .execute(params![
            site,
            record.0,
            reading.page.0,
            reading.version,
            time,
            edition.is_edited,
            edition.digest as i64,
            seen.confidence,
            seen.proofs,
            body
        ])?;
    connection
        .prepare_cached("UPDATE record SET edition = edition + ?3 WHERE site = ?1 AND record = ?2")?
        .execute(params![site, record.0, added as i64])?;
    Ok(())
}

/// The page waits for its next version, or no more.
fn next_unread(connection: &Connection, reading: &Reading) -> Result<(), StoreError> {
    let (site, page, version) = (reading.site.as_str(), reading.page.0, reading.version);
    let next: Option<i64> = connection
        .prepare_cached(
            "SELECT min(version) FROM version WHERE site = ?1 AND page = ?2 AND version > ?3",
        )?
        .query_row(params![site, page, version], |row| row.get(0))?;
    match next {
        Some(next) => connection
            .prepare_cached(
                "UPDATE unread SET version = ?3, attempts = 0
                 WHERE site = ?1 AND page = ?2 AND version <= ?4",
            )?
            .execute(params![site, page, next, version])?,
        None => connection
            .prepare_cached("DELETE FROM unread WHERE site = ?1 AND page = ?2")?
            .execute(params![site, page])?,
    };
    Ok(())
}

fn settle(connection: &Connection, site: &str) -> Result<usize, StoreError> {
    // Shown by the latest version of some page after all.
    connection
        .prepare_cached(
            "UPDATE record SET missed = NULL WHERE site = ?1 AND missed IS NOT NULL
               AND EXISTS (SELECT 1 FROM sighting s WHERE s.site = record.site
                 AND s.record = record.record
                 AND s.last = (SELECT max(version) FROM version v
                               WHERE v.site = s.site AND v.page = s.page))",
        )?
        .execute([site])?;
    let gone: Vec<(i64, String, i64)> = connection
        .prepare_cached(
            "SELECT record, series, missed FROM record
             WHERE site = ?1 AND missed IS NOT NULL AND deleted IS NULL",
        )?
        .query_map([site], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?
        .collect::<Result<_, _>>()?;
    let mut deleted = 0;
    for (record, series, missed) in gone {
        deleted += connection
            .prepare_cached(
                "UPDATE record SET deleted = ?4 WHERE site = ?1 AND record = ?2
                   AND NOT EXISTS
                     (SELECT 1 FROM
                        (SELECT DISTINCT s.page FROM record r
                         JOIN sighting s ON s.site = r.site AND s.record = r.record
                         WHERE r.site = ?1 AND r.series = ?3) near
                      WHERE coalesce((SELECT max(v.time) FROM visit v WHERE v.site = ?1
                                      AND v.page = near.page AND v.version IS NOT NULL), 0)
                         <= (SELECT max(v.time) FROM sighting s JOIN visit v ON v.site = s.site
                             AND v.page = s.page AND v.version BETWEEN s.first AND s.last
                             WHERE s.site = ?1 AND s.record = ?2))",
            )?
            .execute(params![site, record, series, missed])?;
    }
    Ok(deleted)
}
