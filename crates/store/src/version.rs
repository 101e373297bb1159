//! Versions of pages, and the visits that found them.

use rusqlite::{Connection, OptionalExtension, Row, params};
use serde::Serialize;

use crate::blob;
use crate::block::wait_to_be_cut;
use crate::catalog::Catalog;
use crate::error::StoreError;
use crate::model::{Capture, Millis, PageNumber, RunNumber, Via};
use crate::reading::wait_to_be_read;

/// Which version of a page is meant.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Which {
    /// The latest.
    #[default]
    Latest,
    /// The one that was current at this time.
    At(Millis),
    /// The one with this number.
    Number(i64),
    /// The latest before this number that was cut into blocks.
    CutBefore(i64),
}

/// A kept version, with its bytes.
#[derive(Clone, Debug)]
pub struct VersionRow {
    /// Counted from 1 within its page.
    pub version: i64,
    /// When it was captured.
    pub time: Millis,
    /// Our serialisation of the tree.
    pub snapshot: Option<Vec<u8>>,
    /// The main response's body, decoded.
    pub body: Option<Vec<u8>>,
    /// How far the tab's clock ran ahead.
    pub drift_ms: i64,
    /// The header, by which a body without a snapshot is read.
    pub content_type: Option<String>,
    /// Status of the main response.
    pub http_status: Option<u16>,
    /// How it was got.
    pub via: Via,
    /// How the elements of a rendered page look.
    pub looks: Option<Vec<u8>>,
    /// The run that captured it.
    pub run: Option<RunNumber>,
    /// What cutting it into blocks gave, once that is done.
    pub cut: Option<Cutting>,
}

/// What cutting a version into blocks gave, in the words of whoever cut it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cutting {
    /// How far it is cut.
    pub level: i64,
    /// How it is cut, and the lineages of its blocks in order.
    pub layout: Vec<u8>,
    /// Its metadata, as JSON.
    pub meta: Vec<u8>,
}

/// A kept version, without its bytes.
#[derive(Clone, Debug)]
pub struct VersionLine {
    /// Counted from 1 within its page.
    pub version: i64,
    /// When it was captured.
    pub time: Millis,
    /// Whether what is left over without the blocks differs; `None` until it is cut.
    pub layout_changed: Option<bool>,
    /// Whether something differs from the version before that is no noise. So it does in a first
    /// version, and so it is taken until it is cut.
    pub counts: bool,
    /// What its blobs take that the version before does not have.
    pub bytes_stored: i64,
}

/// A look at a page.
#[derive(Clone, Debug, Serialize)]
pub struct VisitRow {
    /// When.
    pub time: Millis,
    /// Status of the main response.
    pub status: Option<u16>,
    /// The version that it found or found again; `None` if it failed.
    pub version: Option<i64>,
}

/// A run of the program.
#[derive(Clone, Debug)]
pub struct RunRow {
    /// When it began.
    pub time: Millis,
    /// The program and its version.
    pub program: String,
    /// What it was told, as JSON.
    pub settings: String,
}

impl Catalog {
    /// Remembers which program writes from now on, and what it was told.
    ///
    /// # Errors
    /// When the catalog fails.
    pub async fn begin_run(&self, program: &str, settings: &str) -> Result<RunNumber, StoreError> {
        let (program, settings, now) = (program.to_owned(), settings.to_owned(), Millis::now());
        self.engine
            .write(move |connection| {
                // Run after run under the same settings is one row.
                let latest = connection
                    .query_row(
                        "SELECT run, program, settings FROM run ORDER BY run DESC LIMIT 1",
                        [],
                        |row| {
                            let told: (String, String) = (row.get(1)?, row.get(2)?);
                            Ok((row.get(0)?, told))
                        },
                    )
                    .optional()?;
                if let Some((run, told)) = latest
                    && told == (program.clone(), settings.clone())
                {
                    return Ok(RunNumber(run));
                }
                connection.execute(
                    "INSERT INTO run (time, program, settings) VALUES (?1, ?2, ?3)",
                    params![now.0, program, settings],
                )?;
                Ok(RunNumber(connection.last_insert_rowid()))
            })
            .await
    }

    /// What is known of a run.
    ///
    /// # Errors
    /// When the catalog fails.
    pub async fn run(&self, run: RunNumber) -> Result<Option<RunRow>, StoreError> {
        self.engine
            .read(move |connection| {
                Ok(connection
                    .query_row(
                        "SELECT time, program, settings FROM run WHERE run = ?1",
                        [run.0],
                        |row| {
                            Ok(RunRow {
                                time: Millis(row.get(0)?),
                                program: row.get(1)?,
                                settings: row.get(2)?,
                            })
                        },
                    )
                    .optional()?)
            })
            .await
    }

    /// A version of a page.
    ///
    /// # Errors
    /// When the catalog fails or a blob is damaged.
    pub async fn version(
        &self,
        page: PageNumber,
        which: Which,
    ) -> Result<Option<VersionRow>, StoreError> {
        let (least, most, until) = match which {
            Which::Latest => (0, i64::MAX, i64::MAX),
            Which::At(time) => (0, i64::MAX, time.0),
            Which::Number(number) => (number, number, i64::MAX),
            Which::CutBefore(number) => (0, number - 1, i64::MAX),
        };
        let only_cut = matches!(which, Which::CutBefore(_));
        self.engine
            .read(move |connection| {
                let mut question = connection.prepare_cached(
                    "SELECT version, time, snapshot, body, drift_ms, content_type, http_status, via,
                            looks, run, level, layout, meta FROM version
                     WHERE site = (SELECT site FROM page WHERE page = ?1) AND page = ?1
                       AND version BETWEEN ?2 AND ?3 AND time <= ?4
                       AND (layout IS NOT NULL OR NOT ?5)
                     ORDER BY version DESC LIMIT 1",
                )?;
                let mut rows = question.query(params![page.0, least, most, until, only_cut])?;
                rows.next()?.map(|row| read_version(connection, row)).transpose()
            })
            .await
    }

    /// The versions of a page, first to last.
    ///
    /// # Errors
    /// When the catalog fails.
    pub async fn versions(&self, page: PageNumber) -> Result<Vec<VersionLine>, StoreError> {
        self.engine
            .read(move |connection| {
                let mut question = connection.prepare_cached(
                    "SELECT version, time, layout_changed, coalesce(counts, 1), snapshot, body, looks, layout,
                            meta FROM version
                     WHERE site = (SELECT site FROM page WHERE page = ?1) AND page = ?1
                     ORDER BY version",
                )?;
                let mut rows = question.query([page.0])?;
                let mut lines = Vec::new();
                let mut before: [Option<i64>; 5] = [None; 5];
                while let Some(row) = rows.next()? {
                    let mut blobs = [None; 5];
                    for (at, blob) in blobs.iter_mut().enumerate() {
                        *blob = row.get(4 + at)?;
                    }
                    let mut bytes_stored = 0;
                    for blob in blobs.iter().flatten() {
                        if !before.contains(&Some(*blob)) {
                            bytes_stored += blob::stored_size(connection, *blob)?;
                        }
                    }
                    before = blobs;
                    lines.push(VersionLine {
                        version: row.get(0)?,
                        time: Millis(row.get(1)?),
                        layout_changed: row.get(2)?,
                        counts: row.get(3)?,
                        bytes_stored,
                    });
                }
                Ok(lines)
            })
            .await
    }

    /// The visits to a page, first to last.
    ///
    /// # Errors
    /// When the catalog fails.
    pub async fn visits(&self, page: PageNumber) -> Result<Vec<VisitRow>, StoreError> {
        self.engine
            .read(move |connection| {
                let mut question = connection.prepare_cached(
                    "SELECT time, http_status, version FROM visit
                     WHERE site = (SELECT site FROM page WHERE page = ?1) AND page = ?1
                     ORDER BY time",
                )?;
                let rows = question.query_map([page.0], |row| {
                    Ok(VisitRow {
                        time: Millis(row.get(0)?),
                        status: row.get(1)?,
                        version: row.get(2)?,
                    })
                })?;
                Ok(rows.collect::<Result<_, _>>()?)
            })
            .await
    }

    /// The headers of the answer that a version was made of, if it was kept.
    ///
    /// # Errors
    /// When the catalog fails.
    pub async fn headers(
        &self,
        page: PageNumber,
        time: Millis,
    ) -> Result<Vec<(String, String)>, StoreError> {
        self.engine
            .read(move |connection| {
                let text: Option<String> = connection
                    .prepare_cached(
                        "SELECT response_headers FROM exchange
                         WHERE site = (SELECT site FROM page WHERE page = ?1) AND page = ?1
                           AND time = ?2 AND resource = 'document' ORDER BY seq DESC LIMIT 1",
                    )?
                    .query_row(params![page.0, time.0], |row| row.get(0))
                    .optional()?;
                // Written by this crate; what cannot be read is as good as absent.
                Ok(text.and_then(|text| serde_json::from_str(&text).ok()).unwrap_or_default())
            })
            .await
    }
}

fn read_version(connection: &Connection, row: &Row<'_>) -> Result<VersionRow, StoreError> {
    let bytes = |at: usize| -> Result<Option<Vec<u8>>, StoreError> {
        let number: Option<i64> = row.get(at)?;
        number.map(|number| blob::get(connection, number)).transpose()
    };
    let level: Option<i64> = row.get(10)?;
    let cut = match (level, bytes(11)?, bytes(12)?) {
        (Some(level), Some(layout), Some(meta)) => Some(Cutting { level, layout, meta }),
        _ => None,
    };
    Ok(VersionRow {
        version: row.get(0)?,
        time: Millis(row.get(1)?),
        snapshot: bytes(2)?,
        body: bytes(3)?,
        drift_ms: row.get(4)?,
        content_type: row.get(5)?,
        http_status: row.get(6)?,
        via: Via::read(&row.get::<_, String>(7)?)?,
        looks: bytes(8)?,
        run: row.get::<_, Option<i64>>(9)?.map(RunNumber),
        cut,
    })
}

/// When a capture is the latest version again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Same {
    /// When it shows the same. What a crawl receives byte for byte is kept with its exchanges.
    Shown,
    /// When the bytes are the same, too: they are all there is.
    Bytes,
}

/// Adds a version unless the latest one is the same. Returns its number.
pub(crate) fn keep_version(
    connection: &Connection,
    site: &str,
    page: PageNumber,
    capture: &Capture,
    time: Millis,
    same: Same,
) -> Result<i64, StoreError> {
    let latest = connection
        .prepare_cached(
            "SELECT version, state, body, truncated IS NULL FROM version
             WHERE site = ?1 AND page = ?2 ORDER BY version DESC LIMIT 1",
        )?
        .query_row(params![site, page.0], |row| {
            let is_whole: bool = row.get(3)?;
            let state: Vec<u8> = row.get(1)?;
            let is_same = is_whole && state.as_slice() == capture.state.0;
            Ok((row.get::<_, i64>(0)?, is_same, row.get::<_, Option<i64>>(2)?))
        })
        .optional()?;
    let shows_the_same = latest.is_some_and(|(_, is_same, _)| is_same);
    if let Some((version, ..)) = latest
        && same == Same::Shown
        && shows_the_same
    {
        set_type(connection, site, page, capture)?;
        return Ok(version);
    }
    if let Some((version, _, known)) = latest
        && same == Same::Bytes
        && shows_the_same
        && known == keep_bytes(connection, capture.body.as_deref())?
    {
        return Ok(version);
    }
    let version = latest.map_or(1, |(version, ..)| version + 1);
    insert_version(connection, site, page, version, capture, time, None)?;
    wait_to_be_cut(connection, site, page, version)?;
    wait_to_be_read(connection, site, page, version)?;
    Ok(version)
}

/// Adds a first version of which a part is missing. Nobody waits to compare or to read it.
pub(crate) fn keep_truncated(
    connection: &Connection,
    site: &str,
    page: PageNumber,
    capture: &Capture,
    time: Millis,
    reason: &str,
) -> Result<i64, StoreError> {
    insert_version(connection, site, page, 1, capture, time, Some(reason))?;
    Ok(1)
}

pub(crate) fn has_versions(
    connection: &Connection,
    site: &str,
    page: PageNumber,
) -> Result<bool, StoreError> {
    Ok(connection
        .prepare_cached("SELECT EXISTS (SELECT 1 FROM version WHERE site = ?1 AND page = ?2)")?
        .query_row(params![site, page.0], |row| row.get(0))?)
}

fn insert_version(
    connection: &Connection,
    site: &str,
    page: PageNumber,
    version: i64,
    capture: &Capture,
    time: Millis,
    truncated: Option<&str>,
) -> Result<(), StoreError> {
    let body = keep_bytes(connection, capture.body.as_deref())?;
    let snapshot = keep_bytes(connection, capture.snapshot.as_deref())?;
    let looks = keep_bytes(connection, capture.looks.as_deref())?;
    connection
        .prepare_cached(
            "INSERT INTO version (site, page, version, time, state, snapshot, body, drift_ms,
                                  content_type, http_status, via, run, looks, truncated)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14)",
        )?
        .execute(params![
            site,
            page.0,
            version,
            time.0,
            capture.state.0,
            snapshot,
            body,
            capture.drift_ms,
            capture.content_type,
            capture.http_status,
            capture.via.as_str(),
            capture.run.map(|run| run.0),
            looks,
            truncated
        ])?;
    connection
        .prepare_cached(
            "UPDATE page SET state = ?3, title = ?4, via = ?5, last_seen = ?6,
                             page_type = coalesce(?7, page_type)
             WHERE site = ?1 AND page = ?2",
        )?
        .execute(params![
            site,
            page.0,
            capture.state.0,
            capture.title,
            capture.via.as_str(),
            time.0,
            capture.page_type
        ])?;
    Ok(())
}

fn set_type(
    connection: &Connection,
    site: &str,
    page: PageNumber,
    capture: &Capture,
) -> Result<(), StoreError> {
    if let Some(page_type) = &capture.page_type {
        connection
            .prepare_cached("UPDATE page SET page_type = ?3 WHERE site = ?1 AND page = ?2")?
            .execute(params![site, page.0, page_type])?;
    }
    Ok(())
}

pub(crate) fn keep_bytes(
    connection: &Connection,
    bytes: Option<&[u8]>,
) -> Result<Option<i64>, StoreError> {
    bytes.map(|bytes| blob::put(connection, bytes)).transpose()
}

pub(crate) fn keep_visit(
    connection: &Connection,
    site: &str,
    page: PageNumber,
    time: Millis,
    http_status: Option<u16>,
    version: Option<i64>,
) -> Result<(), StoreError> {
    connection
        .prepare_cached(
            "INSERT INTO visit (site, page, time, http_status, version) VALUES (?1, ?2, ?3, ?4, ?5)
             ON CONFLICT DO NOTHING",
        )?
        .execute(params![site, page.0, time.0, http_status, version])?;
    Ok(())
}
