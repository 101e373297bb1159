//! Visiting a URL by a plain request: where no browser is wanted, or none is needed.

use browser::Body;
use browser::http::{self, FetchError, Hop, Request};
use page::tree::is_page;
use store::{Cause, Millis, NewExchange, Task, Via, VisitOutcome};
use url::Url;

use crate::error::CrawlError;
use crate::site::SiteCrawl;
use crate::visit::capture::state_id;
use crate::visit::{LATER, begin, body_only};

/// What became of a plain request.
pub(crate) enum Fetched {
    Kept,
    /// The page is not what it was taken for. Nothing of it is kept.
    Unexpected,
}

/// What a plain request is made for.
#[derive(Clone, Copy)]
pub(crate) enum Expected<'a> {
    Anything,
    /// A page of a type that needs no browser.
    Type(&'a str),
    /// An answer that names another address.
    Redirect,
}

impl SiteCrawl {
    /// Visits a URL by a plain request and keeps what the server answers.
    pub(crate) async fn visit_plainly(&self, task: &Task) -> Result<(), CrawlError> {
        match self.admit(task).await? {
            Some(url) => self.fetch(task, &url, Expected::Anything).await.map(|_| ()),
            None => Ok(()),
        }
    }

    /// Fetches a page. Of one that was expected to be something else nothing is kept.
    pub(crate) async fn fetch(
        &self,
        task: &Task,
        url: &Url,
        expected: Expected<'_>,
    ) -> Result<Fetched, CrawlError> {
        let time = Millis::now();
        let exchange = match self.client.fetch(&Request::get(url.clone())).await {
            Ok(exchange) => exchange,
            Err(error @ (FetchError::Refused { .. } | FetchError::Url { .. })) => {
                return self.fail(task, None, &error.to_string()).await.map(|()| Fetched::Kept);
            }
            Err(error) => {
                return self.try_later(task, &error.to_string()).await.map(|()| Fetched::Kept);
            }
        };
        let status = exchange.status().as_u16();
        self.manners.pacer.heard(url, exchange.status(), exchange.headers());
        if LATER.contains(&status) {
            self.try_later(task, &format!("the server answered {status}")).await?;
            return Ok(Fetched::Kept);
        }
        let mut step = begin(task, time);
        let requests = exchange.redirects.len() as u64 + 1;
        self.meter.requests(requests);
        step.counts = vec![("requests", requests as i64), ("fetched", 1)];
        step.exchanges = plain_exchanges(&exchange, time);
        let redirected = exchange.redirects.first().map_or(status, |hop| hop.status.as_u16());
        if let Some(outcome) = self.elsewhere(task, redirected, exchange.url()) {
            self.learn_redirect(task, &outcome).await?;
            step.outcome = outcome;
            self.commit(step).await?;
            return Ok(Fetched::Kept);
        }
        if let Expected::Redirect = expected {
            return Ok(Fetched::Unexpected);
        }
        // What is no page, or an error, says nothing about its address.
        let mut looked = None;
        let body = Body::Bytes(exchange.body.as_slice().into());
        let content_type = header(exchange.headers(), "content-type");
        step.outcome = body_only(&body, status, Via::Http, content_type.as_deref());
        if is_page(content_type.as_deref().unwrap_or_default())
            && let VisitOutcome::Captured(capture) = &mut step.outcome
        {
            let mask = self.mask(&task.site, &task.url, "").await?;
            let bytes = exchange.body.clone();
            let parse = move || page::tree::parse(&bytes, content_type.as_deref()).dom;
            if let Some(dom) = self.pure.run(parse).await {
                let seen = self.look(dom, Vec::new(), exchange.url(), &mask).await?;
                if let Expected::Type(expected) = expected
                    && (*expected != *seen.page_type
                        || !self.page_types.knows_scripts(expected, &seen.dom))
                {
                    self.page_types
                        .compared(&seen.page_type, Some("its plain response looks different"));
                    return Ok(Fetched::Unexpected);
                }
                self.learn_type(task, &seen).await?;
                let is_news = self.watch_for_a_trap(task, &seen);
                looked = (status < 400).then(|| seen.original.clone().filter(|_| !is_news));
                capture.state = state_id(&seen.content);
                capture.title.clone_from(&seen.title);
                capture.page_type = Some(seen.page_type.to_string());
                step.links = self.to_follow(task, status, &seen).await;
            }
        }
        let committed = self.commit(step).await?;
        if let Some(original) = looked {
            self.learn_copy(task, committed.shares, original).await?;
        }
        Ok(Fetched::Kept)
    }
}

/// A plain request's hops as the store keeps them; the last one has the body.
fn plain_exchanges(exchange: &http::Exchange, time: Millis) -> Vec<NewExchange> {
    let hop = |hop: &Hop, body: Option<Vec<u8>>| NewExchange {
        time,
        cause: Cause::Load,
        resource: "document".into(),
        method: hop.method.to_string(),
        url: hop.url.to_string(),
        request_headers: listed(&hop.sent),
        request_body: None,
        status: Some(hop.status.as_u16()),
        response_headers: listed(&hop.headers),
        response_body: body,
    };
    let mut hops: Vec<_> = exchange.redirects.iter().map(|passed| hop(passed, None)).collect();
    hops.push(hop(&exchange.last, Some(exchange.body.clone())));
    hops
}

fn listed(headers: &http::HeaderMap) -> Vec<(String, String)> {
    let line = |(name, value): (&http::HeaderName, &http::HeaderValue)| {
        (name.to_string(), String::from_utf8_lossy(value.as_bytes()).into_owned())
    };
    headers.iter().map(line).collect()
}

fn header(headers: &http::HeaderMap, name: &str) -> Option<String> {
    headers.get(name).map(|value| String::from_utf8_lossy(value.as_bytes()).into_owned())
}
