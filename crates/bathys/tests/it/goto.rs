//! `goto`: a browser, driven to a page that is known.

use testsite::{Options, SiteKind};

use crate::program::{Scratch, has_fields};
use crate::site::{changes, maze, pages, serve_with, stop};

#[test]
fn a_page_that_only_events_reach_is_reached_and_saved() {
    let maze = maze();
    let _alone = maze.alone();
    let listed = pages(&maze.scratch);
    let steps = |page: &&serde_json::Value| page["path"].as_array().unwrap().len();
    let deepest = listed.iter().max_by_key(steps).unwrap();
    assert!(steps(&deepest) > 0);
    let before = changes(&maze.site).len();
    let key = deepest["key"].as_str().unwrap();
    let told = maze
        .scratch
        .run(&["goto", key, "--json", "--html", "there.html", "--screenshot", "there.png"])
        .json();
    has_fields(&told, &["path", "cost_ms", "arrived", "url", "attempts"]);
    assert_eq!(told["arrived"], true);
    assert_eq!(told["page"], deepest["page"]);
    assert!(!told["path"].as_array().unwrap().is_empty());
    assert!(told["path"].as_array().unwrap().len() <= steps(&deepest), "no detour: {told:#}");
    let saved = |name: &str| std::fs::read(maze.scratch.path().join(name)).unwrap();
    assert!(saved("there.png").starts_with(b"\x89PNG"));
    let shown = maze.scratch.run(&["show", key, "--as", "text"]);
    let html = String::from_utf8(saved("there.html")).unwrap();
    let text = page::tree::visible_text(&page::tree::parse_str(&html).dom);
    assert_eq!(text.trim(), shown.ok().trim());
    assert_eq!(changes(&maze.site).len(), before, "going somewhere changes nothing");
}

#[test]
fn the_store_is_the_same_afterwards() {
    let maze = maze();
    let _alone = maze.alone();
    let all = || maze.scratch.run(&["pages", "--all", "--json"]).ok().to_owned();
    let graph = || maze.scratch.run(&["graph", "--json"]).ok().to_owned();
    let before = (all(), graph());
    maze.scratch.run(&["goto", "1"]).ok();
    assert_eq!((all(), graph()), before);
}

#[test]
fn a_page_that_is_gone_is_said_to_be_and_what_is_there_instead() {
    let site = serve_with(SiteKind::News, Options { size: 1, ..Options::default() });
    let scratch = Scratch::new();
    scratch.run(&["crawl", &site.url(), "--max-pages", "3", "--json"]).json();
    let port = url::Url::parse(&site.url()).unwrap().port().unwrap();
    stop(site);
    // Another site in its place: the page is not what it was.
    let site = serve_with(SiteKind::Bbs, Options { port, ..Options::default() });
    let ended = scratch.run(&["goto", "1"]);
    ended.failed(1, &["page 1 was not found again", "which is different: ", "bathys crawl"]);
    let told = scratch.run(&["goto", "1", "--json"]);
    assert_eq!((told.code, told.json()["arrived"].clone()), (Some(1), false.into()));
    stop(site);
    let ended = scratch.run(&["goto", "1"]);
    ended.failed(1, &["page 1 was not found again", "Connection refused"]);
}

#[test]
fn a_page_that_nobody_knows_is_no_destination() {
    let ended = maze().scratch.run(&["goto", "https://example.org/nowhere"]);
    ended.failed(1, &["https://example.org/nowhere", "bathys pages"]);
}
