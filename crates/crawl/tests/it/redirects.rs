//! Redirects: each hop is a request like any other.

use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use crawl::{Crawl, Render, Report, Settings};
use store::{CatalogWriter, PageNumber, PageRow};
use url::Url;

use crate::wire::{Server, html, redirect};

/// A crawl of a server, with what the store holds afterwards.
struct Crawled {
    report: Report,
    catalog: Arc<CatalogWriter>,
    _dir: tempfile::TempDir,
}

async fn crawl(start: Url, render: Render, tell: impl FnOnce(&mut Settings)) -> Crawled {
    let dir = tempfile::tempdir().unwrap();
    let catalog = Arc::new(CatalogWriter::open(dir.path()).unwrap());
    let mut settings = Settings::new(vec![start]);
    (settings.render, settings.tabs) = (render, 1);
    tell(&mut settings);
    let report = Crawl::begin(settings, catalog.clone()).await.unwrap().run().await.unwrap();
    Crawled { report, catalog, _dir: dir }
}

impl Crawled {
    async fn page(&self, url: &Url) -> Option<PageRow> {
        let pages = self.catalog.pages(PageNumber(0)).await.unwrap();
        pages.into_iter().find(|page| page.url == url.as_str())
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_redirect_out_of_the_scope_is_never_followed() {
    for render in [Render::Never, Render::Always] {
        let other = Server::start(|_| html("<p>another site")).await;
        let to = other.url("/").to_string();
        let server = Server::start(move |path| match path {
            "/" => html("<a href=/out>out</a><p>home"),
            "/out" => redirect(&to),
            _ => None,
        })
        .await;
        // Its address is named, so that nothing but the scope stands in the way.
        let away = other.url("/never");
        let crawled = crawl(server.url("/"), render, |settings| {
            settings.start.push(away.clone());
            settings.exclude.push(format!(":{}/", away.port().unwrap()));
        })
        .await;
        assert_eq!(other.paths(), [""; 0], "{render:?}");
        let out = crawled.page(&server.url("/out")).await.expect("the page that redirects");
        assert_eq!((out.condition.as_str(), out.status), ("redirect", Some(302)), "{render:?}");
        assert_eq!(crawled.report.refused, 0, "what lies outside is no refusal");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_redirect_to_what_robots_txt_disallows_is_never_followed() {
    for render in [Render::Never, Render::Always] {
        let server = Server::start(|path| match path {
            "/robots.txt" => html("User-agent: *\nDisallow: /private/\n"),
            "/" => html("<a href=/a>a</a><p>home"),
            "/a" => redirect("/b"),
            "/b" => redirect("/private/c"),
            "/private/c" => html("<p>private"),
            _ => None,
        })
        .await;
        let crawled = crawl(server.url("/"), render, |_| {}).await;
        assert!(!server.paths().iter().any(|path| path.contains("private")), "{render:?}");
        for path in ["/a", "/b"] {
            let page = crawled.page(&server.url(path)).await.expect("a page that redirects");
            assert_eq!(page.condition, store::PageStatus::Redirect, "{path} {render:?}");
        }
        assert!(crawled.page(&server.url("/private/c")).await.is_none());
        assert_eq!(crawled.report.refused, 1, "the edge is kept as refused");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_redirect_to_an_address_with_a_write_verb_is_refused_as_a_link_would_be() {
    for render in [Render::Never, Render::Always] {
        let server = Server::start(|path| match path {
            "/" => html("<a href=/a>a</a><p>home"),
            "/a" => redirect("/account/delete?id=7"),
            _ => html("<p>deleted"),
        })
        .await;
        crawl(server.url("/"), render, |_| {}).await;
        assert!(!server.paths().iter().any(|path| path.contains("delete")), "{render:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_script_that_leads_on_while_the_page_loads_is_held_to_the_same_rules() {
    let other = Server::start(|_| html("<p>another site")).await;
    let to = other.url("/");
    let server = Server::start(move |path| match path {
        "/" => html(&format!("<p>home<script>location.replace('{to}')</script>")),
        _ => None,
    })
    .await;
    let away = other.url("/never");
    let crawled = crawl(server.url("/"), Render::Always, |settings| {
        settings.start.push(away.clone());
        settings.exclude.push(format!(":{}/", away.port().unwrap()));
    })
    .await;
    assert_eq!(other.paths(), [""; 0]);
    let home = crawled.page(&server.url("/")).await.expect("the page");
    assert_eq!(home.condition, store::PageStatus::Captured, "the page stays where it is");
}

#[tokio::test(flavor = "multi_thread")]
async fn every_hop_of_a_chain_takes_the_turn_of_its_host() {
    const DELAY: Duration = Duration::from_millis(400);
    for render in [Render::Never, Render::Always] {
        let times: Arc<Mutex<Vec<Instant>>> = Arc::default();
        let seen = times.clone();
        let server = Server::start(move |path| {
            if path.starts_with("/hop") {
                seen.lock().unwrap().push(Instant::now());
            }
            match path {
                "/hop/1" => redirect("/hop/2"),
                "/hop/2" => redirect("/hop/3"),
                "/hop/3" => html("<p>there"),
                _ => None,
            }
        })
        .await;
        crawl(server.url("/hop/1"), render, |settings| settings.delay = Some(DELAY)).await;
        let times = times.lock().unwrap();
        assert!(times.len() >= 3, "{render:?}: {} hops", times.len());
        for pair in times.windows(2) {
            // A little less on the server's side, since requests take their time to arrive.
            let apart = pair[1] - pair[0];
            assert!(apart >= DELAY - Duration::from_millis(50), "{render:?}: {apart:?}");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_detour_that_sets_a_cookie_leads_back_to_the_page() {
    for render in [Render::Never, Render::Always] {
        let server = Server::with_heads(|head| {
            let path = head.split(' ').nth(1).unwrap_or_default();
            let has_cookie = head.to_ascii_lowercase().contains("cookie: seen=1");
            match (path, has_cookie) {
                ("/", false) => redirect("/check"),
                ("/check", _) => redirect("/")
                    .map(|answer| answer.replacen("\r\n", "\r\nSet-Cookie: seen=1; Path=/\r\n", 1)),
                ("/", true) => html("<p>home"),
                _ => None,
            }
        })
        .await;
        let crawled = crawl(server.url("/"), render, |_| {}).await;
        let home = crawled.page(&server.url("/")).await.expect("the page");
        assert_eq!(home.condition, store::PageStatus::Captured, "{render:?}: {:?}", server.paths());
    }
}
