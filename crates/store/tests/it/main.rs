//! The catalog as a crawler uses it.

mod answers;
mod blobs;
mod changes;
mod contents;
mod crash;
mod edges;
mod jobs;
mod learned;
mod leases;
mod opening;
mod pages;
mod records;
mod server;
mod submissions;
mod tiers;
mod volume;
mod watch;

use std::sync::LazyLock;

use store::{
    Arrival, Capture, CatalogWriter, EventOutcome, EventStep, EventTried, LinkFound, Location,
    Millis, Order, PageNumber, PathStep, StateId, Task, Via, VisitOutcome, VisitStep,
};

const SITE: &str = "example.org";

/// One server for all tests of this process; it ends with it.
static SERVER: LazyLock<testsite::Postgres> =
    LazyLock::new(|| testsite::Postgres::start().expect("the tests need PostgreSQL"));

/// Where a test has its store.
struct Place {
    location: Location,
    _directory: Option<tempfile::TempDir>,
}

impl Place {
    fn sqlite() -> Self {
        let directory = tempfile::tempdir().unwrap();
        Self { location: directory.path().into(), _directory: Some(directory) }
    }

    fn postgres() -> Self {
        let location = SERVER.database().unwrap().parse().unwrap();
        Self { location, _directory: None }
    }

    fn open(&self) -> CatalogWriter {
        CatalogWriter::open(&self.location).unwrap()
    }

    /// Changes the catalog behind the store's back.
    fn tamper(&self, sql: &str) {
        match &self.location {
            Location::Directory(path) => {
                let file = rusqlite::Connection::open(path.join("catalog.sqlite3")).unwrap();
                file.execute_batch(sql).unwrap();
            }
            Location::Postgres(url) => {
                let (url, sql) = (url.clone(), format!("SET search_path TO bathys; {sql}"));
                let run = move || {
                    postgres::Client::connect(&url, postgres::NoTls).unwrap().batch_execute(&sql)
                };
                std::thread::spawn(run).join().unwrap().unwrap();
            }
        }
    }
}

/// Makes each of these functions two tests.
#[macro_export]
macro_rules! on_both_engines {
    ($($name:ident),* $(,)?) => {
        mod on_sqlite {
            $(#[tokio::test]
            async fn $name() {
                super::$name($crate::Place::sqlite()).await;
            })*
        }
        mod on_postgres {
            $(#[tokio::test]
            async fn $name() {
                super::$name($crate::Place::postgres()).await;
            })*
        }
    };
}

async fn next(catalog: &CatalogWriter) -> Option<Task> {
    catalog.claim(SITE, SITE, Order::Nearest, 1).await.unwrap().pop()
}

fn capture(text: &str) -> Box<Capture> {
    let mut state = [0; 16];
    let bytes = text.as_bytes();
    state[..bytes.len().min(16)].copy_from_slice(&bytes[..bytes.len().min(16)]);
    Box::new(Capture {
        state: StateId(state),
        snapshot: Some(format!("<p>{text}</p>").into_bytes()),
        body: None,
        title: text.to_owned(),
        http_status: Some(200),
        via: Via::Browser,
        drift_ms: 0,
        page_type: None,
        content_type: None,
        looks: None,
        run: None,
        cut: None,
    })
}

fn visit(task: &Task, text: &str, links: &[&str]) -> VisitStep {
    VisitStep {
        site: SITE.into(),
        page: task.page,
        depth: task.depth,
        time: Millis::now(),
        outcome: VisitOutcome::Captured(capture(text)),
        links: links
            .iter()
            .enumerate()
            .map(|(i, url)| LinkFound {
                url: (*url).into(),
                xpath: format!("/html/body/a[{}]", i + 1),
                text: String::new(),
                refused_because: None,
                class: None,
                rank: 0,
            })
            .collect(),
        exchanges: Vec::new(),
        counts: vec![("requests", 1)],
        explore: true,
        explore_shared: false,
        may_wait: false,
    }
}

fn event(page: PageNumber, xpath: &str, outcome: EventOutcome) -> EventStep {
    EventStep {
        site: SITE.into(),
        page,
        depth: 0,
        time: Millis::now(),
        tried: EventTried {
            event: "click".into(),
            xpath: xpath.into(),
            element_id: None,
            text: "2".into(),
            instruction: "goPage(2)".into(),
            class: None,
            values: Vec::new(),
        },
        outcome,
        links: Vec::new(),
        exchanges: Vec::new(),
        counts: Vec::new(),
        rank: 0,
        explore: true,
        goes_on: false,
        cost_ms: None,
    }
}

fn arrival(url: &str, call: &str, text: &str) -> EventOutcome {
    EventOutcome::Arrived(Box::new(Arrival {
        capture: *capture(text),
        url: url.into(),
        key: format!("{url}#!bathys:click={call}"),
        path: vec![PathStep {
            event: "click".into(),
            xpath: "/html/body/a[2]".into(),
            instruction: call.into(),
            element_id: None,
            tag: Some("a".into()),
            text: "2".into(),
            handler: String::new(),
            values: Vec::new(),
        }],
        expected: None,
    }))
}
