//! The paper's example (seed 003, figures 2, 3, 6 and 7), as its markup was and as it would be now.

use page::block::{BlockTree, Cut, Display, Look, Looks, partition};
use page::tree::{Dom, Node, NodeId, parse_str, visible_text_of};

const LEVEL_1: &[&str] = &["T1", "T2", "C", "B1", "B2"];
const LEVEL_2: &[&str] = &["T1", "T2", "CL", "CC", "CR", "B1", "B2"];
const LEVEL_3: &[&str] = &[
    "T1", "T2", "CL", "CC1", "CC2", "CC3", "CC4", "CC5", "CC6", "CR1", "CR2", "CR3", "CR4", "CR5",
    "CR6", "B1", "B2",
];

fn links(word: &str, count: usize, around: [&str; 2]) -> String {
    let [open, close] = around;
    (1..=count).map(|at| format!("{open}<a href='/{word}/{at}'>{word} {at}</a>{close}\n")).collect()
}

fn story(name: &str, at: usize) -> [String; 2] {
    let text =
        "has a few sentences about what is new, as front pages do, and then a link to more of it.";
    [
        format!("{name}{at} headline"),
        format!("Story {name}{at} {text} It is {at} days old. <a href='/{name}/{at}'>Read on</a>"),
    ]
}

/// Tables in tables, as in 2007.
fn tables() -> String {
    let cell = |name: &str| -> String {
        (1..=6)
            .map(|at| {
                let [headline, text] = story(name, at);
                format!("<table width='100%'><tr><td bgcolor='#ccccff'><b>{headline}</b></td></tr><tr><td>{text}</td></tr></table>\n")
            })
            .collect()
    };
    format!(
        "<body bgcolor=white><table width='100%'><tr><td><a href=/><img src=logo.gif alt=T1 width=200 height=60></a></td>\
         <td>T1 search <form><input name=q><input type=submit></form></td></tr></table>\n\
         <table width='100%' bgcolor=blue><tr><td>{}</td></tr></table>\n\
         <table width='100%'><tr valign=top><td width=160>{}</td><td>{}</td><td width=200>{}</td></tr></table>\n\
         <img src=space.gif width=1 height=10>\
         <table width='100%'><tr><td align=center>{}</td></tr></table>\n\
         <table width='100%'><tr><td>B2 Copyright 2007 by those who made it</td></tr></table>",
        links("T2", 7, ["", " | "]),
        links("CL", 24, ["<div>", "</div>"]),
        cell("CC"),
        cell("CR"),
        links("B1", 5, ["", " | "]),
    )
}

/// The same, without a table around each story.
fn bare_tables() -> String {
    let cell = |name: &str| -> String {
        (1..=6)
            .map(|at| {
                let [headline, text] = story(name, at);
                format!("<h3>{headline}</h3><p>{text}\n")
            })
            .collect()
    };
    format!(
        "<table><tr><td><img src=logo.gif alt=T1> T1 the site</td></tr></table><table><tr><td>{}</td></tr></table>\
         <table><tr><td>{}</td><td>{}</td><td>{}</td></tr></table>\
         <table><tr><td>{}</td></tr></table><table><tr><td>B2 Copyright 2007</td></tr></table>",
        links("T2", 7, ["", " "]),
        links("CL", 24, ["<div>", "</div>"]),
        cell("CC"),
        cell("CR"),
        links("B1", 5, ["", " "]),
    )
}

/// Boxes and landmarks, as today.
fn boxes() -> String {
    let column = |name: &str| -> String {
        (1..=6)
            .map(|at| {
                let [headline, text] = story(name, at);
                format!("<section><h2>{headline}</h2><div><p>{text}</p></div></section>\n")
            })
            .collect()
    };
    format!(
        "<body><div id=app><script>start()</script>\
         <header><div><a href=/><svg viewBox='0 0 9 9'><path d='M0 0'/></svg>T1</a></div>\
         <form role=search><input name=q><button>Go</button></form></header>\n\
         <nav><ul>{}</ul></nav>\n\
         <div style='display:flex'><div><div>{}</div></div><main>{}</main><aside>{}</aside></div>\n\
         <div><ul>{}</ul></div>\n\
         <footer><p>B2 Copyright by those who made it</p></footer></div><script>end()</script>",
        links("T2", 7, ["<li>", "</li>"]),
        links("CL", 24, ["<div>", "</div>"]),
        column("CC"),
        column("CR"),
        links("B1", 5, ["<li>", "</li>"]),
    )
}

/// Looks as a browser would tell them: a box under the other, cells beside each other.
fn looks(dom: &Dom) -> Looks {
    let mut y = 0;
    let of = dom.elements().map(|node| {
        let display = match node.name() {
            "head" | "script" | "style" => Display::None,
            "table" => Display::Table,
            "tr" | "tbody" => Display::Row,
            "td" => Display::Cell,
            "a" | "b" | "img" | "path" | "svg" => Display::Inline,
            "input" | "button" => Display::InlineBlock,
            _ if node.attribute("style").is_some() => Display::Flex,
            _ => Display::Block,
        };
        let is_spacer = node.attribute("src") == Some("space.gif");
        let size = if is_spacer { 1 } else { 20 + 10 * node.size() as i32 };
        y += 5;
        let weight = if matches!(node.name(), "b" | "h2" | "h3") { 700 } else { 400 };
        (
            node.id(),
            Look {
                display,
                y,
                width: size,
                height: size,
                weight,
                font_size: 160,
                ..Look::default()
            },
        )
    });
    Looks::new(of.collect())
}

/// The name that each block of a cut begins with.
fn names(dom: &Dom, tree: &BlockTree, level: u16) -> Vec<String> {
    let cut = Cut::at_level(tree, level);
    cut.blocks().iter().map(|&at| name(dom, tree.block(at).nodes())).collect()
}

/// What a block holds: the longest name that all the names in it begin with.
fn name(dom: &Dom, nodes: std::ops::Range<u32>) -> String {
    let text: String = nodes
        .map(|id| dom.node(NodeId(id)))
        .filter(|node: &Node<'_>| !node.text().is_empty() || node.attribute("alt").is_some())
        .map(|node| {
            format!("{} {} ", visible_text_of(node), node.attribute("alt").unwrap_or_default())
        })
        .collect();
    let mut names: Vec<&str> = text
        .split(|c: char| !c.is_ascii_alphanumeric())
        .filter(|word| {
            ["T1", "T2", "CL", "CC", "CR", "B1", "B2"].iter().any(|name| word.starts_with(name))
        })
        .collect();
    names.sort();
    names.dedup();
    match names.as_slice() {
        [] => "nothing".to_owned(),
        [only] => (*only).to_owned(),
        [first, .., last] => {
            first.chars().zip(last.chars()).take_while(|(a, b)| a == b).map(|(a, _)| a).collect()
        }
    }
}

fn check(html: &str) {
    let dom = parse_str(html).dom;
    let seen = looks(&dom);
    for looks in [None, Some(&seen)] {
        let tree = partition(&dom, looks);
        assert_eq!(names(&dom, &tree, 1), LEVEL_1, "with looks: {}", looks.is_some());
        assert_eq!(names(&dom, &tree, 2), LEVEL_2, "with looks: {}", looks.is_some());
        assert_eq!(names(&dom, &tree, 3), LEVEL_3, "with looks: {}", looks.is_some());
        assert_eq!(names(&dom, &tree, 0), [""], "with looks: {}", looks.is_some());
    }
}

#[test]
fn the_papers_page_in_tables_is_cut_as_in_the_paper() {
    check(&tables());
}

#[test]
fn the_papers_page_without_a_table_a_story_is_cut_as_in_the_paper() {
    check(&bare_tables());
}

#[test]
fn the_papers_page_in_boxes_is_cut_as_in_the_paper() {
    check(&boxes());
}
