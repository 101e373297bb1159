//! The interface for programs: the same as the commands say.

use std::io::Write;
use std::process::Stdio;

use serde_json::Value;

use super::{in_query, most_changed, served};
use crate::archive::exported;
use crate::archive::oracle::program;

#[track_caller]
fn lines(path: &str) -> Vec<Value> {
    let headers = [("accept", "application/x-ndjson")];
    let answer = served().site.ask("GET", path, &headers, "");
    assert_eq!(answer.status, 200, "{path}: {}", answer.text());
    answer.json_lines()
}

#[test]
fn listings_are_the_lines_of_the_commands() {
    let run = |arguments: &[&str]| exported().scratch.run(arguments).json_lines();
    let number = most_changed()["page"].to_string();
    assert_eq!(lines("/api/v1/pages"), run(&["pages", "--json"]));
    assert_eq!(lines("/api/v1/pages?status=any"), run(&["pages", "--all", "--json"]));
    assert_eq!(lines("/api/v1/records"), run(&["records", "--json"]));
    assert_eq!(
        lines("/api/v1/records?kind=post&history"),
        run(&["records", "--kind", "post", "--history", "--json"])
    );
    assert_eq!(lines("/api/v1/changes?after=3"), run(&["changes", "--after", "3", "--json"]));
    assert_eq!(
        lines(&format!("/api/v1/log?key={number}&visits")),
        run(&["log", &number, "--visits", "--json"])
    );
    assert_eq!(lines("/api/v1/types"), run(&["types", "--json"]));
}

#[test]
fn answers_are_the_objects_of_the_commands() {
    let run = |arguments: &[&str]| exported().scratch.run(arguments).json();
    let json = |path: &str| served().site.ok(path).json();
    let page = most_changed();
    let (number, key) = (page["page"].to_string(), page["key"].as_str().unwrap());
    let encoded = in_query(key);
    assert_eq!(json(&format!("/api/v1/diff?key={encoded}")), run(&["diff", key, "--json"]));
    for form in ["text", "html", "blocks", "meta"] {
        let ours = json(&format!("/api/v1/show?key={number}&as={form}"));
        assert_eq!(ours, run(&["show", &number, "--as", form, "--json"]), "{form}");
    }
    let raw = run(&["show", &exported().start, "--as", "raw", "--json"]);
    assert_eq!(json(&format!("/api/v1/show?key={}&as=raw", in_query(&exported().start))), raw);
    let first = json(&format!("/api/v1/show?key={number}&at=v1"));
    assert_eq!(first, run(&["show", &format!("{number}@v1"), "--as", "text", "--json"]));
    assert_eq!(json("/api/v1/stats"), run(&["stats", "--json"]));
    let graph = exported().scratch.run(&["graph", "--json"]).ok().to_owned();
    assert_eq!(json("/api/v1/graph"), serde_json::from_str::<Value>(&graph).unwrap());
    let csv = served().site.ok("/api/v1/records?format=csv").text();
    assert_eq!(csv, exported().scratch.run(&["records", "--format", "csv"]).ok());
    let parquet = served().site.ok("/api/v1/records?format=parquet").body;
    assert!(parquet.starts_with(b"PAR1") && parquet.ends_with(b"PAR1"));
}

#[test]
fn a_listing_is_had_page_by_page() {
    for path in ["/api/v1/pages?limit=7", "/api/v1/records?limit=9", "/api/v1/changes?limit=20"] {
        let (mut items, mut next) = (Vec::new(), Some(path.to_owned()));
        while let Some(path) = next {
            let page = served().site.ok(&path).json();
            items.extend(page["items"].as_array().unwrap().clone());
            next = page["next"].as_str().map(str::to_owned);
        }
        let whole = lines(path.split('?').next().unwrap());
        assert_eq!(items, whole, "{path}");
    }
}

#[test]
fn what_a_program_has_is_not_sent_again() {
    let site = &served().site;
    let first = site.ok("/api/v1/pages?limit=5");
    let tag = first.header("etag").unwrap();
    let again = site.ask("GET", "/api/v1/pages?limit=5", &[("if-none-match", tag)], "");
    assert_eq!((again.status, again.body.len()), (304, 0));
    let other = site.ask("GET", "/api/v1/pages?limit=6", &[("if-none-match", tag)], "");
    assert_eq!(other.status, 200);
}

#[test]
fn mistakes_are_told_as_json() {
    for (path, status) in [
        ("/api/v1/show?key=http://nowhere.example/", 404),
        ("/api/v1/show?key=1&as=song", 400),
        ("/api/v1/show?key=1&at=v99", 404),
        ("/api/v1/pages?status=odd", 400),
        ("/api/v1/records?after=x", 400),
        ("/api/v1/log?key=1&all=maybe", 400),
        ("/api/v1/nothing", 404),
        ("/api/v1/log", 400),
        ("/api/v1/pages?limit=many", 400),
    ] {
        let answer = served().site.get(path);
        assert_eq!(answer.status, status, "{path}: {}", answer.text());
        assert!(answer.json()["error"].is_string(), "{path}");
    }
}

#[test]
fn the_description_is_valid_and_names_what_is_there() {
    let answer = served().site.ok("/api/v1/openapi.json");
    let mut check = program("openapi-spec-validator");
    let mut child = check.arg("-").stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(&answer.body).unwrap();
    let ended = child.wait_with_output().unwrap();
    assert!(ended.status.success(), "{}", String::from_utf8_lossy(&ended.stdout));
    let described = answer.json();
    for (path, operation) in described["paths"].as_object().unwrap() {
        let parameters = operation["get"]["parameters"].as_array().unwrap();
        let needs_key = parameters.iter().any(|parameter| parameter["required"] == true);
        let query = if needs_key { "?key=1&q=harbour" } else { "" };
        served().site.ok(&format!("/api/v1{path}{query}"));
    }
    let fields = &described["paths"]["/pages"]["get"]["responses"]["200"]["content"]["application/x-ndjson"]
        ["schema"]["properties"];
    for name in fields.as_object().unwrap().keys() {
        assert!(exported().pages[0].get(name).is_some(), "no page has a {name}");
    }
}
