//! The maze: every room as the truth says, and every write in the log.

use std::collections::BTreeSet;

use axum::http::Method;
use testsite::{Build, Options, Reach, Running, SiteKind, serve};

use crate::client::Client;
use crate::{beside, driven};

async fn maze() -> Running {
    serve(SiteKind::Maze, Options::default()).await.expect("a free port")
}

async fn every_state_is_reached_and_nothing_is_changed(build: Build) {
    let options = Options { build, ..Options::default() };
    let run = driven::drive(SiteKind::Maze, options).await;
    // A page beside the site cannot press a button in a closed shadow root.
    let missed = run.missed(|state| !state.marker.contains("dancing crane"));
    assert!(missed.is_empty(), "{build}: {missed:#?}");
    let changes: BTreeSet<&str> = run.changes.iter().map(String::as_str).collect();
    assert_eq!(changes, BTreeSet::from(["load"]), "{build}");
}

/// Presses every button of every section, says yes to every question, and types.
const CARELESS: &str = r#"
const pause = (ms) => new Promise((done) => setTimeout(done, ms));
// The elements of a document, with those in shadow roots.
function everything(root) {
  return Array.from(root.querySelectorAll('*')).flatMap((element) =>
    element.shadowRoot ? [element, ...everything(element.shadowRoot)] : [element]);
}
async function visit(url, careless) {
  const frame = document.body.appendChild(document.createElement('iframe'));
  await new Promise((done) => { frame.onload = done; frame.src = url; });
  frame.contentWindow.confirm = () => true;
  await careless(frame.contentDocument);
  await pause(3000);
  frame.remove();
}
async function drive() {
  const truth = await (await fetch('/__truth.json')).json();
  const fronts = truth.states.filter((state) => state.id === '/' + state.kind + '/');
  for (const { url, kind } of fronts) {
    if (kind === 'private' || kind === 'outside') continue;
    await visit(url, (page) => everything(page.querySelector('main'))
      .filter((element) => element.localName === 'button').forEach((button) => button.click()));
    await visit(url, (page) => everything(page.querySelector('main'))
      .filter((element) => /^(textarea|input)$/.test(element.localName)).forEach((field) => {
        // Leaving a field fires both; frameworks listen for the one that bubbles.
        field.dispatchEvent(new Event('input', { bubbles: true, composed: true }));
        field.dispatchEvent(new Event('blur', { composed: true }));
        field.dispatchEvent(new Event('focusout', { bubbles: true, composed: true }));
      }));
  }
  return fronts.length;
}
"#;

async fn carelessness_causes_every_change_that_the_truth_warns_of(build: Build) {
    let options = Options { build, ..Options::default() };
    let (site, fronts): (_, usize) = beside::drive(SiteKind::Maze, options, CARELESS).await;
    assert!(fronts > 20);
    let caused: BTreeSet<String> = site.log().into_iter().map(|change| change.kind).collect();
    let mut warned: BTreeSet<String> = site.truth().changes.iter().cloned().collect();
    warned.insert("load".to_owned());
    assert_eq!(caused, warned, "{build}");
    site.stop().await;
}

macro_rules! in_each_build {
    ($($careful:ident, $careless:ident: $build:ident,)+) => {
        $(
            #[tokio::test]
            async fn $careful() {
                every_state_is_reached_and_nothing_is_changed(Build::$build).await;
            }

            #[tokio::test]
            async fn $careless() {
                carelessness_causes_every_change_that_the_truth_warns_of(Build::$build).await;
            }
        )+
    };
}

in_each_build! {
    inline_handlers_lead_everywhere, inline_handlers_punish_carelessness: Inline,
    closures_lead_everywhere, closures_punish_carelessness: Closures,
    jquery_leads_everywhere, jquery_punishes_carelessness: Jquery,
    react_leads_everywhere, react_punishes_carelessness: React,
    vue_leads_everywhere, vue_punishes_carelessness: Vue,
    lit_leads_everywhere, lit_punishes_carelessness: Lit,
}

#[tokio::test]
async fn every_section_is_linked_from_the_index_and_markers_are_unique() {
    let site = maze().await;
    let mut client = Client::connect(&site).await;
    let index = client.get("/").await.body;
    let truth = site.truth();
    for kind in truth.counts.keys().filter(|kind| *kind != "index") {
        assert!(index.contains(&format!("<a href=\"/{kind}/\">")), "{kind}");
    }
    assert!(index.contains("href=\"/forbidden/\""));
    for state in &truth.states {
        let same = |other: &&testsite::State| other.marker.contains(&state.marker);
        assert_eq!(truth.states.iter().filter(same).count(), 1, "{}", state.id);
        let path = state.url.split('#').next().unwrap_or_default();
        let answer = client.get(path).await;
        assert_eq!(answer.status, state.status, "{}", state.url);
        if state.reach == Reach::Url {
            assert!(
                answer.body.contains(&state.marker.replace('\'', "&#39;"))
                    || answer.body.contains(&state.marker),
                "{}",
                state.id
            );
        }
    }
    site.stop().await;
}

#[tokio::test]
async fn posts_that_only_read_leave_no_trace_and_a_mutation_does() {
    let site = maze().await;
    let mut client = Client::connect(&site).await;
    let comments = client.send(Method::POST, "/api/load-comments", "page=1").await;
    assert!(comments.body.contains("never found the exit"));
    let query = r#"{"query":"query Staff { staff { name } }"}"#;
    assert!(client.send(Method::POST, "/graphql", query).await.body.contains("Ivy Holm"));
    assert!(site.log().is_empty());
    client.send(Method::POST, "/graphql", r#"{"query":"mutation Book { x }"}"#).await;
    client.send(Method::POST, "/graphql", "no json").await;
    assert_eq!(site.log().len(), 1);
    site.stop().await;
}

#[tokio::test]
async fn a_plain_get_can_delete_log_out_buy_and_vote() {
    let site = maze().await;
    let mut client = Client::connect(&site).await;
    for path in ["/delete/remove?id=1", "/logout/now", "/cart/add?item=7", "/vote/cast?hedge=Yew"] {
        client.get(path).await;
    }
    let kinds: Vec<_> = site.log().into_iter().map(|change| change.kind).collect();
    assert_eq!(kinds, ["delete", "logout", "cart", "vote"]);
    site.stop().await;
}

#[tokio::test]
async fn the_clocks_differ_with_each_visit_unless_told_not_to() {
    let calm = Options { volatile: false, ..Options::default() };
    for (options, differs) in [(Options::default(), true), (calm, false)] {
        let site = serve(SiteKind::Maze, options).await.expect("a free port");
        let mut client = Client::connect(&site).await;
        let first = client.get("/volatile/").await.body;
        assert_eq!(first != client.get("/volatile/").await.body, differs);
        let quiet = client.get("/late/").await.body;
        assert_eq!(quiet, client.get("/late/").await.body);
        site.stop().await;
    }
}

#[tokio::test]
async fn redirects_end_in_one_page_and_robots_may_not_enter_the_private_wing() {
    let site = maze().await;
    let mut client = Client::connect(&site).await;
    for (path, status) in [("for-now", 307), ("for-ever", 308), ("chain", 303)] {
        let answer = client.get(&format!("/redirect/{path}")).await;
        assert_eq!(answer.status, status);
        assert!(answer.headers.contains_key("location"));
    }
    assert!(client.get("/robots.txt").await.body.contains("Disallow: /forbidden/"));
    assert_eq!(site.truth().off_limits, ["/forbidden/"]);
    site.stop().await;
}

#[tokio::test]
async fn whoever_knocks_at_the_other_port_is_counted() {
    let site = maze().await;
    let mut client = Client::connect(&site).await;
    let before = client.get("/private/knocks.json").await.json();
    assert_eq!(before["knocks"], 0);
    let port = before["port"].as_u64().expect("a port");
    let page = client.get("/private/").await.body;
    assert!(page.contains(&format!("http://127.0.0.1:{port}/")));
    tokio::net::TcpStream::connect(("127.0.0.1", port as u16)).await.expect("the trap listens");
    for _ in 0..100 {
        if client.get("/private/knocks.json").await.json()["knocks"] == 1 {
            return site.stop().await;
        }
        tokio::time::sleep(std::time::Duration::from_millis(10)).await;
    }
    panic!("nobody noticed the visitor");
}
