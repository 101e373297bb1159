//! What an archive file is made of: every exchange and every look at a page, to be put in the order of
//! their times and then read one by one.

use crate::answer::BodyNumber;
use crate::blob;
use crate::catalog::Catalog;
use crate::error::StoreError;
use crate::model::{Millis, NewExchange, PageNumber, PathStep, WireFacts};
use crate::page::read_path;
use crate::tx::{Tx, params};
use crate::words::Via;

/// Rows that one question returns at most; callers go on after the last.
const BATCH: i64 = 10_000;

/// Where each lies (in three columns), its time, and its number.
const EXCHANGES: &str = "SELECT site, page, seq, coalesce(sent, time), seq FROM exchange
    WHERE (site, page, seq) > ($1, $2, $3) AND status IS NOT NULL
    ORDER BY site, page, seq LIMIT $4";
const VISITS: &str = "SELECT site, page, time, time, version FROM visit
    WHERE (site, page, time) > ($1, $2, $3) AND version IS NOT NULL
    ORDER BY site, page, time LIMIT $4";

/// Names an answered exchange, or a look at a page that found or found again a version.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct ArchiveEntry {
    /// When the request was sent, or the look began.
    pub time: Millis,
    /// The page that it belongs to.
    pub page: PageNumber,
    /// Which one of that page.
    pub item: ArchiveItem,
}

/// An entry of an archive, within its page.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum ArchiveItem {
    /// The exchange with this number.
    Exchange(i64),
    /// A look that found this version.
    Visit(i64),
}

/// An exchange to archive. Its answer's bytes are asked for by their number.
#[derive(Clone, Debug)]
pub struct KeptExchange {
    /// As it was kept, without the answer's bytes.
    pub exchange: NewExchange,
    /// Names the answer's bytes; `None` when they were not kept.
    pub body: Option<BodyNumber>,
}

/// What is known of a look at a page and of the version that it found.
#[derive(Clone, Debug)]
pub struct KeptVisit {
    /// The page's primary key.
    pub key: String,
    /// Its document's URL.
    pub url: String,
    /// The events that lead to it, empty for a page that its URL reaches.
    pub path: Vec<PathStep>,
    /// Its page type.
    pub page_type: Option<String>,
    /// Steps from the start.
    pub depth: i64,
    /// When the version was first found.
    pub first: Millis,
    /// How it was got.
    pub via: Via,
    /// How far the tab's clock ran ahead.
    pub drift_ms: i64,
    /// The header, by which a body without a snapshot is read.
    pub content_type: Option<String>,
    /// Status of the main response.
    pub http_status: Option<u16>,
    /// Why a part of the version is missing.
    pub truncated: Option<String>,
    /// The number of the exchange that brought the document; `None` for what events reached and for
    /// captures that were made elsewhere.
    pub document: Option<i64>,
}

impl Catalog {
    /// The entries of an archive, in no order that matters. Thirty bytes each.
    ///
    /// # Errors
    /// When the catalog fails.
    pub async fn archive_entries(&self) -> Result<Vec<ArchiveEntry>, StoreError> {
        let mut all = Vec::new();
        self.collect_entries(EXCHANGES, ArchiveItem::Exchange, &mut all).await?;
        self.collect_entries(VISITS, ArchiveItem::Visit, &mut all).await?;
        Ok(all)
    }

    async fn collect_entries(
        &self,
        question: &'static str,
        item: fn(i64) -> ArchiveItem,
        all: &mut Vec<ArchiveEntry>,
    ) -> Result<(), StoreError> {
        let mut last = (String::new(), 0_i64, i64::MIN);
        loop {
            let (site, page, place) = last;
            let rows = self
                .engine
                .read(move |tx| tx.query(question, params![site, page, place, BATCH]))
                .await?;
            let Some(row) = rows.last() else { return Ok(()) };
            last = (row.get(0)?, row.get(1)?, row.get(2)?);
            for row in &rows {
                let (page, time, item) = (row.get(1)?, row.get(3)?, item(row.get(4)?));
                all.push(ArchiveEntry { time, page, item });
            }
        }
    }

    /// An exchange of a page.
    ///
    /// # Errors
    /// When the catalog fails, or the bytes that were sent are damaged.
    pub async fn exchange(
        &self,
        page: PageNumber,
        seq: i64,
    ) -> Result<Option<KeptExchange>, StoreError> {
        self.engine.read(move |tx| exchange(tx, page, seq)).await
    }

    /// A look at a page, and the version that it found.
    ///
    /// # Errors
    /// When the catalog fails.
    pub async fn kept_visit(
        &self,
        page: PageNumber,
        time: Millis,
        version: i64,
    ) -> Result<Option<KeptVisit>, StoreError> {
        self.engine.read(move |tx| visit(tx, page, time, version)).await
    }
}

fn exchange(
    tx: &mut Tx<'_>,
    page: PageNumber,
    seq: i64,
) -> Result<Option<KeptExchange>, StoreError> {
    let row = tx.query_optional(
        "SELECT time, cause, resource, method, url, request_headers, request_body, status,
                response_headers, response_body, sent, remote_address, http_version, failure, truncated
         FROM exchange
         WHERE site = (SELECT site FROM page WHERE page = $1) AND page = $1 AND seq = $2",
        params![page, seq],
    )?;
    let Some(row) = row else { return Ok(None) };
    // Written by this crate; what cannot be read is as good as absent.
    let headers = |at: usize| -> Result<Vec<(String, String)>, StoreError> {
        Ok(serde_json::from_str(&row.get::<String>(at)?).unwrap_or_default())
    };
    let sent: Option<i64> = row.get(6)?;
    let request_body = match sent {
        Some(number) => blob::get_all(tx, &[number])?.remove(&number),
        None => None,
    };
    let exchange = NewExchange {
        time: row.get(0)?,
        cause: row.get(1)?,
        resource: row.get(2)?,
        method: row.get(3)?,
        url: row.get(4)?,
        request_headers: headers(5)?,
        request_body,
        status: row.get(7)?,
        response_headers: headers(8)?,
        response_body: None,
        wire: WireFacts {
            sent: row.get(10)?,
            remote_address: row.get(11)?,
            http_version: row.get(12)?,
            failure: row.get(13)?,
            truncated: row.get(14)?,
        },
    };
    Ok(Some(KeptExchange { exchange, body: row.get(9)? }))
}

fn visit(
    tx: &mut Tx<'_>,
    page: PageNumber,
    time: Millis,
    version: i64,
) -> Result<Option<KeptVisit>, StoreError> {
    let row = tx.query_optional(
        "SELECT coalesce(k.key, p.url), p.url, p.path, p.page_type, p.depth, v.time, v.via, v.drift_ms,
                v.content_type, coalesce(l.http_status, v.http_status), v.truncated
         FROM page p JOIN version v ON v.site = p.site AND v.page = p.page AND v.version = $3
         LEFT JOIN visit l ON l.site = p.site AND l.page = p.page AND l.time = $2
         LEFT JOIN page_key k ON k.page = p.page AND k.is_main = 1
         WHERE p.page = $1",
        params![page, time, version],
    )?;
    let Some(row) = row else { return Ok(None) };
    let url: String = row.get(1)?;
    let asked = url.split('#').next().unwrap_or_default();
    let path = read_path(row.get(2)?)?;
    // Frames bring documents of their own; that of the page has its address, or is where that led last.
    let document = match path.is_empty() {
        true => tx.value_optional(
            "SELECT seq FROM exchange
             WHERE site = (SELECT site FROM page WHERE page = $1) AND page = $1 AND time = $2
               AND resource = 'document' AND status IS NOT NULL
             ORDER BY (CASE WHEN url = $3 THEN 0 ELSE 1 END), seq DESC LIMIT 1",
            params![page, time, asked],
        )?,
        false => None,
    };
    Ok(Some(KeptVisit {
        key: row.get(0)?,
        url,
        path,
        page_type: row.get(3)?,
        depth: row.get(4)?,
        first: row.get(5)?,
        via: row.get(6)?,
        drift_ms: row.get(7)?,
        content_type: row.get(8)?,
        http_status: row.get(9)?,
        truncated: row.get(10)?,
        document,
    }))
}
