//! Versions of blocks, from captures to rows.

use std::sync::Arc;

use crawl::{Crawl, Render, Settings};
use derive::{CutSettings, Found, Import, Processing};
use page::block::KeptCut;
use store::{Began, BlockRow, CatalogWriter, Ended, Imported, Millis, PageNumber, Which};
use testsite::{Build, Options, SiteKind};
use url::Url;

const HOUR: i64 = 3_600_000;

fn open() -> (tempfile::TempDir, Arc<CatalogWriter>) {
    let dir = tempfile::tempdir().unwrap();
    let catalog = Arc::new(CatalogWriter::open(dir.path()).unwrap());
    (dir, catalog)
}

async fn import(catalog: &Arc<CatalogWriter>, versions: &[String]) -> PageNumber {
    let mut import = Import::begin(catalog.clone(), CutSettings::default(), "{}").await.unwrap();
    let mut page = PageNumber(0);
    for (hour, html) in (1..).zip(versions) {
        let url = Url::parse("https://example.org/").unwrap();
        let found = Found { url, time: Millis(hour * HOUR), body: html.clone().into_bytes() };
        page = match import.add(found).await.unwrap() {
            Imported::Version(page, _) | Imported::Again(page) | Imported::Known(page) => page,
            other => panic!("{other:?}"),
        };
    }
    import.finish().await.unwrap();
    page
}

/// What began with a version: added, or changed in some way.
fn began(rows: &[BlockRow], version: i64) -> Vec<&BlockRow> {
    rows.iter().filter(|row| row.first == version && row.began != Began::Recut).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn the_second_visit_to_the_portal_stores_exactly_the_five_blocks_that_changed() {
    for (build, render) in [
        (Build::Inline, Render::Never),
        (Build::Inline, Render::Always),
        (Build::React, Render::Never),
        (Build::React, Render::Always),
    ] {
        let options = Options { build, ..Options::default() };
        let site = testsite::serve(SiteKind::Portal, options).await.unwrap();
        let (_dir, catalog) = open();
        let mut settings = Settings::new(vec![Url::parse(&site.url()).unwrap()]);
        (settings.render, settings.limits.depth) = (render, Some(0));
        let crawl = || async {
            Crawl::begin(settings.clone(), catalog.clone()).await.unwrap().run().await.unwrap()
        };
        crawl().await;
        let page = catalog.find(&site.url()).await.unwrap().unwrap().page;
        let first = catalog.blocks(page, 0).await.unwrap();
        assert_eq!(first.len(), 17, "{build:?} {render:?}: blocks of the first version");

        site.set_clock(site.clock().tomorrow());
        crawl().await;
        let rows = catalog.blocks(page, 0).await.unwrap();
        let changed = began(&rows, 2);
        assert_eq!(changed.len(), 5, "{build:?} {render:?}: {changed:#?}");
        assert_eq!(rows.len(), 17 + 5, "nothing else is stored");
        for row in changed {
            assert!(first.iter().any(|before| before.block == row.lineage), "a lineage goes on");
        }
        let ended: Vec<_> = rows.iter().filter_map(|row| row.ended).collect();
        assert_eq!(ended, [Ended::Changed; 5]);
    }
}

fn page(paragraphs: &[&str]) -> String {
    let body: String = paragraphs
        .iter()
        .map(|text| format!("<section><h2>{text}</h2><p>All there is to say of it, at length.</p><p>And more, so that it is a section.</p></section>"))
        .collect();
    format!("<title>News</title><main>{body}</main>")
}

#[tokio::test(flavor = "multi_thread")]
async fn one_inserted_block_is_one_insertion() {
    let (_dir, catalog) = open();
    let before = page(&["Harbour", "Weather", "Sport"]);
    let after = page(&["Harbour", "Election of the new mayor", "Weather", "Sport"]);
    let page = import(&catalog, &[before, after]).await;
    let rows = catalog.blocks(page, 0).await.unwrap();
    let new = began(&rows, 2);
    assert_eq!(new.len(), 1, "{new:#?}");
    assert_eq!(
        (new[0].began.as_str(), new[0].topic.as_str()),
        ("added", "Election of the new mayor")
    );
    assert!(rows.iter().all(|row| row.ended.is_none()), "nothing ended: {rows:#?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_was_captured_and_not_cut_is_cut_by_the_next_run() {
    let (dir, catalog) = open();
    let versions = [page(&["One", "Two"]), page(&["One", "Three"])];
    // A program that is stopped after the capture, however that happens, leaves exactly this.
    let mut stopped = Import::begin(catalog.clone(), CutSettings::default(), "{}").await.unwrap();
    stopped.stop_processing();
    for (hour, html) in (1..).zip(&versions) {
        let url = Url::parse("https://example.org/").unwrap();
        let found = Found { url, time: Millis(hour * HOUR), body: html.clone().into_bytes() };
        stopped.add(found).await.unwrap();
    }
    stopped.finish().await.unwrap();
    drop(catalog);
    let catalog = Arc::new(CatalogWriter::open(dir.path()).unwrap());
    assert_eq!(catalog.waiting().await.unwrap().uncut, 1);
    let mut processing = Processing::begin(catalog.clone(), CutSettings::default());
    processing.expect_no_more();
    while !processing.is_done().await.unwrap() {}
    assert_eq!(catalog.waiting().await.unwrap().uncut, 0);
    let page = catalog.find("https://example.org/").await.unwrap().unwrap().page;
    let versions = catalog.versions(page).await.unwrap();
    assert_eq!(versions.len(), 2);
    assert!(versions.iter().all(|version| version.layout_changed.is_some()), "both are cut");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_page_cut_anew_shows_no_change_but_what_changed() {
    let item = |n: usize, text: &str| {
        format!(
            "<li><a href=/s/{n}>Story number {n} {text}</a> told at some length by a reporter</li>"
        )
    };
    let list = |changed: usize| {
        let items: String = (0..40)
            .map(|n| {
                item(
                    n,
                    if n == 7 {
                        ["first", "second", "third", "fourth", "fifth"][changed]
                    } else {
                        "same"
                    },
                )
            })
            .collect();
        format!(
            "<title>List</title><main><h1>Stories</h1><ul>{items}</ul></main><footer><p>Imprint and all the rest of it</p></footer>"
        )
    };
    let (_dir, catalog) = open();
    let versions: Vec<String> = (0..5).map(list).collect();
    let page = import(&catalog, &versions).await;
    let rows = catalog.blocks(page, 0).await.unwrap();
    assert!(rows.iter().any(|row| row.began == Began::Recut), "the list is split after a while");
    for version in 2..=5 {
        let new = began(&rows, version);
        assert_eq!(new.len(), 1, "version {version}: {new:#?}");
        let removed = rows
            .iter()
            .filter(|row| row.last == Some(version - 1) && row.ended == Some(Ended::Removed));
        assert_eq!(removed.count(), 0, "version {version}");
    }
    let last = began(&rows, 5)[0].text_len;
    let first = rows.iter().map(|row| row.text_len).max().unwrap();
    assert!(last * 5 < first, "{last} of {first} characters are reported at the end");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_cut_of_a_version_fits_its_tree_and_names_its_blocks() {
    let (_dir, catalog) = open();
    let page = import(&catalog, &[page(&["One", "Two"]), page(&["One", "Three"])]).await;
    let rows = catalog.blocks(page, 0).await.unwrap();
    for number in [1, 2] {
        let version = catalog.version(page, Which::Number(number)).await.unwrap().unwrap();
        let parts = derive::parts_of(&version, &page::tree::Mask::default()).unwrap();
        let kept = KeptCut::from_bytes(&parts.tree, &version.cut.unwrap().layout).unwrap();
        let alive: Vec<i64> = kept.lineages.clone();
        let mut known: Vec<i64> =
            rows.iter().filter(|row| row.is_in(number)).map(|row| row.lineage.0).collect();
        known.sort_unstable();
        assert_eq!(
            {
                let mut sorted = alive;
                sorted.sort_unstable();
                sorted
            },
            known
        );
    }
}
