//! Exploring a document: what its states offer is fired, live first: where the tab stands, as long
//! as something is left there, then in the state that is cheapest to get to.
//!
//! What was tried is kept as an edge, so an exploration that is cut off goes on with the rest. What
//! was learned decides what is not fired (`learn`); with learning off this is seed 000's "full
//! automatic scan", the baseline that it is measured against.

pub(crate) mod agenda;
pub(crate) mod arrive;
pub(crate) mod fire;
pub(crate) mod judge;
pub(crate) mod route;
pub(crate) mod shown;
pub(crate) mod walk;

use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::Arc;

use browser::{Action, Candidate};
use derive::Acts;
use page::state::{Content, event_key};
use store::{
    Document, EventCommitted, EventOutcome, EventStep, EventTried, Millis, PageNumber, PutBack,
    StateId, StoreError, Task, TaskKind,
};
use tokio::task::JoinHandle;

use crate::error::CrawlError;
use crate::explore::agenda::{Agenda, Offer, Open, Place};
use crate::explore::judge::{is_switched_off, may_act, step_of};
use crate::explore::walk::{Promise, Walk};
use crate::learn::silence::comes_with_a_click;
use crate::learn::trap::Trap;
use crate::learn::{Aim, Claim, Class, Judgement, Knowledge, REDUNDANT};
use crate::machine::{TRIES, Trouble, Worker};
use crate::site::SiteCrawl;
use crate::site::documents::OpenDocument;
use crate::visit::RETRY_MS;
use crate::visit::capture::{Seen, short, state_id};

/// Known edges that are followed to take a step that is not expected to show anything.
const DOUBT_STEPS: usize = 3;
/// Tabs that one exploration may lose before it is put off.
const LOST_TABS: u32 = 3;
/// Tries to reach a state before its events are left for later.
const MISSES: u32 = 3;

/// The exploration of one document by one worker.
pub(crate) struct Exploration<'w> {
    pub(crate) worker: &'w mut Worker,
    pub(crate) crawl: Arc<SiteCrawl>,
    document: OpenDocument,
    pub(crate) agenda: Agenda,
    /// The state that the tab shows, if it is one that is known.
    pub(crate) here: Option<StateId>,
    /// The last look at what the tab shows, while it still shows it.
    pub(crate) seen: Option<Seen>,
    /// The event after which the tab showed something that is no state.
    pub(crate) last: Option<Last>,
    pub(crate) outbox: Outbox,
    /// Pages that its events were the first to find.
    pub(crate) found: u32,
    /// What its events added to it that they added nowhere else, as hashes.
    pub(crate) news: BTreeSet<u64>,
    /// What the page can do that the document began with, if its plain response showed the same.
    acts: Option<Acts>,
    /// What is known of the document, if it is walked.
    pub(crate) walk: Option<Walk>,
    lost: u32,
}

/// An event that led away from a state.
pub(crate) struct Last {
    pub(crate) from: StateId,
    pub(crate) action: Action,
    pub(crate) class: Class,
    /// Whether it made an entry in the document's history.
    pub(crate) moved: bool,
}

impl Worker {
    /// Fires the events of a document. `seen` is the state if the tab shows it already.
    pub(crate) async fn explore(
        &mut self,
        task: &Task,
        seen: Option<Seen>,
    ) -> Result<(), CrawlError> {
        let crawl = self.crawl.clone();
        if crawl.with_routes(|routes| routes.has(task.page) && routes.hold()) {
            // Its address shows it, and is explored.
            return Ok(crawl.catalog.explored(&task.site, task.page).await?);
        }
        let state = seen.as_ref().map(|seen| state_id(&seen.content)).or(task.state);
        let Some(document) = OpenDocument::of(&crawl, Task { state, ..task.clone() }) else {
            return Ok(());
        };
        let page_type = seen.as_ref().map(|seen| seen.page_type.clone()).unwrap_or_default();
        let mask = crawl.mask(&task.site, &task.url, &page_type).await?;
        let mut exploration = Exploration {
            document,
            agenda: Agenda::new(&task.site, &task.url, mask),
            here: None,
            seen: None,
            last: None,
            outbox: Outbox { crawl: crawl.clone(), pending: None },
            found: 0,
            news: BTreeSet::new(),
            acts: seen.as_ref().and_then(|seen| seen.acts.clone()),
            walk: self.walk.take(),
            lost: 0,
            crawl,
            worker: self,
        };
        exploration.begin(task, seen).await?;
        exploration.run().await
    }
}

impl Exploration<'_> {
    async fn begin(&mut self, task: &Task, seen: Option<Seen>) -> Result<(), CrawlError> {
        self.meet(task.page, None);
        match seen {
            Some(seen) => {
                let state = state_id(&seen.content);
                self.agenda.root = Some(state);
                self.agenda.address.clone_from(&seen.url);
                let mut place =
                    Place::new(task.page, seen.page_type.clone(), task.depth, Vec::new());
                place.show(&seen);
                self.agenda.enter(state, place);
                self.here = Some(state);
                self.seen = Some(seen);
            }
            None => {
                self.resume(task);
                self.restore().await?;
            }
        }
        Ok(())
    }

    /// Learns anew what an earlier run learned in this document.
    async fn restore(&mut self) -> Result<(), CrawlError> {
        let catalog = &self.crawl.catalog;
        let document = catalog.document(&self.agenda.site, &self.agenda.url).await?;
        let Document { pages, edges } = &document;
        self.crawl.with_knowledge(|known| self.agenda.restore(known, pages, edges));
        for page in pages {
            if let Some(dom) = self.crawl.kept_tree(page.page).await? {
                self.agenda.has_shown(&Content::of(&dom, &self.agenda.mask));
            }
        }
        Ok(())
    }

    /// Enters a state that waits in the catalog.
    fn resume(&mut self, task: &Task) {
        // A task without a state is one whose page was never captured: nothing to return to.
        let Some(state) = task.state else { return };
        self.agenda.is_resumed = true;
        if task.path.is_empty() {
            self.agenda.root = Some(state);
        }
        let place = Place::new(task.page, Arc::default(), task.depth, task.path.clone());
        self.agenda.enter(state, place);
    }

    async fn run(mut self) -> Result<(), CrawlError> {
        let ended = self.work().await;
        let flushed = self.outbox.flush().await;
        let left: Vec<_> = self.agenda.unfinished().map(|place| place.page).collect();
        match ended {
            // A limit or the user stopped the crawl; the rest waits.
            Ok(()) | Err(Trouble::Stopped) => {
                if left.is_empty() {
                    self.learn_yield();
                    self.worker.walked = self.walk.take().map(Walk::end);
                }
                self.put_down(left).await?;
            }
            Err(Trouble::Crawl(error)) => return Err(error),
            Err(trouble) => {
                if let Trouble::Tab(error) = &trouble {
                    self.worker.after_trouble(error).await;
                }
                self.put_off(left, &trouble.to_string()).await?;
            }
        }
        flushed
    }

    /// Learns how much the events of a whole document bring. One that was gone on with is no whole one,
    /// unless nothing of it was tried before.
    fn learn_yield(&self) {
        let root = self.agenda.root.and_then(|root| self.agenda.place(root));
        let Some(page_type) = root.map(|root| root.page_type.clone()) else { return };
        let sampled = Class::of_document(&page_type);
        let is_whole = !self.agenda.is_resumed
            || self.crawl.with_knowledge(|known| known.is_audited(&sampled, &self.agenda.url));
        if is_whole {
            self.crawl.page_types.explored(&page_type, self.found);
            self.learn_acts();
        }
    }

    /// Learns whether the events of a document show anything that they do not show elsewhere.
    fn learn_acts(&self) {
        let Some(acts) = &self.acts else { return };
        let (types, url) = (&self.crawl.page_types, &self.agenda.url);
        let is_own = |added: &&u64| {
            !self.crawl.with_knowledge(|known| known.is_added_elsewhere(**added, url))
        };
        let news: BTreeSet<u64> = self.news.iter().filter(is_own).copied().collect();
        match news.is_empty() {
            true => types.did_nothing(acts),
            false => types.did_something(acts, news, "events on such a page show something new"),
        }
    }

    async fn work(&mut self) -> Result<(), Trouble> {
        if self.here.is_some() {
            self.learn_idle().await?;
        }
        loop {
            if self.crawl.meter.stopped().is_some() {
                return Ok(());
            }
            if self.worker.is_worn() {
                (self.here, self.seen) = (None, None);
            }
            if self.here.is_none_or(|here| !self.agenda.has_work(here)) {
                self.settle().await?;
            }
            self.leave_what_was_met();
            let Some(plan) = self.agenda.next(self.here) else {
                // A document that is walked was doubted when it was explored.
                if self.explore_anew() || (self.walk.is_none() && self.doubt().await?) {
                    continue;
                }
                // What was deferred is not taken any more: its states are done.
                self.settle().await?;
                if self.fetch_more().await? {
                    continue;
                }
                return Ok(());
            };
            let state = plan.to;
            if self.here != Some(state) {
                match self.go(plan).await {
                    Ok(true) => {}
                    Ok(false) => {
                        self.miss(state).await?;
                        continue;
                    }
                    Err(Trouble::Tab(error)) => {
                        self.lose_tab(error).await?;
                        self.miss(state).await?;
                        continue;
                    }
                    Err(other) => return Err(other),
                }
            }
            let here = self.here.unwrap_or(state);
            if self.agenda.place(here).is_some_and(|place| !place.is_known) {
                self.look_around(here).await?;
            } else if let Some(open) = self.agenda.take(here) {
                self.consider(here, open).await?;
            }
            if self.agenda.len() >= self.crawl.settings.states_per_url {
                self.end_document().await?;
            }
        }
    }

    /// The document has shown as many states as one URL may: what is left in it is left.
    async fn end_document(&mut self) -> Result<(), Trouble> {
        let pages = self.agenda.len() as u64;
        let because = "as many states as one URL may have".into();
        let what = self.agenda.url.clone();
        self.crawl.traps.end(Trap { what, pages, because, is_limit: true });
        self.agenda.empty();
        self.settle().await
    }

    /// Fires what was spared as redundant after all, where it would lead on: another document's
    /// pager may show every page by number, and this one only some. Then some of what showed nothing
    /// new from other states. False if nothing was left out.
    async fn doubt(&mut self) -> Result<bool, Trouble> {
        let spared = self.agenda.take_spared();
        let is_audit = spared.is_none();
        let doubtful = spared.or_else(|| self.agenda.take_audit(self.here));
        let Some((state, open)) = doubtful else { return Ok(false) };
        if self.here != Some(state) {
            let Some(plan) = self.agenda.plan(self.here, state) else { return Ok(true) };
            if plan.steps.len() > if plan.loads { 0 } else { DOUBT_STEPS } {
                // A doubt is worth an event, not a whole way: the pages before showed the same.
                return Ok(true);
            }
            match self.go(plan).await {
                Ok(true) => {}
                Ok(false) => return Ok(true),
                Err(Trouble::Tab(error)) => return self.lose_tab(error).await.map(|()| true),
                Err(other) => return Err(other),
            }
        }
        if is_audit {
            let class = &open.offer.class;
            self.crawl.with_knowledge(|known| known.audited(class, Claim::Repeat));
        }
        match self.fire(state, &open).await {
            Err(Trouble::Tab(error)) => self.lose_tab(error).await.map(|()| true),
            other => other.map(|()| true),
        }
    }

    /// The states of the document that came back into the queue meanwhile.
    async fn fetch_more(&mut self) -> Result<bool, Trouble> {
        self.outbox.flush().await?;
        let catalog = &self.crawl.catalog;
        let mut tasks = catalog.claim_document(&self.agenda.site, &self.agenda.url).await?;
        tasks.extend(self.document.take_left());
        // What has an address of its own waits until it is known whether that shows the same.
        let (routed, tasks): (Vec<_>, Vec<_>) =
            tasks.into_iter().partition(|task| self.crawl.with_routes(|r| r.has(task.page)));
        let routed = routed.into_iter().map(|task| task.page).collect();
        self.put_down(routed).await?;
        for task in &tasks {
            match task.state {
                Some(_) => self.resume(task),
                None => self.crawl.catalog.explored(&task.site, task.page).await?,
            }
        }
        Ok(!tasks.is_empty())
    }

    /// Answers what is known by now, and says which states are done.
    async fn settle(&mut self) -> Result<(), Trouble> {
        let aim = self.crawl.aim();
        let is_filtered = aim.instructions && !aim.takes_all;
        let known = match is_filtered {
            true => self.crawl.with_knowledge(|knowledge| self.agenda.drain_known(knowledge)),
            false => Vec::new(),
        };
        let mut steps: Vec<_> = known
            .iter()
            .filter_map(|(state, open, to)| {
                self.saved(*state, &open.offer, EventOutcome::Known(*to))
            })
            .collect();
        if is_filtered {
            // Nobody goes back to a state for what need not be taken there.
            let open: Vec<_> = self.agenda.places().map(|(state, _)| state).collect();
            steps.extend(open.into_iter().flat_map(|state| self.defer_repeats(state)));
        }
        self.commit_all(steps).await?;
        let done = self.agenda.done();
        if !done.is_empty() {
            // What these states taught is on disk before they are done: a document that is resumed
            // learns again from its edges, one that is done never does.
            self.outbox.flush().await?;
            self.crawl.write_classes().await?;
        }
        for state in done {
            let Some(place) = self.agenda.place(state) else { continue };
            let (page, page_type) = (place.page, place.page_type.clone());
            self.shorten(state).await?;
            self.crawl.catalog.explored(&self.agenda.site, page).await?;
            self.crawl.with_knowledge(|knowledge| knowledge.sampled(&page_type));
            self.agenda.close(state);
        }
        Ok(())
    }

    /// Keeps a shorter way to a state than the one that it was found by, if there is one by now.
    async fn shorten(&self, state: StateId) -> Result<(), Trouble> {
        let (Some(place), Some(plan)) = (self.agenda.place(state), self.agenda.plan(None, state))
        else {
            return Ok(());
        };
        if plan.steps.is_empty() || plan.steps.len() >= place.path.len() {
            return Ok(());
        }
        let named = plan.steps.iter().map(|step| (step.event.as_str(), step.instruction.as_str()));
        let key = event_key(&self.agenda.url, named);
        self.crawl.catalog.shorten(&self.agenda.site, place.page, plan.steps.clone(), key).await?;
        Ok(())
    }

    async fn miss(&mut self, state: StateId) -> Result<(), Trouble> {
        if self.agenda.missed(state) < MISSES {
            return Ok(());
        }
        let page = self.agenda.place(state).map(|place| place.page);
        self.agenda.close(state);
        Ok(self.put_off(page.into_iter().collect(), "the way to it is broken").await?)
    }

    /// Leaves what is to be done in these pages for another try.
    async fn put_off(&self, pages: Vec<PageNumber>, why: &str) -> Result<(), CrawlError> {
        tracing::info!("{}, {} states: {why}", self.agenda.url, pages.len());
        let (tries, error) = (TRIES, why.to_owned());
        self.put_back(pages, PutBack::Failed { tries, wait_ms: RETRY_MS, error }).await
    }

    /// Leaves these pages as they were before they were claimed.
    async fn put_down(&self, pages: Vec<PageNumber>) -> Result<(), CrawlError> {
        self.put_back(pages, PutBack::Untried).await
    }

    async fn put_back(&self, pages: Vec<PageNumber>, because: PutBack) -> Result<(), CrawlError> {
        let catalog = &self.crawl.catalog;
        Ok(catalog.put_back(&self.agenda.site, TaskKind::Explore, pages, because).await?)
    }

    async fn lose_tab(&mut self, error: browser::TabError) -> Result<(), Trouble> {
        self.worker.after_trouble(&error).await;
        (self.here, self.seen, self.last) = (None, None, None);
        self.lost += 1;
        if self.lost > LOST_TABS { Err(error.into()) } else { Ok(()) }
    }

    /// Finds out what can be fired in the state that the tab shows.
    async fn look_around(&mut self, state: StateId) -> Result<(), Trouble> {
        let Some((page, depth, page_type, trail)) = self
            .agenda
            .place(state)
            .map(|place| (place.page, place.depth, place.page_type.clone(), place.trail.clone()))
        else {
            return Ok(());
        };
        let crawl = self.crawl.clone();
        if !crawl.may_go_deeper(depth) {
            self.agenda.open(state, Vec::new());
            return Ok(());
        }
        if self.seen.is_none() {
            // Nothing is fired that was not looked at: the gate for events asks the element itself.
            self.seen = Some(self.see().await?);
        }
        if let Some(seen) = &self.seen {
            // A state that an event led back to was told by its fingerprint, and not looked at.
            self.agenda.show(state, seen);
        }
        // What is believed of repeated steps is forgotten with the document: they are judged anew.
        let tried = crawl.catalog.tried(page, Claim::Repeat.reason()).await?;
        let candidates = self.worker.tab().await?.candidates().await?;
        if candidates.truncated {
            tracing::warn!("page {page} offers more events than the cap; the rest is left out");
        }
        let aim = crawl.aim_at(depth);
        let (mut open, mut steps) = (Vec::new(), Vec::new());
        let looked_at = crawl.settings.candidates;
        let mut clicked: HashMap<_, HashSet<_>> = HashMap::new();
        for it in candidates.list.iter().filter(|it| it.event == "click") {
            clicked.entry(it.path.clone()).or_default().insert(it.class.clone());
        }
        for candidate in candidates.list {
            if !looked_at.admits(&candidate.tag, &candidate.event) {
                continue;
            }
            let offer = Offer::new(&page_type, step_of(&candidate));
            self.agenda.offers(&offer);
            if tried.contains(&(offer.step.event.clone(), offer.step.xpath.clone())) {
                continue;
            }
            let promise = self.promise(page, &offer);
            if promise == Promise::Nothing {
                continue;
            }
            let address = self.address_of(&candidate);
            let comes_with_a_click =
                comes_with_a_click(&candidate.event) && clicked.contains_key(&candidate.path);
            let handlers = clicked.get(&candidate.path);
            let acts_on_clicks = handlers.is_some_and(|all| all.contains(&candidate.class));
            let mut one = Open {
                candidate,
                offer,
                address,
                is_audit: false,
                unanswered: 0,
                comes_with_a_click,
                acts_on_clicks,
            };
            let refusal = match &self.seen {
                Some(seen) => may_act(&one.candidate, &seen.dom).err(),
                None => None,
            };
            let switched_off = self.seen.as_ref().is_some_and(|seen| {
                is_switched_off(&one.candidate, &seen.dom)
                    && crawl.with_knowledge(|known| known.of(&one.offer.class).is_some())
            });
            if switched_off {
                let why = "it is disabled here, and others of its kind are not".into();
                let step = self.saved(state, &one.offer, EventOutcome::Skipped(why));
                steps.extend(step.map(|step| EventStep { counts: Vec::new(), ..step }));
                continue;
            }
            if let Some(refusal) = refusal {
                steps.extend(self.saved(
                    state,
                    &one.offer,
                    EventOutcome::Refused(refusal.to_string()),
                ));
                continue;
            }
            if let Promise::State(_) = promise {
                open.push(one);
                continue;
            }
            if self.is_trapped(state, &one.offer) {
                steps.extend(self.trapped(state, &one.offer));
                continue;
            }
            let known = crawl.with_knowledge(|knowledge| match aim.instructions {
                true => self.agenda.known(knowledge, &one.offer, &trail),
                false => None,
            });
            if self.is_silent(&one, &aim) {
                steps.extend(self.unfired(state, &one.offer, None, Claim::Silent.reason()));
                continue;
            }
            let routes_hold = crawl.with_routes(|routes| routes.hold());
            let document = self.agenda.url.as_str();
            match crawl.with_knowledge(|k| judge(k, &one, known, document, &aim, routes_hold)) {
                Judgement::Fire => open.push(one),
                Judgement::Audit => {
                    one.is_audit = true;
                    open.push(one);
                }
                Judgement::Skip(why) => {
                    steps.extend(self.unfired(state, &one.offer, known, why));
                    if why == REDUNDANT {
                        self.agenda.spare(state, one);
                    }
                }
            }
        }
        self.agenda.open(state, open);
        if aim.instructions && !aim.takes_all {
            steps.extend(self.defer_repeats(state));
        }
        self.commit_all(steps).await
    }

    /// Whether an event that comes with a click is left out.
    fn is_silent(&mut self, open: &Open, aim: &Aim) -> bool {
        aim.is_after_all()
            && self.crawl.with_knowledge(|known| self.agenda.is_silent(known, open))
            && !aim.takes_all
    }

    /// Defers what a state offers that was taken in the document and shows nothing new any more.
    fn defer_repeats(&mut self, state: StateId) -> Vec<EventStep> {
        let repeats = self.agenda.defer_repeats(state);
        let skipped = |offer| self.unfired(state, offer, None, Claim::Repeat.reason());
        repeats.iter().filter_map(skipped).collect()
    }

    /// Where a candidate leads by its address, if it is a link that is followed.
    fn address_of(&self, candidate: &Candidate) -> Option<String> {
        let seen = self.seen.as_ref().filter(|_| candidate.event == "click")?;
        seen.addresses.get(&candidate.path).cloned()
    }

    /// Fires a candidate, unless what was learned since it was found says that it need not be.
    async fn consider(&mut self, state: StateId, open: Open) -> Result<(), Trouble> {
        let crawl = self.crawl.clone();
        let Some(place) = self.agenda.place(state) else { return Ok(()) };
        let (aim, trail) = (crawl.aim_at(place.depth), place.trail.clone());
        match self.promise(place.page, &open.offer) {
            Promise::Nothing => return Ok(()),
            Promise::State(page) => {
                let fired = self.fire_or_lose(state, &open).await;
                if let Some(walk) = &mut self.walk {
                    walk.fired_for(page);
                }
                return fired;
            }
            Promise::Unknown => {}
        }
        let known = crawl.with_knowledge(|knowledge| match aim.instructions {
            true => self.agenda.known(knowledge, &open.offer, &trail),
            false => None,
        });
        let routes_hold = crawl.with_routes(|routes| routes.hold());
        let is_silent = self.is_silent(&open, &aim);
        let document = self.agenda.url.as_str();
        let judge =
            || crawl.with_knowledge(|k| judge(k, &open, known, document, &aim, routes_hold));
        let mut is_spared = false;
        let is_repeat = || aim.instructions && self.agenda.is_repeat(&open.offer, &trail);
        if !aim.takes_all && !open.is_audit && known.is_none() && is_repeat() {
            self.agenda.put_back(state, open);
            let steps = self.defer_repeats(state);
            return self.commit_all(steps).await;
        }
        let unfired = if self.is_trapped(state, &open.offer) {
            self.trapped(state, &open.offer)
        } else if is_silent {
            self.unfired(state, &open.offer, None, Claim::Silent.reason())
        } else if open.is_audit {
            None
        } else {
            match judge() {
                Judgement::Fire | Judgement::Audit => None,
                Judgement::Skip(why) => {
                    is_spared = why == REDUNDANT;
                    self.unfired(state, &open.offer, known, why)
                }
            }
        };
        if let Some(step) = unfired {
            if is_spared {
                self.agenda.spare(state, open);
            }
            return self.commit_all(vec![step]).await;
        }
        self.fire_or_lose(state, &open).await
    }

    /// Fires a candidate. One that breaks the tab is lost, and costs no more than that.
    async fn fire_or_lose(&mut self, state: StateId, open: &Open) -> Result<(), Trouble> {
        match self.fire(state, open).await {
            Err(Trouble::Tab(error)) => {
                let step = self.saved(state, &open.offer, EventOutcome::Lost);
                self.commit_all(step.into_iter().collect()).await?;
                self.lose_tab(error).await
            }
            other => other,
        }
    }

    /// The step of a candidate that is deferred: its target is known, or this is why.
    fn unfired(
        &self,
        state: StateId,
        offer: &Offer,
        known: Option<PageNumber>,
        why: &str,
    ) -> Option<EventStep> {
        let outcome = known.map_or_else(|| EventOutcome::Skipped(why.into()), EventOutcome::Known);
        self.explain_deferral(offer, why);
        self.saved(state, offer, outcome)
    }

    /// Says which claim a step is deferred by, and what speaks for it.
    fn explain_deferral(&self, offer: &Offer, why: &str) {
        let (true, Some(claim)) = (self.crawl.settings.explain, Claim::of_reason(why)) else {
            return;
        };
        let Offer { class, signature, step } = offer;
        let seen = self.crawl.with_knowledge(|known| known.evidence(class, claim));
        tracing::info!(
            target: "explain",
            "{}: {signature} at {}: deferred: {why} (held in {} documents, wrong in {})",
            self.agenda.url,
            step.xpath,
            seen.held,
            seen.wrong
        );
    }

    /// The step that a candidate makes, with what came of it without firing it.
    pub(crate) fn saved(
        &self,
        state: StateId,
        offer: &Offer,
        outcome: EventOutcome,
    ) -> Option<EventStep> {
        let place = self.agenda.place(state)?;
        let counts = match &outcome {
            EventOutcome::Known(_) => vec![("saved_instruction", 1)],
            EventOutcome::Skipped(_) => vec![("saved_pattern", 1)],
            _ => Vec::new(),
        };
        Some(EventStep {
            site: self.agenda.site.clone(),
            page: place.page,
            depth: place.depth,
            time: Millis::now(),
            tried: EventTried {
                event: offer.step.event.clone(),
                xpath: offer.step.xpath.clone(),
                element_id: offer.step.element_id.clone(),
                text: short(&offer.step.text),
                instruction: offer.step.instruction.clone(),
                class: Some(offer.class.to_string()),
                values: offer.step.values.clone(),
            },
            outcome,
            links: Vec::new(),
            exchanges: Vec::new(),
            counts,
            rank: 0,
            goes_on: true,
            explore: true,
            cost_ms: None,
        })
    }

    /// Whether firing it would go on with a series that was ended. The first step into one is always
    /// taken: what was ended are the combinations, not the elements.
    fn is_trapped(&self, state: StateId, offer: &Offer) -> bool {
        let goes_on = |place: &Place| place.trail.iter().any(|turn| turn.is_of(&offer.class));
        self.agenda.place(state).is_some_and(goes_on)
            && self.crawl.traps.is_ended(&self.series(offer))
    }

    /// The series that the states are of which this offer leads to.
    pub(crate) fn series(&self, offer: &Offer) -> String {
        let Class { event, place, .. } = &offer.class;
        format!("{}: {event} on {place}", self.agenda.url)
    }

    /// The step of a candidate whose series was ended. No filter saved it.
    fn trapped(&self, state: StateId, offer: &Offer) -> Option<EventStep> {
        let step = self.unfired(state, offer, None, Claim::Series.reason());
        step.map(|step| EventStep { counts: Vec::new(), ..step })
    }

    pub(crate) async fn commit_all(&mut self, steps: Vec<EventStep>) -> Result<(), Trouble> {
        if !steps.is_empty() {
            self.crawl.catalog.commit_events(steps).await?;
        }
        Ok(())
    }
}

/// Whether a candidate is worth firing, by what is known of its class and of where it leads.
fn judge(
    knowledge: &mut Knowledge,
    open: &Open,
    known: Option<PageNumber>,
    document: &str,
    aim: &Aim,
    routes_hold: bool,
) -> Judgement {
    let class = &open.offer.class;
    if known.is_some() {
        return knowledge.skip(class, document, aim, Claim::Instruction.reason());
    }
    match open.address.is_some().then(|| knowledge.judge_link(class, document, aim, routes_hold)) {
        Some(decided @ (Judgement::Skip(_) | Judgement::Audit)) => decided,
        _ => knowledge.judge(class, &open.offer.step.text, document, aim),
    }
}

/// Commits steps one behind the tab: while one is written, the next event is fired. So kill -9 costs
/// the step in hand and no other.
pub(crate) struct Outbox {
    crawl: Arc<SiteCrawl>,
    pending: Option<JoinHandle<Result<EventCommitted, StoreError>>>,
}

impl Outbox {
    pub(crate) async fn send(&mut self, step: EventStep) -> Result<(), CrawlError> {
        self.flush().await?;
        let crawl = self.crawl.clone();
        self.pending = Some(tokio::spawn(async move { crawl.catalog.commit_event(step).await }));
        Ok(())
    }

    pub(crate) async fn flush(&mut self) -> Result<(), CrawlError> {
        if let Some(pending) = self.pending.take() {
            pending.await.map_err(|_| CrawlError::Lost("a step could not be kept"))??;
        }
        Ok(())
    }
}
