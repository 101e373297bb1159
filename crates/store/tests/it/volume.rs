//! What pages with much on them take.

use std::sync::Arc;

use store::{Order, PageStatus, VisitOutcome};

use crate::{Place, SITE, next, visit};

const HOME: &str = "https://example.org/";

async fn a_page_with_hundreds_of_links_makes_a_page_and_an_edge_of_each(place: Place) {
    let catalog = place.open();
    catalog.seed(SITE, &[HOME.into()]).await.unwrap();
    let links: Vec<_> = (0..389).map(|n| format!("{HOME}{n}")).collect();
    let links: Vec<&str> = links.iter().map(String::as_str).collect();
    for (again, new) in [(&links[..200], 200), (&links[100..], 189)] {
        let home = next(&catalog).await.unwrap();
        let before = catalog.waiting().await.unwrap().visits;
        let mut step = visit(&home, "home", again);
        step.explore = false;
        catalog.commit_visit(step).await.unwrap();
        assert_eq!(catalog.waiting().await.unwrap().visits, before - 1 + new);
        catalog.revisit(SITE).await.unwrap();
    }
    let pages = catalog.pages(store::PageNumber(0)).await.unwrap();
    let urls: Vec<_> = pages[1..].iter().map(|page| page.url.as_str()).collect();
    assert_eq!(urls, links, "numbers are given in the order of the links");
    assert!(pages[1..].iter().all(|page| page.condition == PageStatus::Queued));
}

async fn two_urls_of_one_page_at_one_place_are_one_edge(place: Place) {
    let catalog = place.open();
    catalog.seed(SITE, &[HOME.into()]).await.unwrap();
    let home = next(&catalog).await.unwrap();
    let mut step = visit(&home, "home", &["https://example.org/a", "https://example.org/b"]);
    step.links.iter_mut().for_each(|link| link.xpath = "/html/body/img[1]".into());
    step.links[0].refused_because = Some("a write verb".into());
    step.links.push(step.links[0].clone());
    step.links[2].url = "https://example.org/c".into();
    catalog.commit_visit(step).await.unwrap();
    let edges = catalog.edges(store::PageNumber(0)).await.unwrap();
    let kept: Vec<_> = edges.iter().map(|edge| edge.instruction.as_str()).collect();
    assert_eq!(kept, ["https://example.org/b"], "what is refused gives way to what is followed");
}

async fn what_the_pages_of_a_site_share_is_kept_once(place: Place) {
    /// Text that zstd can make nothing of but hexadecimal digits.
    fn noise(seed: usize, hashes: usize) -> String {
        let hash = |at: usize| blake3::hash(format!("{seed} {at}").as_bytes()).to_hex().to_string();
        (0..hashes).map(hash).collect()
    }
    const PAGES: usize = 160;
    let frame = noise(0, 384);
    let page = |nth: usize| format!("<header>{frame}</header><p>{}</p>", noise(nth + 1, 16));
    let mut catalog = place.open();
    let urls: Vec<_> = (0..PAGES).map(|nth| format!("{HOME}{nth}")).collect();
    catalog.seed(SITE, &urls).await.unwrap();
    for nth in 0..PAGES {
        if nth == PAGES / 2 {
            // Whoever goes on later goes on with the same.
            drop(catalog);
            catalog = place.open();
        }
        let task = next(&catalog).await.unwrap();
        let mut step = visit(&task, &format!("page {nth}"), &[]);
        step.explore = false;
        if let VisitOutcome::Captured(capture) = &mut step.outcome {
            capture.body = Some(page(nth).into_bytes());
        }
        catalog.commit_visit(step).await.unwrap();
    }
    let stats = catalog.stats().await.unwrap();
    // A megabyte is kept as it comes, half its size for hexadecimal digits.
    let alone = stats.bytes_raw / 2;
    assert!(stats.bytes_hot < alone * 6 / 10, "{} of {}", stats.bytes_hot, stats.bytes_raw);
    for (nth, url) in urls.iter().enumerate() {
        let number = catalog.find(url).await.unwrap().unwrap().page;
        let version = catalog.version(number, store::Which::Latest).await.unwrap().unwrap();
        assert_eq!(version.body, Some(page(nth).into_bytes()), "{url}");
    }
}

async fn bytes_that_come_twice_are_kept_once_and_texts_may_hold_anything(place: Place) {
    let catalog = place.open();
    catalog.seed(SITE, &[HOME.into(), format!("{HOME}2")]).await.unwrap();
    for nth in 0..2 {
        let task = next(&catalog).await.unwrap();
        let mut step = visit(&task, &format!("page {nth}"), &[]);
        step.explore = false;
        if let VisitOutcome::Captured(capture) = &mut step.outcome {
            capture.title = "zero \0, quote ' and $1 \u{1f980}".into();
            capture.snapshot = Some(b"<p>the same</p>".repeat(100));
            capture.body = capture.snapshot.clone();
        }
        catalog.commit_visit(step).await.unwrap();
    }
    let stats = catalog.stats().await.unwrap();
    assert_eq!(stats.bytes_raw, 4 * 1500);
    assert!(stats.bytes_hot < 100, "{} bytes", stats.bytes_hot);
    let title = catalog.find(HOME).await.unwrap().unwrap().title;
    assert!(title.starts_with("zero ") && title.ends_with(", quote ' and $1 \u{1f980}"), "{title}");
}

async fn visits_that_wait_for_each_other_are_all_kept_and_share_their_links(place: Place) {
    let catalog = Arc::new(place.open());
    let urls: Vec<_> = (0..12).map(|n| format!("{HOME}{n}")).collect();
    catalog.seed(SITE, &urls).await.unwrap();
    let mut visits = tokio::task::JoinSet::new();
    for task in catalog.claim(SITE, SITE, Order::Nearest, urls.len()).await.unwrap() {
        let (own, shared) = (format!("{}/more", task.url), format!("{HOME}shared"));
        let mut step = visit(&task, &task.url, &[&own, &shared, &urls[3]]);
        (step.may_wait, step.explore) = (true, false);
        let catalog = catalog.clone();
        visits.spawn(async move { catalog.commit_visit(step).await.unwrap() });
    }
    visits.join_all().await;
    let pages = catalog.pages(store::PageNumber(0)).await.unwrap();
    assert_eq!(pages.len(), 12 + 12 + 1);
    let of = |url: String| pages.iter().find(|page| page.url == url).unwrap().page;
    let edges = catalog.edges(store::PageNumber(0)).await.unwrap();
    for url in &urls {
        let from = edges.iter().filter(|edge| edge.from == of(url.clone()));
        let mut targets: Vec<_> = from.filter_map(|edge| edge.to).collect();
        let mut wanted =
            [of(format!("{url}/more")), of(format!("{HOME}shared")), of(urls[3].clone())];
        targets.sort_unstable();
        wanted.sort_unstable();
        assert_eq!(targets, wanted, "{url}");
    }
    assert_eq!(catalog.waiting().await.unwrap().visits, 13);
}

crate::on_both_engines![
    a_page_with_hundreds_of_links_makes_a_page_and_an_edge_of_each,
    two_urls_of_one_page_at_one_place_are_one_edge,
    what_the_pages_of_a_site_share_is_kept_once,
    bytes_that_come_twice_are_kept_once_and_texts_may_hold_anything,
    visits_that_wait_for_each_other_are_all_kept_and_share_their_links,
];
