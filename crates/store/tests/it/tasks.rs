use store::{Access, Catalog, StoreError, TaskKind};

use crate::{SITE, next, open, visit};

#[tokio::test]
async fn work_nearest_to_the_start_comes_first_and_each_piece_once() {
    let dir = tempfile::tempdir().unwrap();
    let catalog = open(dir.path());
    let start = "https://example.org/".to_owned();
    assert_eq!(catalog.seed(SITE, &[start.clone(), start.clone()]).await.unwrap(), 1);
    let task = next(&catalog).await.unwrap();
    assert!(next(&catalog).await.is_none(), "a claimed task is nobody else's");

    let committed = catalog
        .commit_visit(visit(
            &task,
            "home",
            &["https://example.org/a", "https://example.org/b", &start],
        ))
        .await
        .unwrap();
    assert!(committed.explore);
    let depths: Vec<_> = [next(&catalog).await, next(&catalog).await, next(&catalog).await]
        .into_iter()
        .map(|task| task.map(|task| (task.url, task.depth)))
        .collect();
    assert_eq!(
        depths,
        [
            Some(("https://example.org/a".to_owned(), 1)),
            Some(("https://example.org/b".to_owned(), 1)),
            None
        ]
    );
}

#[tokio::test]
async fn a_failing_page_is_tried_again_and_then_given_up_with_its_reason() {
    let dir = tempfile::tempdir().unwrap();
    let catalog = open(dir.path());
    catalog.seed(SITE, &["https://example.org/".into()]).await.unwrap();
    for _ in 0..2 {
        let task = next(&catalog).await.expect("two tries");
        catalog.requeue(&task, 2, 0, "no answer").await.unwrap();
    }
    assert!(next(&catalog).await.is_none());
    let page = catalog.find("https://example.org/").await.unwrap().unwrap();
    assert_eq!((page.condition.as_str(), page.error.as_deref()), ("failed", Some("no answer")));
}

#[tokio::test]
async fn a_store_has_one_crawler_and_many_readers() {
    let dir = tempfile::tempdir().unwrap();
    let missing = Catalog::open(&dir.path().join("none"), Access::Read);
    assert!(matches!(missing, Err(StoreError::Missing(_))));
    let catalog = open(dir.path());
    assert!(matches!(Catalog::open(dir.path(), Access::Crawl), Err(StoreError::InUse(_))));
    catalog.seed(SITE, &["https://example.org/".into()]).await.unwrap();
    let reader = Catalog::open(dir.path(), Access::Read).unwrap();
    assert_eq!(reader.stats().await.unwrap().waiting, 1);
}

#[tokio::test]
async fn a_file_that_is_no_catalog_is_refused_and_left_as_it_is() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("catalog.sqlite3");
    for bytes in [&b""[..], b"not a database, but long enough to look at as one........................................................"] {
        std::fs::write(&file, bytes).unwrap();
        let error = Catalog::open(dir.path(), Access::Read).err().unwrap();
        assert!(error.to_string().contains("catalog.sqlite3 cannot be opened"), "{error}");
        assert_eq!(std::fs::read(&file).unwrap(), bytes);
    }
}

#[tokio::test]
async fn a_new_crawler_takes_over_what_the_last_one_held() {
    let dir = tempfile::tempdir().unwrap();
    {
        let catalog = open(dir.path());
        catalog.seed(SITE, &["https://example.org/".into()]).await.unwrap();
        let task = next(&catalog).await.unwrap();
        catalog.commit_visit(visit(&task, "home", &[])).await.unwrap();
    }
    let catalog = open(dir.path());
    assert!(next(&catalog).await.is_none());
    catalog.release_leases().await.unwrap();
    let task = next(&catalog).await.unwrap();
    assert_eq!((task.kind, task.attempts), (TaskKind::Explore, 1));
    catalog.explored(SITE, task.page).await.unwrap();
    assert_eq!(catalog.stats().await.unwrap().waiting, 0);
}
