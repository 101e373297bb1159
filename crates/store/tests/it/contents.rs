//! What blocks hold, once for all pages of a site.

use store::{
    Began, BlockNumber, BlockRow, Capture, CatalogWriter, ContentId, CutStep, Ended, FirstCut,
    ImportStep, Imported, Millis, NewBlock, PageNumber,
};

use crate::{Place, SITE, capture};

const DAY: i64 = 86_400_000;

/// A block that says this, as the next of its page.
fn block(number: i64, says: &str) -> NewBlock {
    let digest = blake3::hash(says.as_bytes());
    NewBlock {
        block: BlockNumber(number),
        lineage: BlockNumber(number),
        began: Began::Added,
        share: 1000,
        numbers: false,
        level: 1,
        label: "navigation".into(),
        topic: says.into(),
        text_len: says.len() as i64,
        hash: u64::from_le_bytes(*digest.as_bytes().first_chunk().unwrap()),
    }
}

fn content(says: &str) -> ContentId {
    let new = block(1, says);
    ContentId::of(new.hash, &new.label, &new.topic)
}

/// The first version of a page, of these blocks.
async fn page(catalog: &CatalogWriter, url: &str, day: i64, says: &[&str]) -> PageNumber {
    let begun = (1..).zip(says).map(|(number, says)| block(number, says)).collect();
    let (layout, meta) = (url.as_bytes().to_vec(), b"{}".to_vec());
    let cut = FirstCut { level: 1, layout, meta, begun, waits_for_wrapper: false };
    add(catalog, url, day, Capture { cut: Some(cut), ..*capture(&says.concat()) }).await
}

async fn add(catalog: &CatalogWriter, url: &str, day: i64, capture: Capture) -> PageNumber {
    let step = ImportStep {
        site: SITE.into(),
        url: url.into(),
        time: Millis(day * DAY),
        capture: Some(capture),
        state: None,
        exchanges: Vec::new(),
    };
    match catalog.import(step).await.unwrap() {
        Imported::Version(page, _) => page,
        other => panic!("{other:?}"),
    }
}

/// The next version of a page, in which a block says something else.
async fn change(catalog: &CatalogWriter, url: &str, day: i64, old: i64, new: NewBlock) {
    let capture = Capture { snapshot: Some(new.topic.clone().into()), ..*capture(&new.topic) };
    add(catalog, url, day, capture).await;
    let uncut = catalog.claim_uncut().await.unwrap().unwrap();
    let step = CutStep {
        level: Some(1),
        layout: Some(new.topic.clone().into()),
        meta: Some(b"{}".to_vec()),
        ended: vec![(BlockNumber(old), Ended::Changed)],
        begun: vec![NewBlock { lineage: BlockNumber(old), began: Began::Text, ..new }],
        ..CutStep::uncuttable(&uncut)
    };
    catalog.commit_cut(step).await.unwrap();
}

const ONE: &str = "https://example.org/1";
const TWO: &str = "https://example.org/2";

async fn a_block_that_is_on_many_pages_is_kept_once(place: Place) {
    let catalog = place.open();
    let one = page(&catalog, ONE, 1, &["menu", "a story", "foot"]).await;
    let two = page(&catalog, TWO, 2, &["menu", "another story", "foot"]).await;
    let stats = catalog.stats().await.unwrap();
    assert_eq!((stats.blocks, stats.contents), (6, 4));

    let shared = catalog.pages_that_share(one, 1).await.unwrap();
    let on = |says: &str| shared.get(&content(says)).copied();
    assert_eq!((on("menu"), on("a story"), on("another story")), (Some(2), Some(1), None));

    let places = catalog.occurrences(SITE, content("menu"), PageNumber(0), 10).await.unwrap();
    let found: Vec<_> = places.iter().map(|at| (at.page, at.key.as_str(), at.block.0)).collect();
    assert_eq!(found, [(one, ONE, 1), (two, TWO, 1)]);
    assert_eq!(places[1].first_seen, Millis(2 * DAY));
    let rest = catalog.occurrences(SITE, content("menu"), one, 10).await.unwrap();
    assert_eq!(rest, places[1..]);

    // What a page shows of it is whole.
    let rows = catalog.blocks(two, 1).await.unwrap();
    let told: Vec<_> = rows.iter().map(|row| (row.topic.as_str(), row.text_len)).collect();
    assert_eq!(told, [("menu", 4), ("another story", 13), ("foot", 4)]);
}

async fn a_page_that_shows_something_else_is_counted_no_more(place: Place) {
    let catalog = place.open();
    let one = page(&catalog, ONE, 1, &["menu", "a story"]).await;
    page(&catalog, TWO, 1, &["menu", "another story"]).await;
    change(&catalog, TWO, 3, 1, block(3, "new menu")).await;
    let shared = catalog.pages_that_share(one, 1).await.unwrap();
    assert_eq!(shared.get(&content("menu")), Some(&1));
    let places = catalog.occurrences(SITE, content("menu"), PageNumber(0), 10).await.unwrap();
    assert_eq!(places.len(), 1);
}

async fn who_follows_a_site_is_told_of_every_content_and_its_lives(place: Place) {
    let catalog = place.open();
    page(&catalog, ONE, 1, &["menu", "a story"]).await;
    let two = page(&catalog, TWO, 2, &["menu", "another story"]).await;
    let (last, all) = catalog.changed_contents(SITE, 0, 100).await.unwrap().unwrap();
    let mut told: Vec<_> = all.iter().map(|one| (one.topic.as_str(), one.lives.len())).collect();
    told.sort_unstable();
    assert_eq!(told, [("a story", 1), ("another story", 1), ("menu", 2)]);
    assert_eq!(catalog.changed_contents(SITE, last, 100).await.unwrap(), None);

    change(&catalog, TWO, 5, 1, block(3, "new menu")).await;
    let (next, changed) = catalog.changed_contents(SITE, last, 100).await.unwrap().unwrap();
    assert!(next > last);
    let of = |says: &str| {
        let one = changed.iter().find(|one| one.content == content(says)).unwrap();
        assert_eq!(one.lives.len(), 1, "{one:?}");
        one.lives[0].clone()
    };
    let (gone, new) = (of("menu"), of("new menu"));
    assert_eq!((gone.page, gone.last, gone.ended), (two, Some(1), Some(Ended::Changed)));
    assert_eq!((gone.first_seen, gone.last_seen), (Millis(2 * DAY), Millis(2 * DAY)));
    assert_eq!((new.page, new.first, new.last, new.lineage.0), (two, 2, None, 1));
    assert_eq!((new.first_seen, new.last_seen), (Millis(5 * DAY), Millis(5 * DAY)));
    assert!(changed.iter().all(|one| one.topic != "a story"), "{changed:?}");

    // In small steps, nothing is missed.
    let (mut after, mut topics) = (0, Vec::new());
    while let Some((last, some)) = catalog.changed_contents(SITE, after, 1).await.unwrap() {
        after = last;
        topics.extend(some.into_iter().map(|one| one.topic));
    }
    for topic in ["menu", "a story", "another story", "new menu"] {
        assert!(topics.iter().any(|told| told == topic), "{topic}");
    }
}

async fn contents_of_the_format_before_are_shared_once_it_is_brought_up_to_date(place: Place) {
    let catalog = place.open();
    page(&catalog, ONE, 1, &["menu", "a story"]).await;
    let two = page(&catalog, TWO, 2, &["menu", "another story"]).await;
    let before = catalog.blocks(two, 1).await.unwrap();
    drop(catalog);
    let old = "ALTER TABLE block ADD COLUMN hash BIGINT NOT NULL DEFAULT 0;
         ALTER TABLE block ADD COLUMN text_len BIGINT NOT NULL DEFAULT 0;
         ALTER TABLE block ADD COLUMN label TEXT NOT NULL DEFAULT '';
         ALTER TABLE block ADD COLUMN topic TEXT NOT NULL DEFAULT '';";
    let fill: String = ["text_len", "label", "topic"]
        .map(|column| {
            format!(
                "UPDATE block SET {column} = (SELECT c.{column} FROM content c
                 WHERE c.site = block.site AND c.content = block.content);"
            )
        })
        .concat();
    place.tamper(&format!(
        "{old} {fill} ALTER TABLE block DROP COLUMN content; DROP TABLE content;
         DROP TABLE old_change; DROP TABLE old_edition;
         DROP INDEX record_by_name; ALTER TABLE record DROP COLUMN named;
         CREATE UNIQUE INDEX record_by_name ON record (site, kind, name);
         UPDATE meta SET value = '6' WHERE name = 'format'"
    ));
    let catalog = place.open();
    let told = |rows: &[BlockRow]| {
        let told = |row: &BlockRow| (row.block, row.label.clone(), row.topic.clone(), row.text_len);
        rows.iter().map(told).collect::<Vec<_>>()
    };
    assert_eq!(told(&catalog.blocks(two, 1).await.unwrap()), told(&before));
    let stats = catalog.stats().await.unwrap();
    assert_eq!((stats.blocks, stats.contents), (4, 3));
}

async fn what_old_blocks_held_goes_with_them(place: Place) {
    let catalog = place.open();
    let one = page(&catalog, ONE, 1, &["menu", "says 0"]).await;
    for version in 1..=20 {
        let new = block(version + 2, &format!("says {version}"));
        let old = if version == 1 { 2 } else { version + 1 };
        change(&catalog, ONE, version + 1, old, new).await;
    }
    let before = catalog.blocks(one, 0).await.unwrap();
    assert_eq!(catalog.stats().await.unwrap().contents, 22);
    catalog.gather_old_blocks(SITE, one).await.unwrap();
    catalog.sweep().await.unwrap();
    let stats = catalog.stats().await.unwrap();
    assert_eq!(stats.blocks, 22);
    assert!(stats.contents <= 3, "{} contents", stats.contents);
    let nameless = |rows: Vec<BlockRow>| {
        let nameless = |row| BlockRow { content: ContentId(0), ..row };
        rows.into_iter().map(nameless).collect::<Vec<_>>()
    };
    assert_eq!(nameless(catalog.blocks(one, 0).await.unwrap()), nameless(before));
    // Who follows the store only now is told of all of them all the same.
    let (_, all) = catalog.changed_contents(SITE, 0, 1000).await.unwrap().unwrap();
    assert_eq!(all.len(), 22);
}

crate::on_both_engines![
    a_block_that_is_on_many_pages_is_kept_once,
    a_page_that_shows_something_else_is_counted_no_more,
    who_follows_a_site_is_told_of_every_content_and_its_lives,
    contents_of_the_format_before_are_shared_once_it_is_brought_up_to_date,
    what_old_blocks_held_goes_with_them,
];
