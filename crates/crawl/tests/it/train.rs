//! Training on one article's comments, and what it saves on another's (seed 000's table 1).

use std::collections::BTreeMap;
use std::sync::Arc;

use crawl::{Crawl, Model, Report, Settings, Trained, train};
use store::{Access, Catalog};
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
    let catalog = Arc::new(Catalog::open(dir.path(), Access::Crawl).unwrap());
    let samples = vec![("comments".to_owned(), url.clone())];
    train(samples, Settings::new(Vec::new()), catalog).await.unwrap()
}

/// Crawls one article's comments with nothing but a model, and returns what it fired and missed.
async fn crawl_with(
    model: Model,
    site: Running,
    url: &Url,
    pages: &[String],
) -> (Crawled, Vec<String>) {
    let dir = tempfile::tempdir().unwrap();
    let catalog = Arc::new(Catalog::open(dir.path(), Access::Crawl).unwrap());
    let settings = Settings {
        model: Some(model),
        want: vec!["comments".into()],
        include: vec![format!("^{}$", regex::escape(url.as_str()))],
        ..Settings::new(vec![url.clone()])
    };
    let report = Crawl::begin(settings, catalog.clone()).await.unwrap().run().await.unwrap();
    let crawled = Crawled { site, catalog, report, _dir: dir };
    let texts = crawled.texts().await;
    let is_missing = |marker: &&String| !texts.values().any(|text| text.contains(*marker));
    let missing = pages.iter().filter(is_missing).cloned().collect();
    (crawled, missing)
}

fn events(report: &Report) -> i64 {
    report.events_fired + report.events_replayed
}

async fn finds_another_articles_comments(build: Build) {
    let site =
        testsite::serve(SiteKind::News, Options { build, ..Options::default() }).await.unwrap();
    let articles = articles(&site);
    let (sample, _) = &articles[0];
    let (other, pages) = &articles[articles.len() - 1];
    let trained = trained_on(sample).await;
    let text = trained.model.to_string();
    let model: Model = text.parse().unwrap();
    assert_eq!(model, trained.model, "what is written is what was learned");
    let (crawled, missing) = crawl_with(model, site, other, pages).await;
    let report = &crawled.report;
    println!(
        "{build:?}: learning {} + {}; {} comment pages, {} + {} events, {} missing\n{}",
        trained.report.events_fired,
        trained.report.events_replayed,
        pages.len(),
        report.events_fired,
        report.events_replayed,
        missing.len(),
        trained.model.patterns.iter().map(|p| format!("{p:?}\n")).collect::<String>(),
    );
    assert_eq!(missing, Vec::<String>::new());
    assert!(events(report) as f64 <= 1.5 * pages.len() as f64, "{report:?}");
    assert_eq!(
        crawled.changes(),
        Vec::<String>::new(),
        "neither training nor crawling changes anything"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_model_of_inline_handlers_finds_another_articles_comments() {
    finds_another_articles_comments(Build::Inline).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_model_of_closures_finds_another_articles_comments() {
    finds_another_articles_comments(Build::Closures).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_model_of_react_finds_another_articles_comments() {
    finds_another_articles_comments(Build::React).await;
}
