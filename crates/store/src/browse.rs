//! What somebody who looks around in a store asks: its sites, pages that are like what is looked for, what
//! changed last, what was refused, and how a page was come upon.

use serde::Serialize;

use crate::catalog::Catalog;
use crate::change::{Change, changes_before};
use crate::error::StoreError;
use crate::lookup::query_pages;
use crate::model::{Millis, PageNumber, PageRow};
use crate::tx::{Row, Tx, params};
use crate::words::{ChangeKind, PageStatus};

/// Pages on the way to a page that are told; a longer way is cut at its beginning.
const LONGEST_WAY: usize = 64;

/// A site of the store.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct SiteRow {
    /// Its name.
    pub site: String,
    /// The number of its last change: as long as it is the same, so is what is known of the site.
    pub changes: i64,
    /// Until when somebody has leased it to write to it; in the past if nobody does.
    pub lease_until: Millis,
}

/// Which pages are looked for. What is `None` may be anything.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PageQuery {
    /// Of this site.
    pub site: Option<String>,
    /// Of this type.
    pub page_type: Option<String>,
    /// In this condition.
    pub condition: Option<PageStatus>,
    /// Reached by events only, or by their URL.
    pub only_events: Option<bool>,
    /// With these characters in the title or the URL, whatever their case.
    pub text: Option<String>,
}

/// A version that came into a store.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct NewVersion {
    /// Its site.
    pub site: String,
    /// The number of the change.
    pub seq: i64,
    /// When it was committed.
    pub time: Millis,
    /// The page.
    pub page: PageNumber,
    /// Its key.
    pub key: String,
    /// The page's title.
    pub title: String,
    /// Its type.
    #[serde(rename = "type")]
    pub page_type: Option<String>,
    /// The version.
    pub version: i64,
    /// When it was captured.
    pub captured: Millis,
    /// Whether it differs from the one before in more than noise; so it is taken until it is cut.
    pub counts: bool,
}

/// Events that were refused for one reason.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct RefusedEvents {
    /// The reason, as it is kept.
    pub reason: String,
    /// How many.
    pub count: i64,
    /// A page that has one.
    pub page: PageNumber,
}

impl Catalog {
    /// The sites of the store, by name.
    ///
    /// # Errors
    /// When the catalog fails.
    pub async fn sites(&self) -> Result<Vec<SiteRow>, StoreError> {
        self.engine
            .read(|tx| {
                let rows =
                    tx.query("SELECT site, changes, lease_until FROM site ORDER BY site", &[])?;
                let read = |row: &Row| {
                    Ok(SiteRow {
                        site: row.get(0)?,
                        changes: row.get(1)?,
                        lease_until: row.get(2)?,
                    })
                };
                rows.iter().map(read).collect()
            })
            .await
    }

    /// A number that differs when exchanges or visits were added to the store since.
    ///
    /// # Errors
    /// When the catalog fails.
    pub async fn archive_mark(&self) -> Result<(i64, i64), StoreError> {
        self.engine
            .read(|tx| {
                Ok((
                    tx.value("SELECT count(*) FROM exchange", &[])?,
                    tx.value("SELECT count(*) FROM visit", &[])?,
                ))
            })
            .await
    }

    /// When pages of a site were first and last visited; `None` of a site without visits.
    ///
    /// # Errors
    /// When the catalog fails.
    pub async fn visited(&self, site: &str) -> Result<Option<(Millis, Millis)>, StoreError> {
        let site = site.to_owned();
        self.engine
            .read(move |tx| {
                let row = tx.query_optional(
                    "SELECT min(first_seen), max(last_seen) FROM page
                     WHERE site = $1 AND status = 'captured'",
                    params![site],
                )?;
                let Some(row) = row else { return Ok(None) };
                let times: (Option<Millis>, Option<Millis>) = (row.get(0)?, row.get(1)?);
                Ok(times.0.zip(times.1))
            })
            .await
    }

    /// Pages that are looked for, with a number above `after`, in order, at most `most`.
    ///
    /// # Errors
    /// When the catalog fails.
    pub async fn pages_like(
        &self,
        query: PageQuery,
        after: PageNumber,
        most: u32,
    ) -> Result<Vec<PageRow>, StoreError> {
        self.engine.read(move |tx| pages_like(tx, &query, after, most)).await
    }

    /// The versions that came into a site before the change `before`, newest first, at most `most`.
    ///
    /// # Errors
    /// When the catalog fails.
    pub async fn new_versions(
        &self,
        site: &str,
        before: i64,
        most: u32,
    ) -> Result<Vec<NewVersion>, StoreError> {
        let site = site.to_owned();
        self.engine.read(move |tx| new_versions(tx, &site, before, most)).await
    }

    /// Why events of a site were not fired, or their requests not let through, most often first.
    ///
    /// # Errors
    /// When the catalog fails.
    pub async fn refused(&self, site: &str, most: u32) -> Result<Vec<RefusedEvents>, StoreError> {
        let site = site.to_owned();
        self.engine
            .read(move |tx| {
                let rows = tx.query(
                    "SELECT refused_because, count(*) AS times, min(page) FROM edge
                     WHERE site = $1 AND outcome = 'refused' AND refused_because IS NOT NULL
                     GROUP BY refused_because ORDER BY times DESC, refused_because LIMIT $2",
                    params![site, most],
                )?;
                let read = |row: &Row| {
                    Ok(RefusedEvents { reason: row.get(0)?, count: row.get(1)?, page: row.get(2)? })
                };
                rows.iter().map(read).collect()
            })
            .await
    }

    /// The pages over which a page was first come upon, from the start to the page itself.
    ///
    /// # Errors
    /// When the catalog fails.
    pub async fn way_to(&self, page: PageNumber) -> Result<Vec<PageRow>, StoreError> {
        self.engine
            .read(move |tx| {
                let (mut way, mut next) = (Vec::new(), Some(page));
                while let Some(number) = next.filter(|_| way.len() < LONGEST_WAY) {
                    let Some(row) =
                        query_pages(tx, "p.page = $1", params![number])?.into_iter().next()
                    else {
                        break;
                    };
                    let origin: Option<PageNumber> =
                        tx.value("SELECT origin FROM page WHERE page = $1", params![number])?;
                    // A page that was merged may lead in a circle.
                    let is_known =
                        |origin: &PageNumber| way.iter().any(|row: &PageRow| row.page == *origin);
                    next = origin.filter(|origin| *origin != number && !is_known(origin));
                    way.push(row);
                }
                way.reverse();
                Ok(way)
            })
            .await
    }
}

fn pages_like(
    tx: &mut Tx<'_>,
    query: &PageQuery,
    after: PageNumber,
    most: u32,
) -> Result<Vec<PageRow>, StoreError> {
    let of_site = if query.site.is_some() { "p.site = $1" } else { "CAST($1 AS TEXT) IS NULL" };
    let text = query.text.as_ref().map(|text| pattern(text));
    query_pages(
        tx,
        &format!(
            "{of_site} AND p.page > $2
             AND (CAST($3 AS TEXT) IS NULL OR p.page_type = $3)
             AND (CAST($4 AS TEXT) IS NULL OR p.status = $4)
             AND (CAST($5 AS BIGINT) IS NULL OR (p.path IS NOT NULL) = ($5 = 1))
             AND (CAST($6 AS TEXT) IS NULL OR lower(p.title) LIKE $6 ESCAPE '\\'
                  OR lower(p.url) LIKE $6 ESCAPE '\\')
             ORDER BY p.page LIMIT $7"
        ),
        params![query.site, after, query.page_type, query.condition, query.only_events, text, most],
    )
}

/// What `LIKE` takes for these characters anywhere.
fn pattern(text: &str) -> String {
    let mut pattern = String::from("%");
    for character in text.to_lowercase().chars() {
        if matches!(character, '%' | '_' | '\\') {
            pattern.push('\\');
        }
        pattern.push(character);
    }
    pattern.push('%');
    pattern
}

fn new_versions(
    tx: &mut Tx<'_>,
    site: &str,
    before: i64,
    most: u32,
) -> Result<Vec<NewVersion>, StoreError> {
    let (mut versions, mut before) = (Vec::new(), before);
    while versions.len() < most as usize {
        // Those of merged pages are left out, so that there may be more.
        let changes = changes_before(tx, site, before, ChangeKind::Version, most)?;
        let Some(last) = changes.last() else { break };
        before = last.seq;
        for change in changes {
            versions.extend(new_version(tx, site, &change)?);
        }
    }
    versions.truncate(most as usize);
    Ok(versions)
}

/// What is known of a version that came; `None` if its page was merged.
fn new_version(
    tx: &mut Tx<'_>,
    site: &str,
    change: &Change,
) -> Result<Option<NewVersion>, StoreError> {
    let row = tx.query_optional(
        "SELECT p.page, coalesce(k.key, p.url), p.title, p.page_type, v.version, v.time,
                coalesce(v.counts, 1)
         FROM page p
         JOIN version v ON v.site = p.site AND v.page = p.page AND v.version = $3
         LEFT JOIN page_key k ON k.page = p.page AND k.is_main = 1
         WHERE p.site = $1 AND p.page = $2 AND p.merged_into IS NULL",
        params![site, change.page, change.version],
    )?;
    let read = |row: Row| {
        Ok(NewVersion {
            site: site.to_owned(),
            seq: change.seq,
            time: change.time,
            page: row.get(0)?,
            key: row.get(1)?,
            title: row.get::<Option<String>>(2)?.unwrap_or_default(),
            page_type: row.get(3)?,
            version: row.get(4)?,
            captured: row.get(5)?,
            counts: row.get(6)?,
        })
    };
    row.map(read).transpose()
}
