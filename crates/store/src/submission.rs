//! Submissions of forms: a page with a form becomes work, and what a form answers becomes a page.
//!
//! What is submitted by GET is the page of its address, so that a visit, a link and a submission that lead to
//! the same are one page; the key of the submission is another name of it. What is submitted by POST has no
//! address of its own, and is kept like a state that an event leads to.

use crate::catalog::CatalogWriter;
use crate::edge::{Edge, Moment, keep_edges};
use crate::error::StoreError;
use crate::host::host_of;
use crate::identity::present_number;
use crate::job::{claim_page, finish, round};
use crate::model::{EventTried, Millis, PageNumber, Task};
use crate::page::{Discovery, name, page_for_url};
use crate::tx::params;
use crate::words::{EdgeOutcome, TaskKind};

/// A submission by GET that is about to be made.
#[derive(Clone, Debug)]
pub struct NewSubmission {
    /// The site.
    pub site: String,
    /// The page that the form stands on.
    pub page: PageNumber,
    /// That page's steps from the start.
    pub depth: u32,
    /// The form and what is bound.
    pub tried: EventTried,
    /// Where it leads, normalised.
    pub url: String,
    /// The key of the submission.
    pub key: String,
}

impl CatalogWriter {
    /// Makes the forms of a page due, unless they are. Says whether they were not.
    ///
    /// # Errors
    /// When the catalog fails.
    pub async fn queue_submissions(
        &self,
        site: &str,
        page: PageNumber,
        depth: u32,
    ) -> Result<bool, StoreError> {
        let site = site.to_owned();
        self.engine
            .write(&site.clone(), move |tx| {
                let page = present_number(tx, &site, page)?;
                let url: String = tx.value(
                    "SELECT url FROM page WHERE site = $1 AND page = $2",
                    params![site, page],
                )?;
                let added = tx.execute(
                    "INSERT INTO job (site, page, kind, host, depth, rank)
                     VALUES ($1, $2, $3, $4, $5, 0) ON CONFLICT DO NOTHING",
                    params![site, page, TaskKind::Submit, host_of(&url), depth],
                )?;
                Ok(added == 1)
            })
            .await
    }

    /// Says that the forms of a page are done with.
    ///
    /// # Errors
    /// When the catalog fails.
    pub async fn submitted(&self, site: &str, page: PageNumber) -> Result<(), StoreError> {
        let site = site.to_owned();
        self.engine
            .write(&site.clone(), move |tx| finish(tx, &site, page, TaskKind::Submit).map(drop))
            .await
    }

    /// Keeps the edge from a form to the page of an address, makes that page if it is new, and takes the visit
    /// to it, if it waits for one. Returns the page, and the visit.
    ///
    /// # Errors
    /// When the catalog fails.
    pub async fn submit(
        &self,
        submission: NewSubmission,
    ) -> Result<(PageNumber, Option<Task>), StoreError> {
        let site = submission.site.clone();
        self.engine
            .write(&site, move |tx| {
                let NewSubmission { site, page, depth, tried, url, key } = &submission;
                let now = Millis::now();
                let at = Moment { time: now, began: round(tx, site)? };
                let origin = present_number(tx, site, *page)?;
                let discovery = Discovery {
                    url,
                    origin: Some(origin),
                    depth: depth + 1,
                    found_by: tried.class.as_deref(),
                    rank: 0,
                };
                let (target, _) = page_for_url(tx, site, discovery, now)?;
                name(tx, site, key, target, false)?;
                let edge = Edge::tried(origin, tried, EdgeOutcome::Link);
                keep_edges(tx, site, &[Edge { target: Some(target), ..edge }], at)?;
                let task = claim_page(tx, site, target, TaskKind::Fetch)?;
                Ok((target, task))
            })
            .await
    }
}
