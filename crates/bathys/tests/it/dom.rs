//! The algorithms on files.

use crate::program::{Scratch, has_fields};

#[test]
fn the_distance_of_two_files_is_the_nodes_in_which_they_differ() {
    let scratch = Scratch::new();
    scratch.write("a.html", "<ul><li>one<li>two</ul>");
    scratch.write("b.html", "<ul><li>one<li>two<li>three</ul><p>more");
    let same = scratch.run(&["dom", "similarity", "a.html", "a.html", "--json"]).json();
    assert_eq!((&same["distance"], &same["similarity"]), (&0.into(), &1.0.into()));

    let structure = scratch.run(&["dom", "similarity", "a.html", "b.html", "--json"]).json();
    has_fields(&structure, &["distance", "similarity", "nodes", "elapsed_us"]);
    // Elements only: html, head, body, ul, li, li and the root; and two more.
    assert_eq!(
        (&structure["distance"], &structure["nodes"]),
        (&2.into(), &serde_json::json!([7, 9]))
    );
    assert_eq!(structure["similarity"], 1.0 - 2.0 / 16.0);

    let full = ["dom", "similarity", "a.html", "b.html", "--full", "--json"];
    let full = scratch.run(&full).json();
    assert_eq!((&full["distance"], &full["nodes"]), (&4.into(), &serde_json::json!([9, 13])));
}

#[test]
fn texts_count_only_when_asked_for() {
    let scratch = Scratch::new();
    scratch.write("a.html", "<p>yesterday");
    scratch.write("b.html", "<p>today");
    let distance = |mode| {
        let ended = scratch.run(&["dom", "similarity", "a.html", "b.html", mode, "--json"]);
        ended.json()["distance"].clone()
    };
    assert_eq!((distance("--structure"), distance("--full")), (0.into(), 1.into()));
    let both = ["dom", "similarity", "a.html", "b.html", "--structure", "--full"];
    assert_eq!(scratch.run(&both).code, Some(2));
}

#[test]
fn a_file_that_is_not_there_is_a_failure_and_one_that_is_no_html_is_none() {
    let scratch = Scratch::new();
    scratch.write("a.html", "<p>");
    std::fs::write(scratch.path().join("noise"), [0, 255, b'<', 254, b'<', b'/', 0]).unwrap();
    let ended = scratch.run(&["dom", "similarity", "a.html", "missing.html"]);
    ended.failed(1, &["missing.html", "name an HTML file"]);
    assert!(scratch.run(&["dom", "similarity", "a.html", "noise"]).ok().starts_with("similarity "));
}

/// Seed 000 §2.4.
#[test]
fn the_paths_of_the_paper_generalise_as_in_the_paper() {
    let (a, b) = ("/html/body/div[4]/li[1]/a[1]", "/html/body/div[4]/li[2]/a[1]");
    let c = "/html/body/div[3]/li[1]/a[1]";
    let patterns = |paths: &[&str]| {
        let arguments = [&["dom", "generalise", "--json"], paths].concat();
        Scratch::new().run(&arguments).json()["patterns"].clone()
    };
    assert_eq!(patterns(&[a, b]), serde_json::json!(["/html/body/div[4]/li[*]/a[1]"]));
    assert_eq!(patterns(&[a, b, c]), serde_json::json!(["/html/body/div[*]/li[*]/a[1]"]));
    let apart = ["/html/body/div[1]", "/html/body/span[1]", "/html/body/div[1]/span[1]"];
    assert_eq!(patterns(&apart), serde_json::json!(apart), "other names never merge");
}

#[test]
fn patterns_are_printed_with_their_support() {
    let paths = ["/html/body/a[1]", "/html/body/a[2]", "/html/body/b[1]"];
    let ended = Scratch::new().run(&[&["dom", "generalise"], &paths[..]].concat());
    assert_eq!(ended.ok(), "    2  /html/body/a[*]\n    1  /html/body/b[1]\n");
}

#[test]
fn a_path_that_is_none_is_wrong_usage() {
    for path in ["div[1]", "/html/body/div[", "/html//a", ""] {
        Scratch::new().run(&["dom", "generalise", path]).failed(2, &["/html/body/div[2]/a[1]"]);
    }
}

const PAGE: &str = "<!doctype html><title>Harbour</title><body style='margin:0'>\
    <div id=a style='height:80px'><h2>Tides</h2><p>High water at noon, and again at midnight.</p></div>\
    <div id=b style='height:120px'><h2>Ferries</h2><p>The night ferry does not run on Sundays.</p></div>";

#[test]
fn the_block_tree_of_a_file_says_what_each_block_is_and_where() {
    let scratch = Scratch::new();
    scratch.write("page.html", PAGE);
    let told = scratch.run(&["dom", "blocks", "page.html", "--level", "1", "--json"]).json();
    assert_eq!(told["level"], 1);
    let blocks = told["blocks"].as_array().unwrap();
    for block in blocks {
        has_fields(block, &["id", "xpath", "level", "label", "topic", "text_len", "hash"]);
        assert!(block["box"].is_null(), "nothing was rendered: {block}");
    }
    let paths: Vec<_> = blocks.iter().map(|block| block["xpath"].as_str().unwrap()).collect();
    assert_eq!(paths, ["/html/body/div[1]", "/html/body/div[2]"]);
    assert_eq!((&blocks[1]["topic"], &blocks[1]["text_len"]), (&"Ferries".into(), &47.into()));

    let tree = scratch.run(&["dom", "blocks", "page.html", "--json"]).json();
    assert_eq!((&tree["blocks"][0]["level"], &tree["level"]), (&0.into(), &().into()));
    let printed = scratch.run(&["dom", "blocks", "page.html"]);
    let page = printed.ok().lines().next().unwrap();
    assert!(page.trim_start().starts_with("0 0 /  "), "{page}");
    assert!(printed.text().lines().any(|line| line.contains("  1 /html/body/div[1]  ")));
}

#[test]
fn a_rendered_file_has_boxes_and_a_picture() {
    let scratch = Scratch::new();
    scratch.write("page.html", PAGE);
    let call =
        ["dom", "blocks", "page.html", "--level", "1", "--rendered", "--png", "b.png", "--json"];
    let blocks = scratch.run(&call).json()["blocks"].clone();
    let boxes = [&blocks[0]["box"], &blocks[1]["box"]];
    assert_eq!(boxes.map(|area| area[0].clone()), [0, 0]);
    assert_eq!(boxes.map(|area| area[2].clone()), [1280, 1280]);
    let (first, second) = (boxes[0], boxes[1]);
    assert!(first[1].as_i64() < second[1].as_i64() && second[3] == 120, "{first} {second}");
    let picture = std::fs::read(scratch.path().join("b.png")).unwrap();
    assert!(picture.starts_with(b"\x89PNG\r\n\x1a\n"));

    scratch.run(&["dom", "blocks", "none.html"]).failed(1, &["none.html", "name an HTML file"]);
    let nowhere = ["dom", "blocks", "page.html", "--png", "no/such/b.png"];
    scratch.run(&nowhere).failed(1, &["no/such/b.png", "--png"]);
}

const FORMS: &str = "<form action=/find><select name=st><option value=''>Any<option>AK</select>\
    <input name=kw><button>Search</button></form>\
    <form action=/mail method=post><input type=email name=to><button>Subscribe</button></form>\
    <form action=/lookup method=post><input name=q><button>Search</button></form>";

#[test]
fn the_forms_of_a_file_are_listed_with_what_speaks_against_them() {
    let scratch = Scratch::new();
    scratch.write("page.html", FORMS);
    let call = ["dom", "forms", "page.html", "--base", "http://jobs.example/", "--json"];
    let lines = scratch.run(&call).json_lines();
    assert_eq!(lines.len(), 3);
    for line in &lines {
        has_fields(
            line,
            &["form", "page", "action", "method", "safe", "inputs", "refused_because"],
        );
        has_fields(&line["inputs"][0], &["name", "kind", "role", "values"]);
    }
    assert_eq!(lines[0]["safe"], true);
    assert_eq!(lines[0]["action"], "http://jobs.example/find");
    assert_eq!(lines[0]["inputs"][0]["values"], serde_json::json!(["", "AK"]));
    assert_eq!(lines[1]["safe"], false);
    assert_eq!(
        lines[2]["refused_because"],
        serde_json::json!([
            "it is a search that is sent by POST (--allow-post-search would allow it)"
        ])
    );
    let printed = scratch.run(&["dom", "forms", "page.html"]);
    assert!(printed.ok().contains("refused: its field 'to' asks for an e-mail address"));
}
