//! `show`: a page, by any of its names, in any form, as of any time.

use base64::prelude::{BASE64_STANDARD, Engine};
use serde_json::Value;
use testsite::{Options, SiteKind};

use crate::program::{Scratch, has_fields, is_time};
use crate::site::{maze, pages, serve_with, stop};

/// A page that events reach and one that its URL reaches.
fn two() -> (Value, Value) {
    let all = pages(&maze().scratch);
    let by_events = |page: &&Value| page["path"].as_array().is_some_and(|path| !path.is_empty());
    let event = all.iter().find(by_events).unwrap().clone();
    let url = format!("{}comments/", maze().site.url());
    (event, all.into_iter().find(|page| page["key"] == *url).unwrap())
}

fn show(name: &str, form: &str) -> String {
    maze().scratch.run(&["show", name, "--as", form]).ok().to_owned()
}

#[test]
fn a_number_a_key_and_a_url_name_the_same_page() {
    for page in pages(&maze().scratch) {
        let by = |name: &str| maze().scratch.run(&["show", name, "--as", "meta", "--json"]).json();
        let key = page["key"].as_str().unwrap();
        let shown = by(key);
        assert_eq!((&shown["page"], &shown["key"]), (&page["page"], &page["key"]));
        assert_eq!(by(&page["page"].to_string()), shown);
    }
}

#[test]
fn a_url_may_be_typed_as_people_type_it() {
    let (_, page) = two();
    let addr = maze().site.addr();
    for typed in [format!("HTTP://{addr}/comments/"), format!("http://{addr}/x/../comments/#top")] {
        let shown = maze().scratch.run(&["show", &typed, "--as", "meta", "--json"]).json();
        assert_eq!(shown["page"], page["page"], "{typed}");
    }
}

#[test]
fn text_is_what_a_reader_sees_and_html_is_the_tree() {
    let (event, page) = two();
    let truth = maze().site.truth();
    let marker = &truth.states.iter().find(|state| state.url == "/comments/").unwrap().marker;
    let key = page["key"].as_str().unwrap();
    let (text, html) = (show(key, "text"), show(key, "html"));
    assert!(
        text.contains(marker) && !text.contains("<div") && !text.contains("function"),
        "{text}"
    );
    assert!(html.contains("<!DOCTYPE html><html") && html.contains(marker), "{html}");
    let reached = show(event["key"].as_str().unwrap(), "html");
    assert!(reached.contains("<!DOCTYPE html><html"), "{reached}");
}

#[test]
fn a_picture_is_drawn_from_the_store_with_or_without_blocks() {
    let (event, _) = two();
    let number = event["page"].to_string();
    let draw = |more: &[&str]| {
        let call = [&["show", &number, "--as", "png", "--json"], more].concat();
        let shown = maze().scratch.run(&call).json();
        assert_eq!(shown["key"], event["key"]);
        BASE64_STANDARD.decode(shown["base64"].as_str().unwrap()).unwrap()
    };
    let (plain, marked) = (draw(&[]), draw(&["--blocks", "--level", "1"]));
    for picture in [&plain, &marked] {
        assert!(picture.starts_with(b"\x89PNG\r\n\x1a\n"));
    }
    assert_ne!(plain, marked);
    let misplaced = maze().scratch.run(&["show", &number, "--as", "text", "--blocks"]);
    misplaced.failed(2, &["--as png"]);
}

#[test]
fn raw_is_the_bytes_that_the_server_sent() {
    let (event, page) = two();
    let key = page["key"].as_str().unwrap();
    let raw = maze().scratch.run(&["show", key, "--as", "raw"]);
    assert!(raw.ok().contains("M.comments("), "scripts and handlers as they were: {}", raw.text());
    assert_ne!(raw.text(), show(key, "html"), "the tree is what scripts made of it");
    let number = event["page"].to_string();
    let none = maze().scratch.run(&["show", &number, "--as", "raw"]);
    none.failed(1, &["reached by events", "--as html"]);
}

#[test]
fn meta_is_the_page_with_its_exchanges() {
    let (event, page) = two();
    let of = |page: &Value| {
        let key = page["key"].as_str().unwrap();
        maze().scratch.run(&["show", key, "--as", "meta", "--json"]).json()
    };
    let meta = of(&page);
    has_fields(
        &meta,
        &["page", "key", "url", "path", "content_hash", "version", "time", "exchanges"],
    );
    has_fields(&meta, &["site", "type", "level", "visits", "change_rate", "next_visit"]);
    let metadata = &meta["metadata"];
    has_fields(metadata, &["status", "via", "level", "headers", "digests", "title", "charset"]);
    assert_eq!(metadata["program"], concat!("bathys ", env!("CARGO_PKG_VERSION")));
    assert!(metadata["settings"]["scope"].is_string(), "what the crawl was told: {metadata:#}");
    is_time(&meta["time"]);
    let loaded = meta["exchanges"].as_array().unwrap().iter().any(|exchange| {
        exchange["url"] == page["url"] && exchange["status"] == 200 && exchange["method"] == "GET"
    });
    assert!(loaded, "{meta:#}");
    assert_eq!(of(&event)["path"], event["path"]);
    let table = show(page["key"].as_str().unwrap(), "meta");
    assert!(table.contains(page["content_hash"].as_str().unwrap()), "{table}");
}

#[test]
fn with_json_every_form_is_one_object() {
    let (_, page) = two();
    let key = page["key"].as_str().unwrap();
    let json = |form| maze().scratch.run(&["show", key, "--as", form, "--json"]).json();
    assert_eq!(json("html")["html"], show(key, "html"));
    assert_eq!(format!("{}\n", json("text")["text"].as_str().unwrap()), show(key, "text"));
    let raw = BASE64_STANDARD.decode(json("raw")["base64"].as_str().unwrap()).unwrap();
    assert_eq!(String::from_utf8(raw).unwrap(), show(key, "raw"));
}

#[test]
fn a_page_that_is_not_known_or_holds_nothing_is_a_failure() {
    let scratch = &maze().scratch;
    for name in ["999999", "-1", "http://127.0.0.1/none", "nonsense", "1@yesterday", ""] {
        // A number below 0 would read as a flag.
        scratch.run(&["show", "--", name]).failed(1, &["no page", "bathys pages"]);
    }
    let all = scratch.run(&["pages", "--all", "--json"]).json_lines();
    let redirect = all.iter().find(|page| page["condition"] == "redirect").unwrap();
    let number = redirect["page"].to_string();
    scratch.run(&["show", &number]).failed(1, &["nothing to show (redirect)", "bathys graph"]);
}

#[test]
fn at_a_time_a_page_is_what_it_was_then() {
    let scratch = Scratch::new();
    let site = serve_with(SiteKind::News, Options { seed: 1, ..Options::default() });
    let (url, port) = (site.url(), site.addr().port());
    let crawl = ["crawl", &url, "--render", "never", "--max-depth", "0", "--json"];
    assert_eq!(scratch.run(&crawl).json()["pages"], 1);
    let old = scratch.run(&["show", &url]).ok().to_owned();
    let between = jiff::Timestamp::now();
    stop(site);
    let _site = serve_with(SiteKind::News, Options { port, seed: 2, ..Options::default() });
    assert_eq!(scratch.run(&crawl).json()["versions"], 2);

    let new = scratch.run(&["show", &url]).ok().to_owned();
    assert_ne!(new, old);
    let at = |time: &str| scratch.run(&["show", &format!("{url}@{time}")]);
    assert_eq!(at(&between.to_string()).ok(), old);
    assert_eq!(scratch.run(&["show", &format!("1@{between}")]).ok(), old, "by number too");
    assert_eq!(at("2999-01-31").ok(), new, "a day stands for its end");
    at("2001-01-31").failed(1, &["no version of that time", "first seen at"]);
}
