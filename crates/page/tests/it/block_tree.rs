//! What holds for every block tree.

use page::block::{BlockAt, BlockTree, Cut, Display, Look, Looks, partition};
use page::tree::{Dom, Kind, NodeId, parse_str};
use proptest::prelude::*;

use crate::tree_strategy::any_tree;

/// Checks that a tree is one: blocks are runs of siblings, children lie in their parents, in order,
/// without overlap, and have one level above their parent's.
fn check_shape(dom: &Dom, tree: &BlockTree) {
    let page = tree.block(BlockAt::PAGE);
    assert_eq!((page.first, page.end.0 as usize), (NodeId::ROOT, dom.node_count()));
    for (at, block) in tree.blocks().iter().enumerate() {
        let at = BlockAt(at as u32);
        let parent = dom.node(block.first).parent();
        let mut node = block.first;
        while node < block.end {
            assert_eq!(dom.node(node).parent(), parent, "{block:?} is no run of siblings");
            node = dom.node(node).end();
        }
        assert_eq!(node, block.end, "{block:?} ends inside a node");
        let mut from = block.first;
        let mut level = None;
        for child in tree.children(at) {
            let child = tree.block(child);
            assert_eq!(child.parent, at);
            assert!(
                child.first >= from && child.end <= block.end,
                "{child:?} is outside of {block:?}"
            );
            assert!(child.level > block.level);
            assert_eq!(*level.get_or_insert(child.level), child.level);
            from = child.end;
        }
        assert_ne!(tree.children(at).count(), 1, "{block:?} is cut into one");
    }
}

/// Whether a node shows something by itself, by markup alone.
fn shows(dom: &Dom, id: NodeId) -> bool {
    let node = dom.node(id);
    let hides = ["script", "style", "template", "noscript", "head", "title", "noembed", "noframes"];
    let is_hidden = node.ancestors().chain([node]).any(|around| {
        let is_svg_title = around.name() == "title" && around.is_foreign();
        (hides.contains(&around.name()) && !is_svg_title) || around.attribute("hidden").is_some()
    });
    let is_blank = |c: char| c.is_whitespace() || c.is_control();
    let of_frame = node.parent().is_some_and(|parent| parent.name() == "iframe");
    !is_hidden
        && match node.kind() {
            Kind::Text => !of_frame && !node.text().chars().all(is_blank),
            Kind::Element => {
                matches!(node.name(), "video" | "canvas" | "select" | "textarea" | "button" | "svg")
                    || (node.name() == "img" && node.attribute("width").is_none())
                    || (node.name() == "a" && node.attribute("href").is_some())
                    || (matches!(node.name(), "iframe" | "frame") && node.first_child().is_none())
            }
            _ => false,
        }
}

/// Checks that whatever a block shows is in one of its children, down to every level.
fn check_nothing_is_lost(dom: &Dom, tree: &BlockTree) {
    for level in 0..8 {
        let cut = Cut::at_level(tree, level);
        let mut blocks = cut.blocks().iter().map(|&at| tree.block(at).nodes()).peekable();
        for id in 0..dom.node_count() as u32 {
            while blocks.next_if(|nodes| nodes.end <= id).is_some() {}
            let is_inside = blocks.peek().is_some_and(|nodes| nodes.contains(&id));
            assert!(
                is_inside || !shows(dom, NodeId(id)),
                "level {level} loses {:?}",
                dom.node(NodeId(id))
            );
        }
    }
}

fn check(dom: &Dom) {
    let tree = partition(dom, None);
    check_shape(dom, &tree);
    check_nothing_is_lost(dom, &tree);
}

/// Markup such as pages are made of, in any order.
fn any_html() -> impl Strategy<Value = String> {
    let piece = prop::sample::select(vec![
        "<div>",
        "</div>",
        "<div>",
        "</div>",
        "<p>",
        "</p>",
        "<table><tr><td>",
        "</td><td>",
        "</tr><tr><td>",
        "</table>",
        "<ul><li>",
        "<li>",
        "</ul>",
        "<br>",
        "<br><br>",
        "<hr>",
        "<h1>",
        "</h1>",
        "<h2>Two</h2>",
        "<h3>",
        "</h3>",
        "<b>bold</b>",
        "<b>",
        "</b>",
        "<a href=x>",
        "</a>",
        "<a href=y>link</a>",
        "<span>",
        "</span>",
        "<img src=a>",
        "<img src=s width=1>",
        "<video></video>",
        "<canvas></canvas>",
        "<iframe></iframe>",
        "<form><input><select><option>a</select></form>",
        "<script>s()</script>",
        "<style>p{}</style>",
        "&nbsp;",
        "text",
        "-----",
        " ",
        "A paragraph that is long enough to be one, and goes on for more than a line of a \
        column, so that nobody takes it for a line.",
        "<nav>",
        "</nav>",
        "<main>",
        "<footer>foot</footer>",
        "<div hidden>gone</div>",
        "<svg><title>x</title><path/></svg>",
        "<pre>pre\n formatted</pre>",
        "<button>b</button>",
        "<section>",
        "</section>",
        "<article>",
        "</article>",
        "<dl><dt>term<dd>meaning</dl>",
        "<!-- c -->",
        "<frameset><frame></frameset>",
        "<center>",
        "<font>",
        "</font>",
        "中文的一段话",
        "<tr><td>stray",
    ]);
    prop::collection::vec(piece, 0..80).prop_map(|pieces| pieces.concat())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    #[test]
    fn a_cut_of_any_html_loses_nothing_that_shows(html in any_html()) {
        check(&parse_str(&html).dom);
    }

    #[test]
    fn looks_of_any_kind_make_a_tree(html in any_html(), sizes in prop::collection::vec(any::<[i8; 5]>(), 1..40)) {
        let dom = parse_str(&html).dom;
        let displays = [Display::None, Display::Inline, Display::InlineBlock, Display::Block, Display::Flex, Display::Cell, Display::Contents];
        let looks = dom.elements().zip(sizes.iter().cycle()).map(|(node, [display, x, y, width, height])| {
            let display = displays[usize::from(display.unsigned_abs()) % displays.len()];
            let [x, y, width, height] = [*x, *y, *width, *height].map(i32::from);
            (node.id(), Look { display, x, y, width, height, font_size: 160, weight: 400, ..Look::default() })
        });
        let looks = Looks::new(looks.collect());
        check_shape(&dom, &partition(&dom, Some(&looks)));
    }

    #[test]
    fn a_cut_of_any_tree_loses_nothing_that_shows(dom in any_tree()) {
        check(&dom);
    }
}

/// A page with a column two boxes deep, beside a text, so that the default level leaves it whole.
fn portal(column: &str, text: &str) -> String {
    format!(
        "<body><header><a href=/>Site</a></header><div><aside><p>{text}</p></aside>\
         <div><div>{column}</div><div><h2>Beside</h2><p>{text}</p><p>{text}</p></div></div></div>\
         <footer>Imprint</footer>"
    )
}

#[test]
fn a_first_cut_opens_large_regions_but_neither_texts_nor_lists() {
    let sentence =
        "A sentence that says something about the news of the day, at some length, as they do. ";
    let regions: String = (1..6)
        .map(|at| format!("<section><h2>Region {at}</h2><p>{}</p></section>", sentence.repeat(12)))
        .collect();
    let text: String = (1..40).map(|_| format!("<p>{}</p>", sentence.repeat(2))).collect();
    let list: String =
        (1..40).map(|_| format!("<li><h3>Head</h3><p>{}</p></li>", sentence.repeat(2))).collect();
    let opened = |column: &str| {
        let dom = parse_str(&portal(column, &sentence.repeat(9))).dom;
        let tree = partition(&dom, None);
        let (fixed, first) = (Cut::at_level(&tree, 3), Cut::first_of(&tree, 3));
        (
            first.blocks().len() - fixed.blocks().len(),
            Cut::at_level(&tree, 5).blocks().len() > fixed.blocks().len(),
        )
    };
    assert_eq!(opened(&regions), (4, true), "five regions instead of the column");
    assert_eq!(opened(&format!("<h1>Title</h1>{text}")), (0, true));
    assert_eq!(opened(&format!("<ul>{list}</ul>")), (0, true));
}

const SENTENCE: &str = "A sentence that says something about the news of the day, as they do. ";

/// The texts of the blocks of a first cut, by the word that each begins with.
fn first_words(html: &str) -> Vec<String> {
    let dom = parse_str(html).dom;
    let tree = partition(&dom, None);
    let word = |at: &BlockAt| {
        let nodes = tree.block(*at).nodes();
        let mut texts = nodes.map(|id| dom.node(NodeId(id)).text().trim());
        let text = texts.find(|text| !text.is_empty()).unwrap_or_default();
        text.split(' ').next().unwrap_or_default().to_owned()
    };
    Cut::first_of(&tree, 3).blocks().iter().map(word).collect()
}

#[test]
fn a_first_cut_parts_a_text_from_the_links_beside_it_however_small_they_are() {
    let links: String = (1..9)
        .map(|at| format!("<li><a href={at}>Another headline, number {at}</a></li>"))
        .collect();
    let column = format!(
        "<div><h2>Story</h2><p>{0}</p><p>{0}</p></div><div><ul>{links}</ul></div>",
        SENTENCE.repeat(4)
    );
    let words = first_words(&portal(&column, &SENTENCE.repeat(9)));
    assert!(words.contains(&"Story".to_owned()), "{words:?}");
    assert!(words.contains(&"Another".to_owned()), "{words:?}");
}

#[test]
fn a_first_cut_leaves_questions_in_a_long_text_together() {
    let questions: String = (1..50)
        .map(|_| format!("<p><b>Question and nothing more?</b></p><p>{}</p>", SENTENCE.repeat(2)))
        .collect();
    let html = portal(&format!("<h1>Title</h1>{questions}"), SENTENCE);
    let words = first_words(&html);
    assert!(!words.contains(&"Question".to_owned()), "{words:?}");
}

#[test]
fn an_empty_menu_is_no_heading_of_the_page_below_it() {
    let html = format!(
        "<body><nav><h2>Menu</h2></nav><div><div><h1>News</h1><p>{0}</p><p>{0}</p></div>\
         <footer>Imprint of this site, and more on those who make it, in a few lines</footer></div>",
        SENTENCE.repeat(20)
    );
    assert_eq!(first_words(&html), ["Menu", "News", "Imprint"]);
}

#[test]
fn what_folds_out_of_a_menu_stays_in_it() {
    let flyout: String = (1..6)
        .map(|at| {
            let teaser =
                "<div><a href=s><img src=a>A story that one should read, and soon</a></div>";
            format!("<li><a href={at}>Part</a><div>{}</div></li>", teaser.repeat(6))
        })
        .collect();
    let html = format!(
        "<body><header><h1>Site</h1><nav><ul>{flyout}</ul></nav></header><main><p>Main {SENTENCE}</main>"
    );
    assert_eq!(first_words(&html), ["Site", "Part", "Main"]);
}

#[test]
fn a_rule_at_the_end_of_a_box_parts_it_from_the_next() {
    let story = "<p><a href=x>A story of the day, or of the week</a></p>";
    let html = format!(
        "<body><div><h1>Site</h1><hr></div><div><p><a href=y>Lead of the day</a></p></div>\
         <div><div>{0}</div><div>{0}</div></div>",
        story.repeat(12)
    );
    assert_eq!(first_words(&html), ["Site", "Lead", "A", "A"]);
}

#[test]
fn a_headline_stays_with_its_text_over_author_and_ways_to_share() {
    let share: String = (1..10).map(|at| format!("<a href={at}>Share</a> ")).collect();
    let html = format!(
        "<body><nav><a href=/>Home</a></nav><div><div><h1>News</h1><div>{share}</div></div>\
         <div>By somebody</div><div><p>{0}</p><h3>More</h3><p>{0}</p></div>\
         <aside>Aside of this there is {1}</aside></div>",
        SENTENCE.repeat(9),
        SENTENCE.repeat(5)
    );
    assert_eq!(first_words(&html), ["Home", "News", "Aside"]);
}
