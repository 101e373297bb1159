//! `bathys bench rooms`: each room of the maze whose widgets multiply, change what others show, or mean another
//! thing on each page, alone and in each build: everything found within three times the fewest events that
//! show it, and the crawl ends.
//!
//! `bathys bench rooms/ledger` crawls only rooms whose names begin so.

use std::time::Duration;

use crawl::{Report, ScopeKind, Settings};
use derive::Limits;
use testsite::{Build, Options, SiteKind, State};

use crate::sheet::{Experiment, Sheet};
use crate::tally::Tally;
use crate::trial::{Trial, from, stopped};

/// How many times the fewest events a crawl may take.
const FACTOR: i64 = 3;
/// The budget of a room. A crawl that needs all of it does not end.
const MOST_EVENTS: u64 = 2_000;
const MOST_TIME: Duration = Duration::from_secs(5 * 60);

/// A room, and the fewest events that show all of it: one for each state that only an event shows.
pub struct Room {
    pub name: &'static str,
    /// None where a crawl cannot know that nothing more is to come: it only has to end.
    fewest: Option<i64>,
}

const fn room(name: &'static str, fewest: i64) -> Room {
    Room { name, fewest: Some(fewest) }
}

pub const ROOMS: [Room; 11] = [
    room("ledger", 5),
    room("panels", 40),
    room("windows", 10),
    room("folders", 4),
    // One shows something, and which of the five that is nobody can see.
    room("ways", 5),
    room("twins", 6),
    room("language", 3),
    room("lamp", 3),
    room("banner", 3),
    room("revisions", 0),
    Room { name: "counter", fewest: None },
];

/// What a crawl of one room came to.
pub struct RoomCrawl {
    pub tally: Tally,
    pub report: Report,
}

impl RoomCrawl {
    /// Events fired, on the way to something or to return.
    pub fn events(&self) -> i64 {
        self.report.events_fired + self.report.events_replayed
    }
}

pub async fn run(sheet: &mut Sheet, quick: bool, prefix: Option<&str>) -> anyhow::Result<()> {
    let builds: &[Build] = if quick { &[Build::Inline] } else { Build::ALL };
    let is_chosen = |room: &&Room| prefix.is_none_or(|prefix| room.name.starts_with(prefix));
    for room in ROOMS.iter().filter(is_chosen) {
        for build in builds {
            let crawled = crawl(room.name, *build).await?;
            sheet.put(experiment(room, *build, &crawled))?;
        }
    }
    sheet.table(&format!("rooms of the maze alone; at most {FACTOR} times the fewest events"))
}

/// Crawls one room in one build.
pub async fn crawl(room: &str, build: Build) -> anyhow::Result<RoomCrawl> {
    let options = Options { build, ..Options::default() };
    let site = testsite::serve(SiteKind::Maze, options).await?;
    let path = format!("/{room}/");
    let limits = Limits { events: Some(MOST_EVENTS), time: Some(MOST_TIME), ..Limits::default() };
    let trial = Trial::new()?;
    let settings = Settings { scope: ScopeKind::Prefix, limits, ..from(&site, &path)? };
    let report = trial.crawl(settings).await?;
    let is_asked = |state: &State| state.url.starts_with(&path);
    let tally = Tally::of(&trial.catalog, site.truth(), is_asked).await?;
    site.stop().await;
    let crawled = RoomCrawl { tally, report };
    eprintln!(
        "  rooms/{room}/{build}: {} of {} states, {} events and {} replayed, {} pages, {:.1} s; {}",
        crawled.tally.found(),
        crawled.tally.asked(),
        crawled.report.events_fired,
        crawled.report.events_replayed,
        crawled.tally.pages,
        crawled.report.elapsed_s,
        crawled.tally.missing()
    );
    Ok(crawled)
}

fn experiment(room: &Room, build: Build, crawled: &RoomCrawl) -> Experiment {
    let RoomCrawl { tally, report } = crawled;
    let events = crawled.events();
    let experiment = Experiment::new(format!("rooms/{}/{build}", room.name))
        .ours("states", tally.asked())
        .ours("found", tally.found())
        .ours("captured", tally.pages)
        .ours("fired", report.events_fired)
        .ours("replayed", report.events_replayed)
        .ours("fewest", room.fewest)
        .ask(tally.is_whole(), tally.missing())
        .ask(report.stopped.is_none(), format!("cut off: {}", stopped(report)));
    let Some(fewest) = room.fewest else { return experiment };
    let most = FACTOR * fewest;
    experiment.ask(events <= most, format!("{events} events, and {most} are allowed"))
}
