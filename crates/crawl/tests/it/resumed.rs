//! A crawl that is cut off and goes on finds what one finds that is not.

use std::sync::Arc;

use crawl::{Crawl, Report, Settings};
use derive::{Limits, Stopped};
use store::CatalogWriter;

use crate::own::{serve, texts};

/// Panes side by side, each with three views.
const PANES: [[&str; 3]; 5] = [
    ["fog on the moor", "a kite over the moor", "a torch on the moor"],
    ["the miller wakes", "flour in the air", "the wheel stops"],
    ["jackdaws argue", "a steeple without shadow", "the first star"],
    ["ducks draw lines", "one cloud in the pond", "frogs begin"],
    ["a milk cart", "a white lane", "two coats walk home"],
];
const HOURS: [&str; 3] = ["dawn", "noon", "dusk"];
const SHIP: [&str; 3] = ["a ship leaves", "a ship in a storm", "a ship comes home"];

fn panes(all: &[[&str; 3]]) -> String {
    let pane = |(pane, views): (usize, &[&str; 3])| {
        let view = |(nth, text): (usize, &&str)| {
            format!("<button onclick=\"show({pane},{nth},'{text}',this)\">{}</button>", HOURS[nth])
        };
        let views: String = views.iter().enumerate().map(view).collect();
        format!("<section><p>{views}</p><div><p>{}</p></div></section>", all[pane][0])
    };
    let script = "<script>function show(pane, nth, text, button) {
        button.closest('section').querySelector('div p').textContent = text
    }</script>";
    let panes: String = all.iter().enumerate().map(pane).collect();
    format!("<main>{panes}</main>{script}")
}

async fn run(url: &str, catalog: &Arc<CatalogWriter>, tabs: usize, events: Option<u64>) -> Report {
    let limits = Limits { events, ..Limits::default() };
    let settings = Settings { tabs, limits, ..Settings::new(vec![url.parse().unwrap()]) };
    Crawl::begin(settings, catalog.clone()).await.unwrap().run().await.unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn panes_side_by_side_are_not_taken_for_volatile_when_a_crawl_goes_on() {
    let url = serve(|path| match path {
        "/" => "<a href=/ship>ship</a> <a href=/bay>bay</a>".into(),
        "/ship" => format!("<h1>The ship</h1>{}", panes(&[SHIP])),
        _ => format!("<h1>The bay</h1>{}", panes(&PANES)),
    })
    .await;
    // The ship teaches that a view is the same wherever it is asked for. In the bay it is not, and the states
    // that are gone back to after the interruption are not those that a short way leads to.
    let dir = tempfile::tempdir().unwrap();
    let catalog = Arc::new(CatalogWriter::open(dir.path()).unwrap());
    let cut_off = run(&url, &catalog, 1, Some(20)).await;
    assert_eq!(cut_off.stopped, Some(Stopped::MaxEvents));
    let report = run(&url, &catalog, 1, None).await;
    assert_eq!(report.merged, 0, "no two of its states are equal");
    let shown = texts(&catalog).await.join("\n");
    let all = PANES.iter().chain(&[SHIP]).flatten();
    let lost: Vec<_> = all.filter(|text| !shown.contains(**text)).collect();
    assert!(lost.is_empty(), "{lost:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_document_with_many_states_to_go_on_with_is_explored_by_one_worker() {
    let url = serve(|_| format!("<h1>The bay</h1>{}", panes(&PANES))).await;
    let dir = tempfile::tempdir().unwrap();
    let catalog = Arc::new(CatalogWriter::open(dir.path()).unwrap());
    run(&url, &catalog, 4, Some(6)).await;
    let report = run(&url, &catalog, 4, None).await;
    assert_eq!(report.pages, 11, "who works alone knows which views were seen");
    assert_eq!(report.waiting, 0);
}
