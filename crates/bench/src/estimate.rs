//! `bathys bench estimate`: what a crawl believes while it goes on. What it has found, the most that it believes
//! there is, and what there is, against the events that it spent; `--svg FILE` draws it, one file a site.

use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use anyhow::Context as _;
use crawl::{Priors, ScopeKind, Settings};
use page::state::url::Site;
use store::CatalogWriter;
use testsite::{Build, Options, Running, SiteKind, State};

use crate::chart::{Chart, Line};
use crate::sheet::{Experiment, Sheet};
use crate::tally::Tally;
use crate::trial::{Trial, from};

/// How often a running crawl is looked at.
const LOOK: Duration = Duration::from_millis(100);
/// The room of the maze with a pager, columns that sort and a choice of lengths: three widgets that multiply.
const TABLE: &str = "/ledger/";

/// What a crawl had found at some time, and what it believed.
#[derive(Clone, Copy)]
struct Point {
    events: i64,
    found: i64,
    /// Found, waiting to be visited or explored, and missed at most because of what was deferred.
    believed: i64,
}

pub async fn run(sheet: &mut Sheet, quick: bool, svg: Option<&Path>) -> anyhow::Result<()> {
    let sites = [
        ("news", SiteKind::News, "/", 0, Build::React),
        ("blog", SiteKind::Blog, "/", if quick { 10 } else { 50 }, Build::Inline),
        ("table", SiteKind::Maze, TABLE, 0, Build::Inline),
    ];
    for (name, kind, path, size, build) in sites {
        let options = Options { size, build, ..Options::default() };
        let site = testsite::serve(kind, options).await?;
        let is_asked = |state: &State| state.url.starts_with(path);
        let trial = Trial::new()?;
        let (points, events) = follow(&site, path, &trial).await?;
        let tally = Tally::of(&trial.catalog, site.truth(), is_asked).await?;
        site.stop().await;
        let last = points.last().context("nothing was seen of the crawl")?;
        let broken = points.iter().filter(|point| point.believed < point.found).count();
        sheet.put(
            Experiment::new(format!("estimate/{name}"))
                .ours("states", tally.asked())
                .ours("found", tally.found())
                .ours("captured", last.found)
                .ours("believed", last.believed)
                .ours("events", events)
                .ask(tally.is_whole(), tally.missing())
                .ask(broken == 0, "more was found than was believed to be there"),
        )?;
        if let Some(file) = svg {
            let stem = file.file_stem().unwrap_or_default().to_string_lossy();
            let file = file.with_file_name(format!("{stem}-{name}.svg"));
            let missing = tally.asked() - tally.found();
            let drawn = chart(name, &points, missing).to_svg();
            fs::write(&file, drawn).with_context(|| format!("cannot write {}", file.display()))?;
            eprintln!("  the curve of {name} is in {}", file.display());
        }
    }
    sheet.table("what crawls believed, and what there was")
}

/// Crawls, and looks at what is found and believed meanwhile. Returns the events that it took, too.
async fn follow(site: &Running, path: &str, trial: &Trial) -> anyhow::Result<(Vec<Point>, i64)> {
    let settings = Settings { scope: ScopeKind::Prefix, ..from(site, path)? };
    let name = Site::of(&site.url().parse()?).context("the site has no address")?;
    let crawling = trial.crawl(settings);
    tokio::pin!(crawling);
    let mut points = vec![Point { events: 0, found: 0, believed: 1 }];
    let report = loop {
        match tokio::time::timeout(LOOK, &mut crawling).await {
            Ok(report) => break report?,
            Err(_) => points.extend(look(&trial.catalog, name.as_str()).await),
        }
    };
    points.extend(look(&trial.catalog, name.as_str()).await);
    points.dedup_by_key(|point| (point.events, point.found, point.believed));
    Ok((points, report.events_fired + report.events_replayed))
}

async fn look(catalog: &Arc<CatalogWriter>, site: &str) -> Option<Point> {
    let summary = catalog.summary(site).await.ok()?;
    let beliefs = crawl::beliefs(catalog, site, &Priors::default()).await.ok()?;
    let count = |name: &str| summary.counters.get(name).copied().unwrap_or_default();
    let found = summary.captured();
    Some(Point {
        events: count("events_fired") + count("events_replayed"),
        found,
        believed: found + summary.waiting + beliefs.missed_at_most,
    })
}

fn chart(name: &str, points: &[Point], missing: usize) -> Chart {
    let last = points.last().map_or(0, |point| point.found) as f64 + missing as f64;
    let line = |name: &str, colour, of: fn(&Point) -> i64| Line {
        name: name.into(),
        colour,
        points: points.iter().map(|point| (point.events as f64, of(point) as f64)).collect(),
    };
    let most = points.last().map_or(0, |point| point.events) as f64;
    Chart {
        title: format!("What a crawl of {name} found, and what it believed there was"),
        across: "events".into(),
        up: "pages and states".into(),
        lines: vec![
            line("found", "#0b6e4f", |point| point.found),
            line("believed at most", "#b5332e", |point| point.believed),
            Line {
                name: "there are".into(),
                colour: "#777",
                points: vec![(0.0, last), (most, last)],
            },
        ],
    }
}
