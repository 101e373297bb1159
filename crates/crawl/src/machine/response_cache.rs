//! The request filter: responses are recorded, and on the way back to a known state they are served
//! from the record, so that the site sees each request once.
//!
//! A site may answer one request in two ways. So the first repetitions of each kind of request go to
//! the site all the same, and only a kind that answered twice the same is served from then on.

use std::collections::{HashMap, HashSet, VecDeque};
use std::hash::{BuildHasher, RandomState};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use browser::{Exchange, Recorded, RequestSeen, Source};
use url::Url;

/// Repetitions of a kind of request that must be answered alike before the record stands for it.
const CHECKS: u32 = 2;
/// Kinds of requests that are remembered.
const MOST_KINDS: usize = 20_000;

/// Requests that may always be made only to learn, and of how many requests one more may.
const FIRST_CHECKS: u64 = 2;
const LEARNING_SHARE: u64 = 100;
/// Bytes that an answer takes besides its body.
const OVERHEAD: usize = 512;

/// What a request filter says.
pub(crate) enum Recall {
    /// Nobody asked this before.
    Unknown,
    /// It was asked before, and is asked again to see whether the answer is the same.
    Check,
    /// This is the answer.
    Answer(Arc<Recorded>),
}

/// The answers of a crawl, as long as there is room for them.
pub(crate) struct ResponseCache {
    is_on: bool,
    room: usize,
    state: Mutex<State>,
    hasher: RandomState,
}

#[derive(Default)]
struct State {
    answers: HashMap<u64, Kept>,
    /// The answers in the order in which they came: the oldest make room.
    order: VecDeque<u64>,
    bytes: usize,
    /// Requests that were made only to learn.
    learned: u64,
    kinds: HashMap<String, Kind>,
    /// Documents whose next load is to learn from.
    relearn: HashSet<String>,
}

struct Kept {
    answer: Arc<Recorded>,
    kind: String,
}

/// What is known of the requests of one kind.
#[derive(Default)]
struct Kind {
    alike: u32,
    varies: bool,
}

impl ResponseCache {
    /// An empty record with room for this many bytes.
    pub(crate) fn new(is_on: bool, room: usize) -> Self {
        Self { is_on, room, state: Mutex::default(), hasher: RandomState::new() }
    }

    /// What is known of a request that is about to be sent.
    pub(crate) fn recall(&self, request: &RequestSeen) -> Recall {
        if !self.is_on || request.redirected {
            return Recall::Unknown;
        }
        let RequestSeen { method, url, post_data, choices, .. } = request;
        let key = self.key(method, url, post_data.as_deref(), *choices);
        let mut state = self.lock();
        let State { answers, kinds, relearn, .. } = &mut *state;
        let Some(kept) = answers.get(&key) else { return Recall::Unknown };
        if request.top_frame_document {
            // A page visits each URL once in a round: who asks again is on the way back.
            return match relearn.remove(&request.url) {
                true => Recall::Check,
                false => Recall::Answer(kept.answer.clone()),
            };
        }
        if is_part(&request.resource_type) {
            return Recall::Answer(kept.answer.clone());
        }
        match kinds.get(&kept.kind) {
            Some(kind) if kind.varies || kind.alike < CHECKS => Recall::Check,
            Some(_) => Recall::Answer(kept.answer.clone()),
            None => Recall::Check,
        }
    }

    /// Whether loading this document would be answered from the record.
    pub(crate) fn has(&self, url: &str) -> bool {
        let key = self.key("GET", url, None, 0);
        self.is_on && self.lock().answers.contains_key(&key)
    }

    /// Forgets all answers: what was true at one visit need not be at the next.
    pub(crate) fn forget(&self) {
        let mut state = self.lock();
        state.answers.clear();
        state.order.clear();
        state.relearn.clear();
        state.bytes = 0;
    }

    /// Whether one request more may be made only to learn: one in a hundred, after the first few.
    pub(crate) fn may_learn(&self, requests: u64) -> bool {
        self.lock().learned < FIRST_CHECKS.max(requests / LEARNING_SHARE)
    }

    /// Takes note of requests that were made only to learn.
    pub(crate) fn learned(&self, requests: u64) {
        self.lock().learned += requests;
    }

    /// The next load of this document is to learn what differs from load to load.
    pub(crate) fn relearn(&self, url: &str) {
        let mut state = self.lock();
        state.relearn.insert(url.to_owned());
    }

    /// Keeps what the site answered, and compares it with what it answered before. True if that was
    /// all it was good for.
    pub(crate) fn keep(&self, exchange: &Exchange) -> bool {
        if !self.is_on || was_served(exchange) || exchange.status != 200 {
            return false;
        }
        let Some(answer) = exchange.recorded() else { return false };
        let Exchange { method, url, post_data, choices, .. } = exchange;
        let key = self.key(method, url, post_data.as_deref(), *choices);
        let kind = kind(&exchange.method, &exchange.url);
        let size = answer.body.len() + OVERHEAD;
        let mut state = self.lock();
        if let Some(before) = state.answers.get_mut(&key) {
            let is_alike = before.answer.body == answer.body;
            if exchange.top_frame_document {
                // What was looked at last is what a way back has to lead to.
                let old = before.answer.body.len() + OVERHEAD;
                before.answer = Arc::new(answer);
                state.bytes = (state.bytes + size).saturating_sub(old);
            }
            if state.kinds.len() < MOST_KINDS || state.kinds.contains_key(&kind) {
                let known = state.kinds.entry(kind).or_default();
                known.alike += u32::from(is_alike);
                known.varies |= !is_alike;
            }
            state.learned += u64::from(is_alike);
            return is_alike;
        }
        if size > self.room / 4 {
            return false;
        }
        while state.bytes + size > self.room {
            let Some(oldest) = state.order.pop_front() else { break };
            if let Some(gone) = state.answers.remove(&oldest) {
                state.bytes = state.bytes.saturating_sub(gone.answer.body.len() + OVERHEAD);
            }
        }
        state.bytes += size;
        state.order.push_back(key);
        state.answers.insert(key, Kept { answer: Arc::new(answer), kind });
        false
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn key(&self, method: &str, url: &str, body: Option<&str>, choices: u64) -> u64 {
        self.hasher.hash_one((method, url.split('#').next(), body, choices))
    }
}

/// Whether it was answered without the site hearing of it.
pub(crate) fn was_served(exchange: &Exchange) -> bool {
    exchange.source != Source::Network
}

/// What a document is made of, and what no handler's answer is: it comes with every load.
fn is_part(resource_type: &str) -> bool {
    matches!(resource_type, "Script" | "Stylesheet" | "Image" | "Font" | "Media")
}

/// Requests that differ only in numbers and values are of one kind.
pub(crate) fn kind(method: &str, url: &str) -> String {
    let shape = Url::parse(url).map(|url| page::state::url::shape(&url)).unwrap_or_default();
    format!("{method} {shape}")
}
