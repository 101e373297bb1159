//! The nouns of the catalog, as plain data.

use serde::{Deserialize, Serialize};

use crate::block::NewBlock;
use crate::tx::{FromValue, ToValue, Value, stored_as_number};
use crate::words::{Cause, EdgeOutcome, PageStatus, TaskKind, Via};

/// Names a page for the life of the store; seed 001's page number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct PageNumber(pub i64);

impl std::fmt::Display for PageNumber {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.fmt(f)
    }
}

/// Names one run of the program on a store.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RunNumber(pub i64);

/// The identity of a state: a canonical hash that the store compares and never interprets.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct StateId(pub [u8; 16]);

impl std::fmt::Display for StateId {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

/// Milliseconds since 1970, UTC.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Millis(pub i64);

impl Millis {
    /// The present moment of the machine's clock.
    pub fn now() -> Self {
        Self(jiff::Timestamp::now().as_millisecond())
    }

    /// This moment and `ms` more.
    pub fn plus(self, ms: i64) -> Self {
        Self(self.0.saturating_add(ms))
    }
}

stored_as_number!(PageNumber, RunNumber, Millis);

impl<'a> ToValue<'a> for &'a StateId {
    fn to_value(self) -> Value<'a> {
        (&self.0).to_value()
    }
}

impl FromValue for StateId {
    fn from_value(value: &Value<'_>) -> Option<Self> {
        FromValue::from_value(value).map(Self)
    }
}

/// As RFC 3339, the form of every time that a user sees.
impl std::fmt::Display for Millis {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match jiff::Timestamp::from_millisecond(self.0) {
            Ok(time) => write!(f, "{time:.3}"),
            Err(_) => write!(f, "invalid time {}", self.0),
        }
    }
}

impl Serialize for Millis {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// One event of the way from a document to a state.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PathStep {
    /// What is done, by its name: `click`, or with the value that tells it from its like, `change=3`.
    pub event: String,
    /// Where the element stood.
    pub xpath: String,
    /// What the element does, as far as it can be named.
    pub instruction: String,
    /// The element's `id`, by which it is looked for first.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub element_id: Option<String>,
    /// The element's name: an element of another one is not it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tag: Option<String>,
    /// The element's own text, by which it is looked for last.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub text: String,
    /// Who handles the event, without arguments: steps of one handler turn the same pages.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub handler: String,
    /// What is chosen or typed first: where each control stood, and its value.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub values: Vec<(String, String)>,
}

/// A state as it was found.
#[derive(Clone, Debug)]
pub struct Capture {
    /// Its identity.
    pub state: StateId,
    /// Our serialisation of the tree; `None` when it follows from the body.
    pub snapshot: Option<Vec<u8>>,
    /// The main response's body, decoded; `None` for a state that events reached.
    pub body: Option<Vec<u8>>,
    /// The document's title.
    pub title: String,
    /// Status of the main response.
    pub http_status: Option<u16>,
    /// How it was got.
    pub via: Via,
    /// How far the tab's clock ran ahead.
    pub drift_ms: i64,
    /// Its page type; `None` leaves the page the one it has.
    pub page_type: Option<String>,
    /// The header, by which a body without a snapshot is read.
    pub content_type: Option<String>,
    /// How the elements of a rendered page look, in the words of whoever cuts it.
    pub looks: Option<Vec<u8>>,
    /// Who captured it, and as told by whom.
    pub run: Option<RunNumber>,
    /// How it is cut, if it turns out to be the first version of its page.
    pub cut: Option<FirstCut>,
}

/// What cutting the first version of a page into blocks gave, in the words of whoever cut it.
#[derive(Clone, Debug)]
pub struct FirstCut {
    /// How far it is cut.
    pub level: i64,
    /// How it is cut, and the lineages of its blocks in order.
    pub layout: Vec<u8>,
    /// Its metadata, as JSON.
    pub meta: Vec<u8>,
    /// Its blocks.
    pub begun: Vec<NewBlock>,
    /// Nothing is to be read from it until it is known where pages of its type have records: then
    /// [`CatalogWriter::read_again`](crate::CatalogWriter::read_again) makes it wait.
    pub waits_for_wrapper: bool,
}

/// A URL that a state shows or that an event led to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LinkFound {
    /// Normalised.
    pub url: String,
    /// The element that holds it.
    pub xpath: String,
    /// The element's text.
    pub text: String,
    /// Why it is not followed, if it is not: then it is kept as a refused edge and makes no page.
    pub refused_because: Option<String>,
    /// Which class of links it belongs to, in the crawler's words: what `Task::found_by` says of a
    /// page that it is the first to lead to.
    pub class: Option<String>,
    /// What a visit promises: the higher of several stays with the task.
    pub rank: i64,
}

/// An exchange to keep.
#[derive(Clone, Debug)]
pub struct NewExchange {
    /// When the visit or the event began that it belongs to.
    pub time: Millis,
    /// What made the request.
    pub cause: Cause,
    /// The browser's resource type, in lower case.
    pub resource: String,
    /// Request method.
    pub method: String,
    /// Request URL.
    pub url: String,
    /// As sent.
    pub request_headers: Vec<(String, String)>,
    /// As sent.
    pub request_body: Option<Vec<u8>>,
    /// `None` when no answer came.
    pub status: Option<u16>,
    /// As received.
    pub response_headers: Vec<(String, String)>,
    /// After decoding; `None` when it was not kept.
    pub response_body: Option<Vec<u8>>,
    /// What is known of the connection.
    pub wire: WireFacts,
}

/// What is known of how a request went over the network.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct WireFacts {
    /// When the request left. [`NewExchange::time`] is when the visit or the event began.
    pub sent: Option<Millis>,
    /// Address and port of the server that answered.
    pub remote_address: Option<String>,
    /// `http/1.1`, `h2`…
    pub http_version: Option<String>,
    /// Why there was no answer.
    pub failure: Option<String>,
    /// Why the body is not whole, or was not kept.
    pub truncated: Option<String>,
}

/// An event that was considered on a page.
#[derive(Clone, Debug)]
pub struct EventTried {
    /// What is done, by its name: `click`, or with the value that tells it from its like, `change=3`.
    pub event: String,
    /// The element.
    pub xpath: String,
    /// Its `id`.
    pub element_id: Option<String>,
    /// Its own text.
    pub text: String,
    /// What it does, as far as it can be named.
    pub instruction: String,
    /// Which class of events it belongs to, in the crawler's words: what `Task::found_by` says of a
    /// page that it is the first to lead to.
    pub class: Option<String>,
    /// What is chosen or typed first: where each control stands, and its value.
    pub values: Vec<(String, String)>,
}

/// What came of an event.
#[derive(Clone, Debug)]
pub enum EventOutcome {
    /// Nothing changed.
    Same,
    /// Something changed, but nothing is shown that the origin did not hold.
    Reveal,
    /// It was not fired, or its request was not let through.
    Refused(String),
    /// The element was not there any more, or the tab was lost over it.
    Lost,
    /// It leads to this URL.
    Navigated(String),
    /// It led to a state.
    Arrived(Box<Arrival>),
    /// It led to the state of this page, which was seen in this round already.
    Led(PageNumber),
    /// It was not fired: an equal instruction was, and led to this page.
    Known(PageNumber),
    /// It was not fired: what it belongs to is not worth it, for this reason.
    Skipped(String),
}

/// A state that an event led to.
#[derive(Clone, Debug)]
pub struct Arrival {
    /// The state.
    pub capture: Capture,
    /// The document's URL now.
    pub url: String,
    /// The key that the state gets if it is new.
    pub key: String,
    /// The events from the document to it.
    pub path: Vec<PathStep>,
    /// The page that the event is known to lead to, whose next version it is if nothing says otherwise.
    pub expected: Option<PageNumber>,
}

/// What came of a visit to a URL.
#[derive(Clone, Debug)]
pub enum VisitOutcome {
    /// It shows a state.
    Captured(Box<Capture>),
    /// It shows a part of a state. It is compared with nothing and read for nothing: kept as a version
    /// if the page has none, and as a visit that failed if it has.
    Truncated {
        /// What there is of it.
        capture: Box<Capture>,
        /// Why the rest is missing.
        reason: String,
    },
    /// The server says that what it answered before still holds: the latest version.
    NotModified,
    /// It leads elsewhere.
    Redirect {
        /// Status of the redirect.
        http_status: u16,
        /// Where to, normalised; `None` when that is out of scope.
        to: Option<String>,
    },
    /// It gave nothing to keep.
    Failed {
        /// Status, if there was an answer.
        http_status: Option<u16>,
        /// Why.
        error: String,
    },
}

/// Which of the waiting tasks comes next.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Order {
    /// Fewest steps from the start, then the oldest page.
    #[default]
    Nearest,
    /// Most steps from the start, then the newest page.
    Deepest,
    /// Highest rank, then the nearest.
    Best,
}

/// A claimed piece of work.
#[derive(Clone, Debug)]
pub struct Task {
    /// The site it belongs to.
    pub site: String,
    /// The page to work on.
    pub page: PageNumber,
    /// What to do.
    pub kind: TaskKind,
    /// The document's URL.
    pub url: String,
    /// The events that lead to the state, empty for a page that its URL reaches.
    pub path: Vec<PathStep>,
    /// Steps from the start.
    pub depth: u32,
    /// How often it was claimed, this time included.
    pub attempts: u32,
    /// The state expected there, once known.
    pub state: Option<StateId>,
    /// The class of the link or event that first led to the page.
    pub found_by: Option<String>,
}

/// What is still to be done.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Waiting {
    /// Pages to visit, and states whose events are to be tried.
    pub visits: i64,
    /// Pages with versions to be cut into blocks.
    pub uncut: i64,
    /// Pages with versions to be read for records.
    pub unread: i64,
}

/// A page as `bathys pages` lists it.
#[derive(Clone, Debug, Serialize)]
pub struct PageRow {
    /// Its number.
    pub page: PageNumber,
    /// Its primary key.
    pub key: String,
    /// Its document's URL.
    pub url: String,
    /// The events that lead to it, empty for a page that its URL reaches.
    pub path: Vec<PathStep>,
    /// Its page type.
    #[serde(rename = "type")]
    pub page_type: Option<String>,
    /// Its title.
    pub title: String,
    /// Status of its main response.
    pub status: Option<u16>,
    /// What became of it.
    pub condition: PageStatus,
    /// How it was got.
    pub via: Option<Via>,
    /// Identity of its latest version.
    pub content_hash: Option<String>,
    /// When it was first heard of.
    pub first_seen: Millis,
    /// When it was last visited.
    pub last_seen: Millis,
    /// How many versions of it are kept.
    pub versions: i64,
    /// Why it failed, if it did.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// Steps from the start.
    pub depth: i64,
    /// Its site.
    pub site: String,
    /// The page it turned out to equal.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub merged_into: Option<PageNumber>,
}

/// An edge of the state-transition graph.
#[derive(Clone, Debug, Serialize)]
pub struct EdgeRow {
    /// Where it starts.
    pub from: PageNumber,
    /// Where it leads; `None` for one that leads nowhere or was refused.
    pub to: Option<PageNumber>,
    /// The event, `link` for a plain link.
    pub event: String,
    /// The element.
    pub xpath: String,
    /// Its `id`.
    pub element_id: Option<String>,
    /// Its own text.
    pub text: String,
    /// What it does.
    pub instruction: String,
    /// What is known of it.
    pub outcome: EdgeOutcome,
    /// Why it was refused.
    pub refused_because: Option<String>,
    /// Why it was skipped.
    pub note: Option<String>,
    /// What firing it takes, the last times weighing most.
    pub cost_ms: Option<i64>,
    /// It gave several answers in one round; each has an edge.
    pub fickle: bool,
    /// The class of events that it was fired as, in the crawler's words.
    #[serde(skip)]
    pub class: Option<String>,
    /// What was chosen or typed first: where each control stood, and its value.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub values: Vec<(String, String)>,
}

impl EdgeRow {
    /// The event, as a step of a path.
    pub fn step(&self) -> PathStep {
        PathStep {
            event: self.event.clone(),
            xpath: self.xpath.clone(),
            instruction: self.instruction.clone(),
            element_id: self.element_id.clone(),
            tag: None,
            text: self.text.clone(),
            handler: String::new(),
            values: self.values.clone(),
        }
    }
}

/// The states of one document, and what was tried in them.
#[derive(Clone, Debug, Default)]
pub struct Document {
    /// Its states.
    pub pages: Vec<PageRow>,
    /// The events that were fired in them, by page and time.
    pub edges: Vec<EdgeRow>,
}

/// What the store holds and what it costs.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Stats {
    /// Versions of all pages.
    pub versions: i64,
    /// Snapshots and bodies as they restore.
    pub bytes_raw: i64,
    /// The whole store on disk, catalog rows included.
    pub bytes_stored: i64,
    /// Blobs that are compressed one by one.
    pub bytes_hot: i64,
    /// Blobs in sealed groups.
    pub bytes_cold: i64,
    /// Blocks of all versions.
    pub blocks: i64,
    /// What they hold: of blocks that are the same on many pages, one. Without that of blocks that ended long
    /// ago and were sealed.
    pub contents: i64,
    /// Captured pages.
    pub pages: i64,
    /// Different states.
    pub states: i64,
    /// Extracted records, those that are gone from their sites included.
    pub records: i64,
    /// Edges of the graph.
    pub edges: i64,
    /// Exchanges kept.
    pub exchanges: i64,
    /// Work that waits.
    pub waiting: i64,
    /// Pages with versions that wait to be cut into blocks.
    pub uncut: i64,
    /// Pages with versions that records are still to be taken from.
    pub unread: i64,
    /// Sites.
    pub sites: Vec<String>,
}
