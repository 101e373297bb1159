//! `bathys bench kill-archive`: imports and sealings whose processes are killed at random moments. Whatever was
//! committed is there afterwards and is what it was, the store opens at once, and the same command ends the work.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context as _, ensure};
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp};
use store::{Catalog, CatalogWriter, Millis, Which};
use tempfile::TempDir;
use testsite::Random;

use crate::kill::Killed;
use crate::sheet::{Experiment, Sheet};

/// Kills in all, half of imports and half of sealings.
const KILLS: usize = 200;
const KILLS_QUICK: usize = 8;
/// Asked for: how long a store may take to open after a kill.
const OPENS: Duration = Duration::from_secs(1);
/// The series: its versions, and the rows of each.
const VERSIONS: usize = 60;
const ROWS: usize = 250;
/// Rows that differ from one version to the next.
const CHANGED: usize = 12;
const URL: &str = "https://archive.example/";
/// How often a process that is to be killed is looked at.
const LOOK: Duration = Duration::from_millis(1);

pub async fn run(sheet: &mut Sheet, quick: bool) -> anyhow::Result<()> {
    let kills = if quick { KILLS_QUICK } else { KILLS };
    let survived = survive(kills, 1).await?;
    sheet.put(
        Experiment::new("kill-archive")
            .ours("kills", survived.kills)
            .ours("lost", survived.lost)
            .ours("changed", survived.changed)
            .ours("damaged", survived.damaged)
            .ours("unfinished", survived.unfinished)
            .ours("slowest_open_ms", survived.slowest.as_millis() as u64)
            .ask(survived.lost == 0, format!("{} versions lost", survived.lost))
            .ask(survived.changed == 0, format!("{} versions changed", survived.changed))
            .ask(survived.damaged == 0, format!("{} blobs damaged", survived.damaged))
            .ask(survived.unfinished == 0, format!("{} not ended", survived.unfinished))
            .ask(survived.slowest <= OPENS, format!("{:?} to open", survived.slowest)),
    )?;
    sheet.table("imports and sealings that are killed at random moments")
}

/// What is left of stores whose writers were killed, over all kills.
#[derive(Default)]
pub struct Survived {
    /// Processes that were killed before they had ended.
    pub kills: usize,
    /// Versions that were committed before a kill and are gone.
    pub lost: usize,
    /// Versions that restore to other bytes than were imported.
    pub changed: usize,
    /// What `verify` found.
    pub damaged: usize,
    /// Stores that the same command, run again, did not complete.
    pub unfinished: usize,
    /// The slowest opening of a store after a kill.
    pub slowest: Duration,
}

/// Kills this many imports and sealings at moments that the seed draws.
pub async fn survive(kills: usize, seed: u64) -> anyhow::Result<Survived> {
    let scratch = tempfile::tempdir().context("cannot make a directory for a series")?;
    let series = Series::write(&scratch.path().join("series"))?;
    // Both once to their end, for how long they take; what is sealed is a copy of what was imported.
    let whole = scratch.path().join("whole");
    let importing = to_its_end(&series, &whole, Work::Import)?;
    let sealed = copied(&whole)?;
    let sealing = to_its_end(&series, sealed.path(), Work::Seal)?;
    let mut random = Random::new(seed);
    let mut survived = Survived::default();
    for round in 0..kills {
        let (work, longest) = match round % 2 {
            0 => (Work::Import, importing),
            _ => (Work::Seal, sealing),
        };
        let store = match work {
            Work::Import => tempfile::tempdir().context("cannot make a directory for a store")?,
            Work::Seal => copied(&whole)?,
        };
        let moment = Duration::from_micros(random.below(longest.as_micros() as usize + 1) as u64);
        survived.add(&kill_once(&series, store.path(), work, moment).await?);
        if (round + 1) % 10 == 0 {
            eprintln!(
                "  {} of {kills} rounds: {} kills, {} lost, {} changed, {} damaged, slowest open {:?}",
                round + 1,
                survived.kills,
                survived.lost,
                survived.changed,
                survived.damaged,
                survived.slowest
            );
        }
    }
    Ok(survived)
}

impl Survived {
    fn add(&mut self, other: &Self) {
        self.kills += other.kills;
        self.lost += other.lost;
        self.changed += other.changed;
        self.damaged += other.damaged;
        self.unfinished += other.unfinished;
        self.slowest = self.slowest.max(other.slowest);
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Work {
    Import,
    Seal,
}

/// Versions of a page, as files that `import --series` takes.
struct Series {
    directory: PathBuf,
    versions: BTreeMap<Millis, Vec<u8>>,
}

impl Series {
    fn write(directory: &Path) -> anyhow::Result<Self> {
        fs::create_dir_all(directory)?;
        let mut random = Random::new(7);
        let mut rows: Vec<usize> = (0..ROWS).map(|_| random.below(usize::MAX >> 1)).collect();
        let mut versions = BTreeMap::new();
        let begin: Timestamp = "2026-01-01T00:00:00Z".parse()?;
        for version in 0..VERSIONS {
            for _ in 0..CHANGED {
                rows[random.below(ROWS)] = random.below(usize::MAX >> 1);
            }
            let items = rows.iter().enumerate().map(|(at, says)| {
                format!(
                    "<li><a href=\"/{at}\">Row {at} says {says:x} and {:x}</a></li>\n",
                    says / 3
                )
            });
            let body = format!("<html><body><ul>{}</ul></body></html>", items.collect::<String>());
            let time = begin.checked_add(SignedDuration::from_hours(version as i64))?;
            let name = time.to_zoned(TimeZone::UTC).strftime("%Y%m%d%H%M%S.html").to_string();
            fs::write(directory.join(name), &body)?;
            versions.insert(Millis(time.as_millisecond()), body.into_bytes());
        }
        Ok(Self { directory: directory.to_owned(), versions })
    }

    /// How many versions a store has, 0 if there is none yet.
    async fn kept(catalog: &Catalog) -> anyhow::Result<usize> {
        let Some(page) = catalog.find(URL).await? else { return Ok(0) };
        Ok(catalog.versions(page.page).await?.len())
    }

    /// How many versions of a store are there, and how many of these are not what was imported.
    async fn compare(&self, catalog: &Catalog) -> anyhow::Result<(usize, usize)> {
        let Some(page) = catalog.find(URL).await? else { return Ok((0, 0)) };
        let (mut there, mut changed) = (0, 0);
        for line in catalog.versions(page.page).await? {
            there += 1;
            let kept = catalog.version(page.page, Which::Number(line.version)).await;
            let is_same = match kept {
                Ok(Some(kept)) => kept.body.as_ref() == self.versions.get(&line.time),
                Ok(None) | Err(_) => false,
            };
            changed += usize::from(!is_same);
        }
        Ok((there, changed))
    }
}

/// Begins the work, kills it at a moment, looks at what is left, and has it done to its end.
async fn kill_once(
    series: &Series,
    store: &Path,
    work: Work,
    moment: Duration,
) -> anyhow::Result<Survived> {
    let mut survived = Survived::default();
    let mut child = Killed(command(series, store, work)?.spawn()?);
    let begun = Instant::now();
    while begun.elapsed() < moment && !child.has_ended()? {
        tokio::time::sleep(LOOK).await;
    }
    // What can be read now was committed.
    let committed = match Catalog::open(store) {
        Ok(catalog) => Series::kept(&catalog).await?,
        Err(_) => 0,
    };
    survived.kills = usize::from(!child.has_ended()?);
    drop(child);

    let begun = Instant::now();
    let catalog = CatalogWriter::open(store)?;
    survived.slowest = begun.elapsed();
    let (there, changed) = series.compare(&catalog).await?;
    survived.lost = committed.saturating_sub(there);
    survived.changed = changed;
    survived.damaged = damaged(&catalog).await?;
    drop(catalog);

    to_its_end(series, store, work)?;
    let catalog = Catalog::open(store)?;
    let (there, changed) = series.compare(&catalog).await?;
    survived.unfinished = usize::from(there != series.versions.len());
    survived.changed += changed;
    survived.damaged += damaged(&catalog).await?;
    Ok(survived)
}

/// What `verify` has to say of a store.
async fn damaged(catalog: &Catalog) -> anyhow::Result<usize> {
    let (mut last, mut bad) = (0, BTreeMap::new());
    while let Some(some) = catalog.check_blobs(last).await? {
        last = some.last;
        bad.extend(some.bad);
    }
    Ok(catalog.lost(bad).await?.len())
}

/// Does the work without a kill, and says how long it took.
fn to_its_end(series: &Series, store: &Path, work: Work) -> anyhow::Result<Duration> {
    let begun = Instant::now();
    let status = command(series, store, work)?.status()?;
    ensure!(status.success(), "the work failed: {status}");
    Ok(begun.elapsed())
}

fn command(series: &Series, store: &Path, work: Work) -> anyhow::Result<Command> {
    let mut command = Command::new(std::env::current_exe()?);
    match work {
        Work::Import => command.args(["import", "--series", URL]).arg(&series.directory),
        Work::Seal => command.arg("seal"),
    };
    command.arg("--store").arg(store);
    // No settings of the user's: they are for stores of theirs.
    for (name, _) in std::env::vars_os() {
        if name.to_string_lossy().starts_with("BATHYS_") {
            command.env_remove(name);
        }
    }
    command.current_dir(&series.directory);
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    Ok(command)
}

/// A copy of a closed store.
fn copied(store: &Path) -> anyhow::Result<TempDir> {
    let copy = tempfile::tempdir().context("cannot make a directory for a store")?;
    for entry in fs::read_dir(store)? {
        let entry = entry?;
        fs::copy(entry.path(), copy.path().join(entry.file_name()))?;
    }
    Ok(copy)
}
