//! What the filters are worth: less is fired and sent, and nothing is lost.

use crawl::Filters;
use testsite::{Build, Options, SiteKind};

use crate::crawl;

/// A blog of six articles, with comments behind a pager.
fn blog() -> Options {
    Options { size: 6, build: Build::Closures, volatile: false, ..Options::default() }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_site_is_asked_for_everything_once() {
    let crawled = crawl(SiteKind::Blog, blog(), |_| {}).await;
    assert_eq!(crawled.missing().await, Vec::<String>::new());
    let mut repeated = crawled.site.requests().paths;
    repeated.retain(|_, times| *times > 1);
    let times: u64 = repeated.values().map(|times| times - 1).sum();
    let learning = crawled.report.requests.learning.unsigned_abs();
    assert!(times <= learning, "{learning} of them to learn: {repeated:?}");
    // Two checks of each kind of request; two tabs may begin one at the same moment.
    assert!(learning <= 8, "{learning} requests to learn");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_instruction_that_means_the_same_everywhere_is_given_once() {
    // Without patterns: what they save instead would be counted against it.
    let filters = |instruction| Filters { instruction, pattern: false, ..Filters::default() };
    let with = crawl(SiteKind::Blog, blog(), |settings| settings.filters = filters(true));
    let with = with.await.report;
    let without = crawl(SiteKind::Blog, blog(), |settings| settings.filters = filters(false));
    let without = without.await.report;
    assert_eq!(with.pages, without.pages);
    let (saved, more) = (with.events_saved.instruction, without.events_fired - with.events_fired);
    assert!(saved > 100, "{saved} saved");
    assert!(more * 20 >= saved * 19, "{saved} said to be saved, {more} fired without the filter");
}
