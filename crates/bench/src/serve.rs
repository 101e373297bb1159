//! `bathys bench serve`: how long the pages of `bathys serve` take on a large store, and what its readers notice
//! of a crawl that writes to it.

use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context as _, bail, ensure};
use store::{
    Capture, CatalogWriter, ImportStep, Imported, Millis, NewEdition, PageNumber, Reading,
    Sighting, StateId, Via,
};
use testsite::{Options, Paging, SiteKind};
use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::TcpStream;
use tokio::task::JoinSet;

use crate::sheet::{Experiment, Sheet, rounded};

/// Pages and records of the store, and of a quick run.
const LARGE: (usize, usize) = (100_000, 1_000_000);
const QUICK: (usize, usize) = (2_000, 20_000);
/// Records on a page that has any.
const ON_A_PAGE: usize = 20;
/// Pages that are imported at the same time.
const AT_ONCE: usize = 64;
/// Requests that a median is made of.
const REQUESTS: usize = 41;
/// Readers, and how long they read.
const READERS: usize = 64;
const READING: Duration = Duration::from_secs(60);
const READING_QUICK: Duration = Duration::from_secs(10);
/// What is asked, in milliseconds.
const MEDIAN: f64 = 100.0;
const SLOWEST: f64 = 500.0;

const SITE: &str = "large.example";

pub async fn run(sheet: &mut Sheet, quick: bool) -> anyhow::Result<()> {
    let (pages, records) = if quick { QUICK } else { LARGE };
    let room = tempfile::tempdir().context("cannot make a directory for the store")?;
    eprintln!("  a store of {pages} pages and {records} records");
    fill(room.path(), pages, records).await?;
    let server = Server::of(room.path()).await?;
    let middle = pages / 2;
    for (name, path) in [
        ("home", "/".to_owned()),
        ("site", format!("/site/{SITE}")),
        ("pages", format!("/pages?site={SITE}&after={middle}")),
        ("page", format!("/page/{middle}")),
        ("records", format!("/records?kind=post&after={}~1~{SITE}", records / 2)),
        ("sorted", "/records?kind=post&sort=-time".to_owned()),
        ("log", format!("/api/v1/log?key={middle}")),
    ] {
        let begun = Instant::now();
        server.get(&path).await.with_context(|| format!("{name} was not answered"))?;
        let first = begun.elapsed().as_secs_f64() * 1e3;
        let mut times = Vec::with_capacity(REQUESTS);
        for _ in 0..REQUESTS {
            let begun = Instant::now();
            server.get(&path).await?;
            times.push(begun.elapsed().as_secs_f64() * 1e3);
        }
        times.sort_by(f64::total_cmp);
        let median = times[REQUESTS / 2];
        let mut row = Experiment::new(format!("serve/{name}"))
            .ours("pages", pages)
            .ours("records", records)
            .ours("first_ms", rounded(first))
            .ours("median_ms", rounded(median));
        // Sorting reads some thousands of records: it is no page that everybody opens.
        if name != "sorted" {
            row =
                row.ask(median <= MEDIAN, format!("{median:.1} ms at the median, asked {MEDIAN}"));
        }
        sheet.put(row)?;
    }
    sheet.put(readers(&server, room.path(), pages, quick).await?)?;
    sheet.table("Pages of a large store, and readers while a crawl writes to it")
}

/// A page, 20 of whose like have records.
fn html(number: usize) -> String {
    let words = ["harbour", "tunnel", "quay", "ferry", "market", "bridge", "council", "tide"];
    let word = |at: usize| words[(number * 7 + at * 13) % words.len()];
    let mut html = format!(
        "<!DOCTYPE html><title>Page {number} about the {}</title><h1>{} {number}</h1>",
        word(0),
        word(1)
    );
    for part in 0..6 {
        html.push_str(&format!(
            "<p>The {} and the {} of {number}, part {part}.</p>",
            word(part),
            word(part + 1)
        ));
    }
    html
}

/// Makes the store.
pub async fn fill(directory: &Path, pages: usize, records: usize) -> anyhow::Result<()> {
    let catalog = std::sync::Arc::new(CatalogWriter::open(directory)?);
    let begun = Millis::now();
    let mut running = JoinSet::new();
    let mut numbers: Vec<PageNumber> = Vec::with_capacity(pages);
    let mut left = 0..pages;
    loop {
        while running.len() < AT_ONCE
            && let Some(number) = left.next()
        {
            let catalog = catalog.clone();
            running.spawn(async move { import(&catalog, number, begun).await });
        }
        let Some(imported) = running.join_next().await else { break };
        numbers.push(imported??);
    }
    numbers.sort_unstable();
    let with_records = records.div_ceil(ON_A_PAGE);
    for (some, pages) in numbers.chunks(50).take(with_records.div_ceil(50)).enumerate() {
        let readings = pages.iter().enumerate().map(|(at, page)| reading(*page, some * 50 + at));
        catalog.commit_readings(readings.collect()).await?;
    }
    Ok(())
}

async fn import(
    catalog: &CatalogWriter,
    number: usize,
    time: Millis,
) -> anyhow::Result<PageNumber> {
    let html = html(number);
    let digest = blake3::hash(html.as_bytes());
    let mut state = [0; 16];
    state.copy_from_slice(&digest.as_bytes()[..16]);
    let step = ImportStep {
        site: SITE.into(),
        url: format!("http://{SITE}/{number}"),
        time,
        capture: Some(Capture {
            state: StateId(state),
            snapshot: None,
            title: format!("Page {number}"),
            http_status: Some(200),
            via: Via::Http,
            drift_ms: 0,
            page_type: Some(format!("type-{}", number % 12)),
            content_type: Some("text/html; charset=utf-8".into()),
            looks: None,
            run: None,
            cut: None,
            body: Some(html.into_bytes()),
        }),
        state: None,
        exchanges: Vec::new(),
    };
    match catalog.import(step).await? {
        Imported::Version(page, _) => Ok(page),
        other => bail!("page {number} became {other:?}"),
    }
}

/// The records of a page, as the reader of pages would keep them.
fn reading(page: PageNumber, nth: usize) -> Reading {
    let sighting = |at: usize| {
        let number = nth * ON_A_PAGE + at;
        let time = 1_200_000_000 + (number as i64 * 7_919) % 300_000_000;
        let body = serde_json::json!({
            "kind": "post", "id": format!("p{number}"), "xpath": format!("/html[1]/body[1]/div[{}]", at + 1),
            "title": format!("Thread {}", number / 40), "author": format!("author {}", number % 5_003),
            "time": { "unix": time, "precision": "minute", "zone": null, "relative": false },
            "time_text": null, "text": format!("Post {number}"),
            "content_text": format!("What is said in post {number} about the harbour."),
            "content_html": null, "quotes": [], "links": [], "permalink": null, "position": at + 1,
            "reply_to": [], "replies": null, "last_author": null, "last_time": null, "fields": {},
            "field_xpaths": {}, "confidence": 0.9, "proofs": [],
        });
        Sighting {
            record: None,
            kind: "post".into(),
            name: format!("p{number}"),
            series: format!("t{}", number / 40),
            edition: Some(NewEdition {
                digest: number as u64,
                is_edited: false,
                body: body.to_string().into_bytes(),
            }),
            confidence: 0.9,
            proofs: "[]".into(),
            moment: None,
        }
    };
    Reading {
        site: SITE.into(),
        page,
        version: 1,
        time: Millis::now(),
        seen: (0..ON_A_PAGE).map(sighting).collect(),
        missed: Vec::new(),
    }
}

/// Readers of all kinds of pages while a crawl writes.
async fn readers(
    server: &Server,
    store: &Path,
    pages: usize,
    quick: bool,
) -> anyhow::Result<Experiment> {
    let options = Options { size: 20_000, paging: Paging::Plain, ..Options::default() };
    let site = testsite::serve(SiteKind::Bbs, options).await?;
    let time = if quick { READING_QUICK } else { READING };
    let mut crawl = Command::new(std::env::current_exe()?);
    crawl.args(["crawl", &site.url(), "--render", "never", "--json", "--store"]).arg(store);
    crawl.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    let mut crawl = Running(crawl.spawn().context("cannot start a crawl")?);
    let before = site.requests().total;
    let begun = Instant::now();
    let mut readers = JoinSet::new();
    for reader in 0..READERS {
        let host = server.host.clone();
        readers.spawn(async move {
            let (mut times, mut errors) = (Vec::new(), 0_usize);
            for turn in 0.. {
                if begun.elapsed() >= time {
                    break;
                }
                let page = 1 + (reader * 7_919 + turn * 104_729) % pages;
                let path = match (reader + turn) % 8 {
                    0 => "/".to_owned(),
                    1 => format!("/site/{SITE}"),
                    2 => format!("/pages?site={SITE}&after={page}"),
                    3 => format!("/records?kind=post&after={page}~1~{SITE}"),
                    4 => format!("/api/v1/show?key={page}"),
                    _ => format!("/page/{page}"),
                };
                let asked = Instant::now();
                match get(&host, &path).await {
                    Ok(_) => times.push(asked.elapsed().as_secs_f64() * 1e3),
                    Err(_) => errors += 1,
                }
            }
            (times, errors)
        });
    }
    let (mut times, mut errors) = (Vec::new(), 0);
    while let Some(read) = readers.join_next().await {
        let (some, wrong) = read?;
        times.extend(some);
        errors += wrong;
    }
    let was_writing = crawl.0.try_wait()?.is_none();
    drop(crawl);
    let crawled = site.requests().total - before;
    site.stop().await;
    ensure!(!times.is_empty(), "nothing was answered");
    times.sort_by(f64::total_cmp);
    let at = |share: f64| times[((times.len() - 1) as f64 * share) as usize];
    let p99 = at(0.99);
    Ok(Experiment::new("serve/readers")
        .ours("readers", READERS)
        .ours("answers", times.len())
        .ours("errors", errors)
        .ours("crawled", crawled)
        .ours("median_ms", rounded(at(0.5)))
        .ours("p99_ms", rounded(p99))
        .ask(errors == 0, format!("{errors} errors"))
        .ask(was_writing && crawled > 0, "the crawl wrote all the while")
        .ask(p99 <= SLOWEST, format!("{p99:.0} ms at the 99th percentile, asked {SLOWEST}")))
}

/// A process that is killed if it is still there in the end.
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// `bathys serve` in a process of its own.
pub struct Server {
    host: String,
    _child: tokio::process::Child,
}

impl Server {
    /// Serves a store on free ports.
    pub async fn of(store: &Path) -> anyhow::Result<Self> {
        let mut command = tokio::process::Command::new(std::env::current_exe()?);
        command.args(["serve", "--listen", "127.0.0.1:0", "--json", "--store"]).arg(store);
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.kill_on_drop(true).spawn().context("cannot start a server")?;
        let stdout = child.stdout.take().context("the server says nothing")?;
        let mut line = String::new();
        BufReader::new(stdout).read_line(&mut line).await?;
        let places: serde_json::Value = serde_json::from_str(&line)?;
        let url = places["url"].as_str().context("the server did not say where it is")?;
        let host = url.trim_start_matches("http://").trim_end_matches('/').to_owned();
        Ok(Self { host, _child: child })
    }

    /// What is answered to a path, with the head.
    pub async fn get(&self, path: &str) -> anyhow::Result<Vec<u8>> {
        get(&self.host, path).await
    }
}

/// Asks for a path; only 200 is an answer.
async fn get(host: &str, path: &str) -> anyhow::Result<Vec<u8>> {
    let mut stream = TcpStream::connect(host).await?;
    let request = format!("GET {path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n");
    stream.write_all(request.as_bytes()).await?;
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).await?;
    ensure!(
        answer.starts_with(b"HTTP/1.1 200 "),
        "{path}: {}",
        String::from_utf8_lossy(answer.split(|byte| *byte == b'\r').next().unwrap_or_default())
    );
    Ok(answer)
}
