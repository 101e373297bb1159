//! `bathys bench kill`: crawls whose processes are killed again and again, and then end: nothing lost,
//! nothing twice, on each engine.

use std::collections::HashSet;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use anyhow::{Context as _, ensure};
use serde_json::Value;
use store::{Catalog, Location};
use testsite::{Options, Postgres, Random, Running, SiteKind, Truth};
use tokio::task::JoinSet;

use crate::sheet::{Experiment, Sheet};
use crate::tally::Tally;
use crate::trial::{captured, path_of, state_changes};

/// When the process is killed: so many requests after it began, and so many milliseconds later.
/// Counted in requests, the moments are spread over the crawl on any machine; the milliseconds find it
/// waiting, reading, firing and writing.
pub type Moments = [(u64, u64); 6];

/// Rounds on each engine, and how many at the same time: on PostgreSQL, who comes after a killed process
/// waits until its lease ends.
const ROUNDS: [(&str, usize, usize); 2] = [("sqlite", 200, 2), ("postgres", 50, 3)];
const ROUNDS_QUICK: usize = 2;
/// Requests and milliseconds between the moments that are drawn.
const MOST_REQUESTS: usize = 100;
const MOST_MILLIS: usize = 400;
/// Names the directory in which the rounds that lost something are kept: the store, and what the crawls
/// said of every event.
const KEEP: &str = "BATHYS_BENCH_KEEP";
/// How often a running crawl is looked at.
const LOOK: Duration = Duration::from_millis(1);

pub async fn run(sheet: &mut Sheet, quick: bool) -> anyhow::Result<()> {
    let server = Postgres::start().context("the benchmark needs PostgreSQL")?;
    // Both at the same time: while one engine waits for a lease to end, the other works.
    let [sqlite, postgres] = ROUNDS.map(|(engine, rounds, at_once)| {
        let rounds = if quick { ROUNDS_QUICK } else { rounds };
        rounds_on(&server, engine, rounds, at_once)
    });
    let (sqlite, postgres) = tokio::try_join!(sqlite, postgres)?;
    for experiment in [sqlite, postgres] {
        sheet.put(experiment)?;
    }
    sheet.table("crawls that are killed again and again")
}

async fn rounds_on(
    server: &Postgres,
    engine: &str,
    rounds: usize,
    at_once: usize,
) -> anyhow::Result<Experiment> {
    let mut left = 0..rounds;
    let mut running = JoinSet::new();
    let mut all = Survived::default();
    loop {
        while running.len() < at_once
            && let Some(round) = left.next()
        {
            let store = match engine {
                "postgres" => Some(server.database()?),
                _ => None,
            };
            running.spawn(survive_round(engine.to_owned(), round as u64, store));
        }
        let Some(survived) = running.join_next().await else { break };
        all.add(&survived??);
        eprintln!(
            "  {engine}: {} of {rounds} rounds, {} kills, {} lost, {} twice",
            rounds - left.len() - running.len(),
            all.kills,
            all.lost,
            all.twice
        );
    }
    Ok(Experiment::new(format!("kill/{engine}"))
        .ours("rounds", rounds)
        .ours("kills", all.kills)
        .ours("lost", all.lost)
        .ours("twice", all.twice)
        .ours("state_changes", all.state_changes)
        .ask(all.lost == 0, format!("{} lost", all.lost))
        .ask(all.twice == 0, format!("{} twice", all.twice))
        .ask(all.state_changes == 0, format!("{} state changes", all.state_changes))
        .ask(all.waiting == 0, format!("{} still waiting", all.waiting)))
}

/// One round, whose moments this seed draws. What is left of it is kept if something is lost, and if asked for.
async fn survive_round(
    engine: String,
    seed: u64,
    store: Option<String>,
) -> anyhow::Result<Survived> {
    let name = format!("{engine}-{seed}");
    let keep = std::env::var_os(KEEP).map(|all| PathBuf::from(all).join(&name));
    let survived = survive(&drawn(seed), store.clone(), keep.as_deref()).await?;
    if survived.lost + survived.twice > 0 {
        eprintln!("  {name}: {} lost, {} twice", survived.lost, survived.twice);
    }
    let Some(keep) = keep else { return Ok(survived) };
    if survived.lost + survived.twice == 0 {
        fs::remove_dir_all(keep)?;
    } else if let Some(store) = store {
        let dump = File::create(keep.join("store.sql"))?;
        let dumped = Command::new("pg_dump").arg(store).stdout(dump).status()?;
        ensure!(dumped.success(), "pg_dump failed: {dumped}");
    }
    Ok(survived)
}

fn drawn(seed: u64) -> Moments {
    let mut random = Random::new(seed);
    [(); 6].map(|()| (random.below(MOST_REQUESTS) as u64, random.below(MOST_MILLIS) as u64))
}

/// What is left of a crawl that was killed, over all its rounds.
#[derive(Default)]
pub struct Survived {
    pub kills: usize,
    /// States that were not found.
    pub lost: usize,
    /// Pages that show what another one shows.
    pub twice: usize,
    pub waiting: u64,
    pub state_changes: usize,
}

impl Survived {
    fn add(&mut self, other: &Self) {
        self.kills += other.kills;
        self.lost += other.lost;
        self.twice += other.twice;
        self.waiting += other.waiting;
        self.state_changes += other.state_changes;
    }
}

/// Kills a crawl of `maze` at these moments, then lets it end; in a store of its own if none is named. That,
/// and a log, is in the directory `keep`, else in one that is removed.
pub async fn survive(
    moments: &Moments,
    store: Option<String>,
    keep: Option<&Path>,
) -> anyhow::Result<Survived> {
    let site = testsite::serve(SiteKind::Maze, Options::default()).await?;
    let scratch = tempfile::tempdir().context("cannot make a directory for a trial")?;
    if let Some(keep) = keep {
        fs::create_dir_all(keep)?;
    }
    let store = store.unwrap_or_else(|| keep.unwrap_or(scratch.path()).display().to_string());
    let command = || -> anyhow::Result<Command> {
        let mut command = command(&site, scratch.path(), &store)?;
        if let Some(keep) = keep {
            let log = File::options().create(true).append(true).open(keep.join("crawl.log"))?;
            command.arg("-vv").stderr(log);
        }
        Ok(command)
    };
    let mut kills = 0;
    for (requests, more) in moments {
        let before = site.requests().total;
        let mut crawl = Killed(command()?.spawn()?);
        while site.requests().total < before + requests && !crawl.has_ended()? {
            tokio::time::sleep(LOOK).await;
        }
        tokio::time::sleep(Duration::from_millis(*more)).await;
        kills += usize::from(!crawl.has_ended()?);
    }
    let summary = to_its_end(command()?).await?;
    let catalog = Catalog::open(store.parse::<Location>()?)?;
    let tally = Tally::of(&catalog, site.truth(), |_| true).await?;
    eprintln!("  {kills} kills: {}", tally.missing());
    let survived = Survived {
        kills,
        lost: tally.asked() - tally.found(),
        twice: twice(&catalog, site.truth()).await?,
        waiting: summary["waiting"].as_u64().context("no waiting in the summary")?,
        state_changes: state_changes(&site),
    };
    site.stop().await;
    Ok(survived)
}

fn command(site: &Running, directory: &Path, store: &str) -> anyhow::Result<Command> {
    let mut command = Command::new(std::env::current_exe()?);
    command.args(["crawl", &site.url(), "--json", "--store", store]);
    // No settings of the user's: they are for crawls of theirs.
    for (name, _) in std::env::vars_os() {
        if name.to_string_lossy().starts_with("BATHYS_") {
            command.env_remove(name);
        }
    }
    command.current_dir(directory);
    command.stdin(Stdio::null()).stderr(Stdio::null()).stdout(Stdio::piped());
    Ok(command)
}

/// A process that is killed when it goes out of scope, whatever the reason.
pub struct Killed(pub Child);

impl Killed {
    pub fn has_ended(&mut self) -> anyhow::Result<bool> {
        Ok(self.0.try_wait()?.is_some())
    }
}

impl Drop for Killed {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Runs a crawl to its end, and returns its summary.
async fn to_its_end(mut command: Command) -> anyhow::Result<Value> {
    let ended = tokio::task::spawn_blocking(move || command.output()).await??;
    ensure!(ended.status.success(), "the crawl failed: {}", ended.status);
    serde_json::from_slice(&ended.stdout).context("the crawl gave no summary")
}

/// Pages that show what another page of the same URL shows already. Of what never ends, a crawl
/// keeps some: which, depends on when it was cut off.
async fn twice(catalog: &Catalog, truth: &Truth) -> anyhow::Result<usize> {
    let mut known = HashSet::new();
    let mut twice = 0;
    for page in captured(catalog).await? {
        let path = path_of(&page.url);
        if truth.traps.iter().any(|trap| path.starts_with(trap.path.trim_end_matches('/'))) {
            continue;
        }
        let shown = if page.path.is_empty() { None } else { page.content_hash };
        twice += usize::from(!known.insert((page.url, shown)));
    }
    Ok(twice)
}
