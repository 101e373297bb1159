//! Going to an address.

use std::time::Duration;

use serde_json::json;
use tokio::time::Instant;
use url::Url;

use super::Tab;
use super::error::TabError;
use super::exchange::{Body, TOO_LARGE};
use super::gate::Cause;
use super::happening::Happenings;
use super::protocol::Navigated;
use super::settle::{Look, Settled, Start};
use super::state::{Held, State};
use crate::cdp::CdpError;

/// Beyond the time of any load: its end is watched otherwise.
const FOREVER: Duration = Duration::from_secs(86_400);

/// Why a document is not whole that did not come to its end in time.
const TOO_LONG: &str = "it took longer than the limit";

/// A page that was reached.
#[derive(Clone, Debug)]
pub struct Visit {
    /// Where it ended, after all redirects.
    pub url: String,
    /// The status of the document; 0 if it did not come over HTTP.
    pub status: u16,
    /// Headers of the document, as received.
    pub headers: Vec<(String, String)>,
    /// The body of the document as the server sent it, decoded.
    pub body: Body,
    /// Addresses passed on the way, those of scripts and markup included.
    pub redirects: Vec<String>,
    /// How the page came to rest.
    pub settled: Settled,
    /// Which cap cut the load short, if one did: `redirects`, `body` or `load`.
    pub cut: Option<&'static str>,
    /// Why a part of the document is missing.
    pub truncated: Option<String>,
}

impl Tab {
    /// Goes to an address and lets the page come to rest. Redirects by the server, by markup and
    /// by scripts are followed while the page loads; after that the guard is on. A refresh that the
    /// markup announces for later is told as a navigation and never made. What events have left in the
    /// page's storage since the last visit is put back first.
    pub async fn navigate(&mut self, url: &Url) -> Result<Visit, TabError> {
        self.put_storage_back().await?;
        self.shared.change(|state| {
            state.document_requests = 0;
            state.recorder.choices = 0;
        });
        self.go_to(url).await
    }

    /// The same, with the storage as it is.
    pub(super) async fn go_to(&mut self, url: &Url) -> Result<Visit, TabError> {
        self.bodies_arrived().await?;
        self.scene = None;
        let (commits, loads) = self.shared.change(|state| {
            state.begin_step(Cause::Load);
            state.happenings = Happenings::default();
            state.guarded = false;
            (state.unfollowed, state.stayed, state.held) = (None, false, Held::default());
            state.recorder.abandon();
            state.refreshes.clear();
            (state.commits, state.loads)
        });
        let outcome = match self.leave(url).await {
            Ok(()) => self.load(url, commits, loads).await,
            Err(error) => Err(error),
        };
        self.shared.change(|state| {
            state.guarded = true;
            state.cause = Cause::Event;
        });
        // Without a past, a page cannot go back to the one before it.
        self.page.tell("Page.resetNavigationHistory", json!({}));
        let (settled, look) = outcome?;
        if self.shared.lock().cut.is_some() {
            // What was stopped says so a moment later.
            let soon = Instant::now() + Duration::from_secs(1);
            let ended = |state: &mut State| (!state.recorder.is_document_open()).then_some(());
            self.shared.until(soon, ended).await?;
        }
        self.bodies_arrived().await?;
        let mut state = self.shared.lock();
        state.recorder.declare(&look.charset);
        for url in &look.refreshes {
            state.happenings.navigation(url);
        }
        state.refreshes = look.refreshes;
        let documents = state.recorder.documents();
        let frame_url = state.frames.get(&state.main_frame).map(|frame| frame.url.clone());
        let mut visit = Visit {
            url: frame_url.unwrap_or_default(),
            status: 0,
            headers: Vec::new(),
            body: Body::Empty,
            redirects: Vec::new(),
            settled,
            cut: state.cut,
            truncated: None,
        };
        let is_open = state.recorder.is_document_open();
        if let Some((last, passed)) = documents.split_last() {
            visit.redirects = passed.iter().map(|hop| hop.url.clone()).collect();
            visit.status = last.status;
            visit.headers.clone_from(&last.response_headers);
            visit.body = last.body.clone();
            let is_large = last.body == Body::Left { reason: TOO_LARGE };
            visit.truncated = match (&last.failure, state.cut) {
                (Some(failure), None) if last.status == 0 => {
                    let reason = format!("no connection: {failure}");
                    return Err(TabError::Navigation { url: last.url.clone(), reason });
                }
                (Some(_), Some("body")) => Some(TOO_LARGE.into()),
                (None, _) if is_large => Some(TOO_LARGE.into()),
                (Some(_), Some("load")) => Some(TOO_LONG.into()),
                (None, _) if is_open => Some(TOO_LONG.into()),
                (failure, _) => failure.clone(),
            };
        }
        Ok(visit)
    }

    async fn load(
        &mut self,
        url: &Url,
        commits: u64,
        loads: u64,
    ) -> Result<(Settled, Look), TabError> {
        let caps = self.options.caps;
        let begun = Instant::now();
        let reply = self.page.send::<Navigated>("Page.navigate", json!({ "url": url.as_str() }));
        let navigated = tokio::select! {
            answer = reply.within(FOREVER).wait() => answer?,
            () = self.overdue(begun) => {
                self.page.tell("Page.stopLoading", json!({}));
                let reason = format!("no document within {} ms", caps.load.as_millis());
                return Err(TabError::Navigation { url: url.to_string(), reason });
            }
            end = self.shared.ended() => return Err(end),
        };
        let deadline = self.load_deadline(begun);
        if let Some(reason) = navigated.error_text.filter(|reason| !reason.is_empty()) {
            if let Some(unfollowed) = self.unfollowed() {
                return Err(unfollowed);
            }
            let redirects = self.shared.lock().cut == Some("redirects");
            if redirects {
                return Err(TabError::OverCap { cap: "redirects", limit: caps.redirects });
            }
            if navigated.is_download {
                let soon = Instant::now() + Duration::from_secs(1);
                let told =
                    |state: &mut State| (!state.happenings.downloads.is_empty()).then_some(());
                self.shared.until(soon, told).await?;
                let reason = "it is a download".into();
                return Err(TabError::Navigation { url: url.to_string(), reason });
            }
            return Err(TabError::Navigation {
                url: url.to_string(),
                reason: self.refusal().unwrap_or(reason),
            });
        }
        if navigated.loader_id.is_some() {
            let committed =
                self.shared.until(deadline, |state| (state.commits > commits).then_some(()));
            if committed.await?.is_none() {
                return Err(TabError::Hung { what: "a document", after: caps.load });
            }
        }
        let mut total: Option<Settled> = None;
        loop {
            let commits = self.shared.lock().commits;
            self.worlds(deadline).await?;
            let (part, look) = match self.settle(Start::default(), true).await {
                Ok(settled) => settled,
                // A document that replaced itself while it was being asked.
                Err(TabError::Agent { .. } | TabError::Protocol(CdpError::Refused { .. }))
                    if self.replaced(commits).await? =>
                {
                    continue;
                }
                Err(error) => return Err(error),
            };
            let settled = match total {
                None => part,
                Some(before) => Settled {
                    wall_ms: before.wall_ms + part.wall_ms,
                    virtual_ms: before.virtual_ms + part.virtual_ms,
                    by: part.by,
                },
            };
            total = Some(settled);
            let (replaced, loaded) = {
                let state = self.shared.lock();
                let is_over = state.stayed || state.recorder.is_document_broken();
                (state.commits > commits, state.loads > loads || is_over)
            };
            if Instant::now() >= deadline {
                self.page.tell("Page.stopLoading", json!({}));
                self.shared.change(|state| state.cut = state.cut.or(Some("load")));
                return Ok((settled, look));
            }
            if !replaced && (loaded || navigated.loader_id.is_none()) {
                return Ok((settled, look));
            }
        }
    }

    /// When a load that began then has taken too long. What it waits for its site's pace is not its own.
    fn load_deadline(&self, begun: Instant) -> Instant {
        begun + self.options.caps.load + self.shared.lock().held.total()
    }

    async fn overdue(&self, begun: Instant) {
        while let deadline = self.load_deadline(begun)
            && deadline > Instant::now()
        {
            tokio::time::sleep_until(deadline).await;
        }
    }

    /// The redirect that the gate refused, if that is why there is no document.
    fn unfollowed(&self) -> Option<TabError> {
        let mut state = self.shared.lock();
        let (to, reason) = state.unfollowed.take()?;
        let documents = state.recorder.documents();
        let last = documents.last()?;
        Some(TabError::Unfollowed { url: last.url.clone(), status: last.status, to, reason })
    }

    /// Leaves a document that differs from the next only in its fragment: going there directly
    /// would keep it, with all that scripts and events have made of it.
    async fn leave(&self, url: &Url) -> Result<(), TabError> {
        let here = Url::parse(&self.url()).ok();
        let same = here.is_some_and(|mut here| {
            here.set_fragment(url.fragment());
            here == *url
        });
        if url.fragment().is_none() || !same {
            return Ok(());
        }
        let reply = self.page.send::<Navigated>("Page.navigate", json!({ "url": "about:blank" }));
        reply.within(self.options.caps.script).wait().await?;
        Ok(())
    }

    /// The gate's reason, if it was the gate that failed the document.
    fn refusal(&self) -> Option<String> {
        let state = self.shared.lock();
        let last = state.happenings.refused.last()?;
        Some(format!("refused: {}", last.reason))
    }

    /// Waits a moment to see whether another document has come.
    async fn replaced(&self, commits: u64) -> Result<bool, TabError> {
        let soon = Instant::now() + Duration::from_secs(1);
        let newer = self.shared.until(soon, |state| (state.commits > commits).then_some(()));
        Ok(newer.await?.is_some())
    }
}
