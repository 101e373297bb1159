//! What a site does not answer at once is asked for again, and what it never answers is not waited for.

use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use std::sync::{Arc, Mutex};

use crawl::{Crawl, Settings};
use store::CatalogWriter;

use crate::own::{serve, texts};

const OVERLOADED: &str = "!503 Service Unavailable";
const PARTS: [&str; 3] = ["plums", "medlars", "quinces"];

fn document(parts: &str) -> String {
    format!(
        "<h1>The orchard</h1><p>{parts}</p><iframe src=/frame></iframe><div id=out></div><script>
        async function show(name) {{
            const answer = await fetch('/part/' + name)
            document.getElementById('out').innerHTML =
                answer.ok ? '<p>' + await answer.text() + '</p>' : '<p>Sorry, try later.</p>'
        }}</script>"
    )
}

#[tokio::test(flavor = "multi_thread")]
async fn what_an_overloaded_server_did_not_answer_is_asked_for_again() {
    let asked = Mutex::new(HashMap::<String, u32>::new());
    let button = |name: &&str| format!("<button onclick=\"show('{name}')\">{name}</button>");
    let page = document(&PARTS.iter().map(button).collect::<String>());
    let url = serve(move |path| {
        let mut asked = asked.lock().unwrap();
        let times = asked.entry(path.to_owned()).or_default();
        *times += 1;
        match path.strip_prefix("/part/") {
            None if path == "/" => page.clone(),
            _ if *times == 1 => OVERLOADED.into(),
            None => "<p>The wall around the orchard</p>".into(),
            Some(name) => format!("A basket of {name}"),
        }
    })
    .await;
    let dir = tempfile::tempdir().unwrap();
    let catalog = Arc::new(CatalogWriter::open(dir.path()).unwrap());
    let settings = Settings::new(vec![url.parse().unwrap()]);
    Crawl::begin(settings, catalog.clone()).await.unwrap().run().await.unwrap();
    let shown = texts(&catalog).await.join("\n");
    assert!(shown.contains("The wall around"), "{shown}");
    for name in PARTS {
        assert!(shown.contains(&format!("A basket of {name}")), "{shown}");
    }
    assert!(!shown.contains("Sorry"), "{shown}");
}

/// Crawls a page whose nine parts are never there, and counts how often they are asked for.
async fn asked_for_parts(error: &'static str) -> usize {
    let asked = Arc::new(AtomicUsize::new(0));
    let counted = asked.clone();
    let buttons = (1..=9).map(|n| format!("<button onclick=\"show({n})\">{n}</button>"));
    let page = document(&buttons.collect::<String>());
    let url = serve(move |path| match path.strip_prefix("/part/") {
        None if path == "/" => page.clone(),
        None => "<p>The wall around the orchard</p>".into(),
        Some(_) => {
            counted.fetch_add(1, SeqCst);
            error.into()
        }
    })
    .await;
    let dir = tempfile::tempdir().unwrap();
    let catalog = Arc::new(CatalogWriter::open(dir.path()).unwrap());
    let settings = Settings::new(vec![url.parse().unwrap()]);
    let report = Crawl::begin(settings, catalog.clone()).await.unwrap().run().await.unwrap();
    assert!(texts(&catalog).await.join("\n").contains("Sorry"), "what the page says is kept");
    assert_eq!(report.waiting, 0);
    asked.load(SeqCst)
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_never_answered_is_what_the_page_is_like() {
    let (overloaded, missing) =
        tokio::join!(asked_for_parts(OVERLOADED), asked_for_parts("!404 Not Found"));
    assert!(
        (missing + 1..=missing + 3).contains(&overloaded),
        "{overloaded} requests while it is overloaded, {missing} for what is not there"
    );
}
