//! The same site with one, two and four tabs: what each crawl found, and how many lines of text one of them has
//! and another has not.

use crawl::Settings;

use super::counts::CaseCounts;
use crate::same::{Subject, crawl};

/// So many of what `bathys bench same` crawls first are small enough.
pub const SUBJECTS: usize = 3;
/// Numbers of tabs.
const TABS: [usize; 3] = [1, 2, 4];

pub async fn count(subject: &Subject) -> anyhow::Result<CaseCounts> {
    let site = subject.serve().await?;
    let mut crawls = Vec::new();
    for tabs in TABS {
        crawls.push(crawl(subject, &site, Settings { tabs, ..subject.settings(&site)? }).await?);
    }
    site.stop().await;
    let mut counts = CaseCounts::default();
    let fewest = crawls.iter().map(|kept| kept.tally.found()).min().unwrap_or_default();
    let first = crawls.first();
    let differing = first.map_or(0, |first| {
        crawls.iter().map(|kept| kept.differing(first).len()).max().unwrap_or_default()
    });
    counts.at_least("found", fewest);
    counts.at_most("differing", differing);
    Ok(counts)
}
