//! `bathys bench plain`: a forum that needs no scripts. A browser only where it pays against a
//! browser for every page: how much faster, and whether the same is kept.

use std::collections::BTreeMap;

use crawl::{Render, Report, Settings};
use testsite::{Options, Paging, Running, SiteKind};

use crate::sheet::{Experiment, Sheet, rounded};
use crate::trial::{Trial, whole};

/// What is asked for.
const FASTER: f64 = 20.0;
/// Valid pages of the forum, and others.
const SIZE: (u32, u32) = (3_000, 600);
const SIZE_QUICK: (u32, u32) = (120, 40);

pub async fn run(sheet: &mut Sheet, quick: bool) -> anyhow::Result<()> {
    let (size, chaff) = if quick { SIZE_QUICK } else { SIZE };
    // Nothing volatile: how two ways of loading a page differ is asked, not how two loads do.
    let options =
        Options { size, chaff, paging: Paging::Plain, volatile: false, ..Options::default() };
    let site = testsite::serve(SiteKind::Bbs, options).await?;
    let (auto, auto_pages) = crawl(&site, Render::Auto).await?;
    let (always, always_pages) = crawl(&site, Render::Always).await?;
    let (fast, slow) = (rate(&auto), rate(&always));
    let differing = differing(&always_pages, &auto_pages);
    let faster = fast / slow.max(f64::MIN_POSITIVE);
    sheet.put(
        Experiment::new("plain/bbs")
            .ours("pages", auto.pages)
            .ours("rendered", auto.rendered)
            .ours("fetched", auto.fetched)
            .ours("seconds", rounded(auto.elapsed_s))
            .ours("pages_per_s", rounded(fast))
            .ours("always_pages", always.pages)
            .ours("always_seconds", rounded(always.elapsed_s))
            .ours("always_pages_per_s", rounded(slow))
            .ours("differing", differing.len())
            .better(fast, slow)
            .ask(faster >= FASTER, format!("{faster:.1} times as fast"))
            .ask(
                differing.is_empty(),
                format!(
                    "{} pages differ, such as {}",
                    differing.len(),
                    differing.first().map(String::as_str).unwrap_or_default()
                ),
            ),
    )?;
    site.stop().await;
    sheet.table("pages that need no scripts: a browser where it pays, against always")
}

fn rate(report: &Report) -> f64 {
    report.pages as f64 / report.elapsed_s.max(0.001)
}

/// Crawls, and returns the content of each page by its key.
async fn crawl(
    site: &Running,
    render: Render,
) -> anyhow::Result<(Report, BTreeMap<String, Option<String>>)> {
    let trial = Trial::new()?;
    let report = trial.crawl(Settings { render, ..whole(site)? }).await?;
    eprintln!(
        "  {render:?}: {} pages, {} rendered, {:.1} s",
        report.pages, report.rendered, report.elapsed_s
    );
    let pages = trial.pages().await?;
    Ok((report, pages.into_iter().map(|page| (page.key, page.content_hash)).collect()))
}

/// The keys of pages that only one crawl has, or that hold something else.
fn differing(
    one: &BTreeMap<String, Option<String>>,
    other: &BTreeMap<String, Option<String>>,
) -> Vec<String> {
    let keys: std::collections::BTreeSet<_> = one.keys().chain(other.keys()).collect();
    keys.into_iter().filter(|key| one.get(*key) != other.get(*key)).cloned().collect()
}
