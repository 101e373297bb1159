//! Which page a state that an event led to belongs to, and the shortest known way to it.

use crate::blob::Packed;
use crate::catalog::CatalogWriter;
use crate::edge::Moment;
use crate::error::StoreError;
use crate::identity::{is_event_only, own_state, present_number, state_owner};
use crate::job::add_exploration;
use crate::model::{Arrival, PageNumber, PathStep};
use crate::page::{name, page_numbers, page_of_key, read_path};
use crate::step::{EventCommitted, EventStep};
use crate::tx::{Tx, params};
use crate::version::{Same, keep_version, keep_visit};

impl CatalogWriter {
    /// Gives a page the way to it that has fewer steps, if `path` has, and `key` as another name.
    /// Says whether the way was taken.
    ///
    /// # Errors
    /// When the catalog fails, or has no such page.
    pub async fn shorten(
        &self,
        site: &str,
        page: PageNumber,
        path: Vec<PathStep>,
        key: String,
    ) -> Result<bool, StoreError> {
        let site = site.to_owned();
        self.engine
            .write(&site.clone(), move |tx| {
                let page = present_number(tx, &site, page)?;
                name(tx, &site, &key, page, false)?;
                let known: Option<String> = tx.value(
                    "SELECT path FROM page WHERE site = $1 AND page = $2",
                    params![site, page.0],
                )?;
                // A page that its URL reaches has no way to shorten.
                let shorter = known.is_some() && path.len() < read_path(known)?.len();
                if shorter {
                    tx.execute(
                        "UPDATE page SET path = $3 WHERE site = $1 AND page = $2",
                        params![site, page.0, write_path(&path)],
                    )?;
                }
                Ok(shorter)
            })
            .await
    }

    /// Gives a page that events reach another way to it: the one that it had leads elsewhere.
    ///
    /// # Errors
    /// When the catalog fails, or has no such page.
    pub async fn reroute(
        &self,
        site: &str,
        page: PageNumber,
        path: Vec<PathStep>,
    ) -> Result<(), StoreError> {
        let site = site.to_owned();
        self.engine
            .write(&site.clone(), move |tx| {
                let page = present_number(tx, &site, page)?;
                tx.execute(
                    "UPDATE page SET path = $3 WHERE site = $1 AND page = $2 AND path IS NOT NULL",
                    params![site, page.0, write_path(&path)],
                )?;
                Ok(())
            })
            .await
    }
}

/// Finds the page of a state that an event led to, or makes it.
pub(crate) fn arrive(
    tx: &mut Tx<'_>,
    packed: &Packed,
    step: &EventStep,
    arrival: &Arrival,
    at: Moment,
) -> Result<EventCommitted, StoreError> {
    let site = step.site.as_str();
    if let Some(owner) = state_owner(tx, site, arrival.capture.state)? {
        name(tx, site, &arrival.key, owner, false)?;
        let due = is_event_only(tx, site, owner)? && !is_seen(tx, site, owner, at)?;
        let explore = due && look(tx, packed, step, arrival, owner, at)?;
        return Ok(EventCommitted { target: Some(owner), is_new: false, explore });
    }
    let earlier = match named_earlier(tx, site, &arrival.key, at)? {
        Some(page) => Some(page),
        None => match answered_earlier(tx, step, at)? {
            Some(page) => Some(page),
            None => expected(tx, site, arrival, at)?,
        },
    };
    if let Some(page) = earlier {
        name(tx, site, &arrival.key, page, false)?;
        // The way of this round is known to work, that of the last one is not.
        tx.execute(
            "UPDATE page SET url = $3, path = $4 WHERE site = $1 AND page = $2",
            params![site, page.0, arrival.url, write_path(&arrival.path)],
        )?;
        let explore = look(tx, packed, step, arrival, page, at)?;
        return Ok(EventCommitted { target: Some(page), is_new: true, explore });
    }
    let page = page_numbers(tx, 1)?.pop().ok_or(StoreError::NoCatalog)?;
    tx.execute(
        "INSERT INTO page (site, page, url, path, origin, depth, found_by, status, first_seen,
                               last_seen)
             VALUES ($1, $2, $3, $4, $5, $6, $7, 'captured', $8, $8)",
        params![
            site,
            page.0,
            arrival.url,
            write_path(&arrival.path),
            step.page.0,
            step.depth + 1,
            step.tried.class,
            at.time.0
        ],
    )?;
    let key = free_key(tx, site, &arrival.key)?;
    name(tx, site, &key, page, true)?;
    let explore = look(tx, packed, step, arrival, page, at)?;
    Ok(EventCommitted { target: Some(page), is_new: true, explore })
}

/// Keeps the first look of a round at a state, and makes its events due. Says whether the explorer
/// holds them now.
fn look(
    tx: &mut Tx<'_>,
    packed: &Packed,
    step: &EventStep,
    arrival: &Arrival,
    page: PageNumber,
    at: Moment,
) -> Result<bool, StoreError> {
    let site = step.site.as_str();
    let kept = keep_version(tx, packed, site, page, &arrival.capture, at.time, Same::Shown)?;
    keep_visit(tx, site, page, at.time, arrival.capture.http_status, Some(kept.version))?;
    own_state(tx, site, page, arrival.capture.state)?;
    tx.execute(
        "UPDATE page SET last_seen = $3 WHERE site = $1 AND page = $2",
        params![site, page.0, at.time.0],
    )?;
    if !step.explore {
        return Ok(false);
    }
    let added = add_exploration(tx, site, page, (step.depth + 1, step.rank), step.goes_on)?;
    Ok(added && step.goes_on)
}

/// The page that this key named in an earlier round: what is found there now is its next version. In
/// one round, two states under one key are two pages (the call gave two answers).
fn named_earlier(
    tx: &mut Tx<'_>,
    site: &str,
    key: &str,
    at: Moment,
) -> Result<Option<PageNumber>, StoreError> {
    let Some(page) = page_of_key(tx, site, key)? else { return Ok(None) };
    let is_earlier = is_event_only(tx, site, page)? && !is_seen(tx, site, page, at)?;
    Ok(is_earlier.then_some(page))
}

/// The page that this very event led to in an earlier round, unless it led to several: then nothing
/// says whose next version this is.
fn answered_earlier(
    tx: &mut Tx<'_>,
    step: &EventStep,
    at: Moment,
) -> Result<Option<PageNumber>, StoreError> {
    if at.began.0 == 0 {
        return Ok(None);
    }
    let pages: Vec<PageNumber> = tx.values(
        "SELECT e.target FROM edge e JOIN page p ON p.site = e.site AND p.page = e.target
         WHERE e.site = $1 AND e.page = $2 AND e.event = $3 AND e.xpath = $4 AND e.time < $5
           AND e.outcome IN ('page', 'known') AND p.path IS NOT NULL AND p.last_seen < $5 LIMIT 2",
        params![step.site, step.page, step.tried.event, step.tried.xpath, at.began],
    )?;
    Ok(if let [page] = pages[..] { Some(page) } else { None })
}

/// The page that the visitor expected, if it was not found in this round yet.
fn expected(
    tx: &mut Tx<'_>,
    site: &str,
    arrival: &Arrival,
    at: Moment,
) -> Result<Option<PageNumber>, StoreError> {
    let Some(page) = arrival.expected else { return Ok(None) };
    let page = present_number(tx, site, page)?;
    Ok((is_event_only(tx, site, page)? && !is_seen(tx, site, page, at)?).then_some(page))
}

fn is_seen(tx: &mut Tx<'_>, site: &str, page: PageNumber, at: Moment) -> Result<bool, StoreError> {
    tx.value(
        "SELECT last_seen >= $3 FROM page WHERE site = $1 AND page = $2",
        params![site, page, at.began],
    )
}

/// The key itself, or with the first number that makes it different from those given before.
fn free_key(tx: &mut Tx<'_>, site: &str, key: &str) -> Result<String, StoreError> {
    let mut candidate = key.to_owned();
    let mut number = 2;
    while page_of_key(tx, site, &candidate)?.is_some() {
        candidate = format!("{key}~{number}");
        number += 1;
    }
    Ok(candidate)
}

pub(crate) fn write_path(path: &[PathStep]) -> String {
    serde_json::to_string(path).unwrap_or_default()
}
