//! A forum whose pages are turned by scripts, among many pages of low value.

use testsite::{Options, SiteKind};

use super::counts::CaseCounts;
use crate::tally::Tally;
use crate::trial::{Trial, state_changes, whole};

/// Valid pages of the forum, and others.
const SIZE: (u32, u32) = (100, 60);

pub async fn count() -> anyhow::Result<CaseCounts> {
    let (size, chaff) = SIZE;
    let options = Options { size, chaff, ..Options::default() };
    let site = testsite::serve(SiteKind::Bbs, options).await?;
    let trial = Trial::new()?;
    let report = trial.crawl(whole(&site)?).await?;
    let tally = Tally::of(&trial.catalog, site.truth(), |_| true).await?;
    eprintln!("  {} of {} states; {}", tally.found(), tally.asked(), tally.missing());
    let mut counts = CaseCounts::default();
    counts.at_least("found", tally.found());
    counts.at_most("twice", tally.twice());
    counts.at_most("events", report.events_fired + report.events_replayed);
    counts.at_most("requests", site.requests().total);
    counts.at_most("state_changes", state_changes(&site));
    counts.at_most("cut_off", i64::from(report.stopped.is_some()));
    site.stop().await;
    Ok(counts)
}
