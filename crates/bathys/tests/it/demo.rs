//! `demo`: one command in an empty directory, and a way on from there.

use std::process::Command;
use std::time::Duration;

use serde_json::Value;

use crate::program::{Scratch, Started, has_fields};

#[test]
fn the_demo_works_in_an_empty_directory_and_what_it_says_to_run_next_runs() {
    let scratch = Scratch::new();
    let ended = scratch.run(&["demo"]);
    let said = ended.ok();
    assert!(said.contains(" that only events reach)"), "{said}");
    assert!(ended.stderr.contains("state changes in the site's own log: 0 "), "{}", ended.stderr);

    let (_, next) = ended.stderr.split_once("look at it:\n").expect("what to look at next");
    assert!(next.contains(" serve "), "{next}");
    let next: Vec<_> = next.lines().filter_map(|line| line.strip_prefix("  ")).collect();
    for verb in ["pages", "show", "types", "graph", "search", "mirror"] {
        let start = format!("{} {verb} ", env!("CARGO_BIN_EXE_bathys"));
        assert!(next.iter().any(|line| line.starts_with(&start)), "no {verb} in {next:?}");
    }
    for line in next {
        let ran =
            Command::new("sh").args(["-c", line]).current_dir(scratch.path()).output().unwrap();
        assert!(ran.status.success(), "{line}: {}", String::from_utf8_lossy(&ran.stderr));
        let said = String::from_utf8_lossy(&ran.stdout);
        assert!(said.len() > 100 || line.contains(" > "), "{line}: {said}");
    }
}

#[test]
fn an_interrupted_demo_sums_up_as_a_crawl_does_and_says_nothing_more() {
    let scratch = Scratch::new();
    let demo = Started::new(&mut scratch.bathys(&["demo", "--json"]));
    let stats = ["stats", "--json", "--store", "bathys-data/demo"];
    let has_pages = |lines: &[Value]| lines.iter().any(|stats| stats["pages"] != 0);
    while !has_pages(&scratch.run(&stats).json_lines()) {
        std::thread::sleep(Duration::from_millis(50));
    }
    demo.interrupt();
    let ended = demo.end();
    assert_eq!(ended.code, Some(130), "{}", ended.stderr);
    has_fields(&ended.json(), &["pages", "states", "events_fired", "elapsed_s"]);
    assert_eq!(ended.json()["stopped"], "interrupted");
    assert!(!ended.stderr.contains("look at it"), "{}", ended.stderr);
}
