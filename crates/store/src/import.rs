//! Versions that come from elsewhere: files that somebody captured before.

use rusqlite::{Connection, OptionalExtension, params};

use crate::catalog::Catalog;
use crate::error::StoreError;
use crate::model::{Capture, Millis, PageNumber, TaskKind};
use crate::page::{Discovery, page_for_url};
use crate::task::finish;
use crate::version::{Same, keep_version, keep_visit};

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

impl Catalog {
    /// Keeps a capture that was made elsewhere as the next version of its URL. The URL is not queued
    /// for a visit.
    ///
    /// # Errors
    /// When the catalog fails.
    pub async fn import(&self, step: ImportStep) -> Result<Imported, StoreError> {
        self.engine.write(move |connection| import(connection, &step)).await
    }
}

fn import(connection: &Connection, step: &ImportStep) -> Result<Imported, StoreError> {
    let ImportStep { site, url, time, capture } = step;
    let start = Discovery { url, origin: None, depth: 0, found_by: None, rank: 0 };
    let (page, is_new) = page_for_url(connection, site, &start, *time)?;
    if is_new {
        finish(connection, site, page, TaskKind::Fetch)?;
    }
    let latest: Option<i64> = connection
        .prepare_cached("SELECT max(time) FROM visit WHERE site = ?1 AND page = ?2")?
        .query_row(params![site, page.0], |row| row.get(0))?;
    if latest.is_some_and(|latest| latest >= time.0) {
        let known = connection
            .prepare_cached("SELECT 1 FROM visit WHERE site = ?1 AND page = ?2 AND time = ?3")?
            .query_row(params![site, page.0, time.0], |_| Ok(()))
            .optional()?;
        return Ok(known.map_or(Imported::TooOld(page), |()| Imported::Known(page)));
    }
    let count = |connection: &Connection| {
        connection
            .prepare_cached("SELECT count(*) FROM version WHERE site = ?1 AND page = ?2")?
            .query_row(params![site, page.0], |row| row.get::<_, i64>(0))
    };
    let before = count(connection)?;
    let version = keep_version(connection, site, page, capture, *time, Same::Bytes)?;
    keep_visit(connection, site, page, *time, capture.http_status, Some(version))?;
    connection
        .prepare_cached(
            "UPDATE page SET status = 'captured', http_status = ?3, error = NULL, last_seen = ?4
             WHERE site = ?1 AND page = ?2",
        )?
        .execute(params![site, page.0, capture.http_status, time.0])?;
    Ok(match count(connection)? > before {
        true => Imported::Version(page, version),
        false => Imported::Again(page),
    })
}
