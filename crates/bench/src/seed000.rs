//! `bathys bench seed000`: seed 000's second experiment (table 1), the comment pages of three
//! articles, with each build; then its first one, the forum (figure 3, in `curve`).
//!
//! What was learned comes from other articles than those that are measured, and a measured crawl
//! begins with the model and nothing else. Our events count those that were fired only to return to
//! a state, which the paper leaves out, and the generic crawl's do not.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

use anyhow::Context as _;
use crawl::{Candidates, Model, Render, Report, Settings};
use derive::Limits;
use testsite::{Build, Options, Running, SiteKind, State, Truth};
use url::Url;

use crate::curve;
use crate::sheet::{Experiment, Sheet, rounded};
use crate::tally::Tally;
use crate::trial::{Trial, from, no_filters, state_changes, stopped, whole};

/// The paper's table 1: pages, events of the optimised generic crawl, events of its approach.
const TABLE_1: [(usize, i64, i64); 3] = [(7, 1_114, 78), (8, 1_698, 90), (11, 1_609, 156)];
/// What is asked for: events for each comment page, and how much more if every tag and every type
/// of event is looked at.
const EVENTS_PER_PAGE: f64 = 1.5;
const GROWTH: f64 = 1.10;
/// Articles with comments: the three that are measured and two to learn from.
const ARTICLES: u32 = 5;
/// Where the generic crawl and the full scan are cut off.
const MOST_EVENTS: u64 = 20_000;
const MOST_EVENTS_QUICK: u64 = 400;
/// The page type, as the model names it.
const COMMENTS: &str = "comments";

pub async fn run(sheet: &mut Sheet, quick: bool, svg: Option<&Path>) -> anyhow::Result<()> {
    let builds: &[Build] = if quick { &[Build::Inline, Build::React] } else { Build::ALL };
    for build in builds {
        newspaper(sheet, *build, quick).await?;
    }
    sheet.table(
        "seed 000, table 1: comment pages of three articles, latency 30 ms, timers 100 ms",
    )?;
    curve::run(sheet, quick, svg).await?;
    sheet.table("seed 000, figure 3: events for each valid page of a forum")
}

/// What is done with one way of looking at events.
struct Crew<'s> {
    site: &'s Running,
    candidates: Candidates,
    most_events: u64,
    model: Model,
    learning_events: i64,
}

/// What a crawl of one article gave.
struct Crawled {
    report: Report,
    found: usize,
    twice: usize,
    missing: String,
}

impl Crawled {
    fn events(&self) -> i64 {
        self.report.events_fired + self.report.events_replayed
    }
}

/// The site, the articles of the table with their pages, and the others.
async fn serve(build: Build) -> anyhow::Result<(Running, Vec<(String, usize)>, Vec<String>)> {
    let options =
        Options { build, latency: Duration::from_millis(30), size: ARTICLES, ..Options::default() };
    // The three articles of the table are those that the site has if it has three.
    let three = SiteKind::News.generate(&Options { size: 3, ..options.clone() }).truth();
    let site = testsite::serve(SiteKind::News, options).await?;
    let (measured, lessons) = articles(&three, site.truth());
    Ok((site, measured, lessons))
}

/// The three articles of the table together, by every tag and event.
pub struct Learned {
    pub found: usize,
    pub twice: usize,
    pub events: i64,
    pub learning_events: i64,
    pub changes: usize,
}

/// Learns from the other articles, then crawls the three with what was learned.
pub async fn learned(build: Build) -> anyhow::Result<Learned> {
    let (site, measured, lessons) = serve(build).await?;
    let crew = Crew::learn(&site, Candidates::All, MOST_EVENTS, &lessons).await?;
    let (mut found, mut twice, mut events) = (0, 0, 0);
    for (url, _) in &measured {
        let crawled = crew.ours(url).await?;
        found += crawled.found;
        twice += crawled.twice;
        events += crawled.events();
    }
    let (learning_events, changes) = (crew.learning_events, state_changes(&site));
    site.stop().await;
    Ok(Learned { found, twice, events, learning_events, changes })
}

async fn newspaper(sheet: &mut Sheet, build: Build, quick: bool) -> anyhow::Result<()> {
    let (site, measured, lessons) = serve(build).await?;
    let most_events = if quick { MOST_EVENTS_QUICK } else { MOST_EVENTS };
    let all = Crew::learn(&site, Candidates::All, most_events, &lessons).await?;
    let anchors = Crew::learn(&site, Candidates::AnchorClicks, most_events, &lessons).await?;
    let mut ours = (0, 0);
    let mut narrow = (0, 0);
    for (number, (url, pages)) in measured.iter().enumerate().take(if quick { 1 } else { 3 }) {
        let (by_all, by_anchors) = (all.ours(url).await?, anchors.ours(url).await?);
        ours = (ours.0 + by_all.events(), ours.1 + by_all.found);
        narrow = (narrow.0 + by_anchors.events(), narrow.1 + by_anchors.found);
        let generic = all.generic(url).await?;
        let generic_anchors = anchors.generic(url).await?;
        let plain = all.plain(url).await?;
        let name = format!("seed000/news{}/{build}", number + 1);
        let paper = TABLE_1.iter().find(|(paper_pages, ..)| paper_pages == pages);
        sheet.put(article(
            &name,
            *pages,
            paper,
            &all,
            &by_all,
            &by_anchors,
            [&generic, &generic_anchors, &plain],
        ))?;
    }
    for (crew, how) in [(&all, "all"), (&anchors, "a")] {
        let scan = crew.full_scan(&site).await?;
        sheet.put(
            Experiment::new(format!("seed000/full-scan-{how}/{build}"))
                .ours("pages", comments(site.truth()).count())
                .ours("found", scan.found)
                .ours("generic_events", scan.report.events_fired)
                .ours("seconds", rounded(scan.report.elapsed_s))
                .ours("stopped", stopped(&scan.report)),
        )?;
    }
    // Where pages are turned by other elements than anchors there is nothing to compare with.
    let growth = (narrow.1 == ours.1).then(|| ours.0 as f64 / narrow.0.max(1) as f64);
    let changes = state_changes(&site);
    sheet.put(
        Experiment::new(format!("seed000/every-tag-and-event/{build}"))
            .ours("found", ours.1)
            .ours("events", ours.0)
            .ours("a_events", narrow.0)
            .ours("a_found", narrow.1)
            .ours("growth", growth.map(rounded))
            .ours("state_changes", changes)
            .ask(
                growth.is_none_or(|growth| growth <= GROWTH),
                format!("{} events where anchors take {}", ours.0, narrow.0),
            )
            .ask(changes == 0, format!("{changes} state changes")),
    )?;
    site.stop().await;
    Ok(())
}

/// The line of one article.
fn article(
    name: &str,
    pages: usize,
    paper: Option<&(usize, i64, i64)>,
    crew: &Crew<'_>,
    ours: &Crawled,
    anchors: &Crawled,
    [generic, generic_anchors, plain]: [&Crawled; 3],
) -> Experiment {
    let per_page = ours.events() as f64 / pages.max(1) as f64;
    let mut experiment = Experiment::new(name)
        .ours("pages", pages)
        .ours("found", ours.found)
        .ours("events", ours.events())
        .ours("per_page", rounded(per_page))
        .ours("a_events", anchors.events())
        .ours("a_found", anchors.found)
        .ours("learning_events", crew.learning_events)
        .ours("generic_events", generic.report.events_fired)
        .ours("generic_found", generic.found)
        .ours("generic_a_events", generic_anchors.report.events_fired)
        .ours("plain_found", plain.found)
        .ours("seconds", rounded(ours.report.elapsed_s))
        .ask(ours.found == pages, format!("recall {} of {pages}: {}", ours.found, ours.missing))
        .ask(per_page <= EVENTS_PER_PAGE, format!("{per_page:.2} events a page"));
    if let Some((_, generic, events)) = paper {
        experiment = experiment
            .seed("events", *events)
            .seed("generic_events", *generic)
            .better(*events as f64, ours.events() as f64);
    }
    experiment
}

impl<'s> Crew<'s> {
    /// Learns from articles that are not measured.
    async fn learn(
        site: &'s Running,
        candidates: Candidates,
        most_events: u64,
        lessons: &[String],
    ) -> anyhow::Result<Self> {
        let urls = lessons.iter().map(|path| Ok(Url::parse(&site.url_of(path))?));
        let urls = urls.collect::<anyhow::Result<Vec<_>>>()?;
        let samples = urls.iter().map(|url| (COMMENTS.to_owned(), url.clone())).collect();
        let trial = Trial::new()?;
        let settings = Settings { candidates, ..Settings::new(urls) };
        let trained = crawl::train(samples, settings, trial.catalog.clone())
            .await
            .context("cannot learn from the other articles")?;
        eprintln!(
            "  learned {} patterns by {} events",
            trained.model.patterns.len(),
            trained.events_fired
        );
        Ok(Self {
            site,
            candidates,
            most_events,
            model: trained.model,
            learning_events: trained.report.events_fired + trained.report.events_replayed,
        })
    }

    /// A crawl of one article's comments and of no other URL, as the paper does it.
    fn settings(&self, url: &str) -> anyhow::Result<Settings> {
        let start = from(self.site, url)?;
        let only = start.start.iter().map(|url| format!("^{}", regex::escape(url.as_str())));
        Ok(Settings { include: only.collect(), candidates: self.candidates, ..start })
    }

    /// With the model, and only towards comments.
    async fn ours(&self, url: &str) -> anyhow::Result<Crawled> {
        let settings = self.settings(url)?;
        self.crawl(
            url,
            "ours",
            Settings { model: Some(self.model.clone()), want: vec![COMMENTS.into()], ..settings },
        )
        .await
    }

    /// The paper's optimised generic crawl: every event, but only on pages of the wanted type.
    async fn generic(&self, url: &str) -> anyhow::Result<Crawled> {
        let settings = self.settings(url)?;
        self.crawl(
            url,
            "generic",
            Settings {
                want: vec![self.site.url_of(url)],
                filters: no_filters(),
                limits: self.limits(),
                ..settings
            },
        )
        .await
    }

    /// The traditional crawler: no scripts at all.
    async fn plain(&self, url: &str) -> anyhow::Result<Crawled> {
        let settings = self.settings(url)?;
        self.crawl(url, "without scripts", Settings { render: Render::Never, ..settings }).await
    }

    /// The "full auto scan": every event on every state of the site.
    async fn full_scan(&self, site: &Running) -> anyhow::Result<Crawled> {
        let settings = Settings {
            filters: no_filters(),
            candidates: self.candidates,
            limits: self.limits(),
            ..whole(site)?
        };
        self.crawl("", "full scan", settings).await
    }

    fn limits(&self) -> Limits {
        Limits { events: Some(self.most_events), ..Limits::default() }
    }

    async fn crawl(&self, url: &str, what: &str, settings: Settings) -> anyhow::Result<Crawled> {
        let trial = Trial::new()?;
        let report = trial.crawl(settings).await?;
        let is_asked =
            |state: &State| state.kind == COMMENTS && (url.is_empty() || state.url == url);
        let tally = Tally::of(&trial.catalog, self.site.truth(), is_asked).await?;
        eprintln!(
            "  {what} {url} ({:?}): {} of {} comment pages, {} + {} events, {:.1} s",
            self.candidates,
            tally.found(),
            tally.asked(),
            report.events_fired,
            report.events_replayed,
            report.elapsed_s
        );
        let (found, twice) = (tally.found(), tally.twice());
        Ok(Crawled { report, found, twice, missing: tally.missing() })
    }
}

/// The articles of the table, fewest pages first, with their pages; and the others.
fn articles(three: &Truth, all: &Truth) -> (Vec<(String, usize)>, Vec<String>) {
    let mut pages: BTreeMap<&str, usize> = BTreeMap::new();
    for state in comments(three) {
        *pages.entry(&state.url).or_default() += 1;
    }
    let mut others: Vec<String> = comments(all)
        .map(|state| state.url.clone())
        .filter(|url| !pages.contains_key(url.as_str()))
        .collect();
    others.dedup();
    let mut measured: Vec<(String, usize)> =
        pages.into_iter().map(|(url, pages)| (url.to_owned(), pages)).collect();
    measured.sort_by_key(|(_, pages)| *pages);
    (measured, others)
}

fn comments(truth: &Truth) -> impl Iterator<Item = &State> {
    truth.states.iter().filter(|state| state.kind == COMMENTS)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_articles_of_the_table_are_not_those_that_are_learned_from() {
        let truth = |size| SiteKind::News.generate(&Options { size, ..Options::default() }).truth();
        let (measured, lessons) = articles(&truth(3), &truth(ARTICLES));
        let pages: Vec<_> = measured.iter().map(|(_, pages)| *pages).collect();
        assert_eq!(pages, [7, 8, 11], "as in the paper");
        assert_eq!(lessons.len(), 2);
        assert!(measured.iter().all(|(url, _)| !lessons.contains(url)));
    }
}
