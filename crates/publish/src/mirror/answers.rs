//! The answers that the store keeps: which addresses have one, and its bytes.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use rusqlite::{Connection, OpenFlags, OptionalExtension};
use url::Url;

use crate::PublishError;

/// Redirects that are followed from one address.
const MOST_HOPS: usize = 8;

/// What is known of the latest answer to an address.
#[derive(Clone, Debug)]
pub(crate) struct Answer {
    /// As its headers say, with parameters.
    pub content_type: String,
    /// Bytes after decoding.
    pub size: u64,
    blob: i64,
}

impl Answer {
    /// The media type in lower case.
    pub(crate) fn media_type(&self) -> String {
        let kind = self.content_type.split(';').next().unwrap_or_default();
        kind.trim().to_ascii_lowercase()
    }
}

enum Row {
    Whole(Answer),
    Elsewhere(String),
}

/// All kept answers to GET requests, the latest to each address.
pub(crate) struct Answers {
    connection: Connection,
    file: PathBuf,
    rows: HashMap<String, Row>,
}

impl Answers {
    /// Reads which addresses have an answer.
    pub(crate) fn open(store: &Path) -> Result<Self, PublishError> {
        let file = store.join("catalog.sqlite3");
        let read = || {
            let connection = Connection::open_with_flags(&file, OpenFlags::SQLITE_OPEN_READ_ONLY)?;
            connection.busy_timeout(std::time::Duration::from_secs(10))?;
            let rows = index(&connection)?;
            Ok((connection, rows))
        };
        let (connection, rows) =
            read().map_err(|source| PublishError::Answers { path: file.clone(), source })?;
        Ok(Self { connection, file, rows })
    }

    /// No answers at all.
    #[cfg(test)]
    pub(crate) fn none() -> Self {
        let connection = Connection::open_in_memory().expect("memory needs no disk");
        Self { connection, file: PathBuf::new(), rows: HashMap::new() }
    }

    /// The answer to an address, through redirects.
    pub(crate) fn find(&self, url: &Url) -> Option<&Answer> {
        let mut at = without_fragment(url);
        for _ in 0..MOST_HOPS {
            match self.rows.get(&at)? {
                Row::Whole(answer) => return Some(answer),
                Row::Elsewhere(to) => at = to.clone(),
            }
        }
        None
    }

    /// The bytes of an answer; none if they are damaged.
    pub(crate) fn body(&self, answer: &Answer) -> Result<Option<Vec<u8>>, PublishError> {
        let row: Option<(i64, Vec<u8>)> = self
            .connection
            .prepare_cached("SELECT codec, data FROM blob WHERE blob = ?1 AND base IS NULL")
            .and_then(|mut question| {
                question.query_row([answer.blob], |row| Ok((row.get(0)?, row.get(1)?))).optional()
            })
            .map_err(|source| PublishError::Answers { path: self.file.clone(), source })?;
        Ok(match row {
            Some((0, data)) => Some(data),
            Some((1, data)) => {
                let size = usize::try_from(answer.size).unwrap_or(0);
                zstd::bulk::decompress(&data, size).ok()
            }
            _ => None,
        })
    }
}

fn index(connection: &Connection) -> Result<HashMap<String, Row>, rusqlite::Error> {
    let mut question = connection.prepare(
        "SELECT e.url, e.status, e.response_headers, e.response_body, coalesce(b.raw_size, 0)
         FROM exchange e LEFT JOIN blob b ON b.blob = e.response_body
         WHERE e.method = 'GET' AND e.status IS NOT NULL
           AND e.resource NOT IN ('script', 'xhr', 'fetch', 'ping', 'websocket', 'eventsource')
         ORDER BY e.time, e.page, e.seq",
    )?;
    let mut found = HashMap::new();
    let mut rows = question.query([])?;
    while let Some(row) = rows.next()? {
        let (url, status): (String, u16) = (row.get(0)?, row.get(1)?);
        let Ok(url) = Url::parse(&url) else { continue };
        let headers: String = row.get(2)?;
        let headers: Vec<(String, String)> = serde_json::from_str(&headers).unwrap_or_default();
        let header = |name: &str| {
            let found = headers.iter().find(|(key, _)| key.eq_ignore_ascii_case(name));
            found.map(|(_, value)| value.as_str())
        };
        let answer = match (status, row.get::<_, Option<i64>>(3)?) {
            (300..=399, _) => header("location")
                .and_then(|to| url.join(to).ok())
                .map(|to| Row::Elsewhere(without_fragment(&to))),
            (200..=299, Some(blob)) => Some(Row::Whole(Answer {
                content_type: header("content-type").unwrap_or_default().to_owned(),
                size: row.get::<_, i64>(4)?.unsigned_abs(),
                blob,
            })),
            _ => None,
        };
        if let Some(answer) = answer {
            found.insert(without_fragment(&url), answer);
        }
    }
    Ok(found)
}

fn without_fragment(url: &Url) -> String {
    let mut url = url.clone();
    url.set_fragment(None);
    url.into()
}
