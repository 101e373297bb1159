use crate::tree_strategy::any_tree;
use page::tree::serialise::HEADER;
use page::tree::{DomBuilder, Kind, parse_str, restore, serialise};
use proptest::prelude::*;
use proptest::strategy::ValueTree;

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    #[test]
    fn any_tree_comes_back_from_its_snapshot(dom in any_tree()) {
        let snapshot = serialise(&dom);
        prop_assert_eq!(restore(&snapshot).unwrap(), dom, "{}", snapshot);
    }

    #[test]
    fn any_markup_comes_back_from_its_snapshot(html in any_markup()) {
        let dom = parse_str(&html).dom;
        let snapshot = serialise(&dom);
        prop_assert_eq!(restore(&snapshot).unwrap(), dom, "{}", snapshot);
    }

    #[test]
    fn a_damaged_snapshot_is_an_error_or_another_tree_but_no_panic(
        dom in any_tree(),
        at in any::<prop::sample::Index>(),
        with in "[<>&\"/a=! -]{0,3}",
    ) {
        let mut snapshot = serialise(&dom);
        let at = snapshot.floor_char_boundary(at.index(snapshot.len()));
        let end = snapshot.ceil_char_boundary((at + 1).min(snapshot.len()));
        snapshot.replace_range(at..end, &with);
        let _ = restore(&snapshot);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn scripts_and_comments_without_a_marker_read_as_html_too(
        script in "(<!--|-->|<script|</script|[ >x/<!-]){0,8}",
        comment in "(<!--|--!|<!|[>x<!-]){0,6}",
    ) {
        let mut builder = DomBuilder::new();
        builder.open("html", []);
        builder.open("head", []);
        builder.open("script", []);
        builder.text(&script);
        builder.close();
        builder.comment(&comment);
        builder.close();
        builder.open("body", []);
        let dom = builder.finish();
        let snapshot = serialise(&dom);
        prop_assert_eq!(&restore(&snapshot).unwrap(), &dom);
        if !snapshot.contains("bathys:escaped") {
            prop_assert_eq!(parse_str(&snapshot).dom, dom, "{}", snapshot);
        }
    }
}

/// Markup that is broken in the ways that matter.
fn any_markup() -> impl Strategy<Value = String> {
    let pieces = prop::sample::select(vec![
        "<p>",
        "</p>",
        "<b>",
        "</b>",
        "<a href='x&y'>",
        "</a>",
        "<table>",
        "<tr>",
        "<td>",
        "</table>",
        "<pre>\n\n",
        "</pre>",
        "<textarea>\n",
        "</textarea>",
        "<script>a<b&&c</script>",
        "<!--x-->",
        "<!-- a--b->",
        "<svg>",
        "<style>a>b{}</style>",
        "</svg>",
        "<foreignObject>",
        "<math>",
        "<mi>",
        "<select>",
        "<option>",
        "<template>",
        "</template>",
        "<noscript><p>",
        "</noscript>",
        "text ",
        "&lt;",
        "&#13;",
        "\u{a0}",
        "\r\n",
        "\0",
        "<br>",
        "<img src=\"a\">",
        "<iframe>x<y</iframe>",
        "<div><template shadowrootmode=open>",
        "</div>",
        "<x-y bathys:z=1>",
        "<title>a&amp;</title>",
        "<p \"=a <b>",
        "<plaintext>",
        "<form>",
        "</form>",
        "<body x=1>",
        "<frameset>",
        "<!doctype html>",
    ]);
    prop::collection::vec(pieces, 0..24).prop_map(|pieces| pieces.concat())
}

#[test]
fn a_snapshot_is_html_that_reads_as_the_same_page() {
    let html = "<!doctype html><title>T &amp; t</title><style>a>b{}</style><script>if(a<b&&c)x='</p>'</script>\
        <pre>\n\n x</pre><textarea>\na</textarea><svg viewBox='0 0 1 1'><style>a&lt;b</style><foreignObject><p>x\
        </foreignObject></svg><img alt='a\"b'><!-- c --><table><tr><td>1</table><template><td>x</template>\
        <div><template shadowrootmode=open><slot></slot></template>y</div><noscript><p>n</noscript>";
    let dom = parse_str(html).dom;
    let snapshot = serialise(&dom);
    assert_eq!(parse_str(&snapshot).dom, dom);
    assert_eq!(serialise(&parse_str(&snapshot).dom), snapshot);
}

#[test]
fn a_frame_inside_a_frame_is_escaped_and_comes_back() {
    let mut builder = DomBuilder::new();
    for level in ["0", "1", "2"] {
        builder.open("html", []);
        builder.open("iframe", [("src", level)]);
        builder.text("fallback <&>");
        builder.open_document();
    }
    builder.doctype("html");
    builder.open("p", [("title", "\"<&>\"")]);
    builder.text("1 < 2 & 3");
    let dom = builder.finish();
    let snapshot = serialise(&dom);
    assert_eq!(restore(&snapshot).unwrap(), dom);
    let seen_by_html = parse_str(&snapshot).dom;
    assert!(!seen_by_html.elements().any(|node| node.name() == "p"), "the frame must stay text");
    assert!(snapshot.contains("&amp;amp;lt;p title="));
}

#[test]
fn ordinary_scripts_and_comments_need_no_marker() {
    for html in [
        "<!-- x ---><!----- y -----><!--[if IE]><p><![endif]--><!-- <!-- z -->",
        "<script><!-- document.write('<script src=x></script>') --></script>",
        "<script>a = '<!-- <script>'; b = '</script>' </script>",
    ] {
        let dom = parse_str(html).dom;
        let snapshot = serialise(&dom);
        assert!(!snapshot.contains("bathys:escaped"), "{snapshot}");
        assert_eq!(parse_str(&snapshot).dom, dom, "{snapshot}");
    }
}

#[test]
fn a_line_feed_before_the_document_of_a_pre_comes_back_once() {
    let mut builder = DomBuilder::new();
    builder.open("pre", []);
    builder.text("\nx");
    builder.open_document();
    let dom = builder.finish();
    assert_eq!(restore(&serialise(&dom)).unwrap(), dom);
}

#[test]
fn what_is_no_snapshot_is_refused() {
    for text in ["", "<p>", "<!--bathys:snapshot 2--><p></p>"] {
        assert!(restore(text).is_err());
    }
    for broken in [
        "<p>",
        "</p>",
        "<p",
        "<p a>",
        "<p a=\"1>",
        "<!--",
        "&x;",
        "<script>",
        "<!DOCTYPE ",
        "<",
        "<iframe bathys:document=\"\">&lt;p></iframe>",
    ] {
        let text = format!("{}{broken}", HEADER);
        assert!(restore(&text).is_err(), "{broken}");
    }
}

#[test]
fn the_strategy_makes_every_kind_of_node() {
    let mut runner = proptest::test_runner::TestRunner::deterministic();
    let mut kinds = std::collections::HashSet::new();
    for _ in 0..200 {
        let dom = any_tree().new_tree(&mut runner).unwrap().current();
        kinds.extend(dom.nodes().map(|node| node.kind()));
    }
    assert_eq!(
        kinds.len(),
        [Kind::Document, Kind::Doctype, Kind::Element, Kind::Text, Kind::Comment, Kind::ShadowRoot]
            .len()
    );
}
