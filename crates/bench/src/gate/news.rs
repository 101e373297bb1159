//! Seed 000: the comment pages of three articles, with what was learned from two others.

use testsite::Build;

use super::counts::CaseCounts;
use crate::seed000::learned;

pub async fn count(build: Build) -> anyhow::Result<CaseCounts> {
    let measured = learned(build).await?;
    let mut counts = CaseCounts::default();
    counts.at_least("found", measured.found);
    counts.at_most("twice", measured.twice);
    counts.at_most("events", measured.events);
    counts.at_most("learning_events", measured.learning_events);
    counts.at_most("state_changes", measured.changes);
    Ok(counts)
}
