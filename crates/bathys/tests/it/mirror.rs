//! `mirror`: the copy on disk shows what was captured, and every link leads to a file.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use browser::{Browser, LaunchOptions, TabOptions};
use page::tree::{Dom, parse_str, visible_text};
use serde_json::Value;

use crate::program::{Scratch, has_fields};
use crate::site::{maze, pages};

/// A mirror of the crawled maze in a directory of its own.
fn mirrored(scratch: &Scratch) -> (PathBuf, Value) {
    let directory = scratch.path().join("mirror");
    let store = maze().scratch.path().join("bathys-data");
    let report = scratch
        .run(&["mirror", "mirror", "--json", "--store", &store.display().to_string()])
        .json();
    (directory, report)
}

fn read(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn trees(directory: &Path) -> BTreeMap<String, Dom> {
    std::fs::read_dir(directory)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter(|name| name.ends_with(".html"))
        .map(|name| (name.clone(), parse_str(&read(&directory.join(&name))).dom))
        .collect()
}

fn folded(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn every_captured_page_has_a_file_without_scripts() {
    let scratch = Scratch::new();
    let (directory, report) = mirrored(&scratch);
    has_fields(&report, &["pages", "assets", "broken_links"]);
    let captured = pages(&maze().scratch);
    assert_eq!(report["pages"], captured.len());
    assert_eq!(report["broken_links"], 0);
    for page in &captured {
        assert!(directory.join(format!("{}.html", page["page"])).exists(), "{page:#}");
    }
    for (name, tree) in trees(&directory) {
        for element in tree.elements() {
            assert_ne!(element.name(), "script", "{name}");
            for (attribute, value) in element.attributes() {
                assert!(!attribute.starts_with("on"), "{name}: {attribute}");
                assert!(!value.trim_start().starts_with("javascript:"), "{name}: {value}");
            }
        }
        let policy = tree
            .elements()
            .find(|meta| meta.attribute("http-equiv") == Some("Content-Security-Policy"))
            .and_then(|meta| meta.attribute("content"));
        assert!(policy.is_some_and(|policy| policy.contains("script-src 'none'")), "{name}");
    }
}

#[test]
fn every_link_leads_to_a_file_or_says_that_it_leaves() {
    let scratch = Scratch::new();
    let (directory, report) = mirrored(&scratch);
    let (mut inside, mut outside) = (0, 0);
    for (name, tree) in trees(&directory) {
        for element in tree.elements() {
            let Some(href) = element.attribute("href").filter(|href| !href.starts_with('#')) else {
                continue;
            };
            if href.starts_with("data:") {
                assert_eq!(element.name(), "link", "{name}: {href}");
            } else if href.contains(':') {
                let class = element.attribute("class").unwrap_or_default();
                assert!(class.contains("bathys-outside"), "{name}: {href}");
                assert!(element.attribute("rel").unwrap().contains("external"), "{name}: {href}");
                outside += 1;
            } else {
                let file = href.split('#').next().unwrap();
                assert!(directory.join(file).is_file(), "{name}: {href}");
                inside += 1;
            }
        }
        let sources = tree.elements().filter_map(|element| element.attribute("src"));
        for src in sources.filter(|src| !src.starts_with("data:")) {
            assert!(directory.join(src).is_file(), "{name}: {src}");
        }
    }
    assert!(inside > 500, "{inside}");
    assert!(outside > 0 && report["outside_links"].as_u64().unwrap() > 0);
}

#[test]
fn every_state_that_only_events_reach_is_reached_by_links() {
    let scratch = Scratch::new();
    let (directory, report) = mirrored(&scratch);
    let trees = trees(&directory);
    let mut reached = BTreeSet::new();
    let mut queue = vec!["1.html".to_owned()];
    while let Some(name) = queue.pop() {
        if !reached.insert(name.clone()) {
            continue;
        }
        let Some(tree) = trees.get(&name) else { continue };
        for element in tree.elements() {
            let to = element.attribute("href").or(element.attribute("src")).unwrap_or_default();
            let to = to.split('#').next().unwrap_or_default();
            if trees.contains_key(to) && !to.starts_with("index") {
                queue.push(to.to_owned());
            }
        }
    }
    // Where a page only sends its visitors by itself, after a while, no element leads.
    let is_sent = |page: &Value| page["url"].to_string().contains("/refresh/");
    for page in pages(&maze().scratch).into_iter().filter(|page| !is_sent(page)) {
        assert!(reached.contains(&format!("{}.html", page["page"])), "{page:#}");
    }
    assert!(report["script_links"].as_u64().unwrap() > 20, "{report}");
}

#[test]
fn a_select_whose_rooms_are_known_is_a_list_of_links() {
    let scratch = Scratch::new();
    let (directory, _) = mirrored(&scratch);
    let captured = pages(&maze().scratch);
    let at = |path: &str| {
        let found = captured.iter().find(|page| {
            page["url"].as_str().unwrap().ends_with(path) && page["path"] == serde_json::json!([])
        });
        format!("{}.html", found.unwrap()["page"])
    };
    let tree = parse_str(&read(&directory.join(at("/select/")))).dom;
    let links: Vec<_> = tree
        .elements()
        .filter(|element| element.attribute("class") == Some("bathys-option"))
        .filter_map(|option| option.children().find(|child| child.name() == "a"))
        .filter_map(|link| link.attribute("href"))
        .collect();
    assert_eq!(links, [at("/select/red"), at("/select/green"), at("/select/blue")]);
    assert!(tree.elements().all(|element| element.name() != "select"));
}

#[test]
fn a_directory_that_is_no_mirror_is_left_alone() {
    let scratch = Scratch::new();
    let store = maze().scratch.path().join("bathys-data");
    std::fs::create_dir(scratch.path().join("papers")).unwrap();
    scratch.write("papers/thesis.txt", "do not touch");
    let call = ["mirror", "papers", "--store", &store.display().to_string()];
    scratch.run(&call).failed(1, &["papers", "thesis.txt", "empty"]);
    assert_eq!(read(&scratch.path().join("papers/thesis.txt")), "do not touch");
}

#[test]
fn a_second_mirror_is_the_first_byte_for_byte() {
    let (one, two) = (Scratch::new(), Scratch::new());
    let (first, report) = mirrored(&one);
    let (second, again) = mirrored(&two);
    assert_eq!(report, again);
    // And over the first, which it replaces.
    mirrored(&one);
    for name in trees(&second).keys() {
        assert!(read(&first.join(name)) == read(&second.join(name)), "{name}");
    }
}

#[test]
fn a_browser_without_scripts_shows_the_captured_text() {
    let scratch = Scratch::new();
    let (directory, _) = mirrored(&scratch);
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let shown = runtime.block_on(shown_by_browser(&directory));
    for page in pages(&maze().scratch) {
        let number = page["page"].to_string();
        let captured = maze().scratch.run(&["show", &number, "--as", "text"]).ok().to_owned();
        let shown = &shown[&format!("{number}.html")];
        assert_eq!(folded(shown), folded(&captured), "page {number}, {}", page["key"]);
    }
}

/// The visible text of each page as Chromium reads it from disk. The policy of each page keeps its
/// scripts from running, had any survived.
async fn shown_by_browser(directory: &Path) -> BTreeMap<String, String> {
    let browser = Browser::launch(LaunchOptions::default()).await.unwrap();
    let mut tab = browser.tab(TabOptions::default()).await.unwrap();
    let mut shown = BTreeMap::new();
    for name in trees(directory).into_keys() {
        let url = url::Url::from_file_path(directory.join(&name)).unwrap();
        tab.navigate(&url).await.unwrap_or_else(|error| panic!("{name}: {error}"));
        shown.insert(name, visible_text(&tab.walk().await.unwrap().dom));
    }
    browser.close().await;
    shown
}
