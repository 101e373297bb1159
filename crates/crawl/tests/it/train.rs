//! Training on one article's comments, and what it saves on another's (seed 000's table 1).

use std::collections::BTreeMap;
use std::sync::Arc;

use crawl::{Crawl, Model, Settings, Trained, train};
use store::CatalogWriter;
use testsite::{Build, Options, Running, SiteKind};
use url::Url;

use crate::Crawled;

/// The articles of a site by their comment URLs, each with what tells its pages of comments apart,
/// fewest pages first.
fn articles(site: &Running) -> Vec<(Url, Vec<String>)> {
    let mut pages: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for state in site.truth().states.iter().filter(|state| state.kind == "comments") {
        pages.entry(state.url.clone()).or_default().push(state.marker.clone());
    }
    let base = Url::parse(&site.url()).unwrap();
    let mut articles: Vec<_> =
        pages.into_iter().map(|(path, pages)| (base.join(&path).unwrap(), pages)).collect();
    articles.sort_by_key(|(_, pages)| pages.len());
    articles
}

async fn trained_on(url: &Url) -> Trained {
    let dir = tempfile::tempdir().unwrap();
    let catalog = Arc::new(CatalogWriter::open(dir.path()).unwrap());
    let samples = vec![("comments".to_owned(), url.clone())];
    train(samples, Settings::new(Vec::new()), catalog).await.unwrap()
}

/// Crawls one article's comments on a site that nobody has seen, with nothing but a model.
async fn crawl_with(model: &Model, options: Options, article: usize) -> (Crawled, Vec<String>) {
    let site = testsite::serve(SiteKind::News, options).await.unwrap();
    let (url, pages) = articles(&site).swap_remove(article);
    let dir = tempfile::tempdir().unwrap();
    let catalog = Arc::new(CatalogWriter::open(dir.path()).unwrap());
    let settings = Settings {
        model: Some(model.clone()),
        want: vec!["comments".into()],
        include: vec![format!("^{}$", regex::escape(url.as_str()))],
        ..Settings::new(vec![url])
    };
    let report = Crawl::begin(settings, catalog.clone()).await.unwrap().run().await.unwrap();
    (Crawled { site, catalog, report, _dir: dir }, pages)
}

/// Trains on one article and crawls the two others.
async fn finds_the_comments_of_the_others(build: Build, sample: usize) {
    let options = Options { build, ..Options::default() };
    let site = testsite::serve(SiteKind::News, options.clone()).await.unwrap();
    let articles = articles(&site);
    let trained = trained_on(&articles[sample].0).await;
    let text = trained.model.to_string();
    let model: Model = text.parse().unwrap();
    assert_eq!(model, trained.model, "what is written is what was learned");
    let pager = &model.patterns[0];
    assert_eq!((pager.label.as_str(), pager.precision, pager.context_free), ("number", 1.0, true));
    assert!(!text.contains("127.0.0.1"), "what was learned here holds elsewhere: {text}");
    let is_done = |change: &testsite::Change| change.kind != "load";
    assert_eq!(site.log().iter().filter(|change| is_done(change)).count(), 0);
    for article in (0..articles.len()).filter(|article| *article != sample) {
        let (crawled, pages) = crawl_with(&model, options.clone(), article).await;
        let texts = crawled.texts().await;
        let is_missing = |marker: &&String| !texts.values().any(|text| text.contains(*marker));
        assert_eq!(pages.iter().filter(is_missing).count(), 0, "{:?}", crawled.report);
        let events = crawled.report.events_fired + crawled.report.events_replayed;
        println!(
            "{build:?}: {events} events for {} comment pages, {} + {} to learn",
            pages.len(),
            trained.events_fired,
            trained.report.events_replayed
        );
        assert!(events as f64 <= 1.5 * pages.len() as f64, "{:?}", crawled.report);
        assert_eq!(crawled.changes(), Vec::<String>::new(), "a crawl changes nothing");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_model_of_inline_handlers_finds_the_comments_of_other_articles() {
    finds_the_comments_of_the_others(Build::Inline, 0).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_model_of_closures_finds_the_comments_of_other_articles() {
    finds_the_comments_of_the_others(Build::Closures, 1).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_model_of_react_finds_the_comments_of_other_articles() {
    finds_the_comments_of_the_others(Build::React, 2).await;
}

/// Pages of comments behind a pager that shows the first `shown` numbers and "on".
fn paged(article: &str, pages: usize, shown: usize) -> String {
    format!(
        "<h1>{article}</h1><ol id=list></ol><p id=pager></p><p>About us</p><script>
        function go(page) {{
            const list = [1, 2, 3].map((n) => `<li><b>Reader ${{n}}</b> says ${{n}} on page ${{page}} of {article}</li>`);
            document.getElementById('list').innerHTML = list.join('');
            let pager = '';
            for (let n = 1; n <= {shown}; n++) pager += n === page ? `<b>${{n}}</b> ` : `<a onclick='go(${{n}})'>${{n}}</a> `;
            if (page < {pages}) pager += `<a onclick='go(${{page + 1}})'>on</a>`;
            document.getElementById('pager').innerHTML = pager;
        }}
        go(1);
        </script>"
    )
}

#[tokio::test(flavor = "multi_thread")]
async fn a_pager_that_hides_pages_is_followed_to_its_end_though_the_sample_hid_none() {
    let base = crate::own::serve(|path| match path {
        "/sample/comments" => paged("sample", 5, 5),
        _ => paged("other", 7, 3),
    });
    let base = Url::parse(&base.await).unwrap();
    let trained = trained_on(&base.join("sample/comments").unwrap()).await;
    let on = trained.model.patterns.iter().find(|pattern| pattern.label == "words").unwrap();
    assert_eq!(on.new, 0, "the sample's numbers lead everywhere: {on:?}");
    let url = base.join("other/comments").unwrap();
    let dir = tempfile::tempdir().unwrap();
    let catalog = Arc::new(CatalogWriter::open(dir.path()).unwrap());
    let settings = Settings {
        model: Some(trained.model),
        want: vec!["comments".into()],
        ..Settings::new(vec![url])
    };
    let report = Crawl::begin(settings, catalog).await.unwrap().run().await.unwrap();
    assert_eq!(report.pages, 7, "{report:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn pages_like_the_sample_teach_what_the_sample_lacks() {
    let base = crate::own::serve(|path| match path {
        "/list" => (1..=5).fold("<table>".to_owned(), |list, n| {
            list + &format!("<tr><td>{n}<td><a href=/thread/t{n}>What reader {n} asks</a>")
        }),
        "/thread/t1" => paged("t1", 1, 1),
        path => paged(path.trim_start_matches("/thread/"), 4, 4),
    });
    let base = Url::parse(&base.await).unwrap();
    let (list, thread) = (base.join("list").unwrap(), base.join("thread/t1").unwrap());
    let samples = vec![("list".to_owned(), list.clone()), ("thread".to_owned(), thread)];
    let dir = tempfile::tempdir().unwrap();
    let catalog = Arc::new(CatalogWriter::open(&dir.path().join("training")).unwrap());
    let trained = train(samples, Settings::new(Vec::new()), catalog).await.unwrap();
    let leads = |from: &str, event: &str| {
        let is = |p: &&crawl::PatternModel| p.page_type == from && p.event == event;
        trained.model.patterns.iter().find(is).map(|pattern| pattern.leads_to.clone())
    };
    assert_eq!(leads("list", "link"), Some(vec!["thread".to_owned()]));
    assert_eq!(leads("thread", "click"), Some(vec!["thread".to_owned()]));
    let catalog = Arc::new(CatalogWriter::open(&dir.path().join("crawl")).unwrap());
    let settings = Settings {
        model: Some(trained.model.clone()),
        want: vec!["thread".into()],
        ..Settings::new(vec![list])
    };
    let report = Crawl::begin(settings, catalog).await.unwrap().run().await.unwrap();
    assert_eq!(report.pages, 1 + 1 + 4 * 4, "{report:?}");
}
