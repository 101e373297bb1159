//! Bytes that lie outside of the catalog.

use std::sync::LazyLock;

use pack::{Packer, Settings};
use store::{
    BlobLocation, Catalog, CatalogWriter, NewGroup, Series, StoreError, VisitOutcome, Which,
};
use testsite::S3;

use crate::{Place, SITE, next, visit};

const HOME: &str = "https://example.org/";

static BUCKETS: LazyLock<S3> = LazyLock::new(|| S3::start().expect("the tests need moto"));

fn location(bucket: &str) -> BlobLocation {
    let settings = [
        format!("aws_endpoint={}", BUCKETS.endpoint()),
        "aws_access_key_id=test".into(),
        "aws_secret_access_key=secret".into(),
        "aws_region=us-east-1".into(),
    ];
    format!("s3://{bucket}/archive?{}", settings.join("&")).parse().unwrap()
}

fn open(place: &Place, bucket: &str) -> CatalogWriter {
    CatalogWriter::open_with_blobs(&place.location, Some(&location(bucket))).unwrap()
}

fn read(place: &Place, bucket: &str) -> Result<Catalog, StoreError> {
    Catalog::open_with_blobs(&place.location, Some(&location(bucket)))
}

/// Visits the start page, which shows this.
async fn capture(catalog: &CatalogWriter, text: &str, snapshot: &[u8]) {
    catalog.seed(SITE, &[HOME.into()]).await.unwrap();
    catalog.revisit(SITE).await.unwrap();
    let task = next(catalog).await.unwrap();
    let mut step = visit(&task, text, &[]);
    step.explore = false;
    if let VisitOutcome::Captured(capture) = &mut step.outcome {
        capture.snapshot = Some(snapshot.to_vec());
        capture.body = Some(b"short".to_vec());
        capture.looks = Some(Vec::new());
    }
    catalog.commit_visit(step).await.unwrap();
}

async fn what_lies_outside_is_read_as_if_it_did_not(place: Place) {
    let bucket = BUCKETS.bucket().unwrap();
    let long = b"<p>something to say</p>".repeat(1000);
    let catalog = open(&place, &bucket);
    capture(&catalog, "home", &long).await;
    let objects = BUCKETS.objects(&bucket).unwrap();
    let hash = blake3::hash(&long).to_hex();
    let (first, rest) = hash.split_at(2);
    assert!(objects.contains(&format!("archive/{first}/{rest}.zst")), "{objects:?}");
    assert!(objects.iter().filter(|name| name.ends_with(".zst")).count() == 1, "{objects:?}");

    let page = catalog.find(HOME).await.unwrap().unwrap().page;
    let version = catalog.version(page, Which::Latest).await.unwrap().unwrap();
    assert_eq!(version.snapshot.as_deref(), Some(long.as_slice()));
    assert_eq!(version.body.as_deref(), Some(&b"short"[..]));
    assert_eq!(version.looks.as_deref(), Some(&[][..]), "nothing is something, too");
    let stats = catalog.stats().await.unwrap();
    assert!(stats.bytes_hot > 5 && stats.bytes_hot < 1000, "{}", stats.bytes_hot);
    let line = catalog.versions(page).await.unwrap().remove(0);
    assert_eq!(line.bytes_stored, stats.bytes_hot);

    drop(catalog);
    let reader = read(&place, &bucket).unwrap();
    let version = reader.version(page, Which::Latest).await.unwrap().unwrap();
    assert_eq!(version.snapshot.unwrap(), long);
}

async fn the_same_bytes_are_put_once_and_stay_where_they_were_put_first(place: Place) {
    let (early, late) = (b"<p>early</p>".repeat(50), b"<p>late</p>".repeat(50));
    let catalog = place.open();
    capture(&catalog, "early", &early).await;
    drop(catalog);
    let bucket = BUCKETS.bucket().unwrap();
    let catalog = open(&place, &bucket);
    capture(&catalog, "late", &late).await;
    assert_eq!(BUCKETS.objects(&bucket).unwrap().len(), 1, "only what the catalog did not have");
    capture(&catalog, "early again", &early).await;
    capture(&catalog, "late again", &late).await;
    assert_eq!(BUCKETS.objects(&bucket).unwrap().len(), 1);
    let page = catalog.find(HOME).await.unwrap().unwrap().page;
    for (number, bytes) in [(1, &early), (2, &late), (3, &early), (4, &late)] {
        let version = catalog.version(page, Which::Number(number)).await.unwrap().unwrap();
        assert_eq!(version.snapshot.as_ref(), Some(bytes));
    }
}

async fn what_is_gone_from_outside_is_damaged_and_what_was_put_in_vain_is_no_error(place: Place) {
    let bucket = BUCKETS.bucket().unwrap();
    let catalog = open(&place, &bucket);
    let bytes = b"<p>something to say</p>".repeat(1000);
    capture(&catalog, "home", &bytes).await;
    let objects = BUCKETS.objects(&bucket).unwrap();
    // As if the commit that it was put for had failed.
    place.tamper("DELETE FROM version; DELETE FROM blob");
    capture(&catalog, "home", &bytes).await;
    assert_eq!(BUCKETS.objects(&bucket).unwrap(), objects);
    let page = catalog.find(HOME).await.unwrap().unwrap().page;
    assert!(catalog.version(page, Which::Latest).await.unwrap().is_some());
    for object in objects {
        BUCKETS.remove(&bucket, &object).unwrap();
    }
    let damaged = catalog.version(page, Which::Latest).await.err().unwrap();
    assert!(matches!(damaged, StoreError::Damaged(_)), "{damaged}");
}

async fn objects_of_what_was_sealed_or_is_needed_no_more_are_removed(place: Place) {
    let bucket = BUCKETS.bucket().unwrap();
    let catalog = open(&place, &bucket);
    let says = |day: usize| format!("<p>{}</p>", format!("day {day} ").repeat(200)).into_bytes();
    for day in 0..6 {
        capture(&catalog, &format!("day {day}"), &says(day)).await;
    }
    let before = BUCKETS.objects(&bucket).unwrap();
    let page = catalog.find(HOME).await.unwrap().unwrap().page;
    let waiting = catalog.unsealed(SITE, Series::Page(page), false).await.unwrap();
    let (_, restored) = catalog.restore(&waiting).await.unwrap();
    let mut packer = Packer::new(Settings::default(), None);
    for (_, bytes) in &restored {
        assert!(packer.push(bytes).unwrap());
    }
    let group = NewGroup {
        site: SITE.into(),
        bytes: packer.finish(),
        base: None,
        members: restored.iter().map(|(blob, _)| blob.blob).collect(),
        raw_size: 1,
    };
    catalog.seal_group(group).await.unwrap();
    catalog.sweep().await.unwrap();
    let after = BUCKETS.objects(&bucket).unwrap();
    let name = |bytes: &[u8]| {
        let hash = blake3::hash(bytes).to_hex();
        format!("archive/{}/{}.zst", &hash[..2], &hash[2..])
    };
    assert!(before.contains(&name(&says(2))) && !after.contains(&name(&says(2))), "{after:?}");
    assert!(after.contains(&name(&says(5))), "the latest is not sealed: {after:?}");
    assert!(after.len() < before.len(), "{} of {}", after.len(), before.len());

    // What nothing refers to any more goes, too; all else is what it was.
    place.tamper("DELETE FROM version WHERE version = 6");
    catalog.sweep().await.unwrap();
    assert!(!BUCKETS.objects(&bucket).unwrap().contains(&name(&says(5))));
    for day in 0..5 {
        let version = catalog.version(page, Which::Number(day as i64 + 1)).await.unwrap().unwrap();
        assert_eq!(version.snapshot, Some(says(day)));
    }
    // Put again, it is there again.
    capture(&catalog, "day 6", &says(5)).await;
    let version = catalog.version(page, Which::Latest).await.unwrap().unwrap();
    assert_eq!(version.snapshot, Some(says(5)));
}

async fn a_store_remembers_where_its_blobs_are_and_nothing_secret(place: Place) {
    let bucket = BUCKETS.bucket().unwrap();
    drop(open(&place, &bucket));
    drop(open(&place, &bucket));
    let other = read(&place, "elsewhere").err().unwrap();
    assert!(matches!(&other, StoreError::OtherBlobs { .. }), "{other}");
    assert!(other.to_string().contains(&format!("s3://{bucket}/archive, not at")), "{other}");
    assert!(!other.to_string().contains("secret"), "{other}");
}

async fn a_bucket_that_is_not_there_is_an_error_and_keeps_nothing(place: Place) {
    let catalog = open(&place, "nobody-made-this");
    catalog.seed(SITE, &[HOME.into()]).await.unwrap();
    let task = next(&catalog).await.unwrap();
    let failed = catalog.commit_visit(visit(&task, "home", &[])).await.unwrap_err();
    assert!(failed.to_string().contains("s3://nobody-made-this/archive"), "{failed}");
    assert_eq!(catalog.stats().await.unwrap().versions, 0);
}

crate::on_both_engines![
    what_lies_outside_is_read_as_if_it_did_not,
    the_same_bytes_are_put_once_and_stay_where_they_were_put_first,
    objects_of_what_was_sealed_or_is_needed_no_more_are_removed,
    what_is_gone_from_outside_is_damaged_and_what_was_put_in_vain_is_no_error,
    a_store_remembers_where_its_blobs_are_and_nothing_secret,
    a_bucket_that_is_not_there_is_an_error_and_keeps_nothing,
];
