//! What was done: a visit or an event with all that it found, as one commit.

use rusqlite::{Connection, params};

use crate::arrive::arrive;
use crate::catalog::Catalog;
use crate::edge::{Edge, Moment, keep_edge, keep_links};
use crate::error::StoreError;
use crate::identity::{own_state, present_number, reidentify};
use crate::model::{
    EventOutcome, EventTried, LinkFound, Millis, NewExchange, PageNumber, StateId, TaskKind,
    VisitOutcome,
};
use crate::page::{Discovery, found_by, page_for_url};
use crate::task::{LEASE_MS, NewTask, add, finish, round};
use crate::version::{Same, has_versions, keep_bytes, keep_truncated, keep_version, keep_visit};

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
    /// What the page it leads to promises, if that is new: its visit, or its exploration.
    pub rank: i64,
    /// Whether the events of the state it led to are to be tried, if it is new in this round.
    pub explore: bool,
    /// Who goes on to try them; `None` leaves them to the next claim.
    pub explorer: Option<String>,
    /// What firing it took.
    pub cost_ms: Option<i64>,
}

/// Where an event led.
#[derive(Clone, Copy, Debug, Default)]
pub struct EventCommitted {
    /// The page it leads to.
    pub target: Option<PageNumber>,
    /// Nobody had seen that state, or heard of that URL.
    pub is_new: bool,
    /// The step's explorer holds the exploration of that state now.
    pub explore: bool,
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

    /// Keeps several events in one commit, as [`Catalog::commit_event`] keeps one. Events that were
    /// not fired come in dozens.
    ///
    /// # Errors
    /// When the catalog fails; then nothing of any step is kept.
    pub async fn commit_events(
        &self,
        steps: Vec<EventStep>,
    ) -> Result<Vec<EventCommitted>, StoreError> {
        self.engine
            .write(move |connection| {
                steps.iter().map(|step| commit_event(connection, step)).collect()
            })
            .await
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
    let at = Moment { time, began: round(connection, site)? };
    let rank = finish(connection, site, page, TaskKind::Fetch)?.unwrap_or(0);
    let mut committed = VisitCommitted::default();
    let is_first = !has_versions(connection, site, page)?;
    let (status, http_status, error) = match &step.outcome {
        VisitOutcome::Captured(capture) => ("captured", capture.http_status, None),
        VisitOutcome::Truncated { capture, reason } => {
            let status = if is_first { "captured" } else { "failed" };
            (status, capture.http_status, Some(reason))
        }
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
            let version = keep_version(connection, site, page, capture, time, Same::Shown)?;
            committed = own_state(connection, site, page, capture.state)?;
            committed.explore = step.explorer.is_some() && committed.shares.is_none();
            Some(version)
        }
        VisitOutcome::Redirect { to: Some(url), .. } => {
            // Wherever it leads is found by what led to the redirect.
            let class = found_by(connection, site, page)?;
            let discovery = Discovery {
                url,
                origin: Some(page),
                depth: step.depth,
                found_by: class.as_deref(),
                rank,
            };
            let (target, _) = page_for_url(connection, site, &discovery, time)?;
            let tried = EventTried {
                event: "redirect".into(),
                xpath: String::new(),
                element_id: None,
                text: String::new(),
                instruction: url.clone(),
                class: None,
            };
            let edge = Edge {
                page,
                tried: &tried,
                target: Some(target),
                outcome: "link",
                refused: None,
                note: None,
                cost_ms: None,
            };
            keep_edge(connection, site, &edge, at)?;
            None
        }
        VisitOutcome::Truncated { capture, reason } if is_first => {
            Some(keep_truncated(connection, site, page, capture, time, reason)?)
        }
        VisitOutcome::Truncated { .. }
        | VisitOutcome::Redirect { to: None, .. }
        | VisitOutcome::Failed { .. } => None,
    };
    keep_visit(connection, site, page, time, http_status, version)?;
    keep_links(connection, site, page, step.depth, &step.links, at)?;
    keep_exchanges(connection, site, page, &step.exchanges)?;
    count(connection, site, &step.counts)?;
    if committed.explore {
        let owner = step.explorer.as_deref();
        let task = NewTask { page, kind: TaskKind::Explore, depth: step.depth, rank, owner };
        add(connection, site, &task, time)?;
    }
    Ok(committed)
}

fn commit_event(connection: &Connection, step: &EventStep) -> Result<EventCommitted, StoreError> {
    let (site, page, time) = (step.site.as_str(), step.page, step.time);
    let at = Moment { time, began: round(connection, site)? };
    let mut committed = EventCommitted::default();
    let (mut refused, mut note, mut new_url) = (None, None, false);
    let outcome = match &step.outcome {
        EventOutcome::Same => "same",
        EventOutcome::Reveal => "reveal",
        EventOutcome::Lost => "lost",
        EventOutcome::Refused(because) => {
            refused = Some(because.as_str());
            "refused"
        }
        EventOutcome::Navigated(url) => {
            let discovery = Discovery {
                url,
                origin: Some(page),
                depth: step.depth + 1,
                found_by: step.tried.class.as_deref(),
                rank: step.rank,
            };
            let (target, is_new) = page_for_url(connection, site, &discovery, time)?;
            committed.target = Some(target);
            new_url = is_new;
            "link"
        }
        EventOutcome::Arrived(arrival) => {
            committed = arrive(connection, step, arrival, at)?;
            "page"
        }
        EventOutcome::Led(target) => {
            committed.target = Some(present_number(connection, site, *target)?);
            "page"
        }
        EventOutcome::Known(target) => {
            committed.target = Some(present_number(connection, site, *target)?);
            "known"
        }
        EventOutcome::Skipped(because) => {
            note = Some(because.as_str());
            "skipped"
        }
    };
    let edge = Edge {
        page,
        tried: &step.tried,
        target: committed.target,
        outcome,
        refused,
        note,
        cost_ms: step.cost_ms,
    };
    keep_edge(connection, site, &edge, at)?;
    let shown_by = committed.target.filter(|_| committed.is_new).unwrap_or(page);
    keep_links(connection, site, shown_by, step.depth + 1, &step.links, at)?;
    keep_exchanges(connection, site, shown_by, &step.exchanges)?;
    count(connection, site, &step.counts)?;
    connection
        .prepare_cached(
            "UPDATE task SET lease_until = ?3 WHERE site = ?1 AND page = ?2 AND kind = 'explore'",
        )?
        .execute(params![site, page.0, time.plus(LEASE_MS).0])?;
    committed.is_new |= new_url;
    Ok(committed)
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
                     request_headers, request_body, status, response_headers, response_body,
                     sent, remote_address, http_version, failure, truncated)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17,
                         ?18)",
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
                response_body,
                exchange.wire.sent.map(|sent| sent.0),
                exchange.wire.remote_address,
                exchange.wire.http_version,
                exchange.wire.failure,
                exchange.wire.truncated
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
