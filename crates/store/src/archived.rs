//! Which addresses an archive has something under: what was answered to requests, and the states and captures
//! that no request brought.

use crate::archive::{ArchiveEntry, ArchiveItem};
use crate::catalog::Catalog;
use crate::error::StoreError;
use crate::tx::{Row, params};

/// Rows that one question returns at most.
const BATCH: i64 = 10_000;

/// Answered exchanges: where each lies (in three columns), its time, its number, method and URL.
const EXCHANGES: &str =
    "SELECT site, page, seq, coalesce(sent, time), seq, method, url, 0 FROM exchange
    WHERE (site, page, seq) > ($1, $2, $3) AND status IS NOT NULL
    ORDER BY site, page, seq LIMIT $4";

/// Looks at states, and those that no document was received for.
const VISITS: &str =
    "SELECT v.site, v.page, v.time, v.time, v.version, 'GET', coalesce(k.key, p.url),
        CASE WHEN p.path IS NULL THEN 0 ELSE 1 END
    FROM visit v JOIN page p ON p.site = v.site AND p.page = v.page
    LEFT JOIN page_key k ON k.page = p.page AND k.is_main = 1
    WHERE (v.site, v.page, v.time) > ($1, $2, $3) AND v.version IS NOT NULL
      AND (p.path IS NOT NULL OR NOT EXISTS
        (SELECT 1 FROM exchange e WHERE e.site = v.site AND e.page = v.page AND e.time = v.time
           AND e.resource = 'document' AND e.status IS NOT NULL))
    ORDER BY v.site, v.page, v.time LIMIT $4";

/// An entry of an archive that can be asked for by an address.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ArchivedUrl {
    /// Which one.
    pub entry: ArchiveEntry,
    /// How it was asked for.
    pub method: String,
    /// The request's URL, or the page's key.
    pub key: String,
    /// Whether only events reach it.
    pub is_state: bool,
}

impl Catalog {
    /// Calls `each` with all that can be asked for, in no order that matters.
    ///
    /// # Errors
    /// When the catalog fails.
    pub async fn each_archived(
        &self,
        mut each: impl FnMut(ArchivedUrl) + Send,
    ) -> Result<(), StoreError> {
        type MakeItem = fn(i64) -> ArchiveItem;
        let kinds: [(&'static str, MakeItem); 2] =
            [(EXCHANGES, ArchiveItem::Exchange), (VISITS, ArchiveItem::Visit)];
        for (question, item) in kinds {
            let mut last = (String::new(), 0_i64, i64::MIN);
            loop {
                let (site, page, place) = last;
                let rows = self
                    .engine
                    .read(move |tx| tx.query(question, params![site, page, place, BATCH]))
                    .await?;
                let Some(row) = rows.last() else { break };
                last = (row.get(0)?, row.get(1)?, row.get(2)?);
                for row in &rows {
                    each(read(row, item)?);
                }
            }
        }
        Ok(())
    }
}

fn read(row: &Row, item: fn(i64) -> ArchiveItem) -> Result<ArchivedUrl, StoreError> {
    Ok(ArchivedUrl {
        entry: ArchiveEntry { page: row.get(1)?, time: row.get(3)?, item: item(row.get(4)?) },
        method: row.get(5)?,
        key: row.get(6)?,
        is_state: row.get(7)?,
    })
}
