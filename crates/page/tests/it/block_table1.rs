//! The functional rows of the paper's table 1, each a test named after it, and what parts regions.

use std::time::{Duration, Instant};

use page::block::{BlockAt, BlockTree, Cut, partition};
use page::tree::{Dom, NodeId, parse_str, visible_text_of};

/// The visible text of each block of a cut, a space for every gap.
fn texts(dom: &Dom, tree: &BlockTree, cut: &Cut) -> Vec<String> {
    let text = |at: &BlockAt| {
        let block = tree.block(*at);
        let mut words = String::new();
        let mut node = block.first;
        while node < block.end {
            words.push_str(&visible_text_of(dom.node(node)));
            words.push(' ');
            node = dom.node(node).end();
        }
        words.split_whitespace().collect::<Vec<_>>().join(" ")
    };
    cut.blocks().iter().map(text).collect()
}

fn cut(html: &str, level: u16) -> Vec<String> {
    let dom = parse_str(html).dom;
    let tree = partition(&dom, None);
    texts(&dom, &tree, &Cut::at_level(&tree, level))
}

/// A paragraph that begins with a word.
fn paragraph(word: &str) -> String {
    format!(
        "{word} is what this paragraph is about, and it says so at some length, because a paragraph \
         is more than a line and is read as a whole, from its first word to its last one."
    )
}

/// How the texts of blocks begin.
fn first_words(texts: &[String]) -> Vec<&str> {
    texts.iter().map(|text| text.split(' ').next().unwrap_or_default()).collect()
}

/// A page with a head, a menu, an article and a foot.
fn article(body: &str) -> String {
    let menu: String = (1..9).map(|at| format!("<li><a href=/{at}>Topic {at}</a></li>")).collect();
    format!(
        "<title>Headline of the day - Site</title><body><div><header><a href=/>Site</a> \
         <form><input name=q></form></header><nav><ul>{menu}</ul></nav>{body}<footer>Imprint and rights</footer></div>"
    )
}

#[test]
fn pages_whose_layouts_change_frequently() {
    let body = format!(
        "<h1>Headline of the day</h1><p>{}</p><p>{}</p>",
        paragraph("One"),
        paragraph("Two")
    );
    let layouts = [
        article(&format!("<main><article>{body}</article></main>")),
        article(&format!("<div><div><div>{body}</div></div></div>")),
        article(&format!("<table><tr><td>{body}</td></tr></table>")),
        article(&format!("<div class=a><div class=b></div><section>{body}</section></div>")),
    ];
    let blocks: Vec<Vec<String>> = layouts.iter().map(|page| cut(page, 3)).collect();
    assert_eq!(first_words(&blocks[0]), ["Site", "Topic", "Headline", "Imprint"]);
    assert!(blocks.iter().all(|of| *of == blocks[0]), "{blocks:#?}");
}

#[test]
fn pages_which_have_tiny_change() {
    let page = |word: &str| {
        article(&format!(
            "<main><h1>News</h1><p>{}</p><p>{}</p></main>",
            paragraph("One"),
            paragraph(word)
        ))
    };
    for level in 1..7 {
        let (old, new) = (cut(&page("Two"), level), cut(&page("Three"), level));
        let differ = old.iter().zip(&new).filter(|(old, new)| old != new).count();
        assert_eq!((old.len(), differ), (new.len(), 1), "level {level}");
    }
}

#[test]
fn pages_whose_structures_are_abnormally_complex() {
    // Tables in tables in tables, two cells each, and much deeper than any page is.
    let mut nested = "x".to_owned();
    for _ in 0..12 {
        nested = format!("<table><tr><td>{nested}</td><td>{nested}</td></tr></table>");
    }
    let deep = format!("{}{}", "<div>".repeat(5_000), "<p>text</p>".repeat(50));
    let wide = "<div><b>a</b><i>b</i></div>".repeat(30_000);
    let formats = format!("{}text{}", "<font>".repeat(400), "<br><br>text".repeat(500));
    for html in [nested, deep, wide, formats] {
        let dom = parse_str(&html).dom;
        let start = Instant::now();
        let tree = partition(&dom, None);
        // A microsecond a node, with room for a slow machine and a build without optimisation.
        let most = Duration::from_micros(50 * dom.node_count() as u64 + 50_000);
        assert!(start.elapsed() < most, "{} nodes took {:?}", dom.node_count(), start.elapsed());
        assert!(tree.blocks().len() <= dom.node_count());
    }
}

#[test]
fn pages_whose_structures_are_abnormally_simple() {
    for html in
        ["", "<p>", "word", "<p>one line</p>", "<img src=a.png>", "<script>s()</script>", "<body>"]
    {
        let dom = parse_str(html).dom;
        let tree = partition(&dom, None);
        assert_eq!(tree.blocks().len(), 1, "{html}");
        assert_eq!(Cut::at_level(&tree, 3).blocks(), [BlockAt::PAGE], "{html}");
    }
}

#[test]
fn pages_which_include_many_scripts() {
    let body = format!("<main><h1>News</h1><p>{}</p></main>", paragraph("One"));
    let plain = article(&body);
    let noise = "<script>track()</script><style>p{}</style><noscript><img src=t></noscript><template><p>t</template>";
    let scripted =
        plain.replace("<nav>", &format!("{noise}<nav>")).replace("<p>", &format!("{noise}<p>"));
    let scripted = scripted.replace("</div>", &format!("{noise}</div>{noise}"));
    for level in 0..6 {
        assert_eq!(cut(&scripted, level), cut(&plain, level), "level {level}");
    }
}

#[test]
fn pages_which_include_text_mostly() {
    let names: Vec<String> = (1..=30).map(|at| format!("Part{at:02}")).collect();
    let each = |of: &dyn Fn(&String) -> String| names.iter().map(of).collect::<String>();
    // With headings, cut at them.
    let headings = each(&|name| {
        format!("<h2>{name}</h2><p>{}</p><p>{}</p>", paragraph(name), paragraph("More"))
    });
    assert_eq!(first_words(&cut(&headings, 1)), names);
    let bold = each(&|name| format!("<b>{name}</b><br>{}<br><br>", paragraph("Text")));
    let found = cut(&bold, 1);
    assert!(names.iter().all(|name| found.iter().any(|text| text.starts_with(name))), "{found:#?}");
    // Without, into runs of a few paragraphs.
    for html in [
        each(&|name| format!("<p>{}</p>", paragraph(name))),
        format!("<div><font>{}</font></div>", each(&|name| format!("{}<br><br>", paragraph(name)))),
    ] {
        let runs = cut(&html, 1);
        assert!((4..=15).contains(&runs.len()), "{} runs", runs.len());
        assert_eq!(cut(&html, 9).len(), 30, "and then into paragraphs");
        assert_eq!(
            runs.join(" ").split_whitespace().count(),
            cut(&html, 9).join(" ").split_whitespace().count()
        );
    }
    // One text cannot be cut.
    for html in
        [format!("<pre>{}</pre>", paragraph("Pre\n\n").repeat(40)), paragraph("Plain").repeat(40)]
    {
        assert_eq!(cut(&html, 5).len(), 1);
    }
}

#[test]
fn a_paragraph_that_is_inserted_moves_the_borders_of_few_runs() {
    let text = |extra: &str| -> String {
        let paragraphs =
            (1..=60).map(|at| format!("<p>{}</p>", paragraph(&format!("{at}-{}", at * 7919 % 61))));
        extra.to_owned() + &paragraphs.collect::<String>()
    };
    let old = cut(&text(""), 1);
    let new = cut(&text(&format!("<p>{}</p>", paragraph("Inserted"))), 1);
    let kept = old.iter().filter(|run| new.contains(run)).count();
    assert!(kept + 3 >= old.len(), "{kept} of {} runs kept", old.len());
}

#[test]
fn pages_which_include_a_lot_of_blanks() {
    let plain =
        "<table><tr><td><a href=1>One</a></td></tr></table><table><tr><td>Two</td></tr></table>";
    let blank = "&nbsp;<p>&nbsp;</p><img src=s.gif width=1 height=20><div> </div><br>\u{3000}<span></span><div><div></div></div>";
    let blanks = format!(
        "{blank}{}{blank}",
        plain
            .replace("<table>", &format!("{blank}<table>"))
            .replace("<td>", &format!("<td>{blank}"))
    );
    assert_eq!(cut(&blanks, 1), ["One", "Two"]);
    assert_eq!(cut(&blanks, 1), cut(plain, 1));
}

#[test]
fn the_fragmentary_pages() {
    assert_eq!(cut("<li>one<li>two<li>three", 1), ["one", "two", "three"]);
    assert_eq!(cut("<table><tr><td>a<td>b<tr><td>c<td>d</table>", 1), ["a b", "c d"]);
    assert_eq!(cut("</div></td>left<div>right", 1), ["left", "right"]);
    let cut_off =
        format!("<nav><a href=1>One</a></nav><main><h1>Title</h1><p>{}<div><ta", paragraph("Text"));
    assert_eq!(first_words(&cut(&cut_off, 1)), ["One", "Title"]);
}

#[test]
fn pages_which_contain_lots_of_images() {
    // A picture cut into slices by a table, as designers did.
    let row = |at: usize| {
        format!(
            "<tr><td><img src={at}a.gif></td><td><img src={at}b.gif></td><td><img src={at}c.gif></td></tr>"
        )
    };
    let sliced: String = (0..6).map(row).collect();
    let html = format!(
        "<table cellspacing=0>{sliced}</table><table><tr><td>{}</td></tr></table>",
        paragraph("Below")
    );
    let dom = parse_str(&html).dom;
    let tree = partition(&dom, None);
    assert_eq!(Cut::at_level(&tree, 1).blocks().len(), 2, "the picture is one block");
    // Pictures between text part it.
    let between = format!(
        "{}<br><img src=1.png><br>{}<br><img src=2.png><br>{}",
        paragraph("One"),
        paragraph("Two"),
        paragraph("Three")
    );
    let found = cut(&between, 9);
    assert_eq!(
        first_words(&found.into_iter().filter(|text| !text.is_empty()).collect::<Vec<_>>()),
        ["One", "Two", "Three"]
    );
}

#[test]
fn pages_by_great_partition_level() {
    let html = article(&format!("<main><h1>News</h1><p>{}</p></main>", paragraph("One")));
    let dom = parse_str(&html).dom;
    let tree = partition(&dom, None);
    let all = Cut::at_level(&tree, u16::MAX);
    assert!(all.blocks().iter().all(|at| tree.is_leaf(*at)));
    assert_eq!(
        all.blocks().len(),
        (0..tree.blocks().len() as u32).filter(|at| tree.is_leaf(BlockAt(*at))).count()
    );
}

#[test]
fn pages_by_small_partition_level() {
    let html = article(&format!("<main><h1>News</h1><p>{}</p></main>", paragraph("One")));
    let dom = parse_str(&html).dom;
    let tree = partition(&dom, None);
    assert_eq!(Cut::at_level(&tree, 0).blocks(), [BlockAt::PAGE]);
    assert_eq!(first_words(&cut(&html, 1)), ["Site", "Topic", "News", "Imprint"]);
}

#[test]
fn pages_by_unstable_partition_level() {
    let html = article(&format!(
        "<main><h1>News</h1><p>{}</p><ul><li>a<li>b<li>c</ul></main>",
        paragraph("One")
    ));
    let dom = parse_str(&html).dom;
    let tree = partition(&dom, None);
    let words = |level| texts(&dom, &tree, &Cut::at_level(&tree, level)).join(" ");
    let page = words(0);
    for level in [3, 1, 5, 2, 9, 4] {
        assert_eq!(words(level), page, "whatever the level, all is there");
        for at in Cut::at_level(&tree, level).blocks() {
            let around = Cut::at_level(&tree, level - 1).containing(&tree, tree.block(*at).first);
            assert!(around.is_some_and(|around| around <= *at), "cuts are nested");
        }
    }
}

#[test]
fn regions_parted_by_rules_breaks_media_and_frames_are_found() {
    let (one, two) = (paragraph("One"), paragraph("Two"));
    for seam in [
        "<hr>",
        "<br><br>",
        "<br>----------<br>",
        "<br>* * * * *<br>",
        "<br>_______<br>",
        "<video src=v></video>",
        "<canvas></canvas>",
        "<iframe src=f></iframe>",
        "<br><img src=i><br>",
        "<object data=o></object>",
        "<h2>Heading</h2>",
        "<br><br><b>Heading</b><br>",
        "<p>&nbsp;</p><hr noshade>",
    ] {
        let html = format!("<div>{one}{seam}{two}</div>");
        let found = cut(&html, 9);
        let of =
            |word: &str| found.iter().position(|text| text.contains(&format!("{word} is what")));
        assert!(of("One") < of("Two"), "{seam}: {found:#?}");
    }
}

#[test]
fn frames_and_shadow_roots_are_cut_into() {
    let mut builder = page::tree::DomBuilder::new();
    let none = || std::iter::empty::<(&str, &str)>();
    builder.open("body", none());
    builder.open("x-app", none());
    builder.open_shadow_root();
    for word in ["One", "Two"] {
        builder.open("div", none());
        builder.text(&paragraph(word));
        builder.close();
    }
    builder.close();
    builder.close();
    builder.open("iframe", none());
    builder.open_document();
    for word in ["Three", "Four"] {
        builder.open("section", none());
        builder.open("h2", none());
        builder.text(word);
        builder.close();
        builder.text(&paragraph(word));
        builder.close();
    }
    let dom = builder.finish();
    let tree = partition(&dom, None);
    let all = texts(&dom, &tree, &Cut::at_level(&tree, 9));
    assert_eq!(first_words(&all), ["One", "Two", "Three", "Four"]);
    assert_eq!(Cut::at_level(&tree, 1).blocks().len(), 2);
}

#[test]
fn a_link_around_boxes_is_never_cut() {
    let card = |at: usize| {
        format!("<a href=/{at}><div><h3>Headline {at}</h3><p>{}</p></div></a>", paragraph("Teaser"))
    };
    let cards: String = (1..=5).map(card).collect();
    let found = cut(&format!("<main>{cards}</main>"), 9);
    assert_eq!(found.len(), 5);
    assert!(found.iter().all(|text| text.starts_with("Headline") && text.ends_with("last one.")));
}

#[test]
fn a_headline_stays_with_its_text_whatever_its_markup() {
    let body = format!(
        "<p>{}</p><p>{}</p><p>{}</p>",
        paragraph("One"),
        paragraph("Two"),
        paragraph("Three")
    );
    for head in [
        "<h1>Headline of the day</h1>",
        "<div class=t>Headline of the day</div><div class=m>Monday, by Someone</div>",
        "<header><h1>Headline of the day</h1><p>Monday</p></header>",
        "<div><h2>Headline of the day</h2><span>Monday</span></div>",
    ] {
        for body in
            [body.clone(), format!("<div>{body}</div>"), format!("<div><div>{body}</div></div>")]
        {
            let page = article(&format!("<div>{head}{body}</div>"));
            for level in 1..=3 {
                let found = cut(&page, level);
                let with = found.iter().find(|text| text.contains("Headline of the day"));
                assert!(
                    with.is_some_and(|text| text.contains("Three is what")),
                    "{level} {head}: {found:#?}"
                );
            }
        }
    }
}

#[test]
#[ignore = "prints a measurement: run in release with --nocapture"]
fn cutting_takes_nanoseconds_a_node() {
    let story = format!(
        "<div class=c><a href=x><img src=i></a><h3><a href=x>Head</a></h3><p>{}</p></div>",
        paragraph("Text")
    );
    let section = format!("<section><h2>Section</h2>{}</section>", story.repeat(40));
    let dom = parse_str(&format!("<body><nav></nav><main>{}</main>", section.repeat(65))).dom;
    let start = Instant::now();
    let rounds = 20;
    for _ in 0..rounds {
        std::hint::black_box(partition(&dom, None));
    }
    let each = start.elapsed() / rounds;
    let nodes = dom.node_count();
    println!("{nodes} nodes, {each:?}, {} ns a node", each.as_nanos() / nodes as u128);
    assert!(dom.get(NodeId(0)).is_some());
}
