//! Versions of pages: taken in, listed, compared and shown.

use serde_json::Value;

use crate::program::{Scratch, has_fields};

const URL: &str = "https://example.org/news";
const AT_LENGTH: &str = "Nobody had expected it so soon, and those who had said so afterwards were \
                         hard to find. The council met at noon and did not part before the evening; \
                         what it decided will be read out tomorrow, weather permitting, on the quay.";

fn front(stories: &[&str], class: &str) -> String {
    let stories: String = stories
        .iter()
        .map(|story| {
            format!(
                "<article class='{class}'><h2>{story}</h2><p>{AT_LENGTH}</p>\
                 <p>And what the neighbours say of {story}: {AT_LENGTH}</p></article>"
            )
        })
        .collect();
    format!(
        "<html lang=en><head><title>News</title><meta name=author content='A. Writer'>\
         <meta property='og:type' content='website'></head><body><nav><a href=/>Home</a> \
         <a href=/sport>Sport</a> <a href=/weather>Weather</a></nav><main>{stories}</main>\
         <footer><p>Imprint of the example company</p></footer></body></html>"
    )
}

/// Four versions: as it was, one story changed, only a class changed, one story more.
fn series() -> Scratch {
    let scratch = Scratch::new();
    std::fs::create_dir(scratch.path().join("versions")).unwrap();
    let three = ["Harbour tunnel opens", "Storm over Netherby", "Cup final tonight"];
    let changed = ["Harbour tunnel opens", "Storm has passed", "Cup final tonight"];
    let more = ["Election called", "Harbour tunnel opens", "Storm has passed", "Cup final tonight"];
    for (name, page) in [
        ("20260101120000", front(&three, "plain")),
        ("20260102120000", front(&changed, "plain")),
        ("20260103120000", front(&changed, "bold")),
        ("20260104120000", front(&more, "bold")),
    ] {
        scratch.write(&format!("versions/{name}.html"), &page);
    }
    let import = ["import", "--series", URL, "versions", "--level", "4", "--json"];
    let imported = scratch.run(&import).json();
    assert_eq!((&imported["versions"], &imported["pages"]), (&4.into(), &1.into()));
    assert!(imported["blocks_new"].as_i64() > Some(4), "{imported:#}");
    scratch
}

fn lines(scratch: &Scratch, arguments: &[&str]) -> Vec<Value> {
    let text = scratch.run(arguments).ok().to_owned();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn a_log_tells_what_changed_and_leaves_noise_out() {
    let scratch = series();
    let log = lines(&scratch, &["log", URL, "--json"]);
    let numbers: Vec<_> = log.iter().map(|line| line["version"].as_i64().unwrap()).collect();
    assert_eq!(numbers, [1, 2, 4], "the third differs in a class only");
    for line in &log {
        has_fields(
            line,
            &[
                "version",
                "time",
                "blocks",
                "changed",
                "added",
                "removed",
                "layout_changed",
                "bytes_stored",
            ],
        );
    }
    let counts =
        |at: usize| ["changed", "added", "removed"].map(|name| log[at][name].as_i64().unwrap());
    assert_eq!((counts(1), counts(2)), ([1, 0, 0], [0, 1, 0]));
    assert_eq!(log[2]["topics"][0], "Election called");

    let all = lines(&scratch, &["log", URL, "--json", "--all"]);
    assert_eq!(all.len(), 4);
    assert!(all[2]["kinds"]["format"].as_i64() > Some(0), "{:#}", all[2]);
    let table = scratch.run(&["log", URL]);
    assert!(table.ok().contains("2026-01-04T12:00:00Z"), "{}", table.text());
}

#[test]
fn the_same_files_again_are_known_and_an_unchanged_look_is_a_visit() {
    let scratch = series();
    let last = std::fs::read(scratch.path().join("versions/20260104120000.html")).unwrap();
    std::fs::write(scratch.path().join("versions/20260105120000.html"), last).unwrap();
    let again = scratch.run(&["import", "--series", URL, "versions", "--json"]).json();
    assert_eq!(again["versions"], 4);
    let visits = lines(&scratch, &["log", URL, "--json", "--visits"]);
    let last = visits.last().unwrap();
    assert_eq!((&last["same_as"], &last["time"]), (&4.into(), &"2026-01-05T12:00:00.000Z".into()));
}

#[test]
fn a_difference_is_told_block_by_block_to_a_person_a_program_and_a_browser() {
    let scratch = series();
    let diff = scratch.run(&["diff", &format!("{URL}@v1"), "@v2", "--json"]).json();
    has_fields(&diff, &["changed", "added", "removed", "moved", "layout_changed"]);
    let changed = diff["changed"].as_array().unwrap();
    assert_eq!(changed.len(), 1, "{diff:#}");
    has_fields(
        &changed[0],
        &["id", "xpath", "level", "label", "topic", "text_len", "hash", "kind"],
    );
    assert_eq!(
        (&changed[0]["kind"], &changed[0]["topic"]),
        (&"text".into(), &"Storm has passed".into())
    );

    let person = scratch.run(&["diff", &format!("{URL}@2026-01-01"), "@2026-01-02"]);
    assert!(person.ok().contains("- Storm over Netherby"), "{}", person.text());
    assert!(person.text().contains("+ Storm has passed"), "{}", person.text());

    scratch.run(&["diff", URL, "--html", "changes.html"]).ok();
    let page = std::fs::read_to_string(scratch.path().join("changes.html")).unwrap();
    assert!(page.contains("<ins>Election called</ins>"), "{page}");
    assert!(!page.contains("<script"), "it runs nothing");

    let noise = scratch.run(&["diff", &format!("{URL}@v2"), "@v3", "--json"]).json();
    assert_eq!(
        (&noise["changed"], noise["noise"].as_i64() > Some(0)),
        (&serde_json::json!([]), true)
    );
    let told = scratch.run(&["diff", &format!("{URL}@v2"), "@v3", "--json", "--all"]).json();
    assert_eq!(told["changed"][0]["kind"], "format");
}

#[test]
fn an_earlier_version_comes_back_with_its_blocks_and_bytes() {
    let scratch = series();
    let first = format!("{URL}@2026-01-01");
    assert!(scratch.run(&["show", &first]).ok().contains("Storm over Netherby"));
    let raw = scratch.run(&["show", &first, "--as", "raw"]);
    let file =
        std::fs::read_to_string(scratch.path().join("versions/20260101120000.html")).unwrap();
    assert_eq!(raw.ok(), file, "byte for byte");
    let blocks = scratch.run(&["show", &first, "--as", "blocks", "--json"]).json();
    let blocks = blocks["blocks"].as_array().unwrap();
    let topics: Vec<_> = blocks.iter().map(|block| block["topic"].as_str().unwrap()).collect();
    assert!(topics.contains(&"Storm over Netherby"), "{topics:?}");
    let labels: Vec<_> = blocks.iter().map(|block| block["label"].as_str().unwrap()).collect();
    assert!(labels.contains(&"navigation") && labels.contains(&"footer"), "{labels:?}");
    scratch.run(&["show", &format!("{URL}@v9")]).failed(1, &["no version 9", "bathys log"]);
}

#[test]
fn rules_of_the_user_add_metadata() {
    let scratch = Scratch::new();
    scratch.write("page.html", &front(&["One", "Two"], "plain"));
    scratch.write(
        "bathys.toml",
        "[metadata.kind]\nxpath = \"//meta[@property='og:type']/@content\"\n\
         [metadata.first]\nregex = 'neighbours say of (\\w+)'\n\
         [metadata.collection]\nvalue = 'harbours'\nsite = 'example.org'\n\
         [metadata.elsewhere]\nvalue = 'no'\nsite = 'other.example'\n",
    );
    scratch.run(&["import", "page.html", "--url", URL]).ok();
    let metadata = scratch.run(&["show", URL, "--as", "meta", "--json"]).json()["metadata"].clone();
    assert_eq!((&metadata["author"], &metadata["title"]), (&"A. Writer".into(), &"News".into()));
    let fields = serde_json::json!({ "collection": ["harbours"], "first": ["One", "Two"], "kind": ["website"] });
    assert_eq!(metadata["fields"], fields);

    scratch.write("bathys.toml", "[metadata.bad]\nxpath = 'no path'\n");
    scratch.run(&["import", "page.html", "--url", URL]).failed(2, &["bathys.toml", "no path"]);
}

#[test]
fn a_page_that_does_not_say_where_it_was_has_to_be_told() {
    let scratch = Scratch::new();
    scratch.write("page.html", "<p>nothing");
    scratch.run(&["import", "page.html"]).failed(1, &["page.html", "--url"]);
    scratch.run(&["import", "--series", URL, "."]).failed(1, &["named by its time"]);
    scratch.write("own.html", "<link rel=canonical href=https://example.org/own><p>something");
    scratch.run(&["import", "own.html"]).ok();
    assert!(scratch.run(&["show", "https://example.org/own"]).ok().contains("something"));
}

/// A page of a thread, as forums write them: every page of it names the first as canonical.
fn thread_page(number: u32) -> String {
    format!(
        "<html><head><title>Tides</title><link rel=canonical href='https://forum.example/t/7'>\
         </head><body><main><p>What was said on page {number}. {AT_LENGTH}</p></main></body></html>"
    )
}

fn keys(scratch: &Scratch) -> Vec<String> {
    let pages = lines(scratch, &["pages", "--json"]);
    pages.iter().map(|page| page["key"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn pages_of_a_thread_that_name_one_canonical_stay_pages_of_their_own() {
    let scratch = Scratch::new();
    for number in 1..=3 {
        scratch.write(&format!("t-7-{number}.html"), &thread_page(number));
    }
    let files = ["import", "t-7-1.html", "t-7-2.html", "t-7-3.html", "--json"];
    let ended = scratch.run(&files);
    let imported = ended.json();
    assert_eq!((&imported["pages"], &imported["versions"]), (&3.into(), &3.into()));
    assert!(ended.stderr.contains("3 files") && ended.stderr.contains("--url"), "{}", ended.stderr);
    let names = [1, 2, 3].map(|number| format!("https://forum.example/t/t-7-{number}.html"));
    assert_eq!(keys(&scratch), names, "named by their files, beside what they call canonical");
    assert!(scratch.run(&["show", &names[1]]).ok().contains("on page 2"));
}

#[test]
fn files_of_a_mirror_are_where_their_paths_say() {
    let scratch = Scratch::new();
    std::fs::create_dir_all(scratch.path().join("got/forum.example/t")).unwrap();
    let files = [1, 2].map(|number| format!("got/forum.example/t/7?page={number}"));
    files.iter().zip(1..).for_each(|(file, number)| {
        scratch.write(file, &thread_page(number));
    });
    scratch.run(&["import", &files[0], &files[1]]).ok();
    let names = [1, 2].map(|number| format!("https://forum.example/t/7?page={number}"));
    assert_eq!(keys(&scratch), names);
}

#[test]
fn an_address_that_is_given_or_that_a_browser_wrote_beats_a_canonical_link() {
    let scratch = Scratch::new();
    scratch.write("two.html", &thread_page(2));
    scratch.run(&["import", "two.html", "--url", "https://forum.example/t/7?page=2"]).ok();
    let saved = "<!-- saved from url=(0035)https://forum.example/t/7?page=3 -->\n";
    scratch.write("three.html", &format!("{saved}{}", thread_page(3)));
    scratch.run(&["import", "three.html"]).ok();
    let names = [2, 3].map(|number| format!("https://forum.example/t/7?page={number}"));
    assert_eq!(keys(&scratch), names);
}

#[test]
fn one_file_under_two_names_is_believed_about_its_canonical() {
    let scratch = Scratch::new();
    scratch.write("one.html", &thread_page(1));
    scratch.write("copy.html", &thread_page(1));
    scratch.run(&["import", "one.html", "copy.html"]).ok();
    assert_eq!(keys(&scratch), ["https://forum.example/t/7"]);
}

#[test]
fn a_block_that_stands_on_many_pages_is_counted_and_says_where() {
    let scratch = Scratch::new();
    let url = |page: &str| format!("https://example.org/{page}");
    for (page, stories) in [("a", ["One"]), ("b", ["Two"]), ("c", ["Three"])] {
        let file = format!("{page}.html");
        scratch.write(&file, &front(&stories, "plain"));
        scratch.run(&["import", &file, "--url", &url(page), "--level", "4"]).ok();
    }
    let shown = scratch.run(&["show", &url("a"), "--as", "blocks", "--json"]).json();
    let blocks = shown["blocks"].as_array().unwrap();
    let on = |label: &str| {
        let block = blocks.iter().find(|block| block["label"] == label);
        block.unwrap_or_else(|| panic!("no {label}: {shown:#}"))
    };
    assert_eq!(on("navigation")["pages"], 3, "{shown:#}");
    assert!(blocks.iter().any(|block| block["pages"] == 1), "its story is its own: {shown:#}");
    let stats = scratch.run(&["stats", "--json"]).json();
    assert!(stats["contents"].as_i64() < stats["blocks"].as_i64(), "{stats:#}");

    let number = on("navigation")["id"].to_string();
    let only = ["show", &url("a"), "--as", "blocks", "--block", &number];
    let told = scratch.run(&[&only[..], &["--json"]].concat()).json();
    assert_eq!(told["blocks"].as_array().unwrap().len(), 1);
    let pages = told["shown_by"].as_array().unwrap();
    let keys: Vec<_> = pages.iter().map(|page| page["key"].as_str().unwrap()).collect();
    assert_eq!(keys, [url("a"), url("b"), url("c")]);
    has_fields(&pages[0], &["page", "key", "block", "first_seen", "last_seen"]);
    let text = scratch.run(&only).ok().to_owned();
    assert!(text.contains("on 3 pages") && text.contains(&url("c")), "{text}");

    let misplaced = scratch.run(&["show", &url("a"), "--as", "text", "--block", &number]);
    misplaced.failed(2, &["--as blocks"]);
    let unknown = scratch.run(&["show", &url("a"), "--as", "blocks", "--block", "999"]);
    unknown.failed(1, &["has no block 999"]);
}

#[test]
fn what_was_sealed_is_told_as_before() {
    let scratch = series();
    let asked: [&[&str]; 4] = [
        &["log", URL, "--all", "--json"],
        &["changes", "--json"],
        &["records", "--kind", "item", "--format", "jsonl", "--history"],
        &["show", &format!("{URL}@2026-01-01"), "--as", "blocks", "--json"],
    ];
    let tell = || asked.map(|asked| scratch.run(asked).ok().to_owned());
    let without_bytes = |told: &str| {
        let lines = told.lines().map(|line| serde_json::from_str(line).unwrap());
        let lines = lines.map(|mut line: Value| {
            line.as_object_mut().unwrap().remove("bytes_stored");
            line
        });
        lines.collect::<Vec<_>>()
    };
    let before = tell();
    scratch.run(&["seal"]).ok();
    for (now, then) in tell().iter().zip(&before) {
        assert_eq!(without_bytes(now), without_bytes(then));
    }
}
