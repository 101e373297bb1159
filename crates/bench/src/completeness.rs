//! `bathys bench completeness`: whether what a crawl says of what it missed is true. Bundled sites are crawled
//! again and again, each time with other content and with another share of it asked for, and what is missing
//! is set beside what was expected to be, and beside the bound that 95 of 100 crawls are to keep.
//!
//! What is known of claims is taken from the other sites: none is judged by what was measured on it.

use std::collections::BTreeMap;

use anyhow::Context as _;
use crawl::{Priors, Settings};
use testsite::Random;
use tokio::task::JoinSet;

use crate::sheet::{Experiment, Sheet, rounded};
use crate::small_site::SmallSite;
use crate::tally::Tally;
use crate::trial::{Trial, whole};

const RUNS: usize = 200;
const RUNS_QUICK: usize = 8;
/// Runs side by side: what is counted does not depend on their speed.
const LANES: usize = 3;
/// The maze takes as long as all others together: one run in so many is of it.
const MAZE_EVERY: usize = 20;
/// The share of runs that must keep the bound, and how far the mean may be from what is missed on average.
const KEEPING: f64 = 0.95;
const FACTOR: f64 = 2.0;

/// What one crawl missed, and what it said.
#[derive(Clone, Copy, Debug)]
pub struct Missed {
    /// The completeness that was asked for.
    pub asked: f64,
    pub states: usize,
    pub missed: usize,
    pub expected: f64,
    pub at_most: i64,
}

impl Missed {
    pub fn keeps_its_bound(&self) -> bool {
        self.missed as i64 <= self.at_most
    }
}

/// What several crawls missed.
#[derive(Default)]
struct Sum {
    runs: usize,
    keeping: usize,
    states: usize,
    missed: usize,
    expected: f64,
}

impl Sum {
    fn add(&mut self, missed: &Missed) {
        self.runs += 1;
        self.keeping += usize::from(missed.keeps_its_bound());
        self.states += missed.states;
        self.missed += missed.missed;
        self.expected += missed.expected;
    }

    fn experiment(&self, name: String) -> Experiment {
        let runs = self.runs.max(1) as f64;
        Experiment::new(name)
            .ours("runs", self.runs)
            .ours("within_bound", self.keeping)
            .ours("states", self.states)
            .ours("missed", rounded(self.missed as f64 / runs))
            .ours("expected", rounded(self.expected / runs))
    }
}

pub async fn run(sheet: &mut Sheet, quick: bool) -> anyhow::Result<()> {
    let runs = if quick { RUNS_QUICK } else { RUNS };
    let mut random = Random::new(11);
    let (mut by_site, mut all) = (BTreeMap::<&str, Sum>::new(), Sum::default());
    let (mut begun, mut lanes) = (0, JoinSet::new());
    while begun < runs || !lanes.is_empty() {
        while begun < runs && lanes.len() < LANES {
            begun += 1;
            let (run, small) = (begun, chosen(&mut random, begun)?);
            let completeness = 0.5 + random.below(500) as f64 / 1000.0;
            lanes.spawn(async move {
                crawl(&small, run as u64, completeness).await.map(|missed| (run, small, missed))
            });
        }
        let Some(ended) = lanes.join_next().await else { break };
        let (run, small, missed) = ended??;
        eprintln!(
            "  {run} of {runs}: {}, {:.3} asked: {} of {} states missed, {:.1} expected, at most {}{}",
            small.name,
            missed.asked,
            missed.missed,
            missed.states,
            missed.expected,
            missed.at_most,
            if missed.keeps_its_bound() { "" } else { ": MORE THAN THE BOUND" }
        );
        all.add(&missed);
        by_site.entry(small.name).or_default().add(&missed);
    }
    for (name, sum) in &by_site {
        sheet.put(sum.experiment(format!("completeness/{name}")))?;
    }
    let (missed, expected) = (all.missed as f64, all.expected);
    let keeping = all.keeping as f64 / all.runs.max(1) as f64;
    let is_near = expected <= FACTOR * missed && missed <= FACTOR * expected;
    let experiment = all.experiment("completeness".to_owned());
    sheet.put(
        experiment
            .ask(
                keeping >= KEEPING,
                format!("{:.1} % of the runs keep their bound", 100.0 * keeping),
            )
            .ask(is_near, format!("{missed} states missed, {expected:.1} expected")),
    )?;
    sheet.table("what was missed, and what was said of it; completeness drawn from 0.5 to 1")
}

fn chosen(random: &mut Random, run: usize) -> anyhow::Result<SmallSite> {
    let (maze, others) = SmallSite::ALL.split_last().context("no sites")?;
    let drawn = others.get(random.below(others.len())).context("no sites")?;
    Ok(if run.is_multiple_of(MAZE_EVERY) { *maze } else { *drawn })
}

/// Crawls a site with the content of a seed until so much of it is expected to be found.
pub async fn crawl(small: &SmallSite, seed: u64, completeness: f64) -> anyhow::Result<Missed> {
    let site = small.serve(seed).await?;
    let trial = Trial::new()?;
    let priors = Priors::without(small.name);
    let report = trial.crawl(Settings { completeness, priors, ..whole(&site)? }).await?;
    let tally = Tally::of(&trial.catalog, site.truth(), |_| true).await?;
    site.stop().await;
    Ok(Missed {
        asked: completeness,
        states: tally.asked(),
        missed: tally.asked() - tally.found(),
        expected: report.beliefs.missed_expected,
        at_most: report.beliefs.missed_at_most,
    })
}
