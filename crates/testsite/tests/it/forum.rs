//! The forum: what its tables say is on the pages that they name, in every template.

use std::collections::{BTreeMap, BTreeSet};

use axum::http::Method;
use testsite::{
    Forum, Options, Running, SheetKind, SiteKind, Tables, Template, ThreadRow, What, serve,
};

use crate::client::Client;

/// Templates whose pages are made by scripts, or grow by them: `forum_scripts` looks at those.
const SCRIPTED: [Template; 2] = [Template::Shell, Template::Stream];

fn options(template: Template) -> Options {
    Options { template, seed: 3, ..Options::default() }
}

fn plain() -> impl Iterator<Item = Template> {
    Template::ALL.iter().copied().filter(|template| !SCRIPTED.contains(template))
}

async fn forum(template: Template) -> (Running, Client) {
    served(options(template)).await
}

async fn served(options: Options) -> (Running, Client) {
    let site = serve(SiteKind::Forum, options).await.expect("a free port");
    let client = Client::connect(&site).await;
    (site, client)
}

fn tables(template: Template) -> Tables {
    SiteKind::Forum.generate(&options(template)).truth().tables.expect("tables")
}

fn unescaped(html: &str) -> String {
    let pairs = [("&#39;", "'"), ("&quot;", "\""), ("&lt;", "<"), ("&gt;", ">"), ("&amp;", "&")];
    pairs.iter().fold(html.to_owned(), |text, (entity, letter)| text.replace(entity, letter))
}

/// The values of an attribute.
fn values<'a>(html: &'a str, name: &str) -> impl Iterator<Item = &'a str> {
    let quote = format!(" {name}=\"");
    let parts: Vec<_> = html.split(&quote).skip(1).collect();
    parts.into_iter().filter_map(|part| part.split('"').next())
}

#[tokio::test]
async fn every_page_is_served_and_shows_what_the_truth_says_and_no_other_marker() {
    for (template, seed) in plain().zip(1..) {
        let (site, mut client) = served(Options { seed, ..options(template) }).await;
        let states = &site.truth().states;
        let mut shown = BTreeMap::new();
        for state in states {
            let answer = client.get(&state.url).await;
            assert_eq!(answer.status, 200, "{template} {}", state.id);
            shown.insert(&state.id, unescaped(&answer.body));
        }
        for state in states {
            let holders: Vec<_> =
                shown.iter().filter(|(_, text)| text.contains(&state.marker)).collect();
            assert_eq!(holders.len(), 1, "{template} {}: {}", state.id, state.marker);
            for text in &state.shows {
                assert!(shown[&state.id].contains(text), "{template} {}: {text}", state.id);
            }
        }
        assert!(site.log().is_empty());
        site.stop().await;
    }
}

#[tokio::test]
async fn links_lead_from_the_first_page_to_every_page_of_the_tables_and_to_no_other() {
    for template in plain() {
        let (site, mut client) = forum(template).await;
        let mut found = BTreeSet::from(["/".to_owned()]);
        let mut queue = vec!["/".to_owned()];
        while let Some(path) = queue.pop() {
            let answer = client.get(&path).await;
            assert_eq!(answer.status, 200, "{template} {path}");
            for link in values(&answer.body, "href").map(unescaped) {
                let link = link.split('#').next().unwrap_or_default().to_owned();
                if link.starts_with('/') && found.insert(link.clone()) {
                    queue.push(link);
                }
            }
        }
        let tables = site.truth().tables.clone().expect("tables");
        let known: BTreeSet<_> = tables.pages.into_iter().map(|page| page.url).collect();
        assert_eq!(found, known, "{template}");
        assert!(site.log().is_empty());
        site.stop().await;
    }
}

#[test]
fn pages_hold_every_thread_and_post_once_and_in_order() {
    for template in Template::ALL {
        let tables = tables(*template);
        let on = |kind: SheetKind| -> Vec<u32> {
            let pages = tables.pages.iter().filter(|page| page.kind == kind);
            pages.flat_map(|page| page.records.clone()).collect()
        };
        let mut listed = on(SheetKind::List);
        assert_eq!(listed, tables.threads.iter().map(|row| row.id).collect::<Vec<_>>());
        let mut posted = on(SheetKind::Thread);
        assert_eq!(listed.len(), 44, "{template}");
        listed.sort_unstable();
        listed.dedup();
        assert_eq!(listed.len(), 44, "{template}");
        posted.sort_unstable();
        let mut known: Vec<_> = tables.posts.iter().map(|post| post.id).collect();
        known.sort_unstable();
        assert_eq!(posted, known, "{template}");
        for thread in &tables.threads {
            let posts: Vec<_> =
                tables.posts.iter().filter(|post| post.thread == thread.id).collect();
            assert_eq!(posts.len() as u32, thread.replies + 1);
            assert_eq!(posts[0].author, thread.author);
            assert_eq!(posts[0].time.unix, thread.time.unix);
            let last = posts.iter().max_by_key(|post| post.time.unix).expect("a post");
            assert_eq!(
                (&last.author, last.time.unix),
                (&thread.last_author, thread.last_time.unix)
            );
            assert!(posts.iter().zip(1..).all(|(post, place)| post.position == place));
        }
    }
}

#[test]
fn what_makes_records_hard_is_in_every_template() {
    let all = Template::ALL.iter().flat_map(|template| (1..4).map(move |seed| (template, seed)));
    for (template, seed) in all {
        let site = SiteKind::Forum.generate(&Options { seed, ..options(*template) });
        let tables = site.truth().tables.expect("tables");
        let kinds: Vec<_> = tables.later.iter().map(|later| later.what).collect();
        assert_eq!(kinds, [What::Edit, What::Delete, What::Reply], "{template} {seed}");
        let posts = &tables.posts;
        let many = |what: &str, count: usize, least: usize| {
            assert!(count >= least, "{template}: {count} {what}");
        };
        many("threads of one post", tables.threads.iter().filter(|t| t.replies == 0).count(), 12);
        many("threads on top", tables.threads.iter().filter(|t| t.sticky).count(), 2);
        many("closed threads", tables.threads.iter().filter(|t| t.closed).count(), 2);
        many("stubs", tables.pages.iter().map(|page| page.stubs.len()).sum(), 2);
        many("unlinked authors", posts.iter().filter(|post| !post.linked).count(), 10);
        many("quotes", posts.iter().map(|post| post.quotes.len()).sum(), 30);
        many(
            "nested quotes",
            posts.iter().filter(|p| p.quotes.iter().any(|q| q.contains('\n'))).count(),
            5,
        );
        if tables.post_fields.iter().any(|field| field == "signature") {
            let signed = posts.iter().filter(|post| !post.signature.is_empty());
            many("signed posts", signed.count(), 30);
        }
        many("long threads", tables.threads.iter().filter(|t| t.replies >= 10).count(), 4);
        let has = |kind| tables.pages.iter().filter(|page| page.kind == kind).count();
        many("members", has(SheetKind::User), 13);
    }
}

#[test]
fn what_the_tables_say_of_a_record_is_on_its_page() {
    for template in plain() {
        let options = options(template);
        let now = options.clock.now();
        let forum = Forum::generate(&options);
        let tables = forum.tables(now);
        for page in &tables.pages {
            let html = unescaped(&forum.page(&page.url, now).expect("a page"));
            let has = |text: &str| assert!(html.contains(text), "{template} {}: {text}", page.url);
            match page.kind {
                SheetKind::List => {
                    for row in page.records.iter().filter_map(|id| tables.thread(*id)) {
                        shown_fields(row, &tables.list_fields).into_iter().for_each(has);
                    }
                    page.stubs.iter().for_each(|title| has(title));
                }
                SheetKind::Thread => {
                    for post in page.records.iter().filter_map(|id| tables.post(*id)) {
                        has(&post.author);
                        has(&post.time.text);
                        has(&post.signature);
                        post.content.lines().for_each(has);
                        post.quotes.iter().flat_map(|quote| quote.lines()).for_each(has);
                        if tables.post_fields.iter().any(|field| field == "url") {
                            has(post.url.split_once('#').expect("a fragment").1);
                        }
                    }
                }
                _ => {}
            }
        }
    }
}

fn shown_fields<'a>(row: &'a ThreadRow, fields: &'a [String]) -> Vec<&'a str> {
    let text = |field: &str| match field {
        "title" => row.title.as_str(),
        "url" => row.url.as_str(),
        "author" => row.author.as_str(),
        "time" => row.time.text.as_str(),
        "last_author" => row.last_author.as_str(),
        "last_time" => row.last_time.text.as_str(),
        "board" => row.board.as_str(),
        _ => "",
    };
    fields.iter().map(|field| text(field)).collect()
}

/// The classes and ids that the server sends in a template.
pub fn names(template: Template) -> BTreeSet<String> {
    let forum = Forum::generate(&options(template));
    let now = options(template).clock.now();
    let mut own = BTreeSet::new();
    for page in forum.tables(now).pages {
        let html = forum.page(&page.url, now).expect("a page");
        own.extend(values(&html, "class").flat_map(str::split_whitespace).map(str::to_owned));
        own.extend(values(&html, "id").map(|id| format!("#{id}")));
    }
    own
}

#[test]
fn no_template_has_a_class_or_an_address_of_another() {
    let mut owners: BTreeMap<String, Template> = BTreeMap::new();
    for template in Template::ALL {
        let pages = tables(*template).pages.into_iter().map(|page| page.url);
        for name in names(*template).into_iter().chain(pages.filter(|url| url != "/")) {
            if let Some(other) = owners.insert(name.clone(), *template) {
                panic!("{name} is in {template} and in {other}");
            }
        }
    }
    assert!(owners.len() > 200, "{}", owners.len());
    assert!(names(Template::Bare).is_empty(), "nothing to hold on to");
}

#[tokio::test]
async fn a_page_that_grows_ends_where_its_thread_does() {
    let (site, mut client) = forum(Template::Stream).await;
    let tables = site.truth().tables.clone().expect("tables");
    let long = tables.threads.iter().find(|thread| thread.replies > 20).expect("a long thread");
    let part = |number: &str| format!("{}/more?from={number}", long.url);
    let second = client.get(&part("2")).await.json();
    assert_eq!(second["next"], part("3"));
    assert_eq!(client.get(&part("3")).await.json()["next"], serde_json::Value::Null);
    for beyond in ["0", "1", "4", "18446744073709551615", "-1", "x", ""] {
        assert_eq!(client.get(&part(beyond)).await.status, 404, "{beyond}");
    }
    site.stop().await;
}

#[tokio::test]
async fn by_tomorrow_a_post_is_edited_one_is_gone_and_one_is_new() {
    for template in plain() {
        let (site, mut client) = forum(template).await;
        let before = site.truth().tables.clone().expect("tables");
        let kinds: Vec<_> = before.later.iter().map(|later| later.what).collect();
        assert_eq!(kinds, [What::Edit, What::Delete, What::Reply], "{template}");
        assert_eq!(client.send(Method::POST, "/__clock", "").await.status, 200);
        let after = Forum::generate(&options(template)).tables(site.clock().now());
        for later in &before.later {
            let old = before.post(later.post);
            let new = after.post(later.post);
            match later.what {
                What::Edit => {
                    assert!(later.content.starts_with(&old.expect("a post").content));
                    assert_ne!(later.content, old.expect("a post").content);
                }
                What::Delete => assert!(old.is_some() && new.is_none()),
                What::Reply => assert!(old.is_none() && new.is_some()),
            }
            let gone = old.filter(|_| new.is_none());
            let Some(url) = new.or(gone).and_then(|post| post.url.split('#').next()) else {
                panic!("{template}: no post {}", later.post);
            };
            let page = unescaped(&client.get(url).await.body);
            assert!(later.content.lines().all(|line| page.contains(line)), "{template} {url}");
            if let Some(gone) = gone {
                assert!(gone.content.lines().all(|line| !page.contains(line)), "{template} {url}");
            }
        }
        site.stop().await;
    }
}

#[tokio::test]
async fn only_what_a_control_does_is_in_the_log() {
    for template in Template::ALL {
        let (site, mut client) = forum(*template).await;
        let tables = site.truth().tables.clone().expect("tables");
        for page in &tables.pages {
            client.get(&page.url).await;
        }
        assert!(site.log().is_empty(), "{template}");
        assert_eq!(client.send(Method::POST, "/act/like", "m=1").await.status, 200);
        assert_eq!(client.send(Method::POST, "/act/sink", "m=1").await.status, 404);
        let kinds: Vec<_> = site.log().into_iter().map(|change| change.kind).collect();
        assert_eq!(kinds, ["like"]);
        assert!(site.truth().changes.contains(&"like".to_owned()));
        assert_eq!(client.get("/no/such/page").await.status, 404);
        site.stop().await;
    }
}

#[test]
fn the_same_options_give_the_same_pages_and_another_seed_gives_others() {
    let now = Options::default().clock.now();
    for template in Template::ALL {
        let [one, same, other] =
            [3, 3, 4].map(|seed| Forum::generate(&Options { seed, ..options(*template) }));
        let url = one.tables(now).threads[0].url.clone();
        assert_eq!(one.page(&url, now), same.page(&url, now), "{template}");
        assert_ne!(one.tables(now).posts, other.tables(now).posts, "{template}");
    }
}

#[test]
fn replies_hang_inside_the_item_that_they_answer() {
    let options = options(Template::Tree);
    let now = options.clock.now();
    let forum = Forum::generate(&options);
    let tables = forum.tables(now);
    let mut deepest = 0;
    for page in tables.pages.iter().filter(|page| page.kind == SheetKind::Thread) {
        let html = forum.page(&page.url, now).expect("a page");
        // The lists that are open, and whether each is one of replies.
        let mut open: Vec<bool> = Vec::new();
        let mut shown = Vec::new();
        for tag in html.split('<') {
            if tag.starts_with("ul") {
                open.push(tag.starts_with("ul class=\"twigs\""));
            } else if tag.starts_with("/ul") {
                open.pop().expect("a list that was opened");
            } else if let Some(id) = tag.strip_prefix("li class=\"twig\" id=\"c") {
                let id = id.split('"').next().and_then(|id| id.parse().ok()).expect("a number");
                shown.push((id, open.iter().filter(|replies| **replies).count() as u32 - 1));
            }
        }
        assert!(open.is_empty(), "{}", page.url);
        let known = page.records.iter().filter_map(|id| tables.post(*id));
        let known: Vec<_> = known.map(|post| (post.id, post.depth)).collect();
        assert_eq!(shown, known, "{}", page.url);
        deepest = known.iter().fold(deepest, |deepest, (_, depth)| deepest.max(*depth));
    }
    assert!(deepest > 3, "{deepest}");
}

#[test]
fn a_forum_may_be_as_small_as_one_thread() {
    for template in Template::ALL {
        for size in [1, 2, 5] {
            let options = Options { size, ..options(*template) };
            let now = options.clock.now();
            let forum = Forum::generate(&options);
            let tables = forum.tables(now);
            assert_eq!(tables.threads.len(), size as usize, "{template}");
            assert!(tables.pages.iter().all(|page| forum.page(&page.url, now).is_some()));
        }
    }
}
