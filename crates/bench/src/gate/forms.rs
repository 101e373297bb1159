//! The gate for forms on real pages, against labels.

use std::path::Path;

use anyhow::Context as _;

use super::counts::CaseCounts;

pub fn count_gate(data: &Path) -> anyhow::Result<CaseCounts> {
    let counted = crate::forms::count(Some(data))?.context("there are no pages")?;
    let mut counts = CaseCounts::default();
    counts.at_least("forms", counted.forms);
    counts.at_most("not_safe_allowed", counted.not_safe_allowed);
    counts.at_most("searches_refused", counted.searches_refused);
    counts.at_most("post_searches_refused", counted.post_searches_refused);
    Ok(counts)
}
