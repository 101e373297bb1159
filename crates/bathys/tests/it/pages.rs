//! `pages` and `stats`: what is known, and what it costs.

use crate::program::{Scratch, Started, has_fields, is_time};
use crate::site::{maze, pages};

#[test]
fn a_line_a_page_has_every_field_of_the_contract() {
    let listed = pages(&maze().scratch);
    for page in &listed {
        let fields = [
            "page",
            "key",
            "url",
            "path",
            "type",
            "title",
            "status",
            "via",
            "content_hash",
            "first_seen",
            "last_seen",
            "versions",
        ];
        has_fields(page, &fields);
        for step in page["path"].as_array().unwrap() {
            has_fields(step, &["event", "xpath", "instruction"]);
        }
        is_time(&page["first_seen"]);
        is_time(&page["last_seen"]);
        assert!(page["via"] == "browser" || page["via"] == "http", "{page:#}");
        assert_eq!(page["content_hash"].as_str().unwrap().len(), 32, "{page:#}");
    }
    let numbers: Vec<_> = listed.iter().map(|page| page["page"].as_i64().unwrap()).collect();
    assert!(numbers.is_sorted_by(|a, b| a < b), "in order, none twice: {numbers:?}");
}

#[test]
fn a_key_is_the_url_or_the_url_and_the_events_that_lead_on_from_it() {
    let mut by_events = 0;
    for page in pages(&maze().scratch) {
        let (key, url) = (page["key"].as_str().unwrap(), page["url"].as_str().unwrap());
        let steps = page["path"].as_array().unwrap();
        if steps.is_empty() {
            assert_eq!(key, url);
            continue;
        }
        by_events += 1;
        let said = key.strip_prefix(&format!("{url}#!bathys:")).unwrap_or_else(|| panic!("{key}"));
        let first = steps[0]["event"].as_str().unwrap();
        assert!(said.starts_with(&format!("{first}=")), "{key}");
    }
    assert_eq!(by_events, maze().summary["event_pages"].as_i64().unwrap());
}

#[test]
fn all_lists_what_was_not_captured_too() {
    let all = maze().scratch.run(&["pages", "--all", "--json"]).json_lines();
    let of = |condition| all.iter().filter(move |page| page["condition"] == condition);
    assert_eq!(of("captured").count(), pages(&maze().scratch).len());
    assert!(of("redirect").count() > 0);
    // A page that refreshes at once is a redirect that a server answered with 200.
    let sends_on = |page: &serde_json::Value| matches!(page["status"].as_u64(), Some(200..=399));
    assert!(of("redirect").all(sends_on));
    let table = maze().scratch.run(&["pages", "--all"]);
    assert_eq!(table.ok().lines().count(), 1 + all.len());
}

#[test]
fn what_robots_txt_disallows_is_a_refused_edge_and_no_page() {
    let refused = |edge: &&serde_json::Value| {
        edge["refused_because"].as_str().is_some_and(|why| why.starts_with("robots.txt says"))
    };
    let graph = maze().scratch.run(&["graph"]);
    let graph: serde_json::Value = serde_json::from_str(graph.ok()).unwrap();
    let edges = graph["edges"].as_array().unwrap();
    let refused: Vec<_> = edges.iter().filter(refused).collect();
    assert!(!refused.is_empty() && refused.iter().all(|edge| edge["to"].is_null()));
    let all = maze().scratch.run(&["pages", "--all", "--json"]).json_lines();
    for edge in refused {
        assert!(!all.iter().any(|page| page["url"] == edge["instruction"]));
    }
}

#[test]
fn a_reader_that_goes_away_is_no_failure() {
    for arguments in [
        &["pages"][..],
        &["pages", "--json"],
        &["graph"],
        &["graph", "--format", "dot"],
        &["graph", "--format", "graphml"],
        &["stats"],
        &["stats", "--json"],
        &["config"],
        &["show", "1", "--as", "html"],
        &["show", "1", "--as", "meta", "--json"],
    ] {
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let mut command = maze().scratch.bathys(arguments);
        let ended = Started::new(command.stdout(writer)).end();
        assert_eq!(
            (ended.code, ended.stderr.contains("error")),
            (Some(0), false),
            "{arguments:?}: {}",
            ended.stderr
        );
    }
}

#[test]
fn stats_count_what_the_crawl_kept() {
    let (scratch, summary) = (&maze().scratch, &maze().summary);
    let stats = scratch.run(&["stats", "--json"]).json();
    has_fields(
        &stats,
        &[
            "versions",
            "bytes_raw",
            "bytes_stored",
            "bytes_hot",
            "bytes_cold",
            "blocks",
            "pages",
            "states",
            "records",
        ],
    );
    for same in ["pages", "states", "versions", "bytes_raw", "records"] {
        assert_eq!(stats[same], summary[same], "{same}");
    }
    let (stored, hot) = (stats["bytes_stored"].as_i64(), stats["bytes_hot"].as_i64());
    assert!(stored > hot && hot > Some(0), "{stats:#}");
    let on_disk =
        std::fs::metadata(scratch.path().join("bathys-data/catalog.sqlite3")).unwrap().len();
    assert!(stored <= Some(on_disk as i64), "{stats:#} of {on_disk}");
    let table = scratch.run(&["stats"]).ok().to_owned();
    let pages = format!("pages      {}\n", stats["pages"]);
    assert!(table.contains(&pages) && table.contains(&maze().site.addr().to_string()), "{table}");
}

#[test]
fn a_store_answers_questions_while_a_crawl_writes_to_it() {
    let site = crate::site::serve(testsite::SiteKind::News);
    let scratch = Scratch::new();
    let url = site.url();
    let crawl = ["crawl", &url, "--json", "--render", "never", "--max-pages", "40"];
    let mut running = Started::new(&mut scratch.bathys(&crawl));
    let mut answers = 0;
    crate::kill::until_asked(&site, 0, 3, &mut running);
    while !running.has_ended() {
        let listed = pages(&scratch);
        let stats = scratch.run(&["stats", "--json"]).json();
        assert!(stats["pages"].as_i64().unwrap() >= listed.len() as i64);
        answers += 1;
    }
    running.end().ok();
    assert!(answers > 0);
}
