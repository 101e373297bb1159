//! The state-transition graph as it is known: questions about edges.

use std::collections::{BTreeSet, HashSet};

use crate::catalog::Catalog;
use crate::error::StoreError;
use crate::links::links_of;
use crate::lookup::query_pages;
use crate::model::{Document, EdgeRow, PageNumber};
use crate::tx::{Row, ToValue, Tx, params};
use crate::words::EdgeOutcome;

/// Pages whose edges one question returns.
const BATCH: i64 = 64;

impl Catalog {
    /// Edges that start above page `after`, links included, ordered by page, whole pages at a time; empty
    /// at the end.
    ///
    /// # Errors
    /// When the catalog fails.
    pub async fn edges(&self, after: PageNumber) -> Result<Vec<EdgeRow>, StoreError> {
        self.engine
            .read(move |tx| {
                let mut after = after;
                loop {
                    let pages = tx.query(
                        "SELECT page, site FROM page WHERE page > $1 ORDER BY page LIMIT $2",
                        params![after, BATCH],
                    )?;
                    let Some(last) = pages.last() else { return Ok(Vec::new()) };
                    after = last.get(0)?;
                    let numbers: BTreeSet<PageNumber> =
                        pages.iter().map(|row| row.get(0)).collect::<Result<_, _>>()?;
                    let sites: BTreeSet<String> =
                        pages.iter().map(|row| row.get(1)).collect::<Result<_, _>>()?;
                    let mut edges = Vec::new();
                    for site in &sites {
                        edges.extend(edges_of(tx, site, &numbers)?);
                        edges.extend(links_of(tx, site, &numbers)?);
                    }
                    edges.sort_by_key(|edge: &EdgeRow| edge.from);
                    if !edges.is_empty() {
                        return Ok(edges);
                    }
                }
            })
            .await
    }

    /// The edges between the states of one document that an event is known to take: what a way from
    /// one of them to another is made of.
    ///
    /// # Errors
    /// When the catalog fails.
    pub async fn graph_of_document(
        &self,
        site: &str,
        url: &str,
    ) -> Result<Vec<EdgeRow>, StoreError> {
        let (site, url) = (site.to_owned(), url.to_owned());
        self.engine
            .read(move |tx| {
                let pages: BTreeSet<PageNumber> = tx.values(
                    "SELECT page FROM page WHERE site = $1 AND url = $2",
                    params![site, url],
                )?;
                let mut edges = edges_of(tx, &site, &pages)?;
                edges.retain(|edge| {
                    matches!(edge.outcome, EdgeOutcome::Page | EdgeOutcome::Known)
                        && edge.to.is_some_and(|to| pages.contains(&to))
                });
                Ok(edges)
            })
            .await
    }

    /// The states of one document, and all that was tried in them: what an earlier run knew of it.
    ///
    /// # Errors
    /// When the catalog fails.
    pub async fn document(&self, site: &str, url: &str) -> Result<Document, StoreError> {
        let (site, url) = (site.to_owned(), url.to_owned());
        self.engine
            .read(move |tx| {
                let pages = query_pages(tx, "p.site = $1 AND p.url = $2", params![site, url])?;
                let numbers = pages.iter().map(|page| page.page).collect();
                let mut edges = edges_of(tx, &site, &numbers)?;
                edges.retain(|edge| edge.class.is_some());
                Ok(Document { pages, edges })
            })
            .await
    }

    /// The events tried on a page in the present round and on its present version, as (event, XPath).
    /// Those that were skipped for the reason `but` are none of them.
    ///
    /// # Errors
    /// When the catalog fails.
    pub async fn tried(
        &self,
        page: PageNumber,
        but: &str,
    ) -> Result<HashSet<(String, String)>, StoreError> {
        let but = but.to_owned();
        self.engine
            .read(move |tx| {
                let rows = tx.query(
                    "SELECT e.event, e.xpath
                     FROM page p JOIN edge e ON e.site = p.site AND e.page = p.page
                     WHERE p.page = $1
                       AND (e.outcome <> 'skipped' OR coalesce(e.note, '') <> $2)
                       AND e.time >= (SELECT coalesce(max(v.time), 0) FROM version v
                                      WHERE v.site = p.site AND v.page = p.page)
                       AND e.time >= (SELECT coalesce(max(c.value), 0) FROM counter c
                                      WHERE c.site = p.site AND c.name = 'round')",
                    params![page, but],
                )?;
                rows.iter().map(|row| Ok((row.get(0)?, row.get(1)?))).collect()
            })
            .await
    }
}

/// The edges of these pages, by page and time.
pub(crate) fn edges_of(
    tx: &mut Tx<'_>,
    site: &str,
    pages: &BTreeSet<PageNumber>,
) -> Result<Vec<EdgeRow>, StoreError> {
    let rows = tx.query_in(
        "SELECT page, target, event, xpath, element_id, text, instruction, outcome,
                refused_because, note, cost_ms, fickle, class, filled
         FROM edge WHERE site = $1 AND page IN ($list) ORDER BY page, time, xpath, target",
        params![site],
        &pages.iter().map(ToValue::to_value).collect::<Vec<_>>(),
    )?;
    rows.iter().map(read_edge).collect()
}

fn read_values(column: Option<String>) -> Result<Vec<(String, String)>, StoreError> {
    column.map_or(Ok(Vec::new()), |json| {
        serde_json::from_str(&json)
            .map_err(|_| StoreError::Unreadable { what: "values", value: json })
    })
}

fn read_edge(row: &Row) -> Result<EdgeRow, StoreError> {
    Ok(EdgeRow {
        from: row.get(0)?,
        to: Some(row.get(1)?).filter(|target| *target != PageNumber(0)),
        event: row.get(2)?,
        xpath: row.get(3)?,
        element_id: row.get(4)?,
        text: row.get::<Option<String>>(5)?.unwrap_or_default(),
        instruction: row.get::<Option<String>>(6)?.unwrap_or_default(),
        outcome: row.get(7)?,
        refused_because: row.get(8)?,
        note: row.get(9)?,
        cost_ms: row.get(10)?,
        fickle: row.get(11)?,
        class: row.get(12)?,
        values: read_values(row.get(13)?)?,
    })
}
