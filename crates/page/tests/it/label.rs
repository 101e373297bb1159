//! What blocks are for.

use page::block::{Label, Labeller, Labels, Lines, partition};
use page::tree::parse_str;

/// The label of the first element whose `id` is `x`.
fn label(html: &str) -> Label {
    let dom = parse_str(html).dom;
    let node = dom.elements().find(|node| node.attribute("id") == Some("x")).unwrap();
    let lines = Lines::new(&dom, None);
    Labeller::new(&lines).label(node.id().0..node.end().0)
}

/// A page of news around a part of it.
fn news(part: &str) -> String {
    let paragraph = "<p>The ferry crossed the strait at night, and the crew said that it had never been \
        so late. It was the storm, they said, which had followed them to the harbour wall.</p>";
    format!(
        "<title>Ferry late</title><header><a href=/><img src=l></a> The Port</header>\
         <div><h1>Ferry late again</h1>{}{part}{}</div>",
        paragraph.repeat(3),
        paragraph.repeat(3)
    )
}

#[test]
fn a_list_of_links_in_a_nav_is_navigation() {
    assert_eq!(
        label("<nav id=x><a href=/1>Home</a> <a href=/2>Ships</a></nav><p>x"),
        Label::Navigation
    );
}

#[test]
fn short_links_are_navigation_also_without_a_nav() {
    let links: String = (0..8).map(|n| format!("<li><a href=/{n}>Place {n}</a></li>")).collect();
    assert_eq!(label(&news(&format!("<ul id=x>{links}</ul>"))), Label::Navigation);
}

#[test]
fn the_text_of_an_article_is_main_and_so_is_its_headline() {
    assert_eq!(
        label(&news("<p id=x>Nobody on the ferry had slept, and few of them spoke.</p>")),
        Label::Main
    );
    assert_eq!(label(&news("").replace("<h1>", "<h1 id=x>")), Label::Main);
}

#[test]
fn a_block_that_holds_the_text_is_main_whatever_else_it_holds() {
    let links: String = (0..30).map(|n| format!("<a href=/{n}>Place number {n}</a> ")).collect();
    assert_eq!(label(&format!("<div id=x><div>{links}</div>{}</div>", news(""))), Label::Main);
}

#[test]
fn teasers_are_a_list_and_so_is_each_of_them() {
    let teaser = |n: usize, id: &str| {
        format!(
            "<li{id}><a href=/{n}>Story number {n} from the port today</a><p>A line about it.</p></li>"
        )
    };
    let all: String = (0..6).map(|n| teaser(n, "")).collect();
    assert_eq!(label(&news(&format!("<ul id=x>{all}</ul>"))), Label::List);
    let many = all.repeat(3);
    assert_eq!(label(&format!("<ul>{many}{}{many}</ul>", teaser(9, " id=x"))), Label::List);
    assert_eq!(label(&news(&format!("<h3 id=x>More</h3><ul>{all}</ul>"))), Label::List);
}

#[test]
fn what_readers_say_is_comments() {
    let said = "<p>I was on that ferry and it was not late at all, whatever they say.</p>";
    assert_eq!(label(&news(&format!("<div class=comments id=x>{said}</div>"))), Label::Comments);
    let by_type = format!("<div itemscope itemtype='https://schema.org/Comment' id=x>{said}</div>");
    assert_eq!(label(&news(&by_type)), Label::Comments);
    assert_eq!(
        label(&news(&format!("<section id=x><h2>3 Kommentare</h2>{said}{said}</section>"))),
        Label::Comments
    );
}

#[test]
fn something_to_fill_in_is_a_form() {
    assert_eq!(label("<form id=x><input name=q><button>Search</button></form><p>x"), Label::Form);
    assert_eq!(label("<div role=search id=x><label>Find <input></label></div><p>x"), Label::Form);
}

#[test]
fn adverts_are_told_by_their_conventions_in_several_languages() {
    for part in [
        "<ins class=adsbygoogle data-ad-slot=1 id=x></ins>",
        "<div id=x><iframe width=728 height=90 src=/f></iframe></div>",
        "<div id=x><small>Anzeige</small><a href=/b>Buy a boat now</a></div>",
        "<div id=x><small>Advertisement</small><a href=/b>Buy a boat now</a></div>",
        "<div id=x><span>广告</span><a href=/b><img src=b></a></div>",
        "<div class=sponsored id=x><a href=/b>Buy a boat</a></div>",
    ] {
        assert_eq!(label(&news(part)), Label::Advert, "{part}");
    }
}

#[test]
fn pictures_with_at_most_a_caption_are_media() {
    for part in [
        "<figure id=x><img src=a><figcaption>The ferry at the pier, last night.</figcaption></figure>",
        "<div id=x><video src=a></video></div>",
        "<div id=x><img src=a></div>",
    ] {
        assert_eq!(label(&news(part)), Label::Media, "{part}");
    }
}

#[test]
fn the_edges_of_a_page_are_header_and_footer() {
    assert_eq!(label(&news("").replace("<header>", "<header id=x>")), Label::Header);
    assert_eq!(
        label(&(news("") + "<footer id=x><a href=/i>Imprint</a> <a href=/p>Privacy</a></footer>")),
        Label::Footer
    );
    assert_eq!(
        label(&(news("") + "<div id=x>© 2024 The Port. All rights reserved.</div>")),
        Label::Footer
    );
    assert_eq!(label(&(news("") + "<div id=x>版权所有 港口新闻网</div>")), Label::Footer);
}

#[test]
fn the_footer_of_an_article_is_not_that_of_the_page() {
    let html = "<article><p>One.</p><footer id=x>Filed under ships</footer></article>";
    assert_ne!(label(&(html.to_owned() + &news(""))), Label::Footer);
}

#[test]
fn a_class_on_a_wrapper_of_everything_says_nothing() {
    let html = format!(
        "<div class='sidebar-left comments-open'>{}</div>",
        news("<p id=x>Nobody slept, and few of them spoke a word.</p>")
    );
    assert_eq!(label(&html), Label::Main);
}

#[test]
fn tools_and_empty_boxes_are_other() {
    assert_eq!(label(&news("<div class=share id=x><a href=/f>Share</a></div>")), Label::Other);
    assert_eq!(label("<div id=x></div>"), Label::Other);
}

#[test]
fn every_block_has_a_label_and_labels_are_read_as_they_are_written() {
    let dom = parse_str(&news("<nav><a href=/>Home</a></nav>")).dom;
    let tree = partition(&dom, None);
    let labels = Labels::new(&Lines::new(&dom, None), &tree);
    assert_eq!(labels.of(page::block::BlockAt::PAGE), Label::Main);
    for label in Label::ALL {
        assert_eq!(label.to_string().parse(), Ok(label));
    }
    let error = "Main".parse::<Label>().unwrap_err().to_string();
    assert!(error.contains("use header, navigation, main"), "{error}");
}

#[test]
fn what_a_style_hides_is_told_by_what_it_will_show() {
    let form = "<form id=x style='display:none'><label>Password <input type=password></label>\
        <label>Name <input></label><button>Login</button></form>";
    assert_eq!(label(&news(form)), Label::Form);
}
