//! `bathys watch`: a line a visit, and a store that a killed watch leaves good.

use std::collections::BTreeMap;

use serde_json::Value;
use testsite::{Options, SiteKind};

use crate::kill::{mentioning, until_asked};
use crate::program::{Scratch, Started, has_fields, is_time};
use crate::site::{pages, serve_with};

/// Everything is due at once.
const AT_ONCE: [&str; 6] = ["watch", "--once", "--min", "0s", "--max", "0s"];

fn small() -> Options {
    Options { size: 12, chaff: 4, volatile: false, ..Options::default() }
}

/// What was told of each page.
fn outcomes(lines: &str) -> BTreeMap<String, String> {
    let lines = lines.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let told = |line: Value| {
        let field = |name: &str| line[name].as_str().unwrap().to_owned();
        (field("key"), field("outcome"))
    };
    lines.map(told).collect()
}

#[test]
fn a_watch_that_is_killed_goes_on_and_each_visit_is_a_line() {
    let site = serve_with(SiteKind::Bbs, small());
    let scratch = Scratch::new();
    assert_eq!(scratch.run(&["crawl", &site.url(), "--json"]).code, Some(0));
    let known = pages(&scratch).len();
    site.set_clock(site.clock().tomorrow());

    let before = site.requests().total;
    let mut killed = Started::new(&mut scratch.bathys(&AT_ONCE));
    until_asked(&site, before, 12, &mut killed);
    killed.kill();
    let mut interrupted = Started::new(&mut scratch.bathys(&AT_ONCE));
    until_asked(&site, before, 20, &mut interrupted);
    interrupted.interrupt();
    assert_eq!(interrupted.end().code, Some(130));
    assert_eq!(mentioning(scratch.path()), [], "no browser is left");

    let ended = scratch.run(&[&AT_ONCE[..], &["--json"]].concat());
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    let first: Value = serde_json::from_str(ended.text().lines().next().unwrap()).unwrap();
    has_fields(&first, &["page", "key", "url", "outcome", "version", "rate"]);
    is_time(&first["time"]);
    is_time(&first["next"]);
    let told = outcomes(ended.text());
    assert!(told.len() >= known, "{} of {known} pages", told.len());
    let all = ["new", "changed", "unchanged", "moved", "gone"];
    assert!(told.values().all(|outcome| all.contains(&outcome.as_str())), "{told:?}");

    let again = outcomes(scratch.run(&[&AT_ONCE[..], &["--json"]].concat()).text());
    let differs: Vec<_> = again.iter().filter(|(_, outcome)| *outcome != "unchanged").collect();
    assert!(differs.is_empty(), "nothing happened since: {differs:?}");
    assert_eq!(scratch.run(&["verify"]).code, Some(0));
}

#[test]
fn a_store_without_a_crawl_has_nothing_to_watch() {
    let scratch = Scratch::new();
    let ended = scratch.run(&["watch"]);
    assert_eq!(ended.code, Some(2), "{}", ended.stderr);
    assert!(ended.stderr.contains("bathys crawl URL"), "{}", ended.stderr);
    let wrong = scratch.run(&["watch", "--min", "2d", "--max", "1d"]);
    assert!(wrong.stderr.contains("--min is longer than --max"), "{}", wrong.stderr);
}
