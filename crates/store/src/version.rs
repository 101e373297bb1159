//! Versions of pages, and the visits that found them.

use std::collections::{BTreeSet, HashMap};

use serde::Serialize;

use crate::blob::{self, HasBytes, Kept as KeptAt, Packed, Resemblance};
use crate::block::begin_first_blocks;
use crate::catalog::{Catalog, CatalogWriter};
use crate::change::note;
use crate::error::StoreError;
use crate::job::add_version;
use crate::model::{Capture, FirstCut, Millis, PageNumber, RunNumber};
use crate::tx::{Row, ToValue, Tx, params};
use crate::words::{ChangeKind, Via};

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

impl CatalogWriter {
    /// Remembers which program writes from now on, and what it was told.
    ///
    /// # Errors
    /// When the catalog fails.
    pub async fn begin_run(&self, program: &str, settings: &str) -> Result<RunNumber, StoreError> {
        let (program, settings, now) = (program.to_owned(), settings.to_owned(), Millis::now());
        self.engine
            .write("", move |tx| {
                // Run after run under the same settings is one row.
                let latest = tx.query_optional(
                    "SELECT run, program, settings FROM run ORDER BY run DESC LIMIT 1",
                    &[],
                )?;
                if let Some(row) = latest
                    && row.get::<String>(1)? == program
                    && row.get::<String>(2)? == settings
                {
                    return row.get(0);
                }
                tx.value(
                    "INSERT INTO run (time, program, settings) VALUES ($1, $2, $3) RETURNING run",
                    params![now, program, settings],
                )
            })
            .await
    }
}

impl Catalog {
    /// What is known of a run.
    ///
    /// # Errors
    /// When the catalog fails.
    pub async fn run(&self, run: RunNumber) -> Result<Option<RunRow>, StoreError> {
        self.engine
            .read(move |tx| {
                let row = tx.query_optional(
                    "SELECT time, program, settings FROM run WHERE run = $1",
                    params![run],
                )?;
                let read = |row: Row| {
                    Ok(RunRow { time: row.get(0)?, program: row.get(1)?, settings: row.get(2)? })
                };
                row.map(read).transpose()
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
            .read(move |tx| {
                let row = tx.query_optional(
                    "SELECT version, time, snapshot, body, drift_ms, content_type, http_status, via,
                            looks, run, level, layout, meta FROM version
                     WHERE site = (SELECT site FROM page WHERE page = $1) AND page = $1
                       AND version BETWEEN $2 AND $3 AND time <= $4
                       AND (layout IS NOT NULL OR $5 = 0)
                     ORDER BY version DESC LIMIT 1",
                    params![page, least, most, until, only_cut],
                )?;
                row.map(|row| read_version(tx, &row)).transpose()
            })
            .await
    }

    /// The versions of a page, first to last.
    ///
    /// # Errors
    /// When the catalog fails.
    pub async fn versions(&self, page: PageNumber) -> Result<Vec<VersionLine>, StoreError> {
        self.engine
            .read(move |tx| {
                let rows = tx.query(
                    "SELECT version, time, layout_changed, coalesce(counts, 1), snapshot, body, looks,
                            layout, meta FROM version
                     WHERE site = (SELECT site FROM page WHERE page = $1) AND page = $1
                     ORDER BY version",
                    params![page],
                )?;
                let blobs = |row: &Row| -> Result<Vec<Option<i64>>, StoreError> {
                    (4..9).map(|at| row.get(at)).collect()
                };
                let of_rows: Vec<_> = rows.iter().map(blobs).collect::<Result<_, _>>()?;
                let sizes = stored_sizes(tx, of_rows.iter().flatten().flatten())?;
                let mut lines = Vec::with_capacity(rows.len());
                let mut before: &[Option<i64>] = &[];
                for (row, blobs) in rows.iter().zip(&of_rows) {
                    let new = blobs.iter().filter(|blob| !before.contains(blob)).flatten();
                    before = blobs;
                    lines.push(VersionLine {
                        version: row.get(0)?,
                        time: row.get(1)?,
                        layout_changed: row.get(2)?,
                        counts: row.get(3)?,
                        bytes_stored: new.filter_map(|blob| sizes.get(blob)).sum(),
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
            .read(move |tx| {
                let rows = tx.query(
                    "SELECT time, http_status, version FROM visit
                     WHERE site = (SELECT site FROM page WHERE page = $1) AND page = $1
                     ORDER BY time",
                    params![page],
                )?;
                let read = |row: &Row| {
                    Ok(VisitRow { time: row.get(0)?, status: row.get(1)?, version: row.get(2)? })
                };
                rows.iter().map(read).collect()
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
            .read(move |tx| {
                let text: Option<String> = tx.value_optional(
                    "SELECT response_headers FROM exchange
                     WHERE site = (SELECT site FROM page WHERE page = $1) AND page = $1
                       AND time = $2 AND resource = 'document' ORDER BY seq DESC LIMIT 1",
                    params![page, time],
                )?;
                // Written by this crate; what cannot be read is as good as absent.
                Ok(text.and_then(|text| serde_json::from_str(&text).ok()).unwrap_or_default())
            })
            .await
    }
}

fn read_version(tx: &mut Tx<'_>, row: &Row) -> Result<VersionRow, StoreError> {
    let number = |at: usize| row.get::<Option<i64>>(at);
    let (layout, meta) = (number(11)?, number(12)?);
    let (snapshot, body, looks) = (number(2)?, number(3)?, number(8)?);
    let numbers: Vec<i64> = [snapshot, body, looks, layout, meta].into_iter().flatten().collect();
    let blobs: HashMap<i64, _> = blob::each(tx, &numbers)?.into_iter().collect();
    let bytes = |number: Option<i64>| {
        let found = |number: i64| match blobs.get(&number) {
            Some(Ok(bytes)) => Ok(bytes.clone()),
            _ => Err(StoreError::Damaged(number)),
        };
        number.map(found).transpose()
    };
    let (snapshot, body) = (bytes(snapshot)?, bytes(body)?);
    // What can be made again from these does not take them with it when it is damaged.
    let [looks, layout, meta] = [looks, layout, meta].map(|number| bytes(number).ok().flatten());
    let level: Option<i64> = row.get(10)?;
    let cut = match (level, layout, meta) {
        (Some(level), Some(layout), Some(meta)) => Some(Cutting { level, layout, meta }),
        _ => None,
    };
    Ok(VersionRow {
        version: row.get(0)?,
        time: row.get(1)?,
        snapshot,
        body,
        drift_ms: row.get(4)?,
        content_type: row.get(5)?,
        http_status: row.get(6)?,
        via: row.get(7)?,
        looks,
        run: row.get(9)?,
        cut,
    })
}

/// What each of these blobs takes; of a group, each of its members the same.
fn stored_sizes<'a>(
    tx: &mut Tx<'_>,
    blobs: impl Iterator<Item = &'a i64>,
) -> Result<HashMap<i64, i64>, StoreError> {
    let blobs: BTreeSet<i64> = blobs.copied().collect();
    let (members, rows): (Vec<i64>, Vec<i64>) = blobs.into_iter().partition(|blob| *blob < 0);
    let rows = tx.query_in(
        "SELECT blob, coalesce(stored, length(data)) FROM blob WHERE blob IN ($list)",
        &[],
        &rows.iter().map(ToValue::to_value).collect::<Vec<_>>(),
    )?;
    let mut sizes = rows
        .iter()
        .map(|row| Ok((row.get(0)?, row.get(1)?)))
        .collect::<Result<HashMap<i64, i64>, StoreError>>()?;
    let mut shares: HashMap<i64, i64> = HashMap::new();
    for member in members {
        let group = blob::row_of(member);
        let share = match shares.get(&group) {
            Some(share) => *share,
            None => blob::share_of_group(tx, group)?,
        };
        shares.insert(group, share);
        sizes.insert(member, share);
    }
    Ok(sizes)
}

/// When a capture is the latest version again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Same {
    /// When it shows the same. What a crawl receives byte for byte is kept with its exchanges.
    Shown,
    /// When the bytes are the same, too: they are all there is.
    Bytes,
}

impl Capture {
    /// What it resembles, if it may be the next version of `page`, or of an event that was fired on it.
    pub(crate) fn resembles(&self, page: PageNumber) -> Vec<Resemblance<'_>> {
        let parts = [
            (&self.body, KeptAt::Body(page), None),
            (&self.snapshot, KeptAt::Snapshot(page), self.body.as_deref()),
            (&self.looks, KeptAt::Looks(page), None),
        ];
        let parts = parts.into_iter();
        parts
            .filter_map(|(bytes, kept, own)| {
                Some(Resemblance { bytes: bytes.as_deref()?, kept, own })
            })
            .collect()
    }
}

impl HasBytes for Capture {
    fn bytes(&self) -> Vec<&[u8]> {
        let own =
            [&self.snapshot, &self.body, &self.looks].into_iter().filter_map(Option::as_deref);
        let cut = self.cut.iter().flat_map(|cut| [cut.layout.as_slice(), cut.meta.as_slice()]);
        own.chain(cut).collect()
    }
}

/// The version that a capture is.
#[derive(Clone, Copy)]
pub(crate) struct Kept {
    pub(crate) version: i64,
    pub(crate) is_new: bool,
}

/// Adds a version unless the latest one is the same.
pub(crate) fn keep_version(
    tx: &mut Tx<'_>,
    packed: &Packed,
    site: &str,
    page: PageNumber,
    capture: &Capture,
    time: Millis,
    same: Same,
) -> Result<Kept, StoreError> {
    let latest = tx.query_optional(
        "SELECT version, state, body, truncated IS NULL FROM version
         WHERE site = $1 AND page = $2 ORDER BY version DESC LIMIT 1",
        params![site, page],
    )?;
    let known = latest.as_ref().map_or(Ok(0), |row| row.get::<i64>(0))?;
    let again = Kept { version: known, is_new: false };
    let is_whole = latest.as_ref().map(|row| row.get(3)).transpose()? == Some(true);
    let shows_the_same =
        is_whole && latest.as_ref().map(|row| row.get(1)).transpose()? == Some(capture.state);
    if shows_the_same && same == Same::Shown {
        set_type(tx, site, page, capture)?;
        return Ok(again);
    }
    if shows_the_same {
        let body = blob::put(tx, packed, capture.body.as_deref())?;
        if latest.map(|row| row.get(2)).transpose()? == Some(body) {
            return Ok(again);
        }
    }
    let version = known + 1;
    let cut = capture.cut.as_ref().filter(|_| version == 1);
    insert_version(tx, packed, site, page, version, capture, cut, time, None)?;
    match cut {
        Some(cut) => begin_first_blocks(tx, site, page, &cut.begun)?,
        None => add_version(tx, site, page, "cut", version)?,
    }
    if !cut.is_some_and(|cut| cut.waits_for_wrapper) {
        add_version(tx, site, page, "read", version)?;
    }
    Ok(Kept { version, is_new: true })
}

/// Adds a first version of which a part is missing. Nobody waits to compare or to read it.
pub(crate) fn keep_truncated(
    tx: &mut Tx<'_>,
    packed: &Packed,
    site: &str,
    page: PageNumber,
    capture: &Capture,
    time: Millis,
    reason: &str,
) -> Result<i64, StoreError> {
    insert_version(tx, packed, site, page, 1, capture, None, time, Some(reason))?;
    Ok(1)
}

pub(crate) fn has_versions(
    tx: &mut Tx<'_>,
    site: &str,
    page: PageNumber,
) -> Result<bool, StoreError> {
    let first = tx.value_optional::<i64>(
        "SELECT version FROM version WHERE site = $1 AND page = $2 LIMIT 1",
        params![site, page],
    )?;
    Ok(first.is_some())
}

pub(crate) fn latest_version(
    tx: &mut Tx<'_>,
    site: &str,
    page: PageNumber,
) -> Result<Option<i64>, StoreError> {
    tx.value("SELECT max(version) FROM version WHERE site = $1 AND page = $2", params![site, page])
}

#[expect(clippy::too_many_arguments, reason = "the columns of one row")]
fn insert_version(
    tx: &mut Tx<'_>,
    packed: &Packed,
    site: &str,
    page: PageNumber,
    version: i64,
    capture: &Capture,
    cut: Option<&FirstCut>,
    time: Millis,
    truncated: Option<&str>,
) -> Result<(), StoreError> {
    let [layout, meta] = [cut.map(|cut| &cut.layout), cut.map(|cut| &cut.meta)];
    let [snapshot, body, looks] = [&capture.snapshot, &capture.body, &capture.looks];
    let all = [snapshot.as_ref(), body.as_ref(), looks.as_ref(), layout, meta];
    let blobs = blob::put_all(tx, packed, &all.map(|bytes| bytes.map(Vec::as_slice)))?;
    tx.execute(
        "INSERT INTO version (site, page, version, time, state, snapshot, body, drift_ms,
                              content_type, http_status, via, run, looks, truncated, level, layout,
                              layout_changed, meta, counts)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19)",
        params![
            site,
            page,
            version,
            time,
            capture.state,
            blobs[0],
            blobs[1],
            capture.drift_ms,
            capture.content_type,
            capture.http_status,
            capture.via,
            capture.run,
            blobs[2],
            truncated,
            cut.map(|cut| cut.level),
            blobs[3],
            cut.map(|_| false),
            blobs[4],
            cut.map(|_| true)
        ],
    )?;
    tx.execute(
        "UPDATE page SET state = $3, title = $4, via = $5, last_seen = $6,
                         page_type = coalesce($7, page_type)
         WHERE site = $1 AND page = $2",
        params![site, page, capture.state, capture.title, capture.via, time, capture.page_type],
    )?;
    note(tx, site, ChangeKind::Version, &[(page, Some(version))])
}

/// A page that shows the same may be of another type by now, or was got in another way.
fn set_type(
    tx: &mut Tx<'_>,
    site: &str,
    page: PageNumber,
    capture: &Capture,
) -> Result<(), StoreError> {
    tx.execute(
        "UPDATE page SET via = $3, page_type = coalesce($4, page_type)
         WHERE site = $1 AND page = $2",
        params![site, page, capture.via, capture.page_type],
    )?;
    Ok(())
}

pub(crate) fn keep_visit(
    tx: &mut Tx<'_>,
    site: &str,
    page: PageNumber,
    time: Millis,
    http_status: Option<u16>,
    version: Option<i64>,
) -> Result<(), StoreError> {
    tx.execute(
        "INSERT INTO visit (site, page, time, http_status, version) VALUES ($1, $2, $3, $4, $5)
         ON CONFLICT DO NOTHING",
        params![site, page, time, http_status, version],
    )?;
    Ok(())
}
