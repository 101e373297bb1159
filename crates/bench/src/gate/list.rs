//! A plain site of lists and articles, with a browser never, where it pays, and always: its pages, and
//! the items of its lists as records.

use std::collections::BTreeSet;

use crawl::{Render, Settings};
use testsite::Options;

use super::counts::CaseCounts;
use crate::list_site::ListSite;
use crate::records::live::kept;
use crate::tally::Tally;
use crate::trial::{Trial, whole};

/// Articles of the site; with ten lists and the home page it has 301 pages.
const ARTICLES: usize = 290;

pub async fn count(render: Render) -> anyhow::Result<CaseCounts> {
    let list_site = ListSite::generate(ARTICLES);
    let titles: BTreeSet<String> = list_site.item_titles().map(str::to_owned).collect();
    let site = testsite::serve_site(list_site.into(), Options::default()).await?;
    let trial = Trial::new()?;
    let report = trial.crawl(Settings { render, ..whole(&site)? }).await?;
    let tally = Tally::of(&trial.catalog, site.truth(), |_| true).await?;
    let records = kept(&trial.catalog).await?;
    let told: BTreeSet<&str> =
        records.iter().filter_map(|record| record.title.as_deref()).collect();
    let items = titles.iter().filter(|title| told.contains(title.as_str())).count();
    eprintln!(
        "  {} of {} pages, {items} of {} items, {} records; {}",
        tally.found(),
        tally.asked(),
        titles.len(),
        records.len(),
        tally.missing()
    );
    site.stop().await;
    let mut counts = CaseCounts::default();
    counts.at_least("pages", tally.found());
    counts.at_most("twice", tally.twice());
    counts.at_least("items", items);
    counts.at_most("records", records.len());
    counts.at_most("rendered", report.rendered);
    counts.at_most("requests", report.requests.network);
    counts.at_most("cut_off", i64::from(report.stopped.is_some()));
    Ok(counts)
}
