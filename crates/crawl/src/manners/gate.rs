//! The gate for requests: what a page does by itself goes through, since any visitor causes it; what
//! our events cause must be a read, welcome by robots.txt, and in its turn (DESIGN "Safety").

use std::sync::Arc;

use browser::{BoxFuture, Cause, Gate, RequestSeen, Verdict};
use page::state::safety::{RequestDescription, may_send};
use regex::RegexSet;
use url::Url;

use crate::machine::response_cache::{Recall, ResponseCache};
use crate::manners::Manners;

/// Decides about the requests of all tabs of a crawl.
pub(crate) struct EventGate {
    pub(crate) allow_post: RegexSet,
    pub(crate) manners: Arc<Manners>,
    pub(crate) responses: Arc<ResponseCache>,
}

impl Gate for EventGate {
    fn decide<'a>(&'a self, request: &'a RequestSeen) -> BoxFuture<'a, Verdict> {
        Box::pin(async move {
            // What is answered from the record is safe whatever it asks for: nobody hears of it.
            if let Recall::Answer(answer) = self.responses.recall(request) {
                return Verdict::Fulfil(answer);
            }
            match request.cause {
                // A beacon brings nothing that a page could show, and may be the echo of an event.
                Cause::Load if request.resource_type != "Ping" => Verdict::Continue,
                Cause::Load | Cause::Event => match self.judge(request).await {
                    Ok(()) => Verdict::Continue,
                    Err(reason) => Verdict::Fail { reason },
                },
            }
        })
    }
}

impl EventGate {
    async fn judge(&self, request: &RequestSeen) -> Result<(), String> {
        let Ok(url) = Url::parse(&request.url) else {
            return Err(format!("{} is no URL", request.url));
        };
        // Made by the page itself, from memory: nothing is sent.
        if matches!(url.scheme(), "data" | "blob" | "about") {
            return Ok(());
        }
        self.may_send(request, &url)?;
        self.manners.ask(&url).await.map_err(|disallowed| disallowed.to_string())
    }

    fn may_send(&self, request: &RequestSeen, url: &Url) -> Result<(), String> {
        if self.allow_post.is_match(url.as_str()) {
            return Ok(());
        }
        let described = RequestDescription {
            method: &request.method,
            url: url.as_str(),
            body: request.post_data.as_deref(),
            content_type: request.headers.get("Content-Type").map(String::as_str),
        };
        may_send(&described).map_err(|refusal| refusal.to_string())
    }
}
