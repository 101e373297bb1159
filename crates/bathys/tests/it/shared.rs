//! Stores on a server, and many crawlers on one of them.

use std::sync::LazyLock;
use std::time::Duration;

use testsite::{Options, Running, SiteKind};

use crate::kill::until_asked;
use crate::program::{Scratch, Started};
use crate::site::{identities, pages, serve_with};

/// One server for all tests of this process; it ends with it.
static SERVER: LazyLock<testsite::Postgres> =
    LazyLock::new(|| testsite::Postgres::start().expect("the tests need PostgreSQL"));

#[test]
fn news_that_are_killed_on_the_way_are_the_same_on_either_engine() {
    let site =
        serve_with(SiteKind::News, Options { size: 3, volatile: false, ..Options::default() });
    let url = site.url();
    let found = ["./whole", "./killed", &SERVER.database().unwrap()].map(|store| {
        let scratch = Scratch::new();
        let crawl = ["crawl", &url, "--json", "--store", store];
        if store != "./whole" {
            for requests in [5, 20] {
                let before = site.requests().total;
                let mut killed = Started::new(&mut scratch.bathys(&crawl));
                until_asked(&site, before, requests, &mut killed);
                killed.kill();
            }
        }
        let ended = scratch.run(&crawl);
        assert_eq!(ended.code, Some(0), "{}", ended.stderr);
        assert_eq!(ended.json()["waiting"], 0, "{store}");
        identities(&scratch.run(&["pages", "--json", "--store", store]).json_lines())
    });
    assert!(found[0].len() > 20, "{:?}", found[0]);
    assert_eq!(found[1], found[0]);
    assert_eq!(found[2], found[0]);
}

#[test]
fn two_workers_crawl_ten_sites_and_one_is_killed_nothing_is_lost_and_nothing_is_twice() {
    let blog = |seed| Options { size: 2, seed, volatile: false, ..Options::default() };
    let sites: Vec<Running> = (1..=10).map(|n| serve_with(SiteKind::Blog, blog(n))).collect();
    let urls: Vec<String> = sites.iter().map(Running::url).collect();
    let asked = || sites.iter().map(|site| site.requests().total).sum::<u64>();
    let with = |first: &[&'static str]| {
        first.iter().copied().chain(urls.iter().map(String::as_str)).collect::<Vec<&str>>()
    };

    let whole = Scratch::new();
    let ended = whole.run(&with(&["crawl", "--json", "--render", "never"]));
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    let all = identities(&pages(&whole));

    let (scratch, store) = (Scratch::new(), SERVER.database().unwrap());
    let mut work = scratch.bathys(&with(&["worker", "--json", "--render", "never"]));
    work.env("BATHYS_STORE", &store);
    let before = asked();
    let mut killed = Started::new(&mut work);
    let mut other = Started::new(&mut work);
    while asked() < before + 40 {
        assert!(!killed.has_ended() && !other.has_ended(), "it ended before it was killed");
        std::thread::sleep(Duration::from_millis(1));
    }
    killed.kill();
    let ended = other.end();
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    let summary = ended.json();
    assert_eq!((&summary["stopped"], &summary["waiting"]), (&serde_json::Value::Null, &0.into()));

    let kept = scratch.run(&["pages", "--json", "--store", &store]).json_lines();
    let found = identities(&kept);
    let (lost, extra): (Vec<_>, Vec<_>) =
        (all.difference(&found).collect(), found.difference(&all).collect());
    assert!(lost.is_empty() && extra.is_empty(), "lost: {lost:?}, not in one crawl: {extra:?}");
    let twice: Vec<_> = kept.iter().filter(|page| page["versions"] != 1).collect();
    assert!(twice.is_empty(), "visited twice: {twice:?}");
    let again = scratch.run(&["worker", "--json", "--store", &store]);
    assert_eq!(again.json()["tasks_done"], 0, "what is done is not begun again");
}
