//! Sites that change between two visits of a watch.

use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use crawl::revisit::{Bounds, Watch, WatchNews, WatchOutcome, WatchReport, WatchSettings};
use crawl::{Crawl, CrawlError, Render, Settings};
use page::tree::visible_text;
use store::{CatalogWriter, PageNumber, Which};

use crate::own::serve;
use crate::wire::{Server, html};

/// Everything is due at once.
const AT_ONCE: WatchSettings = WatchSettings {
    budget: None,
    bounds: Bounds { min: Duration::ZERO, max: Duration::ZERO },
    once: true,
};

fn settings(url: &str) -> Settings {
    Settings { render: Render::Auto, ..Settings::new(vec![url.parse().unwrap()]) }
}

async fn crawl(url: &str, catalog: &Arc<CatalogWriter>) {
    Crawl::begin(settings(url), catalog.clone()).await.unwrap().run().await.unwrap();
    // Visits are told apart by their milliseconds.
    tokio::time::sleep(Duration::from_millis(20)).await;
}

/// What a watch tells: what each page shows, or its key if it is gone, and the outcome.
async fn watch(
    settings: Settings,
    told: WatchSettings,
    catalog: &Arc<CatalogWriter>,
) -> (Vec<(String, WatchOutcome)>, WatchReport) {
    let mut visits = Vec::new();
    let watch = Watch::begin(settings, told, catalog.clone()).await.unwrap();
    let report = watch
        .run(|news| {
            if let WatchNews::Visited(visit) = news {
                visits.push(visit);
            }
            Ok::<_, CrawlError>(())
        })
        .await
        .unwrap();
    let mut seen = Vec::new();
    for visit in visits {
        let shown = match visit.outcome {
            WatchOutcome::Gone => visit.key.clone(),
            _ => text(catalog, visit.page).await,
        };
        seen.push((shown, visit.outcome));
    }
    tokio::time::sleep(Duration::from_millis(20)).await;
    (seen, report)
}

async fn text(catalog: &CatalogWriter, page: PageNumber) -> String {
    let version = catalog.version(page, Which::Latest).await.unwrap().unwrap();
    visible_text(&derive::tree_of(&version).unwrap())
}

/// What was told of the one page that shows this, or has it in its key.
fn of(seen: &[(String, WatchOutcome)], shown: &str) -> WatchOutcome {
    let found: Vec<_> = seen.iter().filter(|(text, _)| text.contains(shown)).collect();
    assert_eq!(found.len(), 1, "{shown} in {seen:?}");
    found[0].1
}

fn store() -> (tempfile::TempDir, Arc<CatalogWriter>) {
    let dir = tempfile::tempdir().unwrap();
    let catalog = Arc::new(CatalogWriter::open(dir.path()).unwrap());
    (dir, catalog)
}

/// A page with a button for each of these calls, which shows a text; without a text it does nothing.
fn tabs(calls: &[(&str, &str)]) -> String {
    let button = |(number, (call, _)): (usize, &(&str, &str))| {
        format!("<button onclick=\"{call}()\">{number}</button>")
    };
    let handler = |(call, text): &(&str, &str)| match *text {
        "" => format!("function {call}() {{}}\n"),
        text => format!("function {call}() {{ p.textContent = '{text}' }}\n"),
    };
    format!(
        "<h1>Tabs</h1>{}<p id=p></p><script>{}</script>",
        calls.iter().enumerate().map(button).collect::<String>(),
        calls.iter().map(handler).collect::<String>()
    )
}

/// A site that shows one page of tabs on its first day and another on the next.
async fn two_days(first: &'static [(&str, &str)], next: &'static [(&str, &str)]) -> Days {
    let day = Arc::new(AtomicUsize::new(0));
    let today = day.clone();
    let url = serve(move |_| tabs([first, next][today.load(SeqCst)])).await;
    let (dir, catalog) = store();
    crawl(&url, &catalog).await;
    day.store(1, SeqCst);
    Days { url, catalog, _dir: dir }
}

/// Such a site on its second day, and what is known of it.
struct Days {
    url: String,
    catalog: Arc<CatalogWriter>,
    _dir: tempfile::TempDir,
}

impl Days {
    async fn watch(&self) -> (Vec<(String, WatchOutcome)>, WatchReport) {
        watch(settings(&self.url), AT_ONCE, &self.catalog).await
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn states_are_told_as_changed_unchanged_and_gone_at_an_event_each() {
    let site = two_days(
        &[
            ("stays", "a heron stands in the reeds"),
            ("grows", "the tide is at one metre"),
            ("leaves", "the ferry is still there"),
        ],
        &[
            ("stays", "a heron stands in the reeds"),
            ("grows", "the tide came in over the wall"),
            ("leaves", ""),
        ],
    )
    .await;
    let (seen, report) = site.watch().await;
    assert_eq!(of(&seen, "a heron stands"), WatchOutcome::Unchanged);
    assert_eq!(of(&seen, "the tide came in"), WatchOutcome::Changed);
    assert_eq!(of(&seen, "leaves()"), WatchOutcome::Gone);
    assert!(report.events <= 4, "{} events for three states", report.events);

    let (again, _) = site.watch().await;
    let unchanged = again.iter().all(|(_, outcome)| *outcome == WatchOutcome::Unchanged);
    assert!(unchanged && again.len() == 3, "what is gone is told once: {again:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_state_behind_a_button_that_was_not_there_before_is_new() {
    let site = two_days(
        &[("one", "a lamp by the door")],
        &[("one", "a lamp by the door"), ("two", "somebody put up a tent")],
    )
    .await;
    let (seen, _) = site.watch().await;
    assert_eq!(of(&seen, "a tent"), WatchOutcome::New);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_state_behind_another_call_has_moved() {
    let site = two_days(
        &[("news", "the bridge is open again"), ("weather", "rain from the west")],
        &[("archive", "the bridge is open again"), ("weather", "rain from the west")],
    )
    .await;
    let (seen, _) = site.watch().await;
    assert_eq!(of(&seen, "the bridge is open again"), WatchOutcome::Moved);
    assert_eq!(of(&seen, "rain from the west"), WatchOutcome::Unchanged);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_document_whose_states_are_all_gone_is_explored_as_if_it_were_new() {
    // What did nothing before is the only way to something now.
    let site = two_days(
        &[("one", "a lamp by the door"), ("two", "a chair in the hall"), ("idle", "")],
        &[("one", ""), ("two", ""), ("idle", "everything moved in here")],
    )
    .await;
    let (seen, _) = site.watch().await;
    assert_eq!(of(&seen, "everything moved in here"), WatchOutcome::New);
    assert_eq!(of(&seen, "two()"), WatchOutcome::Gone);
}

#[tokio::test(flavor = "multi_thread")]
async fn no_response_of_an_earlier_visit_is_served_in_a_later_one() {
    let day = Arc::new(AtomicUsize::new(0));
    let today = day.clone();
    let server = Server::start(move |path| {
        match path {
        "/" => html(
            "<button onclick=\"fetch('/api').then(a => a.text()).then(t => { p.textContent = t })\">
             Show</button><p id=p></p>",
        ),
        "/api" => {
            let text = format!("the level is {} today", ["low", "high"][today.load(SeqCst)]);
            // A browser that may keep it for a day asks nobody.
            Some(format!(
                "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nCache-Control: max-age=86400\r\n\
                 Content-Length: {}\r\n\r\n{text}",
                text.len()
            ))
        }
        _ => None,
    }
    })
    .await;
    let (_dir, catalog) = store();
    let url = server.url("/").to_string();
    crawl(&url, &catalog).await;
    // One watch that goes on: the day passes between two visits of it.
    let told = WatchSettings { once: false, ..AT_ONCE };
    let mut visits = Vec::new();
    let watch = Watch::begin(settings(&url), told, catalog.clone()).await.unwrap();
    let meter = watch.meter();
    let ended = watch.run(|news| {
        if let WatchNews::Visited(visit) = news
            && visit.key != visit.url
        {
            visits.push(visit.outcome);
            day.store(1, SeqCst);
            if visits.len() == 2 {
                meter.interrupt();
            }
        }
        Ok::<_, CrawlError>(())
    });
    tokio::time::timeout(Duration::from_secs(120), ended).await.unwrap().unwrap();
    assert_eq!(visits, [WatchOutcome::Unchanged, WatchOutcome::Changed]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_page_that_needs_no_browser_is_asked_for_only_if_it_was_modified() {
    let asked: Arc<Mutex<Vec<Option<String>>>> = Arc::default();
    let log = asked.clone();
    let edition = Arc::new(AtomicUsize::new(1));
    let now = edition.clone();
    let server = Server::with_heads(move |head| {
        let line = |name: &str| {
            head.lines().find_map(|line| {
                let (key, value) = line.split_once(':')?;
                key.eq_ignore_ascii_case(name).then(|| value.trim().to_owned())
            })
        };
        if head.split(' ').nth(1) != Some("/") {
            return None;
        }
        let etag = format!("\"edition {}\"", now.load(SeqCst));
        log.lock().unwrap().push(line("if-none-match"));
        if line("if-none-match").as_deref() == Some(etag.as_str()) {
            return Some(format!("HTTP/1.1 304 Not Modified\r\nETag: {etag}\r\n\r\n"));
        }
        let body = format!("<h1>Edition</h1><p>This is edition {}.</p>", now.load(SeqCst));
        Some(format!(
            "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nETag: {etag}\r\nContent-Length: {}\r\n\r\n{body}",
            body.len()
        ))
    })
    .await;
    let (_dir, catalog) = store();
    let url = server.url("/").to_string();
    let plain = Settings { render: Render::Never, ..settings(&url) };
    Crawl::begin(plain.clone(), catalog.clone()).await.unwrap().run().await.unwrap();
    let mut outcomes = Vec::new();
    for now in [1, 2, 2] {
        tokio::time::sleep(Duration::from_millis(20)).await;
        edition.store(now, SeqCst);
        let (seen, _) = watch(plain.clone(), AT_ONCE, &catalog).await;
        outcomes.extend(seen.into_iter().map(|(_, outcome)| outcome));
    }
    use WatchOutcome::{Changed, Unchanged};
    assert_eq!(outcomes, [Unchanged, Changed, Unchanged]);
    let etag = |edition: usize| Some(format!("\"edition {edition}\""));
    assert_eq!(*asked.lock().unwrap(), [None, etag(1), etag(1), etag(2)]);
    let pages = catalog.pages(PageNumber(0)).await.unwrap();
    assert_eq!(pages.iter().map(|page| page.versions).collect::<Vec<_>>(), [2]);
    assert_eq!(catalog.visits(pages[0].page).await.unwrap().len(), 4);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_page_that_the_server_has_no_more_is_gone_and_its_states_with_it() {
    let day = Arc::new(AtomicUsize::new(0));
    let today = day.clone();
    let server = Server::start(move |path| match path {
        "/" if today.load(SeqCst) == 0 => html(&tabs(&[("one", "a lamp")])),
        _ => None,
    })
    .await;
    let (_dir, catalog) = store();
    let url = server.url("/").to_string();
    crawl(&url, &catalog).await;
    day.store(1, SeqCst);
    let (seen, _) = watch(settings(&url), AT_ONCE, &catalog).await;
    let outcomes: Vec<_> = seen.iter().map(|(_, outcome)| *outcome).collect();
    assert_eq!(outcomes, [WatchOutcome::Gone, WatchOutcome::Gone], "{seen:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_budget_makes_visits_wait_for_each_other() {
    let url = serve(|path| format!("<h1>{path}</h1><a href=/a>a</a> <a href=/b>b</a>")).await;
    let (_dir, catalog) = store();
    crawl(&url, &catalog).await;
    // An hour of it lets one visit through.
    let told = WatchSettings { budget: Some(24.0), once: false, ..AT_ONCE };
    let watch = Watch::begin(settings(&url), told, catalog.clone()).await.unwrap();
    let meter = watch.meter();
    let run = watch.run(|news| {
        if let WatchNews::Waiting { .. } = news {
            meter.interrupt();
        }
        Ok::<_, CrawlError>(())
    });
    let report = tokio::time::timeout(Duration::from_secs(120), run).await.unwrap().unwrap();
    assert_eq!(report.visits, 1);
}
