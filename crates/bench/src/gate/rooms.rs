//! Rooms of the maze alone: what of each was found, and the events that it took.

use testsite::Build;

use super::counts::CaseCounts;
use crate::rooms::{ROOMS, crawl};

pub async fn count(build: Build) -> anyhow::Result<CaseCounts> {
    let mut counts = CaseCounts::default();
    for room in &ROOMS {
        let crawled = crawl(room.name, build).await?;
        let is_cut_off = crawled.report.stopped.is_some();
        counts.at_least(format!("found in {}", room.name), crawled.tally.found());
        counts.at_most(format!("events in {}", room.name), crawled.events());
        counts.at_most(format!("cut_off in {}", room.name), i64::from(is_cut_off));
    }
    Ok(counts)
}
