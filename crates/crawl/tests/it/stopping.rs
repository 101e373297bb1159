//! Every wait ends when the crawl is to end, and is told while it lasts.

use std::sync::Arc;
use std::time::{Duration, Instant};

use crawl::{Crawl, Render, Report, Settings};
use derive::{Stopped, Wait, WaitReason};
use store::{CatalogWriter, PageNumber};
use url::Url;

use crate::wire::{Server, html};

/// A crawl that is set up.
struct Begun {
    crawl: Crawl,
    catalog: Arc<CatalogWriter>,
    _dir: tempfile::TempDir,
}

async fn begin(start: Url, tell: impl FnOnce(&mut Settings)) -> Begun {
    let dir = tempfile::tempdir().unwrap();
    let catalog = Arc::new(CatalogWriter::open(dir.path()).unwrap());
    let mut settings = Settings::new(vec![start]);
    (settings.render, settings.tabs) = (Render::Never, 2);
    tell(&mut settings);
    let crawl = Crawl::begin(settings, catalog.clone()).await.unwrap();
    Begun { crawl, catalog, _dir: dir }
}

/// Runs a crawl and interrupts it as soon as it waits for something of this sort. Says for what it
/// waited, and how long it took to end.
async fn interrupt(
    crawl: Crawl,
    is_meant: impl Fn(WaitReason) -> bool,
) -> (Wait, Report, Duration) {
    let meter = crawl.meter();
    let watch = async {
        for _ in 0..1_000 {
            let waits = meter.look(0).waits;
            if let Some(wait) = waits.into_iter().find(|wait| is_meant(wait.reason)) {
                meter.interrupt();
                return (wait, Instant::now());
            }
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        panic!("nothing is waited for");
    };
    let (report, (wait, asked)) = tokio::join!(crawl.run(), watch);
    (wait, report.unwrap(), asked.elapsed())
}

fn busy() -> Option<String> {
    Some("HTTP/1.1 503 Busy\r\nRetry-After: 3600\r\nContent-Length: 0\r\n\r\n".into())
}

#[tokio::test(flavor = "multi_thread")]
async fn an_interrupt_ends_a_pause_that_the_site_asked_for_and_the_pause_is_named() {
    let server = Server::start(|path| (path == "/").then(busy)?).await;
    let begun = begin(server.url("/"), |_| {}).await;
    let is_meant = |reason| matches!(reason, WaitReason::RetryAfter(_));
    let (wait, report, took) = interrupt(begun.crawl, is_meant).await;
    let text = wait.to_string();
    let port = server.url("/").port().unwrap();
    let named = format!("127.0.0.1:{port} asked to wait 3600 s (Retry-After); 59:");
    assert!(text.starts_with(&named) && text.ends_with(" left"), "{text}");
    assert!(took < Duration::from_millis(800), "{took:?}");
    assert_eq!((report.stopped, report.waiting), (Some(Stopped::Interrupted), 1));
    let page = begun.catalog.pages(PageNumber(0)).await.unwrap().remove(0);
    assert_eq!(page.error, None, "an interrupted wait is no failed try");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_limit_on_time_ends_a_pause_that_the_site_asked_for() {
    let server = Server::start(|path| (path == "/").then(busy)?).await;
    let begun = Instant::now();
    let limit = Duration::from_secs(2);
    let begins = begin(server.url("/"), |settings| settings.limits.time = Some(limit)).await;
    let report = begins.crawl.run().await.unwrap();
    assert_eq!(report.stopped, Some(Stopped::MaxTime));
    assert!(begun.elapsed() < limit + Duration::from_secs(1), "{:?}", begun.elapsed());
}

#[tokio::test(flavor = "multi_thread")]
async fn an_interrupt_ends_the_wait_for_a_robots_txt_that_does_not_come() {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/", listener.local_addr().unwrap());
    let begun = begin(url.parse().unwrap(), |_| {}).await;
    let is_meant = |reason| reason == WaitReason::Robots;
    let (wait, report, took) = interrupt(begun.crawl, is_meant).await;
    assert!(wait.to_string().starts_with("robots.txt of 127.0.0.1:"), "{wait}");
    assert!(took < Duration::from_millis(800), "{took:?}");
    let page = begun.catalog.pages(PageNumber(0)).await.unwrap().remove(0);
    assert_eq!((report.waiting, page.error), (1, None), "an interrupted wait is no failed try");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_event_whose_request_waits_when_the_crawl_is_stopped_is_not_kept_as_refused() {
    let server = Server::start(|path| match path {
        "/" => html("<p id=p>home<button onclick=\"fetch('/more').then(r => r.text()).then(t => { p.textContent = t })\">More</button>"),
        "/more" => html("more"),
        _ => None,
    })
    .await;
    let begun = begin(server.url("/"), |settings| {
        (settings.render, settings.tabs) = (Render::Always, 1);
        settings.delay = Some(Duration::from_secs(60));
    })
    .await;
    let is_meant = |reason| reason == WaitReason::Turn;
    let (wait, report, took) = interrupt(begun.crawl, is_meant).await;
    assert!(wait.to_string().starts_with("the next turn of 127.0.0.1:"), "{wait}");
    assert!(took < Duration::from_secs(4), "{took:?}: the browser ends, too");
    assert_eq!((report.refused, report.waiting), (0, 1), "{report:?}");
    assert_eq!(server.paths(), ["/"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_limit_on_time_holds_while_a_page_keeps_its_tab_busy() {
    let server = Server::start(|path| match path {
        "/" => html("<p>home<script>for (;;) {}</script>"),
        _ => None,
    })
    .await;
    let begun = Instant::now();
    let limit = Duration::from_secs(3);
    let begins = begin(server.url("/"), |settings| {
        settings.render = Render::Always;
        settings.limits.time = Some(limit);
    })
    .await;
    begins.crawl.run().await.unwrap();
    assert!(begun.elapsed() < limit + Duration::from_secs(2), "{:?}", begun.elapsed());
}
