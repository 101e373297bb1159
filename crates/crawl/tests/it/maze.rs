use testsite::{Build, Options, SiteKind};

use crate::crawl;

/// Every state of the truth, every endless series ended and reported, and nothing done to the site,
/// whatever it is built with.
async fn leaves_the_maze(build: Build) {
    let crawled = crawl(SiteKind::Maze, Options { build, ..Options::default() }, |_| {}).await;
    assert_eq!(crawled.missing().await, Vec::<String>::new());
    assert_eq!(crawled.changes(), Vec::<String>::new(), "a crawl changes nothing");
    assert_eq!(crawled.report.stopped, None, "it ends by itself");
    let reported = |path: &str| crawled.report.traps.iter().any(|trap| trap.what.contains(path));
    let unnoticed: Vec<_> =
        crawled.site.truth().traps.iter().filter(|trap| !reported(&trap.path)).collect();
    assert!(unnoticed.is_empty(), "{unnoticed:?} of {:?}", crawled.report.traps);
    let loads = crawled.report.restores_by["load"].times;
    assert!(loads * 10 <= crawled.report.event_pages * 3, "{loads} loads to return");
}

#[tokio::test(flavor = "multi_thread")]
async fn every_behaviour_inside_shadow_roots_is_reached() {
    leaves_the_maze(Build::Lit).await;
}
