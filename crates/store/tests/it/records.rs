//! Records as whoever reads pages keeps them.

use store::{
    Capture, Catalog, CatalogWriter, FirstCut, ImportStep, Imported, Millis, NewEdition,
    PageNumber, Reading, RecordLine, RecordNumber, RecordQuery, Sighting, StoreError,
};

use crate::{Place, SITE, capture, next};

const DAY: i64 = 86_400_000;

/// A version of a URL that was captured on a day.
async fn version(catalog: &CatalogWriter, url: &str, day: i64, text: &str) -> (PageNumber, i64) {
    let capture = Capture { body: Some(text.as_bytes().to_vec()), ..*capture(text) };
    let (site, url, time) = (SITE.into(), url.into(), Millis(day * DAY));
    let (capture, state, exchanges) = (Some(capture), None, Vec::new());
    let step = ImportStep { site, url, time, capture, state, exchanges };
    match catalog.import(step).await.unwrap() {
        Imported::Version(page, version) => (page, version),
        Imported::Again(page) => (page, 0),
        other => panic!("{other:?}"),
    }
}

/// A post that says something.
fn post(name: &str, says: &str) -> Sighting {
    Sighting {
        record: None,
        kind: "post".into(),
        name: name.into(),
        series: "/t/1".into(),
        edition: Some(NewEdition { digest: 1, is_edited: false, body: says.into() }),
        confidence: 0.5,
        proofs: "[]".into(),
        moment: None,
    }
}

/// The same post again, in other words or in none.
fn again(record: i64, name: &str, says: Option<&str>) -> Sighting {
    let edition = |says: &str| NewEdition { digest: 2, is_edited: true, body: says.into() };
    let record = Some(RecordNumber(record));
    Sighting { record, edition: says.map(edition), ..post(name, "") }
}

async fn read(
    catalog: &CatalogWriter,
    at: (PageNumber, i64),
    day: i64,
    seen: Vec<Sighting>,
    missed: &[i64],
) {
    let (page, version) = at;
    let missed = missed.iter().map(|number| RecordNumber(*number)).collect();
    let time = Millis(day * DAY);
    let reading = Reading { site: SITE.into(), page, version, time, seen, missed };
    catalog.commit_readings(vec![reading]).await.unwrap();
}

async fn records(catalog: &Catalog, query: RecordQuery) -> Vec<RecordLine> {
    let (mut all, mut after) = (Vec::new(), None);
    loop {
        let lines = catalog.records(query.clone(), after).await.unwrap();
        let Some(last) = lines.last() else { return all };
        after = Some((last.site.clone(), last.record, last.edition));
        all.extend(lines);
    }
}

fn says(lines: &[RecordLine]) -> Vec<&str> {
    lines.iter().map(|line| std::str::from_utf8(&line.body).unwrap()).collect()
}

async fn what_was_captured_waits_until_its_records_are_taken(place: Place) {
    let catalog = place.open();
    let first = version(&catalog, "https://example.org/t/1", 1, "one").await;
    let second = version(&catalog, "https://example.org/t/1", 2, "two").await;
    let waiting = catalog.to_read(SITE, None).await.unwrap();
    assert_eq!((waiting.len(), waiting[0].waits, waiting[0].latest), (1, Some(1), 2));
    read(&catalog, first, 1, vec![post("a", "hello")], &[]).await;
    assert_eq!(catalog.to_read(SITE, None).await.unwrap()[0].waits, Some(2));
    catalog.try_reading(SITE, vec![second.0]).await.unwrap();
    assert_eq!(catalog.to_read(SITE, None).await.unwrap()[0].attempts, 1);
    read(&catalog, second, 2, vec![], &[]).await;
    assert_eq!(catalog.unread_sites().await.unwrap(), Vec::<String>::new());
    assert_eq!(catalog.stats().await.unwrap().records, 1);
}

async fn a_record_that_changes_keeps_its_first_sight_and_its_earlier_words(place: Place) {
    let catalog = place.open();
    let url = "https://example.org/t/1";
    let first = version(&catalog, url, 1, "one").await;
    read(&catalog, first, 1, vec![post("a", "hello"), post("b", "there")], &[]).await;
    version(&catalog, url, 2, "one").await;
    let third = version(&catalog, url, 3, "three").await;
    read(&catalog, third, 3, vec![again(1, "a", Some("hullo")), again(2, "b", None)], &[]).await;

    let now = records(&catalog, RecordQuery::default()).await;
    assert_eq!(says(&now), ["hullo", "there"]);
    let times = |line: &RecordLine| {
        (line.first_seen.0 / DAY, line.last_seen.0 / DAY, line.edited.map(|time| time.0 / DAY))
    };
    assert_eq!([times(&now[0]), times(&now[1])], [(1, 3, Some(3)), (1, 3, None)]);
    assert_eq!((now[0].version, now[1].version), (2, 1), "what first showed it so");

    let then = records(&catalog, RecordQuery { at: Some(Millis(2 * DAY)), ..Default::default() });
    let then = then.await;
    assert_eq!(says(&then), ["hello", "there"]);
    assert_eq!(times(&then[0]), (1, 2, None), "an unchanged visit saw it, too");
    let all = records(&catalog, RecordQuery { history: true, ..Default::default() }).await;
    assert_eq!(says(&all), ["hello", "hullo", "there"]);
    assert_eq!(times(&all[0]), (1, 2, None));
    let before = RecordQuery { at: Some(Millis(DAY - 1)), ..Default::default() };
    assert!(records(&catalog, before).await.is_empty());
    let other = RecordQuery { kind: Some("item".into()), ..Default::default() };
    assert!(records(&catalog, other).await.is_empty());
}

/// The changes and numbers of the versions that came last.
async fn newest(catalog: &Catalog, before: i64, most: u32) -> Vec<(i64, i64)> {
    let new = catalog.new_versions(SITE, before, most).await.unwrap();
    new.into_iter().map(|new| (new.seq, new.version)).collect()
}

async fn what_a_record_said_before_can_be_asked_for_when_it_became_a_value(place: Place) {
    let catalog = place.open();
    let url = "https://example.org/t/1";
    for day in 1..=30 {
        let at = version(&catalog, url, day, &format!("day {day}")).await;
        let seen = match day {
            1 => vec![post("a", "hello 1"), post("b", "stays")],
            day => {
                let says = format!("hello {day}");
                let digest = NewEdition { digest: day as u64, is_edited: true, body: says.into() };
                let a = Sighting { edition: Some(digest), ..again(1, "a", None) };
                vec![a, again(2, "b", None)]
            }
        };
        read(&catalog, at, day, seen, &[]).await;
    }
    let asked = [
        RecordQuery::default(),
        RecordQuery { history: true, ..Default::default() },
        RecordQuery { at: Some(Millis(12 * DAY)), ..Default::default() },
    ];
    let mut before = Vec::new();
    for query in &asked {
        before.push(records(&catalog, query.clone()).await);
    }
    assert_eq!([before[0].len(), before[1].len(), before[2].len()], [2, 31, 2]);
    assert_eq!(says(&before[2]), ["hello 12", "stays"]);
    let changes = catalog.changes(SITE, 0, 1000).await.unwrap();
    let new = newest(&catalog, i64::MAX, 100).await;
    let versions: Vec<_> = new.iter().map(|(_, version)| *version).collect();
    assert_eq!(versions, (1..=30).rev().collect::<Vec<_>>());

    catalog.gather_old_editions(SITE).await.unwrap();
    catalog.gather_old_changes(SITE).await.unwrap();
    let swept = catalog.sweep().await.unwrap();
    assert!(swept.removed >= 28, "what they said is in the values: {swept:?}");
    for (query, lines) in asked.iter().zip(&before) {
        assert_eq!(&records(&catalog, query.clone()).await, lines);
    }
    assert_eq!(catalog.changes(SITE, 0, 1000).await.unwrap(), changes);
    let some = catalog.changes(SITE, 10, 5).await.unwrap();
    assert_eq!(some, changes[10..15]);
    assert_eq!(newest(&catalog, i64::MAX, 100).await, new);
    assert_eq!(newest(&catalog, new[4].0, 7).await, new[5..12]);

    // It goes on from there.
    let at = version(&catalog, url, 31, "day 31").await;
    let says_more = NewEdition { digest: 31, is_edited: true, body: b"hello 31".to_vec() };
    let a = Sighting { edition: Some(says_more), ..again(1, "a", None) };
    read(&catalog, at, 31, vec![a, again(2, "b", None)], &[]).await;
    let all = records(&catalog, asked[1].clone()).await;
    assert_eq!(all.len(), 32);
    assert_eq!(says(&all)[29..], ["hello 30", "hello 31", "stays"]);
    let now = catalog.changes(SITE, 0, 1000).await.unwrap();
    assert!(now.starts_with(&changes) && now.len() > changes.len());
    let newer = newest(&catalog, i64::MAX, 100).await;
    assert_eq!((newer.len(), &newer[1..]), (31, &new[..]));
}

async fn what_is_missed_is_deleted_only_when_it_can_be_nowhere_else(place: Place) {
    let catalog = place.open();
    let (one, two) = ("https://example.org/t/1", "https://example.org/t/1?page=2");
    let first = version(&catalog, one, 1, "one").await;
    let other = version(&catalog, two, 1, "other").await;
    read(&catalog, first, 1, vec![post("a", "a"), post("b", "b"), post("c", "c")], &[]).await;
    read(&catalog, other, 1, vec![post("d", "d")], &[]).await;

    let second = version(&catalog, one, 2, "two").await;
    read(&catalog, second, 2, vec![again(1, "a", None), again(3, "c", None)], &[2]).await;
    assert_eq!(catalog.settle_missed(SITE).await.unwrap(), 0, "page 2 was not looked at since");
    version(&catalog, two, 3, "other").await;
    assert_eq!(catalog.settle_missed(SITE).await.unwrap(), 1);
    let lines = records(&catalog, RecordQuery::default()).await;
    let deleted: Vec<_> = lines.iter().map(|line| line.deleted.map(|time| time.0 / DAY)).collect();
    assert_eq!(deleted, [None, Some(2), None, None]);
    let now = RecordQuery { at: Some(Millis(4 * DAY)), ..Default::default() };
    assert_eq!(says(&records(&catalog, now).await), ["a", "c", "d"]);

    let back = version(&catalog, two, 5, "back").await;
    read(&catalog, back, 5, vec![again(2, "b", None), again(4, "d", None)], &[]).await;
    let lines = records(&catalog, RecordQuery::default()).await;
    assert!(lines.iter().all(|line| line.deleted.is_none()), "it is there again");
}

async fn a_version_that_is_read_in_another_way_loses_what_was_no_record(place: Place) {
    let catalog = place.open();
    let first = version(&catalog, "https://example.org/t/1", 1, "one").await;
    read(&catalog, first, 1, vec![post("menu", "Home"), post("a", "hello")], &[]).await;
    read(&catalog, first, 1, vec![again(2, "a", None)], &[]).await;
    assert_eq!(says(&records(&catalog, RecordQuery::default()).await), ["hello"]);
}

async fn what_waits_for_a_wrapper_is_read_once_its_type_has_one(place: Place) {
    let catalog = place.open();
    let page = |url: &str, page_type: &str, waits_for_wrapper: bool| {
        let (layout, meta, begun) = (Vec::new(), Vec::new(), Vec::new());
        let cut = FirstCut { level: 1, layout, meta, begun, waits_for_wrapper };
        let page_type = Some(page_type.to_owned());
        let capture = Capture { page_type, cut: Some(cut), ..*capture(url) };
        let (site, url, time) = (SITE.into(), url.into(), Millis(DAY));
        let (capture, state, exchanges) = (Some(capture), None, Vec::new());
        ImportStep { site, url, time, capture, state, exchanges }
    };
    for (url, page_type, waits) in
        [("/1", "list", true), ("/2", "list", true), ("/3", "text", true), ("/4", "text", false)]
    {
        let url = format!("https://example.org{url}");
        catalog.import(page(&url, page_type, waits)).await.unwrap();
    }
    let waiting = async || {
        let pages = catalog.to_read(SITE, None).await.unwrap();
        pages.into_iter().map(|page| page.waits.is_some()).collect::<Vec<_>>()
    };
    assert_eq!(waiting().await, [false, false, false, true]);
    catalog.read_again(SITE, "list").await.unwrap();
    assert_eq!(waiting().await, [true, true, false, true]);
}

async fn a_store_of_the_format_before_is_brought_up_to_date_by_whoever_writes_to_it(place: Place) {
    let catalog = place.open();
    version(&catalog, "https://example.org/t/1", 1, "one").await;
    catalog.seed(SITE, &["https://example.org/t/2".into()]).await.unwrap();
    drop(catalog);
    place.tamper(
        "ALTER TABLE blob DROP COLUMN stored; ALTER TABLE edge DROP COLUMN class;
         ALTER TABLE edge DROP COLUMN filled;
         ALTER TABLE version DROP COLUMN links; ALTER TABLE version DROP COLUMN truncated;
         ALTER TABLE exchange DROP COLUMN sent; ALTER TABLE exchange DROP COLUMN remote_address;
         ALTER TABLE exchange DROP COLUMN http_version; ALTER TABLE exchange DROP COLUMN failure;
         ALTER TABLE exchange DROP COLUMN truncated; DROP TABLE place;
         CREATE TABLE task AS SELECT site, page, kind, depth, rank FROM job WHERE kind = 'fetch';
         CREATE TABLE uncut AS
             SELECT site, page, version, 0 AS attempts FROM job WHERE kind = 'cut';
         DROP TABLE job; DROP TABLE site; DROP TABLE change;
         DROP TABLE record; DROP TABLE edition; DROP TABLE sighting;
         DROP INDEX blob_moved; DROP TABLE old_blocks; DROP TABLE content;
         DROP TABLE old_change; DROP TABLE old_edition;
         ALTER TABLE block ADD COLUMN hash BIGINT; ALTER TABLE block ADD COLUMN text_len BIGINT;
         ALTER TABLE block ADD COLUMN label TEXT; ALTER TABLE block ADD COLUMN topic TEXT;
         ALTER TABLE block DROP COLUMN content;
         UPDATE meta SET value = '3' WHERE name = 'format'",
    );
    let refused = Catalog::open(&place.location).err().unwrap();
    assert!(matches!(refused, StoreError::Outdated { found: 3, .. }), "{refused}");
    assert!(refused.to_string().contains("brings it up to date"), "{refused}");
    let catalog = place.open();
    assert_eq!(catalog.unread_sites().await.unwrap(), [SITE]);
    assert_eq!(catalog.to_read(SITE, None).await.unwrap()[0].waits, Some(1));
    assert_eq!(catalog.claim_uncut().await.unwrap().unwrap().version, 1);
    assert_eq!(next(&catalog).await.unwrap().url, "https://example.org/t/2");
}

crate::on_both_engines![
    what_was_captured_waits_until_its_records_are_taken,
    what_waits_for_a_wrapper_is_read_once_its_type_has_one,
    a_record_that_changes_keeps_its_first_sight_and_its_earlier_words,
    what_a_record_said_before_can_be_asked_for_when_it_became_a_value,
    what_is_missed_is_deleted_only_when_it_can_be_nowhere_else,
    a_version_that_is_read_in_another_way_loses_what_was_no_record,
    a_store_of_the_format_before_is_brought_up_to_date_by_whoever_writes_to_it,
];
