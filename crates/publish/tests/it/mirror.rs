//! The mirror of pages that were made to be difficult.

use std::collections::BTreeSet;

use browser::{Browser, LaunchOptions, TabOptions};
use page::tree::{Dom, Kind, parse_str, visible_text};
use publish::mirror::MirrorOptions;
use store::{Catalog, Millis, NewExchange};

use crate::stage::{Stage, answer};

fn folded(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn hrefs(tree: &Dom) -> BTreeSet<String> {
    let links = tree.elements().filter(|element| element.name() == "a");
    links.filter_map(|link| link.attribute("href")).map(str::to_owned).collect()
}

/// That no link holds another, and that the page shows what it showed.
fn is_sound(captured: &str, mirrored: &Dom) {
    for link in mirrored.elements().filter(|element| element.name() == "a") {
        assert!(link.ancestors().all(|outer| outer.name() != "a"), "{link:?}");
    }
    assert_eq!(folded(&visible_text(mirrored)), folded(&visible_text(&parse_str(captured).dom)));
}

#[tokio::test]
async fn whatever_element_leads_somewhere_becomes_a_link() {
    let elements = [
        ("<div onclick=f()>one</div>", "div[1]"),
        ("<span class=x>one</span>", "span[1]"),
        ("<button>one <b>two</b></button>", "button[1]"),
        ("<ul><li>one</li></ul>", "ul[1]/li[1]"),
        ("<ul><li>one</li></ul>", "ul[1]"),
        ("<table><tr><td>one</td><td>two</td></tr></table>", "table[1]/tbody[1]/tr[1]"),
        ("<table><tr><td>one <a href=/x>two</a></td></tr></table>", "table[1]/tbody[1]/tr[1]"),
        ("<table><tr><td>one</td></tr></table>", "table[1]/tbody[1]"),
        ("<table><tr><td>one</td></tr></table>", "table[1]"),
        ("<img src=a.png>", "img[1]"),
        ("<svg><rect></rect></svg>", "svg[1]/rect[1]"),
        ("<svg><text>one</text></svg>", "svg[1]"),
        ("<input type=submit value=Go>", "input[1]"),
        ("<input type=checkbox>one", "input[1]"),
        ("<a href='javascript:f(1)'>one</a>", "a[1]"),
        ("<a href=/elsewhere>one <span>two</span></a>", "a[1]/span[1]"),
        ("<div>one <a href=/elsewhere>two</a></div>", "div[1]"),
        ("<label>one <input></label>", "label[1]"),
        ("<details open><summary>one</summary>two</details>", "details[1]/summary[1]"),
        ("<form><p>one</p></form>", "form[1]"),
        ("<canvas></canvas>", "canvas[1]"),
        ("<h2>one</h2>", "h2[1]"),
        ("<p>one</p>", "p[1]"),
    ];
    for (html, xpath) in elements {
        let stage = Stage::new(html, &[]).await;
        let to = stage.leads("click", &format!("/html/body/{xpath}"), "target").await;
        let mirrored = stage.mirror().await;
        let tree = mirrored.tree(&format!("{}.html", stage.home));
        assert!(hrefs(&tree).contains(&format!("{to}.html")), "{html}: {tree:?}");
        is_sound(html, &tree);
        assert_eq!(mirrored.report.broken_links, 0);
    }
}

#[tokio::test]
async fn one_element_may_lead_to_several_states() {
    let html = "<select><option value=1>one<option value=2>two<option>three</select>\
                <input name=page><div>menu</div><p>end";
    let stage = Stage::new(html, &[]).await;
    let mut targets = BTreeSet::new();
    for (event, xpath) in [
        ("change=1", "/html/body/select[1]"),
        ("change=three", "/html/body/select[1]"),
        ("change=7", "/html/body/input[1]"),
        ("change=8", "/html/body/input[1]"),
        ("click", "/html/body/div[1]"),
        ("mouseover", "/html/body/div[1]"),
        ("scroll", "/html"),
        ("click", "/html/body/em[5]"),
    ] {
        let to = stage.leads(event, xpath, &format!("{event} {xpath}")).await;
        targets.insert(format!("{to}.html"));
    }
    let mirrored = stage.mirror().await;
    let tree = mirrored.tree(&format!("{}.html", stage.home));
    assert_eq!(hrefs(&tree), targets);
    is_sound(html, &tree);
    assert_eq!(mirrored.report.script_links, 8);
}

#[tokio::test]
async fn nothing_that_acts_or_loads_from_elsewhere_survives() {
    let html = r##"<html manifest="x"><head><base href="http://evil.example/"><meta http-equiv="refresh" content="0;url=http://evil.example">
        <link rel="preload" href="http://evil.example/p"><script src="http://evil.example/s.js"></script>
        <style>@import "http://evil.example/c.css"; p{background:url(http://evil.example/b.png)}</style></head>
        <body onload="f()" background="http://evil.example/bg.png"><noscript>not shown</noscript>
        <p style="background:url('http://evil.example/i.png')" onclick="f()">text</p>
        <a href=" java&#10;script:f()">a</a><a href="data:text/html,<script>f()</script>">b</a>
        <form action="http://evil.example/f"><button formaction="http://evil.example/g">go</button></form>
        <iframe src="http://evil.example/frame" srcdoc="<script>f()</script>"></iframe>
        <object data="http://evil.example/o"></object><embed src="http://evil.example/e">
        <svg><script>f()</script><use href="http://evil.example/u.svg#a"/><set attributeName="href" to="javascript:f()"/><a xlink:href="javascript:f()">c</a></svg>
        <img src="http://evil.example/x.png" srcset="http://evil.example/y.png 2x" onerror="f()">
        <video src="http://evil.example/v.mp4" poster="http://evil.example/v.png" autoplay></video></body></html>"##;
    let stage = Stage::new(html, &[]).await;
    let mirrored = stage.mirror().await;
    let text = mirrored.read(&format!("{}.html", stage.home));
    let tree = parse_str(&text).dom;
    assert!(!text.contains("evil.example"), "{text}");
    assert!(!text.contains("f()") && !text.contains("<script"), "{text}");
    assert_eq!(folded(&visible_text(&tree)), "text ab go c");
    assert!(mirrored.report.missing_assets >= 7, "{:?}", mirrored.report);
}

#[tokio::test]
async fn assets_lie_beside_the_pages_and_sheets_point_at_each_other() {
    let html = r#"<head><link rel=stylesheet href=/css/main.css><style>b{background:url(/pic.png)}</style></head>
        <body><img src=pic.png srcset="/pic.png 1x, /gone.png 2x"><picture><source srcset=/gone.webp><img src=/pic.png></picture>
        <p style="background:url(pic.png)">x</p><img src=/draw.svg><img src=/gone.png alt=gone></body>"#;
    let stage = Stage::new(
        html,
        &[
            ("css/main.css", "text/css", b"@import 'more.css'; p{background:url(../pic.png)}"),
            ("css/more.css", "text/css; charset=gbk", b"p::after{content:'\xc4\xe3'}"),
            ("pic.png", "image/png", b"\x89PNG"),
            ("draw.svg", "image/svg+xml", b"<svg xmlns='http://www.w3.org/2000/svg' onload='f()'><script>f()</script><rect/></svg>"),
        ],
    )
    .await;
    let mirrored = stage.mirror().await;
    assert_eq!((mirrored.report.assets, mirrored.report.missing_assets), (4, 1));
    let page = mirrored.read(&format!("{}.html", stage.home));
    let files: Vec<_> = std::fs::read_dir(mirrored.at.join("asset"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    let of = |extension: &str| files.iter().filter(|name| name.ends_with(extension)).count();
    assert_eq!((of(".css"), of(".png"), of(".svg")), (2, 1, 1), "{files:?}");
    let sheets: String = files
        .iter()
        .filter(|name| name.ends_with(".css"))
        .map(|name| mirrored.read(&format!("asset/{name}")))
        .collect();
    let picture = files.iter().find(|name| name.ends_with(".png")).unwrap();
    assert!(sheets.contains(&format!("url(\"{picture}\")")), "{sheets}");
    assert!(sheets.contains("content:'你'"), "read in its own charset: {sheets}");
    assert!(page.contains(&format!("asset/{picture}")) && !page.contains("/gone"), "{page}");
    let drawing = files.iter().find(|name| name.ends_with(".svg")).unwrap();
    assert!(!mirrored.read(&format!("asset/{drawing}")).contains("f()"));
}

#[tokio::test]
async fn the_latest_answer_that_holds_something_is_the_one_that_is_shown() {
    let html = "<body><img src=/pic.png><img src=/moved.png></body>";
    let stage = Stage::new(html, &[]).await;
    let at = |time: i64, path: &str, status: u16, body: &[u8]| NewExchange {
        time: Millis(time),
        status: Some(status),
        ..answer(path, "image/png", body)
    };
    let mut moved = at(1, "moved.png", 302, b"");
    moved.response_headers.push(("Location".into(), "/pic.png#there".into()));
    let mut fetched = at(9, "pic.png", 200, b"for a script");
    fetched.resource = "fetch".into();
    let mut step = crate::stage::visit(stage.home, html);
    step.exchanges = vec![
        at(2, "pic.png", 200, b"second"),
        at(1, "pic.png", 200, b"first"),
        at(3, "pic.png", 404, b"gone"),
        at(4, "pic.png", 304, b""),
        fetched,
        moved,
    ];
    stage.catalog.commit_visit(step).await.unwrap();
    let mirrored = stage.mirror().await;
    assert_eq!(mirrored.report.missing_assets, 0);
    let assets = std::fs::read_dir(mirrored.at.join("asset")).unwrap();
    let bytes: Vec<_> = assets.map(|file| std::fs::read(file.unwrap().path()).unwrap()).collect();
    assert_eq!(bytes, [b"second", b"second"], "one for each address, and both the latest");
}

#[tokio::test]
async fn an_asset_whose_bytes_are_damaged_is_lost_alone() {
    let pictures: [(&str, &str, &[u8]); 2] =
        [("a.png", "image/png", b"\x89PNG whole"), ("b.png", "image/png", b"\x89PNG broken")];
    let stage = Stage::new("<img src=/a.png><img src=/b.png>", &pictures).await;
    let directory = stage.directory.path().join("store");
    drop(stage.catalog);
    let file = directory.join("catalog.sqlite3");
    let mut bytes = std::fs::read(&file).unwrap();
    let at = bytes.windows(11).position(|part| part == b"\x89PNG broken").unwrap();
    bytes[at] = 0;
    std::fs::write(&file, bytes).unwrap();

    let catalog = Catalog::open(&directory).unwrap();
    let to = stage.directory.path().join("mirror");
    let report = publish::mirror::mirror(&catalog, &MirrorOptions::new(&to), |_, _| {}).await;
    let report = report.unwrap();
    assert_eq!((report.assets, report.missing_assets), (2, 1));
    let assets = std::fs::read_dir(to.join("asset")).unwrap();
    let mut bytes: Vec<_> =
        assets.map(|file| std::fs::read(file.unwrap().path()).unwrap()).collect();
    bytes.sort();
    assert_eq!(bytes, [&b""[..], b"\x89PNG whole"]);
}

#[tokio::test]
async fn links_to_other_pages_are_files_and_all_others_say_so() {
    let html = "<a href=/a#part>captured</a><a href=/b>not captured</a><a href=http://other.example/>other</a>\
                <a href=mailto:x@y.example>mail</a><a href=#top>here</a><a href=/moved>moved</a>";
    let stage = Stage::new(html, &[]).await;
    let mut step = crate::stage::visit(stage.home, html);
    step.links = ["a", "b", "moved"]
        .iter()
        .enumerate()
        .map(|(at, path)| {
            let xpath = format!("/html/body/a[{}]", at + 1);
            crate::stage::link(&format!("{}{path}", crate::stage::HOME), &xpath)
        })
        .collect();
    stage.catalog.commit_visit(step).await.unwrap();
    let find = async |path: &str| {
        let url = format!("{}{path}", crate::stage::HOME);
        stage.catalog.find(&url).await.unwrap().unwrap().page
    };
    let (a, moved) = (find("a").await, find("moved").await);
    stage.catalog.commit_visit(crate::stage::visit(a, "<p>a")).await.unwrap();
    let mut redirect = crate::stage::visit(moved, "");
    let to = Some(format!("{}a", crate::stage::HOME));
    redirect.outcome = store::VisitOutcome::Redirect { http_status: 301, to };
    stage.catalog.commit_visit(redirect).await.unwrap();
    let mirrored = stage.mirror().await;
    let tree = mirrored.tree(&format!("{}.html", stage.home));
    let links: Vec<_> = tree
        .elements()
        .filter(|element| element.name() == "a")
        .map(|link| (link.attribute("href").unwrap(), link.attribute("class").is_some()))
        .collect();
    let page = format!("{a}.html");
    assert_eq!(
        links,
        [
            (&*format!("{page}#part"), false),
            ("http://site.example/b", true),
            ("http://other.example/", true),
            ("mailto:x@y.example", true),
            ("#top", false),
            (&page, false),
        ]
    );
    assert_eq!((mirrored.report.outside_links, mirrored.report.missing_pages), (3, 1));
    let listed = mirrored.read("outside.html");
    assert!(listed.contains("http://other.example/") && listed.contains("http://site.example/b"));
}

#[tokio::test]
async fn a_link_in_a_frame_changes_the_whole_page_also_when_opened_from_disk() {
    use page::tree::{DomBuilder, serialise};
    let mut builder = DomBuilder::new();
    builder.open("html", []);
    builder.open("body", []);
    builder.text("outer");
    builder.open("iframe", [("src", "/inner")]);
    builder.open_document();
    builder.open("html", []);
    builder.open("body", []);
    builder.open("div", [("id", "go")]);
    builder.text("inner");
    let dom = builder.finish();
    let stage = Stage::new("<p>first", &[]).await;
    let mut step = crate::stage::visit(stage.home, "");
    if let store::VisitOutcome::Captured(capture) = &mut step.outcome {
        capture.snapshot = Some(serialise(&dom).into_bytes());
    }
    stage.catalog.commit_visit(step).await.unwrap();
    let xpath = "/html/body/iframe[1]/document()/html/body/div[1]";
    let to = stage.leads("click", xpath, "the state behind the frame").await;
    let mirrored = stage.mirror().await;
    assert_eq!(mirrored.report.frames, 1);
    let framed = mirrored.tree(&format!("{}.1.html", stage.home));
    assert_eq!(hrefs(&framed), BTreeSet::from([format!("{to}.html")]));

    let browser = Browser::launch(LaunchOptions::default()).await.unwrap();
    let mut tab = browser.tab(TabOptions::default()).await.unwrap();
    let open = |name: String| url::Url::from_file_path(mirrored.at.join(name)).unwrap();
    tab.navigate(&open(format!("{}.html", stage.home))).await.unwrap();
    let shown = tab.walk().await.unwrap().dom;
    assert_eq!(folded(&visible_text(&shown)), "outer inner");
    assert!(shown.nodes().filter(|node| node.kind() == Kind::Document).count() == 2);
    let link = "/html/body/iframe[1]/document()/html/body/div[1]/a[1]";
    let fired = tab.fire(&browser::Action::new(link, "click")).await.unwrap();
    let led: Vec<_> = fired.happenings.navigations.iter().map(|to| to.url.clone()).collect();
    assert_eq!(led, [open(format!("{to}.html")).to_string()]);
    browser.close().await;
}
