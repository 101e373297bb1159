//! What went over the network, and what did not come whole.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst};

use crawl::{Crawl, Render, Settings};
use store::{Catalog, CatalogWriter, ExchangeRow, Millis, PageNumber, PageRow, Which};
use url::Url;

use crate::wire::{Server, html};

async fn crawl(start: &Url, render: Render, catalog: &Arc<CatalogWriter>) {
    let mut settings = Settings::new(vec![start.clone()]);
    (settings.render, settings.tabs) = (render, 1);
    Crawl::begin(settings, catalog.clone()).await.unwrap().run().await.unwrap();
}

fn open(dir: &tempfile::TempDir) -> Arc<CatalogWriter> {
    Arc::new(CatalogWriter::open(dir.path()).unwrap())
}

async fn page(catalog: &Catalog, url: &Url) -> PageRow {
    let pages = catalog.pages(PageNumber(0)).await.unwrap();
    pages.into_iter().find(|page| page.url == url.as_str()).expect("the page")
}

async fn documents(catalog: &Catalog, page: PageNumber) -> Vec<ExchangeRow> {
    let exchanges = catalog.exchanges(page).await.unwrap();
    exchanges.into_iter().filter(|exchange| exchange.resource == "document").collect()
}

/// An answer whose connection breaks before its end.
fn half(body: &str) -> Option<String> {
    let whole = html(body)?;
    Some(whole.replacen("Content-Length: ", "Content-Length: 9", 1))
}

#[tokio::test(flavor = "multi_thread")]
async fn a_page_whose_connection_breaks_is_asked_for_again() {
    for render in [Render::Never, Render::Always] {
        let asked = AtomicUsize::new(0);
        let server = Server::start(move |path| match path {
            "/" if asked.fetch_add(1, SeqCst) == 0 => half("<p>one"),
            "/" => html("<p>one</p><p>two</p>"),
            _ => None,
        })
        .await;
        let dir = tempfile::tempdir().unwrap();
        let catalog = open(&dir);
        crawl(&server.url("/"), render, &catalog).await;
        let page = page(&catalog, &server.url("/")).await;
        assert_eq!((page.condition.as_str(), page.versions), ("captured", 1), "{render:?}");
        let version = catalog.version(page.page, Which::Latest).await.unwrap().unwrap();
        let body = String::from_utf8(version.body.unwrap()).unwrap();
        assert!(body.contains("two"), "{render:?}: {body}");
        assert_eq!(page.error, None);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_page_that_never_comes_whole_keeps_the_versions_that_it_has() {
    for render in [Render::Never, Render::Always] {
        let broken = Arc::new(AtomicBool::new(false));
        let is_broken = broken.clone();
        let server = Server::start(move |path| match path {
            "/" if is_broken.load(SeqCst) => half("<p>one"),
            "/" => html("<p>one</p><p>two</p>"),
            _ => None,
        })
        .await;
        let dir = tempfile::tempdir().unwrap();
        let catalog = open(&dir);
        crawl(&server.url("/"), render, &catalog).await;
        broken.store(true, SeqCst);
        crawl(&server.url("/"), render, &catalog).await;
        let page = page(&catalog, &server.url("/")).await;
        assert_eq!((page.condition.as_str(), page.versions), ("captured", 1), "{render:?}");
        let version = catalog.version(page.page, Which::Latest).await.unwrap().unwrap();
        assert!(String::from_utf8(version.body.unwrap()).unwrap().contains("two"), "{render:?}");
        assert!(page.error.is_some(), "{render:?}: the last visit tells why it failed");
        let visits = catalog.visits(page.page).await.unwrap();
        assert_eq!(visits.last().unwrap().version, None, "{render:?}");
        let last = documents(&catalog, page.page).await.pop().unwrap();
        assert!(last.wire.truncated.is_some(), "{render:?}: {last:?}");
        assert_eq!((last.status, last.wire.failure), (Some(200), None), "{render:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_part_of_a_new_page_is_kept_and_compared_with_nothing() {
    for render in [Render::Never, Render::Always] {
        let whole = Arc::new(AtomicBool::new(false));
        let is_whole = whole.clone();
        let server = Server::start(move |path| match path {
            "/" if is_whole.load(SeqCst) => html("<p>one</p><p>two</p>"),
            "/" => half("<p>one</p><a href=/next>next</a>"),
            _ => None,
        })
        .await;
        let dir = tempfile::tempdir().unwrap();
        let catalog = open(&dir);
        crawl(&server.url("/"), render, &catalog).await;
        let found = page(&catalog, &server.url("/")).await;
        assert_eq!((found.condition.as_str(), found.versions), ("captured", 1), "{render:?}");
        let part = catalog.version(found.page, Which::Latest).await.unwrap().unwrap();
        assert!(part.cut.is_none(), "{render:?}: it is not cut into blocks");
        let shown = part.snapshot.or(part.body).unwrap();
        assert!(String::from_utf8(shown).unwrap().contains("one"), "{render:?}");
        assert_eq!(server.paths().iter().filter(|path| *path == "/").count(), 3, "{render:?}");
        whole.store(true, SeqCst);
        crawl(&server.url("/"), render, &catalog).await;
        let versions = catalog.versions(found.page).await.unwrap();
        assert_eq!(versions.len(), 2, "{render:?}");
        assert!(versions[1].counts, "{render:?}: the first whole one is a first one");
        let now = page(&catalog, &server.url("/")).await;
        assert_eq!(now.error, None, "{render:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn exchanges_tell_when_they_were_sent_to_whom_and_by_which_version_of_http() {
    for render in [Render::Never, Render::Always] {
        let server = Server::start(|path| match path {
            "/" => html("<p>home<img src=/picture.png>"),
            "/picture.png" => html("no picture").map(|it| it.replacen("HTTP/1.1", "HTTP/1.0", 1)),
            _ => None,
        })
        .await;
        let dir = tempfile::tempdir().unwrap();
        let catalog = open(&dir);
        let before = Millis::now();
        crawl(&server.url("/"), render, &catalog).await;
        let page = page(&catalog, &server.url("/")).await;
        let exchanges = catalog.exchanges(page.page).await.unwrap();
        let remote = format!("127.0.0.1:{}", server.url("/").port().unwrap());
        let home = exchanges.iter().find(|it| it.url == server.url("/").as_str()).unwrap();
        assert_eq!(home.wire.remote_address.as_deref(), Some(remote.as_str()), "{render:?}");
        assert_eq!(home.wire.http_version.as_deref(), Some("http/1.1"), "{render:?}");
        let sent = home.wire.sent.expect("a time");
        assert!(before <= home.time && home.time <= sent && sent <= Millis::now(), "{render:?}");
        if render == Render::Always {
            let path = "/picture.png";
            let picture = exchanges.iter().find(|it| it.url.ends_with(path)).unwrap();
            assert_eq!(picture.wire.http_version.as_deref(), Some("http/1.0"));
            assert!(picture.wire.sent.unwrap() >= sent);
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_request_that_nobody_answers_is_kept_with_the_reason() {
    for render in [Render::Never, Render::Always] {
        // The connection is closed without a word.
        let server = Server::start(|path| (path == "/gone").then(String::new)).await;
        let url = server.url("/gone");
        let dir = tempfile::tempdir().unwrap();
        let catalog = open(&dir);
        crawl(&url, render, &catalog).await;
        let page = page(&catalog, &url).await;
        assert_eq!((page.condition.as_str(), page.versions), ("failed", 0), "{render:?}");
        let last = documents(&catalog, page.page).await.pop().expect("an exchange");
        assert_eq!((last.url.as_str(), last.status), (url.as_str(), None), "{render:?}");
        assert!(last.wire.failure.is_some() && last.wire.sent.is_some(), "{render:?}: {last:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_page_never_read_is_filed_under_it_and_not_under_the_next() {
    let server = Server::start(|path| match path {
        "/" => html("<p>home<a href=/next>next</a><script>fetch('/unread')</script>"),
        "/next" => html("<p>next"),
        "/unread" => html(&"x".repeat(1 << 20)),
        _ => None,
    })
    .await;
    let dir = tempfile::tempdir().unwrap();
    let catalog = open(&dir);
    crawl(&server.url("/"), Render::Always, &catalog).await;
    let unread = |exchanges: &[ExchangeRow]| {
        exchanges.iter().filter(|exchange| exchange.url.ends_with("/unread")).count()
    };
    let home = page(&catalog, &server.url("/")).await;
    let next = page(&catalog, &server.url("/next")).await;
    assert_eq!(unread(&catalog.exchanges(home.page).await.unwrap()), 1);
    assert_eq!(unread(&catalog.exchanges(next.page).await.unwrap()), 0);
}
