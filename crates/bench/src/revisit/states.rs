//! Revisiting states that only events reach: a site is crawled, a day passes on its clock, and it is
//! watched. Every state that changed or came has to be found, at few events.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use anyhow::Context as _;
use crawl::revisit::{Bounds, Watch, WatchNews, WatchOutcome, WatchSettings, WatchVisit};
use page::state::url::Site as SiteName;
use page::tree::visible_text;
use store::{Catalog, Which};
use testsite::{Options, SiteKind, State};

use crate::sheet::{Experiment, Sheet, rounded};
use crate::trial::{Trial, from, state_changes};

/// Asked for: events for each state that only events reach.
const EVENTS: f64 = 1.2;
/// Visits to what is due: everything.
const AT_ONCE: Bounds = Bounds { min: Duration::ZERO, max: Duration::ZERO };

/// What a watch of a site found, a day after it was crawled.
pub struct Rewatched {
    /// States that differ from the day before, or were not there, and those of them that were found.
    pub news: usize,
    pub found: usize,
    /// States that only events reach, as they were told, and the events that were fired in their documents,
    /// or again to get back to one.
    pub states: usize,
    pub events: u64,
    /// Events that were fired in other documents, to see whether anything has become of them.
    pub other_events: u64,
    /// States that are not there any more, and those that were told to be gone.
    pub gone: usize,
    pub told_gone: usize,
    /// States that are as the day before, and that were told to be new or elsewhere.
    pub wrong: usize,
    pub requests: u64,
    pub state_changes: usize,
}

pub async fn run(sheet: &mut Sheet, quick: bool) -> anyhow::Result<()> {
    let small = Options { size: 30, chaff: 12, ..Options::default() };
    let large = Options { size: 200, chaff: 40, ..Options::default() };
    for (kind, options) in
        [(SiteKind::News, Options::default()), (SiteKind::Bbs, if quick { small } else { large })]
    {
        let seen = rewatch(kind, options).await?;
        let each = seen.events as f64 / (seen.states.max(1) as f64);
        sheet.put(
            Experiment::new(format!("revisit/{kind}"))
                .ours("changed_and_new", seen.news)
                .ours("found", seen.found)
                .ours("gone", seen.gone)
                .ours("told_gone", seen.told_gone)
                .ours("told_wrongly", seen.wrong)
                .ours("states", seen.states)
                .ours("events", seen.events)
                .ours("events_per_state", rounded(each))
                .ours("other_events", seen.other_events)
                .ours("requests", seen.requests)
                .ask(seen.found == seen.news, format!("{} of {} found", seen.found, seen.news))
                .ask(each <= EVENTS, format!("{each:.2} events a state"))
                .ask(seen.state_changes == 0, "the site was changed"),
        )?;
    }
    sheet.table("a day later: states that changed or came, and the events that finding them took")
}

/// Crawls a site, lets a day pass, and watches it once.
pub async fn rewatch(kind: SiteKind, options: Options) -> anyhow::Result<Rewatched> {
    let options = Options { volatile: false, ..options };
    let site = testsite::serve(kind, options.clone()).await?;
    let settings = from(&site, &site.truth().entry)?;
    let name = settings.start.first().and_then(SiteName::of).context("it has no site")?;
    let trial = Trial::new()?;
    trial.crawl(settings.clone()).await?;
    let before = replayed(&trial.catalog, name.as_str()).await?;
    site.set_clock(site.clock().tomorrow());
    let told = WatchSettings { budget: None, bounds: AT_ONCE, once: true };
    let mut visits: Vec<WatchVisit> = Vec::new();
    let watch = Watch::begin(settings, told, trial.catalog.clone()).await?;
    let report = watch
        .run(|news| {
            if let WatchNews::Visited(visit) = news {
                visits.push(*visit);
            }
            anyhow::Ok(())
        })
        .await?;
    let truth = kind.generate(&Options { age: 1, ..options }).truth();
    let old: BTreeMap<&str, &State> =
        site.truth().states.iter().map(|state| (state.id.as_str(), state)).collect();
    let is_same = |state: &State| {
        old.get(state.id.as_str())
            .is_some_and(|old| old.marker == state.marker && old.shows == state.shows)
    };
    let news: Vec<&State> = truth.wanted().filter(|state| !is_same(state)).collect();
    let there: BTreeSet<&str> = truth.states.iter().map(|state| state.id.as_str()).collect();
    let gone = site.truth().wanted().filter(|state| !there.contains(state.id.as_str())).count();
    let mut texts = Vec::new();
    for visit in &visits {
        let is_news = matches!(visit.outcome, WatchOutcome::New | WatchOutcome::Moved);
        if is_news || visit.outcome == WatchOutcome::Changed {
            texts.push((is_news, text_of(&trial.catalog, visit).await?));
        }
    }
    let is_found = |state: &&&State| texts.iter().any(|(_, text)| shows(text, state));
    let lost: Vec<&str> =
        news.iter().filter(|state| !is_found(state)).map(|state| state.id.as_str()).collect();
    if !lost.is_empty() {
        eprintln!("  {kind}: not found: {}", lost.join(", "));
    }
    let is_state = |visit: &&WatchVisit| visit.key != visit.url;
    let count = |outcome: WatchOutcome| {
        visits.iter().filter(is_state).filter(|visit| visit.outcome == outcome).count()
    };
    let same: Vec<&State> = truth.wanted().filter(|state| is_same(state)).collect();
    let is_wrong =
        |told: &&(bool, String)| told.0 && same.iter().any(|state| shows(&told.1, state));
    let replayed = replayed(&trial.catalog, name.as_str()).await?.saturating_sub(before);
    let told_gone = count(WatchOutcome::Gone);
    let seen = Rewatched {
        news: news.len(),
        found: news.len() - lost.len(),
        states: visits.iter().filter(is_state).count() - told_gone,
        events: report.walk_events + replayed,
        other_events: report.events - report.walk_events,
        gone,
        told_gone,
        wrong: texts.iter().filter(is_wrong).count(),
        requests: report.requests,
        state_changes: state_changes(&site),
    };
    site.stop().await;
    Ok(seen)
}

/// Events that were fired again on a site so far, on the way to known states.
async fn replayed(catalog: &Catalog, site: &str) -> anyhow::Result<u64> {
    let counters = catalog.summary(site).await?.counters;
    Ok(counters.get("events_replayed").copied().unwrap_or(0).unsigned_abs())
}

async fn text_of(catalog: &Catalog, visit: &WatchVisit) -> anyhow::Result<String> {
    let version = catalog.version(visit.page, Which::Latest).await?;
    let tree = version.and_then(|version| derive::tree_of(&version));
    Ok(tree.map(|dom| visible_text(&dom)).unwrap_or_default())
}

/// Whether a text shows all that a state does.
fn shows(text: &str, state: &State) -> bool {
    text.contains(&state.marker) && state.shows.iter().all(|shown| text.contains(shown.as_str()))
}
