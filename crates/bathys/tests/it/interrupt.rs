//! Ctrl-C once finishes what is in hand; twice leaves at once. The store is good either way.

use std::time::{Duration, Instant};

use serde_json::Value;
use testsite::{Options, SiteKind};

use crate::kill::{mentioning, until_asked};
use crate::program::{Scratch, Started, has_fields};
use crate::site::{identities, maze, pages, serve_with};

#[test]
fn one_ctrl_c_sums_up_and_the_same_command_goes_on() {
    let whole = maze();
    let _alone = whole.alone();
    let scratch = Scratch::new();
    let url = whole.site.url();
    let crawl = ["crawl", &url, "--json"];
    let before = whole.site.requests().total;
    let mut running = Started::new(&mut scratch.bathys(&crawl));
    until_asked(&whole.site, before, 60, &mut running);
    running.interrupt();
    let ended = running.end();
    assert_eq!(ended.code, Some(130), "{}", ended.stderr);
    assert!(ended.stderr.contains("Ctrl-C again to leave at once"), "{}", ended.stderr);
    let summary = ended.json();
    has_fields(&summary, &["pages", "events_fired", "elapsed_s"]);
    assert_eq!(summary["stopped"], "interrupted");
    assert!(summary["waiting"].as_i64() > Some(0), "{summary:#}");
    assert_eq!(mentioning(scratch.path()), [], "no browser is left");
    let first = pages(&scratch);
    assert_eq!(first.len() as i64, summary["pages"].as_i64().unwrap());

    let ended = scratch.run(&crawl);
    assert_eq!((ended.code, &ended.json()["stopped"]), (Some(0), &Value::Null), "{}", ended.stderr);
    assert_eq!(identities(&pages(&scratch)), identities(&pages(&whole.scratch)));
}

#[test]
fn two_ctrl_c_leave_at_once_and_the_store_is_good() {
    let latency = Duration::from_secs(4);
    let slow = serve_with(SiteKind::News, Options { latency, ..Options::default() });
    let scratch = Scratch::new();
    let mut running = Started::new(&mut scratch.bathys(&["crawl", &slow.url(), "--json"]));
    // The second request is the page itself, which a tab waits for: the first Ctrl-C lets it.
    until_asked(&slow, 0, 2, &mut running);
    running.interrupt();
    // Two signals at the same moment are one.
    std::thread::sleep(Duration::from_millis(300));
    let second = Instant::now();
    running.interrupt();
    let ended = running.end();
    assert!(second.elapsed() < Duration::from_secs(2), "{:?}", second.elapsed());
    assert_eq!((ended.code, ended.text()), (Some(130), ""));
    assert!(scratch.run(&["stats", "--json"]).json()["waiting"].as_i64() > Some(0));
}

/// A page with many rows, which takes a while to read.
fn long_list(number: usize, rows: usize) -> String {
    let rows: String = (0..rows)
        .map(|row| {
            format!(
                "<li class=row><h3><a href='/thing/{number}-{row}'>Thing {row} of {number}</a></h3>\
                 <em>by maker {}</em> <span>2026-01-{:02}</span><p>Words about thing {row}.</p></li>",
                row % 17,
                row % 28 + 1
            )
        })
        .collect();
    format!("<html><head><title>List {number}</title></head><body><ul>{rows}</ul></body></html>")
}

fn lists(scratch: &Scratch, count: usize) -> Vec<String> {
    let name = |number: usize| format!("list-{number}.html");
    (0..count).for_each(|number| {
        scratch.write(&name(number), &long_list(number, 400));
    });
    (0..count).map(name).collect()
}

#[test]
fn a_command_with_nothing_to_save_leaves_at_the_first_ctrl_c() {
    let scratch = Scratch::new();
    let files = lists(&scratch, 150);
    let mut call = vec!["dom", "records", "--json"];
    call.extend(files.iter().map(String::as_str));
    let mut running = Started::new(&mut scratch.bathys(&call));
    std::thread::sleep(Duration::from_millis(1500));
    assert!(!running.has_ended(), "too quick to be interrupted");
    let asked = Instant::now();
    running.interrupt();
    let ended = running.end();
    assert_eq!(ended.code, Some(130), "{}", ended.stderr);
    assert!(asked.elapsed() < Duration::from_secs(1), "{:?}", asked.elapsed());
}

#[test]
fn an_import_is_interrupted_while_it_reads_records_and_goes_on_later() {
    let scratch = Scratch::new();
    std::fs::create_dir(scratch.path().join("versions")).unwrap();
    for day in 0..40 {
        let name = format!("versions/202601{:02}1200{:02}.html", day % 28 + 1, day / 28);
        scratch.write(&name, &long_list(day, 150));
    }
    let import = ["import", "--series", "https://example.org/list", "versions", "--json"];
    let mut running = Started::new(&mut scratch.bathys(&import));
    let versions = || scratch.run(&["stats", "--json"]).json_lines();
    let deadline = Instant::now() + Duration::from_secs(60);
    // All are kept, and some of what follows is still to be done.
    while versions().first().is_none_or(|stats| stats["versions"] != 40) {
        assert!(!running.has_ended() && Instant::now() < deadline);
        std::thread::sleep(Duration::from_millis(100));
    }
    let asked = Instant::now();
    running.interrupt();
    let ended = running.end();
    assert_eq!(ended.code, Some(130), "{}", ended.stderr);
    assert!(asked.elapsed() < Duration::from_secs(2), "{:?}", asked.elapsed());
    assert_eq!(ended.json()["stopped"], "interrupted");
    assert_eq!(scratch.run(&import).json()["versions"], 40, "the same command goes on");
}

#[test]
fn a_plain_line_says_what_is_being_waited_for() {
    let latency = Duration::from_secs(4);
    let slow = serve_with(SiteKind::News, Options { latency, ..Options::default() });
    let url = slow.url();
    let ended = Scratch::new().run(&["crawl", &url, "--max-time", "7", "--json"]);
    let said = ended.stderr.lines().find(|line| line.contains("; now: "));
    assert!(said.is_some_and(|line| line.contains(&url)), "{}", ended.stderr);
}
