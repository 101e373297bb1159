//! What pages said: searched, asked for, listed by topic and exported.

use serde_json::Value;

use crate::program::{Scratch, has_fields};

const URL: &str = "https://example.org/news";

fn front(stories: &[(&str, &str)]) -> String {
    let stories: String = stories
        .iter()
        .map(|(head, text)| {
            format!(
                "<article><h2>{head}</h2><p>{text} Nobody had expected it so soon, and those who had said so \
                 afterwards were hard to find. The council met at noon and did not part before the evening; what \
                 it decided will be read out tomorrow, weather permitting, on the quay.</p></article>"
            )
        })
        .collect();
    format!(
        "<html lang=en><head><title>News</title></head><body><nav><a href=/>Home</a> <a href=/s>Sport</a> \
         <a href=/w>Weather</a></nav><main>{stories}</main><footer><p>Imprint of the company</p></footer>"
    )
}

/// Three days of a page: a price that rises, a storm that passes, and a Chinese story.
fn series() -> Scratch {
    let scratch = Scratch::new();
    std::fs::create_dir(scratch.path().join("versions")).unwrap();
    let bridge =
        |sum: &str| format!("Mayor Ann Miller said that the harbour bridge costs {sum} crowns.");
    let (four, five) = (bridge("four million"), bridge("five million"));
    let storm = "A storm stood over Netherby.";
    let chinese = "新的港口大桥将于明年春天开放，市民们对此反应热烈。";
    for (name, page) in [
        ("20260101120000", front(&[("Bridge", &four), ("Storm", storm)])),
        ("20260102120000", front(&[("Bridge", &five), ("Storm", storm)])),
        ("20260103120000", front(&[("Bridge", &five), ("港口大桥", chinese)])),
    ] {
        scratch.write(&format!("versions/{name}.html"), &page);
    }
    let import = ["import", "--series", URL, "versions", "--level", "4", "--json"];
    assert_eq!(scratch.run(&import).json()["versions"], 3);
    scratch
}

fn lines(text: &str) -> Vec<Value> {
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn a_search_finds_what_was_there_with_its_lifetime() {
    let scratch = series();
    let found = scratch.run(&["search", "storm", "netherby", "--json"]).json();
    has_fields(&found, &["hits", "total", "elapsed_ms", "facets"]);
    assert_eq!(found["total"], 1);
    let hit = &found["hits"][0];
    let fields =
        ["key", "url", "block", "topic", "label", "snippet", "first_seen", "last_seen", "score"];
    has_fields(hit, &fields);
    assert_eq!((&hit["key"], &hit["is_there"]), (&URL.into(), &false.into()));
    assert_eq!(hit["first_seen"], "2026-01-01T12:00:00.000Z");
    assert_eq!(hit["last_seen"], "2026-01-02T12:00:00.000Z");
    let total = |arguments: &[&str]| {
        scratch.run(&[&["search"], arguments, &["--json"]].concat()).json()["total"].clone()
    };
    assert_eq!(total(&["storm", "--from", "2026-01-04"]), 0);
    assert_eq!(total(&["港口", "--to", "2026-01-02"]), 0);
    assert_eq!(total(&["“港口大桥”"]), 1);
    assert_eq!(total(&["bridge -four"]), 1);
}

#[test]
fn a_person_reads_where_and_when() {
    let scratch = series();
    let ended = scratch.run(&["search", "four million"]);
    let text = ended.ok();
    assert!(text.contains("2026-01-01  https://example.org/news"), "{text}");
    assert!(text.contains("[four million]") || text.contains("[four] [million]"), "{text}");
    assert!(ended.stderr.contains("1 texts"), "{}", ended.stderr);
}

#[test]
fn a_question_is_answered_by_what_stood_then_or_not_at_all() {
    let scratch = series();
    let answers =
        |question: &str| scratch.run(&["ask", question, "--json"]).json()["answers"].clone();
    let cost = answers("What did Ann Miller say the harbour bridge costs, on January 1, 2026?");
    has_fields(&cost[0], &["text", "key", "block", "first_seen", "last_seen", "score"]);
    assert!(cost[0]["text"].as_str().unwrap().contains("four million"), "{cost:#}");
    assert!(answers("港口大桥什么时候开放？")[0]["text"].as_str().unwrap().contains("明年春天"));
    assert_eq!(answers("Who discovered penicillin?"), Value::Array(Vec::new()));
    assert_eq!(scratch.run(&["ask", "Who discovered penicillin?"]).ok(), "not found\n");
}

#[test]
fn topics_say_what_came_and_went() {
    let scratch = series();
    let all = scratch.run(&["topics", "--since", "2026-01-03", "--json"]);
    let all = lines(all.ok());
    let of = |name: &str| all.iter().find(|line| line["topic"].as_str().unwrap().contains(name));
    assert_eq!(of("港口").unwrap()["trend"], "new", "{all:#?}");
    let gone = scratch.run(&["topics", "--since", "2026-01-01", "--trend", "gone", "--json"]);
    assert!(lines(gone.ok()).iter().any(|line| line["topic"].as_str().unwrap().contains("Storm")));
}

#[test]
fn blocks_are_exported_once_each_as_lines_and_as_a_table() {
    let scratch = series();
    let report = scratch.run(&["export", "--blocks", "blocks.jsonl", "--json"]).json();
    let text = std::fs::read_to_string(scratch.path().join("blocks.jsonl")).unwrap();
    let blocks = lines(&text);
    assert_eq!(report["records"], blocks.len());
    for block in &blocks {
        let fields =
            ["block", "lineage", "topic", "label", "text", "first_seen", "last_seen", "pages"];
        has_fields(block, &fields);
    }
    let mut texts: Vec<&str> = blocks.iter().map(|block| block["text"].as_str().unwrap()).collect();
    assert!(texts.iter().any(|text| text.contains("four million")));
    let count = texts.len();
    texts.sort_unstable();
    texts.dedup();
    assert_eq!(texts.len(), count, "each text once");
    scratch.run(&["export", "--blocks", "blocks.parquet"]).ok();
    let table = std::fs::read(scratch.path().join("blocks.parquet")).unwrap();
    assert!(table.starts_with(b"PAR1") && table.ends_with(b"PAR1"));
}

#[test]
fn the_index_can_be_removed_rebuilt_and_put_elsewhere() {
    let scratch = series();
    let first = scratch.run(&["index", "--json"]).json();
    assert!(first["texts"].as_i64() > Some(4), "{first:#}");
    assert_eq!(scratch.run(&["index", "--json"]).json()["versions"], 0, "nothing left to do");
    let again = scratch.run(&["index", "--rebuild", "--json"]).json();
    assert_eq!((&again["texts"], &again["versions"]), (&first["texts"], &first["versions"]));
    let elsewhere = scratch.run(&["search", "storm", "--index", "elsewhere", "--json"]).json();
    assert_eq!(elsewhere["total"], 1);
    assert!(scratch.path().join("elsewhere/meta.json").exists());
    std::fs::create_dir(scratch.path().join("taken")).unwrap();
    scratch.write("taken/letter.txt", "dear");
    let refused = scratch.run(&["search", "storm", "--index", "taken"]);
    assert_eq!(refused.code, Some(1));
    assert!(refused.stderr.contains("--index"), "{}", refused.stderr);
}

#[test]
fn a_query_that_makes_no_sense_is_refused_with_an_example() {
    let scratch = series();
    let refused = scratch.run(&["search", "a label:nonsense"]);
    assert_eq!(refused.code, Some(2));
    assert!(refused.stderr.contains("no label nonsense"), "{}", refused.stderr);
    assert_eq!(scratch.run(&["search", "a", "--from", "soon"]).code, Some(2));
}
