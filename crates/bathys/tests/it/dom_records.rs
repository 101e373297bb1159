//! Records of plain files.

use serde_json::{Value, json};

use crate::program::{Scratch, has_fields, is_time};

/// A thread: its number, title, and posts as author, time and text.
type Thread = (u32, &'static str, &'static [(&'static str, &'static str, &'static str)]);

const THREADS: [Thread; 4] = [
    (
        11,
        "The ferry in winter",
        &[
            ("Mara", "2026-01-05 09:12", "Does the night ferry run when the harbour is frozen?"),
            ("Tomas", "2026-01-05 11:40", "It did last year, but an hour later than in summer."),
            ("Mara", "2026-01-06 08:03", "Then I will take the bus to the island bridge instead."),
        ],
    ),
    (
        12,
        "Lost umbrella",
        &[("Ines", "2026-01-09 17:55", "A green one, on the bench behind the lighthouse. Anyone?")],
    ),
    (
        15,
        "Where to buy rope",
        &[
            ("Tomas", "2026-01-12 10:00", "The shop on the quay has closed. Where do you go now?"),
            (
                "Wen",
                "2026-01-14 21:30",
                "There is a chandler two streets up, ask for the long reel.",
            ),
        ],
    ),
    (
        18,
        "Fog signal at night",
        &[
            ("Wen", "2026-01-20 06:15", "Three blasts at four in the morning; is that usual here?"),
            ("Ines", "2026-01-20 07:48", "Only while the new buoy is tested, until the weekend."),
        ],
    ),
];

fn page(title: &str, body: &str) -> String {
    format!(
        "<!doctype html><title>{title} - Harbour talk</title><body>\
         <nav><a href=/>Harbour talk</a> <a href=/members>Members</a></nav>\
         <main><h1>{title}</h1>{body}</main><footer>All times are UTC</footer>"
    )
}

fn list() -> String {
    let row = |(number, title, posts): &Thread| {
        let ((first, ..), (last, when, _)) = (posts[0], posts[posts.len() - 1]);
        format!(
            "<tr><td class=subject><a href=/thread/{number}>{title}</a> by <a href=/user/{first}>{first}</a></td>\
             <td class=count>{}</td><td class=latest>{when} by <a href=/user/{last}>{last}</a></td></tr>",
            posts.len() - 1
        )
    };
    let rows: String = THREADS.iter().map(row).collect();
    page("On the quay", &format!("<table><tr><th>Thread<th>Replies<th>Latest</tr>{rows}</table>"))
}

fn thread((_, title, posts): &Thread) -> String {
    let post = |(author, when, text): &(&str, &str, &str)| {
        format!(
            "<article class=post><header><a href=/user/{author}>{author}</a> <span class=when>{when}</span></header>\
             <div class=body><p>{text}</p></div></article>"
        )
    };
    page(title, &posts.iter().map(post).collect::<String>())
}

/// The pages of a small forum, and a manifest of them.
fn forum() -> Scratch {
    let scratch = Scratch::new();
    let mut manifest = String::new();
    let mut add = |file: String, url: String, html: &str| {
        scratch.write(&file, html);
        manifest
            .push_str(&format!("{}\n", json!({"file": file, "url": url, "captured": 1769853600})));
    };
    add("list.html".into(), "https://quay.example/board/2".into(), &list());
    for known in &THREADS {
        let number = known.0;
        add(
            format!("{number}.html"),
            format!("https://quay.example/thread/{number}"),
            &thread(known),
        );
    }
    scratch.write("pages.jsonl", &manifest);
    scratch
}

fn texts<'a>(lines: &'a [Value], kind: &str, field: &str) -> Vec<&'a str> {
    let of_kind = lines.iter().filter(|line| line["kind"] == kind);
    of_kind.map(|line| line[field].as_str().unwrap_or_default()).collect()
}

#[test]
fn the_tables_of_a_forum_come_back_out_of_its_files() {
    let scratch = forum();
    let lines =
        scratch.run(&["dom", "records", "--manifest", "pages.jsonl", "--json"]).json_lines();
    for line in &lines {
        let fields = "kind site page url xpath title author time time_text content_text content_html \
            links fields confidence id permalink position reply_to replies last_author last_time \
            time_precision zone field_xpaths proofs version first_seen last_seen edited deleted";
        has_fields(line, &fields.split_whitespace().collect::<Vec<_>>());
        assert_eq!(line["site"], "quay.example");
        assert!(line["first_seen"].is_null(), "a file has no history");
    }
    let titles: Vec<_> = THREADS.iter().map(|thread| thread.1).collect();
    assert_eq!(texts(&lines, "thread", "title"), titles);
    assert!(texts(&lines, "thread", "page").iter().all(|file| *file == "list.html"));
    let replies: Vec<_> =
        lines.iter().filter(|line| line["kind"] == "thread").map(|line| &line["replies"]).collect();
    assert_eq!(replies, [2, 0, 1, 1]);

    let posts = || THREADS.iter().flat_map(|thread| thread.2);
    assert_eq!(texts(&lines, "post", "author"), posts().map(|post| post.0).collect::<Vec<_>>());
    assert_eq!(
        texts(&lines, "post", "content_text"),
        posts().map(|post| post.2).collect::<Vec<_>>()
    );
    let first = lines.iter().find(|line| line["kind"] == "post").unwrap();
    is_time(&first["time"]);
    assert_eq!(first["time"], "2026-01-05T09:12:00Z");
    assert_eq!(
        (&first["page"], &first["time_text"]),
        (&"11.html".into(), &"2026-01-05 09:12".into())
    );
}

#[test]
fn records_are_printed_page_by_page() {
    let scratch = forum();
    let files = ["11.html", "12.html", "15.html", "18.html"];
    let base = ["--base", "https://quay.example/thread/"];
    let ended = scratch.run(&[&["dom", "records", "list.html"], &files[..], &base[..]].concat());
    let text = ended.ok();
    let lone = text.lines().skip_while(|line| *line != "12.html").nth(2).unwrap_or_default();
    assert!(
        lone.starts_with("post") && lone.contains("Ines") && lone.contains("A green one"),
        "{text}"
    );
    assert!(ended.stderr.contains("of 5 pages"), "{}", ended.stderr);
}

#[test]
fn a_page_may_be_known_as_the_server_sent_it_alone_or_both_ways() {
    let scratch = forum();
    let manifest = std::fs::read_to_string(scratch.path().join("pages.jsonl")).unwrap();
    let contents = |manifest: &str| {
        scratch.write("other.jsonl", manifest);
        let call = ["dom", "records", "--manifest", "other.jsonl", "--json"];
        let lines = scratch.run(&call).json_lines();
        texts(&lines, "post", "content_text").into_iter().map(str::to_owned).collect::<Vec<_>>()
    };
    let rendered = contents(&manifest);
    assert_eq!(rendered.len(), 8);
    assert_eq!(contents(&manifest.replace("\"file\"", "\"raw\"")), rendered);
    let both = |line: &str| {
        let mut line: Value = serde_json::from_str(line).unwrap();
        line["raw"] = line["file"].clone();
        format!("{line}\n")
    };
    assert_eq!(contents(&manifest.lines().map(both).collect::<String>()), rendered);
}

#[test]
fn pages_without_records_are_no_failure() {
    let scratch = Scratch::new();
    scratch.write("a.html", "<title>Closed</title><p>We are closed today.");
    scratch.write("empty.html", "");
    let ended = scratch.run(&["dom", "records", "a.html", "empty.html", "--json"]);
    assert_eq!(ended.ok(), "");
}

#[test]
fn what_is_wrong_with_a_manifest_is_said_with_its_line() {
    let scratch = forum();
    let run = |manifest: &str| {
        scratch.write("wrong.jsonl", manifest);
        scratch.run(&["dom", "records", "--manifest", "wrong.jsonl"])
    };
    run("{\"file\": \"11.html\"}\n\nlist.html\n")
        .failed(2, &["wrong.jsonl:3", "\"file\"", "captured"]);
    run("{\"url\": \"https://quay.example/\"}\n").failed(2, &["wrong.jsonl:1", "file", "raw"]);
    run("{\"file\": \"11.html\", \"url\": \"nowhere\"}\n").failed(2, &["wrong.jsonl:1"]);
    run("{\"file\": \"11.html\"}\n{\"raw\": \"none.html\"}\n")
        .failed(1, &["wrong.jsonl:2", "none.html", "name an HTML file"]);
    scratch
        .run(&["dom", "records", "--manifest", "none.jsonl"])
        .failed(1, &["none.jsonl", "--manifest"]);
    scratch.run(&["dom", "records", "none.html"]).failed(1, &["none.html", "name an HTML file"]);
}

#[test]
fn files_and_a_manifest_are_not_named_together_and_one_of_them_must_be() {
    let scratch = forum();
    let both = ["dom", "records", "11.html", "--manifest", "pages.jsonl"];
    assert_eq!(scratch.run(&both).code, Some(2));
    assert_eq!(scratch.run(&["dom", "records"]).code, Some(2));
}

/// A larger forum: threads of one to six posts, their list, and the pages of its members.
fn large_forum() -> Scratch {
    let scratch = Scratch::new();
    let names = ["Mara", "Tomas", "Ines", "Wen"];
    let (mut manifest, mut rows) = (String::new(), String::new());
    let mut add = |file: String, path: String, html: String| {
        scratch.write(&file, &html);
        let url = format!("https://quay.example{path}");
        manifest.push_str(&format!("{}\n", json!({"file": file, "url": url})));
    };
    for (number, posts) in (1..).zip([1, 2, 4, 5, 6]) {
        let title = format!("Question {number} about the ferry");
        let post = |post: usize| {
            let who = names[(number + post) % 4];
            let more = "The harbour is frozen and nobody knows when the boats run. ".repeat(3);
            format!(
                "<article class=post><header><a href=/user/{who}>{who}</a> \
                 <span>2026-01-0{number} 1{post}:00</span></header>\
                 <div><p>Answer {post} in thread {number}. {more}</p></div></article>"
            )
        };
        rows.push_str(&format!("<tr><td><a href=/thread/{number}>{title}</a><td>Open</tr>"));
        let html = page(&title, &(0..posts).map(post).collect::<String>());
        add(format!("{number}.html"), format!("/thread/{number}"), html);
    }
    add("list.html".into(), "/board/2".into(), page("Quay", &format!("<table>{rows}</table>")));
    for who in names {
        let html = page(who, &format!("<dl><dt>Joined<dd>2020<dt>From<dd>{who}land</dl>"));
        add(format!("{who}.html"), format!("/user/{who}"), html);
    }
    scratch.write("pages.jsonl", &manifest);
    scratch
}

#[test]
fn the_papers_methods_mine_each_page_by_itself() {
    let scratch = large_forum();
    let by = |method: &[&str]| {
        let all = ["dom", "records", "--manifest", "pages.jsonl", "--json"];
        scratch.run(&[&all, method].concat()).json_lines()
    };
    let posts = |lines: &[Value], page: &str| {
        let on = lines.iter().filter(|line| line["page"] == page);
        on.filter(|line| line["text"].as_str().unwrap().contains("Answer")).cloned().collect()
    };
    let [learned, fdre, mdr] = ["learned", "fdre", "mdr"].map(|method| by(&["--method", method]));
    assert_eq!(by(&[]), learned, "the default");
    for (lines, single) in [(&learned, 1), (&fdre, 0), (&mdr, 0)] {
        let [one, five]: [Vec<Value>; 2] = ["1.html", "4.html"].map(|page| posts(lines, page));
        assert_eq!((one.len(), five.len()), (single, 5), "what is there once repeats nothing");
    }
    let third = |lines: &[Value]| -> Value { posts(lines, "4.html")[2].clone() };
    let (third_fdre, third_mdr) = (third(&fdre), third(&mdr));
    assert_eq!(third_fdre["kind"], "post");
    assert_eq!(third_fdre["author"], "Ines", "a link to a member, by the second rule of seed 004");
    assert_eq!(third_fdre["time"], "2026-01-04T12:00:00Z", "by the third");
    let content = third_fdre["content_text"].as_str().unwrap();
    assert!(content.starts_with("Answer 2 in thread 4. "), "by the fourth: {content}");
    assert_eq!(texts(&fdre, "thread", "title")[0], "Question 1 about the ferry", "by the first");
    assert_eq!((&third_mdr["kind"], &third_mdr["author"]), (&"item".into(), &Value::Null));
}
