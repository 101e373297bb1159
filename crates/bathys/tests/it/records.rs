//! `records`: the tables of a site, in every format.

use std::fs::File;

use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::record::Field;
use serde_json::Value;

use crate::program::{Ended, Scratch, has_fields, is_time};

/// A page of a thread, as somebody saved it.
fn thread(number: usize, edited: bool) -> String {
    let post = |nth: usize| {
        let author = ["ann", "bob", "cy \"the\" third, jr", "dee"][(number + nth) % 4];
        let more = if edited && (number, nth) == (3, 1) { " On second thought, no." } else { "" };
        format!(
            "<div class=post id=p{number}x{nth}><b><a href='/user/{}'>{author}</a></b> <i>2026-01-{:02} 10:{nth:02}</i>\
             <p>What I know of {number} and {nth} is that it took {} days, or many more of them.{more}</p>\
             <p>A <a href='https://example.com/{number}?a,b'>source</a>, and \"quotes\".</p></div>",
            (number + nth) % 4,
            1 + number,
            number * 7 + nth
        )
    };
    let posts: String = (0..2 + number % 3).map(post).collect();
    format!(
        "<link rel=canonical href=https://forum.example/t/{number}><title>Thread {number}</title>\
         <h1>Thread {number}</h1><main>{posts}</main>"
    )
}

const THREADS: std::ops::RangeInclusive<usize> = 1..=8;

fn posts() -> usize {
    THREADS.map(|number| 2 + number % 3).sum()
}

/// A store of a forum that was saved on two days.
fn saved(scratch: &Scratch) -> Value {
    for (day, edited) in [("01", false), ("02", true)] {
        for number in THREADS {
            let directory = scratch.path().join(format!("{number}"));
            std::fs::create_dir_all(&directory).unwrap();
            let name = directory.join(format!("202602{day}120000.html"));
            std::fs::write(name, thread(number, edited)).unwrap();
        }
    }
    let files =
        |day: &str| THREADS.map(|n| format!("{n}/202602{day}120000.html")).collect::<Vec<_>>();
    let import = |day: &str| -> Ended {
        let files = files(day);
        let mut arguments = vec!["import", "--json"];
        arguments.extend(files.iter().map(String::as_str));
        scratch.run(&arguments)
    };
    import("01").json();
    import("02").json()
}

#[test]
fn a_line_a_record_has_every_field_of_the_contract_and_its_history() {
    let scratch = Scratch::new();
    let summary = saved(&scratch);
    assert_eq!(summary["records"], posts());
    assert_eq!(scratch.run(&["stats", "--json"]).json()["records"], posts());
    let lines = scratch.run(&["records", "--kind", "post", "--json"]).json_lines();
    assert_eq!(lines.len(), posts());
    for line in &lines {
        has_fields(
            line,
            &"kind site page url xpath title author time time_text content_text content_html links \
              fields confidence id permalink position reply_to replies last_author last_time \
              time_precision zone field_xpaths proofs version first_seen last_seen edited deleted"
                .split_whitespace()
                .collect::<Vec<_>>(),
        );
        assert_eq!((&line["kind"], &line["site"]), (&"post".into(), &"forum.example".into()));
        is_time(&line["time"]);
        assert_eq!(line["first_seen"], "2026-02-01T12:00:00.000Z");
        assert_eq!(line["last_seen"], "2026-02-02T12:00:00.000Z");
    }
    let edited: Vec<_> = lines.iter().filter(|line| !line["edited"].is_null()).collect();
    assert_eq!(edited.len(), 1);
    assert_eq!(edited[0]["edited"], "2026-02-02T12:00:00.000Z");
    let says = |line: &Value| line["content_text"].as_str().unwrap().contains("second thought");
    assert!(says(edited[0]) && edited[0]["version"] == 2);

    let then = scratch.run(&["records", "--at", "2026-02-01", "--format", "jsonl"]).json_lines();
    assert_eq!(then.len(), posts());
    assert!(!then.iter().any(says));
    let all = scratch.run(&["records", "--history", "--json"]).json_lines();
    assert_eq!(all.len(), posts() + 1, "both things that the edited one said");
    assert_eq!(scratch.run(&["records", "--site", "other.example", "--json"]).ok(), "");
    let shown = scratch.run(&["records"]);
    assert_eq!(shown.ok().lines().count(), posts() + 1, "a head, and a row each");
    assert!(shown.stderr.contains("records"));
}

#[test]
fn csv_and_parquet_hold_what_the_lines_do() {
    let scratch = Scratch::new();
    saved(&scratch);
    let lines = scratch.run(&["records", "--json"]).json_lines();
    let csv = scratch.run(&["records", "--format", "csv", "-o", "posts.csv"]);
    assert_eq!((csv.ok(), scratch.path().join("posts.csv.part").exists()), ("", false));
    let rows = read_csv(&std::fs::read_to_string(scratch.path().join("posts.csv")).unwrap());
    assert_eq!(rows.len(), lines.len() + 1);
    for (row, line) in rows[1..].iter().zip(&lines) {
        for (name, cell) in rows[0].iter().zip(row) {
            match &line[name] {
                Value::Null => assert_eq!(cell, "", "{name}"),
                Value::String(text) => assert_eq!(cell, text, "{name}"),
                other => assert_eq!(serde_json::from_str::<Value>(cell).unwrap(), *other, "{name}"),
            }
        }
    }

    scratch.run(&["records", "--format", "parquet", "-o", "posts.parquet"]).ok();
    let file = File::open(scratch.path().join("posts.parquet")).unwrap();
    let rows: Vec<_> =
        SerializedFileReader::new(file).unwrap().get_row_iter(None).unwrap().collect();
    assert_eq!(rows.len(), lines.len());
    for (row, line) in rows.iter().zip(&lines) {
        let row = row.as_ref().unwrap();
        assert_eq!(row.len(), rows_of(line), "a column a field");
        for (name, field) in row.get_column_iter() {
            let value = &line[name.as_str()];
            match field {
                Field::Null => assert!(value.is_null(), "{name}: {value}"),
                Field::TimestampMillis(time) => {
                    let told: jiff::Timestamp = value.as_str().unwrap().parse().unwrap();
                    assert_eq!(told.as_millisecond(), *time, "{name}");
                }
                Field::Str(text) => assert_eq!(value, text, "{name}"),
                Field::Long(number) => assert_eq!(value.as_i64(), Some(*number), "{name}"),
                Field::Double(number) => assert_eq!(value.as_f64(), Some(*number), "{name}"),
                Field::ListInternal(items) => {
                    let told = value.as_array().unwrap();
                    assert_eq!(items.elements().len(), told.len(), "{name}");
                    for (item, told) in items.elements().iter().zip(told) {
                        assert_eq!(*item, Field::Str(told.as_str().unwrap().into()), "{name}");
                    }
                }
                Field::MapInternal(items) => {
                    assert_eq!(items.entries().len(), value.as_object().unwrap().len(), "{name}");
                }
                other => panic!("{name} is {other}"),
            }
        }
    }
}

fn rows_of(line: &Value) -> usize {
    line.as_object().unwrap().len()
}

/// Comma-separated values, as RFC 4180 has them.
fn read_csv(text: &str) -> Vec<Vec<String>> {
    let (mut rows, mut row, mut cell) = (Vec::new(), Vec::new(), String::new());
    let mut quoted = false;
    let mut letters = text.chars().peekable();
    while let Some(letter) = letters.next() {
        match letter {
            '"' if quoted && letters.next_if_eq(&'"').is_some() => cell.push('"'),
            '"' => quoted = !quoted,
            ',' if !quoted => row.push(std::mem::take(&mut cell)),
            '\r' if !quoted => {
                assert_eq!(letters.next(), Some('\n'));
                row.push(std::mem::take(&mut cell));
                rows.push(std::mem::take(&mut row));
            }
            other => cell.push(other),
        }
    }
    rows
}

#[test]
fn what_cannot_be_is_said_with_what_to_do() {
    let scratch = Scratch::new();
    scratch.run(&["records"]).failed(1, &["bathys-data", "bathys crawl"]);
    scratch.run(&["records", "--at", "yesterday"]).failed(2, &["yesterday", "2026-01-31"]);
    scratch.run(&["records", "--json", "--format", "csv"]).failed(2, &["--format"]);
}
