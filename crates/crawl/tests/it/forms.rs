//! Databases behind forms.

use std::collections::BTreeSet;

use crawl::forms::{KnownForm, forms_of};
use crawl::{Forms, Render, Settings};
use page::state::url::Site;
use store::Via;
use testsite::{Options, Search, SiteKind};
use url::Url;

use crate::{Crawled, crawl};

/// A crawl of the forms alone: the pages of the offers are left out, and so is the browser.
async fn search(search: Search, size: u32, tell: impl FnOnce(&mut Settings)) -> Crawled {
    let options = Options { search, size, ..Options::default() };
    crawl(SiteKind::Jobs, options, |settings| {
        settings.render = Render::Never;
        settings.exclude = vec!["/job/".to_owned()];
        settings.limits.depth = Some(1);
        tell(settings);
    })
    .await
}

impl Crawled {
    async fn forms(&self) -> Vec<KnownForm> {
        let site = Site::of(&Url::parse(&self.site.url()).unwrap()).unwrap();
        forms_of(&self.catalog, site.as_str()).await.unwrap()
    }

    async fn searched(&self) -> KnownForm {
        let forms = self.forms().await;
        let mut searched = forms.into_iter().filter(|form| form.action.ends_with("/find"));
        searched.next().expect("the search was found")
    }

    /// The offers that captured pages list.
    fn offers(texts: &std::collections::BTreeMap<String, String>) -> BTreeSet<String> {
        let lines = texts.values().flat_map(|text| text.lines());
        lines.filter(|line| line.split('\t').count() == 6).map(str::to_owned).collect()
    }

    fn requests(&self) -> u64 {
        self.site.requests().total
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_default_query_and_its_pager_give_the_whole_database() {
    let crawled = search(Search::Links, 400, |_| {}).await;
    let form = crawled.searched().await;
    let outcome = form.outcome.expect("it was submitted");
    assert_eq!(outcome.records, 400, "{outcome:?}");
    assert_eq!(outcome.page_size, 25, "the larger page was found");
    // 16 pages of 25, the first query with pages of 10, and what checks that nothing else turns up.
    assert!(outcome.requests <= 24, "{outcome:?}");
    assert!(outcome.ended.contains("paged through"), "{}", outcome.ended);
    assert_eq!(crawled.changes(), Vec::<String>::new());
    assert_eq!(crawled.report.forms, 8, "{:?}", crawled.forms().await);
    assert!(crawled.report.submissions >= 17, "{:?}", crawled.report);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_submission_is_a_page_with_a_key_an_edge_and_records() {
    let crawled = search(Search::Links, 40, |_| {}).await;
    let pages = crawled.pages().await;
    let submitted: Vec<_> = pages.iter().filter(|page| page.via == Some(Via::Form)).collect();
    assert!(submitted.len() >= 2, "{pages:?}");
    let form = crawled.searched().await.form;
    let key = format!("{}#!bathys:submit({form})?", crawled.site.url());
    let default = crawled.catalog.find(&key).await.unwrap().expect("the key names a page");
    assert!(default.url.contains("/find?src=hp&kw=&st=Any"), "{}", default.url);
    assert_eq!(default.versions, 1);
    let home = crawled.catalog.find(&crawled.site.url()).await.unwrap().unwrap();
    let edges = crawled.catalog.edges(store::PageNumber(0)).await.unwrap();
    let edge = edges.iter().find(|edge| edge.to == Some(default.page) && edge.from == home.page);
    assert_eq!(edge.unwrap().instruction, format!("submit({form})?"));
    assert!(crawled.report.records >= 40, "{:?}", crawled.report);
}

#[tokio::test(flavor = "multi_thread")]
async fn where_answers_are_cut_off_they_are_split() {
    let crawled = search(Search::Capped, 400, |_| {}).await;
    let outcome = crawled.searched().await.outcome.expect("it was submitted");
    assert!(outcome.records >= 380, "{outcome:?}");
    // Five times what it would take if every answer were full.
    assert!(outcome.requests <= 100, "{outcome:?}");
    assert_eq!(crawled.changes(), Vec::<String>::new());
    for name in ["sort", "view"] {
        let role = outcome.roles.get(name).map(String::as_str);
        assert!(matches!(role, None | Some("presentation")), "{name}: {role:?}");
    }
    let estimate = outcome.estimate.expect("something is known");
    let truth = outcome.records as f64 / 400.0;
    assert!((estimate.likely - truth).abs() <= 0.1, "{estimate:?}, and {truth} were found");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_search_by_post_is_submitted_only_if_the_user_says_so() {
    let refused = search(Search::Post, 60, |_| {}).await;
    let form = refused.searched().await;
    assert!(form.needs_permit && form.outcome.is_none(), "{form:?}");
    assert_eq!(refused.site.requests().writes, 0);

    let crawled = search(Search::Post, 60, |settings| settings.allow_post_search = true).await;
    let outcome = crawled.searched().await.outcome.expect("it was submitted");
    assert_eq!(outcome.records, 60, "{outcome:?}");
    assert_eq!(crawled.changes(), Vec::<String>::new());
    let pages = crawled.pages().await;
    let kept = pages.iter().filter(|page| page.key.contains("#!bathys:submit(")).count();
    assert!(kept >= 3, "{pages:?}");
    assert_eq!(Crawled::offers(&crawled.texts().await).len(), 60);
}

#[tokio::test(flavor = "multi_thread")]
async fn no_form_is_submitted_if_the_user_says_so_or_one_writes() {
    let off = search(Search::Links, 40, |settings| settings.forms = Forms::Off).await;
    assert_eq!(off.report.submissions, 0);
    assert!(off.searched().await.outcome.is_none());
    assert!(off.requests() < 6, "{:?}", off.site.requests());

    let crawled = search(Search::Links, 40, |_| {}).await;
    for form in crawled.forms().await.iter().filter(|form| !form.action.ends_with("/find")) {
        assert!(!form.refused_because.is_empty() && form.outcome.is_none(), "{form:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn one_form_on_many_pages_is_one_form_and_a_budget_is_kept() {
    let crawled = search(Search::Links, 400, |settings| settings.form_requests = 6).await;
    let outcome = crawled.searched().await.outcome.unwrap();
    assert!(outcome.requests <= 6 && outcome.ended.contains("budget"), "{outcome:?}");
    let searches = crawled.forms().await;
    assert_eq!(searches.iter().filter(|form| form.action.ends_with("/find")).count(), 1);
}
