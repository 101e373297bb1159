//! `bathys bench crawl`: a full scan of `bbs`, whole and with the process killed again and again.

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, ensure};
use serde_json::json;
use store::Catalog;
use testsite::{Options, Running, SiteKind};

use crate::found::Found;
use indicatif::HumanCount;

/// Valid pages of the forum, as the figures ask for.
const PAGES: u32 = 200;
/// How often the process is killed in the second crawl.
const KILLS: u32 = 20;

/// Measures, in processes of their own so that memory and kills are real.
pub async fn run(json: bool) -> anyhow::Result<()> {
    let scratch = std::env::temp_dir().join(format!("bathys-bench-{}", std::process::id()));
    let measured = measure(&scratch, json).await;
    let _ = std::fs::remove_dir_all(&scratch);
    measured
}

async fn measure(scratch: &Path, json: bool) -> anyhow::Result<()> {
    let site = serve().await?;
    let start = site.url_of(&site.truth().entry);
    let whole = scratch.join("whole");
    let begun = Instant::now();
    let (summary, peak_kb) = crawl_once(&start, &whole)?;
    let seconds = begun.elapsed().as_secs_f64();
    let changes = state_changes(&site);
    let found = Found::in_store(&Catalog::open(&whole)?, site.truth()).await?;
    let events = summary["events_fired"].as_f64().unwrap_or_default();
    let pages = summary["pages"].as_f64().unwrap_or_default();
    let wanted = site.truth().wanted().count();
    report(
        json,
        "crawl/bbs",
        &json!({
            "wanted": wanted, "found": found.wanted, "pages": pages, "events": events,
            "restores": summary["restores"], "requests": summary["requests"]["network"],
            "seconds": seconds, "pages_per_s": pages / seconds, "events_per_s": events / seconds,
            "memory_mb": peak_kb as f64 / 1024.0, "state_changes": changes,
        }),
    )?;

    let killed = scratch.join("killed");
    let kills = crawl_with_kills(&start, &killed, seconds)?;
    let again = Found::in_store(&Catalog::open(&killed)?, site.truth()).await?;
    let lost: Vec<_> = found.keys.iter().filter(|key| !again.keys.contains(key)).collect();
    let new: Vec<_> = again.keys.iter().filter(|key| !found.keys.contains(key)).collect();
    report(
        json,
        "crawl/bbs-killed",
        &json!({
            "kills": kills, "wanted": wanted, "found": again.wanted, "pages": again.keys.len(),
            "lost": lost.len(), "more": new.len(), "twice": again.twice, "state_changes": state_changes(&site),
        }),
    )?;
    for key in lost.iter().take(5) {
        eprintln!("  lost: {key}");
    }
    for key in new.iter().take(5) {
        eprintln!("  more: {key}");
    }
    site.stop().await;
    Ok(())
}

async fn serve() -> anyhow::Result<Running> {
    let options = Options { size: PAGES, timers: Duration::from_millis(100), ..Options::default() };
    Ok(testsite::serve(SiteKind::Bbs, options).await?)
}

/// What a crawl must leave untouched; what any visitor causes by loading a page does not count.
fn state_changes(site: &Running) -> usize {
    site.log().iter().filter(|change| change.kind != "load").count()
}

fn command(start: &str, store: &Path) -> anyhow::Result<Command> {
    let mut command = Command::new(std::env::current_exe()?);
    command.args(["crawl", start, "--no-learn", "--json", "--store"]).arg(store);
    command.stdin(Stdio::null()).stderr(Stdio::null()).stdout(Stdio::piped());
    Ok(command)
}

/// Runs a crawl to its end. Returns its summary and the peak memory of its process, without Chromium.
fn crawl_once(start: &str, store: &Path) -> anyhow::Result<(serde_json::Value, u64)> {
    let mut child = command(start, store)?.spawn()?;
    let status = format!("/proc/{}/status", child.id());
    let mut peak_kb = 0;
    while child.try_wait()?.is_none() {
        peak_kb = peak_kb.max(memory_kb(&status).unwrap_or(0));
        std::thread::sleep(Duration::from_millis(50));
    }
    let output = child.wait_with_output()?;
    ensure!(output.status.success(), "the crawl failed: {}", output.status);
    let summary = serde_json::from_slice(&output.stdout).context("the crawl gave no summary")?;
    Ok((summary, peak_kb))
}

fn memory_kb(status: &str) -> Option<u64> {
    let text = std::fs::read_to_string(status).ok()?;
    let line = text.lines().find(|line| line.starts_with("VmHWM:"))?;
    line.split_whitespace().nth(1)?.parse().ok()
}

/// Kills the crawl at moments spread at random over its length, then lets it end.
fn crawl_with_kills(start: &str, store: &Path, seconds: f64) -> anyhow::Result<u32> {
    let mut random = std::process::id().wrapping_mul(2_654_435_761);
    let share = seconds / f64::from(KILLS) * 1.6;
    for _ in 0..KILLS {
        random = random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        let moment = f64::from(random >> 8) / f64::from(1u32 << 24);
        let mut child = command(start, store)?.spawn()?;
        let deadline = Instant::now() + Duration::from_secs_f64(0.3 + moment * share);
        while Instant::now() < deadline && child.try_wait()?.is_none() {
            std::thread::sleep(Duration::from_millis(5));
        }
        child.kill()?;
        child.wait()?;
    }
    crawl_once(start, store)?;
    Ok(KILLS)
}

fn report(json: bool, name: &str, ours: &serde_json::Value) -> anyhow::Result<()> {
    if json {
        println!("{}", json!({ "name": name, "ours": ours }));
        return Ok(());
    }
    println!("{name}");
    for (figure, value) in ours.as_object().into_iter().flatten() {
        let text = match value.as_f64() {
            Some(number) if number.fract() == 0.0 => HumanCount(number as u64).to_string(),
            Some(number) => format!("{number:.2}"),
            None => value.to_string(),
        };
        println!("  {figure:<16} {text:>12}");
    }
    Ok(())
}
