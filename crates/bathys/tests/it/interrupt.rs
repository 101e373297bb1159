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
    until_asked(&slow, 0, 1, &mut running);
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
