//! Searching: the matches of a query, as they are told.

use std::time::Instant;

use page::block::Label;
use serde::Serialize;
use store::{Catalog, Millis, PageNumber, PageRow};

use crate::batch::Stored;
use crate::collect::{Collected, Filter, Matches};
use crate::error::SearchError;
use crate::facet::Facets;
use crate::index::{Index, Inner};
use crate::occurrence::Occurrence;
use crate::plan::{Plan, Planner};
use crate::query::Query;
use crate::snippet::{Marker, Snippet};

/// A text that was found, at the place and time that show it best.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Hit {
    /// The key of its page.
    pub key: String,
    /// The address of its document.
    pub url: String,
    /// Its site.
    pub site: String,
    /// Its page.
    pub page: PageNumber,
    /// The type of its page.
    #[serde(rename = "type")]
    pub page_type: Option<String>,
    /// The title that its page had.
    pub title: String,
    /// The block, by its number within the page.
    pub block: i64,
    /// The version of the page that it began with.
    pub version: i64,
    /// What the block is about.
    pub topic: String,
    /// What it is for.
    pub label: Label,
    /// The part of it that was searched for.
    #[serde(flatten)]
    pub snippet: Snippet,
    /// When it was first seen there.
    pub first_seen: Millis,
    /// When it was last seen there.
    pub last_seen: Millis,
    /// Whether the latest version of the page shows it.
    pub is_there: bool,
    /// Pages that say the same, of those that were asked for.
    pub pages: usize,
    /// How well it fits.
    pub score: f32,
}

/// What a search found.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SearchResult {
    /// The best of it.
    pub hits: Vec<Hit>,
    /// Distinct texts that fit.
    pub total: u64,
    /// How they are spread.
    pub facets: Facets,
    /// How long it took.
    pub elapsed_ms: f64,
}

/// A document with the occurrences that are meant.
#[derive(Clone)]
pub(crate) struct Candidate {
    pub(crate) site: String,
    pub(crate) text: String,
    pub(crate) score: f32,
    pub(crate) occurrences: Vec<Occurrence>,
    /// Bytes at its beginning that are of the block before.
    pub(crate) lead: usize,
}

impl Index {
    /// Searches for what a query says. What the index does not have yet is not found: see
    /// [`Index::update`].
    ///
    /// # Errors
    /// When the query makes no sense, or the index or the store fails.
    pub async fn search(
        &self,
        catalog: &Catalog,
        query: &Query,
    ) -> Result<SearchResult, SearchError> {
        let begun = Instant::now();
        let (node, query) = query.parse()?;
        let types = self.page_types(catalog).await?;
        let filter = Filter {
            from: query.from,
            to: query.to,
            label: query.label,
            page_type: query.page_type.as_deref().map(|name| types.named(name)),
            types: types.clone(),
        };
        let most = query.offset + query.limit;
        let (order, offset) = (query.order, query.offset);
        let inner = self.inner.clone();
        let work = move || {
            let plan = Planner::new(&inner.fields).plan(&node, query.site.as_deref())?;
            run(&inner, plan, &Matches { filter, order, most }, offset)
        };
        let (collected, candidates, marker) = on_thread(work).await?;
        let mut hits = Vec::new();
        for candidate in candidates {
            hits.extend(hit(catalog, candidate, &marker).await?);
        }
        Ok(SearchResult {
            hits,
            total: collected.total,
            facets: Facets::of(&collected, &types),
            elapsed_ms: begun.elapsed().as_secs_f64() * 1000.0,
        })
    }
}

/// Runs what may take a while and never waits for anything.
pub(crate) async fn on_thread<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, SearchError> + Send + 'static,
) -> Result<T, SearchError> {
    tokio::task::spawn_blocking(work).await.map_err(|_| SearchError::Lost("a search"))?
}

/// The matches of a plan: what there is to know of all of them, and the best.
pub(crate) fn run(
    inner: &Inner,
    plan: Plan,
    matches: &Matches,
    offset: usize,
) -> Result<(Collected, Vec<Candidate>, Marker), SearchError> {
    let searcher = inner.reader.searcher();
    let collected = searcher.search(&plan.query, matches)?;
    let mut candidates = Vec::new();
    for (address, score) in collected.best.iter().skip(offset) {
        let Some(stored) = Stored::read(inner, &searcher, *address)? else { continue };
        let Stored { site, text, occurrences } = stored;
        let is_meant = |of: &Occurrence| matches.filter.takes(of);
        let occurrences = occurrences.into_values().filter(is_meant).collect();
        candidates.push(Candidate { site, text, score: *score, occurrences, lead: 0 });
    }
    Ok((collected, candidates, plan.marker))
}

impl Candidate {
    /// The occurrence that shows it best: one that is still there, else the last; of those, the first.
    pub(crate) fn best(&self) -> Option<&Occurrence> {
        let last = |of: &Occurrence| of.last_seen.map_or(i64::MAX, |last| last.0);
        let rank =
            |of: &&Occurrence| (std::cmp::Reverse(last(of)), of.first_seen, of.page, of.block);
        self.occurrences.iter().min_by_key(rank)
    }
}

/// The page of an occurrence, or the one that it turned out to equal; and when it was last seen there.
pub(crate) async fn page_of(
    catalog: &Catalog,
    of: &Occurrence,
) -> Result<Option<(PageRow, Millis)>, SearchError> {
    let row = catalog.find(&of.page.to_string()).await?;
    Ok(row.map(|row| {
        let last_seen = of.last_seen.unwrap_or(row.last_seen).max(of.first_seen);
        (row, last_seen)
    }))
}

async fn hit(
    catalog: &Catalog,
    candidate: Candidate,
    marker: &Marker,
) -> Result<Option<Hit>, SearchError> {
    let Some(of) = candidate.best() else { return Ok(None) };
    let Some((row, last_seen)) = page_of(catalog, of).await? else { return Ok(None) };
    let mut pages: Vec<PageNumber> = candidate.occurrences.iter().map(|of| of.page).collect();
    pages.sort_unstable();
    pages.dedup();
    Ok(Some(Hit {
        key: row.key,
        url: row.url,
        page: row.page,
        page_type: row.page_type,
        title: of.title.clone(),
        block: of.block,
        version: of.first_version,
        topic: of.topic.clone(),
        label: of.label,
        snippet: marker.snippet(&candidate.text),
        first_seen: of.first_seen,
        last_seen,
        is_there: of.last_seen.is_none(),
        pages: pages.len(),
        score: candidate.score,
        site: candidate.site,
    }))
}
