//! Pages written for one question each, on a server of the test's own.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};

use crawl::{Crawl, CrawlError, Render, Settings};
use page::types::TypeMethod;
use store::{Catalog, CatalogWriter, PageNumber, Which};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;

/// Serves what `answer` says for each path, a connection a request. What begins with an arrow is
/// somewhere else: `-> /there`. An error begins with `!`: `!404 Not Found`.
pub async fn serve(answer: impl Fn(&str) -> String + Send + Sync + 'static) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/", listener.local_addr().unwrap());
    let answer = Arc::new(answer);
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            let answer = answer.clone();
            tokio::spawn(async move {
                let mut head = vec![0; 8192];
                let read = stream.read(&mut head).await.unwrap_or(0);
                let head = String::from_utf8_lossy(&head[..read]);
                let path = head.split(' ').nth(1).unwrap_or("/").to_owned();
                let (status, body) = match path.as_str() {
                    "/robots.txt" => ("404 Not Found".to_owned(), String::new()),
                    path => ("200 OK".to_owned(), answer(path)),
                };
                let (status, body) = match body.strip_prefix("-> ") {
                    Some(to) => (format!("302 Found\r\nLocation: {to}"), String::new()),
                    None => (status, body),
                };
                let (status, body) = match body.strip_prefix('!') {
                    Some(error) => (format!("{error}\r\nRetry-After: 0"), String::new()),
                    None => (status, body),
                };
                let text = format!(
                    "HTTP/1.1 {status}\r\nContent-Type: text/html; charset=utf-8\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{body}",
                    body.len()
                );
                let _ = stream.write_all(text.as_bytes()).await;
            });
        }
    });
    url
}

async fn crawl(url: &str, catalog: &Arc<CatalogWriter>) {
    let settings = Settings::new(vec![url.parse().unwrap()]);
    Crawl::begin(settings, catalog.clone()).await.unwrap().run().await.unwrap();
}

pub async fn texts(catalog: &Catalog) -> Vec<String> {
    let mut texts = Vec::new();
    for page in catalog.pages(PageNumber(0)).await.unwrap() {
        if let Some(version) = catalog.version(page.page, Which::Latest).await.unwrap() {
            let snapshot = version.snapshot.unwrap_or_default();
            let dom = page::tree::restore(std::str::from_utf8(&snapshot).unwrap()).unwrap();
            texts.push(page::tree::visible_text(&dom));
        }
    }
    texts
}

#[tokio::test(flavor = "multi_thread")]
async fn every_choice_of_a_select_with_a_listener_is_a_state() {
    let url = serve(|_| {
        "<select id=s><option value=a>Alpha<option value=b>Beta<option value=c>Gamma</select><p id=p></p>
         <script>s.addEventListener('change', () => { p.textContent = 'You have chosen ' + s.value; })</script>"
            .into()
    })
    .await;
    let dir = tempfile::tempdir().unwrap();
    let catalog = Arc::new(CatalogWriter::open(dir.path()).unwrap());
    crawl(&url, &catalog).await;
    let texts = texts(&catalog).await;
    for choice in ["You have chosen b", "You have chosen c"] {
        assert!(texts.iter().any(|text| text.contains(choice)), "{choice} of {texts:?}");
    }
    assert!(!texts.iter().any(|text| text.ends_with("You have chosen ")));
}

#[tokio::test(flavor = "multi_thread")]
async fn running_it_again_keeps_what_changed_behind_an_event() {
    let day = Arc::new(AtomicUsize::new(1));
    let today = day.clone();
    let url = serve(move |path| match path {
        "/api/news" => format!("News of day {}", today.load(SeqCst)),
        _ => "<button onclick=\"fetch('/api/news').then(a => a.text()).then(t => { p.textContent = t })\">Show news</button><p id=p></p>".into(),
    })
    .await;
    let dir = tempfile::tempdir().unwrap();
    let catalog = Arc::new(CatalogWriter::open(dir.path()).unwrap());
    for today in [1, 2] {
        day.store(today, SeqCst);
        crawl(&url, &catalog).await;
        let texts = texts(&catalog).await;
        assert_eq!(texts.len(), 2);
        assert!(texts[1].contains(&format!("News of day {today}")), "{texts:?}");
    }
    let pages = catalog.pages(PageNumber(0)).await.unwrap();
    assert_eq!(pages.iter().map(|page| page.versions).collect::<Vec<_>>(), [1, 2]);
}

/// A board and its threads, of one to thirty posts: one template of very different lengths.
fn board(path: &str) -> String {
    match path.strip_prefix("/thread/").and_then(|posts| posts.parse().ok()) {
        Some(posts) => "<div class=post><p>Text</p></div>".repeat(posts),
        None => {
            let row = |posts: u32| format!("<li><a href=/thread/{posts}>Thread {posts}</a></li>");
            format!("<ul>{}</ul>", [1, 2, 29, 30].map(row).concat())
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn pages_are_typed_by_tree_distance_if_that_is_chosen() {
    let url = serve(board).await;
    for (method, types) in [(TypeMethod::Places, 2), (TypeMethod::Rtdm, 3)] {
        let dir = tempfile::tempdir().unwrap();
        let catalog = Arc::new(CatalogWriter::open(dir.path()).unwrap());
        let settings = |types| Settings {
            types,
            render: Render::Never,
            ..Settings::new(vec![url.parse().unwrap()])
        };
        let crawl = Crawl::begin(settings(method), catalog.clone()).await.unwrap();
        let report = crawl.run().await.unwrap();
        assert_eq!((report.pages, report.page_types), (5, types), "{method}");
        let other = match method {
            TypeMethod::Places => TypeMethod::Rtdm,
            TypeMethod::Rtdm => TypeMethod::Places,
        };
        let refused = Crawl::begin(settings(other), catalog).await;
        assert!(matches!(refused, Err(CrawlError::OtherTypes { kept, .. }) if kept == method));
    }
}
