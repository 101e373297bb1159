//! What is known: questions that change nothing.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::catalog::Catalog;
use crate::error::StoreError;
use crate::host::sites_of;
use crate::model::{Millis, PageNumber, PageRow, StateId, Stats, Waiting, WireFacts};
use crate::page::read_path;
use crate::tx::{FromValue, Row, ToValue, Tx, Value, params};
use crate::words::{Cause, EdgeOutcome, PageStatus};

/// The sites that an address can be of are few, and each is looked up by itself.
pub(crate) const PAGE_OF_KEY: &str = "SELECT page FROM page_key WHERE site IN ($list) AND key = $1";

/// Rows that one question returns at most; callers go on after the last.
const BATCH: i64 = 1000;
/// Likewise, of rows that hold next to nothing.
const TYPES_BATCH: i64 = 50_000;

/// A kept exchange, without its bodies.
#[derive(Clone, Debug, Serialize)]
pub struct ExchangeRow {
    /// Counted from 1 within its page.
    pub seq: i64,
    /// When the visit or the event began that it belongs to.
    pub time: Millis,
    /// What made the request.
    pub cause: Cause,
    /// The browser's resource type.
    pub resource: String,
    /// Request method.
    pub method: String,
    /// Request URL.
    pub url: String,
    /// Status of the answer.
    pub status: Option<u16>,
    /// Size of the decoded body.
    pub body_bytes: Option<i64>,
    /// What is known of the connection.
    #[serde(flatten)]
    pub wire: WireFacts,
}

/// The totals of a site, over all runs.
#[derive(Clone, Debug, Default)]
pub struct Summary {
    /// Pages by condition.
    pub pages: BTreeMap<PageStatus, i64>,
    /// Captured pages that only events reach.
    pub event_pages: i64,
    /// Different states.
    pub states: i64,
    /// Edges by outcome.
    pub edges: BTreeMap<EdgeOutcome, i64>,
    /// Running totals by name.
    pub counters: BTreeMap<String, i64>,
    /// Versions kept.
    pub versions: i64,
    /// Tasks that wait.
    pub waiting: i64,
    /// Different page types of the captured pages.
    pub page_types: i64,
    /// Records, those that are gone from the site included.
    pub records: i64,
}

impl Summary {
    /// Pages that were captured.
    pub fn captured(&self) -> i64 {
        self.pages.get(&PageStatus::Captured).copied().unwrap_or(0)
    }
}

impl Catalog {
    /// Pages with a number above `after`, in order, at most a thousand.
    ///
    /// # Errors
    /// When the catalog fails.
    pub async fn pages(&self, after: PageNumber) -> Result<Vec<PageRow>, StoreError> {
        self.engine
            .read(move |tx| {
                query_pages(tx, "p.page > $1 ORDER BY p.page LIMIT $2", params![after, BATCH])
            })
            .await
    }

    /// The types of captured pages with a number above `after`, in order, at most fifty thousand: much less to
    /// read than the pages.
    ///
    /// # Errors
    /// When the catalog fails.
    pub async fn types_of_pages(
        &self,
        after: PageNumber,
    ) -> Result<Vec<(PageNumber, Option<String>)>, StoreError> {
        self.engine
            .read(move |tx| {
                let rows = tx.query(
                    "SELECT page, page_type FROM page WHERE page > $1 AND status = 'captured'
                     ORDER BY page LIMIT $2",
                    params![after, TYPES_BATCH],
                )?;
                rows.iter().map(|row| Ok((row.get(0)?, row.get(1)?))).collect()
            })
            .await
    }

    /// The page that a key, an alias, a URL or a number names.
    ///
    /// # Errors
    /// When the catalog fails.
    pub async fn find(&self, name: &str) -> Result<Option<PageRow>, StoreError> {
        let name = name.to_owned();
        self.engine
            .read(move |tx| {
                let number: Option<PageNumber> = match name.parse::<i64>() {
                    Ok(number) => tx.value_optional(
                        "SELECT coalesce(merged_into, page) FROM page WHERE page = $1",
                        params![number],
                    )?,
                    Err(_) => {
                        let sites = sites_of(&name);
                        let sites: Vec<_> = sites.iter().map(ToValue::to_value).collect();
                        let rows = tx.query_in(PAGE_OF_KEY, params![name], &sites)?;
                        rows.first().map(|row| row.get(0)).transpose()?
                    }
                };
                let Some(number) = number else { return Ok(None) };
                Ok(query_pages(tx, "p.page = $1", params![number])?.pop())
            })
            .await
    }

    /// The pages of one document: its URL's page and the states that events reach under it.
    ///
    /// # Errors
    /// When the catalog fails.
    pub async fn pages_of_document(
        &self,
        site: &str,
        url: &str,
    ) -> Result<Vec<PageNumber>, StoreError> {
        let (site, url) = (site.to_owned(), url.to_owned());
        self.engine
            .read(move |tx| {
                let mut pages: Vec<PageNumber> = tx.values(
                    "SELECT page FROM page WHERE site = $1 AND url = $2 AND status = 'captured'",
                    params![site, url],
                )?;
                // Asked for an order, SQLite would rather walk the whole site by number.
                pages.sort_unstable();
                Ok(pages)
            })
            .await
    }

    /// What is known to be volatile in a document.
    ///
    /// # Errors
    /// When the catalog fails.
    pub async fn mask(&self, site: &str, url: &str) -> Result<Vec<String>, StoreError> {
        let (site, url) = (site.to_owned(), url.to_owned());
        self.engine
            .read(move |tx| {
                tx.values(
                    "SELECT rule FROM mask WHERE site = $1 AND url = $2 ORDER BY rule",
                    params![site, url],
                )
            })
            .await
    }

    /// The exchanges kept with a page.
    ///
    /// # Errors
    /// When the catalog fails.
    pub async fn exchanges(&self, page: PageNumber) -> Result<Vec<ExchangeRow>, StoreError> {
        self.engine
            .read(move |tx| {
                let rows = tx.query(
                    "SELECT e.seq, e.time, e.cause, e.resource, e.method, e.url, e.status, b.raw_size,
                            e.sent, e.remote_address, e.http_version, e.failure, e.truncated
                     FROM exchange e LEFT JOIN blob b ON b.blob = e.response_body
                     WHERE e.site = (SELECT site FROM page WHERE page = $1) AND e.page = $1
                     ORDER BY e.seq",
                    params![page],
                )?;
                let read = |row: &Row| {
                    Ok(ExchangeRow {
                        seq: row.get(0)?,
                        time: row.get(1)?,
                        cause: row.get(2)?,
                        resource: row.get(3)?,
                        method: row.get(4)?,
                        url: row.get(5)?,
                        status: row.get(6)?,
                        body_bytes: row.get(7)?,
                        wire: WireFacts {
                            sent: row.get(8)?,
                            remote_address: row.get(9)?,
                            http_version: row.get(10)?,
                            failure: row.get(11)?,
                            truncated: row.get(12)?,
                        },
                    })
                };
                rows.iter().map(read).collect()
            })
            .await
    }

    /// The totals of a site.
    ///
    /// # Errors
    /// When the catalog fails.
    pub async fn summary(&self, site: &str) -> Result<Summary, StoreError> {
        let site = site.to_owned();
        self.engine
            .read(move |tx| {
                let of = params![site];
                Ok(Summary {
                    pages: groups(
                        tx,
                        "SELECT status, count(*) FROM page WHERE site = $1 GROUP BY status",
                        of,
                    )?,
                    event_pages: tx.value(
                        "SELECT count(*) FROM page
                         WHERE site = $1 AND status = 'captured' AND path IS NOT NULL",
                        of,
                    )?,
                    states: tx.value(
                        "SELECT count(DISTINCT state) FROM page
                         WHERE site = $1 AND status = 'captured'",
                        of,
                    )?,
                    edges: groups(
                        tx,
                        "SELECT outcome, count(*) FROM edge WHERE site = $1 GROUP BY outcome",
                        of,
                    )?,
                    counters: groups(tx, "SELECT name, value FROM counter WHERE site = $1", of)?,
                    versions: tx.value("SELECT count(*) FROM version WHERE site = $1", of)?,
                    waiting: tx.value(
                        "SELECT count(*) FROM job
                         WHERE site = $1 AND kind IN ('fetch', 'explore', 'submit')",
                        of,
                    )?,
                    page_types: tx.value(
                        "SELECT count(DISTINCT page_type) FROM page
                         WHERE site = $1 AND status = 'captured'",
                        of,
                    )?,
                    records: tx.value("SELECT count(*) FROM record WHERE site = $1", of)?,
                })
            })
            .await
    }

    /// Whether something is left to do for a site, or nothing was begun yet.
    ///
    /// # Errors
    /// When the catalog fails.
    pub async fn is_unfinished(&self, site: &str) -> Result<bool, StoreError> {
        let site = site.to_owned();
        self.engine
            .read(move |tx| {
                let job = "SELECT 1 FROM job WHERE site = $1 LIMIT 1";
                let page = "SELECT 1 FROM page WHERE site = $1 LIMIT 1";
                Ok(tx.query_optional(job, params![site])?.is_some()
                    || tx.query_optional(page, params![site])?.is_none())
            })
            .await
    }

    /// The addresses that crawls of this store began with.
    ///
    /// # Errors
    /// When the catalog fails.
    pub async fn starts(&self) -> Result<Vec<String>, StoreError> {
        self.engine
            .read(|tx| {
                tx.values(
                    "SELECT url FROM page WHERE depth = 0 AND origin IS NULL ORDER BY page",
                    &[],
                )
            })
            .await
    }

    /// How many jobs wait or are in hand.
    ///
    /// # Errors
    /// When the catalog fails.
    pub async fn waiting(&self) -> Result<Waiting, StoreError> {
        self.engine.read(waiting).await
    }

    /// What the store holds and what it costs.
    ///
    /// # Errors
    /// When the catalog fails.
    pub async fn stats(&self) -> Result<Stats, StoreError> {
        self.engine
            .read(|tx| {
                let bytes_stored = tx.driver.bytes_on_disk()?;
                let waiting = waiting(tx)?;
                let mut one = |question: &str| tx.value::<i64>(question, &[]);
                Ok(Stats {
                    versions: one("SELECT count(*) FROM version")?,
                    bytes_raw: one(
                        "SELECT CAST(coalesce(sum(b.raw_size), 0) AS BIGINT) FROM blob b JOIN
                         (SELECT snapshot AS blob FROM version UNION ALL SELECT body FROM version
                          UNION ALL SELECT request_body FROM exchange
                          UNION ALL SELECT response_body FROM exchange
                          UNION ALL SELECT blob FROM blob WHERE codec = 4) used ON used.blob = b.blob",
                    )?,
                    bytes_stored: bytes_stored + one(
                        "SELECT CAST(coalesce(sum(stored), 0) AS BIGINT) FROM blob",
                    )?,
                    bytes_hot: one(
                        "SELECT CAST(coalesce(sum(coalesce(stored, length(data))), 0) AS BIGINT)
                         FROM blob WHERE codec <> 4",
                    )?,
                    bytes_cold: one(
                        "SELECT CAST(coalesce(sum(coalesce(stored, length(data))), 0) AS BIGINT)
                         FROM blob WHERE codec = 4",
                    )?,
                    pages: one("SELECT count(*) FROM page WHERE status = 'captured'")?,
                    states: one(
                        "SELECT count(DISTINCT state) FROM page WHERE status = 'captured'",
                    )?,
                    edges: one("SELECT count(*) FROM edge")?,
                    exchanges: one("SELECT count(*) FROM exchange")?,
                    blocks: one(
                        "SELECT CAST((SELECT count(*) FROM block)
                           + (SELECT coalesce(sum(blocks), 0) FROM old_blocks) AS BIGINT)",
                    )?,
                    contents: one("SELECT count(*) FROM content")?,
                    waiting: waiting.visits,
                    uncut: waiting.uncut,
                    records: one("SELECT count(*) FROM record")?,
                    unread: waiting.unread,
                    sites: tx.values("SELECT DISTINCT site FROM page ORDER BY site", &[])?,
                })
            })
            .await
    }
}

fn waiting(tx: &mut Tx<'_>) -> Result<Waiting, StoreError> {
    let kinds: BTreeMap<String, i64> =
        groups(tx, "SELECT kind, count(*) FROM job GROUP BY kind", &[])?;
    let of = |kind: &str| kinds.get(kind).copied().unwrap_or_default();
    Ok(Waiting { visits: of("fetch") + of("explore"), uncut: of("cut"), unread: of("read") })
}

fn groups<K: FromValue + Ord>(
    tx: &mut Tx<'_>,
    question: &str,
    with: &[Value<'_>],
) -> Result<BTreeMap<K, i64>, StoreError> {
    tx.query(question, with)?.iter().map(|row| Ok((row.get(0)?, row.get(1)?))).collect()
}

pub(crate) fn query_pages(
    tx: &mut Tx<'_>,
    which: &str,
    with: &[Value<'_>],
) -> Result<Vec<PageRow>, StoreError> {
    let rows = tx.query(
        &format!(
            "SELECT p.page, coalesce(k.key, p.url), p.url, p.path, p.page_type, p.title,
                    p.http_status, p.status, p.via, p.state, p.first_seen, p.last_seen,
                    (SELECT count(*) FROM version v WHERE v.site = p.site AND v.page = p.page),
                    p.error, p.depth, p.site, p.merged_into
             FROM page p LEFT JOIN page_key k ON k.page = p.page AND k.is_main = 1 WHERE {which}"
        ),
        with,
    )?;
    rows.iter().map(read_page).collect()
}

fn read_page(row: &Row) -> Result<PageRow, StoreError> {
    Ok(PageRow {
        page: row.get(0)?,
        key: row.get(1)?,
        url: row.get(2)?,
        path: read_path(row.get(3)?)?,
        page_type: row.get(4)?,
        title: row.get::<Option<String>>(5)?.unwrap_or_default(),
        status: row.get(6)?,
        condition: row.get(7)?,
        via: row.get(8)?,
        content_hash: row.get::<Option<StateId>>(9)?.map(|state| state.to_string()),
        first_seen: row.get(10)?,
        last_seen: row.get(11)?,
        versions: row.get(12)?,
        error: row.get(13)?,
        depth: row.get(14)?,
        site: row.get(15)?,
        merged_into: row.get(16)?,
    })
}
