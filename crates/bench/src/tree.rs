//! `bathys bench tree`: parsing, hashing and distances on real pages.

use anyhow::{Context, bail};
use page::tree::{
    Dom, Effort, Kind, Mask, Mode, Outline, canonical_hash, charset, distance, parse, parse_str,
    restore, serialise,
};
use serde_json::json;
use std::fmt::Write as _;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// Another parser, run where Python and html5lib are there.
const ORACLE: &str = include_str!("../../../scripts/oracles/html5lib_elements.py");

/// Measures on the pages and series of a directory: `pages` and `series` in it, unpacked or as
/// `.tar.zst`. Without it, on generated pages.
pub fn run(data: Option<&Path>, json: bool) -> anyhow::Result<()> {
    let report = Report { json };
    let scratch = Scratch::new()?;
    let pages = match data.map(|dir| unpacked(dir, "pages", &scratch)).transpose()?.flatten() {
        Some(dir) => read_all(&dir)?,
        None => {
            report.note("no pages found: measuring on generated ones");
            (0..100)
                .map(|seed| ("generated".into(), generated(20 * (seed + 1), seed).into_bytes()))
                .collect()
        }
    };
    parsing(&pages, &report)?;
    snapshots(&pages, &report)?;
    same_elements(&pages, &scratch, &report)?;
    match data.map(|dir| unpacked(dir, "series", &scratch)).transpose()?.flatten() {
        Some(dir) => neighbours(&series_of(&dir)?, &report)?,
        None => {
            report.note("no series found: measuring on generated ones");
            let versions = (0..20).map(|version| generated(200, version).into_bytes()).collect();
            neighbours(&[("generated".to_owned(), versions)], &report)?;
        }
    }
    growth(&report)
}

/// Where figures go: lines for a person, or a JSON object each.
struct Report {
    json: bool,
}

impl Report {
    fn note(&self, text: &str) {
        eprintln!("bench tree: {text}");
    }

    /// A line that is only for the eye.
    fn heading(&self, line: &str) -> anyhow::Result<()> {
        if !self.json {
            writeln!(std::io::stdout(), "{line}")?;
        }
        Ok(())
    }

    #[expect(clippy::needless_pass_by_value, reason = "callers write them in place")]
    fn figure(
        &self,
        name: &str,
        line: &str,
        ours: serde_json::Value,
        target: serde_json::Value,
    ) -> anyhow::Result<()> {
        if self.json {
            let figure =
                json!({"name": name, "ours": ours, "seed": {}, "ratio": null, "target": target});
            writeln!(std::io::stdout(), "{figure}")?;
        }
        self.heading(line)
    }
}

fn parsing(pages: &[Page], report: &Report) -> anyhow::Result<()> {
    let bytes: usize = pages.iter().map(|(_, bytes)| bytes.len()).sum();
    let mask = Mask::default();
    // The best of three for each page: other work on the machine only ever adds time.
    let best = |bytes: &[u8]| {
        let once = || timed(|| canonical_hash(&parse(bytes, None).dom, &mask));
        once().min(once()).min(once())
    };
    let time: Duration = pages.iter().map(|(_, bytes)| best(bytes)).sum();
    let rate = bytes as f64 / 1e6 / time.as_secs_f64();
    report.figure(
        "tree/parse",
        &format!(
            "parse + canonical hash: {rate:.1} MB/s over {} pages, {:.1} MB (asked: 50)",
            pages.len(),
            bytes as f64 / 1e6
        ),
        json!({"mb_per_s": rate, "pages": pages.len(), "bytes": bytes}),
        json!({"mb_per_s": 50}),
    )
}

fn snapshots(pages: &[Page], report: &Report) -> anyhow::Result<()> {
    let (mut exact, mut as_html) = (0, 0);
    for (_, bytes) in pages {
        let dom = parse(bytes, None).dom;
        let snapshot = serialise(&dom);
        exact += usize::from(restore(&snapshot).as_ref() == Ok(&dom));
        as_html += usize::from(serialise(&parse_str(&snapshot).dom) == snapshot);
    }
    let all = pages.len();
    report.figure(
        "tree/snapshot",
        &format!("snapshots: {exact} of {all} restore the same tree, {as_html} of {all} also when read as HTML"),
        json!({"pages": all, "restored": exact, "restored_as_html": as_html}),
        json!({"restored": all}),
    )
}

/// Compares the elements of every page with those that html5lib finds.
fn same_elements(pages: &[Page], scratch: &Scratch, report: &Report) -> anyhow::Result<()> {
    let Some(python) = python_with_html5lib() else {
        report.note(
            "not compared with another parser: no Python with html5lib; pip install html5lib",
        );
        return Ok(());
    };
    let mut files = Vec::new();
    for (number, (_, bytes)) in pages.iter().enumerate() {
        let file = scratch.0.join(format!("{number}.html"));
        let text = charset::decode(bytes, None).text;
        std::fs::write(&file, &*text)
            .with_context(|| format!("cannot write {}", file.display()))?;
        files.push((file, elements(&parse_str(&text).dom)));
    }
    for chunk in files.chunks(100) {
        let names = chunk.iter().map(|(file, _)| file);
        let status = Command::new(&python).arg("-c").arg(ORACLE).args(names).status()?;
        if !status.success() {
            bail!("html5lib failed with {status}");
        }
    }
    let mut same = 0;
    for ((file, ours), (name, _)) in files.iter().zip(pages) {
        let path = file.with_extension("html.elements");
        let theirs = std::fs::read_to_string(&path)
            .with_context(|| format!("cannot read {}", path.display()))?;
        if theirs == *ours {
            same += 1;
        } else {
            report.note(&format!("other elements than html5lib: {}", name.display()));
        }
    }
    let all = pages.len();
    report.figure(
        "tree/elements",
        &format!("same element tree as html5lib: {same} of {all} pages"),
        json!({"pages": all, "same": same}),
        json!({"same": all}),
    )
}

fn python_with_html5lib() -> Option<PathBuf> {
    [".venv/bin/python", "python3"].into_iter().map(PathBuf::from).find(|python| {
        let probe = Command::new(python)
            .args(["-c", "import html5lib"])
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status();
        probe.is_ok_and(|status| status.success())
    })
}

/// The elements of a tree, a line each: depth and name. A shadow root counts as the `<template>`
/// that it was written as.
fn elements(dom: &Dom) -> String {
    let mut lines = String::new();
    let mut depths = vec![0; dom.node_count()];
    for node in dom.nodes() {
        let above = node.parent().map_or(0, |parent| depths[parent.id().0 as usize]);
        let name = match node.kind() {
            Kind::Element => node.name(),
            Kind::ShadowRoot => "template",
            _ => continue,
        };
        depths[node.id().0 as usize] = above + 1;
        let _ = writeln!(lines, "{above} {name}");
    }
    lines
}

/// Distances of neighbouring versions.
fn neighbours(series: &[(String, Vec<Vec<u8>>)], report: &Report) -> anyhow::Result<()> {
    let mut all = [Vec::new(), Vec::new()];
    let mut same = Vec::new();
    report
        .heading("RTDM of neighbouring versions, ms (asked: median 5); all exact unless marked")?;
    report.heading(&format!(
        "{:<10} {:>6} {:>6}  {:>9} {:>8} {:>8} {:>8}  {:>9} {:>8} {:>8} {:>8}",
        "series",
        "pairs",
        "nodes",
        "structure",
        "p90",
        "max",
        "distance",
        "full",
        "p90",
        "max",
        "distance"
    ))?;
    for (name, versions) in series {
        let doms: Vec<Dom> = versions.iter().map(|bytes| parse(bytes, None).dom).collect();
        let mut columns = Vec::new();
        for (mode, all) in [Mode::Structure, Mode::Full].into_iter().zip(&mut all) {
            let outlines: Vec<Outline> = doms.iter().map(|dom| Outline::new(dom, mode)).collect();
            let mut column = Column::default();
            for pair in outlines.windows(2) {
                column.add(&pair[0], &pair[1]);
                let copy = pair[0].clone();
                same.push(timed(|| distance(&pair[0], &copy, Effort::default())));
            }
            all.extend_from_slice(&column.times);
            columns.push(column);
        }
        let [structure, full] = columns.as_slice() else {
            continue;
        };
        report.figure(
            &format!("tree/series/{name}"),
            &format!(
                "{name:<10} {:>6} {:>6}  {structure}  {full}",
                full.times.len(),
                full.median_nodes()
            ),
            json!({"pairs": full.times.len(), "nodes": full.median_nodes(),
                "structure": structure.json(), "full": full.json()}),
            json!({"median_ms": 5}),
        )?;
    }
    let [structure, full] = all.map(|times| ms(at_share(times, 0.5)));
    let [identical, identical_p99] =
        [0.5, 0.99].map(|share| at_share(same.clone(), share).as_secs_f64() * 1e6);
    report.figure(
        "tree/rtdm",
        &format!(
            "all pairs: median {structure:.3} ms structure, {full:.3} ms full (asked: 5); \
             identical pages: median {identical:.2} µs, p99 {identical_p99:.2} µs (asked: 100)"
        ),
        json!({"median_structure_ms": structure, "median_full_ms": full, "identical_us": identical, "identical_p99_us": identical_p99}),
        json!({"median_full_ms": 5, "identical_us": 100}),
    )
}

/// The figures of one series in one mode.
#[derive(Default)]
struct Column {
    times: Vec<Duration>,
    distances: Vec<usize>,
    nodes: Vec<usize>,
    inexact: usize,
}

impl Column {
    fn add(&mut self, a: &Outline, b: &Outline) {
        let begun = Instant::now();
        let found = distance(a, b, Effort::default());
        self.times.push(begun.elapsed());
        self.distances.push(found.distance);
        self.nodes.push(a.len());
        self.inexact += usize::from(!found.exact);
    }

    fn median_nodes(&self) -> usize {
        at_share(self.nodes.clone(), 0.5)
    }

    fn shares(&self) -> [f64; 3] {
        [0.5, 0.9, 1.0].map(|share| ms(at_share(self.times.clone(), share)))
    }

    fn json(&self) -> serde_json::Value {
        let [median, p90, max] = self.shares();
        let distance = at_share(self.distances.clone(), 0.5);
        json!({"median_ms": median, "p90_ms": p90, "max_ms": max, "median_distance": distance,
            "inexact": self.inexact})
    }
}

impl std::fmt::Display for Column {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let [median, p90, max] = self.shares();
        let distance = at_share(self.distances.clone(), 0.5);
        write!(out, "{median:>9.3} {p90:>8.3} {max:>8.3} {distance:>8}")?;
        if self.inexact > 0 {
            write!(out, " ({} bounds)", self.inexact)?;
        }
        Ok(())
    }
}

/// Time against size: generated pages of which one row in a hundred changed.
fn growth(report: &Report) -> anyhow::Result<()> {
    report.heading("time against nodes, generated pages, 1 row in 100 changed, full mode")?;
    report
        .heading(&format!("{:>8} {:>10} {:>9} {:>12}", "nodes", "ms", "distance", "ns per node"))?;
    for rows in [90, 180, 450, 900, 1800, 4500] {
        let outline = |version| Outline::new(&parse_str(&generated(rows, version)).dom, Mode::Full);
        let (a, b) = (outline(0), outline(1));
        let found = distance(&a, &b, Effort::default());
        let time = (0..5).map(|_| timed(|| distance(&a, &b, Effort::default()))).min();
        let time = time.context("nothing was measured")?;
        let per_node = time.as_nanos() as f64 / a.len() as f64;
        report.figure(
            &format!("tree/growth/{}", a.len()),
            &format!("{:>8} {:>10.3} {:>9} {per_node:>12.1}", a.len(), ms(time), found.distance),
            json!({"nodes": a.len(), "ms": ms(time), "distance": found.distance, "exact": found.exact}),
            json!({}),
        )?;
    }
    Ok(())
}

/// A page with a list of rows of 11 nodes. Versions differ in the texts of one row in a hundred,
/// in a row that is new at the top, and in one that is gone from the middle.
fn generated(rows: u64, version: u64) -> String {
    let mut html =
        format!("<!doctype html><title>Page</title><h1>List</h1><p>Version {version}</p><ul>");
    for row in 0..version {
        let _ = write!(html, "<li><h2>New {row}</h2><p>just in</p></li>");
    }
    for row in (0..rows).filter(|row| version == 0 || *row != rows / 2 + version) {
        let word = row.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 40;
        let edition = if row % 100 == 7 { version } else { 0 };
        let _ = write!(
            html,
            "<li><h2><a href='/{row}'>Item {row}</a></h2><p>Text {word} of <b>{row}</b> in {edition}</p><span>{}</span></li>",
            word % 10
        );
    }
    html.push_str("</ul><footer>End</footer>");
    html
}

type Page = (PathBuf, Vec<u8>);

/// `DIR/NAME` if it is there, else `DIR/NAME.tar.zst` unpacked.
pub(super) fn unpacked(
    dir: &Path,
    name: &str,
    scratch: &Scratch,
) -> anyhow::Result<Option<PathBuf>> {
    let plain = dir.join(name);
    if plain.is_dir() {
        return Ok(Some(plain));
    }
    let archive = dir.join(format!("{name}.tar.zst"));
    if !archive.is_file() {
        return Ok(None);
    }
    let mut zstd = Command::new("zstd")
        .args(["-q", "-d", "--long=27", "-c"])
        .arg(&archive)
        .stdout(Stdio::piped())
        .spawn()
        .context("cannot run zstd; install it: apt install zstd")?;
    let stream = zstd.stdout.take().context("zstd gave no output")?;
    let tar = Command::new("tar").arg("-x").arg("-C").arg(&scratch.0).stdin(stream).status()?;
    if !(zstd.wait()?.success() && tar.success()) {
        bail!("cannot unpack {}", archive.display());
    }
    Ok(Some(scratch.0.join(name)))
}

/// All HTML files below a directory, in the order of their names.
fn read_all(dir: &Path) -> anyhow::Result<Vec<Page>> {
    let mut pages = Vec::new();
    let mut dirs = vec![dir.to_owned()];
    while let Some(dir) = dirs.pop() {
        let entries =
            std::fs::read_dir(&dir).with_context(|| format!("cannot list {}", dir.display()))?;
        for entry in entries {
            let path = entry?.path();
            if path.is_dir() {
                dirs.push(path);
            } else if path.extension().is_some_and(|extension| extension == "html") {
                let bytes = std::fs::read(&path)
                    .with_context(|| format!("cannot read {}", path.display()))?;
                pages.push((path, bytes));
            }
        }
    }
    pages.sort();
    Ok(pages)
}

/// The series below a directory, each with its versions in order of time.
fn series_of(dir: &Path) -> anyhow::Result<Vec<(String, Vec<Vec<u8>>)>> {
    let mut series: Vec<(String, Vec<Vec<u8>>)> = Vec::new();
    for (path, bytes) in read_all(dir)? {
        let parent = path.parent().and_then(Path::file_name).unwrap_or_default();
        let name = parent.to_string_lossy().into_owned();
        match series.last_mut() {
            Some((last, versions)) if *last == name => versions.push(bytes),
            _ => series.push((name, vec![bytes])),
        }
    }
    series.retain(|(_, versions)| versions.len() > 1);
    Ok(series)
}

/// A directory of our own, gone at the end.
pub(super) struct Scratch(PathBuf);

impl Scratch {
    pub(super) fn new() -> anyhow::Result<Self> {
        let dir = std::env::temp_dir().join(format!("bathys-bench-{}", std::process::id()));
        std::fs::create_dir_all(&dir).with_context(|| format!("cannot make {}", dir.display()))?;
        Ok(Scratch(dir))
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn timed<T>(work: impl FnOnce() -> T) -> Duration {
    let begun = Instant::now();
    std::hint::black_box(work());
    begun.elapsed()
}

fn ms(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}

/// The value below which this share of all lies; the default if there are none.
fn at_share<T: Ord + Copy + Default>(mut values: Vec<T>, share: f64) -> T {
    values.sort_unstable();
    let at = ((values.len() as f64 * share) as usize).min(values.len().saturating_sub(1));
    values.get(at).copied().unwrap_or_default()
}
