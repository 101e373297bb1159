use search::{Index, Query, SearchError};

use crate::shop::{Shop, at_length, day, page};

const URL: &str = "https://example.org/";

fn story(word: &str) -> String {
    page("News", &[("Tunnel", &at_length("The tunnel stays.")), ("Town", &at_length(word))])
}

#[tokio::test]
async fn the_index_follows_its_store_and_reads_only_what_is_new() {
    let shop = Shop::new();
    shop.import(&[(URL, 0, story("Alpha came."))]).await;
    let (_, first) = shop.updated().await;
    assert!(first.versions == 1 && first.texts > 2, "{first:?}");
    let (_, again) = shop.updated().await;
    assert_eq!((again.changes, again.versions), (0, 0), "nothing to do");
    shop.import(&[(URL, 1, story("Beta came."))]).await;
    let (index, second) = shop.updated().await;
    assert_eq!((second.versions, second.texts), (1, 1), "{second:?}");
    let search = async |text: &str| index.search(&shop.catalog, &Query::new(text)).await.unwrap();
    let alpha = search("alpha").await;
    assert_eq!((alpha.total, alpha.hits[0].is_there, alpha.hits[0].last_seen), (1, false, day(0)));
    let tunnel = search("\"tunnel stays\"").await;
    assert_eq!(
        (tunnel.total, tunnel.hits[0].is_there, tunnel.hits[0].last_seen),
        (1, true, day(1))
    );
}

#[tokio::test]
async fn a_text_that_comes_back_has_two_lives() {
    let shop = Shop::new();
    for (time, word) in [(0, "Alpha came."), (1, "Beta came."), (2, "Alpha came.")] {
        shop.import(&[(URL, time, story(word))]).await;
        shop.index().await;
    }
    let alpha = shop.search(Query::new("alpha")).await;
    assert_eq!(alpha.total, 1, "one text");
    let during = |n| Query { from: Some(day(n)), to: Some(day(n)), ..Query::new("alpha") };
    assert_eq!(shop.search(during(0)).await.total, 1);
    assert_eq!(shop.search(during(1)).await.total, 0, "it was not there then");
    assert_eq!(shop.search(during(2)).await.total, 1);
}

#[tokio::test]
async fn an_index_built_step_by_step_is_the_one_that_is_built_at_once() {
    let shop = Shop::new();
    for (time, word) in
        [(0, "Alpha came."), (1, "Beta came."), (2, "Gamma came."), (3, "Beta came.")]
    {
        shop.import(&[(URL, time, story(word)), ("https://example.org/b", time, story("Delta."))])
            .await;
        shop.index().await;
    }
    let lines = async || {
        let mut lines = Vec::new();
        let index = shop.index().await;
        index
            .each_text_line(&shop.catalog, |line| {
                lines.push(serde_json::to_string(&line).unwrap());
                Ok::<_, SearchError>(())
            })
            .await
            .unwrap();
        lines
    };
    let followed = lines().await;
    Index::remove(&shop.index_path()).unwrap();
    let rebuilt = lines().await;
    assert_eq!(followed, rebuilt);
    assert!(followed.len() > 5);
}

#[tokio::test]
async fn an_index_of_a_store_that_was_begun_anew_is_begun_anew() {
    let shop = Shop::new();
    shop.import(&[(URL, 0, story("Alpha came."))]).await;
    shop.index().await;
    let Shop { directory, catalog } = shop;
    let location = catalog.location().clone();
    drop(catalog);
    store::CatalogWriter::erase(&location).unwrap();
    let catalog = std::sync::Arc::new(store::CatalogWriter::open(&location).unwrap());
    let shop = Shop { directory, catalog };
    shop.import(&[(URL, 5, story("Beta came."))]).await;
    assert_eq!((shop.total("alpha").await, shop.total("beta").await), (0, 1));
}

#[tokio::test]
async fn a_directory_with_anything_else_in_it_is_left_alone() {
    let directory = tempfile::tempdir().unwrap();
    std::fs::write(directory.path().join("letter.txt"), "dear").unwrap();
    assert!(matches!(Index::open(directory.path()), Err(SearchError::NotAnIndex { .. })));
    assert!(Index::remove(directory.path()).is_err());
    assert!(directory.path().join("letter.txt").exists());
}
