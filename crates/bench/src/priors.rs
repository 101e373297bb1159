//! `bathys bench priors`: how often each kind of claim is wrong. Sites with known truth are crawled with every
//! step taken, and it is counted how often a claim that would have deferred one would have been wrong. Prints
//! `crates/crawl/src/learn/priors.tsv`.

use std::io::Write as _;

use anyhow::ensure;
use crawl::Settings;
use page::state::url::Site;

use crate::small_site::SmallSite;
use crate::tally::Tally;
use crate::trial::{Trial, whole};

pub async fn run(quick: bool) -> anyhow::Result<()> {
    let mut rows = Vec::new();
    for small in SmallSite::ALL.iter().take(if quick { 1 } else { usize::MAX }) {
        let site = small.serve(1).await?;
        let trial = Trial::new()?;
        let report = trial.crawl(Settings { completeness: 1.0, ..whole(&site)? }).await?;
        let tally = Tally::of(&trial.catalog, site.truth(), |_| true).await?;
        eprintln!("  {}: {}; {} events", small.name, tally.missing(), report.events_fired);
        ensure!(tally.is_whole(), "{}: {}", small.name, tally.missing());
        let name = Site::of(&site.url().parse()?).map(|site| site.as_str().to_owned());
        let tested = crawl::tested(&trial.catalog, &name.unwrap_or_default()).await?;
        rows.extend(tested.into_iter().map(|tested| (small.name, tested)));
        site.stop().await;
    }
    rows.sort_by_key(|(site, tested)| (tested.kind, *site));
    let mut out = std::io::stdout().lock();
    writeln!(out, "claim\tsite\tdocuments\twrong")?;
    for (site, tested) in rows.into_iter().filter(|(_, tested)| tested.documents > 0) {
        writeln!(out, "{}\t{site}\t{}\t{}", tested.kind, tested.documents, tested.wrong)?;
    }
    Ok(())
}
