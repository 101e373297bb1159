//! `bathys bench maze`: everything that the maze has, in every build, without walking into what
//! never ends and without changing anything.

use std::collections::BTreeMap;
use std::time::Duration;

use crawl::{Report, Settings};
use derive::Limits;
use testsite::{Build, Options, SiteKind, Truth};

use crate::sheet::{Experiment, Sheet, rounded};
use crate::tally::Tally;
use crate::trial::{Trial, path_of, state_changes, stopped, whole};

/// Pages that a crawl may keep of something endless beyond those that are worth having.
const TRAP_PAGES: usize = 200;
/// The budget of the whole crawl. One that needs all of it has not ended what never ends.
const MOST_EVENTS: u64 = 20_000;
const MOST_TIME: Duration = Duration::from_secs(30 * 60);

pub async fn run(sheet: &mut Sheet, quick: bool) -> anyhow::Result<()> {
    let builds: &[Build] = if quick { &[Build::Inline] } else { Build::ALL };
    let mut first: Option<(Build, BTreeMap<String, usize>)> = None;
    for build in builds {
        let crawled = crawl(*build).await?;
        let mut experiment = crawled.experiment(*build);
        match &first {
            None => first = Some((*build, crawled.kept)),
            Some((other, expected)) => {
                let differing = differing(expected, &crawled.kept);
                experiment = experiment.ask(
                    differing.is_empty(),
                    format!("not as in {other}: {}", differing.join(", ")),
                );
            }
        }
        sheet.put(experiment)?;
    }
    sheet.table(&format!(
        "the maze; at most {TRAP_PAGES} pages of what never ends, {MOST_EVENTS} events in all"
    ))
}

/// A crawl of one build.
pub struct Crawled {
    pub report: Report,
    pub tally: Tally,
    pub truth: Truth,
    /// How many pages were kept of each room that ends.
    kept: BTreeMap<String, usize>,
    /// And of each that does not.
    pub endless: Vec<Endless>,
    pub changes: usize,
}

/// A room that never ends, and what a crawl made of it.
pub struct Endless {
    pub room: String,
    /// What of it never ends.
    endless: String,
    pages: usize,
    /// States of it that are worth having.
    worth: usize,
    /// Whether the crawl says that it was ended.
    pub is_reported: bool,
}

impl Endless {
    /// Whether the crawl turned round soon enough.
    pub fn is_left(&self) -> bool {
        self.pages <= self.worth + TRAP_PAGES
    }
}

/// Crawls one build.
pub async fn crawl(build: Build) -> anyhow::Result<Crawled> {
    let site = testsite::serve(SiteKind::Maze, Options { build, ..Options::default() }).await?;
    let truth = site.truth().clone();
    let limits = Limits { events: Some(MOST_EVENTS), time: Some(MOST_TIME), ..Limits::default() };
    let trial = Trial::new()?;
    let report = trial.crawl(Settings { limits, ..whole(&site)? }).await?;
    let tally = Tally::of(&trial.catalog, &truth, |_| true).await?;
    let mut kept: BTreeMap<String, usize> = BTreeMap::new();
    for page in trial.pages().await? {
        *kept.entry(room(&path_of(&page.url))).or_default() += 1;
    }
    let changes = state_changes(&site);
    eprintln!(
        "  maze/{build}: {} of {} states, {} pages, {} events, {:.1} s; {}",
        tally.found(),
        tally.asked(),
        tally.pages,
        report.events_fired,
        report.elapsed_s,
        tally.missing()
    );
    site.stop().await;
    let mut endless = Vec::new();
    for trap in &truth.traps {
        let room = room(&trap.path);
        let worth = truth.states.iter().filter(|state| state.behaviour == trap.behaviour).count();
        endless.push(Endless {
            pages: kept.remove(&room).unwrap_or_default(),
            room,
            endless: trap.endless.clone(),
            worth,
            is_reported: is_reported(&report, &trap.path),
        });
    }
    let crawled = Crawled { report, tally, truth, kept, endless, changes };
    for (room, pages) in crawled.surplus() {
        eprintln!("    {pages} pages of {room} that are no states");
    }
    Ok(crawled)
}

impl Crawled {
    fn experiment(&self, build: Build) -> Experiment {
        let Crawled { report, tally, changes, .. } = self;
        let mut experiment = Experiment::new(format!("maze/{build}"))
            .ours("states", tally.asked())
            .ours("found", tally.found())
            .ours("captured", tally.pages)
            .ours("events", report.events_fired + report.events_replayed)
            .ours("requests", report.requests.network)
            .ours("seconds", rounded(report.elapsed_s))
            .ours("traps", report.traps.len())
            .ours("state_changes", *changes)
            .ask(tally.is_whole(), tally.missing())
            .ask(*changes == 0, format!("{changes} state changes"))
            .ask(report.stopped.is_none(), format!("cut off: {}", stopped(report)));
        for trap in &self.endless {
            let Endless { room, endless, pages, worth, .. } = trap;
            experiment = experiment
                .ask(
                    trap.is_left(),
                    format!("{pages} pages of {room}, where {endless} ({worth} are worth having)"),
                )
                .ask(trap.is_reported, format!("{room} was not reported as a trap"));
        }
        experiment.ours("extra", self.extra())
    }

    /// Rooms that end of which more pages were kept than the truth has, and how many more.
    fn surplus(&self) -> Vec<(String, usize)> {
        let states = &self.truth.states;
        let known = |name: &str| states.iter().filter(|state| room(&state.url) == name).count();
        let more =
            |(room, pages): (&String, &usize)| (room.clone(), pages.saturating_sub(known(room)));
        self.kept.iter().map(more).filter(|(_, more)| *more > 0).collect()
    }

    /// Pages of rooms that end that are no states.
    pub fn extra(&self) -> usize {
        self.surplus().iter().map(|(_, pages)| pages).sum()
    }
}

/// The first part of a path: the room that it belongs to.
fn room(path: &str) -> String {
    let name = path.trim_start_matches('/').split(['/', ';']).next().unwrap_or_default();
    format!("/{name}")
}

fn is_reported(report: &Report, path: &str) -> bool {
    report.traps.iter().any(|trap| trap.what.contains(path.trim_end_matches('/')))
}

/// The rooms of which the two crawls kept different numbers of pages.
fn differing(expected: &BTreeMap<String, usize>, kept: &BTreeMap<String, usize>) -> Vec<String> {
    let rooms: std::collections::BTreeSet<&String> = expected.keys().chain(kept.keys()).collect();
    let count = |of: &BTreeMap<String, usize>, room: &String| of.get(room).copied().unwrap_or(0);
    rooms
        .into_iter()
        .filter(|room| count(expected, room) != count(kept, room))
        .map(|room| format!("{room} {} for {}", count(kept, room), count(expected, room)))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_belongs_to_the_room_that_its_path_begins_with() {
        assert_eq!(room("/shelf/page/7"), "/shelf");
        assert_eq!(room("/ticket;jsessionid=4/2"), "/ticket");
        assert_eq!(room("/"), "/");
    }

    #[test]
    fn rooms_that_one_build_has_more_of_are_named() {
        let of = |rooms: &[(&str, usize)]| {
            rooms.iter().map(|(room, pages)| ((*room).to_owned(), *pages)).collect()
        };
        let (one, other) = (of(&[("/tabs", 3), ("/menu", 2)]), of(&[("/tabs", 4), ("/menu", 2)]));
        assert_eq!(differing(&one, &other), ["/tabs 4 for 3"]);
        assert_eq!(differing(&one, &of(&[("/tabs", 3)])), ["/menu 0 for 2"]);
    }
}
