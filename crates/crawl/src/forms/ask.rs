//! Submitting over the network: politely, within the scope, kept like any other page.

use std::sync::Arc;

use browser::Body;
use browser::http::{HeaderMap, HeaderValue, Request};
use page::form::{Assignment, Form, FormMethod, InputKind, Submission, forms};
use page::state::url::normalise;
use page::tree::{Dom, Mask, is_page, parse};
use store::{
    Arrival, Capture, EventOutcome, EventStep, EventTried, Millis, NewSubmission, PageNumber,
    PageStatus, PathStep, Task, Via, VisitOutcome,
};
use url::Url;

use super::coverage::{Asker, Reply, ReplyPage};
use super::pager::NextPage;
use crate::error::CrawlError;
use crate::manners::Unwelcome;
use crate::site::SiteCrawl;
use crate::visit::capture::{Seen, state_id};
use crate::visit::fetch::{Chain, ChainEnd, header, listed, plain_exchange};
use crate::visit::{LATER, begin, body_only};

const FORM_TYPE: &str = "application/x-www-form-urlencoded";

/// Submits one form of a page, for [`super::coverage`].
pub(super) struct SiteAsker<'a> {
    crawl: Arc<SiteCrawl>,
    /// The page that the form stands on.
    page: PageNumber,
    depth: u32,
    url: Url,
    form: &'a Form,
    /// The form as the last page showed it: hidden values that are good once are read anew.
    fresh: Option<Form>,
    /// When the present round of visits began: what was captured since need not be asked again.
    round: i64,
}

impl<'a> SiteAsker<'a> {
    pub fn new(crawl: Arc<SiteCrawl>, task: &Task, url: Url, form: &'a Form, round: i64) -> Self {
        Self { crawl, page: task.page, depth: task.depth, url, form, fresh: None, round }
    }

    fn tried(&self, named: &str, instruction: &str) -> EventTried {
        EventTried {
            event: named.to_owned(),
            xpath: self.form.xpath.clone(),
            element_id: Some(self.form.name.clone()).filter(|name| !name.is_empty()),
            text: String::new(),
            instruction: instruction.to_owned(),
            class: None,
            values: Vec::new(),
        }
    }

    /// What names a submission: its instruction, and the event of its edge.
    fn names(&self, bound: &Assignment, number: usize) -> (String, String) {
        let form = self.form.id().unwrap_or(page::form::FormId(0));
        let mut instruction = bound.instruction(form);
        if number > 1 {
            instruction.push_str(&format!("&#{number}"));
        }
        let event = format!("submit={}", instruction.split_once('?').map_or("", |it| it.1));
        (instruction, event)
    }

    /// The page of an address: out of the store if it was captured in this round.
    async fn get(&self, url: Url, bound: &Assignment, number: usize) -> Result<Reply, CrawlError> {
        let crawl = &self.crawl;
        let url = normalise(url);
        if let Some(known) = self.known(url.as_str()).await? {
            return Ok(known);
        }
        match crawl.gate.may_lead_to(&url).await {
            Ok(()) => {}
            Err(Unwelcome::Refused(reason)) => return Ok(Reply::Nothing(reason)),
            Err(Unwelcome::Stopped) => return Ok(Reply::Stopped),
        }
        if crawl.meter.stopped().is_some() {
            return Ok(Reply::Stopped);
        }
        let (instruction, event) = self.names(bound, number);
        let submission = NewSubmission {
            site: crawl.site.clone(),
            page: self.page,
            depth: self.depth,
            tried: self.tried(&event, &instruction),
            url: url.to_string(),
            key: format!("{}#!bathys:{instruction}", self.url),
        };
        let (page, task) = crawl.catalog.submit(submission).await?;
        let Some(task) = task else {
            // Visited before, or by another worker at this moment.
            return Ok(match crawl.kept_tree(page).await? {
                Some(dom) => answered(dom, url, 200, false),
                None => Reply::Nothing("the page could not be captured".to_owned()),
            });
        };
        self.visit(&task, url).await
    }

    async fn visit(&self, task: &Task, url: Url) -> Result<Reply, CrawlError> {
        let crawl = &self.crawl;
        let time = Millis::now();
        let Chain { answers, end } = crawl.ask_for(Request::get(url), HeaderMap::new()).await;
        if let ChainEnd::Stopped = end {
            return Ok(Reply::Stopped);
        }
        let mut step = begin(task, time);
        step.exchanges = answers.iter().map(|answer| plain_exchange(answer, time)).collect();
        step.counts = vec![("requests", answers.len() as i64), ("submissions", 1)];
        let usable = match &end {
            ChainEnd::Answer => answers.last(),
            _ => None,
        };
        let Some(last) = usable.filter(|last| !LATER.contains(&last.status.as_u16())) else {
            let status = answers.last().map(|last| last.status.as_u16());
            let error = "the submission was not answered".to_owned();
            step.outcome = VisitOutcome::Failed { http_status: status, error: error.clone() };
            crawl.commit(step).await?;
            return Ok(Reply::Nothing(error));
        };
        let status = last.status.as_u16();
        let kind = header(&last.headers, "content-type");
        let first = answers.first().map_or(status, |answer| answer.status.as_u16());
        if let Some(outcome) = crawl.elsewhere(task, first, &last.url) {
            step.outcome = outcome;
            crawl.commit(step).await?;
            let dom = parse(&last.body, kind.as_deref()).dom;
            return Ok(answered(dom, last.url.clone(), status, true));
        }
        step.counts.push(("fetched", 1));
        let (mut seen, mut capture) = match self.look(&last.body, kind, &last.url, status).await? {
            Looked::Page(seen, capture) => (*seen, *capture),
            Looked::Other(capture) => {
                step.outcome = VisitOutcome::Captured(capture);
                crawl.commit(step).await?;
                return Ok(Reply::Nothing("the answer is no page".to_owned()));
            }
        };
        crawl.learn_type(task, &seen).await?;
        step.links = crawl.to_follow(task, status, &seen).await;
        if task.state.is_none() {
            let headers = listed(&last.headers);
            crawl.cut_first(&task.url, &mut seen, &mut capture, headers, Mask::default()).await?;
        }
        step.outcome = VisitOutcome::Captured(Box::new(capture));
        crawl.commit(step).await?;
        crawl.note_forms(task, &last.url, std::mem::take(&mut seen.forms)).await?;
        Ok(answered(seen.dom, last.url.clone(), status, true))
    }

    async fn look(
        &self,
        body: &[u8],
        kind: Option<String>,
        url: &Url,
        status: u16,
    ) -> Result<Looked, CrawlError> {
        let bytes = Body::Bytes(body.into());
        let mut capture = body_only(&bytes, status, Via::Form, kind.as_deref());
        if !is_page(kind.as_deref().unwrap_or_default()) {
            return Ok(Looked::Other(Box::new(capture)));
        }
        let bytes = body.to_vec();
        let read = move || parse(&bytes, kind.as_deref()).dom;
        let seen = self.crawl.look(read, Vec::new(), url, &Mask::default()).await?;
        capture.state = state_id(&seen.content);
        capture.title.clone_from(&seen.title);
        capture.page_type = Some(seen.page_type.to_string());
        capture.run = self.crawl.run;
        Ok(Looked::Page(Box::new(seen), Box::new(capture)))
    }

    /// A page that was captured in this round.
    async fn known(&self, name: &str) -> Result<Option<Reply>, CrawlError> {
        let Some(row) = self.crawl.catalog.find(name).await? else { return Ok(None) };
        let is_fresh = row.condition == PageStatus::Captured && row.last_seen.0 >= self.round;
        if !is_fresh {
            return Ok(None);
        }
        let Some(dom) = self.crawl.kept_tree(row.page).await? else { return Ok(None) };
        let Ok(url) = Url::parse(&row.url) else { return Ok(None) };
        Ok(Some(answered(dom, url, row.status.unwrap_or(200), false)))
    }

    /// A submission by POST, kept as a state that the form leads to.
    async fn post(
        &mut self,
        sent: Submission,
        bound: &Assignment,
        number: usize,
        again: bool,
    ) -> Result<Reply, CrawlError> {
        let crawl = self.crawl.clone();
        match crawl.manners.ask(&sent.url).await {
            Ok(()) if crawl.meter.stopped().is_none() => {}
            Ok(()) | Err(Unwelcome::Stopped) => return Ok(Reply::Stopped),
            Err(Unwelcome::Refused(reason)) => return Ok(Reply::Nothing(reason)),
        }
        let (instruction, event) = self.names(bound, number);
        let key = format!("{}#!bathys:{instruction}", self.url);
        let time = Millis::now();
        let body = sent.body.clone().unwrap_or_default();
        let kind = HeaderValue::from_static(FORM_TYPE);
        let request = Request::post(sent.url.clone(), kind, body.clone());
        let Chain { answers, end } = crawl.ask_for(request, HeaderMap::new()).await;
        let mut exchanges: Vec<_> =
            answers.iter().map(|answer| plain_exchange(answer, time)).collect();
        for exchange in &mut exchanges {
            exchange.cause = store::Cause::Event;
        }
        if let Some(first) = exchanges.first_mut() {
            first.request_body = Some(body.into_bytes());
        }
        let counts = vec![("requests", answers.len() as i64), ("submissions", 1)];
        let last = match (&end, answers.last()) {
            (ChainEnd::Answer, Some(last)) => last,
            (ChainEnd::Stopped, _) => return Ok(Reply::Stopped),
            _ => {
                crawl.catalog.count(&crawl.site, counts).await?;
                return Ok(Reply::Nothing("the submission was not answered".to_owned()));
            }
        };
        let status = last.status.as_u16();
        let kind = header(&last.headers, "content-type");
        let (seen, capture) = match self.look(&last.body, kind, &last.url, status).await? {
            Looked::Page(seen, capture) => (*seen, *capture),
            Looked::Other(_) => {
                crawl.catalog.count(&crawl.site, counts).await?;
                return Ok(Reply::Nothing("the answer is no page".to_owned()));
            }
        };
        let same = |form: &Form| form.id() == self.form.id();
        self.fresh = seen.forms.iter().find(|form| same(form)).cloned();
        let tried = self.tried(&event, &instruction);
        // Of an answer that is asked for once more, nothing new is to be kept.
        let is_kept = status < 400 && !again;
        if is_kept {
            let path = vec![PathStep {
                event,
                xpath: tried.xpath.clone(),
                instruction,
                element_id: tried.element_id.clone(),
                tag: Some("form".to_owned()),
                text: String::new(),
                handler: String::new(),
                values: Vec::new(),
            }];
            let step = EventStep {
                site: crawl.site.clone(),
                page: self.page,
                depth: self.depth,
                time,
                tried,
                outcome: EventOutcome::Arrived(Box::new(Arrival {
                    capture,
                    // It is no state of the page that the form stands on: no event leads back to it.
                    url: normalise(last.url.clone()).into(),
                    key,
                    path,
                    expected: None,
                })),
                links: crawl.choose(&seen.page_type, seen.links.clone()).await,
                exchanges,
                counts,
                rank: 0,
                explore: false,
                goes_on: false,
                cost_ms: None,
            };
            crawl.catalog.commit_event(step).await?;
            crawl.meter.page();
        } else {
            crawl.catalog.count(&crawl.site, counts).await?;
        }
        Ok(answered(seen.dom, last.url.clone(), status, true))
    }

    /// The form with hidden values that are good now: from the last answer, or from its page, asked again.
    async fn renewed(&mut self) -> Result<Option<Form>, CrawlError> {
        if let Some(fresh) = self.fresh.take() {
            return Ok(Some(with_tokens(self.form, &fresh)));
        }
        let crawl = self.crawl.clone();
        if crawl.manners.ask(&self.url).await.is_err() {
            return Ok(None);
        }
        let Chain { answers, .. } =
            crawl.ask_for(Request::get(self.url.clone()), HeaderMap::new()).await;
        crawl.catalog.count(&crawl.site, vec![("requests", answers.len() as i64)]).await?;
        let Some(last) = answers.last() else { return Ok(None) };
        let dom = parse(&last.body, header(&last.headers, "content-type").as_deref()).dom;
        let mut all = forms(&dom, &last.url).into_iter();
        let fresh = all.find(|form| form.id() == self.form.id());
        Ok(fresh.map(|fresh| with_tokens(self.form, &fresh)))
    }
}

/// Shortest hidden value that may be a token.
const SHORTEST_TOKEN: usize = 8;

/// A form with the tokens of the same form on a later page. Only these: a page of results shows the form as it
/// was filled in, and may carry the query along.
pub(super) fn with_tokens(form: &Form, later: &Form) -> Form {
    let mut renewed = form.clone();
    for input in renewed.inputs.iter_mut().filter(|input| input.kind == InputKind::Hidden) {
        let now = later.input(&input.name).map(|later| later.default.clone()).unwrap_or_default();
        let is_token = |value: &String| value.len() >= SHORTEST_TOKEN && !value.contains(' ');
        if !now.is_empty() && now.iter().all(is_token) {
            input.default = now;
        }
    }
    renewed
}

enum Looked {
    Page(Box<Seen>, Box<Capture>),
    Other(Box<Capture>),
}

fn answered(dom: Dom, url: Url, status: u16, was_sent: bool) -> Reply {
    Reply::Page(Box::new(ReplyPage { dom, url, status, was_sent }))
}

impl Asker for SiteAsker<'_> {
    async fn ask(&mut self, bound: &Assignment, again: bool) -> Result<Reply, CrawlError> {
        if self.form.method == FormMethod::Get {
            return match self.form.submission(bound) {
                Some(sent) => self.get(sent.url, bound, 1).await,
                None => Ok(Reply::Nothing("the form is sent to no address".to_owned())),
            };
        }
        let (instruction, _) = self.names(bound, 1);
        if !again
            && let Some(known) = self.known(&format!("{}#!bathys:{instruction}", self.url)).await?
        {
            return Ok(known);
        }
        for _ in 0..2 {
            let Some(form) = self.renewed().await? else { break };
            let Some(sent) = form.submission(bound) else { break };
            let reply = self.post(sent, bound, 1, again).await?;
            match &reply {
                // What the form carried was good no more.
                Reply::Page(page) if page.status >= 400 => self.fresh = None,
                _ => return Ok(reply),
            }
        }
        Ok(Reply::Nothing("the form was not to be had anew".to_owned()))
    }

    async fn follow(
        &mut self,
        next: &NextPage,
        bound: &Assignment,
        number: usize,
    ) -> Result<Reply, CrawlError> {
        match next {
            NextPage::Link(url) => self.get(url.clone(), bound, number).await,
            NextPage::Button(_, sent) if sent.body.is_none() => {
                self.get(sent.url.clone(), bound, number).await
            }
            NextPage::Button(_, sent) => {
                let (instruction, _) = self.names(bound, number);
                match self.known(&format!("{}#!bathys:{instruction}", self.url)).await? {
                    Some(known) => Ok(known),
                    None => self.post(sent.clone(), bound, number, false).await,
                }
            }
        }
    }
}
