//! A store with one page that leads to states, made as a crawl makes it.

use std::path::{Path, PathBuf};

use page::tree::{Dom, parse_str, serialise, title};
use publish::graph::{Format, GraphOptions};
use publish::mirror::{MirrorOptions, MirrorReport, mirror};
use store::{
    Arrival, Capture, CatalogWriter, EventOutcome, EventStep, EventTried, LinkFound, Millis,
    NewExchange, Order, PageNumber, PathStep, StateId, Via, VisitOutcome, VisitStep,
};
use tempfile::TempDir;

pub const SITE: &str = "site.example";
pub const HOME: &str = "http://site.example/";

pub struct Stage {
    pub directory: TempDir,
    pub catalog: CatalogWriter,
    pub home: PageNumber,
}

/// A mirror on disk.
pub struct Mirrored {
    pub at: PathBuf,
    pub report: MirrorReport,
}

impl Mirrored {
    pub fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.at.join(name)).unwrap_or_else(|e| panic!("{name}: {e}"))
    }

    pub fn tree(&self, name: &str) -> Dom {
        parse_str(&self.read(name)).dom
    }
}

impl Stage {
    /// A store whose one visited page shows this.
    pub async fn new(html: &str, assets: &[(&str, &str, &[u8])]) -> Self {
        let directory = TempDir::new().unwrap();
        let catalog = CatalogWriter::open(&directory.path().join("store")).unwrap();
        catalog.seed(SITE, &[HOME.into()]).await.unwrap();
        let task = catalog.claim(SITE, SITE, Order::Nearest, 1).await.unwrap().remove(0);
        let home = task.page;
        let stage = Self { directory, catalog, home };
        let mut step = visit(home, html);
        step.exchanges = assets.iter().map(|(path, kind, body)| answer(path, kind, body)).collect();
        stage.catalog.commit_visit(step).await.unwrap();
        stage
    }

    /// An event on the page that leads to a state of its own.
    pub async fn leads(&self, event: &str, xpath: &str, to: &str) -> PageNumber {
        self.leads_from(self.home, event, xpath, to).await
    }

    pub async fn leads_from(
        &self,
        page: PageNumber,
        event: &str,
        xpath: &str,
        to: &str,
    ) -> PageNumber {
        let path = PathStep {
            event: event.into(),
            xpath: xpath.into(),
            instruction: to.into(),
            element_id: None,
            tag: None,
            text: to.into(),
            handler: String::new(),
            values: Vec::new(),
        };
        let arrival = Arrival {
            capture: capture(&format!("<title>{to}</title><p>{to}")),
            url: HOME.into(),
            key: format!("{HOME}#!bathys:{event}={to}"),
            path: vec![path],
            expected: None,
        };
        let outcome = EventOutcome::Arrived(Box::new(arrival));
        let step = event_step(page, event, xpath, to, outcome);
        self.catalog.commit_event(step).await.unwrap().target.unwrap()
    }

    pub async fn refuses(&self, xpath: &str, text: &str, because: &str) {
        let outcome = EventOutcome::Refused(because.into());
        let step = event_step(self.home, "click", xpath, text, outcome);
        self.catalog.commit_event(step).await.unwrap();
    }

    pub async fn mirror(&self) -> Mirrored {
        let at = self.directory.path().join("mirror");
        let report = mirror(&self.catalog, &MirrorOptions::new(&at), |_, _| {}).await.unwrap();
        Mirrored { at, report }
    }

    pub async fn graph(&self, format: Format, to: Option<PageNumber>) -> String {
        let options = GraphOptions { to, ..GraphOptions::new(format) };
        let mut out = Vec::new();
        publish::graph::write(&self.catalog, &options, &mut out).await.unwrap();
        String::from_utf8(out).unwrap()
    }

    pub fn path(&self) -> &Path {
        self.directory.path()
    }
}

pub fn capture(html: &str) -> Capture {
    let dom = parse_str(html).dom;
    let mut state = [0; 16];
    state.copy_from_slice(&blake3::hash(html.as_bytes()).as_bytes()[..16]);
    Capture {
        state: StateId(state),
        snapshot: Some(serialise(&dom).into_bytes()),
        body: None,
        title: title(&dom),
        http_status: Some(200),
        via: Via::Browser,
        drift_ms: 0,
        page_type: None,
        content_type: None,
        looks: None,
        run: None,
        cut: None,
    }
}

pub fn visit(page: PageNumber, html: &str) -> VisitStep {
    VisitStep {
        site: SITE.into(),
        page,
        depth: 0,
        time: Millis::now(),
        outcome: VisitOutcome::Captured(Box::new(capture(html))),
        links: Vec::new(),
        exchanges: Vec::new(),
        counts: Vec::new(),
        explore: true,
        explore_shared: false,
        may_wait: false,
    }
}

pub fn link(url: &str, xpath: &str) -> LinkFound {
    LinkFound {
        url: url.into(),
        xpath: xpath.into(),
        text: String::new(),
        refused_because: None,
        class: None,
        rank: 0,
    }
}

fn event_step(
    page: PageNumber,
    event: &str,
    xpath: &str,
    text: &str,
    outcome: EventOutcome,
) -> EventStep {
    EventStep {
        site: SITE.into(),
        page,
        depth: 0,
        time: Millis::now(),
        tried: EventTried {
            event: event.into(),
            xpath: xpath.into(),
            element_id: None,
            text: text.into(),
            instruction: text.into(),
            class: None,
            values: Vec::new(),
        },
        outcome,
        links: Vec::new(),
        exchanges: Vec::new(),
        counts: Vec::new(),
        rank: 0,
        explore: false,
        goes_on: false,
        cost_ms: None,
    }
}

pub fn answer(path: &str, kind: &str, body: &[u8]) -> NewExchange {
    NewExchange {
        time: Millis::now(),
        cause: store::Cause::Load,
        resource: "other".into(),
        method: "GET".into(),
        url: format!("{HOME}{path}"),
        request_headers: Vec::new(),
        request_body: None,
        status: Some(200),
        response_headers: vec![("Content-Type".into(), kind.into())],
        response_body: Some(body.to_vec()),
        wire: store::WireFacts::default(),
    }
}
