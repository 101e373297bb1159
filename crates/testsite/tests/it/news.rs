//! `news` as a client without a browser sees it.

use std::collections::{BTreeMap, HashSet};

use axum::http::Method;
use testsite::{Build, Lang, Options, Reach, Running, SiteKind, serve};

use crate::client::Client;

async fn news(options: Options) -> (Running, Client) {
    let site = serve(SiteKind::News, options).await.expect("a free port");
    let client = Client::connect(&site).await;
    (site, client)
}

/// The code of an article in the path of its comments.
fn code(path: &str) -> &str {
    path.trim_start_matches("/comment/").trim_end_matches(".html")
}

/// The paths that a page links to.
fn links(html: &str) -> HashSet<String> {
    html.split("href=\"/")
        .skip(1)
        .filter_map(|rest| rest.split('"').next())
        .map(|path| format!("/{path}"))
        .collect()
}

#[tokio::test]
async fn by_default_three_articles_have_7_8_and_11_pages_of_comments() {
    for lang in Lang::ALL {
        let (site, _) = news(Options { lang: *lang, ..Options::default() }).await;
        let mut pages = BTreeMap::new();
        for state in site.truth().states.iter().filter(|state| state.kind == "comments") {
            *pages.entry(state.url.clone()).or_insert(0) += 1;
        }
        let mut counts: Vec<_> = pages.into_values().collect();
        counts.sort_unstable();
        assert_eq!(counts, [7, 8, 11]);
        site.stop().await;
    }
}

#[tokio::test]
async fn size_is_the_number_of_articles_with_comments() {
    let (site, mut client) = news(Options { size: 40, ..Options::default() }).await;
    let truth = site.truth();
    let commented: HashSet<_> = truth
        .states
        .iter()
        .filter(|state| state.kind == "comments")
        .map(|state| &state.url)
        .collect();
    assert_eq!(commented.len(), 40);
    assert_eq!(truth.counts["article"], 52);
    for url in commented {
        assert_eq!(client.get(url).await.status, 200, "{url}");
    }
    site.stop().await;
}

#[tokio::test]
async fn links_alone_lead_from_the_front_page_to_every_url_of_the_truth_and_to_no_other() {
    for size in [0, 70] {
        let (site, mut client) = news(Options { size, ..Options::default() }).await;
        let truth = site.truth();
        let mut found = HashSet::from(["/".to_owned()]);
        let mut queue = vec!["/".to_owned()];
        while let Some(path) = queue.pop() {
            let answer = client.get(&path).await;
            assert_eq!(answer.status, 200, "{path}");
            for link in links(&answer.body) {
                let off_limits = truth.off_limits.iter().any(|prefix| link.starts_with(prefix));
                if !off_limits && !link.starts_with("/static/") && found.insert(link.clone()) {
                    queue.push(link);
                }
            }
        }
        let known: HashSet<_> = truth.states.iter().map(|state| state.url.clone()).collect();
        assert_eq!(found, known);
        site.stop().await;
    }
}

#[tokio::test]
async fn every_marker_is_shown_by_its_state_and_by_no_other() {
    for lang in Lang::ALL {
        let (site, mut client) = news(Options { lang: *lang, ..Options::default() }).await;
        let mut texts = Vec::new();
        for state in &site.truth().states {
            let (shown, page) = match state.id.rsplit_once(" page ") {
                Some((path, page)) => (format!("/api/comments/{}?page={page}", code(path)), page),
                None => (state.url.clone(), ""),
            };
            let mut text = client.get(&shown).await.body;
            if page == "1" {
                text += &client.get(&state.url).await.body;
            }
            // Markers are text, as a reader sees it.
            texts.push((state, text.replace("&amp;", "&").replace("&#39;", "'")));
        }
        for (state, own) in &texts {
            for marker in std::iter::once(&state.marker).chain(&state.shows) {
                assert!(
                    !marker.is_empty() && own.contains(marker.as_str()),
                    "{} lacks {marker}",
                    state.id
                );
                let elsewhere = texts
                    .iter()
                    .find(|(other, text)| other.id != state.id && text.contains(marker.as_str()));
                assert!(
                    elsewhere.is_none(),
                    "{marker} of {} is also on {}",
                    state.id,
                    elsewhere.unwrap().0.id
                );
            }
        }
        site.stop().await;
    }
}

#[test]
fn no_text_of_a_state_is_a_part_of_another_states_text_whatever_the_seed() {
    for (seed, lang) in (1..=4).flat_map(|seed| Lang::ALL.iter().map(move |lang| (seed, *lang))) {
        let truth = SiteKind::News
            .generate(&Options { seed, lang, size: 12, ..Options::default() })
            .truth();
        let texts =
            |state: &testsite::State| [vec![state.marker.clone()], state.shows.clone()].concat();
        for state in &truth.states {
            for other in truth.states.iter().filter(|other| other.id != state.id) {
                let all = texts(other).join("\n");
                for text in texts(state) {
                    assert!(
                        !all.contains(&text),
                        "seed {seed}: {text} of {} is also in {}",
                        state.id,
                        other.id
                    );
                }
            }
        }
    }
}

#[tokio::test]
async fn no_comment_is_in_the_document_before_its_script_has_run() {
    for build in Build::ALL {
        let (site, mut client) = news(Options { build: *build, ..Options::default() }).await;
        for state in site.truth().states.iter().filter(|state| state.kind == "comments") {
            let document = client.get(&state.url).await.body;
            assert!(
                !state.shows.iter().any(|text| document.contains(text)),
                "{build}: {}",
                state.id
            );
        }
        site.stop().await;
    }
}

#[tokio::test]
async fn the_truth_does_not_depend_on_the_build() {
    let mut truths = HashSet::new();
    for build in Build::ALL {
        let (site, mut client) = news(Options { build: *build, ..Options::default() }).await;
        truths.insert(client.get("/__truth.json").await.body);
        site.stop().await;
    }
    assert_eq!(truths.len(), 1);
    let (other, mut client) = news(Options { seed: 2, ..Options::default() }).await;
    assert!(truths.insert(client.get("/__truth.json").await.body), "another seed, another site");
    other.stop().await;
}

#[tokio::test]
async fn every_page_of_comments_is_one_click_from_a_page_that_shows_its_number() {
    // The jQuery build gets its page numbers as HTML, so that they can be read without a browser.
    let (site, mut client) = news(Options { build: Build::Jquery, ..Options::default() }).await;
    let mut events = 0;
    for state in &site.truth().states {
        let Reach::Event { from, event, on } = &state.reach else {
            continue;
        };
        let (path, page) = from.rsplit_once(" page ").expect("the name of a page of comments");
        let fragment = client.get(&format!("/comment/{}/list?page={page}", code(path))).await.body;
        assert_eq!(event, "click");
        assert!(fragment.contains(&format!(">{on}</a>")), "{on} is not on {from}");
        events += 1;
    }
    assert_eq!(events, 6 + 7 + 10);
    site.stop().await;
}

#[tokio::test]
async fn the_fragment_and_the_json_of_a_page_show_the_same_comments() {
    let (site, mut client) = news(Options::default()).await;
    for state in site.truth().states.iter().filter(|state| state.kind == "comments") {
        let (path, page) = state.id.rsplit_once(" page ").unwrap();
        let json = client.get(&format!("/api/comments/{}?page={page}", code(path))).await.json();
        let fragment = client.get(&format!("/comment/{}/list?page={page}", code(path))).await.body;
        let items = json["items"].as_array().expect("items");
        assert_eq!(fragment.matches("class=\"reply\"").count(), items.len());
        for item in items {
            assert!(state.shows.iter().any(|text| item["text"] == *text));
            assert!(fragment.contains(&format!("id=\"c{}\"", item["id"])));
        }
    }
    site.stop().await;
}

#[tokio::test]
async fn the_same_requests_to_the_same_site_give_the_same_bytes() {
    let mut runs: Vec<Vec<String>> = Vec::new();
    for _ in 0..2 {
        let (site, mut client) = news(Options::default()).await;
        let mut bodies = Vec::new();
        for state in &site.truth().states {
            bodies.push(client.get(&state.url).await.body);
        }
        runs.push(bodies);
        site.stop().await;
    }
    assert_eq!(runs[0], runs[1]);
}

#[tokio::test]
async fn only_volatile_parts_differ_between_two_requests_and_none_if_they_are_off() {
    for volatile in [true, false] {
        let (site, mut client) = news(Options { volatile, ..Options::default() }).await;
        for path in site.truth().states.iter().map(|state| &state.url).collect::<HashSet<_>>() {
            let (first, second) = (client.get(path).await.body, client.get(path).await.body);
            assert_eq!(first != second, volatile, "{path}");
            let differing = first.lines().zip(second.lines()).filter(|(a, b)| a != b);
            for (line, _) in differing {
                let expected = [
                    "csrf-token",
                    "class=\"online\"",
                    "class=\"ad\"",
                    "class=\"fresh\"",
                    "class=\"srv\"",
                ];
                assert!(expected.iter().any(|part| line.contains(part)), "{path}: {line}");
            }
        }
        site.stop().await;
    }
}

#[tokio::test]
async fn whatever_writes_is_in_the_log_under_a_kind_that_the_truth_names() {
    let (site, mut client) = news(Options::default()).await;
    let comments = site.truth().states.iter().find(|state| state.kind == "comments").unwrap();
    let listing = format!("/api/comments/{}", code(&comments.url));
    let before = client.get(&listing).await.json();
    let id = before["items"][0]["id"].clone();

    for write in [
        format!("/api/comments/{id}/like"),
        format!("/api/comments/{id}/reply"),
        format!("/api/comments/{id}/report"),
        "/poll".to_owned(),
        "/newsletter".to_owned(),
        "/account/login".to_owned(),
    ] {
        let refused = client.get(&write).await.status;
        assert!(refused == 405 || refused == 404, "GET {write}: {refused}");
        let status = client.send(Method::POST, &write, "").await.status;
        assert!(status.is_success() || status.is_redirection(), "{write}: {status}");
    }
    let form: &'static str = format!("code={}&text=hello", code(&comments.url)).leak();
    assert_eq!(client.send(Method::POST, "/api/comments", form).await.status, 303);
    assert_eq!(client.send(Method::POST, "/api/comments/1/like", "").await.status, 404);

    let mut kinds: Vec<_> = site.log().into_iter().map(|change| change.kind).collect();
    kinds.sort_unstable();
    let mut named = site.truth().changes.clone();
    named.sort_unstable();
    assert_eq!(kinds, named);
    let after = client.get(&listing).await.json();
    let likes = |listing: &serde_json::Value| listing["items"][0]["likes"].as_u64().unwrap();
    assert_eq!(likes(&after), likes(&before) + 1);
    site.stop().await;
}

#[tokio::test]
async fn numbers_and_names_that_do_not_exist_are_answered_without_harm() {
    let (site, mut client) = news(Options::default()).await;
    let comments = site.truth().states.iter().find(|state| state.kind == "comments").unwrap();
    let listing = format!("/api/comments/{}", code(&comments.url));
    assert_eq!(client.get(&format!("{listing}?page=0")).await.json()["page"], 1);
    let last = client.get(&format!("{listing}?page=18446744073709551615")).await.json();
    assert_eq!(last["page"], last["pages"]);
    for bad in [
        format!("{listing}?page=-1"),
        "/api/comments/NOPE".to_owned(),
        "/nowhere".to_owned(),
        "/local/list_99.html".to_owned(),
        "/local/list_1.html".to_owned(),
        "/nosuch/".to_owned(),
        "/comment/NOPE.html".to_owned(),
        "/local/09/0501/NOPE.html".to_owned(),
        "/a/b/c/d/e/f".to_owned(),
        "/%F0%9F%98%80".to_owned(),
        "/%ff".to_owned(),
    ] {
        let status = client.get(&bad).await.status;
        assert!(status.is_client_error(), "{bad}: {status}");
    }
    let found = client.get("/search?q=%3Cscript%3E").await.body;
    assert!(!found.contains("<script>”"), "the query is escaped");
    site.stop().await;
}

#[tokio::test]
async fn many_clients_at_once_are_all_counted() {
    let (site, _) = news(Options::default()).await;
    let comments = site.truth().states.iter().find(|state| state.kind == "comments").unwrap();
    let listing = format!("/api/comments/{}", code(&comments.url));
    let mut first = Client::connect(&site).await;
    let id = first.get(&listing).await.json()["items"][0]["id"].clone();
    let mut tasks = Vec::new();
    for _ in 0..20 {
        let mut client = Client::connect(&site).await;
        let like = format!("/api/comments/{id}/like");
        tasks.push(tokio::spawn(async move {
            for _ in 0..10 {
                assert_eq!(client.send(Method::POST, &like, "").await.status, 200);
            }
        }));
    }
    for task in tasks {
        task.await.unwrap();
    }
    assert_eq!(site.log().len(), 200);
    let numbers: Vec<_> = site.log().iter().map(|change| change.number).collect();
    assert_eq!(numbers, (1..=200).collect::<Vec<_>>());
    assert_eq!(site.requests().writes, 200);
    site.stop().await;
}
