//! Seed 000's first experiment (figure 3): events for each valid page of a forum, as the crawl goes
//! on. Valid pages are the list and the threads; there are many others.
//!
//! As in the paper, an event is a click on whatever leads on, so a link that is followed counts as
//! one, beside the events that were fired and those fired again to return to a state.

use std::fs;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use anyhow::{Context as _, ensure};
use crawl::{Report, Settings};
use derive::Limits;
use page::state::url::Site;
use store::{CatalogWriter, Millis};
use testsite::{Options, Reach, Running, SiteKind, State, Truth};
use url::Url;

use crate::chart::{Chart, Line};
use crate::sheet::{Experiment, Sheet, rounded};
use crate::tally::Tally;
use crate::trial::{Trial, no_filters, stopped, whole};

/// Valid pages at which events are counted.
const POINTS: [usize; 5] = [250, 500, 1_000, 1_500, 2_000];
const POINTS_QUICK: [usize; 4] = [20, 40, 60, 80];
/// How much events for each page may differ between two points.
const FLAT: f64 = 1.10;
/// The generic crawl is cut off here: it goes through everything for each valid page.
const GENERIC_EVENTS: u64 = 60_000;
const GENERIC_EVENTS_QUICK: u64 = 800;
/// How often a running crawl is looked at.
const LOOK: Duration = Duration::from_millis(500);

pub async fn run(sheet: &mut Sheet, quick: bool, svg: Option<&Path>) -> anyhow::Result<()> {
    let points: &[usize] = if quick { &POINTS_QUICK } else { &POINTS };
    let last = points.last().copied().unwrap_or_default();
    let options = Options { size: u32::try_from(last)?, ..Options::default() };
    let site = testsite::serve(SiteKind::Bbs, options).await?;
    let (list, thread) = samples(site.truth())?;
    let (list, thread) = (Url::parse(&site.url_of(&list))?, Url::parse(&site.url_of(&thread))?);

    let lesson = Trial::new()?;
    let trained = crawl::train(
        vec![("list".into(), list.clone()), ("thread".into(), thread.clone())],
        Settings::new(vec![list.clone(), thread.clone()]),
        lesson.catalog.clone(),
    )
    .await
    .context("cannot learn from the forum")?;
    drop(lesson);
    let ours = Settings {
        model: Some(trained.model),
        want: vec!["list".into(), "thread".into()],
        ..whole(&site)?
    };
    let most = if quick { GENERIC_EVENTS_QUICK } else { GENERIC_EVENTS };
    let generic = Settings {
        // Both examples are seen first, so that the crawl knows what is valid from the start.
        start: vec![list.clone(), thread.clone()],
        want: vec![list.into(), thread.into()],
        filters: no_filters(),
        limits: Limits { events: Some(most), ..Limits::default() },
        ..whole(&site)?
    };
    let learned = follow(&site, "with a model", ours).await?;
    let scanned = follow(&site, "generic", generic).await?;

    let mut costs = Vec::new();
    for point in points {
        let (events, generic) = (learned.events_at(*point), scanned.events_at(*point));
        let per_page = |events: Option<f64>| events.map(|events| rounded(events / *point as f64));
        costs.extend(per_page(events));
        sheet.put(
            Experiment::new(format!("seed000/bbs/{point}"))
                .ours("pages", *point)
                .ours("events", whole_number(events))
                .ours("per_page", per_page(events))
                .ours("learning_events", trained.events_fired)
                .ours("generic_events", whole_number(generic))
                .ours("generic_per_page", per_page(generic))
                .ask(events.is_some(), format!("{point} valid pages were not reached")),
        )?;
    }
    let (least, most) = costs
        .iter()
        .fold((f64::MAX, 0.0_f64), |(least, most), cost| (least.min(*cost), most.max(*cost)));
    let spread = if costs.is_empty() { 0.0 } else { most / least };
    sheet.put(
        Experiment::new("seed000/bbs/flat")
            .ours("pages", learned.times.len())
            .ours("spread", rounded(spread))
            .ours("generic_pages", scanned.times.len())
            .ours("generic_stopped", stopped(&scanned.report))
            .ours("seconds", rounded(learned.report.elapsed_s))
            .ask(spread <= FLAT, format!("events for each valid page differ by {spread:.2} times")),
    )?;
    if let Some(file) = svg {
        let drawn = chart(last, &learned, &scanned).to_svg();
        fs::write(file, drawn).with_context(|| format!("cannot write {}", file.display()))?;
        eprintln!("  the curve is in {}", file.display());
    }
    site.stop().await;
    Ok(())
}

fn whole_number(events: Option<f64>) -> Option<i64> {
    events.map(|events| events.round() as i64)
}

/// The list, and the thread with the most pages of those that have a link.
fn samples(truth: &Truth) -> anyhow::Result<(String, String)> {
    let of = |kind: &'static str| truth.states.iter().filter(move |state| state.kind == kind);
    let has_link = |state: &&State| state.reach == Reach::Url;
    let pages = |url: &str| of("thread").filter(|state| state.url == url).count();
    let list = of("list").next().map(|state| state.url.clone());
    let thread = of("thread")
        .filter(has_link)
        .take(50)
        .max_by_key(|state| pages(&state.url))
        .map(|state| state.url.clone());
    ensure!(list.is_some() && thread.is_some(), "the forum has no list or no thread");
    Ok((list.unwrap_or_default(), thread.unwrap_or_default()))
}

/// A crawl of the forum as it went on.
struct Course {
    report: Report,
    /// When each valid page was kept.
    times: Vec<Millis>,
    /// Events up to a time.
    counts: Vec<(Millis, f64)>,
}

async fn follow(site: &Running, what: &str, settings: Settings) -> anyhow::Result<Course> {
    let trial = Trial::new()?;
    let counts = Arc::new(Mutex::new(vec![(Millis::now(), 0.0)]));
    let name = Url::parse(&site.url()).ok().as_ref().and_then(Site::of);
    let name = name.context("the forum has no address")?;
    let looking = tokio::spawn(look(trial.catalog.clone(), name, counts.clone()));
    let report = trial.crawl(settings).await;
    looking.abort();
    let report = report?;
    let mut counts = std::mem::take(&mut *counts.lock().unwrap_or_else(PoisonError::into_inner));
    let all = report.events_fired + report.events_replayed + report.rendered + report.fetched;
    counts.push((Millis::now(), all as f64));
    let tally = Tally::of(&trial.catalog, site.truth(), |state| state.wanted).await?;
    eprintln!(
        "  {what}: {} of {} valid pages among {}, {all} events, {:.0} s; {}",
        tally.found(),
        tally.asked(),
        tally.pages,
        report.elapsed_s,
        tally.missing()
    );
    Ok(Course { report, times: tally.times(), counts })
}

/// Looks at the counters of a crawl until it is aborted.
async fn look(catalog: Arc<CatalogWriter>, site: Site, counts: Arc<Mutex<Vec<(Millis, f64)>>>) {
    loop {
        tokio::time::sleep(LOOK).await;
        let Ok(summary) = catalog.summary(site.as_str()).await else { continue };
        let counted = ["events_fired", "events_replayed", "rendered", "fetched"];
        let events: i64 = counted.iter().filter_map(|name| summary.counters.get(*name)).sum();
        let mut counts = counts.lock().unwrap_or_else(PoisonError::into_inner);
        counts.push((Millis::now(), events as f64));
    }
}

impl Course {
    /// Events that were spent when the given valid page was kept, if so many were.
    fn events_at(&self, page: usize) -> Option<f64> {
        let time = *self.times.get(page.checked_sub(1)?)?;
        let after = self.counts.partition_point(|(at, _)| *at < time);
        let (end, most) = *self.counts.get(after).or_else(|| self.counts.last())?;
        let (begin, least) = *self.counts.get(after.checked_sub(1)?)?;
        let length = (end.0 - begin.0).max(1) as f64;
        let part = ((time.0 - begin.0) as f64 / length).clamp(0.0, 1.0);
        Some(least + (most - least) * part)
    }

    /// The curve, at most a hundred points of it.
    fn points(&self) -> Vec<(f64, f64)> {
        let step = self.times.len().div_ceil(100).max(1);
        let pages = (step..=self.times.len()).step_by(step);
        pages.filter_map(|page| Some((page as f64, self.events_at(page)?))).collect()
    }
}

fn chart(pages: usize, learned: &Course, scanned: &Course) -> Chart {
    Chart {
        title: format!("Events to crawl the {pages} valid pages of a forum"),
        across: "valid pages".into(),
        up: "events".into(),
        lines: vec![
            Line { name: "with a model".into(), colour: "#0b6e4f", points: learned.points() },
            Line { name: "generic".into(), colour: "#b5332e", points: scanned.points() },
        ],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_at_a_page_lie_between_two_looks() {
        let course = Course {
            report: Report::default(),
            times: vec![Millis(100), Millis(150), Millis(900)],
            counts: vec![(Millis(100), 0.0), (Millis(200), 10.0), (Millis(300), 30.0)],
        };
        assert_eq!(course.events_at(2), Some(5.0));
        assert_eq!(course.events_at(3), Some(30.0), "after the last look");
        assert_eq!(course.events_at(4), None, "so many were not found");
    }
}
