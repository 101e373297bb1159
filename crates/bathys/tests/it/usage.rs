//! Wrong calls end with 2, failures with 1, and both say what to do.

use testsite::SiteKind;

use crate::program::{Scratch, Started};
use crate::site::serve;

/// A call that clap itself refuses: 2, an error and a hint on stderr, nothing on stdout.
#[track_caller]
fn is_refused(arguments: &[&str], says: &str) {
    let ended = Scratch::new().run(arguments);
    assert_eq!(ended.code, Some(2), "{}", ended.stderr);
    assert_eq!(ended.text(), "");
    assert!(ended.stderr.contains(says), "no '{says}' in: {}", ended.stderr);
    assert!(ended.stderr.contains("--help"), "{}", ended.stderr);
}

#[test]
fn a_crawl_without_a_url_is_wrong_usage() {
    Scratch::new().run(&["crawl"]).failed(2, &["nothing to crawl", "bathys crawl https://"]);
}

#[test]
fn a_url_that_cannot_be_crawled_is_wrong_usage() {
    for url in ["ftp://example.org/", "http://", "not a url", "mailto:a@example.org", ""] {
        Scratch::new().run(&["crawl", url]).failed(2, &["https://example.org/"]);
    }
    let secret = Scratch::new().run(&["crawl", "http://me:secret@127.0.0.1/"]);
    secret.failed(2, &["user name or a password"]);
}

#[test]
fn a_crawl_with_no_tabs_is_wrong_usage() {
    Scratch::new().run(&["crawl", "http://127.0.0.1/", "--tabs", "0"]).failed(2, &["--tabs", "1"]);
    is_refused(&["crawl", "http://127.0.0.1/", "--tabs", "many"], "--tabs");
}

#[test]
fn an_unknown_flag_or_command_is_wrong_usage() {
    is_refused(&["crawl", "http://127.0.0.1/", "--max-page", "3"], "--max-pages");
    is_refused(&["craw"], "crawl");
    is_refused(&["graph", "--format", "png"], "graphml");
}

#[test]
fn no_command_at_all_is_wrong_usage_and_shows_the_help() {
    let ended = Scratch::new().run(&[]);
    assert_eq!((ended.code, ended.text()), (Some(2), ""));
    assert!(ended.stderr.contains("Usage: bathys"), "{}", ended.stderr);
}

#[test]
fn a_pattern_that_is_none_is_wrong_usage_and_empties_no_store() {
    let scratch = Scratch::new();
    let kept = scratch.path().join("bathys-data");
    std::fs::create_dir(&kept).unwrap();
    let catalog = scratch.write("bathys-data/catalog.sqlite3", "kept");
    for flag in ["--include", "--exclude", "--allow-post"] {
        let ended = scratch.run(&["crawl", "http://127.0.0.1:9/", "--fresh", flag, "/a("]);
        ended.failed(2, &[flag, "'/a('", "unclosed group"]);
    }
    assert_eq!(std::fs::read_to_string(catalog).unwrap(), "kept");
}

#[test]
fn a_name_that_no_header_may_hold_is_wrong_usage() {
    let crawl = ["crawl", "http://127.0.0.1:9/", "--user-agent", "me\r\nX-More: 1"];
    Scratch::new().run(&crawl).failed(2, &["--user-agent", "control character"]);
}

#[test]
fn a_settings_file_with_a_mistake_is_wrong_usage_and_the_line_is_named() {
    for (text, says) in [
        ("[crawl]\nmax_pagse = 3\n", "line 2: unknown field `max_pagse`"),
        ("[crawl]\n\nscope = \"planet\"\n", "line 3: unknown variant `planet`"),
        ("store = \n", "line 1: "),
        ("[crawl]\ntabs = -1\n", "line 2: "),
    ] {
        let scratch = Scratch::new();
        scratch.write("bathys.toml", text);
        scratch.run(&["config"]).failed(2, &["bathys.toml, ", says]);
    }
}

#[test]
fn a_settings_file_that_is_not_there_is_a_failure() {
    let ended = Scratch::new().run(&["config", "--config", "other.toml"]);
    ended.failed(1, &["cannot read other.toml", "--config"]);
}

#[test]
fn asking_a_store_that_is_not_there_is_a_failure_and_makes_none() {
    let scratch = Scratch::new();
    for arguments in [&["pages"][..], &["graph"], &["stats"], &["show", "1"]] {
        scratch.run(arguments).failed(1, &["./bathys-data", "bathys crawl URL", "--store"]);
        let json = [arguments, &["--json"]].concat();
        scratch.run(&json).failed(1, &["./bathys-data"]);
    }
    assert!(!scratch.path().join("bathys-data").exists());
}

#[test]
fn a_file_where_the_store_should_be_is_a_failure() {
    let scratch = Scratch::new();
    scratch.write("taken", "");
    let ended = scratch.run(&["crawl", "http://127.0.0.1:9/", "--store", "taken"]);
    ended.failed(1, &["taken", "--store"]);
}

#[test]
fn a_second_crawl_into_the_same_store_is_a_failure_and_the_first_goes_on() {
    let (site, scratch) = (serve(SiteKind::News), Scratch::new());
    let url = site.url();
    let crawl = ["crawl", &url, "--json", "--max-pages", "8", "--fresh"];
    let first = Started::new(&mut scratch.bathys(&crawl));
    while !scratch.path().join("bathys-data/catalog.sqlite3").exists() {
        std::thread::sleep(std::time::Duration::from_millis(2));
    }
    scratch.run(&crawl).failed(1, &["in use by another bathys process", "--store"]);
    let first = first.end();
    assert_eq!((first.code, &first.json()["stopped"]), (Some(0), &"max-pages".into()));
}

#[test]
fn a_start_that_nobody_answers_is_a_failure_and_says_why() {
    let ended = Scratch::new().run(&["crawl", "http://127.0.0.1:9/", "--json"]);
    assert_eq!(ended.code, Some(1), "{}", ended.stderr);
    assert_eq!((&ended.json()["pages"], &ended.json()["failed"]), (&0.into(), &1.into()));
    assert!(ended.stderr.contains("http://127.0.0.1:9/"), "{}", ended.stderr);
    assert!(ended.stderr.contains("bathys pages --all"), "{}", ended.stderr);
}
