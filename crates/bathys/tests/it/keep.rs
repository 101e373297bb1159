//! Looking after a store: what was sealed says the same, and whoever is killed at it loses nothing.

use std::fmt::Write as _;
use std::time::{Duration, Instant};

use serde_json::Value;
use testsite::{Options, Random, SiteKind};

use crate::program::{Scratch, Started};
use crate::site::serve_with;

const URL: &str = "https://example.org/board";
const VERSIONS: usize = 80;

/// A page of which each version has a row more, and another row changed.
fn board(version: usize) -> String {
    let mut rows = String::new();
    for row in 0..40 + version {
        let points = if row % 7 == version % 7 { row * version } else { row };
        let _ = writeln!(
            rows,
            "<tr><td>{row}.</td><td><a href='/item/{row}'>Story number {row} of the board</a></td>\
             <td>{points} points by somebody</td></tr>"
        );
    }
    format!(
        "<html><head><title>Board {version}</title></head><body><nav><a href=/>Home</a> \
         <a href=/new>New</a></nav><table>{rows}</table><p>Version {version}</p></body></html>"
    )
}

fn name_of(version: usize) -> String {
    format!("202601{:02}{:02}0000", version / 24 + 1, version % 24)
}

fn series() -> Scratch {
    let scratch = Scratch::new();
    std::fs::create_dir(scratch.path().join("versions")).unwrap();
    for version in 0..VERSIONS {
        scratch.write(&format!("versions/{}.html", name_of(version)), &board(version));
    }
    scratch
}

const IMPORT: [&str; 5] = ["import", "--series", URL, "versions", "--json"];

fn assert_all_there(scratch: &Scratch) {
    for version in (0..VERSIONS).step_by(9).chain([VERSIONS - 1]) {
        let shown = scratch.run(&["show", &format!("{URL}@v{}", version + 1), "--as", "raw"]);
        assert_eq!(shown.ok(), board(version), "version {version}");
    }
    let verified = scratch.run(&["verify", "--json"]).json();
    assert_eq!(verified["bad"], Value::Array(Vec::new()));
    assert!(verified["checked"].as_i64() > Some(0));
}

#[test]
fn a_watch_seals_old_versions_while_nothing_is_due() {
    let scratch = series();
    let site = serve_with(SiteKind::Bbs, Options { size: 12, chaff: 4, ..Options::default() });
    scratch.run(&["crawl", &site.url(), "--max-depth", "0"]).ok();
    let board = format!("{}board", site.url());
    scratch.run(&["import", "--series", &board, "versions"]).ok();
    let mut watch = Started::new(&mut scratch.bathys(&["watch", "--min", "1d"]));
    let cold = || scratch.run(&["stats", "--json"]).json()["bytes_cold"].as_i64();
    let patience = Instant::now() + Duration::from_secs(60);
    while cold() == Some(0) && Instant::now() < patience && !watch.has_ended() {
        std::thread::sleep(Duration::from_millis(200));
    }
    watch.interrupt();
    assert_eq!(watch.end().code, Some(130));
    assert!(cold() > Some(0), "{:?}", cold());
    assert_eq!(scratch.run(&["verify", "--json"]).json()["bad"], Value::Array(Vec::new()));
}

#[test]
fn a_sealed_store_says_the_same_in_less_room() {
    let scratch = series();
    scratch.run(&IMPORT).ok();
    let questions: [&[&str]; 5] = [
        &["diff", &format!("{URL}@v3"), "@v60", "--json"],
        &["show", &format!("{URL}@v20"), "--as", "blocks", "--json"],
        &["show", &format!("{URL}@v20"), "--as", "meta", "--json"],
        &["records", "--history", "--format", "jsonl"],
        &["pages", "--json"],
    ];
    let ask = || questions.map(|question| scratch.run(question).ok().to_owned());
    let changes = || {
        let log = scratch.run(&["log", URL, "--all", "--json"]).ok().to_owned();
        let lines = log.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
        let told = |line: Value| {
            ["version", "blocks", "changed", "added", "removed"].map(|name| line[name].clone())
        };
        lines.map(told).collect::<Vec<_>>()
    };
    let (answers, history) = (ask(), changes());
    let sealed = scratch.run(&["seal", "--json"]).json();
    assert_eq!(sealed["versions"], VERSIONS as i64 - 1);
    let [before, after] =
        ["bytes_before", "bytes_after"].map(|name| sealed[name].as_i64().unwrap());
    assert!(after < before * 7 / 10, "{after} of {before}");
    assert_eq!(ask(), answers);
    assert_eq!(changes(), history);
    assert_all_there(&scratch);
    let stats = scratch.run(&["stats", "--json"]).json();
    assert!(stats["bytes_cold"].as_i64() > Some(0), "{stats:#}");
    // The latest version, too, and then there is nothing left to seal.
    assert_eq!(scratch.run(&["seal", "--all", "--json"]).json()["versions"], 1);
    assert_eq!(scratch.run(&["seal", "--all", "--json"]).json()["versions"], 0);
    assert_all_there(&scratch);
    assert_eq!(scratch.run(&["gc", "--json"]).json()["removed"], 0);
    assert_eq!(ask(), answers);
}

#[test]
fn whoever_is_killed_while_importing_or_sealing_loses_nothing() {
    let scratch = series();
    let mut random = Random::new(7);
    for command in [&IMPORT[..], &["seal", "--all", "--json"]] {
        for _ in 0..6 {
            let killed = Started::new(&mut scratch.bathys(command));
            std::thread::sleep(Duration::from_millis(40 + random.below(400) as u64));
            killed.kill();
            let kept = scratch.run(&["verify", "--json"]);
            // A store that was killed before it was made is none.
            assert!(kept.code == Some(0) || kept.stderr.contains("no store"), "{}", kept.stderr);
        }
        scratch.run(command).ok();
        assert_all_there(&scratch);
    }
    let sealed = scratch.run(&["stats", "--json"]).json();
    assert!(sealed["bytes_cold"].as_i64() > Some(0), "{sealed:#}");
}
