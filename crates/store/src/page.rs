//! Pages and their names: numbers, keys, and what a URL makes.

use rusqlite::{Connection, OptionalExtension, params};

use crate::error::StoreError;
use crate::model::{Millis, PageNumber, PathStep, StateId, TaskKind};
use crate::task::{NewTask, add, raise_rank};

/// A URL that was come upon.
pub(crate) struct Discovery<'a> {
    pub(crate) url: &'a str,
    pub(crate) origin: Option<PageNumber>,
    pub(crate) depth: u32,
    pub(crate) found_by: Option<&'a str>,
    pub(crate) rank: i64,
}

/// The page of a URL, made with a visit to do if it is new.
pub(crate) fn page_for_url(
    connection: &Connection,
    site: &str,
    discovery: &Discovery<'_>,
    now: Millis,
) -> Result<(PageNumber, bool), StoreError> {
    let &Discovery { url, origin, depth, found_by, rank } = discovery;
    if let Some(page) = page_of_key(connection, site, url)? {
        raise_rank(connection, site, page, rank)?;
        return Ok((page, false));
    }
    let page = next_number(connection)?;
    connection
        .prepare_cached(
            "INSERT INTO page (site, page, url, path, origin, depth, found_by, status, first_seen,
                               last_seen)
             VALUES (?1, ?2, ?3, NULL, ?4, ?5, ?6, 'queued', ?7, ?7)",
        )?
        .execute(params![site, page.0, url, origin.map(|page| page.0), depth, found_by, now.0])?;
    name(connection, site, url, page, true)?;
    let visit = NewTask { page, kind: TaskKind::Fetch, depth, rank, owner: None };
    add(connection, site, &visit, now)?;
    Ok((page, true))
}

pub(crate) fn name(
    connection: &Connection,
    site: &str,
    key: &str,
    page: PageNumber,
    is_main: bool,
) -> Result<(), StoreError> {
    connection
        .prepare_cached(
            "INSERT INTO page_key (site, key, page, is_main) VALUES (?1, ?2, ?3, ?4)
             ON CONFLICT DO NOTHING",
        )?
        .execute(params![site, key, page.0, i64::from(is_main)])?;
    Ok(())
}

/// The page that a key names, through aliases and merges.
pub(crate) fn page_of_key(
    connection: &Connection,
    site: &str,
    key: &str,
) -> Result<Option<PageNumber>, StoreError> {
    Ok(connection
        .prepare_cached("SELECT page FROM page_key WHERE site = ?1 AND key = ?2")?
        .query_row([site, key], |row| row.get(0).map(PageNumber))
        .optional()?)
}

/// A number that no page of this store has had.
pub(crate) fn next_number(connection: &Connection) -> Result<PageNumber, StoreError> {
    let after: String = connection
        .prepare_cached(
            "UPDATE meta SET value = CAST(CAST(value AS BIGINT) + 1 AS TEXT)
             WHERE name = 'next_page' RETURNING value",
        )?
        .query_row([], |row| row.get(0))?;
    let after: i64 =
        after.parse().map_err(|_| StoreError::Unreadable { what: "next_page", value: after })?;
    Ok(PageNumber(after - 1))
}

/// The class of the link or event that first led to a page.
pub(crate) fn found_by(
    connection: &Connection,
    site: &str,
    page: PageNumber,
) -> Result<Option<String>, StoreError> {
    Ok(connection
        .prepare_cached("SELECT found_by FROM page WHERE site = ?1 AND page = ?2")?
        .query_row(params![site, page.0], |row| row.get(0))?)
}

pub(crate) fn read_path(column: Option<String>) -> Result<Vec<PathStep>, StoreError> {
    column.map_or(Ok(Vec::new()), |json| {
        serde_json::from_str(&json)
            .map_err(|_| StoreError::Unreadable { what: "path", value: json })
    })
}

pub(crate) fn read_state(column: Option<Vec<u8>>) -> Result<Option<StateId>, StoreError> {
    column
        .map(|bytes| {
            bytes.try_into().map(StateId).map_err(|bytes: Vec<u8>| StoreError::Unreadable {
                what: "state",
                value: format!("{} bytes", bytes.len()),
            })
        })
        .transpose()
}
