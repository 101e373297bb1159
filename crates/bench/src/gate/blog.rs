//! Seed 001: the pages of a blog's articles, with all filters, with one of them off, and without
//! scripts.

use crawl::{Filters, Render};

use super::counts::CaseCounts;
use crate::seed001::{Crawled, crawl};

/// With scripts. What a crawl without one of its filters costs is no promise.
pub async fn count(articles: u32, filters: Filters) -> anyhow::Result<CaseCounts> {
    let run = crawl(articles, filters, Render::Auto).await?;
    let mut counts = found(&run);
    if filters == Filters::default() {
        counts.at_most("events", run.report.events_fired + run.report.events_replayed);
        counts.at_most("requests", run.requests);
    }
    Ok(counts)
}

/// Without: the first page of every article, which is all that links reach.
pub async fn count_plain(articles: u32) -> anyhow::Result<CaseCounts> {
    let run = crawl(articles, Filters::default(), Render::Never).await?;
    let mut counts = found(&run);
    counts.at_least("captured", run.tally.pages);
    counts.at_most("rendered", run.report.rendered);
    Ok(counts)
}

fn found(run: &Crawled) -> CaseCounts {
    let mut counts = CaseCounts::default();
    counts.at_least("found", run.tally.found());
    counts.at_most("twice", run.tally.twice());
    counts.at_most("state_changes", run.changes);
    counts.at_most("cut_off", i64::from(run.report.stopped.is_some()));
    counts
}
