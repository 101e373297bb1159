//! The hostile site over raw TCP, since most of its answers are more than a client wants.

use std::io::Read;
use std::time::{Duration, Instant};

use testsite::{Options, Running, SiteKind, serve};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::timeout;

use crate::client::Client;

async fn hostile() -> Running {
    serve(SiteKind::Hostile, Options::default()).await.expect("a free port")
}

/// Up to `most` bytes of the answer, head included; fewer if the server ends it or falls silent.
async fn beginning(site: &Running, path: &str, most: usize) -> Vec<u8> {
    let mut stream = TcpStream::connect(site.addr()).await.expect("connect");
    let request = format!("GET {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n");
    stream.write_all(request.as_bytes()).await.expect("sent");
    let mut answer = Vec::new();
    let mut buffer = vec![0; 1 << 16];
    while answer.len() < most {
        match timeout(Duration::from_millis(300), stream.read(&mut buffer)).await {
            Ok(Ok(read)) if read > 0 => answer.extend_from_slice(&buffer[..read]),
            _ => break,
        }
    }
    answer
}

/// How many bytes the body has in all, in chunks as they are.
async fn length(site: &Running, path: &str) -> usize {
    let mut stream = TcpStream::connect(site.addr()).await.expect("connect");
    let request = format!("GET {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n");
    stream.write_all(request.as_bytes()).await.expect("sent");
    let mut buffer = vec![0; 1 << 20];
    let mut total = 0;
    loop {
        match stream.read(&mut buffer).await.expect("a whole body") {
            0 => return total,
            read => total += read,
        }
    }
}

/// What is in the first chunks of an answer.
fn body(answer: &[u8]) -> Vec<u8> {
    let at = answer.windows(4).position(|four| four == b"\r\n\r\n").expect("a head");
    let (head, mut rest) = (String::from_utf8_lossy(&answer[..at]), &answer[at + 4..]);
    if !head.contains("transfer-encoding: chunked") {
        return rest.to_vec();
    }
    let mut body = Vec::new();
    while let Some(end) = rest.windows(2).position(|two| two == b"\r\n") {
        let size =
            usize::from_str_radix(&String::from_utf8_lossy(&rest[..end]), 16).expect("a size");
        let data = &rest[end + 2..];
        body.extend_from_slice(&data[..size.min(data.len())]);
        rest = data.get(size + 2..).unwrap_or_default();
    }
    body
}

#[tokio::test]
async fn every_attack_has_the_status_of_the_truth_and_begins_with_its_marker() {
    let site = hostile().await;
    assert!(site.truth().states.len() > 70);
    for state in &site.truth().states {
        // The marker of this one comes after its headers; those of the others come at once.
        let most = if state.url == "/a/cookies" { 300_000 } else { 4_000 };
        let answer = beginning(&site, &state.url, most).await;
        let text = String::from_utf8_lossy(&answer);
        if state.status == 0 {
            assert!(answer.is_empty(), "{} answers", state.id);
            continue;
        }
        assert!(text.starts_with(&format!("HTTP/1.1 {}", state.status)), "{}", state.id);
        if state.url != "/a/gzip-bomb" {
            assert!(text.contains(&state.marker), "{}", state.id);
        }
        assert_eq!(state.wanted, !state.marker.is_empty(), "{}", state.id);
    }
    site.stop().await;
}

#[tokio::test]
async fn the_index_links_every_attack_and_the_safe_page_last() {
    let site = hostile().await;
    let index = Client::connect(&site).await.get("/").await.body;
    let links: Vec<_> =
        index.split("href=\"").skip(1).filter_map(|rest| rest.split('"').next()).collect();
    let urls: Vec<_> = site.truth().states.iter().skip(1).map(|state| state.url.as_str()).collect();
    assert_eq!(links, urls);
    assert_eq!(links.last(), Some(&"/safe"));
    site.stop().await;
}

#[tokio::test]
async fn large_bodies_are_as_large_as_they_say_and_cost_the_server_little() {
    let site = hostile().await;
    let begin = Instant::now();
    for path in ["/a/large-html", "/a/large-binary"] {
        assert!(length(&site, path).await > 200_000_000, "{path}");
    }
    assert!(begin.elapsed() < Duration::from_secs(30), "{:?}", begin.elapsed());
    let nested = length(&site, "/a/nested").await;
    assert!((1_000_000..1_200_000).contains(&nested), "{nested}");
    site.stop().await;
}

#[tokio::test]
async fn the_gzip_bomb_is_small_on_the_wire_and_unpacks_to_its_marker_first() {
    let site = hostile().await;
    let wire = length(&site, "/a/gzip-bomb").await;
    assert!(wire < 3_000_000, "{wire}");
    let packed = body(&beginning(&site, "/a/gzip-bomb", 60_000).await);
    let mut unpacked = vec![0; 8 << 20];
    flate2::read::GzDecoder::new(packed.as_slice())
        .read_exact(&mut unpacked)
        .expect("eight megabytes at least");
    assert!(String::from_utf8_lossy(&unpacked).contains("Attack gzip-bomb begins below."));
    site.stop().await;
}

#[tokio::test]
async fn redirects_go_on_for_ever() {
    let site = hostile().await;
    let mut client = Client::connect(&site).await;
    let mut path = "/a/redirect-new".to_owned();
    for _ in 0..50 {
        let answer = client.get(&path).await;
        assert_eq!(answer.status, 302);
        let next = answer.headers["location"].to_str().expect("text").to_owned();
        assert_ne!(next, path);
        path = next;
    }
    assert!(client.get("/hop/refresh/7").await.body.contains("/hop/refresh/8"));
    assert!(client.get("/hop/location/7").await.body.contains("/hop/location/8"));
    assert_eq!(client.get("/a/redirect-self").await.headers["location"], "/a/redirect-self");
    site.stop().await;
}

#[tokio::test]
async fn a_slow_body_drips_and_a_cut_one_is_never_finished() {
    let site = hostile().await;
    let slow = beginning(&site, "/a/slow", 1 << 20).await;
    assert!(!slow.ends_with(b"0\r\n\r\n"), "it goes on after the client has left");
    let cut = beginning(&site, "/a/cut", 1 << 20).await;
    assert!(!cut.ends_with(b"0\r\n\r\n"), "no last chunk");
    let short = beginning(&site, "/a/short", 1 << 20).await;
    assert!(short.len() < 2_000);
    let before = Instant::now();
    site.stop().await;
    assert!(before.elapsed() < Duration::from_secs(5));
}

/// Compiles every script and every handler of the site, and runs those that can be seen to work.
const CHECK: &str = r#"
const pause = (ms) => new Promise((done) => setTimeout(done, ms));
async function frameOf(url) {
  const frame = document.body.appendChild(document.createElement('iframe'));
  await new Promise((done) => { frame.onload = done; frame.src = url; });
  await pause(200);
  return frame;
}
async function drive() {
  const truth = await (await fetch('/__truth.json')).json();
  const seen = { compiled: 0, broken: [] };
  const scripted = /^(hang|dialog|window|stream|memory|text|worker|tamper)$/;
  for (const state of truth.states.filter((state) => scripted.test(state.kind))) {
    const page = new DOMParser().parseFromString(await (await fetch(state.url)).text(), 'text/html');
    const codes = Array.from(page.querySelectorAll('script'), (script) => script.textContent);
    page.querySelectorAll('[onclick]').forEach((element) => codes.push(element.getAttribute('onclick')));
    for (const code of codes) {
      try { new Function(code); seen.compiled++; } catch (error) { seen.broken.push(state.id + ': ' + error); }
    }
  }
  let frame = await frameOf('/a/surrogates');
  seen.wellFormed = frame.contentDocument.getElementById('s').textContent.isWellFormed();
  frame = await frameOf('/a/tamper-dom');
  seen.lie = frame.contentDocument.querySelector('.honest').getAttribute('class');
  frame = await frameOf('/a/tamper-json');
  seen.json = frame.contentWindow.JSON.stringify([1]);
  return seen;
}
"#;

#[tokio::test]
async fn in_a_browser_every_script_compiles_and_does_its_harm() {
    let (site, seen): (_, serde_json::Value) =
        crate::beside::drive(SiteKind::Hostile, Options::default(), CHECK).await;
    assert_eq!(seen["broken"], serde_json::json!([]));
    assert!(seen["compiled"].as_u64() > Some(45), "{seen}");
    assert_eq!(seen["wellFormed"], false);
    assert_eq!(seen["lie"], "hijacked");
    assert_eq!(seen["json"], "{\"hijacked\":true}");
    site.stop().await;
}

#[tokio::test]
async fn in_a_browser_the_service_worker_takes_over_the_site() {
    const WAIT: &str = "
async function drive() {
  const frame = document.body.appendChild(document.createElement('iframe'));
  await new Promise((done) => { frame.onload = done; frame.src = '/a/service-worker'; });
  for (let tries = 0; tries < 500; tries++) {
    const text = await (await frame.contentWindow.fetch('/safe?' + tries)).text();
    if (text.includes('Hijacked')) return text;
    await new Promise((done) => setTimeout(done, 20));
  }
  return 'still honest';
}";
    let (site, text): (_, String) =
        crate::beside::drive(SiteKind::Hostile, Options::default(), WAIT).await;
    assert_eq!(text, "<p>Hijacked by the worker.</p>");
    site.stop().await;
}
