//! The record of what went over the network.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;
use std::time::{Instant, SystemTime};

use super::gate::{Cause, Recorded};
use super::protocol::{
    DataReceived, ExtraInfo, HeaderMap, LoadingEnded, RequestWillBeSent, Response, ResponseReceived,
};
use crate::http::version_name;
use crate::proxy::{Remotes, VERDICT};

/// One request and its response.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Exchange {
    /// Where it went.
    pub url: String,
    /// `GET`, `POST`…
    pub method: String,
    /// Headers as sent, cookies included where Chromium tells them.
    pub request_headers: Vec<(String, String)>,
    /// The body sent, if it is text.
    pub post_data: Option<String>,
    /// Chromium's name for what it is: `Document`, `Script`, `Fetch`…
    pub resource_type: String,
    /// What made the page send it.
    pub cause: Cause,
    /// Where the response came from.
    pub source: Source,
    /// The status; 0 if no response came.
    pub status: u16,
    /// Headers as received.
    pub response_headers: Vec<(String, String)>,
    /// The media type that Chromium settled on.
    pub mime_type: String,
    /// What became of the body.
    pub body: Body,
    /// Milliseconds from the request to the end of the response.
    pub took_ms: f64,
    /// When it left; `None` if it never did.
    pub at: Option<SystemTime>,
    /// Address and port of the server, if one was contacted.
    pub remote_address: Option<String>,
    /// `http/1.1`, `h2`…; empty if no response came.
    pub http_version: String,
    /// Why there is no response, or only a part of one: in Chromium's words, or the proxy's.
    pub failure: Option<String>,
    /// True if a page or an event caused it that was over when the last one began.
    pub late: bool,
    /// True if this is a document of the top frame.
    pub top_frame_document: bool,
    /// As [`super::RequestSeen::choices`].
    pub choices: u64,
    /// The charset that the headers named.
    pub charset: String,
}

/// Where a response came from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Source {
    /// The network, or nowhere, if it failed.
    #[default]
    Network,
    /// Chromium's own cache: nothing was sent. The gate was asked, unless the response was already in
    /// the memory of the page's process.
    Cache,
    /// A record that the gate answered with: nothing was sent.
    Record,
}

/// A response body: after transfer and content decoding.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Body {
    /// None came: a redirect, a failure, a status without one.
    #[default]
    Empty,
    /// The bytes.
    Bytes(Arc<[u8]>),
    /// There was one, and it was not kept.
    Left {
        /// Why: over a cap, or Chromium no longer had it.
        reason: &'static str,
    },
}

impl Body {
    /// The bytes that are there.
    pub fn bytes(&self) -> &[u8] {
        match self {
            Body::Bytes(bytes) => bytes,
            Body::Empty | Body::Left { .. } => &[],
        }
    }
}

impl Exchange {
    /// The value of a response header, by its lowercase name.
    pub fn response_header(&self, name: &str) -> Option<&str> {
        let found = self.response_headers.iter().find(|(key, _)| key.eq_ignore_ascii_case(name));
        found.map(|(_, value)| value.as_str())
    }

    /// The response as something that a gate can answer with; `None` if the body was not kept, or if
    /// the server said that an earlier response still holds (304).
    pub fn recorded(&self) -> Option<Recorded> {
        let is_part = self.failure.is_some() || matches!(self.body, Body::Left { .. });
        if is_part || matches!(self.status, 0 | 304) {
            return None;
        }
        Some(Recorded {
            status: self.status,
            headers: self.response_headers.clone(),
            body: self.body.bytes().to_vec(),
        })
    }
}

/// Why a body is not kept that passes its cap.
pub(super) const TOO_LARGE: &str = "it is larger than the limit";

/// Exchanges that are kept until someone takes them.
const MOST_EXCHANGES: usize = 20_000;

/// Puts exchanges together from the events of all sessions of a tab.
#[derive(Default)]
pub(super) struct Recorder {
    /// As [`super::RequestSeen::choices`].
    pub choices: u64,
    exchanges: BTreeMap<u64, Exchange>,
    next: u64,
    /// The first exchange of the visit in hand, and of the visit or event in hand.
    current: u64,
    step: u64,
    /// The documents, by their loaders, of the visit in hand and of the one before.
    loaders: HashSet<String>,
    past_loaders: HashSet<String>,
    /// Exchanges of documents that were left.
    late: HashSet<u64>,
    /// Who answered through the proxy, if there is one.
    pub remotes: Option<Remotes>,
    /// The hops of each request that is under way or has ended since the last take.
    hops: HashMap<String, Hops>,
    /// Requests without an end yet.
    open: HashMap<String, Open>,
    /// Requests that never left, or were taken while under way; their events may still come.
    dropped: HashSet<String>,
    /// Bytes of bodies kept since the last take.
    kept: u64,
    /// A document whose headers named no charset.
    undeclared: Option<u64>,
    /// Bodies asked for and not yet here.
    pub awaited: usize,
    /// Counts requests, responses, data and ends: a settle that sees no progress looks at it.
    pub progress: u64,
}

/// The exchanges of a request, in order. Redirects share the number of their request.
#[derive(Default)]
struct Hops {
    serials: Vec<u64>,
    /// By the order in which they came to the gate.
    sources: Vec<Source>,
    /// When they left it.
    left: Vec<Option<SystemTime>>,
    /// The one that the gate kept from being sent.
    unsent: Option<usize>,
    sent: Vec<HeaderMap>,
    received: Vec<HeaderMap>,
}

struct Open {
    started: Instant,
    decoded: u64,
    stream: bool,
    answered: bool,
    /// Its end was waited for in vain.
    endless: bool,
}

/// A body as Chromium gives it.
pub(super) enum Content {
    /// Bytes, exactly.
    Bytes(Vec<u8>),
    /// Text, which Chromium has decoded from the document's charset.
    Text(String),
    /// It is no longer there.
    Missing,
}

/// What to do about a body when its response has ended.
pub(super) enum Ended {
    /// Ask for it.
    Ask,
    /// There is none, or it is not wanted.
    Done,
}

impl Recorder {
    pub fn sent(&mut self, event: RequestWillBeSent, cause: Cause, top: bool) {
        self.progress += 1;
        // What is in the address itself goes over no network, and may be megabytes long.
        let inside = event.request.url.starts_with("data:");
        if inside || self.dropped.contains(&event.request_id) {
            return;
        }
        // Whoever never takes what is recorded loses the oldest.
        if self.exchanges.len() >= MOST_EXCHANGES {
            self.exchanges.pop_first();
        }
        let hops = self.hops.entry(event.request_id.clone()).or_default();
        if let (Some(response), Some(serial)) = (&event.redirect_response, hops.serials.last())
            && let Some(exchange) = self.exchanges.get_mut(serial)
        {
            let received = hops.received.get(hops.serials.len() - 1);
            answer(exchange, response, received, self.remotes.as_ref());
            if let Some(open) = self.open.get(&event.request_id) {
                exchange.took_ms = since(open.started);
            }
        }
        let hop = hops.serials.len();
        hops.serials.push(self.next);
        self.next += 1;
        if hops.unsent == Some(hop) {
            self.open.remove(&event.request_id);
            return;
        }
        let stream = event.r#type == "EventSource";
        let open =
            Open { started: Instant::now(), decoded: 0, stream, answered: false, endless: false };
        self.open.insert(event.request_id, open);
        let headers = hops.sent.get(hop).unwrap_or(&event.request.headers);
        let source = hops.sources.get(hop).copied().unwrap_or_default();
        let left = hops.left.get(hop).copied().flatten();
        if self.past_loaders.contains(&event.loader_id) {
            self.late.insert(self.next - 1);
        } else {
            self.loaders.insert(event.loader_id);
        }
        let exchange = Exchange {
            source,
            at: Some(left.unwrap_or_else(SystemTime::now)),
            url: event.request.url + &event.request.url_fragment,
            method: event.request.method,
            request_headers: listed(headers),
            post_data: event.request.post_data,
            resource_type: event.r#type,
            cause,
            top_frame_document: top,
            choices: self.choices,
            ..Exchange::default()
        };
        self.exchanges.insert(self.next - 1, exchange);
    }

    /// A request, or the next hop of one, has come to the gate; which hop it is.
    pub fn paused(&mut self, request_id: &str) -> usize {
        if request_id.is_empty() {
            return 0;
        }
        let hops = self.hops.entry(request_id.to_owned()).or_default();
        hops.sources.push(Source::Network);
        hops.left.push(None);
        hops.sources.len() - 1
    }

    /// That hop leaves now. The request itself may be told before or after.
    pub fn leaves(&mut self, request_id: &str, hop: usize) {
        let Some(hops) = self.hops.get_mut(request_id) else {
            return;
        };
        let now = Some(SystemTime::now());
        if let Some(left) = hops.left.get_mut(hop) {
            *left = now;
        }
        let exchange = hops.serials.get(hop).and_then(|serial| self.exchanges.get_mut(serial));
        if let Some(exchange) = exchange {
            exchange.at = now;
        }
    }

    /// The gate answered that hop from a record. The request itself may be told before or after.
    pub fn fulfilled(&mut self, request_id: &str, hop: usize) {
        let Some(hops) = self.hops.get_mut(request_id) else {
            return;
        };
        if let Some(source) = hops.sources.get_mut(hop) {
            *source = Source::Record;
        }
        let exchange = hops.serials.get(hop).and_then(|serial| self.exchanges.get_mut(serial));
        if let Some(exchange) = exchange {
            exchange.source = Source::Record;
        }
    }

    /// That hop never left; those before it did. It may be told before or after.
    pub fn unsent(&mut self, request_id: &str, hop: usize) {
        let Some(hops) = self.hops.get_mut(request_id) else {
            return;
        };
        hops.unsent = Some(hop);
        if let Some(serial) = hops.serials.get(hop) {
            self.exchanges.remove(serial);
            self.open.remove(request_id);
        }
    }

    /// The response was in the memory of the page's process.
    pub fn cached(&mut self, request_id: &str) {
        if let Some(exchange) = self.last_hop(request_id) {
            exchange.source = Source::Cache;
        }
    }

    /// The headers that really went out; they may come before or after the request itself.
    pub fn sent_headers(&mut self, info: ExtraInfo) {
        let hops = self.hops.entry(info.request_id).or_default();
        if let Some(exchange) =
            hops.serials.get(hops.sent.len()).and_then(|serial| self.exchanges.get_mut(serial))
        {
            exchange.request_headers = listed(&info.headers);
        }
        hops.sent.push(info.headers);
    }

    /// The headers that really came in.
    pub fn received_headers(&mut self, info: ExtraInfo) {
        let hops = self.hops.entry(info.request_id).or_default();
        if let Some(exchange) =
            hops.serials.get(hops.received.len()).and_then(|serial| self.exchanges.get_mut(serial))
        {
            // "Not modified" is between Chromium and the server: the page gets what the cache holds.
            let validated = info.status_code == Some(304);
            if !validated || exchange.status == 0 {
                exchange.response_headers = listed(&info.headers);
                exchange.status = info.status_code.unwrap_or(exchange.status);
                unmask_proxy(exchange);
            }
        }
        hops.received.push(info.headers);
    }

    pub fn received(&mut self, event: &ResponseReceived) {
        self.progress += 1;
        if let Some(open) = self.open.get_mut(&event.request_id) {
            open.answered = true;
            open.stream |= event.response.mime_type == "text/event-stream";
        }
        let Some(hops) = self.hops.get(&event.request_id) else {
            return;
        };
        let Some(serial) = hops.serials.last() else {
            return;
        };
        if let Some(exchange) = self.exchanges.get_mut(serial) {
            let received = hops.received.get(hops.serials.len() - 1);
            answer(exchange, &event.response, received, self.remotes.as_ref());
        }
    }

    /// Counts decoded bytes; returns the size of the body so far.
    pub fn data(&mut self, event: &DataReceived) -> u64 {
        self.progress += 1;
        let Some(open) = self.open.get_mut(&event.request_id) else {
            return 0;
        };
        open.decoded = open.decoded.saturating_add(event.data_length);
        open.decoded
    }

    pub fn ended(&mut self, event: &LoadingEnded, cap: u64, total: u64) -> Ended {
        self.progress += 1;
        let open = self.open.remove(&event.request_id);
        let Some(exchange) = self.last_hop(&event.request_id) else {
            return Ended::Done;
        };
        let decoded = open.as_ref().map_or(0, |open| open.decoded);
        if let Some(open) = open {
            exchange.took_ms = since(open.started);
        }
        if let Some(error) = &event.error_text {
            let blocked = event.blocked_reason.as_ref().map(|reason| format!("{error} ({reason})"));
            let failure = blocked.unwrap_or_else(|| error.clone());
            exchange.failure.get_or_insert(failure);
            // What came until then may still be there.
            if decoded == 0 {
                return Ended::Done;
            }
        }
        if matches!(exchange.status, 0 | 204 | 205 | 304) || exchange.method == "HEAD" {
            return Ended::Done;
        }
        if decoded > cap {
            exchange.body = Body::Left { reason: TOO_LARGE };
            return Ended::Done;
        }
        if self.kept.saturating_add(decoded) > total {
            if let Some(exchange) = self.last_hop(&event.request_id) {
                exchange.body = Body::Left { reason: "over the cap of all bodies of a step" };
            }
            return Ended::Done;
        }
        self.kept += decoded;
        self.awaited += 1;
        Ended::Ask
    }

    /// The body that was asked for.
    pub fn body(&mut self, request_id: &str, content: Content) {
        self.awaited = self.awaited.saturating_sub(1);
        let serial = self.hops.get(request_id).and_then(|hops| hops.serials.last().copied());
        let Some(exchange) = serial.and_then(|serial| self.exchanges.get_mut(&serial)) else {
            return;
        };
        exchange.body = match content {
            Content::Bytes(bytes) => whole(bytes),
            Content::Text(text) => {
                if exchange.top_frame_document && exchange.charset.is_empty() {
                    self.undeclared = serial;
                }
                whole(as_sent(text, &exchange.charset))
            }
            Content::Missing if exchange.failure.is_some() => Body::Empty,
            Content::Missing => Body::Left { reason: "Chromium no longer had it" },
        };
    }

    /// The charset that the page turned out to have, for a document whose headers named none.
    pub fn declare(&mut self, charset: &str) {
        let undeclared = self.undeclared.take().and_then(|serial| self.exchanges.get_mut(&serial));
        if let Some(exchange) = undeclared
            && let Ok(text) = String::from_utf8(exchange.body.bytes().to_vec())
        {
            exchange.body = whole(as_sent(text, charset));
        }
    }

    /// A request that ends without an event: its page is gone, or it was never sent.
    pub fn forget(&mut self, request_id: &str) {
        self.open.remove(request_id);
    }

    /// A request that was caught before it left: it does not belong to the record.
    pub fn drop_request(&mut self, request_id: &str) {
        self.dropped.insert(request_id.to_owned());
        self.open.remove(request_id);
        for serial in self.hops.remove(request_id).into_iter().flat_map(|hops| hops.serials) {
            self.exchanges.remove(&serial);
        }
    }

    /// A socket, which is open until it is closed.
    pub fn socket_opened(&mut self, id: &str) {
        let open = Open {
            started: Instant::now(),
            decoded: 0,
            stream: true,
            answered: true,
            endless: true,
        };
        self.open.insert(id.to_owned(), open);
    }

    /// Requests under way that will end, and streams that need not.
    pub fn under_way(&self) -> (usize, usize) {
        let streams = self.open.values().filter(|open| open.stream && open.answered).count();
        (self.open.len() - streams, streams)
    }

    /// Whether an answer has begun and should end any moment: Chromium tells that a little after the page
    /// has read it.
    pub fn is_ending(&self) -> bool {
        self.open.values().any(|open| open.answered && !open.stream && !open.endless)
    }

    /// Another document comes: what the old one has under way will not end, and what it still sends is
    /// not the new one's.
    pub fn abandon(&mut self) {
        self.open.clear();
        self.current = self.next;
        self.past_loaders = std::mem::take(&mut self.loaders);
    }

    /// A visit or an event begins.
    pub fn begin_step(&mut self) {
        self.step = self.next;
    }

    /// Whether the last document of the top frame has ended early: its load event may never come.
    pub fn is_document_broken(&self) -> bool {
        let is_broken = |(_, document): (&u64, &Exchange)| document.failure.is_some();
        self.last_document().is_some_and(is_broken) && !self.is_document_open()
    }

    fn last_document(&self) -> Option<(&u64, &Exchange)> {
        let mut documents = self.exchanges.range(self.current..).rev();
        documents.find(|(_, exchange)| exchange.top_frame_document)
    }

    /// Whether the last document of the top frame is still arriving.
    pub fn is_document_open(&self) -> bool {
        self.last_document().is_some_and(|(serial, _)| {
            let mut open = self.open.keys().filter_map(|id| self.hops.get(id));
            open.any(|hops| hops.serials.last() == Some(serial))
        })
    }

    /// The documents of the top frame since the last visit began, in order.
    pub fn documents(&self) -> Vec<&Exchange> {
        let since = self.exchanges.range(self.current..).map(|(_, exchange)| exchange);
        since.filter(|exchange| exchange.top_frame_document).collect()
    }

    /// What has been recorded since the last take, as far as it has come: what is still under way
    /// belongs to the step that caused it, and not to one that happens to see its end.
    pub fn take(&mut self) -> Vec<Exchange> {
        for (id, open) in &mut self.open {
            open.endless = open.answered;
            let serial = self.hops.get(id).and_then(|hops| hops.serials.last());
            match serial.and_then(|serial| self.exchanges.get_mut(serial)) {
                Some(exchange) if exchange.status == 0 => {
                    exchange.failure.get_or_insert("no answer until the page was at rest".into());
                }
                Some(exchange) => {
                    exchange.body = Body::Left { reason: "the page had not read it to its end" };
                }
                None => {}
            }
        }
        self.dropped = self.open.keys().cloned().collect();
        self.hops.clear();
        self.kept = 0;
        let late = std::mem::take(&mut self.late);
        let step = self.step;
        let taken = std::mem::take(&mut self.exchanges).into_iter();
        taken
            .map(|(serial, exchange)| {
                let late = serial < step || late.contains(&serial);
                Exchange { late, ..exchange }
            })
            .collect()
    }

    fn last_hop(&mut self, request_id: &str) -> Option<&mut Exchange> {
        let serial = self.hops.get(request_id)?.serials.last()?;
        self.exchanges.get_mut(serial)
    }
}

fn answer(
    exchange: &mut Exchange,
    response: &Response,
    received: Option<&HeaderMap>,
    remotes: Option<&Remotes>,
) {
    let validated = exchange.status == 304 && response.status != 304;
    if exchange.status == 0 || validated {
        exchange.status = response.status;
    }
    let headers = received.filter(|_| !validated).unwrap_or(&response.headers);
    exchange.response_headers = listed(headers);
    exchange.mime_type.clone_from(&response.mime_type);
    exchange.charset.clone_from(&response.charset);
    exchange.http_version.clone_from(&response.protocol);
    let seen = response.remote_address.as_ref().map(|ip| format!("{ip}:{}", response.remote_port));
    exchange.remote_address = match remotes {
        None => seen,
        // Chromium sees nobody but the proxy.
        Some(remotes) => {
            let remote = seen.and_then(|_| remotes.find(&exchange.url));
            if let Some(version) = remote.as_ref().and_then(|remote| remote.version) {
                exchange.http_version = version_name(version).to_owned();
            }
            remote.map(|remote| remote.address.to_string())
        }
    };
    if response.from_disk_cache || response.from_prefetch_cache {
        exchange.source = Source::Cache;
    }
    unmask_proxy(exchange);
}

/// What the proxy says by itself is no answer of the site: it tells why there is none.
fn unmask_proxy(exchange: &mut Exchange) {
    let Some(verdict) = exchange.response_header(VERDICT.as_str()) else { return };
    // Nothing but the proxy can put it into what is not encrypted.
    if exchange.url.starts_with("http:") {
        exchange.failure = Some(verdict.to_owned());
        exchange.status = 0;
        exchange.response_headers.clear();
        (exchange.remote_address, exchange.http_version) = (None, String::new());
    }
}

/// CDP joins headers of the same name by newlines; they are separate lines again.
fn listed(headers: &HeaderMap) -> Vec<(String, String)> {
    let lines = |(name, value): (&String, &String)| {
        value.split('\n').map(|line| (name.clone(), line.to_owned())).collect::<Vec<_>>()
    };
    headers.iter().flat_map(lines).collect()
}

fn whole(bytes: Vec<u8>) -> Body {
    if bytes.is_empty() { Body::Empty } else { Body::Bytes(bytes.into()) }
}

/// The bytes that a text was decoded from. Exact unless they were broken in their own charset; in
/// that case, and for charsets that cannot be written, it stays UTF-8.
fn as_sent(text: String, charset: &str) -> Vec<u8> {
    let Some(encoding) = encoding_rs::Encoding::for_label(charset.as_bytes()) else {
        return text.into_bytes();
    };
    if encoding == encoding_rs::UTF_8 || encoding.output_encoding() != encoding {
        return text.into_bytes();
    }
    match encoding.encode(&text) {
        (bytes, _, false) => bytes.into_owned(),
        (_, _, true) => text.into_bytes(),
    }
}

/// Real milliseconds: Chromium's own timestamps follow the page's clock, which stands still while
/// requests are under way.
fn since(started: Instant) -> f64 {
    started.elapsed().as_secs_f64() * 1000.0
}
