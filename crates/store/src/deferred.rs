//! Steps that were not taken because of what the crawler believes of their like, and pages that were not
//! rendered: how many there are, and making them due after all.

use std::collections::{BTreeMap, BTreeSet};

use crate::catalog::{Catalog, CatalogWriter};
use crate::error::StoreError;
use crate::job::{add_exploration, add_visits, round};
use crate::model::PageNumber;
use crate::tx::{ToValue, Tx, params};

/// Deferred steps of one class, for one reason, on pages of one type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Deferred {
    /// The class, as the crawler named it.
    pub class: String,
    /// The page type, as it is called by now.
    pub page_type: String,
    /// Why they were not taken, as the crawler said it; empty if their target is known.
    pub why: String,
    /// How many.
    pub steps: i64,
    /// In how many documents.
    pub documents: i64,
}

/// Why a step was not taken.
const WHY: &str = "CASE e.outcome WHEN 'known' THEN '' ELSE e.note END";
/// Steps that were not taken because of what is believed of their like.
const IS_DEFERRED: &str =
    "e.outcome IN ('skipped', 'known') AND e.class IS NOT NULL AND e.site = $1 AND e.time >= $2";

impl Catalog {
    /// The steps of a site that were deferred in the present round.
    ///
    /// # Errors
    /// When the catalog fails.
    pub async fn deferred(&self, site: &str) -> Result<Vec<Deferred>, StoreError> {
        let site = site.to_owned();
        self.engine
            .read(move |tx| {
                let began = round(tx, &site)?;
                let sql = format!(
                    "SELECT e.class, coalesce(p.page_type, ''), {WHY}, count(*),
                            count(DISTINCT p.url)
                     FROM edge e JOIN page p ON p.site = e.site AND p.page = e.page
                     WHERE {IS_DEFERRED} AND {WHY} IS NOT NULL
                     GROUP BY 1, 2, 3 ORDER BY 1, 2, 3"
                );
                let rows = tx.query(&sql, params![site, began])?;
                let read = rows.iter().map(|row| {
                    Ok(Deferred {
                        class: row.get(0)?,
                        page_type: row.get(1)?,
                        why: row.get(2)?,
                        steps: row.get(3)?,
                        documents: row.get(4)?,
                    })
                });
                read.collect()
            })
            .await
    }

    /// How many documents of a site have steps that were deferred in the present round.
    ///
    /// # Errors
    /// When the catalog fails.
    pub async fn deferring_documents(&self, site: &str) -> Result<i64, StoreError> {
        let site = site.to_owned();
        self.engine
            .read(move |tx| {
                let began = round(tx, &site)?;
                let sql = format!(
                    "SELECT count(DISTINCT p.url)
                     FROM edge e JOIN page p ON p.site = e.site AND p.page = e.page
                     WHERE {IS_DEFERRED}"
                );
                tx.value(&sql, params![site, began])
            })
            .await
    }

    /// The documents that have some of these.
    ///
    /// # Errors
    /// When the catalog fails.
    pub async fn documents_of(
        &self,
        site: &str,
        deferred: &Deferred,
    ) -> Result<Vec<String>, StoreError> {
        let (site, deferred) = (site.to_owned(), deferred.clone());
        self.engine
            .read(move |tx| {
                let pages = pages_of(tx, &site, &deferred)?;
                let urls: BTreeSet<String> = pages.into_iter().map(|(_, url, _)| url).collect();
                Ok(urls.into_iter().collect())
            })
            .await
    }
}

impl Catalog {
    /// The addresses of a site that are held: known, and not visited.
    ///
    /// # Errors
    /// When the catalog fails.
    pub async fn held(&self, site: &str) -> Result<Vec<String>, StoreError> {
        let site = site.to_owned();
        self.engine
            .read(move |tx| {
                let sql = "SELECT url FROM page WHERE site = $1 AND status = 'held' ORDER BY page";
                tx.values(sql, params![site])
            })
            .await
    }
}

/// Documents that were kept in the present round by a plain request.
const PLAIN: &str =
    "path IS NULL AND status = 'captured' AND via = 'http' AND page_type IS NOT NULL
                     AND site = $1 AND last_seen >= $2";

impl Catalog {
    /// How many documents of each page type were fetched without a browser in the present round.
    ///
    /// # Errors
    /// When the catalog fails.
    pub async fn plain_documents(&self, site: &str) -> Result<BTreeMap<String, i64>, StoreError> {
        let site = site.to_owned();
        self.engine
            .read(move |tx| {
                let began = round(tx, &site)?;
                let sql = format!(
                    "SELECT page_type, count(*) FROM page WHERE {PLAIN} GROUP BY page_type"
                );
                let rows = tx.query(&sql, params![site, began])?;
                rows.iter().map(|row| Ok((row.get(0)?, row.get(1)?))).collect()
            })
            .await
    }

    /// The addresses of those of one type.
    ///
    /// # Errors
    /// When the catalog fails.
    pub async fn plain_documents_of(
        &self,
        site: &str,
        page_type: &str,
    ) -> Result<Vec<String>, StoreError> {
        let (site, page_type) = (site.to_owned(), page_type.to_owned());
        self.engine
            .read(move |tx| {
                let began = round(tx, &site)?;
                let sql =
                    format!("SELECT url FROM page WHERE {PLAIN} AND page_type = $3 ORDER BY page");
                tx.values(&sql, params![site, began, page_type])
            })
            .await
    }
}

impl CatalogWriter {
    /// Makes documents due for another visit, given by their addresses. Returns how many were not.
    ///
    /// # Errors
    /// When the catalog fails.
    pub async fn visit_again(&self, site: &str, urls: Vec<String>) -> Result<usize, StoreError> {
        let site = site.to_owned();
        self.engine
            .write(&site.clone(), move |tx| {
                let known = visits(
                    tx,
                    "SELECT page, url, depth FROM page
                     WHERE site = $1 AND path IS NULL AND status = 'captured' AND url IN ($list)",
                    &site,
                    &urls,
                )?;
                let due = known.iter().map(|(page, url, depth)| (*page, url.as_str(), *depth, 0));
                tx.memory.forget(&site);
                add_visits(tx, &site, due)
            })
            .await
    }

    /// Makes held pages due for a visit after all: those at these addresses. Returns how many there were.
    ///
    /// # Errors
    /// When the catalog fails.
    pub async fn release_held(&self, site: &str, urls: Vec<String>) -> Result<usize, StoreError> {
        let site = site.to_owned();
        self.engine
            .write(&site.clone(), move |tx| {
                let held = visits(
                    tx,
                    "SELECT page, url, depth FROM page
                     WHERE site = $1 AND status = 'held' AND url IN ($list)",
                    &site,
                    &urls,
                )?;
                let numbers: Vec<_> = held.iter().map(|(page, ..)| page.to_value()).collect();
                tx.execute_in(
                    "UPDATE page SET status = 'queued' WHERE site = $1 AND page IN ($list)",
                    params![site],
                    &numbers,
                )?;
                let due = held.iter().map(|(page, url, depth)| (*page, url.as_str(), *depth, 0));
                tx.memory.forget(&site);
                add_visits(tx, &site, due)?;
                Ok(held.len())
            })
            .await
    }

    /// Makes the events of a page due after all, where it was left to another page to show them.
    ///
    /// # Errors
    /// When the catalog fails.
    pub async fn explore_again(&self, site: &str, page: PageNumber) -> Result<(), StoreError> {
        let site = site.to_owned();
        self.engine
            .write(&site.clone(), move |tx| {
                let sql = "SELECT depth FROM page WHERE site = $1 AND page = $2";
                if let Some(depth) = tx.value_optional(sql, params![site, page])? {
                    add_exploration(tx, &site, page, (depth, 0), false)?;
                }
                Ok(())
            })
            .await
    }

    /// Makes deferred steps due after all: in these documents, or in all of them. Returns how many states
    /// are to be explored again for it.
    ///
    /// # Errors
    /// When the catalog fails.
    pub async fn release_deferred(
        &self,
        site: &str,
        deferred: &Deferred,
        documents: Option<Vec<String>>,
    ) -> Result<usize, StoreError> {
        let (site, deferred) = (site.to_owned(), deferred.clone());
        self.engine
            .write(&site.clone(), move |tx| {
                let mut pages = pages_of(tx, &site, &deferred)?;
                if let Some(documents) = &documents {
                    pages.retain(|(_, url, _)| documents.contains(url));
                }
                let numbers: Vec<_> = pages.iter().map(|(page, ..)| page.to_value()).collect();
                let sql = format!(
                    "DELETE FROM edge AS e WHERE {IS_DEFERRED} AND e.class = $3 AND {WHY} = $4
                       AND e.page IN ($list)"
                );
                let began = round(tx, &site)?;
                tx.execute_in(&sql, params![site, began, deferred.class, deferred.why], &numbers)?;
                for (page, _, depth) in &pages {
                    add_exploration(tx, &site, *page, (*depth, 0), false)?;
                }
                Ok(pages.len())
            })
            .await
    }
}

/// Pages at these addresses, each with its URL and depth.
fn visits(
    tx: &mut Tx<'_>,
    sql: &str,
    site: &str,
    urls: &[String],
) -> Result<Vec<(PageNumber, String, u32)>, StoreError> {
    let urls: Vec<_> = urls.iter().map(ToValue::to_value).collect();
    let rows = tx.query_in(sql, params![site], &urls)?;
    rows.iter().map(|row| Ok((row.get(0)?, row.get(1)?, row.get(2)?))).collect()
}

/// The pages that have some of these, each with its URL and depth.
fn pages_of(
    tx: &mut Tx<'_>,
    site: &str,
    deferred: &Deferred,
) -> Result<Vec<(PageNumber, String, u32)>, StoreError> {
    let began = round(tx, site)?;
    let Deferred { class, page_type, why, .. } = deferred;
    let sql = format!(
        "SELECT DISTINCT p.page, p.url, p.depth
         FROM edge e JOIN page p ON p.site = e.site AND p.page = e.page
         WHERE {IS_DEFERRED} AND e.class = $3 AND {WHY} = $4
           AND coalesce(p.page_type, '') = $5 AND p.status = 'captured'
         ORDER BY p.page"
    );
    let rows = tx.query(&sql, params![site, began, class, why, page_type])?;
    rows.iter().map(|row| Ok((row.get(0)?, row.get(1)?, row.get(2)?))).collect()
}
