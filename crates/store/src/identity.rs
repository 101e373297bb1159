//! Which page owns a state: seed 001's page table, and the merging of page numbers that turn out
//! equal.

use crate::change::note;
use crate::edge::merge_edges;
use crate::error::StoreError;
use crate::job::round;
use crate::model::{PageNumber, StateId};
use crate::step::{VisitCommitted, count};
use crate::tx::{Tx, params};
use crate::words::ChangeKind;

pub(crate) fn state_owner(
    tx: &mut Tx<'_>,
    site: &str,
    state: StateId,
) -> Result<Option<PageNumber>, StoreError> {
    tx.value_optional("SELECT page FROM state WHERE site = $1 AND hash = $2", params![site, state])
}

/// Enters a page's state in the page table. Of two event-only pages with one state, or an event-only
/// page and a URL, one page is left; two URLs stay two pages that share it.
pub(crate) fn own_state(
    tx: &mut Tx<'_>,
    site: &str,
    page: PageNumber,
    state: StateId,
) -> Result<VisitCommitted, StoreError> {
    let mut committed = VisitCommitted::default();
    match state_owner(tx, site, state)? {
        Some(owner) if owner == page => {}
        Some(owner) if is_event_only(tx, site, owner)? => {
            merge(tx, site, owner, page)?;
            committed.merged = Some(owner);
        }
        Some(owner) => committed.shares = Some(owner),
        None => {
            tx.execute(
                "INSERT INTO state (site, hash, page) VALUES ($1, $2, $3)",
                params![site, state, page],
            )?;
        }
    }
    Ok(committed)
}

pub(crate) fn reidentify(
    tx: &mut Tx<'_>,
    site: &str,
    page: PageNumber,
    state: StateId,
) -> Result<(), StoreError> {
    tx.execute("DELETE FROM state WHERE site = $1 AND page = $2", params![site, page])?;
    tx.execute(
        "UPDATE page SET state = $3 WHERE site = $1 AND page = $2",
        params![site, page, state],
    )?;
    tx.execute(
        "UPDATE version SET state = $3 WHERE site = $1 AND page = $2
           AND version = (SELECT max(version) FROM version WHERE site = $1 AND page = $2)",
        params![site, page, state],
    )?;
    match state_owner(tx, site, state)? {
        Some(owner) if owner != page && is_event_only(tx, site, page)? => {
            merge(tx, site, page, owner)
        }
        _ => own_state(tx, site, page, state).map(|_| ()),
    }
}

pub(crate) fn is_event_only(
    tx: &mut Tx<'_>,
    site: &str,
    page: PageNumber,
) -> Result<bool, StoreError> {
    tx.value("SELECT path IS NOT NULL FROM page WHERE site = $1 AND page = $2", params![site, page])
}

/// The page that a number names now, through merges.
pub(crate) fn present_number(
    tx: &mut Tx<'_>,
    site: &str,
    page: PageNumber,
) -> Result<PageNumber, StoreError> {
    let present = tx.value_optional(
        "SELECT coalesce(merged_into, page) FROM page WHERE site = $1 AND page = $2",
        params![site, page],
    )?;
    present.ok_or(StoreError::NoPage(page))
}

/// Seed 001's merging of page numbers: everything that named `gone` names `kept` from now on.
fn merge(
    tx: &mut Tx<'_>,
    site: &str,
    gone: PageNumber,
    kept: PageNumber,
) -> Result<(), StoreError> {
    for change in [
        "UPDATE page SET status = 'merged', merged_into = $3 WHERE site = $1 AND page = $2",
        "UPDATE page SET merged_into = $3 WHERE site = $1 AND merged_into = $2",
        "UPDATE page_key SET page = $3, is_main = 0 WHERE site = $1 AND page = $2",
        "UPDATE state SET page = $3 WHERE site = $1 AND page = $2",
    ] {
        tx.execute(change, params![site, gone, kept])?;
    }
    tx.memory.forget(site);
    let began = round(tx, site)?;
    merge_edges(tx, site, gone, kept, began)?;
    // What it showed, the page that is kept shows.
    for left in [
        "DELETE FROM job WHERE site = $1 AND page = $2 AND kind <> 'cut'",
        "DELETE FROM sighting WHERE site = $1 AND page = $2",
    ] {
        tx.execute(left, params![site, gone])?;
    }
    note(tx, site, ChangeKind::Merged, &[(gone, None)])?;
    count(tx, site, &vec![("merged", 1)])
}
