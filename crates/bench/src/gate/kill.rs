//! A crawl whose process is killed again and again, and then ends: nothing lost, nothing twice.

use super::counts::CaseCounts;
use crate::kill::{Moments, survive};
use crate::kill_archive;

/// The rounds.
pub const ROUNDS: [Moments; 2] = [
    [(1, 0), (15, 5), (30, 0), (45, 40), (60, 15), (80, 90)],
    [(0, 300), (8, 20), (22, 0), (40, 60), (70, 10), (95, 30)],
];

pub async fn count(moments: &Moments) -> anyhow::Result<CaseCounts> {
    let survived = survive(moments, None, None).await?;
    let mut counts = CaseCounts::default();
    counts.at_least("kills", survived.kills);
    counts.at_most("lost", survived.lost);
    counts.at_most("twice", survived.twice);
    counts.at_most("waiting", survived.waiting);
    counts.at_most("state_changes", survived.state_changes);
    Ok(counts)
}

/// Imports and sealings that are killed.
const ARCHIVE_KILLS: usize = 6;

pub async fn count_archive() -> anyhow::Result<CaseCounts> {
    let survived = kill_archive::survive(ARCHIVE_KILLS, 3).await?;
    let mut counts = CaseCounts::default();
    counts.at_most("lost", survived.lost);
    counts.at_most("changed", survived.changed);
    counts.at_most("damaged", survived.damaged);
    counts.at_most("unfinished", survived.unfinished);
    Ok(counts)
}
