use crawl::Render;
use derive::Stopped;
use testsite::{Options, SiteKind};

use crate::crawl;

#[tokio::test(flavor = "multi_thread")]
async fn a_page_limit_stops_the_crawl_and_says_so() {
    let crawled = crawl(SiteKind::News, Options::default(), |settings| {
        settings.limits.pages = Some(5);
    })
    .await;
    assert_eq!(crawled.report.stopped, Some(Stopped::MaxPages));
    // A step in hand in each tab may still be finished.
    assert!((5..=5 + 4).contains(&crawled.report.pages), "{:?}", crawled.report);
    assert!(crawled.report.waiting > 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn without_a_browser_links_are_followed_and_event_pages_are_not_found() {
    let crawled = crawl(SiteKind::News, Options::default(), |settings| {
        settings.render = Render::Never;
    })
    .await;
    let truth = crawled.site.truth();
    let by_url = truth.states.iter().filter(|state| state.kind != "comments").count();
    assert!(crawled.report.pages as usize >= by_url, "{:?}", crawled.report);
    assert_eq!((crawled.report.event_pages, crawled.report.rendered), (0, 0));
    assert_eq!(crawled.report.fetched, crawled.report.pages);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_robots_txt_disallows_is_never_asked_for() {
    let crawled = crawl(SiteKind::News, Options::default(), |settings| {
        settings.render = Render::Never;
    })
    .await;
    let truth = crawled.site.truth();
    assert!(!truth.off_limits.is_empty());
    let asked = crawled.site.requests();
    for path in asked.paths.keys() {
        assert!(!truth.off_limits.iter().any(|limit| path.starts_with(limit.as_str())), "{path}");
    }
}
