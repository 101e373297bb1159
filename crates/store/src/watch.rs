//! What revisiting needs: when each page of a site was seen, whether it said something else each time, and
//! single documents that become due.

use crate::catalog::{Catalog, CatalogWriter};
use crate::error::StoreError;
use crate::host::host_of;
use crate::identity::present_number;
use crate::job::claim_page;
use crate::model::{Millis, PageNumber, Task};
use crate::tx::{ToValue, Tx, params};
use crate::words::{PageStatus, TaskKind};

/// Pages that wait and are listed at once: who asks is not done with them before he asks again.
const MOST_WAITING: i64 = 500;

/// A page of a site, with the latest visits to it.
#[derive(Clone, Debug)]
pub struct PageHistory {
    /// The page.
    pub page: PageNumber,
    /// Its address, or that of the document that it is a state of.
    pub url: String,
    /// Whether only events reach it.
    pub is_state: bool,
    /// What sort of page it is.
    pub page_type: Option<String>,
    /// What it is.
    pub condition: PageStatus,
    /// When it was found.
    pub first_seen: Millis,
    /// In the order of time.
    pub visits: Vec<PastVisit>,
}

/// A visit to a page.
#[derive(Clone, Copy, Debug)]
pub struct PastVisit {
    /// When.
    pub time: Millis,
    /// What the server answered.
    pub status: Option<u16>,
    /// The version that it found; none if it found no page.
    pub version: Option<i64>,
    /// Whether that version says something else than the one before it, and not only looks otherwise.
    pub counts: bool,
}

/// Whose histories are asked for.
#[derive(Clone, Debug)]
pub enum HistoriesOf {
    /// All pages of a site.
    Site,
    /// A document and the states that events reach in it.
    Document(String),
    /// Pages that wait for a visit, or for their events to be tried; some hundreds of them.
    Waiting,
}

impl Catalog {
    /// The pages of a site that are visited again or for the first time, each with its latest visits, as
    /// many as are asked for. Merged pages and those that are held are left out.
    ///
    /// # Errors
    /// When the catalog fails.
    pub async fn histories(
        &self,
        site: &str,
        of: HistoriesOf,
        most: usize,
    ) -> Result<Vec<PageHistory>, StoreError> {
        let site = site.to_owned();
        self.engine.read(move |tx| histories(tx, &site, &of, most)).await
    }
}

/// By what a server tells whether its answer has become another (RFC 9110 §8.8), as it was sent.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Validators {
    /// The header `ETag`.
    pub etag: Option<String>,
    /// The header `Last-Modified`.
    pub last_modified: Option<String>,
}

impl Catalog {
    /// What came with the answer that the latest version of a page was read from, or with a later one
    /// that said the same; `None` if that was not a plain answer to the page's own address.
    ///
    /// # Errors
    /// When the catalog fails.
    pub async fn validators(
        &self,
        site: &str,
        page: PageNumber,
    ) -> Result<Option<Validators>, StoreError> {
        let site = site.to_owned();
        self.engine.read(move |tx| validators(tx, &site, page)).await
    }
}

impl CatalogWriter {
    /// Makes one document due and takes the visit in hand: its events count as not tried, so that its
    /// states are found again. `None` if somebody has it in hand.
    ///
    /// # Errors
    /// When the catalog fails, or has no such page.
    pub async fn revisit_page(
        &self,
        site: &str,
        page: PageNumber,
    ) -> Result<Option<Task>, StoreError> {
        let (site, now) = (site.to_owned(), Millis::now());
        self.engine
            .write(&site.clone(), move |tx| {
                let page = present_number(tx, &site, page)?;
                let url: String = tx.value(
                    "SELECT url FROM page WHERE site = $1 AND page = $2",
                    params![site, page],
                )?;
                tx.execute(
                    "INSERT INTO counter (site, name, value) VALUES ($1, 'round', $2)
                     ON CONFLICT (site, name) DO UPDATE SET value = excluded.value",
                    params![site, now],
                )?;
                tx.execute(
                    "INSERT INTO job (site, page, kind, host, depth, rank)
                     SELECT site, page, 'fetch', $3, depth, 0 FROM page
                     WHERE site = $1 AND page = $2
                     ON CONFLICT DO NOTHING",
                    params![site, page, host_of(&url)],
                )?;
                tx.memory.forget(&site);
                claim_page(tx, &site, page, TaskKind::Fetch)
            })
            .await
    }

    /// Keeps that states of a document were looked for and not found.
    ///
    /// # Errors
    /// When the catalog fails.
    pub async fn not_found_again(
        &self,
        site: &str,
        pages: Vec<PageNumber>,
        time: Millis,
    ) -> Result<(), StoreError> {
        let site = site.to_owned();
        self.engine
            .write(&site.clone(), move |tx| {
                let rows: Vec<_> =
                    pages.iter().map(|page| params![site, page, time].to_vec()).collect();
                let into = "INSERT INTO visit (site, page, time)";
                tx.insert(into, &rows, "ON CONFLICT DO NOTHING")?;
                Ok(())
            })
            .await
    }
}

fn validators(
    tx: &mut Tx<'_>,
    site: &str,
    page: PageNumber,
) -> Result<Option<Validators>, StoreError> {
    let headers: Option<String> = tx.value_optional(
        "SELECT e.response_headers FROM version w
         JOIN page p ON p.site = w.site AND p.page = w.page
         JOIN visit v ON v.site = w.site AND v.page = w.page AND v.version = w.version
         JOIN exchange e ON e.site = v.site AND e.page = v.page AND e.time = v.time
         WHERE w.site = $1 AND w.page = $2 AND w.via = 'http' AND w.truncated IS NULL
           AND w.version = (SELECT max(version) FROM version WHERE site = $1 AND page = $2)
           AND e.url = p.url AND e.method = 'GET' AND e.status = 200 AND e.truncated IS NULL
         ORDER BY e.seq DESC LIMIT 1",
        params![site, page],
    )?;
    let Some(headers) = headers else { return Ok(None) };
    let headers: Vec<(String, String)> = serde_json::from_str(&headers).unwrap_or_default();
    let header = |name: &str| {
        let found = headers.iter().find(|(key, _)| key.eq_ignore_ascii_case(name));
        found.map(|(_, value)| value.clone()).filter(|value| !value.is_empty())
    };
    let validators = Validators { etag: header("etag"), last_modified: header("last-modified") };
    Ok((validators != Validators::default()).then_some(validators))
}

fn histories(
    tx: &mut Tx<'_>,
    site: &str,
    of: &HistoriesOf,
    most: usize,
) -> Result<Vec<PageHistory>, StoreError> {
    let rows = match of {
        HistoriesOf::Site => tx.query(&pages_of(""), params![site])?,
        HistoriesOf::Document(url) => tx.query(&pages_of("AND url = $2"), params![site, url])?,
        HistoriesOf::Waiting => {
            let waiting: Vec<PageNumber> = tx.values(
                "SELECT page FROM job WHERE site = $1 AND kind IN ('fetch', 'explore')
                 ORDER BY page LIMIT $2",
                params![site, MOST_WAITING],
            )?;
            let waiting: Vec<_> = waiting.iter().map(ToValue::to_value).collect();
            tx.query_in(&pages_of("AND page IN ($list)"), params![site], &waiting)?
        }
    };
    let mut pages = Vec::with_capacity(rows.len());
    for row in &rows {
        pages.push(PageHistory {
            page: row.get(0)?,
            url: row.get(1)?,
            is_state: row.get(2)?,
            page_type: row.get(3)?,
            condition: row.get(4)?,
            first_seen: row.get(5)?,
            visits: Vec::new(),
        });
    }
    pages.sort_by_key(|page: &PageHistory| page.page);
    let rows = match of {
        HistoriesOf::Site => tx.query(&visits_of("", most), params![site])?,
        HistoriesOf::Document(_) | HistoriesOf::Waiting => {
            let list: Vec<_> = pages.iter().map(|page| page.page.to_value()).collect();
            tx.query_in(&visits_of("AND v.page IN ($list)", most), params![site], &list)?
        }
    };
    for row in &rows {
        let page: PageNumber = row.get(0)?;
        let Ok(at) = pages.binary_search_by_key(&page, |known| known.page) else { continue };
        let counts: Option<i64> = row.get(4)?;
        let visit = PastVisit {
            time: row.get(1)?,
            status: row.get(2)?,
            version: row.get(3)?,
            // What has no tree is another version only if its bytes differ.
            counts: counts != Some(0),
        };
        if let Some(page) = pages.get_mut(at) {
            page.visits.push(visit);
        }
    }
    Ok(pages)
}

fn pages_of(which: &str) -> String {
    format!(
        "SELECT page, url, path IS NOT NULL, page_type, status, first_seen FROM page
         WHERE site = $1 AND status NOT IN ('merged', 'held') {which}"
    )
}

/// The latest visits of each page, in order, with what their versions say.
fn visits_of(which: &str, most: usize) -> String {
    format!(
        "SELECT n.page, n.time, n.http_status, n.version, w.counts FROM
             (SELECT v.page, v.time, v.http_status, v.version,
                     row_number() OVER (PARTITION BY v.page ORDER BY v.time DESC) AS nth
              FROM visit v WHERE v.site = $1 {which}) AS n
         LEFT JOIN version w ON w.site = $1 AND w.page = n.page AND w.version = n.version
         WHERE n.nth <= {most} ORDER BY n.page, n.time"
    )
}
