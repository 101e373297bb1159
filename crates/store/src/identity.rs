//! Which page owns a state: seed 001's page table, and the merging of page numbers that turn out
//! equal.

use rusqlite::{Connection, OptionalExtension, params};

use crate::edge::merge_edges;
use crate::error::StoreError;
use crate::model::{PageNumber, StateId};
use crate::step::{VisitCommitted, count};
use crate::task::round;

pub(crate) fn state_owner(
    connection: &Connection,
    site: &str,
    state: StateId,
) -> Result<Option<PageNumber>, StoreError> {
    Ok(connection
        .prepare_cached("SELECT page FROM state WHERE site = ?1 AND hash = ?2")?
        .query_row(params![site, state.0], |row| row.get(0).map(PageNumber))
        .optional()?)
}

/// Enters a page's state in the page table. Of two event-only pages with one state, or an event-only
/// page and a URL, one page is left; two URLs stay two pages that share it.
pub(crate) fn own_state(
    connection: &Connection,
    site: &str,
    page: PageNumber,
    state: StateId,
) -> Result<VisitCommitted, StoreError> {
    let mut committed = VisitCommitted::default();
    match state_owner(connection, site, state)? {
        Some(owner) if owner == page => {}
        Some(owner) if is_event_only(connection, site, owner)? => {
            merge(connection, site, owner, page)?;
            committed.merged = Some(owner);
        }
        Some(owner) => committed.shares = Some(owner),
        None => {
            connection
                .prepare_cached("INSERT INTO state (site, hash, page) VALUES (?1, ?2, ?3)")?
                .execute(params![site, state.0, page.0])?;
        }
    }
    Ok(committed)
}

pub(crate) fn reidentify(
    connection: &Connection,
    site: &str,
    page: PageNumber,
    state: StateId,
) -> Result<(), StoreError> {
    connection.execute("DELETE FROM state WHERE site = ?1 AND page = ?2", params![site, page.0])?;
    connection.execute(
        "UPDATE page SET state = ?3 WHERE site = ?1 AND page = ?2",
        params![site, page.0, state.0],
    )?;
    connection.execute(
        "UPDATE version SET state = ?3 WHERE site = ?1 AND page = ?2
           AND version = (SELECT max(version) FROM version WHERE site = ?1 AND page = ?2)",
        params![site, page.0, state.0],
    )?;
    match state_owner(connection, site, state)? {
        Some(owner) if owner != page && is_event_only(connection, site, page)? => {
            merge(connection, site, page, owner)
        }
        _ => own_state(connection, site, page, state).map(|_| ()),
    }
}

pub(crate) fn is_event_only(
    connection: &Connection,
    site: &str,
    page: PageNumber,
) -> Result<bool, StoreError> {
    Ok(connection
        .prepare_cached("SELECT path IS NOT NULL FROM page WHERE site = ?1 AND page = ?2")?
        .query_row(params![site, page.0], |row| row.get(0))?)
}

/// The page that a number names now, through merges.
pub(crate) fn present_number(
    connection: &Connection,
    site: &str,
    page: PageNumber,
) -> Result<PageNumber, StoreError> {
    connection
        .prepare_cached(
            "SELECT coalesce(merged_into, page) FROM page WHERE site = ?1 AND page = ?2",
        )?
        .query_row(params![site, page.0], |row| row.get(0).map(PageNumber))
        .optional()?
        .ok_or(StoreError::NoPage(page))
}

/// Seed 001's merging of page numbers: everything that named `gone` names `kept` from now on.
fn merge(
    connection: &Connection,
    site: &str,
    gone: PageNumber,
    kept: PageNumber,
) -> Result<(), StoreError> {
    let pair = params![site, gone.0, kept.0];
    for change in [
        "UPDATE page SET status = 'merged', merged_into = ?3 WHERE site = ?1 AND page = ?2",
        "UPDATE page SET merged_into = ?3 WHERE site = ?1 AND merged_into = ?2",
        "UPDATE page_key SET page = ?3, is_main = 0 WHERE site = ?1 AND page = ?2",
        "UPDATE state SET page = ?3 WHERE site = ?1 AND page = ?2",
    ] {
        connection.prepare_cached(change)?.execute(pair)?;
    }
    merge_edges(connection, site, gone, kept, round(connection, site)?)?;
    // What it showed, the page that is kept shows.
    for left in [
        "DELETE FROM task WHERE site = ?1 AND page = ?2",
        "DELETE FROM unread WHERE site = ?1 AND page = ?2",
        "DELETE FROM sighting WHERE site = ?1 AND page = ?2",
    ] {
        connection.prepare_cached(left)?.execute(params![site, gone.0])?;
    }
    count(connection, site, &vec![("merged", 1)])
}
