//! The maze: its states, room by room, and what never ends in it.

use std::collections::BTreeMap;

use testsite::Build;

use super::counts::CaseCounts;
use crate::maze::{Endless, crawl};

pub async fn count(build: Build) -> anyhow::Result<CaseCounts> {
    let crawled = crawl(build).await?;
    let mut counts = CaseCounts::default();
    let mut rooms: BTreeMap<&str, usize> = BTreeMap::new();
    for state in &crawled.truth.states {
        let found = rooms.entry(&state.behaviour).or_default();
        *found += usize::from(crawled.tally.has(state));
    }
    for (room, found) in rooms {
        let room = if room.is_empty() { "the hall" } else { room };
        counts.at_least(format!("found in {room}"), found);
    }
    let ended = |trap: &&Endless| trap.is_left() && trap.is_reported;
    counts.at_least("found", crawled.tally.found());
    counts.at_least("series_ended", crawled.endless.iter().filter(ended).count());
    counts.at_most("extra", crawled.extra());
    counts.at_most("events", crawled.report.events_fired + crawled.report.events_replayed);
    counts.at_most("requests", crawled.report.requests.network);
    counts.at_most("state_changes", crawled.changes);
    counts.at_most("cut_off", i64::from(crawled.report.stopped.is_some()));
    Ok(counts)
}
