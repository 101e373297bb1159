//! `graph`: the same graph in five formats.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::program::has_fields;
use crate::site::{maze, pages};

fn graph(arguments: &[&str]) -> Value {
    let arguments = [&["graph"], arguments].concat();
    serde_json::from_str(maze().scratch.run(&arguments).ok()).unwrap()
}

fn list<'a>(graph: &'a Value, name: &str) -> &'a Vec<Value> {
    graph[name].as_array().unwrap()
}

/// The edges that lead somewhere: the others have no place in a drawing.
fn arrows(graph: &Value) -> usize {
    list(graph, "edges").iter().filter(|edge| edge["to"].is_i64()).count()
}

#[test]
fn json_has_every_field_of_the_contract_and_every_edge_ends_at_a_node() {
    let graph = graph(&["--json"]);
    let nodes: BTreeSet<_> =
        list(&graph, "nodes").iter().map(|node| node["page"].as_i64()).collect();
    assert_eq!(nodes.len(), list(&graph, "nodes").len());
    for node in list(&graph, "nodes") {
        has_fields(node, &["page", "key", "type"]);
    }
    for edge in list(&graph, "edges") {
        let fields = [
            "from",
            "to",
            "event",
            "xpath",
            "element_id",
            "text",
            "instruction",
            "refused_because",
        ];
        has_fields(edge, &fields);
        assert!(nodes.contains(&edge["from"].as_i64()), "{edge:#}");
        match edge["refused_because"].as_str() {
            None => assert!(nodes.contains(&edge["to"].as_i64()), "{edge:#}"),
            Some(reason) => assert!(!reason.is_empty() && edge["to"].is_null(), "{edge:#}"),
        }
    }
    let refused = list(&graph, "edges").iter().filter(|edge| edge["refused_because"].is_string());
    assert_eq!(refused.count() as i64, maze().summary["refused"].as_i64().unwrap());
}

#[test]
fn every_page_that_only_events_reach_has_an_edge_that_leads_to_it() {
    let graph = graph(&[]);
    for page in pages(&maze().scratch) {
        let Some(last) = page["path"].as_array().unwrap().last() else { continue };
        let led = list(&graph, "edges")
            .iter()
            .any(|edge| edge["to"] == page["page"] && edge["event"] == last["event"]);
        assert!(led, "{page:#}");
    }
}

#[test]
fn links_can_be_left_out() {
    let (all, events) = (graph(&[]), graph(&["--events-only"]));
    assert!(list(&all, "edges").iter().any(|edge| edge["event"] == "link"));
    assert!(list(&events, "edges").iter().all(|edge| edge["event"] != "link"));
    assert!(list(&events, "edges").len() > 20);
    // What is left are the pages between which events lead.
    let ends = |node: &Value| {
        let joins = |edge: &Value| edge["from"] == node["page"] || edge["to"] == node["page"];
        list(&events, "edges").iter().any(joins)
    };
    assert!(list(&events, "nodes").len() < list(&all, "nodes").len());
    assert!(list(&events, "nodes").iter().all(ends));
}

#[test]
fn graphml_is_well_formed_and_says_the_same() {
    let all = graph(&[]);
    let text = maze().scratch.run(&["graph", "--format", "graphml"]).ok().to_owned();
    let document = roxmltree::Document::parse(&text).unwrap();
    let namespace = "http://graphml.graphdrawing.org/xmlns";
    let named = |name: &'static str| {
        document.descendants().filter(move |node| node.has_tag_name((namespace, name)))
    };
    assert_eq!(named("edge").count(), arrows(&all));
    let keys: Vec<_> = named("node")
        .filter_map(|node| node.children().find(|data| data.attribute("key") == Some("key")))
        .map(|data| data.text().unwrap_or_default())
        .collect();
    let wanted: Vec<_> =
        list(&all, "nodes").iter().map(|node| node["key"].as_str().unwrap()).collect();
    assert_eq!(keys, wanted);
    let ids: BTreeSet<_> = named("node").filter_map(|node| node.attribute("id")).collect();
    let declared: BTreeSet<_> = named("key").filter_map(|key| key.attribute("id")).collect();
    assert!(named("data").all(|data| declared.contains(data.attribute("key").unwrap())));
    for edge in named("edge") {
        assert!(ids.contains(edge.attribute("source").unwrap()));
        assert!(ids.contains(edge.attribute("target").unwrap()));
    }
}

#[test]
fn dot_is_well_formed_and_says_the_same() {
    let all = graph(&[]);
    let text = maze().scratch.run(&["graph", "--format", "dot"]).ok().to_owned();
    let (mut nodes, mut edges) = (BTreeSet::new(), Vec::new());
    for statement in statements(&text) {
        let head = statement.split('[').next().unwrap().trim();
        match head.split_once("->") {
            Some((from, to)) => edges.push((from.trim().to_owned(), to.trim().to_owned())),
            None if head.starts_with('p') => assert!(nodes.insert(head.to_owned()), "{head} twice"),
            None => {}
        }
    }
    assert_eq!(nodes.len(), list(&all, "nodes").len());
    assert_eq!(edges.len(), arrows(&all));
    for (from, to) in &edges {
        assert!(nodes.contains(from) && nodes.contains(to), "{from} -> {to}");
    }
}

/// The statements of a DOT graph, with strings taken out: what is in them may look like anything.
fn statements(text: &str) -> Vec<String> {
    let body = text.strip_prefix("digraph bathys {").and_then(|text| text.strip_suffix("}\n"));
    let (mut statements, mut statement) = (Vec::new(), String::new());
    let mut characters = body.unwrap_or_else(|| panic!("{text}")).chars();
    while let Some(character) = characters.next() {
        match character {
            ';' => statements.push(std::mem::take(&mut statement)),
            '"' => loop {
                match characters.next().expect("a string that ends") {
                    '"' => break,
                    '\\' => drop(characters.next()),
                    _ => {}
                }
            },
            other => statement.push(other),
        }
    }
    assert_eq!(statement.trim(), "");
    statements
}

#[test]
fn json_and_another_format_cannot_both_be_asked_for() {
    maze().scratch.run(&["graph", "--json", "--format", "dot"]).failed(2, &["--json", "--format"]);
}

#[test]
fn a_picture_shows_every_page_and_the_way_to_the_one_that_is_named() {
    let all = graph(&[]);
    let state = pages(&maze().scratch)
        .into_iter()
        .find(|page| !page["path"].as_array().unwrap().is_empty())
        .unwrap();
    let key = state["key"].as_str().unwrap();
    for (format, shows_way) in
        [("svg", format!("The way to page {}", state["page"])), ("html", "\"to\":".to_owned())]
    {
        let text = maze().scratch.run(&["graph", "--format", format, "--to", key]).ok().to_owned();
        assert!(text.contains(&shows_way), "{format}");
        let said = format!("{} pages", list(&all, "nodes").len());
        assert!(text.contains(&said), "{format}: no '{said}'");
    }
    let svg = maze().scratch.run(&["graph", "--format", "svg"]).ok().to_owned();
    roxmltree::Document::parse(&svg).unwrap();
}

#[test]
fn a_way_is_highlighted_in_pictures_only() {
    maze().scratch.run(&["graph", "--to", "1"]).failed(2, &["--to", "--format svg"]);
    maze().scratch.run(&["graph", "--to", "nothing", "--format", "svg"]).failed(1, &["nothing"]);
}
