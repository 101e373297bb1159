//! `bathys bench --gate`: the counts of every experiment that has a truth, against their floors.
//!
//! Counts, never times: what a crawl finds, loses, keeps twice, fires and changes must not depend on
//! the machine. The sites are those of the benchmarks, at sizes that take a quarter of an hour
//! together; the floors are in `floors.tsv` beside this crate and only get stricter.

mod bbs;
mod blog;
mod case;
mod counts;
mod floors;
mod forms;
mod forum;
mod kill;
mod list;
mod maze;
mod news;
mod papers;
mod portal;
mod revisit;
mod rooms;
mod same;
mod search;
mod series;
mod serve;
mod types;
mod volumes;

use std::collections::BTreeMap;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::{Context as _, bail, ensure};
use serde_json::json;

use case::Case;
pub use case::case_names;
use counts::Counts;
use floors::{Floors, Verdict, case_of};

/// The floors of the checkout that this was built from.
const FLOORS: &str = include_str!("../../floors.tsv");
/// Where they are in a checkout.
const FILE: &str = "crates/bench/floors.tsv";
/// A case that takes longer has lost its way: the longest takes two minutes on two idle cores.
const LONGEST: Duration = Duration::from_secs(15 * 60);

/// Lost counts that the last line names.
const NAMED: usize = 5;

/// What the gate is told.
#[derive(Clone, Debug, Default)]
pub struct GateOptions {
    /// The floors to compare with, instead of those that are built in.
    pub floors: Option<PathBuf>,
    /// Whether to write floors that are better than the file's back into it.
    pub raise: bool,
}

/// Runs the cases whose names begin with one of `prefixes`, or all, and compares what they counted.
///
/// # Errors
/// Names what was lost, what was not measured, and what has no floor.
pub async fn run(
    options: &GateOptions,
    prefixes: &[String],
    data: Option<&Path>,
    json: bool,
) -> anyhow::Result<()> {
    let (file, text) = floors_text(options)?;
    let mut floors = Floors::parse(&text)?;
    let is_chosen = |name: &str| {
        prefixes.is_empty() || prefixes.iter().any(|prefix| name.starts_with(prefix.as_str()))
    };
    let data = data.filter(|data| series::are_in(data));
    let all = case::all();
    let cases: Vec<&Case> = all.iter().filter(|case| is_chosen(&case.name)).collect();
    ensure!(!cases.is_empty(), "no case of the gate begins with {}", prefixes.join(" or "));
    let (mut counts, mut failed) = (Counts::default(), BTreeMap::new());
    let mut without_data = Vec::new();
    let begun = Instant::now();
    for (at, case) in cases.iter().enumerate() {
        if case.needs_data() && data.is_none() {
            eprintln!("gate: {} skipped: its series are not beside the checkout", case.name);
            without_data.push(case.name.as_str());
            continue;
        }
        eprintln!("{}", progress(&cases, at, begun.elapsed()));
        match tokio::time::timeout(LONGEST, case.count(data)).await {
            Ok(Ok(counted)) => {
                counts.add(&case.name, counted);
                // At once: a run that is stopped has measured something, too.
                if let Some(file) = file.as_ref().filter(|_| options.raise) {
                    floors = floors.raised(&counts);
                    std::fs::write(file, floors.to_text())
                        .with_context(|| format!("cannot write {}", file.display()))?;
                }
            }
            Ok(Err(error)) => {
                failed.insert(case.name.clone(), format!("{error:#}"));
            }
            Err(_) => {
                let minutes = LONGEST.as_secs() / 60;
                failed.insert(case.name.clone(), format!("not done after {minutes} minutes"));
            }
        }
    }
    // A line of a case that is gone is asked for, too: somebody has to take it out.
    let is_asked = |case: &str| is_chosen(case) && !without_data.contains(&case);
    let verdict = floors.compare(&counts, is_asked, &failed);
    print(&counts, &floors, json)?;
    report(&verdict, counts.0.len(), begun.elapsed())
}

/// The floors, and the file that they are raised in.
fn floors_text(options: &GateOptions) -> anyhow::Result<(Option<PathBuf>, String)> {
    let file = match (&options.floors, options.raise) {
        (Some(file), _) => file.clone(),
        (None, true) => PathBuf::from(FILE),
        (None, false) => return Ok((None, FLOORS.to_owned())),
    };
    let text = std::fs::read_to_string(&file).with_context(|| {
        format!("cannot read the floors {}; run it where {FILE} is", file.display())
    })?;
    Ok((Some(file), text))
}

/// Which case is next, how long it took so far, and how long it will take: by what the cases take on
/// two idle cores, and how much longer those before have taken.
fn progress(cases: &[&Case], at: usize, elapsed: Duration) -> String {
    let seconds = |cases: &[&Case]| cases.iter().map(|case| case.seconds).sum::<u32>();
    let (done, left) = cases.split_at(at);
    let slower = elapsed.as_secs_f64() / f64::from(seconds(done).max(1));
    let slower = if done.is_empty() { 1.0 } else { slower };
    let left_s = f64::from(seconds(left)) * slower;
    format!(
        "gate {} of {}: {} ({} so far, {} to go)",
        at + 1,
        cases.len(),
        left.first().map(|case| case.name.as_str()).unwrap_or_default(),
        clock(elapsed),
        clock(Duration::from_secs_f64(left_s))
    )
}

fn clock(time: Duration) -> String {
    format!("{}:{:02}", time.as_secs() / 60, time.as_secs() % 60)
}

/// Every count with its limit: a line each, or as JSON a line for each case.
fn print(counts: &Counts, floors: &Floors, json: bool) -> anyhow::Result<()> {
    let mut out = std::io::stdout().lock();
    if !json {
        let width = counts.0.keys().map(String::len).max().unwrap_or_default();
        for (name, (bound, count)) in &counts.0 {
            let limit = floors.get(name).map_or("-".to_owned(), |floor| floor.limit.to_string());
            writeln!(out, "{name:<width$}  {count:>7}  {bound} {limit}")?;
        }
        return Ok(());
    }
    let mut cases: BTreeMap<&str, serde_json::Map<String, serde_json::Value>> = BTreeMap::new();
    for (name, (_, count)) in &counts.0 {
        let case = case_of(name);
        let what = name.get(case.len() + 1..).unwrap_or_default().to_owned();
        cases.entry(case).or_default().insert(what, json!(count));
    }
    for (case, ours) in cases {
        let line = json!({"name": case, "ours": ours, "seed": {}, "ratio": null});
        writeln!(out, "{line}")?;
    }
    Ok(())
}

/// Says what became of the floors.
fn report(verdict: &Verdict, counts: usize, elapsed: Duration) -> anyhow::Result<()> {
    for line in verdict.known.iter().chain(&verdict.holding) {
        eprintln!("gate: {line}");
    }
    if !verdict.lost.is_empty() {
        for line in &verdict.lost {
            eprintln!("gate: lost: {line}");
        }
        let first: Vec<&str> = verdict.lost.iter().take(NAMED).map(String::as_str).collect();
        let more = match verdict.lost.len() - first.len() {
            0 => String::new(),
            more => format!("; and {more} more, named above"),
        };
        bail!("the gate has lost {}{more}", first.join("; "));
    }
    let known = verdict.known.len();
    eprintln!("gate: {counts} counts in {}, {known} known failures", clock(elapsed));
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_floors_can_be_read_and_each_belongs_to_a_case() {
        let floors = Floors::parse(FLOORS).unwrap();
        assert_eq!(floors.to_text(), FLOORS, "sorted, and as it would be written");
        let names = case_names();
        for line in FLOORS.lines().skip(1) {
            let case = case_of(line);
            assert!(names.iter().any(|name| name == case), "no case {case:?}");
        }
    }

    #[test]
    fn progress_names_the_case_and_scales_what_is_left_by_what_was() {
        let cases = case::all();
        let cases: Vec<&Case> = cases.iter().take(2).collect();
        let seconds = u64::from(cases[0].seconds);
        let line = progress(&cases, 1, Duration::from_secs(seconds * 2));
        let left = clock(Duration::from_secs(u64::from(cases[1].seconds) * 2));
        assert!(line.starts_with(&format!("gate 2 of 2: {} (", cases[1].name)), "{line}");
        assert!(line.ends_with(&format!("{left} to go)")), "{line}");
    }
}
