use testsite::{Options, SiteKind};

use crate::crawl;

#[tokio::test(flavor = "multi_thread")]
async fn every_behaviour_is_reached_and_nothing_is_changed() {
    let crawled = crawl(SiteKind::Maze, Options::default(), |_| {}).await;
    assert_eq!(crawled.missing().await, Vec::<String>::new());
    assert_eq!(crawled.changes(), Vec::<String>::new(), "a crawl changes nothing");
}
