//! The bundled forum in all its templates: crawled as any site is, and its tables compared with those
//! that its pages were made from.

use std::collections::BTreeMap;

use anyhow::Context as _;
use crawl::Report;
use record::{Kind, Record};
use store::{Catalog, RecordLine, RecordQuery};
use testsite::{Clock, Options, PostRow, SiteKind, Tables, Template, ThreadRow};
use url::Url;

use super::bag::Bag;
use super::found::Found;
use super::judge::Judgement;
use super::set::{Given, Page, Truth};
use crate::sheet::{Experiment, Sheet, rounded};
use crate::trial::{Trial, stopped, whole};

/// What is asked for: posts of which all four fields are right.
const ASKED: f64 = 0.99;
/// Threads of a forum when there is little time.
const FEW_THREADS: u32 = 12;

pub async fn run(sheet: &mut Sheet, quick: bool) -> anyhow::Result<()> {
    for template in Template::ALL {
        let size = if quick { FEW_THREADS } else { 0 };
        sheet.put(crawled(*template, size).await?)?;
    }
    sheet.table(
        "The bundled forum, crawled: posts with thread title, author, time and content right",
    )
}

/// Crawls the forum in a template, and compares what was kept with its tables.
pub async fn judged(template: Template, size: u32) -> anyhow::Result<(Judgement, Report)> {
    // Relative dates count from the capture, so that the site's clock must be that of the crawl.
    let options = Options { template, size, clock: Clock::Real, ..Options::default() };
    let site = testsite::serve(SiteKind::Forum, options).await?;
    let trial = Trial::new()?;
    let report = trial.crawl(whole(&site)?).await?;
    let tables = site.truth().tables.clone().context("the forum has no tables")?;
    let base = Url::parse(&site.url());
    site.stop().await;
    let (pages, found) = paired(&tables, &base?, kept(&trial.catalog).await?);
    let pages: Vec<&Page> = pages.iter().collect();
    Ok((Judgement::of(&pages, Given::Both, &found, false), report))
}

async fn crawled(template: Template, size: u32) -> anyhow::Result<Experiment> {
    let (judged, report) = judged(template, size).await?;
    let four = judged.four;
    let mut row = Experiment::new(format!("records/live/{}", template.name()))
        .ours("posts", four.truth)
        .ours("four_f1", rounded(four.f1()))
        .ours("posts_f1", rounded(judged.posts.f1()))
        .ours("lists_f1", rounded(judged.lists.f1()))
        .ours("single", rounded(judged.single.share()));
    for name in ["title", "author", "time", "content", "replies", "last_author", "last_time"] {
        row = row.ours(name, super::figure(judged.field(name)));
    }
    Ok(row
        .ours("reply_to_f1", rounded(judged.replies.f1()))
        .ours("stopped", stopped(&report))
        .ask(four.f1() >= ASKED, format!("four fields {:.4}, asked {ASKED}", four.f1())))
}

/// The records of a store that are still there.
pub async fn kept(catalog: &Catalog) -> anyhow::Result<Vec<Record>> {
    let (mut records, mut after) = (Vec::new(), None);
    loop {
        let batch = catalog.records(RecordQuery::default(), after).await?;
        let Some(last) = batch.last() else { return Ok(records) };
        after = Some((last.site.clone(), last.record, last.edition));
        let is_there = |line: &&RecordLine| line.deleted.is_none();
        for line in batch.iter().filter(is_there) {
            records.push(serde_json::from_slice(&line.body).context("a record cannot be read")?);
        }
    }
}

/// Threads of one title, or the list of all threads, as if each were a page; and what was kept of it.
/// Posts whose thread nobody knows are a page without truth.
fn paired(tables: &Tables, base: &Url, records: Vec<Record>) -> (Vec<Page>, Vec<Vec<Found>>) {
    let empty = |kind, title: &str, truth| Page {
        file: format!("{title}_1"),
        url: base.clone(),
        captured: Some(tables.captured),
        kind: Some(kind),
        truth,
        thread_title: (kind == Kind::Post).then(|| title.to_owned()),
        shows: Some(tables.list_fields.clone()),
        site: None,
        rendered: None,
        raw: None,
    };
    let mut pages = vec![
        empty(Kind::Thread, "", tables.threads.iter().map(of_thread).collect()),
        empty(Kind::Post, "", Vec::new()),
    ];
    let mut by_title: BTreeMap<&str, usize> = BTreeMap::new();
    for post in &tables.posts {
        let Some(thread) = tables.thread(post.thread) else { continue };
        let at = *by_title.entry(&thread.title).or_insert_with(|| {
            pages.push(empty(Kind::Post, &thread.title, Vec::new()));
            pages.len() - 1
        });
        if let Some(page) = pages.get_mut(at) {
            page.truth.push(of_post(post));
        }
    }
    let mut found: Vec<Vec<Found>> = pages.iter().map(|_| Vec::new()).collect();
    for record in records {
        let title = record.title.as_deref().unwrap_or_default().trim();
        let at = match record.kind {
            Kind::Post => by_title.get(title).copied().unwrap_or(1),
            // What was left of a thread that moved is neither a record nor a mistake.
            Kind::Thread if is_stub(tables, title) => continue,
            Kind::Thread => 0,
            Kind::Item => continue,
        };
        if let Some(page) = found.get_mut(at) {
            page.push(told(record));
        }
    }
    (pages, found)
}

fn is_stub(tables: &Tables, title: &str) -> bool {
    let stubs = tables.pages.iter().flat_map(|page| &page.stubs);
    stubs.clone().any(|stub| stub == title)
        && !tables.threads.iter().any(|thread| thread.title == title)
}

/// A kept record, by what it tells: the store does not keep the text around it.
fn told(record: Record) -> Found {
    let mut texts: Vec<&str> = Vec::new();
    match record.kind {
        Kind::Thread => texts.extend(record.title.as_deref()),
        Kind::Post | Kind::Item => {
            texts.extend(record.author.as_deref());
            texts.extend(record.content_text.as_deref());
            texts.extend(record.quotes.iter().map(String::as_str));
        }
    }
    Found { bag: Bag::of(&texts.join("\n")), record }
}

pub fn of_thread(row: &ThreadRow) -> Truth {
    Truth {
        title: Some(row.title.clone()),
        author: Some(row.author.clone()),
        time: Some(row.time.unix),
        within: Some(row.time.within.into()),
        last_author: Some(row.last_author.clone()),
        last_time: Some(row.last_time.unix),
        last_within: Some(row.last_time.within.into()),
        replies: Some(row.replies.into()),
        ..Truth::default()
    }
}

pub fn of_post(row: &PostRow) -> Truth {
    Truth {
        author: Some(row.author.clone()),
        time: Some(row.time.unix),
        within: Some(row.time.within.into()),
        content: Some(row.content.clone()),
        quotes: row.quotes.clone(),
        number: Some(row.id),
        answers: Some(row.reply_to.clone()),
        ..Truth::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use record::{Moment, Precision};

    fn record(kind: Kind, title: &str, author: &str, unix: i64, content: &str) -> Record {
        let known = serde_json::json!({
            "kind": kind, "xpath": "/html", "title": title, "author": author, "text": "",
            "content_text": content, "quotes": [], "links": [], "reply_to": [], "fields": {},
            "field_xpaths": {}, "confidence": 1.0, "proofs": [],
        });
        let mut record: Record = serde_json::from_value(known).unwrap();
        record.time =
            Some(Moment { unix, precision: Precision::Minute, zone: None, relative: false });
        record
    }

    #[test]
    fn the_tables_themselves_are_all_right_and_a_time_that_is_missing_is_one_post_less() {
        let forum = testsite::Forum::generate(&Options { size: 8, ..Options::default() });
        let tables = forum.tables(Options::default().clock.now());
        let title = |post: &PostRow| tables.thread(post.thread).unwrap().title.clone();
        let mut records: Vec<Record> = tables
            .posts
            .iter()
            .map(|post| {
                let quotes = post.quotes.clone();
                let (time, content) = (post.time.unix, &post.content);
                Record { quotes, ..record(Kind::Post, &title(post), &post.author, time, content) }
            })
            .collect();
        let judged = |records: Vec<Record>| {
            let base = "http://127.0.0.1/".parse().unwrap();
            let (pages, found) = paired(&tables, &base, records);
            Judgement::of(&pages.iter().collect::<Vec<_>>(), Given::Both, &found, false)
        };
        let whole = judged(records.clone());
        assert_eq!((whole.four.f1(), whole.posts.f1()), (1.0, 1.0));
        records[0].time = None;
        let spoilt = judged(records.clone());
        assert_eq!(spoilt.four.right, tables.posts.len() - 1);
        records.push(record(Kind::Post, "no such thread", "nobody", 0, "nothing"));
        assert_eq!(judged(records).four.ours, tables.posts.len() + 1);
    }

    /// Of a page that a browser loaded two trees are known, of the others one: by the order of visits.
    #[test]
    fn a_list_of_one_row_is_read_whichever_other_list_a_browser_loaded() {
        let options = Options { size: 24, template: Template::Cards, ..Options::default() };
        let (forum, now) = (testsite::Forum::generate(&options), options.clock.now());
        let base: Url = "http://127.0.0.1/".parse().unwrap();
        let pages: Vec<(Url, page::tree::Dom)> = forum
            .tables(now)
            .pages
            .iter()
            .map(|sheet| {
                let html = forum.page(&sheet.url, now).unwrap();
                (base.join(&sheet.url).unwrap(), page::tree::parse_str(&html).dom)
            })
            .collect();
        let page_type = |url: &Url| match url.path() {
            "/c/buying-and-selling/" | "/c/old-photographs/" => "lists",
            "/c/town-talk/page/2" => "short",
            path if path.starts_with("/d/") => "threads",
            _ => "others",
        };
        for loaded in ["", "/c/buying-and-selling/", "/c/old-photographs/"] {
            let sources = pages.iter().map(|(url, dom)| record::Source {
                url,
                page_type: Some(page_type(url)),
                captured: None,
                rendered: Some(dom),
                raw: (url.path() == loaded).then_some(dom),
            });
            let sources: Vec<_> = sources.collect();
            let records = record::Site::learn(&sources).records(&sources);
            let short = pages.iter().position(|(url, _)| page_type(url) == "short").unwrap();
            assert_eq!(records[short].len(), 1, "a browser loaded {loaded:?}");
        }
    }
}
