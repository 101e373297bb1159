//! What servers answered to reads: which addresses have an answer, and its bytes.

use crate::blob;
use crate::catalog::Catalog;
use crate::error::StoreError;
use crate::model::Millis;
use crate::tx::{Row, Tx, params, stored_as_number};

/// Rows that one question returns at most; callers go on after the last.
const BATCH: i64 = 1000;

/// Names the bytes of an answer within its store.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct BodyNumber(i64);

stored_as_number!(BodyNumber);

/// An answer to a GET request, without its bytes.
#[derive(Clone, Debug)]
pub struct AnswerRow {
    /// When the request was sent.
    pub time: Millis,
    /// What the browser asked for it as: `document`, `stylesheet`, `image`.
    pub resource: String,
    /// Request URL.
    pub url: String,
    /// Status of the answer.
    pub status: u16,
    /// The header, with parameters; empty if there was none.
    pub content_type: String,
    /// Where a redirect leads, as it was sent.
    pub location: Option<String>,
    /// Bytes after decoding.
    pub size: u64,
    /// Names the bytes; `None` when they were not kept.
    pub body: Option<BodyNumber>,
    place: Place,
}

/// Where an answer lies among all others: the primary key of its exchange.
#[derive(Clone, Debug)]
struct Place {
    site: String,
    page: i64,
    seq: i64,
}

impl Catalog {
    /// The answers to GET requests, from the first or from the one after `last`, at most a thousand.
    /// Several may be for one URL, in any order of their times.
    ///
    /// # Errors
    /// When the catalog fails.
    ///
    /// ```
    /// # use store::CatalogWriter;
    /// # tokio::runtime::Runtime::new().unwrap().block_on(async {
    /// # let dir = tempfile::tempdir().unwrap();
    /// # let catalog = CatalogWriter::open(dir.path()).unwrap();
    /// let mut last = None;
    /// while let rows = catalog.answers(last.as_ref()).await.unwrap()
    ///     && !rows.is_empty()
    /// {
    ///     rows.iter().for_each(|row| println!("{} {}", row.status, row.url));
    ///     last = rows.into_iter().next_back();
    /// }
    /// # });
    /// ```
    pub async fn answers(&self, last: Option<&AnswerRow>) -> Result<Vec<AnswerRow>, StoreError> {
        let after = last.map(|row| row.place.clone());
        self.engine.read(move |tx| answers_after(tx, after.as_ref())).await
    }

    /// The bytes of an answer, checked against their hash; `None` if the store has no such number.
    ///
    /// # Errors
    /// When the catalog fails, or the bytes are damaged: [`StoreError::Damaged`] names them.
    pub async fn body(&self, number: BodyNumber) -> Result<Option<Vec<u8>>, StoreError> {
        self.engine.read(move |tx| Ok(blob::get_all(tx, &[number.0])?.remove(&number.0))).await
    }
}

fn answers_after(tx: &mut Tx<'_>, after: Option<&Place>) -> Result<Vec<AnswerRow>, StoreError> {
    let (site, page, seq) =
        after.map_or(("", 0, 0), |place| (place.site.as_str(), place.page, place.seq));
    let rows = tx.query(
        "SELECT e.site, e.page, e.seq, e.time, e.resource, e.url, e.status, e.response_headers,
                e.response_body, coalesce(b.raw_size, 0)
         FROM exchange e LEFT JOIN blob b ON b.blob = e.response_body
         WHERE (e.site, e.page, e.seq) > ($1, $2, $3) AND e.method = 'GET' AND e.status IS NOT NULL
         ORDER BY e.site, e.page, e.seq LIMIT $4",
        params![site, page, seq, BATCH],
    )?;
    rows.iter().map(read_answer).collect()
}

fn read_answer(row: &Row) -> Result<AnswerRow, StoreError> {
    let headers: String = row.get(7)?;
    let headers: Vec<(String, String)> = serde_json::from_str(&headers).unwrap_or_default();
    let header = |name: &str| {
        let found = headers.iter().find(|(key, _)| key.eq_ignore_ascii_case(name));
        found.map(|(_, value)| value.clone())
    };
    Ok(AnswerRow {
        time: row.get(3)?,
        resource: row.get(4)?,
        url: row.get(5)?,
        status: row.get(6)?,
        content_type: header("content-type").unwrap_or_default(),
        location: header("location"),
        size: row.get::<i64>(9)?.unsigned_abs(),
        body: row.get(8)?,
        place: Place { site: row.get(0)?, page: row.get(1)?, seq: row.get(2)? },
    })
}
