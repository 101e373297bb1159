//! The state-transition graph as it is known: questions about edges.

use std::collections::HashSet;

use rusqlite::{Connection, Row, params};

use crate::catalog::Catalog;
use crate::error::StoreError;
use crate::lookup::BATCH;
use crate::model::{EdgeRow, PageNumber};

impl Catalog {
    /// Edges that start above page `after`, ordered by page, whole pages at a time; empty at the end.
    ///
    /// # Errors
    /// When the catalog fails.
    pub async fn edges(&self, after: PageNumber) -> Result<Vec<EdgeRow>, StoreError> {
        self.engine
            .read(move |connection| {
                let last: Option<i64> = connection.query_row(
                    "SELECT max(page) FROM
                       (SELECT p.page FROM page p JOIN edge e ON e.site = p.site AND e.page = p.page
                        WHERE p.page > ?1 ORDER BY p.page LIMIT ?2) batch",
                    params![after.0, BATCH],
                    |row| row.get(0),
                )?;
                query_edges(
                    connection,
                    "p.page > ?1 AND p.page <= ?2 ORDER BY p.page, e.time, e.xpath, e.target",
                    params![after.0, last.unwrap_or(after.0)],
                )
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
                query_edges(
                    connection,
                    "p.site = ?1 AND p.url = ?2 AND e.outcome IN ('page', 'known')
                       AND e.target IN (SELECT page FROM page WHERE site = ?1 AND url = ?2)
                     ORDER BY p.page, e.time, e.xpath, e.target",
                    [site, url],
                )
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

fn query_edges(
    connection: &Connection,
    which: &str,
    with: impl rusqlite::Params,
) -> Result<Vec<EdgeRow>, StoreError> {
    let mut question = connection.prepare_cached(&format!(
        "SELECT e.page, e.target, e.event, e.xpath, e.element_id, e.text, e.instruction, e.outcome,
                e.refused_because, e.note, e.cost_ms, e.fickle
         FROM page p JOIN edge e ON e.site = p.site AND e.page = p.page WHERE {which}"
    ))?;
    let rows = question.query_map(with, read_edge)?;
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
