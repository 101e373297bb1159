//! The pages for people: what they show of a store.

use super::{in_query, most_changed, served};
use crate::archive::exported;
use crate::program::Scratch;

#[test]
fn the_start_page_lists_the_sites_and_leads_to_what_changed() {
    let exported = exported();
    let home = served().site.ok("/").text();
    let site = exported.pages[0]["site"].as_str().unwrap();
    assert!(home.contains(&format!("<a href=\"/site/{site}\">{site}</a>")), "{home}");
    assert!(home.contains("Latest changes") && home.contains("view=changes"), "{home}");
    let page = served().site.ok(&format!("/site/{site}")).text();
    for part in ["Page types", "What may be missing", "Refused", "/api/comments"] {
        assert!(page.contains(part), "{part}");
    }
    assert_eq!(served().site.get("/site/nowhere.example").status, 404);
}

#[test]
fn a_page_shows_its_versions_blocks_text_and_how_it_was_reached() {
    let state = exported().states().next().unwrap();
    let (number, key) = (state["page"].as_i64().unwrap(), state["key"].as_str().unwrap());
    let shown = served().site.ok(&format!("/page/{number}")).text();
    let escaped = key.replace('&', "&#38;");
    assert!(shown.contains(&escaped) && shown.contains("Only by events"), "{shown}");
    assert!(shown.contains("class=\"block"), "{shown}");
    let text = served().site.ok(&format!("/page/{number}?view=text")).text();
    let own = exported().scratch.run(&["show", key, "--as", "text"]).ok().to_owned();
    let line = own.lines().find(|line| line.len() > 30 && line.is_ascii()).unwrap();
    let line = line.replace('\'', "&#39;").replace('&', "&#38;").replace("&#38;#39;", "&#39;");
    assert!(text.contains(&line), "{line} in {text}");
    let about = served().site.ok(&format!("/page/{number}?view=about")).text();
    let step = &state["path"][0];
    assert!(about.contains("class=\"step\"") && about.contains(step["xpath"].as_str().unwrap()));
    for view in ["records", "exchanges", "replay"] {
        served().site.ok(&format!("/page/{number}?view={view}"));
    }
    assert_eq!(served().site.get("/page/99999999").status, 404);
    assert_eq!(served().site.get("/page/1x").status, 404);
}

#[test]
fn two_versions_are_compared_side_by_side_and_in_line() {
    let page = most_changed();
    let number = page["page"].as_i64().unwrap();
    let diff = exported().scratch.run(&["diff", &number.to_string(), "--json"]).json();
    let changed = &diff["changed"].as_array().unwrap().first().expect("something changed");
    let xpath = changed["xpath"].as_str().unwrap();
    let (from, to) = (&diff["from"]["version"], &diff["to"]["version"]);
    for look in ["side", "inline"] {
        let path = format!("/page/{number}/diff?from={from}&to={to}&look={look}");
        let shown = served().site.ok(&path).text();
        assert!(shown.contains(xpath) && shown.contains("<ins>"), "{look}: {shown}");
    }
    assert_eq!(served().site.get(&format!("/page/{number}/diff?from=1&to=99")).status, 404);
}

#[test]
fn records_are_filtered_and_sorted_by_the_address() {
    let records = exported().scratch.run(&["records", "--kind", "post", "--json"]).json_lines();
    let author = records[0]["author"].as_str().unwrap();
    let found = served().site.ok(&format!("/records?kind=post&q={}", in_query(author))).text();
    assert!(found.contains(author), "{found}");
    let none = served().site.ok("/records?kind=post&q=nobody-says-this").text();
    assert!(none.contains("Nothing was found."));
    let sorted = served().site.ok("/records?kind=post&sort=author").text();
    let mut authors: Vec<&str> = records.iter().filter_map(|r| r["author"].as_str()).collect();
    authors.sort_unstable();
    assert!(sorted.contains(authors[0]), "{} in {sorted}", authors[0]);
    assert_eq!(served().site.get("/records?kind=song").status, 400);
    let next = found_link(&served().site.ok("/records?kind=post").text(), "rel=\"next\"");
    assert_ne!(served().site.ok(&next).text(), sorted);
}

/// The address of the link with this attribute.
fn found_link(html: &str, attribute: &str) -> String {
    let at = html.find(attribute).unwrap_or_else(|| panic!("no {attribute} in {html}"));
    let from = html[..at].rfind("href=\"").unwrap() + "href=\"".len();
    html[from..].split('"').next().unwrap().replace("&#38;", "&").replace("&amp;", "&")
}

#[test]
fn pages_are_found_by_words_and_the_listing_goes_on() {
    let site = &served().site;
    let all = exported().pages.len();
    let first = site.ok("/pages").text();
    assert_eq!(first.matches("<td class=\"n\"><a").count(), 0);
    let rows = |html: &str| html.matches("class=\"title\" href=\"/page/").count();
    assert_eq!(rows(&first), all.min(50));
    let states = rows(&site.ok("/pages?reached=events").text());
    assert_eq!(states, exported().states().count().min(50));
    assert_eq!(rows(&site.ok("/pages?q=no%25such%5Fpage").text()), 0);
    let go = site.get("/go?key=1");
    assert_eq!((go.status, go.header("location")), (303, Some("/page/1")));
    let key = exported().pages[0]["key"].as_str().unwrap();
    assert_eq!(site.get(&format!("/go?key={}", in_query(key))).status, 303);
}

#[test]
fn the_interface_speaks_english_and_chinese() {
    let chinese = served().site.ask("GET", "/", &[("accept-language", "zh-CN,en;q=0.5")], "");
    assert!(chinese.text().contains("<html lang=\"zh\"") && chinese.text().contains("最新变化"));
    let cookie = ("cookie", "bathys_language=en; bathys_theme=dark");
    let english = served().site.ask("GET", "/", &[("accept-language", "zh"), cookie], "");
    assert!(english.text().contains("<html lang=\"en\" data-theme=\"dark\">"));
}

#[test]
fn nothing_that_a_page_says_becomes_markup() {
    let scratch = Scratch::new();
    let evil = "<title><script>alert(1)</script></title><h1>\"><img src=x onerror=alert(2)></h1><p>&lt;script>alert(3)&lt;/script>";
    scratch.write(
        "page.html",
        &evil.replace("<script>alert(1)</script>", "&lt;script>alert(1)&lt;/script>"),
    );
    scratch
        .run(&["import", "page.html", "--url", "http://site.example/a?<script>alert(4)</script>"])
        .ok();
    let server = super::Server::of(scratch.path(), &[]);
    for path in
        ["/", "/pages", "/page/1", "/page/1?view=text", "/page/1?view=about", "/changes?new=1"]
    {
        let html = server.site.ok(path).text();
        assert!(
            !html.contains("<script>alert") && !html.contains("onerror=alert(2)>"),
            "{path}: {html}"
        );
    }
}

#[test]
fn an_empty_store_says_how_to_fill_it_and_a_missing_one_is_an_error() {
    let ended = Scratch::new().run(&["serve", "--listen", "127.0.0.1:0"]);
    ended.failed(1, &["bathys crawl"]);
}
