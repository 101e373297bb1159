use testsite::{Build, Options, SiteKind};

use crate::crawl;

/// Every comment page of three articles, and nothing done to the site, whatever it is built with.
async fn finds_every_comment_page(build: Build) {
    let crawled = crawl(SiteKind::News, Options { build, ..Options::default() }, |_| {}).await;
    assert_eq!(crawled.missing().await, Vec::<String>::new());
    assert_eq!(crawled.changes(), Vec::<String>::new(), "a crawl changes nothing");
    let keys: Vec<_> = crawled.pages().await.into_iter().map(|page| page.key).collect();
    let mut unique = keys.clone();
    unique.sort();
    unique.dedup();
    assert_eq!(unique.len(), keys.len(), "no page twice");
    // The comment pages after each article's first; one more would be a state told apart wrongly.
    assert_eq!(crawled.report.event_pages, 23, "{:?}", crawled.report);
    assert_eq!(crawled.report.stopped, None);
}

#[tokio::test(flavor = "multi_thread")]
async fn every_comment_page_behind_inline_handlers_is_found() {
    finds_every_comment_page(Build::Inline).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn every_comment_page_behind_react_is_found() {
    finds_every_comment_page(Build::React).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn every_comment_page_behind_jquery_delegation_is_found() {
    finds_every_comment_page(Build::Jquery).await;
}
