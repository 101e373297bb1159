//! A crawl whose process is killed again and again, and then ends: nothing lost, nothing twice.

use std::collections::HashSet;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use anyhow::{Context as _, ensure};
use serde_json::Value;
use store::{Access, Catalog};
use testsite::{Options, Running, SiteKind, Truth};

use super::counts::CaseCounts;
use crate::tally::Tally;
use crate::trial::{captured, path_of, state_changes};

/// When the process is killed: so many requests after it began, and so many milliseconds later.
/// Counted in requests, the moments are spread over the crawl on any machine; the milliseconds find it
/// waiting, reading, firing and writing.
pub type Moments = [(u64, u64); 6];

/// The rounds.
pub const ROUNDS: [Moments; 2] = [
    [(1, 0), (15, 5), (30, 0), (45, 40), (60, 15), (80, 90)],
    [(0, 300), (8, 20), (22, 0), (40, 60), (70, 10), (95, 30)],
];

/// How often a running crawl is looked at.
const LOOK: Duration = Duration::from_millis(1);

pub async fn count(moments: &Moments) -> anyhow::Result<CaseCounts> {
    let site = testsite::serve(SiteKind::Maze, Options::default()).await?;
    let scratch = tempfile::tempdir().context("cannot make a directory for a trial")?;
    let mut kills = 0;
    for (requests, more) in moments {
        let before = site.requests().total;
        let mut crawl = Killed(command(&site, scratch.path())?.spawn()?);
        while site.requests().total < before + requests && !crawl.has_ended()? {
            tokio::time::sleep(LOOK).await;
        }
        tokio::time::sleep(Duration::from_millis(*more)).await;
        kills += i64::from(!crawl.has_ended()?);
    }
    let summary = to_its_end(command(&site, scratch.path())?).await?;
    let catalog = Catalog::open(scratch.path(), Access::Read)?;
    let tally = Tally::of(&catalog, site.truth(), |_| true).await?;
    eprintln!("  {kills} kills: {}", tally.missing());
    let mut counts = CaseCounts::default();
    counts.at_least("kills", kills);
    counts.at_most("lost", tally.asked() - tally.found());
    counts.at_most("twice", twice(&catalog, site.truth()).await?);
    counts.at_most("waiting", summary["waiting"].as_i64().context("no waiting in the summary")?);
    counts.at_most("state_changes", state_changes(&site));
    site.stop().await;
    Ok(counts)
}

fn command(site: &Running, directory: &Path) -> anyhow::Result<Command> {
    let mut command = Command::new(std::env::current_exe()?);
    command.args(["crawl", &site.url(), "--json", "--store"]).arg(directory);
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
struct Killed(Child);

impl Killed {
    fn has_ended(&mut self) -> anyhow::Result<bool> {
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
