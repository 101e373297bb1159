//! Records, from captures to rows.

use std::collections::BTreeSet;
use std::sync::Arc;

use crawl::{Report, types};
use derive::{CutSettings, Found, Import};
use record::{Record, Role};
use store::{Catalog, CatalogWriter, Millis, RecordLine, RecordQuery};
use testsite::{Forum, Options, SheetKind, Tables, What};
use url::Url;

const DAY: i64 = 86_400_000;
const SITE: &str = "forum.example";

fn open() -> (tempfile::TempDir, Arc<CatalogWriter>) {
    let dir = tempfile::tempdir().unwrap();
    let catalog = Arc::new(CatalogWriter::open(dir.path()).unwrap());
    (dir, catalog)
}

fn address(path: &str) -> Url {
    Url::parse("https://forum.example").unwrap().join(path).unwrap()
}

/// Takes pages in as they are at a time.
async fn import(
    catalog: &Arc<CatalogWriter>,
    time: Millis,
    pages: impl IntoIterator<Item = (String, String)>,
) -> Import {
    let mut import = Import::begin(catalog.clone(), CutSettings::default(), "{}").await.unwrap();
    for (path, html) in pages {
        let found = Found { url: address(&path), time, body: html.into_bytes() };
        import.add(found).await.unwrap();
    }
    import
}

/// All pages of a forum, some days after it began.
fn pages(forum: &Forum, days: i64) -> (Tables, Millis, Vec<(String, String)>) {
    let now = Options::default().clock.now() + jiff::SignedDuration::from_hours(24 * days);
    let tables = forum.tables(now);
    let page = |url: &String| (url.clone(), forum.page(url, now).unwrap());
    let pages = tables.pages.iter().map(|sheet| page(&sheet.url)).collect();
    (tables, Millis(now.as_millisecond()), pages)
}

async fn finish(catalog: &Catalog, import: Import) -> Report {
    let meter = import.meter();
    let end = import.finish().await.unwrap();
    Report::of(catalog, &end.sites, &meter, (Vec::new(), &crawl::Priors::default())).await.unwrap()
}

async fn visit(catalog: &Arc<CatalogWriter>, forum: &Forum, days: i64) -> (Tables, Report) {
    let (tables, time, pages) = pages(forum, days);
    (tables, finish(catalog, import(catalog, time, pages).await).await)
}

async fn records(catalog: &Catalog, query: RecordQuery) -> Vec<(RecordLine, Record)> {
    let (mut all, mut after) = (Vec::new(), None);
    loop {
        let lines = catalog.records(query.clone(), after).await.unwrap();
        let Some(last) = lines.last() else { return all };
        after = Some((last.site.clone(), last.record, last.edition));
        all.extend(lines.into_iter().map(|line| {
            let record = serde_json::from_slice(&line.body).unwrap();
            (line, record)
        }));
    }
}

/// The posts that the pages of threads show, at a time.
async fn posts(
    catalog: &Catalog,
    tables: &Tables,
    at: Option<Millis>,
) -> Vec<(RecordLine, Record)> {
    let query = RecordQuery { kind: Some("post".into()), at, ..RecordQuery::default() };
    let threads = tables.pages.iter().filter(|sheet| sheet.kind == SheetKind::Thread);
    let threads: BTreeSet<String> = threads.map(|sheet| address(&sheet.url).into()).collect();
    let found = records(catalog, query).await.into_iter();
    found.filter(|(line, _)| threads.contains(&line.url)).collect()
}

/// Letters and digits only: what is said, however it is set.
fn said(text: &str) -> String {
    text.chars().filter(|c| c.is_alphanumeric()).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn the_second_day_of_a_forum_tells_what_was_edited_taken_away_and_written() {
    let forum = Forum::generate(&Options::default());
    let (_dir, catalog) = open();
    let (first, report) = visit(&catalog, &forum, 0).await;
    let begun = posts(&catalog, &first, None).await;
    assert_eq!(begun.len(), first.posts.len(), "every post once, wherever it is shown");
    let query = RecordQuery { kind: Some("thread".into()), ..RecordQuery::default() };
    let rows = records(&catalog, query).await;
    let rows: BTreeSet<_> = rows.iter().filter_map(|(_, row)| row.permalink.clone()).collect();
    let threads: BTreeSet<_> = first.threads.iter().map(|row| address(&row.url)).collect();
    assert!(rows.is_superset(&threads), "{:?}", threads.difference(&rows));
    assert!(report.records as usize >= first.posts.len() + first.threads.len());
    assert!(begun.iter().all(|(line, _)| line.edited.is_none() && line.deleted.is_none()));
    let begun = begun[0].0.first_seen;

    let (second, _) = visit(&catalog, &forum, 1).await;
    let now = posts(&catalog, &second, None).await;
    let content = |what: What| -> BTreeSet<String> {
        let later = first.later.iter().filter(|later| later.what == what);
        later
            .map(|later| match what {
                What::Delete => said(&first.post(later.post).unwrap().content),
                What::Edit | What::Reply => said(&later.content),
            })
            .collect()
    };
    let says = |is: &dyn Fn(&RecordLine) -> bool| -> BTreeSet<String> {
        let found = now.iter().filter(|(line, _)| is(line));
        found.map(|(_, post)| said(post.content_text.as_deref().unwrap_or_default())).collect()
    };
    assert_eq!(says(&|line| line.edited.is_some()), content(What::Edit));
    assert_eq!(says(&|line| line.deleted.is_some()), content(What::Delete));
    assert_eq!(says(&|line| line.first_seen > begun), content(What::Reply));
    let is_there = |line: &RecordLine| line.deleted.is_none();
    let last = now.iter().filter(|(line, _)| is_there(line)).map(|(line, _)| line.last_seen.0);
    let last: BTreeSet<_> = last.collect();
    assert_eq!(last, BTreeSet::from([begun.0 + DAY]), "all others were seen on the second day");
    let then = posts(&catalog, &first, Some(begun.plus(DAY / 2))).await;
    assert_eq!(then.len(), first.posts.len(), "the first day is as it was");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_was_captured_and_not_read_is_read_by_the_next_run() {
    let forum = Forum::generate(&Options::default());
    let (dir, catalog) = open();
    let (tables, time, pages) = pages(&forum, 0);
    // A program that is stopped after the capture, however that happens, leaves exactly this.
    let mut stopped = import(&catalog, time, pages).await;
    stopped.stop_processing();
    let report = finish(&catalog, stopped).await;
    assert_eq!(report.records, 0);
    assert_eq!(catalog.stats().await.unwrap().unread, report.pages);
    drop(catalog);
    let catalog = Arc::new(CatalogWriter::open(dir.path()).unwrap());
    import(&catalog, time, []).await.finish().await.unwrap();
    assert_eq!(catalog.stats().await.unwrap().unread, 0);
    assert_eq!(posts(&catalog, &tables, None).await.len(), tables.posts.len());
}

#[tokio::test(flavor = "multi_thread")]
async fn types_say_what_pages_are_for_and_how_they_are_read() {
    let forum = Forum::generate(&Options::default());
    let (_dir, catalog) = open();
    visit(&catalog, &forum, 0).await;
    let known = types(&catalog, SITE).await.unwrap();
    let wrapper = |kind: &str| {
        let of = known.iter().filter_map(|known| known.wrapper.as_ref());
        let of = of.filter(|wrapper| wrapper.kind == kind);
        of.max_by_key(|wrapper| wrapper.records).unwrap()
    };
    let posts = wrapper("post");
    assert!(["time", "content"].iter().all(|name| posts.fields.contains_key(*name)), "{posts:#?}");
    assert!(posts.coverage["time"] > 0.95 && posts.records > 0, "{posts:#?}");
    assert!(posts.drift.is_empty() && !posts.region.is_empty(), "{posts:#?}");
    assert!(wrapper("thread").fields.contains_key("title"));
    assert!(known.iter().any(|known| known.role == Role::Thread), "{known:#?}");
}

/// How the pages of a small forum are made.
#[derive(Clone, Copy, PartialEq)]
enum Design {
    First,
    /// The same, but nobody says when any more.
    Undated,
    /// Another order, in other elements.
    New,
}

fn thread(number: usize, design: Design) -> (String, String) {
    let post = |nth: usize| {
        let author = ["ann", "bob", "cy", "dee"][(number + nth) % 4];
        let time = match design {
            Design::Undated => "not shown".to_owned(),
            Design::First | Design::New => format!("2026-01-{:02} 10:{nth:02}", 1 + number),
        };
        let text = format!(
            "What I know of {number} and {nth} is that it took {} days, and then some more of them.",
            number * 7 + nth
        );
        match design {
            Design::New => format!(
                "<article id=p{number}x{nth}><section>{text}</section><footer><span><a href=/user/{author}>{author}</a></span><time>{time}</time></footer></article>"
            ),
            Design::First | Design::Undated => format!(
                "<div class=post id=p{number}x{nth}><b><a href=/user/{author}>{author}</a></b> <i>{time}</i><p>{text}</p></div>"
            ),
        }
    };
    let posts: String = (0..2 + number % 3).map(post).collect();
    let html = match design {
        Design::New => format!(
            "<title>Thread {number}</title><div class=page><h1>Thread {number}</h1><div class=all>{posts}</div></div>"
        ),
        Design::First | Design::Undated => {
            format!("<title>Thread {number}</title><h1>Thread {number}</h1><main>{posts}</main>")
        }
    };
    (format!("/t/{number}"), html)
}

/// The records of twelve threads on the day after a change of their design, which are as many as
/// before, and neither edited nor deleted.
async fn after_the_change(design: Design) -> (tempfile::TempDir, Arc<CatalogWriter>) {
    let (dir, catalog) = open();
    let day = |design| (1..=12).map(move |number| thread(number, design));
    import(&catalog, Millis(20_500 * DAY), day(Design::First)).await.finish().await.unwrap();
    let before = records(&catalog, RecordQuery::default()).await;
    assert_eq!(before.len(), (1..=12).map(|number| 2 + number % 3).sum::<usize>());
    import(&catalog, Millis(20_501 * DAY), day(design)).await.finish().await.unwrap();
    let after = records(&catalog, RecordQuery::default()).await;
    assert_eq!(after.len(), before.len(), "{after:#?}");
    for (line, record) in &after {
        assert!(line.edited.is_none() && line.deleted.is_none(), "{line:?} {record:?}");
        assert_eq!(line.first_seen, Millis(20_500 * DAY));
        assert_eq!(line.last_seen, Millis(20_501 * DAY), "it was found in the new design");
    }
    (dir, catalog)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_redesign_is_learned_and_makes_nothing_edited_or_deleted() {
    after_the_change(Design::New).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_field_that_pages_show_no_more_is_told_as_drift_and_stays_known() {
    let (_dir, catalog) = after_the_change(Design::Undated).await;
    let known = types(&catalog, SITE).await.unwrap();
    let wrappers = known.iter().filter_map(|known| known.wrapper.as_ref());
    let drift: Vec<_> = wrappers.flat_map(|wrapper| &wrapper.drift).collect();
    assert!(drift.iter().any(|told| told.contains("0 % have time, 100 % had")), "{known:#?}");
    for (line, _) in records(&catalog, RecordQuery::default()).await {
        assert!(line.moment.is_some(), "when it was written is known from the first day");
    }
}
