//! What the server does for any site.

use std::sync::Arc;
use std::time::{Duration, Instant};

use axum::Router;
use axum::body::Body;
use axum::routing::{get, post};
use testsite::{Clock, Options, Running, Site, SiteKind, State, Truth, Visit, serve, serve_site};
use tokio::net::TcpStream;

use crate::client::Client;

/// A page that counts, a button that changes something, and a body that never ends.
struct Guestbook;

impl Site for Guestbook {
    fn truth(&self) -> Truth {
        Truth::new("guestbook", vec![State::at("front", "/", "welcome")])
    }

    fn router(self: Arc<Self>) -> Router {
        Router::new()
            .route("/", get(async |visit: Visit| format!("welcome {}", visit.random().hex(8))))
            .route("/sign", post(async |visit: Visit| visit.change("sign", "page 1")))
            .route("/endless", get(async || Body::new(Endless)))
    }
}

struct Endless;

impl axum::body::HttpBody for Endless {
    type Data = axum::body::Bytes;
    type Error = std::convert::Infallible;

    fn poll_frame(
        self: std::pin::Pin<&mut Self>,
        _: &mut std::task::Context<'_>,
    ) -> std::task::Poll<Option<Result<hyper::body::Frame<Self::Data>, Self::Error>>> {
        std::task::Poll::Pending
    }
}

async fn guestbook(options: Options) -> Running {
    serve_site(Arc::new(Guestbook), options).await.expect("a free port")
}

#[tokio::test]
async fn a_connection_is_kept_alive_over_many_requests() {
    let site = guestbook(Options::default()).await;
    let mut client = Client::connect(&site).await;
    for _ in 0..20 {
        assert_eq!(client.get("/").await.status, 200);
    }
    assert_eq!(site.requests().total, 20);
    site.stop().await;
}

#[tokio::test]
async fn every_state_change_is_in_the_log_and_reading_is_not() {
    let site = guestbook(Options::default()).await;
    let mut client = Client::connect(&site).await;
    client.get("/").await;
    client.get("/sign").await;
    assert!(site.log().is_empty());
    client.send(axum::http::Method::POST, "/sign", "").await;
    client.send(axum::http::Method::POST, "/sign", "").await;

    let log = site.log();
    let kinds: Vec<_> = log.iter().map(|change| (change.number, change.kind.as_str())).collect();
    assert_eq!(kinds, [(1, "sign"), (2, "sign")]);
    assert_eq!(log[0].method, "POST");
    assert_eq!(log[0].time, "2009-05-01T08:30:00Z");
    let served = client.get("/__log.json").await.json();
    assert_eq!(served["total"], 2);
    assert_eq!(served["changes"], serde_json::to_value(&log).unwrap());
    site.stop().await;
}

#[tokio::test]
async fn requests_are_counted_by_path_and_questions_about_them_are_not() {
    let site = guestbook(Options::default()).await;
    let mut client = Client::connect(&site).await;
    client.get("/?a=1").await;
    client.get("/?a=2").await;
    client.get("/missing").await;
    client.get("/robots.txt").await;
    client.get("/__truth.json").await;
    let served = client.get("/__requests.json").await.json();
    assert_eq!(
        served,
        serde_json::json!({
            "total": 4, "writes": 0, "other": 0,
            "paths": {"/": 2, "/missing": 1, "/robots.txt": 1},
        })
    );
    assert_eq!(serde_json::to_value(site.requests()).unwrap(), served);
    site.stop().await;
}

#[tokio::test]
async fn volatile_parts_differ_with_each_request_and_repeat_in_the_next_run() {
    let mut runs = Vec::new();
    for _ in 0..2 {
        let site = guestbook(Options::default()).await;
        let mut client = Client::connect(&site).await;
        runs.push((client.get("/").await.body, client.get("/").await.body));
        site.stop().await;
    }
    assert_eq!(runs[0], runs[1]);
    assert_ne!(runs[0].0, runs[0].1);

    let calm = guestbook(Options { volatile: false, ..Options::default() }).await;
    let mut client = Client::connect(&calm).await;
    assert_eq!(client.get("/").await.body, client.get("/").await.body);
    calm.stop().await;
}

#[tokio::test]
async fn the_server_lives_in_its_own_time() {
    let clock: Clock = "2011-03-04T05:06:07Z".parse().unwrap();
    let site = guestbook(Options { clock, ..Options::default() }).await;
    let answer = Client::connect(&site).await.get("/").await;
    assert_eq!(answer.headers["date"], "Fri, 04 Mar 2011 05:06:07 GMT");
    site.stop().await;
}

#[tokio::test]
async fn latency_holds_for_each_request_and_not_for_all_of_them_together() {
    let latency = Duration::from_millis(80);
    let site = guestbook(Options { latency, ..Options::default() }).await;
    let begin = Instant::now();
    let mut clients = Vec::new();
    for _ in 0..16 {
        let mut client = Client::connect(&site).await;
        clients.push(tokio::spawn(async move { client.get("/").await.status }));
    }
    for client in clients {
        assert_eq!(client.await.unwrap(), 200);
    }
    let elapsed = begin.elapsed();
    assert!(elapsed >= latency, "{elapsed:?}");
    assert!(elapsed < latency * 12, "16 requests did not overlap: {elapsed:?}");
    site.stop().await;
}

#[tokio::test]
async fn stopping_ends_responses_that_never_end_and_frees_the_port() {
    let site = guestbook(Options::default()).await;
    let addr = site.addr();
    let mut client = Client::connect(&site).await;
    let endless = tokio::spawn(async move { client.get("/").await.status });
    assert_eq!(endless.await.unwrap(), 200);
    let mut stuck = Client::connect(&site).await;
    let hanging = tokio::spawn(async move { stuck.get("/endless").await.status });
    tokio::time::sleep(Duration::from_millis(50)).await;

    let begin = Instant::now();
    site.stop().await;
    assert!(begin.elapsed() < Duration::from_secs(5));
    assert!(hanging.await.is_err(), "the body was cut, so it cannot have been read whole");
    assert!(TcpStream::connect(addr).await.is_err());
}

#[tokio::test]
async fn a_taken_port_is_an_error_that_says_what_to_do() {
    let first = guestbook(Options::default()).await;
    let options = Options { port: first.addr().port(), ..Options::default() };
    let error = serve(SiteKind::News, options).await.expect_err("the port is taken").to_string();
    assert!(error.contains("choose another port"), "{error}");
    first.stop().await;
}

#[test]
fn names_are_read_back_and_unknown_ones_list_the_known() {
    for build in testsite::Build::ALL {
        assert_eq!(build.name().parse(), Ok(*build));
    }
    let error = "svelte".parse::<testsite::Build>().unwrap_err().to_string();
    assert_eq!(
        error,
        "no build is called 'svelte'; choose one of inline, closures, jquery, react, vue, lit"
    );
}
