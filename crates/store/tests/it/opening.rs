//! Who may open a store, and what is said to those who may not.

use store::{Catalog, CatalogWriter, Location, StoreError};

use crate::{Place, SITE, next};

const HOME: &str = "https://example.org/";

#[tokio::test]
async fn a_directory_has_one_crawler_and_many_readers() {
    let place = Place::sqlite();
    let catalog = place.open();
    let second = CatalogWriter::open(&place.location);
    assert!(matches!(second, Err(StoreError::InUse(_))));
    catalog.seed(SITE, &[HOME.into()]).await.unwrap();
    let reader = Catalog::open(&place.location).unwrap();
    assert_eq!(reader.stats().await.unwrap().waiting, 1);
}

#[tokio::test]
async fn a_file_that_is_no_catalog_is_refused_and_left_as_it_is() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("catalog.sqlite3");
    std::fs::write(&file, [b'x'; 200]).unwrap();
    let error = Catalog::open(dir.path()).err().unwrap();
    assert!(error.to_string().contains("catalog.sqlite3 cannot be opened"), "{error}");
    assert_eq!(std::fs::read(&file).unwrap(), [b'x'; 200]);
}

/// Whoever is killed before there is a table leaves no store, and the next one makes it.
#[tokio::test]
async fn a_store_that_was_not_made_to_its_end_is_none_until_it_is_made() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("catalog.sqlite3");
    let is_missing = || matches!(Catalog::open(dir.path()).err(), Some(StoreError::Missing(_)));
    std::fs::write(&file, b"").unwrap();
    assert!(is_missing());
    let bare = rusqlite::Connection::open(&file).unwrap();
    bare.execute_batch("PRAGMA page_size = 2048; PRAGMA journal_mode = WAL").unwrap();
    drop(bare);
    assert!(is_missing());
    drop(CatalogWriter::open(dir.path()).unwrap());
    assert!(!is_missing());
}

async fn a_store_that_is_not_there_is_not_made_by_a_reader(place: Place) {
    for _ in 0..2 {
        let missing = Catalog::open(&place.location);
        assert!(matches!(missing, Err(StoreError::Missing(_))));
    }
}

async fn who_may_only_read_is_refused_to_write(place: Place) {
    drop(place.open());
    let reader = CatalogWriter::refusing(Catalog::open(&place.location).unwrap());
    let refused = reader.seed(SITE, &[HOME.into()]).await;
    assert!(matches!(refused, Err(StoreError::ReadOnly)), "{refused:?}");
}

#[tokio::test]
async fn a_closed_store_is_one_file() {
    let place = Place::sqlite();
    let Location::Directory(path) = &place.location else { unreachable!("a directory") };
    for round in 0..20 {
        let catalog = place.open();
        catalog.seed(SITE, &[format!("{HOME}{round}")]).await.unwrap();
        assert!(catalog.find(HOME).await.unwrap().is_none());
        drop(catalog);
        assert!(!path.join("catalog.sqlite3-wal").exists(), "round {round}");
    }
}

#[tokio::test]
async fn a_reader_leaves_no_trace_in_a_directory() {
    let place = Place::sqlite();
    drop(place.open());
    let Location::Directory(path) = &place.location else { unreachable!("a directory") };
    let file = path.join("catalog.sqlite3");
    let before = std::fs::read(&file).unwrap();
    let reader = Catalog::open(path).unwrap();
    assert_eq!(reader.stats().await.unwrap().pages, 0);
    drop(reader);
    assert!(std::fs::read(&file).unwrap() == before);
}

async fn an_erased_store_is_empty_when_it_is_opened_again(place: Place) {
    let catalog = place.open();
    catalog.seed(SITE, &[HOME.into()]).await.unwrap();
    drop(catalog);
    CatalogWriter::erase(&place.location).unwrap();
    assert!(next(&place.open()).await.is_none());
}

#[tokio::test]
async fn two_machines_that_open_a_new_database_at_once_both_find_a_store() {
    let place = Place::postgres();
    let open = || {
        let location = place.location.clone();
        tokio::task::spawn_blocking(move || CatalogWriter::open(location).map(drop))
    };
    for opened in [open(), open(), open(), open()] {
        opened.await.unwrap().unwrap();
    }
}

#[tokio::test]
async fn a_server_that_is_not_there_is_named_without_the_password() {
    let nowhere: Location = "postgres://ann:secret@127.0.0.1:1/crawls".parse().unwrap();
    let error = CatalogWriter::open(&nowhere).err().unwrap().to_string();
    assert!(error.contains("postgres://ann@127.0.0.1:1/crawls"), "{error}");
    assert!(!error.contains("secret"), "{error}");
}

crate::on_both_engines![
    a_store_that_is_not_there_is_not_made_by_a_reader,
    who_may_only_read_is_refused_to_write,
    an_erased_store_is_empty_when_it_is_opened_again,
];
