//! The gate of a picture: the page and what was kept with it, nothing else.

use std::sync::Arc;

use browser::{BoxFuture, Gate, Recorded, RequestSeen, Verdict};
use url::Url;

use super::Kept;

/// What was kept of that which a page asks for.
pub trait Answers: Send + Sync {
    /// The answer to an address, redirects followed.
    fn answer<'a>(&'a self, url: &'a Url) -> BoxFuture<'a, Option<Recorded>>;
}

/// No answers: the page alone.
#[derive(Clone, Copy, Debug)]
pub struct Nothing;

impl Answers for Nothing {
    fn answer<'a>(&'a self, _: &'a Url) -> BoxFuture<'a, Option<Recorded>> {
        Box::pin(async { None })
    }
}

/// Serves the page and its answers from memory.
pub(super) struct Replay {
    url: Url,
    page: Arc<Recorded>,
    answers: Arc<dyn Answers>,
}

impl Replay {
    pub(super) fn new(page: Kept, answers: Arc<dyn Answers>) -> Self {
        let headers = vec![("content-type".to_owned(), page.content_type)];
        let recorded = Recorded { status: 200, headers, body: page.html };
        Self { url: without_fragment(page.url), page: Arc::new(without_scripts(recorded)), answers }
    }

    async fn verdict(&self, request: &RequestSeen) -> Verdict {
        let Ok(url) = Url::parse(&request.url) else {
            return Verdict::Fail { reason: format!("{} is no URL", request.url) };
        };
        // Made by the page itself, from memory.
        if matches!(url.scheme(), "data" | "blob" | "about") {
            return Verdict::Continue;
        }
        let url = without_fragment(url);
        if request.top_frame_document {
            // A page that sends its readers elsewhere stays: "no content" ends a navigation.
            let stay = || Recorded { status: 204, headers: Vec::new(), body: Vec::new() };
            let is_page = url == self.url && !request.redirected;
            return Verdict::Fulfil(if is_page { self.page.clone() } else { stay().into() });
        }
        match self.answers.answer(&url).await {
            Some(answer) => Verdict::Fulfil(Arc::new(without_scripts(answer))),
            None => Verdict::Fail { reason: format!("{url} was not kept") },
        }
    }
}

impl Gate for Replay {
    fn decide<'a>(&'a self, request: &'a RequestSeen) -> BoxFuture<'a, Verdict> {
        Box::pin(self.verdict(request))
    }
}

/// The same without a single script. By policy and not by switching scripts off, since what stands
/// in `noscript` would be shown then, and no visitor with scripts has seen it.
fn without_scripts(mut answer: Recorded) -> Recorded {
    let policies = ["content-security-policy", "x-frame-options", "refresh", "link"];
    answer.headers.retain(|(name, _)| !policies.iter().any(|own| name.eq_ignore_ascii_case(own)));
    answer.headers.push(("content-security-policy".into(), "script-src 'none'".into()));
    answer
}

pub(super) fn without_fragment(mut url: Url) -> Url {
    url.set_fragment(None);
    url
}
