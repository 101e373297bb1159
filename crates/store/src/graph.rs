//! The state-transition graph as it is known: questions about edges.

use std::collections::{BTreeSet, HashSet};

use rusqlite::{Connection, Row, params};

use crate::catalog::Catalog;
use crate::error::StoreError;
use crate::model::{EdgeRow, PageNumber};

/// Edges that one question returns, and those of the last page to its end.
const BATCH: usize = 1000;

impl Catalog {
    /// Edges that start above page `after`, ordered by page, whole pages at a time; empty at the end.
    ///
    /// # Errors
    /// When the catalog fails.
    pub async fn edges(&self, after: PageNumber) -> Result<Vec<EdgeRow>, StoreError> {
        self.engine
            .read(move |connection| {
                let mut pages = connection
                    .prepare_cached("SELECT site, page FROM page WHERE page > ?1 ORDER BY page")?;
                let mut pages = pages.query([after.0])?;
                let mut edges = Vec::new();
                while edges.len() < BATCH
                    && let Some(row) = pages.next()?
                {
                    let site: String = row.get(0)?;
                    edges.extend(edges_of(connection, &site, PageNumber(row.get(1)?))?);
                }
                Ok(edges)
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
            .read(move |connection| {
                let mut pages = connection
                    .prepare_cached("SELECT page FROM page WHERE site = ?1 AND url = ?2")?;
                let pages: BTreeSet<PageNumber> = pages
                    .query_map([&site, &url], |row| row.get(0).map(PageNumber))?
                    .collect::<Result<_, _>>()?;
                let mut edges = Vec::new();
                for page in &pages {
                    let of_page = edges_of(connection, &site, *page)?.into_iter();
                    edges.extend(of_page.filter(|edge| {
                        matches!(edge.outcome.as_str(), "page" | "known")
                            && edge.to.is_some_and(|to| pages.contains(&to))
                    }));
                }
                Ok(edges)
            })
            .await
    }

    /// The events tried on a page in the present round and on its present version, as (event, XPath).
    ///
    /// # Errors
    /// When the catalog fails.
    pub async fn tried(&self, page: PageNumber) -> Result<HashSet<(String, String)>, StoreError> {
        self.engine
            .read(move |connection| {
                let mut question = connection.prepare_cached(
                    "SELECT e.event, e.xpath
                     FROM page p JOIN edge e ON e.site = p.site AND e.page = p.page
                     WHERE p.page = ?1
                       AND e.time >= (SELECT coalesce(max(v.time), 0) FROM version v
                                      WHERE v.site = p.site AND v.page = p.page)
                       AND e.time >= (SELECT coalesce(max(c.value), 0) FROM counter c
                                      WHERE c.site = p.site AND c.name = 'round')",
                )?;
                let rows = question.query_map([page.0], |row| Ok((row.get(0)?, row.get(1)?)))?;
                Ok(rows.collect::<Result<_, _>>()?)
            })
            .await
    }
}

fn edges_of(
    connection: &Connection,
    site: &str,
    page: PageNumber,
) -> Result<Vec<EdgeRow>, StoreError> {
    let mut question = connection.prepare_cached(
        "SELECT page, target, event, xpath, element_id, text, instruction, outcome,
                refused_because, note, cost_ms, fickle
         FROM edge WHERE site = ?1 AND page = ?2 ORDER BY time, xpath, target",
    )?;
    let rows = question.query_map(params![site, page.0], read_edge)?;
    Ok(rows.collect::<Result<_, _>>()?)
}

fn read_edge(row: &Row<'_>) -> rusqlite::Result<EdgeRow> {
    Ok(EdgeRow {
        from: PageNumber(row.get(0)?),
        to: Some(row.get(1)?).filter(|target| *target != 0).map(PageNumber),
        event: row.get(2)?,
        xpath: row.get(3)?,
        element_id: row.get(4)?,
        text: row.get::<_, Option<String>>(5)?.unwrap_or_default(),
        instruction: row.get::<_, Option<String>>(6)?.unwrap_or_default(),
        outcome: row.get(7)?,
        refused_because: row.get(8)?,
        note: row.get(9)?,
        cost_ms: row.get(10)?,
        fickle: row.get(11)?,
    })
}
