//! The gate for requests: what a page does by itself goes through, since any visitor causes it; what
//! our events cause must be a read, welcome by robots.txt, and in its turn (DESIGN "Safety"). A
//! document that a redirect leads to is a page of the crawl like any other, or it is not asked for.

use std::sync::Arc;

use browser::{BoxFuture, Cause, Gate, Happenings, RequestSeen, Verdict};
use page::state::safety::{ElementDescription, RequestDescription, may_fire, may_send};
use regex::RegexSet;
use url::Url;

use crate::machine::response_cache::{Recall, ResponseCache};
use crate::manners::{Manners, STOPPED, Unwelcome};
use crate::site::scope::Scope;

/// Whether a request of an event was still waiting when the crawl was stopped: then what the page
/// shows without its answer says nothing.
pub(crate) fn was_stopped(happenings: &Happenings) -> bool {
    happenings.refused.iter().any(|refused| refused.reason == STOPPED)
}

/// Decides about the requests of all tabs of a crawl.
pub(crate) struct EventGate {
    pub(crate) allow_post: RegexSet,
    pub(crate) scope: Scope,
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
            match self.judge(request).await {
                Ok(()) => Verdict::Continue,
                Err(unwelcome) => Verdict::Fail { reason: unwelcome.to_string() },
            }
        })
    }
}

impl EventGate {
    /// Waits for the turn of an address that a document redirects to, if it may be asked for at all:
    /// by the rules that a link to it is held to.
    pub(crate) async fn may_lead_to(&self, url: &Url) -> Result<(), Unwelcome> {
        self.scope.admits(url).map_err(|reason| Unwelcome::Refused(reason.to_string()))?;
        let link =
            ElementDescription { tag: "a", href: url.as_str(), ..ElementDescription::default() };
        may_fire(&link).map_err(|refusal| Unwelcome::Refused(refusal.to_string()))?;
        self.manners.ask(url).await
    }

    async fn judge(&self, request: &RequestSeen) -> Result<(), Unwelcome> {
        // A beacon brings nothing that a page could show, and may be the echo of an event.
        let is_load = request.cause == Cause::Load && request.resource_type != "Ping";
        if is_load && !request.top_frame_document {
            return Ok(());
        }
        let Ok(url) = Url::parse(&request.url) else {
            return Err(Unwelcome::Refused(format!("{} is no URL", request.url)));
        };
        if is_load {
            // Whoever loads a page has waited for its turn.
            return match request.onward {
                true => self.may_lead_to(&url).await,
                false => {
                    self.manners.pacer.sent(&url);
                    Ok(())
                }
            };
        }
        // Made by the page itself, from memory: nothing is sent.
        if matches!(url.scheme(), "data" | "blob" | "about") {
            return Ok(());
        }
        self.may_send(request, &url).map_err(Unwelcome::Refused)?;
        self.manners.ask(&url).await
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
