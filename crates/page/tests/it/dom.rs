use page::tree::{Dom, DomBuilder, Kind, Limits, parse, parse_str, serialise, visible_text};

fn body(html: &str) -> String {
    let snapshot = serialise(&parse_str(html).dom);
    let from = snapshot.find("<body").unwrap();
    snapshot[from..].trim_end_matches("</html>").to_owned()
}

#[test]
fn a_page_gets_the_elements_that_its_author_left_out() {
    assert_eq!(body("<p>a<p>b"), "<body><p>a</p><p>b</p></body>");
    assert_eq!(
        body("<table><tr><td>x</table>"),
        "<body><table><tbody><tr><td>x</td></tr></tbody></table></body>"
    );
}

#[test]
fn text_in_a_table_is_put_before_it() {
    assert_eq!(
        body("<table>a<tr>b<td>c</table>"),
        "<body>ab<table><tbody><tr><td>c</td></tr></tbody></table></body>"
    );
}

#[test]
fn misnested_formatting_is_repaired_as_browsers_do() {
    assert_eq!(body("<b>1<p>2</b>3</p>"), "<body><b>1</b><p><b>2</b>3</p></body>");
}

#[test]
fn noscript_is_text_because_scripting_is_on() {
    let dom = parse_str("<body><noscript><p>no</p></noscript>").dom;
    assert!(!dom.elements().any(|node| node.name() == "p"));
    assert_eq!(visible_text(&dom), "");
}

#[test]
fn a_declarative_shadow_root_is_the_first_child_of_its_host() {
    let dom =
        parse_str("<body><x-a>light<template shadowrootmode=open><b>shade</b></template></x-a>")
            .dom;
    let host = dom.elements().find(|node| node.name() == "x-a").unwrap();
    let kinds: Vec<_> = host.children().map(|child| child.kind()).collect();
    assert_eq!(kinds, [Kind::ShadowRoot, Kind::Text]);
    assert_eq!(visible_text(&dom), "shadelight");
}

#[test]
fn builder_calls_in_any_order_give_a_well_formed_tree() {
    let mut builder = DomBuilder::new();
    builder.close();
    builder.text("a");
    builder.text("");
    builder.text("b\0");
    builder.open("p", [("x", "1"), ("x", "2"), ("y z", "3")]);
    builder.open_document();
    builder.open("html", []);
    let dom = builder.finish();
    assert_well_formed(&dom);
    assert_eq!(dom.root().first_child().unwrap().text(), "ab\u{fffd}");
    let p = dom.elements().next().unwrap();
    assert_eq!(p.attributes().collect::<Vec<_>>(), [("x", "1"), ("y-z", "3")]);
    assert_eq!(p.frame_document().unwrap().size(), 2);
}

#[test]
fn a_builder_stops_at_its_limits_and_says_so() {
    let limits = Limits { nodes: 10, depth: 4, bytes: 40, frames: 1 };
    let build = |calls: &dyn Fn(&mut DomBuilder)| {
        let mut builder = DomBuilder::with_limits(limits);
        calls(&mut builder);
        let dom = builder.finish();
        assert_well_formed(&dom);
        dom
    };
    let many = build(&|builder| {
        (0..99).for_each(|_| {
            builder.open("b", []);
            builder.close();
        });
    });
    assert!(many.truncated() && many.node_count() == 10);

    let deep = build(&|builder| {
        (0..9).for_each(|_| {
            builder.open("i", []);
        });
        builder.text("kept");
    });
    assert!(deep.truncated());
    assert_eq!(deep.elements().count(), 4);
    assert_eq!(deep.nodes().last().unwrap().text(), "kept");

    let long = build(&|builder| builder.text(&"é".repeat(99)));
    assert!(long.truncated());
    assert_eq!(long.root().first_child().unwrap().text(), "é".repeat(20));

    let framed = build(&|builder| {
        (0..3).for_each(|_| {
            builder.open_document();
            builder.text("x");
        });
    });
    assert!(framed.truncated());
    assert_eq!(framed.nodes().filter(|node| node.kind() == Kind::Document).count(), 2);
    assert!(!build(&|builder| builder.text("small")).truncated());
}

#[test]
fn chinese_and_japanese_pages_are_read_in_their_encodings() {
    let text = "<title>中文网页</title><p>这是一个用来检测编码的句子，里面有足够的汉字。";
    for (label, encoding) in [("gbk", encoding_rs::GBK), ("big5", encoding_rs::BIG5)] {
        let text = if label == "big5" {
            "<p>這是一個用來檢測編碼的句子，裡面有足夠的漢字。"
        } else {
            text
        };
        let (bytes, _, _) = encoding.encode(text);
        let expected = visible_text(&parse_str(text).dom);
        let header = format!("text/html; charset=\"{label}\"");
        assert_eq!(visible_text(&parse(&bytes, Some(&header)).dom), expected, "{label} by header");
        let meta = [
            format!("<meta http-equiv=content-type content='text/html; charset={label}'>")
                .as_bytes(),
            &bytes,
        ]
        .concat();
        assert_eq!(visible_text(&parse(&meta, Some("text/html")).dom), expected, "{label} by meta");
        assert_eq!(visible_text(&parse(&bytes, None).dom), expected, "{label} by detection");
    }
    let (bytes, _, _) =
        encoding_rs::SHIFT_JIS.encode("<p>これは文字コードを調べるための文章です。");
    assert_eq!(visible_text(&parse(&bytes, None).dom), "これは文字コードを調べるための文章です。");
}

#[test]
fn utf16_is_known_by_its_mark_and_without_it() {
    let units = |text: &str| text.encode_utf16().flat_map(u16::to_le_bytes).collect::<Vec<u8>>();
    let text = "<!doctype html><p>naïve</p>";
    assert_eq!(visible_text(&parse(&units(text), None).dom), "naïve");
    let marked = units(&format!("\u{feff}{text}"));
    assert_eq!(visible_text(&parse(&marked, Some("text/html; charset=gbk")).dom), "naïve");
}

#[test]
fn a_header_beats_a_meta_and_a_wrong_meta_in_a_comment_counts_for_nothing() {
    let page = "<!-- <meta charset=gbk> --><meta charset=windows-1252>é".as_bytes();
    assert_eq!(parse(page, Some("text/html;charset=utf-8")).encoding.name(), "UTF-8");
    assert_eq!(parse(page, None).encoding.name(), "windows-1252");
}

/// Numbers in document order, subtrees as ranges, no empty text and no two texts in a row.
pub fn assert_well_formed(dom: &Dom) {
    assert_eq!(dom.root().end().0 as usize, dom.node_count());
    for node in dom.nodes() {
        assert!(node.end() > node.id());
        let mut at = node.id().0 + 1;
        let mut after_text = false;
        for child in node.children() {
            assert_eq!((child.id().0, child.parent()), (at, Some(node)));
            assert_eq!(child.depth(), node.depth() + 1);
            let is_text = child.kind() == Kind::Text;
            assert!(!is_text || (!after_text && !child.text().is_empty()));
            after_text = is_text;
            at = child.end().0;
        }
        assert_eq!(at, node.end().0);
    }
}
