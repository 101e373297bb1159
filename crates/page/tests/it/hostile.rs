//! Whatever comes in: no panic, a well-formed tree, bounded work.

use crate::dom::assert_well_formed;
use page::block::{BlockAt, Labels, Lines, Topics, partition};
use page::meta::Metadata;
use page::state::{Difference, Novelty};
use page::tree::parse::parse_within;

use page::tree::{
    Dom, Effort, Limits, Mask, Mode, Outline, Paths, canonical_hash, distance, images, links,
    parse, parse_str, restore, serialise, title, visible_text,
};
use page::types::{Shape, TypeMethod};
use std::time::{Duration, Instant};

/// Calls everything on one page, and compares it with another.
fn exercise(dom: &Dom, other: &Dom) {
    assert_well_formed(dom);
    assert_eq!(restore(&serialise(dom)).as_ref(), Ok(dom));
    let mask =
        Mask { regions: vec!["/html/body/*[name()='p'][*]".parse().unwrap()], ..Mask::default() };
    canonical_hash(dom, &mask);
    let page = url::Url::parse("http://a.example/").unwrap();
    for link in links(dom, &page) {
        assert!(link.node.0 < dom.node_count() as u32);
    }
    images(dom, &page);
    title(dom);
    visible_text(dom);
    for method in [TypeMethod::Places, TypeMethod::Rtdm] {
        let shape = Shape::by(method, dom);
        assert_eq!(Shape::from_bytes(&shape.to_bytes()).as_ref(), Ok(&shape));
        assert_eq!(shape.to_string().parse().as_ref(), Ok(&shape));
    }
    Novelty::new(1 << 12).meet(dom);
    let difference = Difference::between(dom, other, &mask, Duration::from_secs(60));
    assert!(Difference::between(dom, dom, &mask, Duration::ZERO).is_none());
    assert!(!difference.to_string().is_empty());
    let tree = partition(dom, None);
    let lines = Lines::new(dom, None);
    let labels = Labels::new(&lines, &tree);
    for at in (0..tree.blocks().len() as u32).map(BlockAt) {
        let topic = Topics::default().topic(&lines, &tree, at);
        assert!(topic.text.chars().count() < 200, "{:?}: {topic:?}", labels.of(at));
    }
    assert!(Metadata::of(dom, &page, []).keywords.len() < 100);
    let paths = Paths::new(dom);
    for node in dom.elements().step_by(dom.node_count() / 20 + 1) {
        let path = paths.of(node.id()).unwrap();
        assert_eq!(path.evaluate(dom), [node.id()], "{path}");
        assert_eq!(path.to_string().parse().as_ref(), Ok(&path));
    }
    let effort = Effort { cells: 100_000, ..Effort::default() };
    for mode in [Mode::Structure, Mode::Full] {
        let (own, theirs) = (Outline::new(dom, mode), Outline::new(other, mode));
        assert_eq!(distance(&own, &own, effort).distance, 0);
        let there = distance(&own, &theirs, effort);
        assert_eq!(there.distance, distance(&theirs, &own, effort).distance);
        assert!(there.distance + 2 <= own.len() + theirs.len());
    }
}

/// A small deterministic generator (SplitMix64).
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) % bound.max(1) as u64) as usize
    }
}

const SEEDS: &[&str] = &[
    "<!doctype html><html><head><meta charset=gbk><title>a</title><base href=x></head><body class=a><p id=1>x<b>y</p>z</b></body></html>",
    "<table><caption>c<col><tr><td>1<th>2<table>x<tr></table><form><input></form></table><select><option>a<optgroup><option>b</select>",
    "<svg viewBox='0 0 1 1'><foreignObject><p>x</foreignObject><style>a<b></style><![CDATA[x]]></svg><math><mi>x<annotation-xml encoding=text/html><p>",
    "<div><template shadowrootmode=open><slot></slot><a href=//x>s</a></template>l</div><iframe src=x><p></iframe><noscript><p></noscript>",
    "<script>a<!--<script>b</script></script><style></style><textarea>\n<p></textarea><pre>\n\nx</pre><xmp><b></xmp><plaintext>x",
    "<a href=1>1<a href=2>2<p>3</a>4<nobr><nobr><button><button><h1><h2><li><li><dd><dt><frameset><frame></frameset>",
];

const PIECES: &[&[u8]] = &[
    b"<",
    b">",
    b"</",
    b"<!--",
    b"-->",
    b"<![CDATA[",
    b"]]>",
    b"\0",
    b"\xff\xfe",
    b"\xed\xa0\x80",
    b"&#xd800;",
    b"&#x0;",
    b"&amp",
    b"'",
    b"\"",
    b"=",
    b"<table>",
    b"</table>",
    b"<b>",
    b"</b>",
    b"<a>",
    b"<p>",
    b"</p>",
    b"<template>",
    b"<select>",
    b"<svg>",
    b"<title>",
    b"<script>",
    b"</script>",
    b"<body a=1>",
    b"<frameset>",
    b"\r\n",
    b"\x81\x30",
    b"<math><mtext>",
];

fn mutated(random: &mut Random) -> Vec<u8> {
    let mut bytes = SEEDS[random.below(SEEDS.len())].as_bytes().to_vec();
    for _ in 0..1 + random.below(12) {
        let at = random.below(bytes.len() + 1);
        match random.below(4) {
            0 => drop(bytes.splice(at..at, PIECES[random.below(PIECES.len())].iter().copied())),
            1 => drop(bytes.drain(at..(at + random.below(20)).min(bytes.len()))),
            2 => {
                let end = (at + random.below(60)).min(bytes.len());
                let copy = bytes[at..end].repeat(1 + random.below(8));
                let to = random.below(bytes.len() + 1);
                drop(bytes.splice(to..to, copy));
            }
            _ => {
                if let Some(byte) = bytes.get_mut(at) {
                    *byte = random.below(256) as u8;
                }
            }
        }
    }
    bytes
}

#[test]
fn mutated_pages_break_nothing() {
    let mut random = Random(1);
    let mut other = parse_str(SEEDS[0]).dom;
    for _ in 0..1500 {
        let bytes = mutated(&mut random);
        let header = [None, Some("text/html; charset=utf-8"), Some("text/html; charset=utf-16le")];
        let dom = parse(&bytes, header[random.below(header.len())]).dom;
        exercise(&dom, &other);
        other = dom;
    }
}

#[test]
fn a_megabyte_of_nested_elements_is_parsed_at_once() {
    let started = Instant::now();
    let dom = parse_str(&"<div>".repeat(200_000)).dom;
    // Without the cap it takes minutes; this allows for a slow machine without optimisation.
    assert!(started.elapsed() < Duration::from_secs(10), "{:?}", started.elapsed());
    assert!(dom.truncated());
    assert!(dom.nodes().all(|node| node.depth() <= 513));
    assert!(dom.elements().count() > 500);
}

#[test]
fn text_below_the_depth_cap_is_kept() {
    let html = format!("{}<p>deep</p>{}<p>after</p>", "<div>".repeat(2000), "</div>".repeat(2000));
    let dom = parse_str(&html).dom;
    assert_eq!(visible_text(&dom), "deep\nafter");
    let after = dom.elements().last().unwrap();
    assert_eq!(
        (after.name(), after.depth()),
        ("p", 3),
        "the end tags of what was left out close nothing"
    );
}

#[test]
fn pages_made_to_be_slow_are_parsed_in_bounded_time() {
    let repeat = |piece: &str| piece.repeat(200_000 / piece.len());
    let numbered =
        |count: usize, piece: fn(usize) -> String| (0..count).map(piece).collect::<String>();
    let many = numbered(40_000, |i| format!(" a{i}"));
    let cases = [
        ("formatting", numbered(20_000, |i| format!("<b id={i}>"))),
        (
            "formatting, reopened in every paragraph",
            numbered(500, |i| format!("<b id={i}>")) + &repeat("<p>x"),
        ),
        ("unclosed fonts", numbered(12_000, |i| format!("<p><font id={i}>"))),
        ("tables", repeat("<table><tr><td>")),
        ("selects", repeat("<select><option><optgroup>")),
        ("adoption agency", "<b>".repeat(400) + &repeat("<div></b>")),
        ("more of it", repeat("<b><i><a><div></b></a></i>")),
        ("attributes", format!("<p{many}>x")),
        (
            "attributes behind a stray <",
            format!("<<p{}>x", numbered(40_000, |i| format!(" a{i}<"))),
        ),
        ("attributes of an end tag", format!("<script></script{many}>x")),
        ("attributes of html, over and over", numbered(15_000, |i| format!("<html a{i}>"))),
        (
            "attributes copied to every paragraph",
            numbered(50, |i| {
                format!("<b {}>", (0..1000).map(|j| format!("a{i}x{j} ")).collect::<String>())
            }) + &repeat("<p>x"),
        ),
        ("text before a table", format!("<table>{}", repeat("x<tr a=b>"))),
        ("end tags", "<span>".repeat(500) + &repeat("</x>")),
        ("shadow roots", repeat("<div><template shadowrootmode=open>")),
        ("nulls", repeat("\0")),
        ("comments", repeat("<!--")),
    ];
    let small = parse_str("<p>x").dom;
    for (name, html) in cases {
        let started = Instant::now();
        let dom = parse_str(&html).dom;
        exercise(&dom, &small);
        assert!(started.elapsed() < Duration::from_secs(20), "{name}: {:?}", started.elapsed());
    }
}

#[test]
fn surplus_attributes_are_left_out_and_what_follows_stays() {
    let many = (0..5000).map(|i| format!(" a{i}='x y'")).collect::<String>();
    let dom = parse_str(&format!(
        "<p id=1{many} last=1>text</p><script>if(a<b {many}) c</script {many}><i>x</i>"
    ))
    .dom;
    assert!(dom.truncated());
    let p = dom.elements().find(|node| node.name() == "p").unwrap();
    assert_eq!((p.attributes().len(), p.attribute("id")), (1024, Some("1")));
    assert_eq!(visible_text(&dom), "text\nx");
    let script = dom.elements().find(|node| node.name() == "script").unwrap();
    assert!(
        script.first_child().unwrap().text().ends_with(" a4999='x y') c"),
        "a script is no tag"
    );
    let long_value = format!("<p title='{}'>", "word ".repeat(50_000));
    assert!(!parse_str(&long_value).dom.truncated());
}

#[test]
fn a_page_beyond_the_limits_is_cut_and_says_so() {
    let limits = Limits { nodes: 1000, ..Default::default() };
    let many = parse_within("<br>".repeat(5000).as_bytes(), None, limits);
    assert!(many.dom.truncated() && many.dom.node_count() <= 1000);
    let limits = Limits { bytes: 1000, ..Default::default() };
    let long = parse_within("é".repeat(5000).as_bytes(), Some("text/html;charset=utf-8"), limits);
    assert!(long.dom.truncated() && serialise(&long.dom).len() < 1200);
}
