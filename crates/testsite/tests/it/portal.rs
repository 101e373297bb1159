//! The portal: seed 003's page, day after day.

use std::collections::{BTreeMap, BTreeSet};

use axum::http::Method;
use testsite::{Block, Build, Lang, Options, Running, SiteKind, serve};

use crate::client::Client;

async fn portal(options: Options) -> (Running, Client) {
    let site = serve(SiteKind::Portal, options).await.expect("a free port");
    let client = Client::connect(&site).await;
    (site, client)
}

/// Both layouts in both languages, with different texts.
fn all() -> impl Iterator<Item = Options> {
    let langs = || Lang::ALL.iter().copied();
    let both = [Build::Inline, Build::React].into_iter();
    both.flat_map(move |build| langs().map(move |lang| (build, lang)))
        .zip(1..)
        .map(|((build, lang), seed)| Options { build, lang, seed, ..Options::default() })
}

fn names(blocks: &[&Block]) -> String {
    blocks.iter().map(|block| block.name.as_str()).collect::<Vec<_>>().join(" ")
}

/// What of the page belongs to each of the smallest blocks: from its marker to the next one's.
fn parts(page: &str, blocks: &[&Block]) -> Vec<String> {
    let places: Vec<usize> = blocks
        .iter()
        .map(|block| {
            let found: Vec<_> = page.match_indices(&block.marker).collect();
            assert_eq!(found.len(), 1, "{}: {}", block.name, block.marker);
            found[0].0
        })
        .collect();
    assert!(places.is_sorted(), "blocks are in document order");
    let ends = places.iter().skip(1).copied().chain([page.len()]);
    places.iter().zip(ends).map(|(from, to)| page[*from..to].to_owned()).collect()
}

#[test]
fn the_front_page_has_the_block_tree_of_the_paper() {
    let truth = SiteKind::Portal.generate(&Options::default()).truth();
    let at = |level| names(&truth.blocks_at(level).collect::<Vec<_>>());
    assert_eq!(at(1), "T1 T2 C B1 B2");
    assert_eq!(at(2), "T1 T2 CL CC CR B1 B2");
    assert_eq!(at(3), "T1 T2 CL CC1 CC2 CC3 CC4 CC5 CC6 CR1 CR2 CR3 CR4 CR5 CR6 B1 B2");
}

#[tokio::test]
async fn from_one_day_to_the_next_exactly_five_blocks_change() {
    for options in all() {
        let (site, mut client) = portal(options).await;
        let smallest: Vec<&Block> = site.truth().blocks_at(3).collect();
        let mut before = parts(&client.get("/").await.body, &smallest);
        assert_eq!(parts(&client.get("/").await.body, &smallest), before, "the same day");
        for _ in 0..20 {
            site.set_clock(site.clock().tomorrow());
            let now = parts(&client.get("/").await.body, &smallest);
            let pairs = smallest.iter().zip(before.iter().zip(&now));
            let changed: Vec<&Block> =
                pairs.filter(|(_, (before, now))| before != now).map(|(block, _)| *block).collect();
            assert_eq!(names(&changed), "CC2 CC3 CC4 CC5 CC6");
            assert!(smallest.iter().all(|block| block.changes == changed.contains(block)));
            before = now;
        }
        site.stop().await;
    }
}

#[tokio::test]
async fn the_left_column_is_twenty_four_links_in_one_cell() {
    let (site, mut client) = portal(Options::default()).await;
    let body = client.get("/").await.body;
    let left = body.split("<td").find(|cell| cell.contains("Tide tables")).expect("the cell");
    assert_eq!((left.matches("<div").count(), left.matches("<a ").count()), (24, 24));
    site.stop().await;
}

#[tokio::test]
async fn every_state_is_served_shows_its_texts_and_no_other_marker() {
    for options in all() {
        let (site, mut client) = portal(options).await;
        let states = &site.truth().states;
        let mut shown = BTreeMap::new();
        for state in states {
            let answer = client.get(&state.url).await;
            assert_eq!(answer.status, 200, "{}", state.id);
            let text = answer.body.replace("&#39;", "'").replace("&quot;", "\"");
            shown.insert(&state.id, text.replace("&amp;", "&"));
        }
        for state in states {
            let holders: Vec<_> =
                shown.iter().filter(|(_, text)| text.contains(&state.marker)).collect();
            assert_eq!(holders.len(), 1, "{}: {}", state.id, state.marker);
            assert!(state.shows.iter().all(|text| shown[&state.id].contains(text)), "{}", state.id);
        }
        site.stop().await;
    }
}

#[tokio::test]
async fn links_lead_from_the_front_page_to_every_url_of_the_truth_and_to_no_other() {
    for options in all() {
        let (site, mut client) = portal(options).await;
        let mut found = BTreeSet::from(["/".to_owned()]);
        let mut queue = vec!["/".to_owned()];
        while let Some(path) = queue.pop() {
            let body = client.get(&path).await.body;
            for part in body.split("href=\"").skip(1) {
                let link = part.split('"').next().unwrap_or_default();
                if !link.starts_with("/static/") && found.insert(link.to_owned()) {
                    queue.push(link.to_owned());
                }
            }
        }
        let known: BTreeSet<_> = site.truth().states.iter().map(|s| s.url.clone()).collect();
        assert_eq!(found, known);
        assert!(site.log().is_empty());
        site.stop().await;
    }
}

#[tokio::test]
async fn the_feature_article_is_there_in_the_other_language() {
    let (site, mut client) = portal(Options::default()).await;
    let is_chinese = |text: &str| text.chars().filter(|c| ('一'..='鿿').contains(c)).count() > 100;
    assert!(is_chinese(&client.get("/articles/2009-05-01.zh.html").await.body));
    assert!(!is_chinese(&client.get("/articles/2009-05-01.html").await.body));
    assert_eq!(client.get("/news/2009-05-01.zh.html").await.status, 404);
    site.stop().await;
}

#[tokio::test]
async fn the_clock_is_asked_and_set_over_http_and_the_past_stays() {
    let (site, mut client) = portal(Options::default()).await;
    assert_eq!(client.get("/__clock").await.json()["clock"], "2009-05-01T08:30:00Z");
    assert_eq!(client.get("/news/2009-05-02.html").await.status, 404, "it has not come yet");
    let moved = client.send(Method::POST, "/__clock", "").await;
    assert_eq!(moved.json()["clock"], "2009-05-02T08:30:00Z", "a day on");
    let answer = client.get("/news/2009-05-02.html").await;
    assert_eq!(answer.status, 200);
    assert_eq!(answer.headers["date"], "Sat, 02 May 2009 08:30:00 GMT");
    let set = client.send(Method::POST, "/__clock", "2012-02-29T00:00:00Z").await;
    assert_eq!(set.json()["clock"], "2012-02-29T00:00:00Z");
    assert!(client.get("/").await.body.contains("February 29, 2012"));
    assert_eq!(client.get("/news/2009-05-01.html").await.status, 200);
    assert_eq!(client.send(Method::POST, "/__clock", "soon").await.status, 400);
    assert_eq!(client.get("/__clock").await.json(), set.json());
    for bad in ["/news/x.html", "/news/2009-5-1.html", "/forums/.html", "/other/2009-05-01.html"] {
        assert_eq!(client.get(bad).await.status, 404, "{bad}");
    }
    assert!(site.log().is_empty());
    site.stop().await;
}
