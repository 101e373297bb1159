//! The forum, walked by a client that follows every link and does what every script would do.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use testsite::{Build, Lang, Options, Paging, Reach, Running, SiteKind, Truth, serve};

use crate::client::Client;
use crate::driven;

async fn forum(options: Options) -> Running {
    serve(SiteKind::Bbs, options).await.expect("a free port")
}

fn small() -> Options {
    Options { size: 40, chaff: 60, ..Options::default() }
}

/// What stands in `html` between each `before` and the next `after`.
fn between<'a>(html: &'a str, before: &str, after: char) -> Vec<&'a str> {
    html.split(before).skip(1).filter_map(|rest| rest.split(after).next()).collect()
}

/// The text of a page without its head and its tags, unescaped as far as markers need it.
fn text(html: &str) -> String {
    let body = html.split_once("<body").map_or(html, |(_, body)| body);
    let mut text = String::new();
    for part in body.split('<') {
        text.push_str(part.split_once('>').map_or(part, |(_, text)| text));
    }
    text.replace("&#39;", "'").replace("&quot;", "\"").replace("&amp;", "&")
}

/// Every state that a client finds from the entry on: where it is, and its text.
async fn walk(site: &Running) -> Vec<(String, String)> {
    let mut client = Client::connect(site).await;
    let mut seen = BTreeSet::from([site.truth().entry.clone()]);
    let mut queue = VecDeque::from([site.truth().entry.clone()]);
    let mut found = Vec::new();
    while let Some(url) = queue.pop_front() {
        let first = client.get(&url).await;
        assert_eq!(first.status, 200, "{url}");
        let source = between(&first.body, "\"source\":\"", '"').first().map(|at| (*at).to_owned());
        let mut turned = BTreeSet::from(["1".to_owned()]);
        let mut pages = VecDeque::from([first.body]);
        while let Some(html) = pages.pop_front() {
            let links = between(&html, "href=\"/", '"').into_iter().map(|rest| format!("/{rest}"));
            let opened =
                between(&html, "Forum.open('", '\'').into_iter().map(|id| format!("/thread/{id}"));
            let login = html.contains("Forum.report(").then(|| "/login".to_owned());
            for next in links.chain(opened).chain(login) {
                if !next.starts_with("/static/") && next != "/admin/" && seen.insert(next.clone()) {
                    queue.push_back(next);
                }
            }
            for page in between(&html, "Forum.turn('", '\'') {
                if turned.insert(page.to_owned()) {
                    let source = source.as_deref().expect("a pager has a source");
                    let answer = client.get(&format!("{source}{page}")).await;
                    assert_eq!(answer.status, 200, "{source}{page}");
                    pages.push_back(answer.body);
                }
            }
            found.push((url.clone(), text(&html)));
        }
    }
    found
}

/// The truth holds if each state is found once, at its URL, by its marker, and nothing else is.
fn assert_holds(truth: &Truth, found: &[(String, String)]) {
    for state in &truth.states {
        let shown: Vec<_> = found.iter().filter(|(_, text)| text.contains(&state.marker)).collect();
        assert_eq!(shown.len(), 1, "{}: '{}'", state.id, state.marker);
        let (url, text) = shown[0];
        assert_eq!(*url, state.url, "{}", state.id);
        for shown in &state.shows {
            assert!(text.contains(shown), "{}: '{shown}'", state.id);
        }
    }
    assert_eq!(found.len(), truth.states.len());
}

#[tokio::test]
async fn following_all_links_and_events_finds_the_truth_and_nothing_else() {
    let site = forum(small()).await;
    assert_holds(site.truth(), &walk(&site).await);
    assert!(site.log().is_empty());
    site.stop().await;
}

#[tokio::test]
async fn a_chinese_forum_holds_its_truth_too() {
    let site = forum(Options { lang: Lang::Chinese, ..small() }).await;
    assert_holds(site.truth(), &walk(&site).await);
    site.stop().await;
}

#[tokio::test]
async fn with_paging_by_links_every_state_has_a_url_of_its_own() {
    let site = forum(Options { paging: Paging::Links, ..small() }).await;
    let urls: BTreeSet<_> = site.truth().states.iter().map(|state| &state.url).collect();
    assert_eq!(urls.len(), site.truth().states.len());
    assert!(site.truth().states.iter().all(|state| state.reach == Reach::Url));
    assert_holds(site.truth(), &walk(&site).await);
    site.stop().await;
}

#[tokio::test]
async fn a_plain_forum_is_walked_by_links_alone_and_has_no_script_anywhere() {
    for build in Build::ALL {
        let options = Options { paging: Paging::Plain, build: *build, ..small() };
        let site = forum(options).await;
        assert!(site.truth().states.iter().all(|state| state.reach == Reach::Url));
        assert_holds(site.truth(), &walk(&site).await);
        let mut client = Client::connect(&site).await;
        for state in &site.truth().states {
            let html = client.get(&state.url).await.body;
            for script in ["<script", "onclick", "javascript:", "data-act"] {
                assert!(!html.contains(script), "{build}: {script} on {}", state.url);
            }
        }
        site.stop().await;
    }
}

#[tokio::test]
async fn a_forum_of_20_000_pages_is_served_from_its_first_page_to_its_last() {
    let site = forum(Options { size: 20_000, paging: Paging::Plain, ..Options::default() }).await;
    let mut client = Client::connect(&site).await;
    let wanted: Vec<_> = site.truth().wanted().collect();
    assert_eq!(wanted.len(), 20_000);
    for state in wanted.iter().step_by(997).chain(wanted.last()) {
        let body = client.get(&state.url).await.body;
        assert!(text(&body).contains(&state.marker), "{}", state.id);
    }
    site.stop().await;
}

#[tokio::test]
async fn the_described_forum_has_200_wanted_pages_and_240_of_low_value() {
    let site = forum(Options::default()).await;
    let truth = site.truth();
    assert_eq!(truth.wanted().count(), 200);
    assert_eq!(truth.states.len(), 440);
    assert_eq!(truth.counts["list"] + truth.counts["thread"], 200);
    assert!(truth.counts["list"] >= 10);
    let by_event = |state: &&testsite::State| matches!(state.reach, Reach::Event { .. });
    assert!(truth.wanted().filter(by_event).count() > 60);

    let mut client = Client::connect(&site).await;
    let html = client.get(&truth.entry).await.body;
    assert!(html.matches("<a ").count() > 100, "a page of the list has many links");
    site.stop().await;
}

#[tokio::test]
async fn the_builds_share_one_truth_and_every_one_carries_its_first_page() {
    let mut truths = Vec::new();
    for build in Build::ALL {
        let site = forum(Options { build: *build, ..small() }).await;
        let mut client = Client::connect(&site).await;
        let page = client.get(&site.truth().entry).await.body;
        assert!(page.contains(&site.truth().states[0].marker), "{build}");
        let scripts = between(&page, "src=\"/static/", '"');
        for script in scripts {
            assert_eq!(client.get(&format!("/static/{script}")).await.status, 200);
        }
        let inline = page.matches("onclick=").count();
        assert_eq!(inline > 0, *build == Build::Inline, "{build}: {inline} handlers in attributes");
        truths.push(site.truth().clone());
        site.stop().await;
    }
    assert!(truths.windows(2).all(|pair| pair[0] == pair[1]));
}

#[tokio::test]
async fn scripts_that_draw_get_the_same_pages_as_data() {
    let site = forum(Options { build: Build::React, ..small() }).await;
    let mut client = Client::connect(&site).await;
    for state in site.truth().wanted() {
        let page = state.id.rsplit('-').next().unwrap();
        let path = match state.url.strip_prefix("/thread/") {
            Some(id) => format!("/ajax/thread.json/{id}?page={page}"),
            None => format!("/ajax/list.json?page={page}"),
        };
        let data = client.get(&path).await.json().to_string();
        assert!(data.contains(&state.marker), "{}", state.id);
    }
    assert_eq!(client.get("/ajax/list.json?page=99").await.status, 404);
    assert_eq!(client.get("/ajax/list.json?page=0").await.status, 404);
    site.stop().await;
}

#[tokio::test]
async fn a_third_of_the_threads_has_no_address_anywhere() {
    let site = forum(small()).await;
    let mut linked: BTreeMap<String, bool> = BTreeMap::new();
    let mut client = Client::connect(&site).await;
    for state in &site.truth().states {
        let html = client.get(&state.url).await.body;
        for url in between(&html, "href=\"/thread/", '"') {
            linked.insert(url.to_owned(), true);
        }
    }
    assert!(linked.keys().all(|id| id.parse::<u32>().unwrap() % 3 != 0));
    let scripted = site.truth().wanted().filter(|state| {
        let id = state.url.strip_prefix("/thread/").and_then(|id| id.parse::<u32>().ok());
        id.is_some_and(|id| id % 3 == 0)
    });
    assert!(scripted.count() > 5);
    site.stop().await;
}

#[tokio::test]
async fn likes_replies_and_logins_are_logged_with_their_target() {
    let site = forum(small()).await;
    let mut client = Client::connect(&site).await;
    let post = axum::http::Method::POST;
    client.send(post.clone(), "/ajax/like", "id=4100001").await;
    client.send(post.clone(), "/reply", "id=30001&text=no").await;
    client.send(post, "/login", "user=a&password=b").await;
    let log = site.log();
    let kinds: Vec<_> = log.iter().map(|change| change.kind.as_str()).collect();
    assert_eq!(kinds, ["like", "reply", "login"]);
    assert_eq!(log[0].target, "4100001");
    for kind in kinds {
        assert!(site.truth().changes.iter().any(|known| known == kind));
    }
    site.stop().await;
}

#[tokio::test]
async fn volatile_parts_of_a_thread_differ_and_its_posts_do_not() {
    let site = forum(small()).await;
    let mut client = Client::connect(&site).await;
    let first = client.get("/thread/30001").await.body;
    let second = client.get("/thread/30001").await.body;
    assert_ne!(first, second);
    let region = |html: &str| {
        let (_, rest) = html.split_once("id=\"region\"").expect("a region");
        rest.split_once("class=\"quick\"").expect("a form").0.to_owned()
    };
    assert_eq!(region(&first), region(&second));
    site.stop().await;
}

#[tokio::test]
async fn in_a_browser_every_build_reaches_every_wanted_state_as_the_truth_says() {
    for build in Build::ALL {
        let options = Options { build: *build, size: 30, chaff: 30, ..Options::default() };
        let run = driven::drive(SiteKind::Bbs, options).await;
        assert!(run.truth.counts["list"] > 1);
        let missed: Vec<_> = run.missed(|state| state.wanted);
        assert!(missed.is_empty(), "{build}: {missed:#?}");
        assert_eq!(run.changes, [] as [String; 0], "{build}");
    }
}
