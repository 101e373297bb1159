//! Visiting a URL by plain requests: where no browser is wanted, or none is needed.

use browser::Body;
use browser::http::header::{IF_MODIFIED_SINCE, IF_NONE_MATCH};
use browser::http::{self, Cut, FetchError, HeaderMap, HeaderValue, Request};
use derive::{Acts, BY_TYPE};
use page::tree::{Mask, is_page};
use store::{Cause, Millis, NewExchange, Task, Via, VisitOutcome, WireFacts};
use tokio::sync::SemaphorePermit;
use url::Url;

use crate::error::CrawlError;
use crate::machine::TRIES;
use crate::manners::Unwelcome;
use crate::site::SiteCrawl;
use crate::visit::capture::state_id;
use crate::visit::{LATER, begin, body_only, millis};

/// The answer to a request with validators that still hold.
const NOT_MODIFIED: u16 = 304;
/// Redirects of one visit that are followed.
const MAX_REDIRECTS: usize = 10;

/// What became of a plain request.
pub(crate) enum Fetched {
    Kept,
    /// The page is not what it was taken for. Nothing of it is kept.
    Unexpected,
}

/// What a plain request is made for.
#[derive(Clone, Copy)]
pub(crate) enum Expected {
    Anything,
    /// A page of a type that needs no browser.
    Plain,
    /// An answer that names another address.
    Redirect,
}

/// The requests of one visit, in order: each but the last was answered with a redirect.
pub(crate) struct Chain {
    pub(crate) answers: Vec<http::Exchange>,
    pub(crate) end: ChainEnd,
}

/// Why no more was asked.
pub(crate) enum ChainEnd {
    /// The last answer is no redirect, or one that names no address.
    Answer,
    /// The last answer leads to an address that may not be asked for.
    Refused { to: Url, reason: String },
    /// There is no end to the redirects.
    TooMany,
    /// The crawl was stopped on the way: nothing follows from it.
    Stopped,
    /// The last request was not answered.
    Failed { url: Url, sent: Millis, error: FetchError },
}

impl SiteCrawl {
    /// Visits a URL by a plain request and keeps what the server answers.
    pub(crate) async fn visit_plainly(
        &self,
        task: &Task,
        visiting: Option<SemaphorePermit<'_>>,
    ) -> Result<(), CrawlError> {
        match self.admit(task).await? {
            Some(url) => self.fetch(task, &url, Expected::Anything, visiting).await.map(|_| ()),
            None => Ok(()),
        }
    }

    /// What tells whether the answer that a page was read from still holds.
    async fn validators(&self, task: &Task, expected: Expected) -> Result<HeaderMap, CrawlError> {
        let mut asks = HeaderMap::new();
        let is_known = task.state.is_some() && !matches!(expected, Expected::Redirect);
        if is_known && let Some(known) = self.catalog.validators(&task.site, task.page).await? {
            let fields = [(IF_NONE_MATCH, known.etag), (IF_MODIFIED_SINCE, known.last_modified)];
            for (name, value) in fields {
                if let Some(value) = value.and_then(|value| HeaderValue::from_str(&value).ok()) {
                    asks.insert(name, value);
                }
            }
        }
        Ok(asks)
    }

    /// Asks for a URL, if it became another, and for what it redirects to, each hop by the rules of a page of
    /// its own.
    pub(crate) async fn ask_for(&self, mut request: Request, if_modified: HeaderMap) -> Chain {
        request.headers.extend(if_modified);
        let mut answers: Vec<http::Exchange> = Vec::new();
        loop {
            self.meter.requests(1);
            let sent = Millis::now();
            let answer = match self.client.fetch(&request).await {
                Ok(answer) => answer,
                Err(error) => {
                    let end = ChainEnd::Failed { url: request.url, sent, error };
                    return Chain { answers, end };
                }
            };
            self.manners.pacer.heard(&answer.url, answer.status, &answer.headers);
            let next = answer.redirect(&request);
            answers.push(answer);
            let end = match next {
                Some(Ok(next)) if answers.len() <= MAX_REDIRECTS => {
                    match self.gate.may_lead_to(&next.url).await {
                        Ok(()) => {
                            request = next;
                            // What is known of one address says nothing about another.
                            request.headers.remove(IF_NONE_MATCH);
                            request.headers.remove(IF_MODIFIED_SINCE);
                            continue;
                        }
                        Err(Unwelcome::Refused(reason)) => {
                            ChainEnd::Refused { to: next.url, reason }
                        }
                        Err(Unwelcome::Stopped) => ChainEnd::Stopped,
                    }
                }
                Some(Ok(_)) => ChainEnd::TooMany,
                Some(Err(_)) | None => ChainEnd::Answer,
            };
            return Chain { answers, end };
        }
    }

    /// Counts requests whose answers only told that a page is not what it was taken for.
    async fn unexpected(&self, task: &Task, requests: usize) -> Result<Fetched, CrawlError> {
        let requests = requests as i64;
        let counts = vec![("requests", requests), ("requests_learning", requests)];
        self.catalog.count(&task.site, counts).await?;
        Ok(Fetched::Unexpected)
    }

    /// Fetches a page. Of one that was expected to be something else nothing is kept. Who visits without a
    /// tab lets others do so while the page is being kept.
    pub(crate) async fn fetch(
        &self,
        task: &Task,
        url: &Url,
        expected: Expected,
        visiting: Option<SemaphorePermit<'_>>,
    ) -> Result<Fetched, CrawlError> {
        let time = Millis::now();
        let if_modified = self.validators(task, expected).await?;
        let is_conditional = !if_modified.is_empty();
        let Chain { answers, end } = self.ask_for(Request::get(url.clone()), if_modified).await;
        if let ChainEnd::Stopped = end {
            return Ok(Fetched::Kept);
        }
        let mut step = begin(task, time);
        step.exchanges = answers.iter().map(|answer| plain_exchange(answer, time)).collect();
        if let ChainEnd::Failed { url, sent, error } = &end {
            step.exchanges.push(unanswered(url, error, *sent, time));
        }
        step.counts = vec![("requests", step.exchanges.len() as i64)];
        let end = match (end, answers.last()) {
            (ChainEnd::Failed { error, .. }, _) => Err((None, error.to_string(), is_final(&error))),
            (ChainEnd::TooMany, Some(last)) => {
                let status = Some(last.status.as_u16());
                Err((status, format!("more than {MAX_REDIRECTS} redirects"), true))
            }
            (_, Some(last)) if LATER.contains(&last.status.as_u16()) => {
                let status = last.status.as_u16();
                Err((Some(status), format!("the server answered {status}"), false))
            }
            (ChainEnd::Refused { to, reason }, Some(last)) => Ok((last, Some((to, reason)))),
            (_, Some(last)) => Ok((last, None)),
            (_, None) => Err((None, "there was no answer".to_owned(), false)),
        };
        let (last, refused) = match end {
            Ok(end) => end,
            Err((status, error, false)) => {
                self.try_again(task, step, status, &error).await?;
                return Ok(Fetched::Kept);
            }
            Err((status, error, true)) => {
                step.outcome = VisitOutcome::Failed { http_status: status, error };
                self.commit(step).await?;
                return Ok(Fetched::Kept);
            }
        };
        let status = last.status.as_u16();
        let first = answers.first().map_or(status, |answer| answer.status.as_u16());
        if is_conditional && answers.len() == 1 && status == NOT_MODIFIED {
            step.counts.extend([("fetched", 1), ("not_modified", 1)]);
            step.outcome = VisitOutcome::NotModified;
            step.may_wait = visiting.is_some();
            self.commit(step).await?;
            return Ok(Fetched::Kept);
        }
        if let Some((to, reason)) = &refused {
            self.keep_unfollowed(task, step, (&last.url, first), (to, reason)).await?;
            return Ok(Fetched::Kept);
        }
        if let Some(outcome) = self.elsewhere(task, first, &last.url) {
            step.counts.push(("fetched", 1));
            self.learn_redirect(task, &outcome).await?;
            step.outcome = outcome;
            self.commit(step).await?;
            return Ok(Fetched::Kept);
        }
        if let Expected::Redirect = expected {
            return self.unexpected(task, step.exchanges.len()).await;
        }
        let body = Body::Bytes(last.body.as_slice().into());
        let content_type = header(&last.headers, "content-type");
        let capture = Box::new(body_only(&body, status, Via::Http, content_type.as_deref()));
        if let Some(cut) = &last.cut {
            let reason = cut.to_string();
            // What is too large will be so again.
            if *cut != Cut::Size && task.attempts < TRIES {
                self.try_again(task, step, Some(status), &reason).await?;
            } else {
                step.outcome = VisitOutcome::Truncated { capture, reason };
                self.commit(step).await?;
            }
            return Ok(Fetched::Kept);
        }
        step.counts.push(("fetched", 1));
        // What is no page, or an error, says nothing about its address.
        let (mut looked, mut forms) = (None, Vec::new());
        step.outcome = VisitOutcome::Captured(capture);
        if is_page(content_type.as_deref().unwrap_or_default())
            && let VisitOutcome::Captured(capture) = &mut step.outcome
        {
            let is_new = task.state.is_none();
            // Nothing is known of what was never looked at.
            let mask = match is_new {
                true => Mask::default(),
                false => self.mask(&task.site, &task.url, "").await?,
            };
            let bytes = last.body.clone();
            let parse = move || page::tree::parse(&bytes, content_type.as_deref()).dom;
            let mut seen = self.look(parse, Vec::new(), &last.url, &mask).await?;
            // It may be of another type than its address says, if that needs no browser either.
            let acts = Acts::of(&seen.dom, &last.url);
            let spared_by = self.spared_by(&seen.page_type, &seen.dom, &acts);
            self.page_types.met(&last.url, &seen.page_type, &acts.name, spared_by.is_some());
            if let Expected::Plain = expected {
                let Some(by) = spared_by else {
                    return self.unexpected(task, step.exchanges.len()).await;
                };
                let by = if by == seen.page_type { BY_TYPE } else { &by };
                self.page_types.kept_plainly(&seen.page_type, by);
            }
            self.learn_type(task, &seen).await?;
            let is_news = self.watch_for_a_trap(task, &seen);
            if status < 400 {
                forms = std::mem::take(&mut seen.forms);
            }
            looked = (status < 400).then(|| seen.original.clone().filter(|_| !is_news));
            capture.state = state_id(&seen.content);
            capture.title.clone_from(&seen.title);
            capture.page_type = Some(seen.page_type.to_string());
            step.links = self.to_follow(task, status, &seen).await;
            if is_new {
                let headers = listed(&last.headers);
                self.cut_first(&task.url, &mut seen, capture, headers, mask).await?;
            }
        }
        step.may_wait = visiting.is_some();
        self.count_page(&mut step);
        // Not before: who visits next is to see that the limit on pages is reached.
        drop(visiting);
        let committed = self.catalog.commit_visit(step).await?;
        self.note_forms(task, &last.url, forms).await?;
        if let Some(original) = looked {
            self.learn_copy(task, committed.shares, original).await?;
        }
        Ok(Fetched::Kept)
    }
}

/// Whether asking again would end the same way.
fn is_final(error: &FetchError) -> bool {
    matches!(error, FetchError::Refused { .. } | FetchError::Url { .. })
}

/// A plain exchange as the store keeps it.
pub(crate) fn plain_exchange(exchange: &http::Exchange, time: Millis) -> NewExchange {
    NewExchange {
        time,
        cause: Cause::Load,
        resource: "document".into(),
        method: exchange.method.to_string(),
        url: exchange.url.to_string(),
        request_headers: listed(&exchange.sent),
        request_body: None,
        status: Some(exchange.status.as_u16()),
        response_headers: listed(&exchange.headers),
        response_body: Some(exchange.body.clone()),
        wire: WireFacts {
            sent: Some(millis(exchange.at)),
            remote_address: exchange.remote.map(|address| address.to_string()),
            http_version: Some(http::version_name(exchange.version).to_owned()),
            failure: None,
            truncated: exchange.cut.as_ref().map(ToString::to_string),
        },
    }
}

/// A request that nobody answered, as the store keeps it.
fn unanswered(url: &Url, error: &FetchError, sent: Millis, time: Millis) -> NewExchange {
    NewExchange {
        time,
        cause: Cause::Load,
        resource: "document".into(),
        method: "GET".into(),
        url: url.to_string(),
        request_headers: Vec::new(),
        request_body: None,
        status: None,
        response_headers: Vec::new(),
        response_body: None,
        wire: WireFacts {
            sent: Some(sent),
            failure: Some(error.to_string()),
            ..WireFacts::default()
        },
    }
}

pub(crate) fn listed(headers: &HeaderMap) -> Vec<(String, String)> {
    let line = |(name, value): (&http::HeaderName, &HeaderValue)| {
        (name.to_string(), String::from_utf8_lossy(value.as_bytes()).into_owned())
    };
    headers.iter().map(line).collect()
}

pub(crate) fn header(headers: &HeaderMap, name: &str) -> Option<String> {
    headers.get(name).map(|value| String::from_utf8_lossy(value.as_bytes()).into_owned())
}
