//! What a page says never steers the terminal of whoever reads about it, nor misleads the reader.

use std::fs::File;
use std::io::Read;

use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use serde_json::Value;

use crate::program::{Scratch, Started};

/// A window title, a C1 colour, an override, an isolate, a mark, a tag and a rubout.
const EVIL: &str = "\u{1b}]0;owned\u{7}\u{9b}31m\u{202e}\u{2066}\u{200f}\u{e0041}\u{7f}";
const URL: &str = "https://example.org/shop";

/// A shop with six things whose names are hostile.
fn shop(version: &str) -> String {
    let things: String = (1..=6)
        .map(|number| {
            format!(
                "<li class=thing><h3><a href='/thing/{number}?a={EVIL}'>Thing {number} {EVIL} of \
                 {version}</a></h3><span class=price>{number}.50</span> <em>by {EVIL}maker \
                 {number}</em><p>Long words {EVIL} about thing {number}, which nobody needs.</p></li>"
            )
        })
        .collect();
    format!(
        "<html><head><title>Shop {EVIL}\nstatus 999</title><meta name=author content='{EVIL}'>\
         <meta name=description content='{version} {EVIL}'></head><body><main>\
         <h1>{EVIL} Things of {version}</h1><ul id='list'>{things}</ul></main></body></html>"
    )
}

/// A store with two versions of the shop.
fn store() -> Scratch {
    let scratch = Scratch::new();
    std::fs::create_dir(scratch.path().join("versions")).unwrap();
    scratch.write("versions/20260101120000.html", &shop("spring"));
    scratch.write("versions/20260102120000.html", &shop("autumn"));
    scratch.write("shop.html", &shop("spring"));
    scratch.run(&["import", "--series", URL, "versions", "--level", "4"]).ok();
    scratch
}

#[track_caller]
fn is_for_the_eye(call: &[&str], text: &str) {
    let is_hostile = |c: char| {
        (c.is_control() && c != '\n' && c != '\t')
            || matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}')
            || matches!(c, '\u{2028}' | '\u{2029}' | '\u{2066}'..='\u{2069}' | '\u{e0000}'..='\u{e007f}')
    };
    let found: Vec<char> = text.chars().filter(|c| is_hostile(*c)).collect();
    assert!(found.is_empty(), "{call:?} prints {found:?}:\n{}", text.escape_debug());
}

#[test]
fn no_verb_prints_what_steers_a_terminal_or_reorders_text() {
    let scratch = store();
    let calls: [&[&str]; 14] = [
        &["show", URL],
        &["show", URL, "--as", "meta"],
        &["show", URL, "--as", "blocks"],
        &["diff", URL],
        &["diff", URL, "--all"],
        &["log", URL],
        &["log", URL, "--visits", "--all"],
        &["pages", "--all"],
        &["records"],
        &["types", "--all"],
        &["stats"],
        &["dom", "blocks", "shop.html"],
        &["dom", "records", "shop.html"],
        &["records", "-o", "table.txt"],
    ];
    for call in calls {
        let ended = scratch.run(call);
        is_for_the_eye(call, ended.ok());
        is_for_the_eye(call, &ended.stderr);
    }
    let table = std::fs::read_to_string(scratch.path().join("table.txt")).unwrap();
    assert!(table.contains("Thing 3"), "{table}");
    is_for_the_eye(&["table.txt"], &table);
    let text = scratch.run(&["show", URL]).ok().to_owned();
    assert!(text.contains("owned") && text.contains("Thing 6"), "the words are all there: {text}");
}

#[test]
fn a_title_with_a_line_break_cannot_pose_as_another_line() {
    let meta = store().run(&["show", URL, "--as", "meta"]).ok().to_owned();
    assert!(!meta.lines().any(|line| line.starts_with("status 999")), "{meta}");
}

#[test]
fn an_error_that_quotes_a_page_or_a_file_is_clean() {
    let scratch = store();
    let name = EVIL.replace(['\u{7}', '\u{1b}'], "\u{9d}");
    for call in [&["show", EVIL][..], &["log", &name], &["crawl", &name], &["import", &name]] {
        let ended = scratch.run(call);
        assert_ne!(ended.code, Some(0));
        is_for_the_eye(call, &ended.stderr);
    }
    let mut command = scratch.bathys(&["-vvv", "import", &name]);
    let ended = Started::new(&mut command).end();
    is_for_the_eye(&["-vvv"], &ended.stderr);
}

#[test]
fn json_and_bytes_are_exact_where_a_program_reads_them() {
    let scratch = store();
    let page: Value = scratch.run(&["pages", "--json"]).json();
    assert_eq!(page["title"].as_str().unwrap(), format!("Shop {EVIL} status 999"));
    let raw = scratch.run(&["show", URL, "--as", "raw"]);
    assert_eq!(raw.ok(), shop("autumn"), "byte for byte");
    let csv = scratch.run(&["records", "--format", "csv"]);
    assert!(csv.ok().contains(EVIL), "{}", csv.text().escape_debug());
    for call in [&["pages", "--json"][..], &["records", "--json"], &["diff", URL, "--json"]] {
        is_for_the_eye(call, scratch.run(call).ok());
    }
}

/// What the program writes to a terminal of its own.
fn on_terminal(scratch: &Scratch, call: &[&str]) -> String {
    let ours = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
    grantpt(&ours).unwrap();
    unlockpt(&ours).unwrap();
    let name = ptsname(&ours, Vec::new()).unwrap();
    let theirs = File::options().read(true).write(true).open(name.to_str().unwrap()).unwrap();
    let mut command = scratch.bathys(call);
    command.stdout(theirs.try_clone().unwrap()).stderr(theirs);
    let running = Started::new(&mut command);
    drop(command);
    let (mut ours, mut bytes, mut part) = (File::from(ours), Vec::new(), [0; 4096]);
    // A terminal that nobody writes to any more is an error to read from.
    while let Ok(count @ 1..) = ours.read(&mut part) {
        bytes.extend_from_slice(&part[..count]);
    }
    running.end();
    // The line discipline ends lines with both.
    String::from_utf8(bytes).unwrap().replace("\r\n", "\n")
}

#[test]
fn on_a_terminal_even_bytes_are_clean_and_only_our_own_colours_are_left() {
    let scratch = store();
    for form in ["html", "raw", "text", "meta"] {
        let call = ["show", URL, "--as", form];
        let shown = on_terminal(&scratch, &call);
        assert!(shown.contains("owned"), "{shown}");
        is_for_the_eye(&call, &shown);
    }
    let csv = ["records", "--format", "csv"];
    is_for_the_eye(&csv, &on_terminal(&scratch, &csv));
    let graph = ["graph", "--format", "dot"];
    is_for_the_eye(&graph, &on_terminal(&scratch, &graph));
    let diff = on_terminal(&scratch, &["diff", URL]);
    assert!(diff.contains("\u{1b}[32m"), "added lines are green: {}", diff.escape_debug());
    let ours = ["\u{1b}[32m", "\u{1b}[31m", "\u{1b}[0m"];
    let rest = ours.iter().fold(diff, |text, colour| text.replace(colour, ""));
    is_for_the_eye(&["diff"], &rest);
    let picture = on_terminal(&scratch, &["show", URL, "--as", "png"]);
    assert!(picture.contains("page.png"), "{picture}");
}
