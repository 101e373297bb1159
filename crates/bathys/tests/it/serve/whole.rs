//! What looks at a whole store: search, the graph, feeds, and what is told as it happens.

use roxmltree::Document;

use super::{in_query, most_changed, served};
use crate::archive::exported;

#[test]
fn what_was_ever_said_is_found_with_when_it_stood() {
    let records = exported().scratch.run(&["records", "--kind", "post", "--json"]).json_lines();
    let said = records.iter().find_map(|record| record["content_text"].as_str()).unwrap();
    let words: Vec<&str> = said.split_whitespace().take(4).collect();
    let phrase = format!("\"{}\"", words.join(" ").replace('"', ""));
    let page = served().site.ok(&format!("/search?q={}", in_query(&phrase))).text();
    assert!(page.contains("<mark>") && page.contains("still there"), "{page}");
    let json = served().site.ok(&format!("/api/v1/search?q={}", in_query(&phrase))).json();
    let own = exported().scratch.run(&["search", &phrase, "--json"]).json();
    assert!(json["total"].as_u64().unwrap() > 0 && json["total"] == own["total"], "{json}");
    assert_eq!(json["hits"], own["hits"]);
    let wrong = served().site.ok("/search?q=label:nosuch").text();
    assert!(wrong.contains("role=\"alert\""), "{wrong}");
    assert_eq!(served().site.get("/api/v1/search?q=label:nosuch").status, 400);
    assert_eq!(served().site.get("/api/v1/search").status, 400);
}

#[test]
fn the_graph_holds_every_page_and_the_way_to_each_state() {
    let site = exported().pages[0]["site"].as_str().unwrap();
    let graph = served().site.ok(&format!("/site/{site}/graph.json")).json();
    let pages = graph["pages"].as_array().unwrap();
    assert_eq!(pages.len(), exported().pages.len());
    let states = pages.iter().filter(|page| page["events"] == true);
    assert_eq!(states.clone().count(), exported().states().count());
    for state in states {
        let way = state["via"].as_u64().unwrap_or_else(|| panic!("no way to {state}"));
        let line = &graph["lines"][way as usize];
        let to = line[1].as_u64().unwrap() as usize;
        assert_eq!(pages[to]["page"], state["page"]);
    }
}

#[test]
fn feeds_tell_what_changed_and_where_to_look_at_it() {
    let number = most_changed()["page"].as_i64().unwrap();
    for path in ["/changes.atom?new=1".to_owned(), format!("/page/{number}/changes.atom")] {
        let answer = served().site.ok(&path);
        let text = answer.text();
        let feed = Document::parse(&text).unwrap();
        let entries: Vec<_> =
            feed.descendants().filter(|n| n.has_tag_name(atom("entry"))).collect();
        assert!(!entries.is_empty(), "{text}");
        for entry in entries {
            let link = entry.children().find(|n| n.has_tag_name(atom("link"))).unwrap();
            let address = link.attribute("href").unwrap();
            let own = format!("http://{}", served().site.host);
            served().site.ok(address.strip_prefix(&own).unwrap());
        }
    }
}

/// A name of the Atom namespace.
fn atom(name: &str) -> (&'static str, &str) {
    ("http://www.w3.org/2005/Atom", name)
}

#[test]
fn what_is_committed_is_told_as_it_happens() {
    let said = served().site.begins("/events", "event: version");
    assert!(said.contains("text/event-stream") && said.contains("event: totals"), "{said}");
}
