//! `bathys bench warc`: writing and reading archives of real pages, beside warcio on the same files. CPU
//! time on one core, the least of three rounds.

use std::fs::File;
use std::hint::black_box;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, bail};
use derive::warc::WarcReader;
use publish::warc::{DEFAULT_LEVEL, PayloadDigest, RecordId, RecordKind, WarcRecord, WarcWriter};
use rustix::time::{ClockId, clock_gettime};
use serde::Deserialize;
use store::Millis;

use crate::change::series_of;
use crate::sheet::{Experiment, Sheet, rounded};
use crate::tree::{Scratch, unpacked};

const ROUNDS: usize = 3;
/// The level whose files are as small as warcio's, which uses 9.
const SMALL: u32 = 6;
/// Bytes of pages that are measured on, and in a quick run.
const ENOUGH: usize = 80_000_000;
const QUICK: usize = 8_000_000;
const HEAD: &[u8] = b"HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\n\r\n";

/// What the script about warcio says.
#[derive(Deserialize)]
struct Warcio {
    write_s: f64,
    read_s: f64,
    checked_s: f64,
}

pub fn run(sheet: &mut Sheet, data: Option<&Path>, quick: bool) -> anyhow::Result<()> {
    let (scratch, room) = (Scratch::new()?, tempfile::tempdir()?);
    let Some(dir) = data.map(|dir| unpacked(dir, "series", &scratch)).transpose()?.flatten() else {
        eprintln!("  no series found: nothing to write; name a directory with --data DIR");
        return Ok(());
    };
    let files = sample(&dir, if quick { QUICK } else { ENOUGH })?;
    let pages: Vec<Vec<u8>> = files.iter().map(std::fs::read).collect::<Result<_, _>>()?;
    let size: usize = pages.iter().map(Vec::len).sum();
    let mb = size as f64 / 1e6;
    let theirs_path = room.path().join("warcio.warc.gz");
    let theirs = warcio(&files, &theirs_path)?;
    let their_bytes = std::fs::metadata(&theirs_path)?.len();
    sheet.put(
        Experiment::new("warc/warcio")
            .ours("pages", pages.len())
            .ours("mb", rounded(mb))
            .ours("bytes", their_bytes)
            .ours("write_mb_s", rounded(mb / theirs.write_s))
            .ours("read_mb_s", rounded(mb / theirs.read_s))
            .ours("checked_mb_s", rounded(mb / theirs.checked_s)),
    )?;
    for level in [1, 2, 3, 4, SMALL, 9] {
        let asked = match level {
            DEFAULT_LEVEL => 5.0,
            SMALL => 2.5,
            _ => 0.0,
        };
        let path = room.path().join(format!("level-{level}.warc.gz"));
        let write_s = least(|| write(&pages, &path, level))?;
        let bytes = std::fs::metadata(&path)?.len();
        let (faster, larger) = (theirs.write_s / write_s, bytes as f64 / their_bytes as f64);
        let read_s = least(|| read(&path, false, size))?;
        let checked_s = least(|| read(&path, true, size))?;
        let name = if level == DEFAULT_LEVEL { " (default)" } else { "" };
        let mut row = Experiment::new(format!("warc/level {level}{name}"))
            .ours("pages", pages.len())
            .ours("mb", rounded(mb))
            .ours("bytes", bytes)
            .ours("size_of_warcio", rounded(larger))
            .ours("write_mb_s", rounded(mb / write_s))
            .ours("write_times", rounded(faster))
            .ours("read_mb_s", rounded(mb / read_s))
            .ours("read_times", rounded(theirs.read_s / read_s))
            .ours("checked_mb_s", rounded(mb / checked_s))
            .ask(
                faster >= asked,
                format!("writing {faster:.2} times as fast as warcio, asked {asked}"),
            );
        if level == SMALL {
            row = row.ask(larger <= 1.05, format!("{larger:.3} of warcio's size, asked 1.05"));
        }
        if level == DEFAULT_LEVEL {
            let faster = theirs.read_s / read_s;
            row = row.ask(faster >= 2.0, format!("reading {faster:.2} times as fast, asked 2"));
        }
        sheet.put(row)?;
    }
    sheet.table("Archives of real pages, CPU time on one core (asked of level 6: 2.5 times warcio's pace at 1.05 of its size; of the default: 5 times; reading: 2 times)")
}

/// Files of all series in turn, until there are enough bytes.
fn sample(dir: &Path, enough: usize) -> anyhow::Result<Vec<PathBuf>> {
    let series = series_of(dir)?;
    let mut size = 0;
    let mut files = Vec::new();
    let most = series.iter().map(|(_, files)| files.len()).max().unwrap_or(0);
    for at in 0..most {
        for file in series.iter().filter_map(|(_, files)| files.get(at)) {
            if size < enough {
                size += std::fs::metadata(file)?.len() as usize;
                files.push(file.clone());
            }
        }
    }
    Ok(files)
}

fn warcio(files: &[PathBuf], out: &Path) -> anyhow::Result<Warcio> {
    let python = Path::new(".venv/bin/python");
    if !python.exists() {
        bail!("warcio is not installed: run 'make check' in the checkout, which makes .venv");
    }
    let list = out.with_extension("list");
    let names: String = files.iter().map(|file| format!("{}\n", file.display())).collect();
    std::fs::write(&list, names)?;
    let ended = Command::new(python)
        .arg("scripts/oracles/warcio_speed.py")
        .args([&list, out])
        .arg(ROUNDS.to_string())
        .output()?;
    if !ended.status.success() {
        bail!("warcio failed: {}", String::from_utf8_lossy(&ended.stderr));
    }
    serde_json::from_slice(&ended.stdout).context("warcio's figures")
}

fn write(pages: &[Vec<u8>], path: &Path, level: u32) -> anyhow::Result<()> {
    let mut warc = WarcWriter::new(BufWriter::new(File::create(path)?), Some(level));
    for (number, page) in pages.iter().enumerate() {
        let url = format!("https://site.example/{number}");
        warc.write(&WarcRecord {
            kind: RecordKind::Response,
            id: RecordId::of(&[url.as_bytes()]),
            date: Millis(1_769_860_800_000),
            target: Some(&url),
            content_type: Some("application/http; msgtype=response"),
            fields: Vec::new(),
            head: HEAD,
            payload: page,
            payload_digest: Some(PayloadDigest::of(&[page])),
        })?;
    }
    warc.into_inner().flush()?;
    Ok(())
}

fn read(path: &Path, check: bool, expected: usize) -> anyhow::Result<()> {
    let mut reader = WarcReader::new(File::open(path)?)?.checking_digests(check);
    let mut size = 0;
    while let Some(record) = reader.next_record()? {
        let Ok(record) = record else { bail!("a record that was just written is damaged") };
        size += black_box(&record.block).len() - HEAD.len();
    }
    if size != expected {
        bail!("{size} bytes were read of {expected}");
    }
    Ok(())
}

/// CPU seconds of this thread, the least of all rounds.
fn least(mut work: impl FnMut() -> anyhow::Result<()>) -> anyhow::Result<f64> {
    let mut least = f64::MAX;
    for _ in 0..ROUNDS {
        let begun = now();
        work()?;
        least = least.min(now() - begun);
    }
    Ok(least)
}

fn now() -> f64 {
    let now = clock_gettime(ClockId::ThreadCPUTime);
    now.tv_sec as f64 + now.tv_nsec as f64 / 1e9
}
