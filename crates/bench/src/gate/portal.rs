//! Seed 003's page: its blocks at each level, and what the second visit stores.

use crawl::Render;
use testsite::Build;

use super::counts::CaseCounts;
use crate::partition::portal::visit;

pub async fn count(build: Build, render: Render) -> anyhow::Result<CaseCounts> {
    let visited = visit(build, render).await?;
    let mut counts = CaseCounts::default();
    for (level, (blocks, wrong)) in (1..).zip(&visited.levels) {
        counts.at_least(format!("level_{level}"), *blocks);
        counts.at_most(format!("level_{level}_wrong"), wrong.len());
    }
    counts.at_most("stored", visited.stored);
    counts.at_most("missed", visited.missed.len());
    Ok(counts)
}
