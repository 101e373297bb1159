//! Revisiting: what is caught of real series under a shared budget, and what is found of a bundled site a
//! day after it was crawled.

use std::path::Path;

use anyhow::ensure;
use testsite::{Options, SiteKind};

use super::counts::CaseCounts;
use crate::partition::corpus::Corpus;
use crate::revisit::states::rewatch;
use crate::revisit::{BUDGETS, Compared, Pages, series};

/// Two pages that are given up, and one that is not: the smaller series.
const SERIES: [&str; 3] = ["cdr", "hn", "web.de"];
/// Valid pages of the forum, and others.
const SIZE: (u32, u32) = (30, 12);

pub async fn count_series(data: &Path) -> anyhow::Result<CaseCounts> {
    let pages = series::through_time(&Corpus::open(Some(data))?, &SERIES).await?;
    ensure!(pages.len() == SERIES.len(), "of {} some are not there", SERIES.join(", "));
    let mut counts = CaseCounts::default();
    for budget in BUDGETS {
        let compared = Compared::of(&pages, budget, Pages::Stay);
        counts.at_least(format!("changes_{budget}"), compared.ours.changes as i64);
        counts.at_least(format!("least_gain_{budget}"), compared.least_gain as i64);
        let hours = |days: f64| (days * 24.0) as i64;
        counts.at_most(format!("age_hours_{budget}"), hours(compared.ours.age_days));
    }
    Ok(counts)
}

pub async fn count_states(kind: SiteKind) -> anyhow::Result<CaseCounts> {
    let (size, chaff) = SIZE;
    let options = match kind {
        SiteKind::Bbs => Options { size, chaff, ..Options::default() },
        _ => Options::default(),
    };
    let seen = rewatch(kind, options).await?;
    let mut counts = CaseCounts::default();
    counts.at_least("found", seen.found);
    counts.at_most("lost", seen.news - seen.found);
    counts.at_most("told_wrongly", seen.wrong);
    counts.at_least("states", seen.states);
    counts.at_most("events", seen.events);
    counts.at_most("other_events", seen.other_events);
    counts.at_most("state_changes", seen.state_changes);
    Ok(counts)
}
