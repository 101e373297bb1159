//! The blog: the pages of seed 001's table, walked by a client and driven in a browser.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use testsite::{Build, Lang, Options, Reach, Running, SiteKind, State, serve};

use crate::client::Client;
use crate::{beside, driven};

async fn blog(options: Options) -> (Running, Client) {
    let site = serve(SiteKind::Blog, options).await.expect("a free port");
    let client = Client::connect(&site).await;
    (site, client)
}

fn sized(size: u32) -> Options {
    Options { size, ..Options::default() }
}

/// Where the state is asked for: its document, or what the script would fetch.
fn source(state: &State) -> String {
    match (&state.reach, state.id.rsplit_once(" page ")) {
        (Reach::Event { .. }, Some((path, page))) => {
            let code = path.trim_start_matches("/s/blog_").trim_end_matches(".html");
            format!("/comments/{code}/{page}")
        }
        _ => state.url.clone(),
    }
}

#[test]
fn the_subsets_have_the_pages_of_the_table() {
    for (articles, pages) in [(50, 381), (150, 1_063), (300, 1_416), (500, 2_037), (0, 2_764)] {
        let truth = SiteKind::Blog.generate(&sized(articles)).truth();
        assert_eq!(truth.counts["article"], pages, "{articles}");
        let urls: HashSet<_> =
            truth.states.iter().filter(|state| state.kind == "article").map(|s| &s.url).collect();
        assert_eq!(urls.len(), if articles == 0 { 725 } else { articles as usize });
        let mut markers = HashSet::new();
        assert!(truth.states.iter().all(|state| markers.insert(&state.marker)));
    }
}

#[tokio::test]
async fn every_state_is_served_shows_its_texts_and_no_other_marker() {
    for lang in Lang::ALL {
        let (site, mut client) = blog(Options { lang: *lang, ..sized(20) }).await;
        let states = &site.truth().states;
        let mut shown = BTreeMap::new();
        for state in states {
            let answer = client.get(&source(state)).await;
            assert_eq!(answer.status, 200, "{}", state.id);
            let text = answer.body.replace("&#39;", "'").replace("&quot;", "\"");
            shown.insert(&state.id, text.replace("&amp;", "&"));
        }
        for state in states {
            let holders: Vec<_> =
                shown.iter().filter(|(_, text)| text.contains(&state.marker)).collect();
            assert_eq!(holders.len(), 1, "{}: {}", state.id, state.marker);
            let own = &shown[&state.id];
            assert!(own.contains(&state.marker), "{}", state.id);
            assert!(state.shows.iter().all(|text| own.contains(text)), "{}", state.id);
        }
        site.stop().await;
    }
}

#[tokio::test]
async fn links_lead_from_the_first_page_to_every_url_of_the_truth_and_to_no_other() {
    for build in Build::ALL {
        let (site, mut client) = blog(Options { build: *build, ..sized(60) }).await;
        let mut found = BTreeSet::from(["/".to_owned()]);
        let mut queue = vec!["/".to_owned()];
        while let Some(path) = queue.pop() {
            let body = client.get(&path).await.body;
            for part in body.split("href=\"").skip(1) {
                let link = part.split('"').next().unwrap_or_default();
                let nowhere = link == "#" || link.starts_with("javascript:") || link == "data:,";
                if !nowhere && !link.starts_with("/static/") && found.insert(link.to_owned()) {
                    queue.push(link.to_owned());
                }
            }
        }
        let known: BTreeSet<_> = site.truth().states.iter().map(|s| s.url.clone()).collect();
        assert_eq!(found, known, "{build}");
        assert!(site.log().is_empty());
        site.stop().await;
    }
}

#[tokio::test]
async fn two_pagers_name_the_same_pages_and_a_page_is_of_a_realistic_size() {
    let (site, mut client) = blog(sized(50)).await;
    let long = site.truth().states.iter().find(|state| state.id.ends_with(" page 9"));
    let url = long.expect("an article with nine pages").url.clone();
    let body = client.get(&url).await.body;
    assert_eq!(
        body.matches("Blog.turn(&#39;2&#39;").count() + body.matches("Blog.turn('2'").count(),
        4
    );
    let elements = body.matches('<').count() / 2;
    assert!((300..1_500).contains(&elements), "{elements} elements");
    let script = client.get("/static/js/blog.js").await;
    assert_eq!(script.headers["cache-control"], "public, max-age=86400");
    site.stop().await;
}

#[tokio::test]
async fn class_names_differ_with_the_seed_and_the_build() {
    let mut pages = HashSet::new();
    for (seed, build) in
        [(1, Build::Inline), (2, Build::Inline), (1, Build::React), (1, Build::Vue)]
    {
        let (site, mut client) = blog(Options { seed, build, ..sized(20) }).await;
        let style = client.get("/static/css/blog.css").await.body;
        assert!(!style.contains('§'));
        assert!(pages.insert(style));
        assert!(!client.get("/").await.body.contains('§'));
        site.stop().await;
    }
}

/// Turns the pages of the longest article one by one, as a reader does.
const READ_TO_THE_END: &str = r#"
const pause = (ms) => new Promise((done) => setTimeout(done, ms));
function everything(root) {
  return Array.from(root.querySelectorAll('*')).flatMap((element) =>
    element.shadowRoot ? [element, ...everything(element.shadowRoot)] : [element]);
}
async function drive() {
  const truth = await (await fetch('/__truth.json')).json();
  const states = truth.states.filter((state) => state.kind === 'article');
  const pages = (state) => states.filter((other) => other.url === state.url);
  const longest = states.reduce((a, b) => (pages(b).length > pages(a).length ? b : a));
  const frame = document.body.appendChild(document.createElement('iframe'));
  await new Promise((done) => { frame.onload = done; frame.src = longest.url; });
  await pause(200);
  const elements = () => everything(frame.contentDocument.body);
  const next = () => elements().find((element) => element.textContent.trim() === 'Next');
  let turned = 1;
  for (; next(); turned++) {
    next().click();
    await pause(400);
    const marker = pages(longest)[turned].marker;
    if (!elements().some((element) => element.textContent === marker)) throw new Error('no ' + marker);
  }
  return [turned, pages(longest).length];
}
"#;

#[tokio::test]
async fn an_article_is_read_to_its_end_with_every_request_made_once() {
    for build in Build::ALL {
        let options = Options { build: *build, ..sized(10) };
        let (site, (turned, pages)): (_, (usize, usize)) =
            beside::drive(SiteKind::Blog, options, READ_TO_THE_END).await;
        assert_eq!(turned, pages, "{build}");
        assert!(pages > 5, "{build}: {pages}");
        for (path, count) in site.requests().paths {
            assert_eq!(count, 1, "{build}: {path}");
        }
        site.stop().await;
    }
}

async fn is_driven_to_every_state(build: Build) {
    let lang = if build == Build::Vue { Lang::Chinese } else { Lang::English };
    let run = driven::drive(SiteKind::Blog, Options { build, lang, ..sized(4) }).await;
    assert!(run.truth.counts["article"] > 12);
    let missed = run.missed(|state| state.kind == "article");
    assert!(missed.is_empty(), "{build}: {missed:#?}");
    assert!(run.changes.is_empty(), "{build}: {:?}", run.changes);
}

macro_rules! in_each_build {
    ($($name:ident: $build:ident,)+) => {
        $(
            #[tokio::test]
            async fn $name() {
                is_driven_to_every_state(Build::$build).await;
            }
        )+
    };
}

in_each_build! {
    with_inline_handlers_every_page_is_reached: Inline,
    with_closures_every_page_is_reached: Closures,
    with_jquery_every_page_is_reached: Jquery,
    with_react_every_page_is_reached: React,
    with_vue_every_page_is_reached: Vue,
    with_lit_every_page_is_reached: Lit,
}
