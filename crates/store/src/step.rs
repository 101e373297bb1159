//! What was done: a visit or an event with all that it found, as one commit.

use std::collections::BTreeMap;

use crate::arrive::arrive;
use crate::blob::{self, HasBytes, Packed, Resemblance};
use crate::catalog::CatalogWriter;
use crate::edge::{Edge, Moment, keep_edges};
use crate::error::StoreError;
use crate::identity::{own_state, present_number, reidentify};
use crate::job::{add_exploration, finish, round};
use crate::links::keep_links;
use crate::model::{
    Capture, EventOutcome, EventTried, LinkFound, Millis, NewExchange, PageNumber, StateId,
    VisitOutcome,
};
use crate::page::{Discovery, found_by, page_for_url};
use crate::tx::{Tx, params};
use crate::version::{
    Same, has_versions, keep_truncated, keep_version, keep_visit, latest_version,
};
use crate::words::{EdgeOutcome, PageStatus, TaskKind, Via};

/// The status of an answer without a body: the one before still holds.
const NOT_MODIFIED: u16 = 304;

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
    /// Whether the visitor goes on to fire the events of the state.
    pub explore: bool,
    /// Whether it does so, too, where another page showed this state: what lies behind it may differ.
    pub explore_shared: bool,
    /// Whether the visitor has other work meanwhile, so that visits which end a moment later may join the
    /// commit.
    pub may_wait: bool,
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
    /// Whether whoever found it goes on with them; if not, they are left to the next claim.
    pub goes_on: bool,
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
    /// Whoever found that state holds its exploration now.
    pub explore: bool,
}

impl CatalogWriter {
    /// Keeps a visit: page, version, links, exchanges, tasks, in one commit.
    ///
    /// # Errors
    /// When the catalog fails; then nothing of the step is kept.
    pub async fn commit_visit(&self, step: VisitStep) -> Result<VisitCommitted, StoreError> {
        self.engine.commit(&step.site.clone(), step, commit_visit).await
    }

    /// Keeps an event: edge, the state it led to, links, exchanges, in one commit.
    ///
    /// # Errors
    /// When the catalog fails; then nothing of the step is kept.
    pub async fn commit_event(&self, step: EventStep) -> Result<EventCommitted, StoreError> {
        let committed = self.commit_events(vec![step]).await?;
        committed.into_iter().next().ok_or(StoreError::NoCatalog)
    }

    /// Keeps several events in one commit, as [`CatalogWriter::commit_event`] keeps one. Events that were
    /// not fired come in dozens.
    ///
    /// # Errors
    /// When the catalog fails; then nothing of any step is kept.
    pub async fn commit_events(
        &self,
        steps: Vec<EventStep>,
    ) -> Result<Vec<EventCommitted>, StoreError> {
        let site = steps.first().map(|step| step.site.clone()).unwrap_or_default();
        self.engine.commit(&site, steps, |tx, steps, packed| commit_events(tx, steps, packed)).await
    }

    /// Adds to the totals of a site without a step.
    ///
    /// # Errors
    /// When the catalog fails.
    pub async fn count(&self, site: &str, counts: Counts) -> Result<(), StoreError> {
        let site = site.to_owned();
        self.engine.write(&site.clone(), move |tx| count(tx, &site, &counts)).await
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
            .write(&site.clone(), move |tx| {
                let rows: Vec<_> =
                    rules.iter().map(|rule| params![site, url, rule].to_vec()).collect();
                let into = "INSERT INTO mask (site, url, rule)";
                tx.insert(into, &rows, "ON CONFLICT DO NOTHING")?;
                for (page, state) in &identities {
                    reidentify(tx, &site, *page, *state)?;
                }
                Ok(())
            })
            .await
    }
}

impl HasBytes for NewExchange {
    fn bytes(&self) -> Vec<&[u8]> {
        [&self.request_body, &self.response_body].into_iter().filter_map(Option::as_deref).collect()
    }
}

impl HasBytes for VisitStep {
    fn bytes(&self) -> Vec<&[u8]> {
        let mut all = self.exchanges.bytes();
        if let VisitOutcome::Captured(capture) | VisitOutcome::Truncated { capture, .. } =
            &self.outcome
        {
            all.extend(capture.bytes());
        }
        all
    }

    fn resemblances(&self) -> Vec<Resemblance<'_>> {
        match &self.outcome {
            VisitOutcome::Captured(capture) if !self.is_first() => capture.resembles(self.page),
            _ => Vec::new(),
        }
    }

    fn may_wait(&self) -> bool {
        self.may_wait
    }

    fn is_first(&self) -> bool {
        // A browser asks for pictures and scripts, too, which other pages have.
        let is_first = |capture: &Capture| capture.via == Via::Http && capture.cut.is_some();
        matches!(&self.outcome, VisitOutcome::Captured(capture) if is_first(capture))
    }
}

impl HasBytes for EventStep {
    fn bytes(&self) -> Vec<&[u8]> {
        let mut all = self.exchanges.bytes();
        if let EventOutcome::Arrived(arrival) = &self.outcome {
            all.extend(arrival.capture.bytes());
        }
        all
    }

    fn resemblances(&self) -> Vec<Resemblance<'_>> {
        match &self.outcome {
            // An event leaves most of its page as it was.
            EventOutcome::Arrived(arrival) => arrival.capture.resembles(self.page),
            _ => Vec::new(),
        }
    }
}

fn commit_visit(
    tx: &mut Tx<'_>,
    step: &VisitStep,
    packed: &Packed,
) -> Result<VisitCommitted, StoreError> {
    let (site, page, time) = (step.site.as_str(), step.page, step.time);
    let at = Moment { time, began: round(tx, site)? };
    let rank = finish(tx, site, page, TaskKind::Fetch)?.unwrap_or(0);
    let mut committed = VisitCommitted::default();
    // Only what is cut off is kept or not by it.
    let is_first =
        matches!(step.outcome, VisitOutcome::Truncated { .. }) && !has_versions(tx, site, page)?;
    let is_unmodified = i64::from(matches!(step.outcome, VisitOutcome::NotModified));
    let (status, http_status, error) = match &step.outcome {
        VisitOutcome::Captured(capture) => (PageStatus::Captured, capture.http_status, None),
        VisitOutcome::Truncated { capture, reason } => {
            let status = if is_first { PageStatus::Captured } else { PageStatus::Failed };
            (status, capture.http_status, Some(reason))
        }
        VisitOutcome::NotModified => (PageStatus::Captured, Some(NOT_MODIFIED), None),
        VisitOutcome::Redirect { http_status, .. } => {
            (PageStatus::Redirect, Some(*http_status), None)
        }
        VisitOutcome::Failed { http_status, error } => {
            (PageStatus::Failed, *http_status, Some(error))
        }
    };
    tx.execute(
        // A visit that failed leaves what earlier ones captured as it is, and so does one without a body.
        "UPDATE page SET error = $5, last_seen = $6,
                    status = CASE WHEN $3 = 'failed' AND state IS NOT NULL THEN status ELSE $3 END,
                    http_status = CASE WHEN ($3 = 'failed' OR $7 = 1) AND state IS NOT NULL
                                       THEN http_status ELSE $4 END
             WHERE site = $1 AND page = $2",
        params![site, page.0, status, http_status, error, time.0, is_unmodified],
    )?;
    let version = match &step.outcome {
        VisitOutcome::Captured(capture) => {
            let kept = keep_version(tx, packed, site, page, capture, time, Same::Shown)?;
            committed = own_state(tx, site, page, capture.state)?;
            let is_due = committed.shares.is_none() || step.explore_shared;
            committed.explore = step.explore && is_due;
            Some(kept.version)
        }
        VisitOutcome::Redirect { to: Some(url), .. } => {
            // Wherever it leads is found by what led to the redirect.
            let class = found_by(tx, site, page)?;
            let discovery = Discovery {
                url,
                origin: Some(page),
                depth: step.depth,
                found_by: class.as_deref(),
                rank,
            };
            let (target, _) = page_for_url(tx, site, discovery, time)?;
            let edge = Edge { target: Some(target), ..Edge::read_off(page, "redirect", url) };
            keep_edges(tx, site, &[edge], at)?;
            None
        }
        VisitOutcome::NotModified => latest_version(tx, site, page)?,
        VisitOutcome::Truncated { capture, reason } if is_first => {
            Some(keep_truncated(tx, packed, site, page, capture, time, reason)?)
        }
        VisitOutcome::Truncated { .. }
        | VisitOutcome::Redirect { to: None, .. }
        | VisitOutcome::Failed { .. } => None,
    };
    keep_visit(tx, site, page, time, http_status, version)?;
    keep_links(tx, site, page, step.depth, &step.links, at)?;
    keep_exchanges(tx, packed, site, page, &step.exchanges)?;
    count(tx, site, &step.counts)?;
    if committed.explore {
        add_exploration(tx, site, page, (step.depth, rank), true)?;
    }
    Ok(committed)
}

fn commit_events(
    tx: &mut Tx<'_>,
    steps: &[EventStep],
    packed: &Packed,
) -> Result<Vec<EventCommitted>, StoreError> {
    let Some(EventStep { site, .. }) = steps.first() else { return Ok(Vec::new()) };
    let began = round(tx, site)?;
    let mut all = Vec::with_capacity(steps.len());
    let mut edges: Vec<(Edge<'_>, Moment)> = Vec::with_capacity(steps.len());
    // A page that events reach is merged while it is being explored, when its address is visited.
    let mut present: Option<(PageNumber, PageNumber)> = None;
    for step in steps {
        let at = Moment { time: step.time, began };
        let arrives = matches!(step.outcome, EventOutcome::Arrived(_));
        // A page that is arrived at may turn out to be another one, whose edges are then merged.
        if arrives {
            keep_all_edges(tx, site, &mut edges)?;
        }
        let page = match present {
            Some((named, page)) if named == step.page => page,
            _ => present_number(tx, site, step.page)?,
        };
        let (committed, edge) = commit_event(tx, step, page, packed, at)?;
        present = (!arrives).then_some((step.page, page));
        edges.push((edge, at));
        all.push(committed);
    }
    keep_all_edges(tx, site, &mut edges)?;
    count(tx, site, steps.iter().flat_map(|step| &step.counts))?;
    Ok(all)
}

/// Keeps edges, those of one event of one page at once.
fn keep_all_edges(
    tx: &mut Tx<'_>,
    site: &str,
    edges: &mut Vec<(Edge<'_>, Moment)>,
) -> Result<(), StoreError> {
    edges.sort_by_key(|(edge, _)| (edge.page, edge.event));
    let is_alike = |(one, _): &(Edge<'_>, _), (other, _): &(Edge<'_>, _)| {
        (one.page, one.event) == (other.page, other.event)
    };
    for alike in edges.chunk_by(is_alike) {
        let own: Vec<Edge<'_>> = alike.iter().map(|(edge, _)| *edge).collect();
        if let Some((_, at)) = alike.last() {
            keep_edges(tx, site, &own, *at)?;
        }
    }
    edges.clear();
    Ok(())
}

/// Keeps what an event led to, and says which edge is to be kept for it.
fn commit_event<'s>(
    tx: &mut Tx<'_>,
    step: &'s EventStep,
    page: PageNumber,
    packed: &Packed,
    at: Moment,
) -> Result<(EventCommitted, Edge<'s>), StoreError> {
    let (site, time) = (step.site.as_str(), step.time);
    let mut committed = EventCommitted::default();
    let (mut refused, mut note, mut new_url) = (None, None, false);
    let outcome = match &step.outcome {
        EventOutcome::Same => EdgeOutcome::Same,
        EventOutcome::Reveal => EdgeOutcome::Reveal,
        EventOutcome::Lost => EdgeOutcome::Lost,
        EventOutcome::Refused(because) => {
            refused = Some(because.as_str());
            EdgeOutcome::Refused
        }
        EventOutcome::Navigated(url) => {
            let discovery = Discovery {
                url,
                origin: Some(page),
                depth: step.depth + 1,
                found_by: step.tried.class.as_deref(),
                rank: step.rank,
            };
            let (target, is_new) = page_for_url(tx, site, discovery, time)?;
            committed.target = Some(target);
            new_url = is_new;
            EdgeOutcome::Link
        }
        EventOutcome::Arrived(arrival) => {
            committed = arrive(tx, packed, step, arrival, at)?;
            EdgeOutcome::Page
        }
        EventOutcome::Led(target) => {
            committed.target = Some(present_number(tx, site, *target)?);
            EdgeOutcome::Page
        }
        EventOutcome::Known(target) => {
            committed.target = Some(present_number(tx, site, *target)?);
            EdgeOutcome::Known
        }
        EventOutcome::Skipped(because) => {
            note = Some(because.as_str());
            EdgeOutcome::Skipped
        }
    };
    let (target, cost_ms) = (committed.target, step.cost_ms);
    let edge = Edge { target, refused, note, cost_ms, ..Edge::tried(page, &step.tried, outcome) };
    let shown_by = committed.target.filter(|_| committed.is_new).unwrap_or(page);
    keep_links(tx, site, shown_by, step.depth + 1, &step.links, at)?;
    keep_exchanges(tx, packed, site, shown_by, &step.exchanges)?;
    committed.is_new |= new_url;
    Ok((committed, edge))
}

pub(crate) fn keep_exchanges(
    tx: &mut Tx<'_>,
    packed: &Packed,
    site: &str,
    page: PageNumber,
    exchanges: &[NewExchange],
) -> Result<(), StoreError> {
    if exchanges.is_empty() {
        return Ok(());
    }
    let first: i64 = tx.value(
        "SELECT coalesce(max(seq), 0) + 1 FROM exchange WHERE site = $1 AND page = $2",
        params![site, page],
    )?;
    let bodies: Vec<_> = exchanges
        .iter()
        .flat_map(|one| [one.request_body.as_deref(), one.response_body.as_deref()])
        .collect();
    let bodies = blob::put_all(tx, packed, &bodies)?;
    let headers: Vec<_> = exchanges
        .iter()
        .map(|one| [&one.request_headers, &one.response_headers].map(|headers| write_json(headers)))
        .collect();
    let rows: Vec<_> = (first..)
        .zip(exchanges)
        .zip(bodies.chunks(2).zip(&headers))
        .map(|((seq, exchange), (bodies, [sent, received]))| {
            params![
                site,
                page,
                seq,
                exchange.time,
                exchange.cause,
                exchange.resource,
                exchange.method,
                exchange.url,
                sent,
                bodies[0],
                exchange.status,
                received,
                bodies[1],
                exchange.wire.sent,
                exchange.wire.remote_address,
                exchange.wire.http_version,
                exchange.wire.failure,
                exchange.wire.truncated
            ]
            .to_vec()
        })
        .collect();
    tx.insert(
        "INSERT INTO exchange (site, page, seq, time, cause, resource, method, url, request_headers,
                               request_body, status, response_headers, response_body, sent,
                               remote_address, http_version, failure, truncated)",
        &rows,
        "",
    )?;
    Ok(())
}

fn write_json(headers: &[(String, String)]) -> String {
    serde_json::to_string(headers).unwrap_or_default()
}

pub(crate) fn count<'c>(
    tx: &mut Tx<'_>,
    site: &str,
    counts: impl IntoIterator<Item = &'c (&'static str, i64)>,
) -> Result<(), StoreError> {
    let mut totals: BTreeMap<&str, i64> = BTreeMap::new();
    for (name, by) in counts.into_iter().filter(|(_, by)| *by != 0) {
        *totals.entry(name).or_default() += by;
    }
    let rows: Vec<_> = totals.iter().map(|(name, by)| params![site, name, by].to_vec()).collect();
    tx.insert(
        "INSERT INTO counter (site, name, value)",
        &rows,
        "ON CONFLICT (site, name) DO UPDATE SET value = counter.value + excluded.value",
    )?;
    Ok(())
}
