//! Visiting a URL in the worker's tab, or plainly where that is known to be enough.

pub(crate) mod capture;
pub(crate) mod fetch;
pub(crate) mod look;
pub(crate) mod outage;

use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use browser::http;
use browser::{Body, Cause, Detail, Exchange, Happenings, TabError, Visit};
use derive::Acts;
use page::state::Content;
use page::state::url::{normalise, shape};
use page::tree::{Dom, is_page, serialise, title};
use store::{
    Capture, EventOutcome, EventStep, EventTried, LinkFound, Millis, NewExchange, PageNumber,
    PutBack, StateId, Task, Via, VisitCommitted, VisitOutcome, VisitStep, WireFacts,
};
use tokio::sync::SemaphorePermit;
use url::Url;

use crate::error::CrawlError;
use crate::explore::judge::Offering;
use crate::explore::walk::Walk;
use crate::learn::{Claim, Class};
use crate::machine::response_cache::was_served;
use crate::machine::{TRIES, Trouble, Worker};
use crate::manners::{STOPPED, Unwelcome};
use crate::settings::DEFAULT_COMPLETENESS;
use crate::site::SiteCrawl;
use crate::site::beliefs::drawn;
use crate::visit::capture::Seen;
use crate::visit::fetch::{Expected, Fetched};

/// Wait before a page that failed for a passing reason is tried again, times the number of tries.
pub(crate) const RETRY_MS: i64 = 1_000;
/// Statuses by which a server asks to come back later.
pub(crate) const LATER: [u16; 3] = [429, 502, 503];

impl Worker {
    /// Visits a URL in the tab, keeps what it shows, and goes on to fire its events.
    pub(crate) async fn visit(
        &mut self,
        task: &Task,
        visiting: Option<SemaphorePermit<'_>>,
    ) -> Result<(), CrawlError> {
        let crawl = self.crawl.clone();
        let Some(url) = crawl.admit(task).await? else {
            return Ok(());
        };
        self.visit_admitted(task, &url, visiting).await
    }

    async fn visit_admitted(
        &mut self,
        task: &Task,
        url: &Url,
        visiting: Option<SemaphorePermit<'_>>,
    ) -> Result<(), CrawlError> {
        let visited = self.show(task, url).await;
        self.put_tab_down(visiting);
        visited
    }

    /// Visits a URL in a tab.
    async fn show(&mut self, task: &Task, url: &Url) -> Result<(), CrawlError> {
        let crawl = self.crawl.clone();
        match self.visit_in_tab(task, url).await {
            Ok(Some(seen)) => self.explore(task, Some(seen)).await,
            Ok(None) => Ok(()),
            Err(Trouble::Crawl(error)) => Err(error),
            // The task is given back when the crawl ends.
            Err(Trouble::Stopped) => Ok(()),
            Err(Trouble::Strayed(why)) => crawl.try_later(task, &why).await,
            Err(Trouble::Tab(error)) => {
                self.after_trouble(&error).await;
                match error {
                    // The browser failed: another try may not.
                    TabError::Closed | TabError::Protocol(_) if task.attempts < TRIES => {
                        crawl.try_later(task, &error.to_string()).await
                    }
                    // A download, or a page that breaks tabs: what the server says can still be kept.
                    _ => {
                        tracing::info!("page {} is fetched plainly: {error}", task.page);
                        let last = Task { attempts: TRIES, ..task.clone() };
                        crawl.fetch(&last, url, Expected::Anything, None).await.map(|_| ())
                    }
                }
            }
        }
    }

    /// Visits a URL by a plain request where pages of its type need no browser, and in the tab
    /// otherwise.
    pub(crate) async fn visit_as_learned(
        &mut self,
        task: &Task,
        visiting: Option<SemaphorePermit<'_>>,
    ) -> Result<(), CrawlError> {
        let crawl = self.crawl.clone();
        let Some(url) = crawl.admit(task).await? else { return Ok(()) };
        let spared_by = crawl.expects_to_spare(&url);
        let expected = match spared_by {
            _ if self.walk.as_ref().is_some_and(Walk::expects_states) => {
                return self.visit_admitted(task, &url, visiting).await;
            }
            _ if crawl.traps.redirects(&shape(&url)) => Expected::Redirect,
            Some(name) if crawl.page_types.spares(&name, &url) => Expected::Plain,
            spared => {
                if spared.is_some() {
                    // To see whether such pages need no browser is to try what they offer, too.
                    crawl.with_knowledge(|known| known.check_all(&task.url));
                }
                return self.visit_admitted(task, &url, visiting).await;
            }
        };
        if let Fetched::Kept = crawl.fetch(task, &url, expected, visiting).await? {
            return Ok(());
        }
        let visiting = crawl.visiting.acquire().await.ok();
        match crawl.manners.ask(&url).await {
            Ok(()) => self.visit_admitted(task, &url, visiting).await,
            Err(Unwelcome::Refused(reason)) => crawl.fail(task, None, &reason).await,
            Err(Unwelcome::Stopped) => Ok(()),
        }
    }

    /// The state, if its events are now this worker's to fire.
    async fn visit_in_tab(&mut self, task: &Task, url: &Url) -> Result<Option<Seen>, Trouble> {
        let time = Millis::now();
        let crawl = self.crawl.clone();
        let tab = self.tab_to_navigate().await?;
        let visit = match tab.navigate(url).await {
            Ok(visit) => visit,
            Err(error) => return self.not_reached(task, time, error).await.map(|()| None),
        };
        let exchanges = tab.take_exchanges().await?;
        let redirected = exchanges.iter().find(|hop| hop.top_frame_document).map(|hop| hop.status);
        let unanswered = crawl.unanswered(&exchanges);
        let mut step = begin(task, time);
        crawl.file(&mut step, exchanges);
        let reached = Url::parse(&visit.url).unwrap_or_else(|_| url.clone());
        if LATER.contains(&visit.status) {
            crawl.heard(&visit.url, visit.status, &visit.headers);
            let error = format!("the server answered {}", visit.status);
            crawl.try_again(task, step, Some(visit.status), &error).await?;
            return Ok(None);
        }
        if let Some(outcome) = crawl.elsewhere(task, redirected.unwrap_or(visit.status), &reached) {
            crawl.learn_redirect(task, &outcome).await?;
            step.outcome = outcome;
            crawl.commit(step).await?;
            return Ok(None);
        }
        if let Some(error) = unanswered.filter(|_| visit.status < 400 && task.attempts < TRIES) {
            crawl.try_again(task, step, Some(visit.status), &error).await?;
            return Ok(None);
        }
        let content_type = content_type(&visit);
        if let Some(reason) = &visit.truncated {
            // What is too large will be so again.
            if visit.cut != Some("body") && task.attempts < TRIES {
                crawl.try_again(task, step, Some(visit.status), reason).await?;
                return Ok(None);
            }
            let mut capture = body_only(&visit.body, visit.status, Via::Browser, content_type);
            if is_page(content_type.unwrap_or_default()) {
                let dom = tab.walk().await?.dom;
                let snapshot = serialise(&dom).into_bytes();
                (capture.state, capture.title) = (id_of_bytes(&snapshot), title(&dom));
                capture.snapshot = Some(snapshot);
            }
            let (capture, reason) = (Box::new(capture), reason.clone());
            step.outcome = VisitOutcome::Truncated { capture, reason };
            crawl.commit(step).await?;
            return Ok(None);
        }
        if !is_page(content_type.unwrap_or_default()) {
            let capture = body_only(&visit.body, visit.status, Via::Browser, content_type);
            step.outcome = VisitOutcome::Captured(Box::new(capture));
            crawl.commit(step).await?;
            return Ok(None);
        }
        let happenings = tab.take_happenings();
        let mut seen = self.look_at(task, &reached).await?;
        seen.links.extend(crawl.refreshes(&task.url, &happenings));
        crawl.learn_type(task, &seen).await?;
        let is_news = crawl.watch_for_a_trap(task, &seen);
        crawl.learn_route(task, &seen).await?;
        let is_good = visit.status < 400;
        if is_good
            && crawl.responses.may_learn(crawl.meter.sent())
            && crawl.page_types.wants_learning_load(&seen.page_type)
        {
            seen = self.load_to_learn(task, url, &mut step.counts, seen).await?;
        }
        let body = match &visit.body {
            Body::Bytes(bytes) => Some(bytes.to_vec()),
            Body::Empty | Body::Left { .. } => None,
        };
        if let Some(body) = &body {
            crawl.compare_plain(task, &visit, body, &mut seen).await?;
        }
        let mut capture = seen.capture(Some(visit.status), Via::Browser, body);
        capture.content_type = content_type.map(str::to_owned);
        if task.state.is_none() {
            let headers = visit.headers.clone();
            let mask = crawl.mask(&task.site, &task.url, "").await?;
            crawl.cut_first(&task.url, &mut seen, &mut capture, headers, mask).await?;
        }
        step.outcome = VisitOutcome::Captured(Box::new(capture));
        step.links = crawl.to_follow(task, visit.status, &seen).await;
        step.counts.push(("rendered", 1));
        let explore = is_good
            && crawl.may_go_deeper(task.depth)
            && crawl.is_worth_exploring(task.depth, &seen.page_type);
        step.explore = explore && !crawl.leaves_out(task, &seen.page_type).await?;
        step.explore_shared = crawl.acts_otherwise(&seen);
        if explore {
            crawl.learn_scripts(task, &seen);
        }
        let forms = std::mem::take(&mut seen.forms);
        let committed = crawl.commit(step).await?;
        if is_good {
            crawl.note_forms(task, &reached, forms).await?;
            let original = seen.original.clone().filter(|_| !is_news);
            crawl.learn_copy(task, committed.shares, original).await?;
        }
        Ok(committed.explore.then_some(seen))
    }

    /// Keeps what is known of a load that reached no document. What says nothing about the page but
    /// something about the tab is handed on.
    async fn not_reached(
        &mut self,
        task: &Task,
        time: Millis,
        error: TabError,
    ) -> Result<(), Trouble> {
        let is_told = match &error {
            TabError::Unfollowed { reason, .. } if reason == STOPPED => {
                return Err(Trouble::Stopped);
            }
            TabError::Unfollowed { .. } => true,
            TabError::Navigation { reason, .. } => {
                reason.starts_with("net::") || reason.starts_with("no connection: failed")
            }
            _ => false,
        };
        if !is_told {
            return Err(error.into());
        }
        let crawl = self.crawl.clone();
        let mut step = begin(task, time);
        crawl.file(&mut step, self.tab().await?.take_exchanges().await?);
        match &error {
            TabError::Unfollowed { url: from, status, to, reason } => {
                if let (Ok(from), Ok(to)) = (Url::parse(from), Url::parse(to)) {
                    crawl.keep_unfollowed(task, step, (&from, *status), (&to, reason)).await?;
                }
            }
            TabError::Navigation { reason, .. } if reason.contains("TOO_MANY_REDIRECTS") => {
                let error = error.to_string();
                step.outcome = VisitOutcome::Failed { http_status: None, error };
                crawl.commit(step).await?;
            }
            _ => crawl.try_again(task, step, None, &error.to_string()).await?,
        }
        Ok(())
    }

    async fn look_at(&mut self, task: &Task, url: &Url) -> Result<Seen, Trouble> {
        let crawl = self.crawl.clone();
        let mask = crawl.mask(&task.site, &task.url, "").await?;
        let tab = self.tab().await?;
        let drift_ms = tab.drift_ms();
        let walk = tab.walk_with(Detail::Boxes).await?;
        let mut seen = crawl.look(|| walk.dom, walk.frames, url, &mask).await?;
        (seen.drift_ms, seen.looks) = (drift_ms, walk.looks);
        Ok(seen)
    }

    /// Loads the page once more, from the site itself: what differs is volatile.
    async fn load_to_learn(
        &mut self,
        task: &Task,
        url: &Url,
        counts: &mut store::Counts,
        first: Seen,
    ) -> Result<Seen, Trouble> {
        let crawl = self.crawl.clone();
        if crawl.manners.ask(url).await.is_err() {
            return Ok(first);
        }
        crawl.responses.relearn(url.as_str());
        let tab = self.tab_to_navigate().await?;
        if let Some(reason) = tab.navigate(url).await?.truncated {
            return Err(Trouble::Strayed(reason));
        }
        let exchanges = tab.take_exchanges().await?;
        let known = counts.len();
        crawl.count_exchanges(counts, &exchanges);
        // What was answered as before is counted already; what differs was also sent to learn.
        let sent = exchanges.iter().filter(|exchange| was_sent(exchange)).count() as i64;
        let counted = counts.iter().skip(known).filter(|(name, _)| *name == "requests_learning");
        let rest = sent - counted.map(|(_, by)| by).sum::<i64>();
        crawl.responses.learned(rest.unsigned_abs());
        counts.push(("requests_learning", rest));
        let second = self.look_at(task, url).await?;
        if first.content.id() == second.content.id() {
            return Ok(second);
        }
        let page = (task.site.as_str(), task.url.as_str(), &second.page_type);
        match crawl.learn_volatile(page, &first.dom, &second.dom).await? {
            Some(learned) => {
                let content = Content::of(&second.dom, &learned.mask);
                Ok(Seen { content, ..second })
            }
            None => Ok(second),
        }
    }
}

impl SiteCrawl {
    /// What is expected to spare a page the browser before anything of it is there, as far as others of its
    /// shape or beside it tell: it is taken for one like most of its type.
    fn expects_to_spare(&self, url: &Url) -> Option<Arc<str>> {
        let Some((page_type, acts)) = self.page_types.expected_at(url) else {
            return self.page_types.spared_beside(url);
        };
        let by_acts = self.settings.defers() && self.page_types.does_nothing(&acts);
        if by_acts { Some(acts) } else { self.spared_by_type(&page_type, |_| false) }
    }

    /// What spares a page the browser, now that its plain response is there: that pages which can do the same
    /// showed the same without one and their events nothing new, or that those of its type did, whose scripts
    /// it has.
    pub(crate) fn spared_by(
        &self,
        page_type: &Arc<str>,
        page: &Dom,
        acts: &Acts,
    ) -> Option<Arc<str>> {
        if self.settings.defers() && self.page_types.does_nothing_on(acts) {
            return Some(acts.name.clone());
        }
        let by_type = self.spared_by_type(page_type, |class| class.may_be_on(page));
        by_type.filter(|_| self.page_types.knows_acts(page_type, acts))
    }

    /// The type, if its pages show the same without a browser and events do nothing on them.
    fn spared_by_type(
        &self,
        page_type: &Arc<str>,
        has: impl Fn(&Class) -> bool,
    ) -> Option<Arc<str>> {
        let is_inert = || self.with_knowledge(|known| known.is_inert(page_type, has));
        let is_plain = self.settings.defers() && self.page_types.is_plain(page_type);
        (is_plain && is_inert()).then(|| page_type.clone())
    }

    /// The task's URL, when it may be visited now; else the refusal is kept with the page.
    pub(crate) async fn admit(&self, task: &Task) -> Result<Option<Url>, CrawlError> {
        let Ok(url) = Url::parse(&task.url) else {
            self.fail(task, None, "it is no URL").await?;
            return Ok(None);
        };
        if let Err(reason) = self.scope.admits(&url) {
            self.fail(task, None, &reason.to_string()).await?;
            return Ok(None);
        }
        if self.traps.holds(&url, task.depth == 0) {
            self.catalog.hold(&task.site, task.page).await?;
            return Ok(None);
        }
        match self.manners.ask(&url).await {
            Ok(()) => Ok(Some(url)),
            Err(Unwelcome::Refused(reason)) => {
                self.fail(task, None, &reason).await?;
                Ok(None)
            }
            // The task is given back when the crawl ends.
            Err(Unwelcome::Stopped) => Ok(None),
        }
    }

    /// The redirect that a visit is when it ends under another URL: nothing to capture under this.
    pub(crate) fn elsewhere(
        &self,
        task: &Task,
        status: u16,
        reached: &Url,
    ) -> Option<VisitOutcome> {
        let reached = normalise(reached.clone());
        if without_fragment(reached.as_str()) == without_fragment(&task.url) {
            return None;
        }
        let to = self.scope.admits(&reached).is_ok().then(|| reached.into());
        Some(VisitOutcome::Redirect { http_status: status, to })
    }

    /// Keeps a visit that ended at a redirect to an address that may not be asked for. What was passed
    /// on the way there is a page of its own.
    pub(crate) async fn keep_unfollowed(
        &self,
        task: &Task,
        mut step: VisitStep,
        (from, status): (&Url, u16),
        (to, reason): (&Url, &str),
    ) -> Result<(), CrawlError> {
        step.outcome = match self.elsewhere(task, status, from) {
            Some(outcome) => {
                self.learn_redirect(task, &outcome).await?;
                outcome
            }
            None => {
                // As with links, what lies outside is not worth an edge.
                if self.scope.admits(to).is_ok() {
                    step.links.push(LinkFound {
                        url: normalise(to.clone()).into(),
                        xpath: String::new(),
                        text: String::new(),
                        refused_because: Some(reason.to_owned()),
                        class: None,
                        rank: 0,
                    });
                }
                VisitOutcome::Redirect { http_status: status, to: None }
            }
        };
        self.commit(step).await?;
        Ok(())
    }

    /// Where a page sends its visitors by itself after a while (meta refresh, `location=`).
    fn refreshes(&self, document: &str, happenings: &Happenings) -> Vec<LinkFound> {
        let page = Offering { document, xpath: "/html", text: "" };
        self.ways(&page, happenings).0
    }

    /// Whether the events and links of a page are of interest: all of them are, unless the user
    /// wants certain types and nothing is learned about the way to them.
    pub(crate) fn is_worth_exploring(&self, depth: u32, page_type: &str) -> bool {
        let aim = self.aim();
        if aim.trains {
            // A page like the samples that they link to may have what they lack: a longer pager.
            return depth == 0 || (depth == 1 && aim.wanted.contains(page_type));
        }
        aim.patterns || aim.wanted.is_empty() || depth == 0 || aim.wanted.contains(page_type)
    }

    /// Whether the events of a document are left out: the user asks for less than everything. Such a share of
    /// the documents is left out, drawn by their addresses, so that those of their type that are explored
    /// say what they would have shown. What is left out is kept as a deferred step, before the visit is.
    async fn leaves_out(&self, task: &Task, page_type: &Arc<str>) -> Result<bool, CrawlError> {
        let aim = self.aim();
        let is_asked = aim.patterns && aim.wanted.is_empty() && aim.explores && !aim.trains;
        let may_miss = DEFAULT_COMPLETENESS - self.settings.completeness;
        if !is_asked || may_miss <= 0.0 || task.depth == 0 {
            return Ok(false);
        }
        if drawn(&task.url) as f64 / u64::MAX as f64 >= may_miss {
            return Ok(false);
        }
        let class = Class::of_document(page_type);
        self.leave_events(&class, task.page, task.depth, Claim::Sample).await?;
        Ok(true)
    }

    /// Keeps all events of a page as one deferred step of a class.
    pub(crate) async fn leave_events(
        &self,
        class: &Class,
        page: PageNumber,
        depth: u32,
        claim: Claim,
    ) -> Result<(), CrawlError> {
        let step = EventStep {
            site: self.site.clone(),
            page,
            depth,
            time: Millis::now(),
            tried: EventTried {
                event: "explore".into(),
                xpath: "/".into(),
                element_id: None,
                text: String::new(),
                instruction: String::new(),
                class: Some(class.to_string()),
                values: Vec::new(),
            },
            outcome: EventOutcome::Skipped(claim.reason().into()),
            links: Vec::new(),
            exchanges: Vec::new(),
            counts: Vec::new(),
            rank: 0,
            goes_on: true,
            explore: true,
            cost_ms: None,
        };
        self.catalog.commit_event(step).await?;
        Ok(())
    }

    /// Whether the events of a state that an event led to are of interest: in training, only what
    /// the samples are of is.
    pub(crate) fn is_worth_returning_to(&self, page_type: &str) -> bool {
        let aim = self.aim();
        // Seed 000's optimised generic crawl learns nothing, and goes on from wanted pages only.
        let is_generic = !aim.patterns && !aim.wanted.is_empty();
        !(aim.trains || is_generic) || aim.wanted.contains(page_type)
    }

    /// Whether a step from this depth is within the limit.
    pub(crate) fn may_go_deeper(&self, depth: u32) -> bool {
        self.settings.limits.depth.is_none_or(|most| depth < most)
    }

    /// The links of a page that are followed: those of an error page are kept with it, no more.
    pub(crate) async fn to_follow(&self, task: &Task, status: u16, seen: &Seen) -> Vec<LinkFound> {
        let follows = self.may_go_deeper(task.depth)
            && status < 400
            && self.is_worth_exploring(task.depth, &seen.page_type);
        match follows {
            true => self.choose(&seen.page_type, seen.links.clone()).await,
            false => Vec::new(),
        }
    }

    /// Counts what went over the network, and puts what this visit caused into its step.
    fn file(&self, step: &mut VisitStep, exchanges: Vec<Exchange>) {
        self.count_exchanges(&mut step.counts, &exchanges);
        for exchange in exchanges.iter().filter(|exchange| exchange.resource_type == "Script") {
            self.page_types.read_script(&exchange.url, exchange.body.bytes());
        }
        let own = exchanges.into_iter().filter(|exchange| !exchange.late);
        step.exchanges = own.map(|exchange| kept(exchange, step.time)).collect();
    }

    /// Counts what went over the network.
    pub(crate) fn count_exchanges(&self, counts: &mut store::Counts, exchanges: &[Exchange]) {
        let sent = exchanges.iter().filter(|exchange| was_sent(exchange)).count();
        let served = exchanges
            .iter()
            .filter(|exchange| was_served(exchange) && exchange.status != 0)
            .count();
        self.meter.requests(sent as u64);
        counts.push(("requests", sent as i64));
        counts.push(("requests_cache", served as i64));
        for exchange in exchanges {
            if self.responses.keep(exchange) {
                counts.push(("requests_learning", 1));
            }
        }
    }

    pub(crate) async fn commit(&self, mut step: VisitStep) -> Result<VisitCommitted, CrawlError> {
        self.count_page(&mut step);
        Ok(self.catalog.commit_visit(step).await?)
    }

    /// Counts the page that a visit captured, as one of this run.
    fn count_page(&self, step: &mut VisitStep) {
        match &mut step.outcome {
            VisitOutcome::Captured(capture) => {
                capture.run = self.run;
                self.meter.page();
            }
            VisitOutcome::NotModified => self.meter.page(),
            VisitOutcome::Truncated { capture, .. } => capture.run = self.run,
            VisitOutcome::Redirect { .. } | VisitOutcome::Failed { .. } => {}
        }
    }

    pub(crate) async fn fail(
        &self,
        task: &Task,
        status: Option<u16>,
        error: &str,
    ) -> Result<(), CrawlError> {
        let mut step = begin(task, Millis::now());
        step.outcome = VisitOutcome::Failed { http_status: status, error: error.to_owned() };
        self.commit(step).await?;
        Ok(())
    }

    /// Puts a visit back for another try; the last one ends it as failed, with all that went over the
    /// network.
    pub(crate) async fn try_again(
        &self,
        task: &Task,
        mut step: VisitStep,
        http_status: Option<u16>,
        error: &str,
    ) -> Result<(), CrawlError> {
        if task.attempts < TRIES {
            self.catalog.count(&task.site, step.counts).await?;
            return self.try_later(task, error).await;
        }
        step.outcome = VisitOutcome::Failed { http_status, error: error.to_owned() };
        self.commit(step).await?;
        Ok(())
    }

    pub(crate) async fn try_later(&self, task: &Task, error: &str) -> Result<(), CrawlError> {
        tracing::info!("page {}, try {}: {error}", task.page, task.attempts);
        let wait = RETRY_MS * i64::from(task.attempts);
        self.put_back(task, wait, error).await
    }

    /// Puts a task back after an attempt that failed; the last one gives it up.
    pub(crate) async fn put_back(
        &self,
        task: &Task,
        wait_ms: i64,
        error: &str,
    ) -> Result<(), CrawlError> {
        let failed = PutBack::Failed { tries: TRIES, wait_ms, error: error.to_owned() };
        Ok(self.catalog.put_back(&task.site, task.kind, vec![task.page], failed).await?)
    }

    /// Tells the host's pace how it answered a page of its own.
    pub(crate) fn heard(&self, url: &str, status: u16, headers: &[(String, String)]) {
        let Ok(url) = Url::parse(url) else { return };
        let mut retry = http::HeaderMap::new();
        for (name, value) in headers {
            if name.eq_ignore_ascii_case("retry-after")
                && let Ok(value) = http::HeaderValue::from_str(value)
            {
                retry.insert("retry-after", value);
            }
        }
        let status = http::StatusCode::from_u16(status).unwrap_or_default();
        self.manners.pacer.heard(&url, status, &retry);
    }
}

/// Whether the site has seen it.
fn was_sent(exchange: &Exchange) -> bool {
    exchange.url.starts_with("http") && exchange.status != 0 && !was_served(exchange)
}

pub(crate) fn begin(task: &Task, time: Millis) -> VisitStep {
    VisitStep {
        site: task.site.clone(),
        page: task.page,
        depth: task.depth,
        time,
        outcome: VisitOutcome::Failed { http_status: None, error: String::new() },
        links: Vec::new(),
        exchanges: Vec::new(),
        counts: Vec::new(),
        explore: false,
        explore_shared: false,
        may_wait: false,
    }
}

/// A document without a tree: a picture, a PDF, JSON. Its identity is that of its bytes.
pub(crate) fn body_only(body: &Body, status: u16, via: Via, content_type: Option<&str>) -> Capture {
    let bytes = body.bytes();
    Capture {
        state: id_of_bytes(bytes),
        snapshot: None,
        body: Some(bytes.to_vec()),
        title: String::new(),
        http_status: Some(status),
        via,
        drift_ms: 0,
        page_type: None,
        content_type: content_type.map(str::to_owned),
        looks: None,
        run: None,
        cut: None,
    }
}

fn id_of_bytes(bytes: &[u8]) -> StateId {
    let mut state = [0; 16];
    state.copy_from_slice(&blake3::hash(bytes).as_bytes()[..16]);
    StateId(state)
}

fn content_type(visit: &Visit) -> Option<&str> {
    let header = visit.headers.iter().find(|(name, _)| name.eq_ignore_ascii_case("content-type"));
    header.map(|(_, value)| value.as_str())
}

/// A moment of the machine's clock as the store writes it.
pub(crate) fn millis(at: SystemTime) -> Millis {
    let since = at.duration_since(UNIX_EPOCH).unwrap_or_default();
    Millis(i64::try_from(since.as_millis()).unwrap_or(i64::MAX))
}

fn without_fragment(url: &str) -> &str {
    url.split('#').next().unwrap_or_default()
}

/// A browser's exchange as the store keeps it.
pub(crate) fn kept(exchange: Exchange, time: Millis) -> NewExchange {
    let left = match &exchange.body {
        Body::Left { reason } => Some((*reason).to_owned()),
        Body::Bytes(_) | Body::Empty => None,
    };
    let (failure, truncated) = match exchange.status {
        0 => (exchange.failure, None),
        _ => (None, exchange.failure.or(left)),
    };
    NewExchange {
        wire: WireFacts {
            sent: exchange.at.map(millis),
            remote_address: exchange.remote_address,
            http_version: Some(exchange.http_version).filter(|name| !name.is_empty()),
            failure,
            truncated,
        },
        time,
        cause: match exchange.cause {
            Cause::Load => store::Cause::Load,
            Cause::Event => store::Cause::Event,
        },
        resource: exchange.resource_type.to_ascii_lowercase(),
        method: exchange.method,
        url: exchange.url,
        request_headers: exchange.request_headers,
        request_body: exchange.post_data.map(String::into_bytes),
        status: (exchange.status != 0).then_some(exchange.status),
        response_headers: exchange.response_headers,
        response_body: match exchange.body {
            Body::Bytes(bytes) => Some(bytes.to_vec()),
            Body::Empty | Body::Left { .. } => None,
        },
    }
}
