//! The database behind a form.

use axum::http::{Method, StatusCode};
use testsite::{Options, Running, Search, SiteKind, serve};

use crate::client::Client;

async fn jobs(search: Search) -> (Running, Client) {
    let options = Options { search, ..Options::default() };
    let site = serve(SiteKind::Jobs, options).await.expect("a free port");
    let client = Client::connect(&site).await;
    (site, client)
}

fn offers(page: &str) -> Vec<&str> {
    let links = page.split("href=/job/").skip(1);
    links.filter_map(|rest| rest.split('>').next()).collect()
}

#[tokio::test]
async fn every_offer_is_on_one_page_of_the_default_answer_and_on_none_that_is_linked() {
    let (site, mut client) = jobs(Search::Links).await;
    let known: Vec<String> = site.truth().states.iter().map(|state| state.id.clone()).collect();
    assert_eq!(known.len(), 401, "the home page and 400 offers");
    assert!(offers(&client.get("/").await.body).is_empty());
    let mut found = Vec::new();
    for page in 1..=40 {
        let body = client.get(&format!("/find?src=hp&kw=&st=Any&page={page}")).await.body;
        assert_eq!(offers(&body).len(), 10);
        found.extend(offers(&body).into_iter().map(|id| format!("/job/{id}")));
    }
    found.sort();
    found.dedup();
    assert_eq!(found, known[1..]);
    let larger = client.get("/find?per=25").await.body;
    assert_eq!(offers(&larger).len(), 25);
    assert!(site.log().is_empty());
    site.stop().await;
}

#[tokio::test]
async fn inputs_select_only_order_or_need_another() {
    let (site, mut client) = jobs(Search::Capped).await;
    let mut rows = async |query: &str| -> Vec<String> {
        let body = client.get(&format!("/find?{query}")).await.body;
        offers(&body).into_iter().map(str::to_owned).collect()
    };
    assert_eq!(rows("").await.len(), 20, "the first twenty and no pager");
    let narrow = "st=AK&cat=Arts";
    let (mut table, mut sorted) = (rows(narrow).await, rows(&format!("{narrow}&sort=title")).await);
    let mut list = rows(&format!("{narrow}&view=list")).await;
    assert!(!table.is_empty() && table.len() < 20);
    for all in [&mut table, &mut sorted, &mut list] {
        all.sort();
    }
    assert_eq!((&table, &table), (&sorted, &list));
    assert!(rows("shift=night").await.is_empty());
    assert!(!rows("shift=night&contract=freelance").await.is_empty());
    let body = client.get("/find?kw=zyzzyva").await.body;
    assert!(body.contains("No search results for zyzzyva"));
    site.stop().await;
}

#[tokio::test]
async fn a_search_by_post_needs_the_token_of_a_page() {
    let (site, mut client) = jobs(Search::Post).await;
    assert_eq!(client.get("/find").await.status, StatusCode::METHOD_NOT_ALLOWED);
    let refused = client.send(Method::POST, "/find", "kw=&token=made-up").await;
    assert_eq!(refused.status, StatusCode::FORBIDDEN);
    let home = client.get("/").await.body;
    let token = home.split("name=token value=").nth(1).unwrap().split('>').next().unwrap();
    let form: &'static str = Box::leak(format!("kw=&token={token}").into_boxed_str());
    let answer = client.send(Method::POST, "/find", form).await;
    assert_eq!((answer.status, offers(&answer.body).len()), (StatusCode::OK, 10));
    assert!(answer.body.contains("<button>Next</button>"));
    site.stop().await;
}

#[tokio::test]
async fn each_form_beside_the_search_writes_into_the_log() {
    let (site, mut client) = jobs(Search::Links).await;
    let mut kinds = Vec::new();
    for path in ["/session", "/contact", "/letter", "/saved?id=1", "/offers/clean", "/offers.csv"] {
        client.get(path).await;
        kinds.push(site.log().last().unwrap().kind.clone());
    }
    client.send(Method::POST, "/poll", "answer=1").await;
    assert_eq!(kinds, site.truth().changes);
    assert_eq!(site.log().len(), 7);
    site.stop().await;
}
