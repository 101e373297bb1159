//! The pictures of a graph whose every text is hostile.

use browser::{Browser, LaunchOptions, TabOptions};
use page::tree::{parse_str, visible_text};
use publish::graph::Format;
use store::PageNumber;

use crate::stage::Stage;

const HOSTILE: &str = "</script><script>document.title='owned'</script><!--\"'&\u{0}\u{1b}";

async fn hostile() -> (Stage, PageNumber) {
    let stage = Stage::new(&format!("<title>{HOSTILE}</title><p>x"), &[]).await;
    let second = stage.leads("click", "/html/body/p[1]", HOSTILE).await;
    let third = stage.leads_from(second, "click", "/html/body/p[2]", "third").await;
    stage.refuses("/html/body/p[3]", HOSTILE, HOSTILE).await;
    (stage, third)
}

#[tokio::test]
async fn an_svg_is_well_formed_whatever_pages_say_and_shows_the_way() {
    let (stage, third) = hostile().await;
    let svg = stage.graph(Format::Svg, Some(third)).await;
    let document = roxmltree::Document::parse(&svg).unwrap();
    let with_class = |wanted: &'static str| {
        document.descendants().filter(move |node| {
            let class = node.attribute("class").unwrap_or_default();
            class.split(' ').any(|own| own == wanted)
        })
    };
    assert_eq!(with_class("b").filter(|b| b.attribute("class") == Some("b")).count(), 0);
    // Three in the row of the way, three in the graph; two lines in each.
    assert_eq!(
        with_class("way")
            .filter(|node| node.has_tag_name(("http://www.w3.org/2000/svg", "g")))
            .count(),
        6
    );
    assert_eq!(
        with_class("way")
            .filter(|node| node.has_tag_name(("http://www.w3.org/2000/svg", "path")))
            .count(),
        4
    );
    assert!(svg.contains("Refused events (1)"));
    assert!(!svg.contains("<script"));
}

#[tokio::test]
async fn a_page_that_is_not_in_the_graph_cannot_be_highlighted() {
    let (stage, _) = hostile().await;
    let options = publish::graph::GraphOptions {
        to: Some(PageNumber(999)),
        ..publish::graph::GraphOptions::new(Format::Svg)
    };
    let refused = publish::graph::write(&stage.catalog, &options, &mut Vec::new()).await;
    assert!(matches!(refused, Err(publish::PublishError::NotInGraph(999))));
}

#[tokio::test]
async fn the_html_needs_nothing_and_runs_nothing_of_a_page() {
    let (stage, third) = hostile().await;
    let html = stage.graph(Format::Html, Some(third)).await;
    let scripts = parse_str(&html).dom.elements().filter(|e| e.name() == "script").count();
    assert_eq!(scripts, 2, "the data and the program");
    assert!(!html.contains("http://") || !html.contains("src="), "nothing is loaded");
    let file = stage.path().join("graph.html");
    std::fs::write(&file, &html).unwrap();

    let browser = Browser::launch(LaunchOptions::default()).await.unwrap();
    let mut tab = browser.tab(TabOptions::default()).await.unwrap();
    tab.navigate(&url::Url::from_file_path(&file).unwrap()).await.unwrap();
    let walk = tab.walk().await.unwrap();
    browser.close().await;
    assert_eq!(walk.title, "State-transition graph: 3 pages");
    let shown = visible_text(&walk.dom);
    assert!(shown.contains("The way here (2 steps)"), "{shown}");
    assert!(shown.contains("</script>"), "hostile text is text: {shown}");
}

#[tokio::test]
async fn a_graph_of_thousands_is_drawn_as_groups_with_patterns_on_the_arrows() {
    let stage = Stage::new("<p>x", &[]).await;
    for at in 1..=400 {
        stage.leads("click", &format!("/html/body/ul[1]/li[{at}]/a[1]"), &format!("s{at}")).await;
    }
    let svg = stage.graph(Format::Svg, None).await;
    let boxes = svg.matches("class=\"b\"").count();
    assert_eq!(boxes, 2, "the entry and the group of its 400 states");
    assert!(svg.contains("ul[1]/li[*]/a[1] ×400"), "{svg}");
}
