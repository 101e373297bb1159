//! Versions that come from elsewhere: files that somebody captured before.

use crate::blob::{HasBytes, Kept, Packed, Resemblance};
use crate::catalog::CatalogWriter;
use crate::error::StoreError;
use crate::job::finish;
use crate::model::{Capture, Millis, PageNumber};
use crate::page::{Discovery, page_for_url};
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
    /// What was.
    pub capture: Capture,
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
}

impl HasBytes for ImportStep {
    fn bytes(&self) -> Vec<&[u8]> {
        self.capture.bytes()
    }

    fn resemblances(&self) -> Vec<Resemblance<'_>> {
        let body = self.capture.body.as_deref();
        let kept = Kept::BodyAt(self.url.clone());
        body.map(|bytes| Resemblance { bytes, kept, own: None }).into_iter().collect()
    }
}

fn import(tx: &mut Tx<'_>, step: &ImportStep, packed: &Packed) -> Result<Imported, StoreError> {
    let ImportStep { site, url, time, capture } = step;
    let start = Discovery { url, origin: None, depth: 0, found_by: None, rank: 0 };
    let (page, is_new) = page_for_url(tx, site, start, *time)?;
    if is_new {
        finish(tx, site, page, TaskKind::Fetch)?;
    }
    let latest: Option<i64> =
        tx.value("SELECT max(time) FROM visit WHERE site = $1 AND page = $2", params![site, page])?;
    if latest.is_some_and(|latest| latest >= time.0) {
        let known = tx.query_optional(
            "SELECT 1 FROM visit WHERE site = $1 AND page = $2 AND time = $3",
            params![site, page, time],
        )?;
        return Ok(known.map_or(Imported::TooOld(page), |_| Imported::Known(page)));
    }
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
