//! The tiers that bytes move through, and what is left when some of them are damaged.

use std::collections::BTreeMap;

use pack::{Packer, Settings};
use store::{
    Capture, CatalogWriter, ImportStep, Imported, Millis, NewGroup, PageNumber, Series, StoreError,
    Which,
};

use crate::{Place, SITE, capture};

const HOME: &str = "https://example.org/";
const VERSIONS: usize = 40;

/// A page of which each version differs a little from the one before.
fn page(version: usize) -> Vec<u8> {
    let row = |row: usize| {
        let changed = if row < version { version } else { 0 };
        let text = blake3::hash(format!("{row} {changed}").as_bytes()).to_hex();
        format!("<li><a href=\"/{row}\">{text}</a></li>\n")
    };
    let rows: String = (0..200).map(row).collect();
    format!("<ul>{rows}</ul>").into_bytes()
}

async fn import(catalog: &CatalogWriter, version: usize) -> PageNumber {
    let new =
        Capture { snapshot: None, body: Some(page(version)), ..*capture(&version.to_string()) };
    let step = ImportStep {
        site: SITE.into(),
        url: HOME.into(),
        time: Millis(1_000 * (version as i64 + 1)),
        capture: Some(new),
        state: None,
        exchanges: Vec::new(),
    };
    match catalog.import(step).await.unwrap() {
        Imported::Version(page, _) => page,
        other => panic!("version {version} is {other:?}"),
    }
}

async fn filled(place: &Place) -> (CatalogWriter, PageNumber) {
    let catalog = place.open();
    let mut page = PageNumber(0);
    for version in 0..VERSIONS {
        page = import(&catalog, version).await;
    }
    (catalog, page)
}

/// Packs all versions but the latest into groups of ten.
async fn seal(catalog: &CatalogWriter, page: PageNumber) {
    let waiting = catalog.unsealed(SITE, Series::Page(page), false).await.unwrap();
    let mut last = catalog.last_sealed(SITE, page).await.unwrap();
    for some in waiting.chunks(10) {
        let key = match last {
            Some(last) => catalog.key_of(last).await.unwrap(),
            None => None,
        };
        let (base, key) = key.unzip();
        let (tried, restored) = catalog.restore(some).await.unwrap();
        assert_eq!((tried, restored.len()), (some.len(), some.len()));
        let mut packer = Packer::new(Settings::default(), key.as_deref());
        for (_, bytes) in &restored {
            assert!(packer.push(bytes).unwrap());
        }
        let group = NewGroup {
            site: SITE.into(),
            bytes: packer.finish(),
            base,
            members: some.iter().map(|blob| blob.blob).collect(),
            raw_size: some.iter().map(|blob| blob.raw_size).sum(),
        };
        last = Some(catalog.seal_group(group).await.unwrap());
    }
}

async fn assert_all_there(catalog: &store::Catalog, page_number: PageNumber, versions: usize) {
    for version in 0..versions {
        let which = Which::Number(version as i64 + 1);
        let kept = catalog.version(page_number, which).await.unwrap().unwrap();
        assert!(kept.body.unwrap() == page(version), "version {version} is another one");
    }
}

async fn a_version_that_resembles_the_one_before_takes_little(place: Place) {
    let (catalog, page_number) = filled(&place).await;
    assert_all_there(&catalog, page_number, VERSIONS).await;
    let lines = catalog.versions(page_number).await.unwrap();
    let first = lines[0].bytes_stored;
    assert!(lines[1].bytes_stored * 50 < first, "{} of {first}", lines[1].bytes_stored);
    // Whoever opens the store later goes on with patches of what it finds.
    drop(catalog);
    let catalog = place.open();
    import(&catalog, VERSIONS).await;
    let line = catalog.versions(page_number).await.unwrap().pop().unwrap();
    assert!(line.bytes_stored * 3 < first, "{} of {first}", line.bytes_stored);
    assert_all_there(&catalog, page_number, VERSIONS + 1).await;
}

async fn what_is_sealed_is_what_it_was_before_and_after_the_sweep(place: Place) {
    let (catalog, page_number) = filled(&place).await;
    let before = catalog.stats().await.unwrap();
    seal(&catalog, page_number).await;
    assert_all_there(&catalog, page_number, VERSIONS).await;
    // As if the program had ended here: sealing again has nothing to do but to sweep.
    drop(catalog);
    let catalog = place.open();
    let swept = catalog.sweep().await.unwrap();
    assert!(swept.removed >= VERSIONS as i64 - 1, "{swept:?}");
    assert_eq!(catalog.sealed_versions().await.unwrap(), VERSIONS as i64 - 1);
    assert_eq!(catalog.unsealed(SITE, Series::Page(page_number), false).await.unwrap(), []);
    assert_all_there(&catalog, page_number, VERSIONS).await;
    let after = catalog.stats().await.unwrap();
    assert_eq!(after.bytes_raw, before.bytes_raw);
    let (now, then) = (after.bytes_hot + after.bytes_cold, before.bytes_hot);
    assert!(now < then, "{now} of {then}");
    assert!(catalog.versions(page_number).await.unwrap()[3].bytes_stored > 0);

    // It goes on from there, with patches of what is sealed, which are sealed in their turn.
    for version in VERSIONS..VERSIONS + 20 {
        import(&catalog, version).await;
    }
    seal(&catalog, page_number).await;
    catalog.sweep().await.unwrap();
    assert_all_there(&catalog, page_number, VERSIONS + 20).await;
    catalog.compact().unwrap();
    let reader = store::Catalog::open(&place.location).unwrap();
    assert_all_there(&reader, page_number, VERSIONS + 20).await;
}

async fn what_nothing_refers_to_is_swept_and_nothing_else_is(place: Place) {
    let (catalog, page_number) = filled(&place).await;
    assert_eq!(catalog.sweep().await.unwrap().removed, 0);
    // The latest ten versions are forgotten; the others need none of them.
    place.tamper("DELETE FROM version WHERE version > 30");
    let swept = catalog.sweep().await.unwrap();
    assert_eq!(swept.removed, 10, "{swept:?}");
    assert_all_there(&catalog, page_number, 30).await;
}

async fn verify(catalog: &store::Catalog) -> Vec<store::Lost> {
    let (mut last, mut bad, mut checked) = (0, BTreeMap::new(), 0);
    while let Some(some) = catalog.check_blobs(last).await.unwrap() {
        last = some.last;
        checked += some.checked;
        bad.extend(some.bad);
    }
    assert_eq!(checked, catalog.count_blobs().await.unwrap());
    catalog.lost(bad).await.unwrap()
}

async fn a_damaged_group_is_told_and_takes_nothing_else_with_it(place: Place) {
    let (catalog, page_number) = filled(&place).await;
    seal(&catalog, page_number).await;
    catalog.sweep().await.unwrap();
    assert_eq!(verify(&catalog).await, []);
    drop(catalog);
    // The third of four groups, on which the fourth rests, and on that the latest version.
    let zeros = match &place.location {
        store::Location::Directory(_) => "zeroblob(100)",
        store::Location::Postgres(_) => "'\\x00'",
    };
    place.tamper(&format!(
        "UPDATE blob SET data = {zeros}
         WHERE blob = (SELECT blob FROM blob WHERE codec = 4 ORDER BY blob LIMIT 1 OFFSET 2)"
    ));
    let catalog = store::Catalog::open(&place.location).unwrap();
    let lost = verify(&catalog).await;
    let versions: Vec<_> = lost.iter().filter_map(|lost| lost.version).collect();
    assert_eq!(versions, (21..=40).collect::<Vec<_>>(), "{lost:?}");
    assert!(
        lost.iter().all(|lost| lost.key.as_deref() == Some(HOME) && lost.what == "version.body")
    );
    assert_all_there(&catalog, page_number, 20).await;
    let gone = catalog.version(page_number, Which::Number(25)).await.unwrap_err();
    assert!(matches!(gone, StoreError::Damaged(_)), "{gone}");
}

crate::on_both_engines!(
    a_version_that_resembles_the_one_before_takes_little,
    what_is_sealed_is_what_it_was_before_and_after_the_sweep,
    what_nothing_refers_to_is_swept_and_nothing_else_is,
    a_damaged_group_is_told_and_takes_nothing_else_with_it,
);
