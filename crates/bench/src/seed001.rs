//! `bathys bench seed001`: seed 001's experiments on the blog. Table 2, the five sets of articles;
//! and §3.2, what the instruction filter is worth (the paper's figures 1 and 2).

use std::time::Duration;

use crawl::{Filters, Render, Report, Settings};
use testsite::{Options, SiteKind, State};

use crate::sheet::{Experiment, Sheet, rounded};
use crate::tally::Tally;
use crate::trial::{Trial, state_changes, whole};

/// A set of table 1, and what table 2 says about it.
struct Set {
    name: &'static str,
    articles: u32,
    pages: usize,
    seconds: f64,
    per_page: f64,
    heritrix_pages: u32,
    heritrix_per_page: f64,
}

const SETS: [Set; 5] = [
    set("S1", 50, 381, 2_077.595, 5.453, 50, 0.305),
    set("S2", 150, 1_063, 5_546.079, 5.217, 150, 0.279),
    set("S3", 300, 1_416, 7_715.137, 5.449, 300, 0.277),
    set("S4", 500, 2_037, 10_648.165, 5.227, 500, 0.293),
    set("S5", 725, 2_764, 15_528.475, 5.618, 725, 0.288),
];

const fn set(
    name: &'static str,
    articles: u32,
    pages: usize,
    seconds: f64,
    per_page: f64,
    heritrix_pages: u32,
    heritrix_per_page: f64,
) -> Set {
    Set { name, articles, pages, seconds, per_page, heritrix_pages, heritrix_per_page }
}

/// The first articles that §3.2 takes.
const FIRST: [u32; 5] = [20, 40, 60, 80, 100];
/// What is asked for.
const SECONDS_PER_PAGE: f64 = 0.05;
const LEARNING_SHARE: f64 = 0.01;

pub async fn run(sheet: &mut Sheet, quick: bool) -> anyhow::Result<()> {
    for set in SETS.iter().take(if quick { 1 } else { SETS.len() }) {
        let run = crawl(set.articles, Filters::default(), Render::Auto).await?;
        sheet.put(table_2(set, &run))?;
    }
    sheet.table("seed 001, table 2: a blog, latency 10 ms")?;
    for articles in FIRST.into_iter().take(if quick { 1 } else { FIRST.len() }) {
        let double = crawl(articles, Filters::default(), Render::Auto).await?;
        let content = Filters { instruction: false, ..Filters::default() };
        let single = crawl(articles, content, Render::Auto).await?;
        sheet.put(figures_1_and_2(articles, &double, &single))?;
    }
    sheet.table("seed 001, figures 1 and 2: both filters against the content filter alone")
}

/// A crawl of the blog.
pub struct Crawled {
    pub report: Report,
    /// Its pages of articles.
    pub tally: Tally,
    /// Requests that the site saw, and those that it had seen before.
    pub requests: u64,
    repeated: u64,
    /// The path that was asked for most often, and how often.
    most_asked: String,
    pub changes: usize,
}

/// Crawls a blog of so many articles.
pub async fn crawl(articles: u32, filters: Filters, render: Render) -> anyhow::Result<Crawled> {
    let options =
        Options { size: articles, latency: Duration::from_millis(10), ..Options::default() };
    let site = testsite::serve(SiteKind::Blog, options).await?;
    let trial = Trial::new()?;
    let report = trial.crawl(Settings { filters, render, ..whole(&site)? }).await?;
    let seen = site.requests();
    let repeated = seen.paths.values().map(|times| times - 1).sum::<u64>() + seen.other;
    let most = seen.paths.iter().max_by_key(|(_, times)| **times);
    let is_article = |state: &State| state.kind == "article";
    let crawled = Crawled {
        tally: Tally::of(&trial.catalog, site.truth(), is_article).await?,
        requests: seen.total,
        repeated,
        most_asked: most.map(|(path, times)| format!("{path} {times} times")).unwrap_or_default(),
        changes: state_changes(&site),
        report,
    };
    eprintln!(
        "  {articles} articles: {} of {} pages, {} events, {} requests, {:.1} s; {}",
        crawled.tally.found(),
        crawled.tally.asked(),
        crawled.report.events_fired,
        crawled.requests,
        crawled.report.elapsed_s,
        crawled.tally.missing()
    );
    site.stop().await;
    Ok(crawled)
}

impl Crawled {
    /// Seconds for each page of an article; the other pages of the blog cost time and do not count.
    fn seconds_per_page(&self) -> f64 {
        self.report.elapsed_s / self.tally.found().max(1) as f64
    }

    /// Instructions that were looked at: fired, or known to lead to what is there already.
    fn instructions(&self) -> i64 {
        self.report.events_fired + self.report.events_saved.instruction
    }
}

fn table_2(set: &Set, run: &Crawled) -> Experiment {
    let (found, per_page) = (run.tally.found(), run.seconds_per_page());
    let learning = run.report.requests.learning;
    let share = learning as f64 / run.requests.max(1) as f64;
    // What was loaded to learn or to check was asked for before: that is its point.
    let again = run.repeated as i64 - learning;
    Experiment::new(format!("seed001/{}", set.name))
        .ours("pages", set.pages)
        .ours("found", found)
        .ours("captured", run.tally.pages)
        .ours("twice", run.tally.twice())
        .ours("seconds", rounded(run.report.elapsed_s))
        .ours("seconds_per_page", rounded(per_page))
        .ours("requests", run.requests)
        .ours("learning", learning)
        .ours("again", again.max(0))
        .ours("state_changes", run.changes)
        .seed("pages", set.pages)
        .seed("seconds", set.seconds)
        .seed("seconds_per_page", set.per_page)
        .seed("heritrix_pages", set.heritrix_pages)
        .seed("heritrix_seconds_per_page", set.heritrix_per_page)
        .better(set.per_page, per_page)
        .ask(found == set.pages, format!("{found} of {} pages: {}", set.pages, run.tally.missing()))
        .ask(run.tally.twice() == 0, format!("{} pages twice", run.tally.twice()))
        .ask(per_page <= SECONDS_PER_PAGE, format!("{per_page:.3} seconds a page"))
        .ask(again <= 0, format!("{again} requests were made again, {}", run.most_asked))
        .ask(share <= LEARNING_SHARE, format!("{:.1} % of the requests to learn", share * 100.0))
        .ask(run.changes == 0, format!("{} state changes", run.changes))
}

fn figures_1_and_2(articles: u32, double: &Crawled, single: &Crawled) -> Experiment {
    let rate = |run: &Crawled| rounded(run.tally.pages as f64 / run.report.elapsed_s.max(0.001));
    let (both, content) = (double.report.elapsed_s, single.report.elapsed_s);
    Experiment::new(format!("seed001/filters/{articles}"))
        .ours("pages", double.tally.asked())
        .ours("found", double.tally.found())
        .ours("seconds", rounded(both))
        .ours("pages_per_s", rate(double))
        .ours("requests", double.requests)
        .ours("instructions", double.instructions())
        .ours("fired", double.report.events_fired)
        .ours("single_found", single.tally.found())
        .ours("single_seconds", rounded(content))
        .ours("single_pages_per_s", rate(single))
        .ours("single_fired", single.report.events_fired)
        .better(content, both)
        .ask(double.tally.is_whole(), double.tally.missing())
        .ask(single.tally.is_whole(), format!("content filter alone: {}", single.tally.missing()))
        .ask(both <= content, "both filters take longer than one")
}
