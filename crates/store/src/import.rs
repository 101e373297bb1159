//! Versions that come from elsewhere: files that somebody captured before.

use crate::arrive::write_path;
use crate::blob::{HasBytes, Kept, Packed, Resemblance};
use crate::catalog::CatalogWriter;
use crate::error::StoreError;
use crate::job::finish;
use crate::model::{Capture, Millis, NewExchange, PageNumber, PathStep};
use crate::page::{Discovery, name, page_for_url, page_numbers, page_of_key};
use crate::step::keep_exchanges;
use crate::tx::{Tx, params};
use crate::version::{Same, keep_version, keep_visit};
use crate::words::TaskKind;

/// A capture of a URL at a time.
#[derive(Clone, Debug)]
pub struct ImportStep {
    /// The site.
    pub site: String,
    /// Normalised.
    pub url: String,
    /// When it was captured.
    pub time: Millis,
    /// What was; `None` for an answer that shows nothing, such as a redirect.
    pub capture: Option<Capture>,
    /// The key of a state that events reached from the URL, and these events.
    pub state: Option<(String, Vec<PathStep>)>,
    /// What went over the wire for it.
    pub exchanges: Vec<NewExchange>,
}

/// Exchanges that belong to a page that was captured elsewhere.
#[derive(Clone, Debug)]
pub struct ImportedExchanges {
    /// The site.
    pub site: String,
    /// The key of the page.
    pub key: String,
    /// How to make the page if there is none yet: the URL of its document, and the events that lead to it.
    /// `None` leaves such exchanges out.
    pub make: Option<(String, Vec<PathStep>)>,
    /// What went over the wire. Those that are kept already are left out.
    pub exchanges: Vec<NewExchange>,
}

/// What became of a capture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Imported {
    /// It is a new version of this page.
    Version(PageNumber, i64),
    /// It is the page's latest version again, byte for byte: a visit.
    Again(PageNumber),
    /// The page was visited at this very time already.
    Known(PageNumber),
    /// The page has later visits. Versions are kept in the order of their times.
    TooOld(PageNumber),
    /// It shows nothing: a visit without a version.
    Nothing(PageNumber),
}

impl CatalogWriter {
    /// Keeps a capture that was made elsewhere as the next version of its URL. The URL is not queued
    /// for a visit.
    ///
    /// # Errors
    /// When the catalog fails.
    pub async fn import(&self, step: ImportStep) -> Result<Imported, StoreError> {
        self.engine.commit(&step.site.clone(), step, import).await
    }

    /// Keeps exchanges with the page that they belong to. Says whether there is such a page; if not,
    /// nothing is kept.
    ///
    /// # Errors
    /// When the catalog fails.
    pub async fn import_exchanges(&self, step: ImportedExchanges) -> Result<bool, StoreError> {
        self.engine.commit(&step.site.clone(), step, import_exchanges).await
    }
}

impl HasBytes for ImportStep {
    fn bytes(&self) -> Vec<&[u8]> {
        let mut all = self.exchanges.bytes();
        all.extend(self.capture.iter().flat_map(HasBytes::bytes));
        all
    }

    fn resemblances(&self) -> Vec<Resemblance<'_>> {
        let body = self.capture.as_ref().and_then(|capture| capture.body.as_deref());
        let kept = Kept::BodyAt(self.url.clone());
        body.map(|bytes| Resemblance { bytes, kept, own: None }).into_iter().collect()
    }
}

impl HasBytes for ImportedExchanges {
    fn bytes(&self) -> Vec<&[u8]> {
        self.exchanges.bytes()
    }
}

fn import(tx: &mut Tx<'_>, step: &ImportStep, packed: &Packed) -> Result<Imported, StoreError> {
    let ImportStep { site, url, time, capture, state, exchanges } = step;
    let page = match state {
        Some((key, path)) => page_for_state(tx, site, url, key, path, *time)?,
        None => page_without_visit(tx, site, url, *time)?,
    };
    let latest: Option<i64> =
        tx.value("SELECT max(time) FROM visit WHERE site = $1 AND page = $2", params![site, page])?;
    if latest.is_some_and(|latest| latest >= time.0) {
        let known = tx.query_optional(
            "SELECT 1 FROM visit WHERE site = $1 AND page = $2 AND time = $3",
            params![site, page, time],
        )?;
        return Ok(known.map_or(Imported::TooOld(page), |_| Imported::Known(page)));
    }
    keep_exchanges(tx, packed, site, page, exchanges)?;
    let Some(capture) = capture else {
        let status = exchanges.last().and_then(|exchange| exchange.status);
        keep_visit(tx, site, page, *time, status, None)?;
        tx.execute(
            "UPDATE page SET status = CASE WHEN state IS NULL THEN 'redirect' ELSE status END,
                             last_seen = $3 WHERE site = $1 AND page = $2",
            params![site, page, time],
        )?;
        return Ok(Imported::Nothing(page));
    };
    let kept = keep_version(tx, packed, site, page, capture, *time, Same::Bytes)?;
    keep_visit(tx, site, page, *time, capture.http_status, Some(kept.version))?;
    tx.execute(
        "UPDATE page SET status = 'captured', http_status = $3, error = NULL, last_seen = $4
         WHERE site = $1 AND page = $2",
        params![site, page, capture.http_status, time],
    )?;
    Ok(match kept.is_new {
        true => Imported::Version(page, kept.version),
        false => Imported::Again(page),
    })
}

/// The page of a URL, which is not to be visited if it is new.
fn page_without_visit(
    tx: &mut Tx<'_>,
    site: &str,
    url: &str,
    time: Millis,
) -> Result<PageNumber, StoreError> {
    let start = Discovery { url, origin: None, depth: 0, found_by: None, rank: 0 };
    let (page, is_new) = page_for_url(tx, site, start, time)?;
    if is_new {
        finish(tx, site, page, TaskKind::Fetch)?;
    }
    Ok(page)
}

/// The page of a state, by its key.
fn page_for_state(
    tx: &mut Tx<'_>,
    site: &str,
    url: &str,
    key: &str,
    path: &[PathStep],
    time: Millis,
) -> Result<PageNumber, StoreError> {
    if let Some(page) = page_of_key(tx, site, key)? {
        return Ok(page);
    }
    let page = page_numbers(tx, 1)?.pop().ok_or(StoreError::NoCatalog)?;
    let origin = page_of_key(tx, site, url)?;
    tx.execute(
        "INSERT INTO page (site, page, url, path, origin, depth, status, first_seen, last_seen)
         VALUES ($1, $2, $3, $4, $5, $6, 'captured', $7, $7)",
        params![site, page, url, write_path(path), origin, path.len() as i64, time],
    )?;
    name(tx, site, key, page, true)?;
    Ok(page)
}

fn import_exchanges(
    tx: &mut Tx<'_>,
    step: &ImportedExchanges,
    packed: &Packed,
) -> Result<bool, StoreError> {
    let ImportedExchanges { site, key, make, exchanges } = step;
    let sent_at = |exchange: &NewExchange| exchange.wire.sent.unwrap_or(exchange.time);
    let time = exchanges.first().map_or(Millis(0), sent_at);
    let page = match (page_of_key(tx, site, key)?, make) {
        (Some(page), _) => page,
        (None, Some((url, path))) if path.is_empty() => page_without_visit(tx, site, url, time)?,
        (None, Some((url, path))) => page_for_state(tx, site, url, key, path, time)?,
        (None, None) => return Ok(false),
    };
    for exchange in exchanges {
        let sent = sent_at(exchange);
        let known = tx.query_optional(
            "SELECT 1 FROM exchange WHERE site = $1 AND page = $2 AND url = $3
               AND coalesce(sent, time) = $4 LIMIT 1",
            params![site, page, exchange.url, sent],
        )?;
        if known.is_none() {
            keep_exchanges(tx, packed, site, page, std::slice::from_ref(exchange))?;
        }
    }
    Ok(true)
}
