//! What a crawl says when it ends, where it stops, and how the next one goes on.

use serde_json::Value;
use testsite::{Options, SiteKind};

use crate::program::{Scratch, Started, has_fields};
use crate::site::{changes, identities, maze, pages, serve, serve_with};

/// Every field of the summary that the contract names.
const SUMMARY: &[&str] = &[
    "pages",
    "states",
    "page_types",
    "events_fired",
    "events_saved.instruction",
    "events_saved.pattern",
    "events_saved.request",
    "merged",
    "refused",
    "requests.network",
    "requests.cache",
    "requests.learning",
    "rendered",
    "fetched",
    "forms",
    "submissions",
    "records",
    "versions",
    "blocks_new",
    "bytes_raw",
    "bytes_stored",
    "elapsed_s",
    "stopped",
];

#[test]
fn the_summary_has_every_field_of_the_contract() {
    let summary = &maze().summary;
    has_fields(summary, SUMMARY);
    assert_eq!(summary["stopped"], Value::Null);
    for counted in ["pages", "states", "events_fired", "refused", "rendered", "versions"] {
        assert!(summary[counted].as_i64() > Some(0), "{counted}: {summary:#}");
    }
    let raw = summary["bytes_raw"].as_i64().unwrap();
    assert!(raw > 10_000 && summary["bytes_stored"].as_i64() > Some(0), "{summary:#}");
    let network = summary["requests"]["network"].as_u64().unwrap();
    assert!(network > 0 && summary["elapsed_s"].as_f64() > Some(0.1), "{summary:#}");
}

#[test]
fn a_whole_crawl_finds_every_state_and_changes_nothing_on_the_site() {
    let crawled = maze();
    assert_eq!(changes(&crawled.site), Vec::<String>::new());
    let captured = pages(&crawled.scratch);
    assert_eq!(captured.len() as i64, crawled.summary["pages"].as_i64().unwrap());
    identities(&captured);
    let texts: Vec<String> = captured
        .iter()
        .map(|page| crawled.scratch.run(&["show", &page["page"].to_string()]).ok().to_owned())
        .collect();
    for state in &crawled.site.truth().states {
        assert!(texts.iter().any(|text| text.contains(&state.marker)), "{} is missing", state.id);
    }
}

#[test]
fn data_is_on_stdout_and_words_are_on_stderr() {
    let (site, scratch) = (serve(SiteKind::News), Scratch::new());
    let crawl = ["crawl", &site.url(), "--render", "never", "--max-pages", "4", "--tabs", "1"];
    let ended = scratch.run(&crawl);
    let said = ended.ok();
    assert!(said.starts_with("4 pages (0 that only events reach)"), "{said}");
    assert!(said.contains("stopped: --max-pages reached"), "{said}");
    let next = format!("{} pages --store ./bathys-data", env!("CARGO_BIN_EXE_bathys"));
    assert_eq!(ended.stderr, format!("to list the pages: {next}\n"));
    let table = scratch.run(&["pages"]);
    assert_eq!((table.ok().lines().count(), table.stderr.as_str()), (5, "4 pages\n"));
}

#[test]
fn a_limit_ends_the_crawl_well_and_the_summary_says_which() {
    let site = serve_with(SiteKind::News, Options { latency: MS_50, ..Options::default() });
    for (limit, value, render, count) in [
        ("pages", "5", "never", "/pages"),
        ("requests", "6", "never", "/requests/network"),
        ("time", "1", "never", ""),
        ("events", "3", "always", "/events_fired"),
    ] {
        let flag = format!("--max-{limit}");
        let url = site.url();
        let crawl = ["crawl", &url, "--json", "--tabs", "2", &flag, value, "--render", render];
        let ended = Scratch::new().run(&crawl);
        assert_eq!(ended.code, Some(0), "{}", ended.stderr);
        let summary = ended.json();
        assert_eq!(summary["stopped"], format!("max-{limit}"), "{summary:#}");
        assert!(summary["waiting"].as_i64() > Some(0), "{summary:#}");
        if let Some(reached) = summary.pointer(count).and_then(Value::as_u64) {
            // What each tab has in hand is finished.
            let limit: u64 = value.parse().unwrap();
            assert!((limit..=limit + 2).contains(&reached), "{flag} {limit}: {reached}");
        }
    }
    assert_eq!(changes(&site), Vec::<String>::new());
}

const MS_50: std::time::Duration = std::time::Duration::from_millis(50);

#[test]
fn no_page_lies_deeper_than_the_depth_that_was_asked_for() {
    let (site, scratch) = (serve(SiteKind::News), Scratch::new());
    let crawl = ["crawl", &site.url(), "--json", "--render", "never", "--max-depth", "1"];
    let summary = scratch.run(&crawl).json();
    assert_eq!((&summary["stopped"], &summary["waiting"]), (&Value::Null, &0.into()));
    let depths: Vec<_> = pages(&scratch).iter().map(|page| page["depth"].as_i64()).collect();
    assert!(depths.len() > 2 && depths.iter().all(|depth| *depth <= Some(1)), "{depths:?}");
}

#[test]
fn the_next_run_goes_on_where_a_limit_stopped_the_last() {
    let (site, scratch) = (serve(SiteKind::News), Scratch::new());
    let url = site.url();
    let crawl = |more: &[&str]| {
        let arguments =
            [&["crawl", &url, "--json", "--render", "never", "--tabs", "1"], more].concat();
        scratch.run(&arguments).json()
    };
    assert_eq!(crawl(&["--max-pages", "6"])["pages"], 6);
    let first = pages(&scratch);
    let asked = site.requests().paths;
    assert_eq!(crawl(&["--max-pages", "6"])["pages"], 6, "the limit counts what is there");
    assert_eq!(site.requests().paths, asked);

    assert_eq!(crawl(&["--max-pages", "15"])["pages"], 15);
    let both = pages(&scratch);
    assert_eq!(both[..6], first[..], "what was done stays as it was");
    identities(&both);
    let again = site.requests().paths;
    let twice: Vec<_> = asked.keys().filter(|path| again[*path] > asked[*path]).collect();
    // A new process asks for the rules again.
    assert!(twice.iter().all(|path| *path == "/robots.txt"), "asked for again: {twice:?}");

    assert!(crawl(&["--fresh", "--max-pages", "2"])["pages"] == 2);
    assert_eq!(pages(&scratch).len(), 2, "--fresh begins with nothing");
}

#[test]
fn a_run_after_the_end_revisits_and_keeps_no_version_of_what_did_not_change() {
    let options = Options { volatile: false, ..Options::default() };
    let (site, scratch) = (serve_with(SiteKind::News, options), Scratch::new());
    let crawl = ["crawl", &site.url(), "--json", "--render", "never"];
    let first = scratch.run(&crawl).json();
    let before = pages(&scratch);
    let second = scratch.run(&crawl).json();
    let after = pages(&scratch);
    assert_eq!((&first["stopped"], &second["stopped"]), (&Value::Null, &Value::Null));
    assert_eq!(second["versions"], first["versions"]);
    assert_eq!(second["fetched"].as_i64(), first["fetched"].as_i64().map(|count| 2 * count));
    for (before, after) in before.iter().zip(&after) {
        let same = ["page", "key", "content_hash", "first_seen", "versions"];
        same.iter().for_each(|field| assert_eq!(before[field], after[field], "{field}"));
        assert!(before["last_seen"].as_str() < after["last_seen"].as_str(), "{after:#}");
    }
    assert_eq!(before.len(), after.len());
}

#[test]
fn the_environment_says_where_the_store_is() {
    let (site, scratch) = (serve(SiteKind::News), Scratch::new());
    let run = |arguments: &[&str]| {
        Started::new(scratch.bathys(arguments).env("BATHYS_STORE", "kept/here")).end()
    };
    run(&["crawl", &site.url(), "--render", "never", "--max-pages", "2", "--tabs", "1"]).ok();
    assert!(scratch.path().join("kept/here").is_dir());
    assert!(!scratch.path().join("bathys-data").exists());
    assert_eq!(run(&["pages", "--json"]).json_lines().len(), 2);
    run(&["stats", "--store", "other"]).failed(1, &["no store at other"]);
}
