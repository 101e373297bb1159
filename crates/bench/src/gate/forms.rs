//! The gate for forms on real pages, against labels; and the database behind a form.

use std::path::Path;

use anyhow::Context as _;
use testsite::Search;

use super::counts::CaseCounts;

/// Offers in the database.
const OFFERS: u32 = 400;

pub fn count_gate(data: &Path) -> anyhow::Result<CaseCounts> {
    let counted = crate::forms::count_gate(Some(data))?.context("there are no pages")?;
    let mut counts = CaseCounts::default();
    counts.at_least("forms", counted.forms);
    counts.at_most("not_safe_allowed", counted.not_safe_allowed);
    counts.at_most("searches_refused", counted.searches_refused);
    counts.at_most("post_searches_refused", counted.post_searches_refused);
    Ok(counts)
}

pub async fn count(search: Search) -> anyhow::Result<CaseCounts> {
    let found = crate::forms::search(search, OFFERS).await?;
    let mut counts = CaseCounts::default();
    counts.at_least("found", found.found);
    counts.at_most("requests", found.requests);
    counts.at_most("state_changes", found.state_changes);
    counts.at_most("misjudged", found.misjudged);
    Ok(counts)
}
