//! What was done: a visit or an event with all that it found, as one commit.

use std::collections::HashSet;

use rusqlite::{Connection, OptionalExtension, params};

use crate::blob;
use crate::catalog::Catalog;
use crate::error::StoreError;
use crate::identity::{is_event_only, own_state, reidentify, state_owner};
use crate::model::{
    Arrival, Capture, EventOutcome, EventTried, LinkFound, Millis, NewExchange, PageNumber,
    StateId, TaskKind, VisitOutcome,
};
use crate::task::{LEASE_MS, add, finish, name, next_number, page_for_url, page_of_key, round};

/// Additions to the running totals of a site.
pub type Counts = Vec<(&'static str, i64)>;

/// A visit to a URL.
#[derive(Clone, Debug)]
pub struct VisitStep {
    /// The site.
    pub site: String,
    /// The page visited.
    pub page: PageNumber,
    /// Steps from the start.
    pub depth: u32,
    /// When.
    pub time: Millis,
    /// What came of it.
    pub outcome: VisitOutcome,
    /// URLs to follow.
    pub links: Vec<LinkFound>,
    /// What went over the wire.
    pub exchanges: Vec<NewExchange>,
    /// Additions to the totals.
    pub counts: Counts,
    /// Who goes on to fire the events of the state, if anyone is to.
    pub explorer: Option<String>,
}

/// What a visit turned out to be.
#[derive(Clone, Debug, Default)]
pub struct VisitCommitted {
    /// The visitor holds the exploration of this page now.
    pub explore: bool,
    /// Another page showed this state before.
    pub shares: Option<PageNumber>,
    /// An event-only page that this URL reaches after all.
    pub merged: Option<PageNumber>,
}

/// An event on a page.
#[derive(Clone, Debug)]
pub struct EventStep {
    /// The site.
    pub site: String,
    /// The page it happened on.
    pub page: PageNumber,
    /// That page's steps from the start.
    pub depth: u32,
    /// When.
    pub time: Millis,
    /// The event.
    pub tried: EventTried,
    /// What came of it.
    pub outcome: EventOutcome,
    /// URLs to follow that were not there before.
    pub links: Vec<LinkFound>,
    /// What went over the wire.
    pub exchanges: Vec<NewExchange>,
    /// Additions to the totals.
    pub counts: Counts,
}

/// Where an event led.
#[derive(Clone, Copy, Debug, Default)]
pub struct EventCommitted {
    /// The page it leads to.
    pub target: Option<PageNumber>,
    /// Nobody had seen that state.
    pub is_new: bool,
}

impl Catalog {
    /// Keeps a visit: page, version, links, exchanges, tasks, in one commit.
    ///
    /// # Errors
    /// When the catalog fails; then nothing of the step is kept.
    pub async fn commit_visit(&self, step: VisitStep) -> Result<VisitCommitted, StoreError> {
        self.engine.write(move |connection| commit_visit(connection, &step)).await
    }

    /// Keeps an event: edge, the state it led to, links, exchanges, in one commit. Renews the lease
    /// on the exploration that it belongs to.
    ///
    /// # Errors
    /// When the catalog fails; then nothing of the step is kept.
    pub async fn commit_event(&self, step: EventStep) -> Result<EventCommitted, StoreError> {
        self.engine.write(move |connection| commit_event(connection, &step)).await
    }

    /// Adds to the totals of a site without a step.
    ///
    /// # Errors
    /// When the catalog fails.
    pub async fn count(&self, site: &str, counts: Counts) -> Result<(), StoreError> {
        let site = site.to_owned();
        self.engine.write(move |connection| count(connection, &site, &counts)).await
    }

    /// Learns that parts of a document are volatile, and gives its states the identities that they
    /// have without these parts. Event-only pages that turn out equal merge.
    ///
    /// # Errors
    /// When the catalog fails.
    pub async fn remask(
        &self,
        site: &str,
        url: &str,
        rules: Vec<String>,
        identities: Vec<(PageNumber, StateId)>,
    ) -> Result<(), StoreError> {
        let (site, url) = (site.to_owned(), url.to_owned());
        self.engine
            .write(move |connection| {
                for rule in &rules {
                    connection.execute(
                        "INSERT INTO mask (site, url, rule) VALUES (?1, ?2, ?3) ON CONFLICT DO NOTHING",
                        [&site, &url, rule],
                    )?;
                }
                for (page, state) in &identities {
                    reidentify(connection, &site, *page, *state)?;
                }
                Ok(())
            })
            .await
    }
}

fn commit_visit(connection: &Connection, step: &VisitStep) -> Result<VisitCommitted, StoreError> {
    let (site, page, time) = (step.site.as_str(), step.page, step.time);
    let mut committed = VisitCommitted::default();
    let (status, http_status, error) = match &step.outcome {
        VisitOutcome::Captured(capture) => ("captured", capture.http_status, None),
        VisitOutcome::Redirect { http_status, .. } => ("redirect", Some(*http_status), None),
        VisitOutcome::Failed { http_status, error } => ("failed", *http_status, Some(error)),
    };
    connection
        .prepare_cached(
            // A visit that failed leaves what earlier ones captured as it is.
            "UPDATE page SET error = ?5, last_seen = ?6,
                    status = CASE WHEN ?3 = 'failed' AND state IS NOT NULL THEN status ELSE ?3 END,
                    http_status = CASE WHEN ?3 = 'failed' AND state IS NOT NULL THEN http_status
                                       ELSE ?4 END
             WHERE site = ?1 AND page = ?2",
        )?
        .execute(params![site, page.0, status, http_status, error, time.0])?;
    let version = match &step.outcome {
        VisitOutcome::Captured(capture) => {
            let (version, _) = keep_version(connection, site, page, capture, time)?;
            committed = own_state(connection, site, page, capture.state)?;
            committed.explore = step.explorer.is_some() && committed.shares.is_none();
            Some(version)
        }
        VisitOutcome::Redirect { to: Some(url), .. } => {
            let (target, _) = page_for_url(connection, site, url, Some(page), step.depth, time)?;
            let tried = EventTried {
                event: "redirect".into(),
                xpath: String::new(),
                element_id: None,
                text: String::new(),
                instruction: url.clone(),
            };
            keep_edge(connection, site, page, &tried, Some(target), "link", None, time)?;
            None
        }
        VisitOutcome::Redirect { to: None, .. } | VisitOutcome::Failed { .. } => None,
    };
    keep_visit(connection, site, page, time, http_status, version)?;
    keep_links(connection, site, page, step.depth, &step.links, time)?;
    keep_exchanges(connection, site, page, &step.exchanges)?;
    count(connection, site, &step.counts)?;
    finish(connection, site, page, TaskKind::Fetch)?;
    if committed.explore {
        add(connection, site, page, TaskKind::Explore, step.depth, step.explorer.as_deref(), time)?;
    }
    Ok(committed)
}

fn commit_event(connection: &Connection, step: &EventStep) -> Result<EventCommitted, StoreError> {
    let (site, page, time) = (step.site.as_str(), step.page, step.time);
    let mut committed = EventCommitted::default();
    let mut refused = None;
    let outcome = match &step.outcome {
        EventOutcome::Same => "same",
        EventOutcome::Reveal => "reveal",
        EventOutcome::Lost => "lost",
        EventOutcome::Refused(because) => {
            refused = Some(because.as_str());
            "refused"
        }
        EventOutcome::Navigated(url) => {
            let target = page_for_url(connection, site, url, Some(page), step.depth + 1, time)?;
            committed.target = Some(target.0);
            "link"
        }
        EventOutcome::Arrived(arrival) => {
            committed = arrive(connection, step, arrival)?;
            "page"
        }
    };
    keep_edge(connection, site, page, &step.tried, committed.target, outcome, refused, time)?;
    let shown_by = committed.target.filter(|_| committed.is_new).unwrap_or(page);
    keep_links(connection, site, shown_by, step.depth + 1, &step.links, time)?;
    keep_exchanges(connection, site, shown_by, &step.exchanges)?;
    count(connection, site, &step.counts)?;
    connection
        .prepare_cached(
            "UPDATE task SET lease_until = ?3 WHERE site = ?1 AND page = ?2 AND kind = 'explore'",
        )?
        .execute(params![site, page.0, time.plus(LEASE_MS).0])?;
    Ok(committed)
}

/// Finds the page of a state that an event led to, or makes it.
fn arrive(
    connection: &Connection,
    step: &EventStep,
    arrival: &Arrival,
) -> Result<EventCommitted, StoreError> {
    let (site, time) = (step.site.as_str(), step.time);
    if let Some(owner) = state_owner(connection, site, arrival.capture.state)? {
        name(connection, site, &arrival.key, owner, false)?;
        if is_event_only(connection, site, owner)? && !seen_in_round(connection, site, owner)? {
            let (version, _) = keep_version(connection, site, owner, &arrival.capture, time)?;
            keep_visit(connection, site, owner, time, None, Some(version))?;
            mark_seen(connection, site, owner, time)?;
            add(connection, site, owner, TaskKind::Explore, step.depth + 1, None, time)?;
        }
        return Ok(EventCommitted { target: Some(owner), is_new: false });
    }
    if let Some(page) = earlier_round(connection, site, &arrival.key)? {
        keep_version(connection, site, page, &arrival.capture, time)?;
        keep_visit(connection, site, page, time, arrival.capture.http_status, None)?;
        own_state(connection, site, page, arrival.capture.state)?;
        add(connection, site, page, TaskKind::Explore, step.depth + 1, None, time)?;
        return Ok(EventCommitted { target: Some(page), is_new: true });
    }
    let page = next_number(connection)?;
    let path = serde_json::to_string(&arrival.path).unwrap_or_default();
    connection
        .prepare_cached(
            "INSERT INTO page (site, page, url, path, origin, depth, status, first_seen, last_seen)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, 'captured', ?7, ?7)",
        )?
        .execute(params![site, page.0, arrival.url, path, step.page.0, step.depth + 1, time.0])?;
    name(connection, site, &free_key(connection, site, &arrival.key)?, page, true)?;
    let (version, _) = keep_version(connection, site, page, &arrival.capture, time)?;
    keep_visit(connection, site, page, time, None, Some(version))?;
    own_state(connection, site, page, arrival.capture.state)?;
    add(connection, site, page, TaskKind::Explore, step.depth + 1, None, time)?;
    Ok(EventCommitted { target: Some(page), is_new: true })
}

/// The page that this key named in an earlier round: what is found there now is its next version. In
/// one round, two states under one key are two pages (the call gave two answers).
fn earlier_round(
    connection: &Connection,
    site: &str,
    key: &str,
) -> Result<Option<PageNumber>, StoreError> {
    let Some(page) = page_of_key(connection, site, key)? else { return Ok(None) };
    let is_earlier =
        is_event_only(connection, site, page)? && !seen_in_round(connection, site, page)?;
    Ok(is_earlier.then_some(page))
}

fn seen_in_round(
    connection: &Connection,
    site: &str,
    page: PageNumber,
) -> Result<bool, StoreError> {
    let began = round(connection, site)?;
    Ok(connection
        .prepare_cached("SELECT last_seen >= ?3 FROM page WHERE site = ?1 AND page = ?2")?
        .query_row(params![site, page.0, began.0], |row| row.get(0))?)
}

fn mark_seen(
    connection: &Connection,
    site: &str,
    page: PageNumber,
    time: Millis,
) -> Result<(), StoreError> {
    connection
        .prepare_cached("UPDATE page SET last_seen = ?3 WHERE site = ?1 AND page = ?2")?
        .execute(params![site, page.0, time.0])?;
    Ok(())
}

/// The key itself, or with the first number that makes it different from those given before.
fn free_key(connection: &Connection, site: &str, key: &str) -> Result<String, StoreError> {
    let mut candidate = key.to_owned();
    let mut number = 2;
    while page_of_key(connection, site, &candidate)?.is_some() {
        candidate = format!("{key}~{number}");
        number += 1;
    }
    Ok(candidate)
}

/// Adds a version unless the latest one shows the same. Returns its number and whether it is new.
fn keep_version(
    connection: &Connection,
    site: &str,
    page: PageNumber,
    capture: &Capture,
    time: Millis,
) -> Result<(i64, bool), StoreError> {
    let latest = connection
        .prepare_cached(
            "SELECT version, state FROM version WHERE site = ?1 AND page = ?2
             ORDER BY version DESC LIMIT 1",
        )?
        .query_row(params![site, page.0], |row| {
            Ok((row.get::<_, i64>(0)?, row.get::<_, Vec<u8>>(1)?))
        })
        .optional()?;
    let version = match latest {
        Some((version, state)) if state == capture.state.0 => return Ok((version, false)),
        Some((version, _)) => version + 1,
        None => 1,
    };
    let snapshot = keep_bytes(connection, capture.snapshot.as_deref())?;
    let body = keep_bytes(connection, capture.body.as_deref())?;
    connection
        .prepare_cached(
            "INSERT INTO version (site, page, version, time, state, snapshot, body, drift_ms)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
        )?
        .execute(params![
            site,
            page.0,
            version,
            time.0,
            capture.state.0,
            snapshot,
            body,
            capture.drift_ms
        ])?;
    connection
        .prepare_cached(
            "UPDATE page SET state = ?3, title = ?4, via = ?5, last_seen = ?6
             WHERE site = ?1 AND page = ?2",
        )?
        .execute(params![
            site,
            page.0,
            capture.state.0,
            capture.title,
            capture.via.as_str(),
            time.0
        ])?;
    Ok((version, true))
}

fn keep_bytes(connection: &Connection, bytes: Option<&[u8]>) -> Result<Option<i64>, StoreError> {
    bytes.map(|bytes| blob::put(connection, bytes)).transpose()
}

fn keep_visit(
    connection: &Connection,
    site: &str,
    page: PageNumber,
    time: Millis,
    http_status: Option<u16>,
    version: Option<i64>,
) -> Result<(), StoreError> {
    connection
        .prepare_cached(
            "INSERT INTO visit (site, page, time, http_status, version) VALUES (?1, ?2, ?3, ?4, ?5)
             ON CONFLICT DO NOTHING",
        )?
        .execute(params![site, page.0, time.0, http_status, version])?;
    Ok(())
}

#[expect(clippy::too_many_arguments, reason = "the columns of one row")]
fn keep_edge(
    connection: &Connection,
    site: &str,
    page: PageNumber,
    tried: &EventTried,
    target: Option<PageNumber>,
    outcome: &str,
    refused: Option<&str>,
    time: Millis,
) -> Result<(), StoreError> {
    connection
        .prepare_cached(
            "INSERT INTO edge (site, page, event, xpath, target, outcome, element_id, text,
                               instruction, refused_because, time)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)
             ON CONFLICT (site, page, event, xpath) DO UPDATE SET
               target = excluded.target, outcome = excluded.outcome, text = excluded.text,
               instruction = excluded.instruction, element_id = excluded.element_id,
               refused_because = excluded.refused_because, time = excluded.time",
        )?
        .execute(params![
            site,
            page.0,
            tried.event,
            tried.xpath,
            target.map(|page| page.0),
            outcome,
            tried.element_id,
            tried.text,
            tried.instruction,
            refused,
            time.0
        ])?;
    Ok(())
}

/// Makes pages of URLs, and one edge to each: a second link to the same page adds nothing.
fn keep_links(
    connection: &Connection,
    site: &str,
    page: PageNumber,
    depth: u32,
    links: &[LinkFound],
    time: Millis,
) -> Result<(), StoreError> {
    let mut seen = HashSet::new();
    for link in links {
        if !seen.insert(link.url.as_str()) {
            continue;
        }
        let target = match link.refused_because {
            Some(_) => None,
            None => Some(page_for_url(connection, site, &link.url, Some(page), depth + 1, time)?.0),
        };
        let outcome = if target.is_some() { "link" } else { "refused" };
        let tried = EventTried {
            event: "link".into(),
            xpath: link.xpath.clone(),
            element_id: None,
            text: link.text.clone(),
            instruction: link.url.clone(),
        };
        let refused = link.refused_because.as_deref();
        keep_edge(connection, site, page, &tried, target, outcome, refused, time)?;
    }
    Ok(())
}

fn keep_exchanges(
    connection: &Connection,
    site: &str,
    page: PageNumber,
    exchanges: &[NewExchange],
) -> Result<(), StoreError> {
    if exchanges.is_empty() {
        return Ok(());
    }
    let first: i64 = connection
        .prepare_cached(
            "SELECT coalesce(max(seq), 0) + 1 FROM exchange WHERE site = ?1 AND page = ?2",
        )?
        .query_row(params![site, page.0], |row| row.get(0))?;
    for (seq, exchange) in (first..).zip(exchanges) {
        let request_body = keep_bytes(connection, exchange.request_body.as_deref())?;
        let response_body = keep_bytes(connection, exchange.response_body.as_deref())?;
        connection
            .prepare_cached(
                "INSERT INTO exchange (site, page, seq, time, cause, resource, method, url,
                     request_headers, request_body, status, response_headers, response_body)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13)",
            )?
            .execute(params![
                site,
                page.0,
                seq,
                exchange.time.0,
                exchange.cause,
                exchange.resource,
                exchange.method,
                exchange.url,
                serde_json::to_string(&exchange.request_headers).unwrap_or_default(),
                request_body,
                exchange.status,
                serde_json::to_string(&exchange.response_headers).unwrap_or_default(),
                response_body
            ])?;
    }
    Ok(())
}

pub(crate) fn count(
    connection: &Connection,
    site: &str,
    counts: &Counts,
) -> Result<(), StoreError> {
    for (name, by) in counts.iter().filter(|(_, by)| *by != 0) {
        connection
            .prepare_cached(
                "INSERT INTO counter (site, name, value) VALUES (?1, ?2, ?3)
                 ON CONFLICT (site, name) DO UPDATE SET value = counter.value + excluded.value",
            )?
            .execute(params![site, name, by])?;
    }
    Ok(())
}
