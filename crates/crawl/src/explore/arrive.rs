//! Getting to a state: the restore ladder, cheapest rung first, each arrival verified. A known edge,
//! the same event once more, history back, and only then loading the document and firing the path.
//!
//! What is met on the way and differs is either volatile, and is learned, or a state of its own, and
//! is kept.

use std::sync::Arc;
use std::time::Instant;

use browser::Action;
use page::state::{Content, learn_mask, mask_from_rules, mask_to_rules};
use page::tree::{Dom, Mask};
use store::{EventOutcome, EventStep, PageNumber, PathStep, StateId, Which};
use url::Url;

use crate::error::CrawlError;
use crate::explore::agenda::{Offer, Plan};
use crate::explore::{Exploration, Last};
use crate::machine::Trouble;
use crate::manners::gate::was_stopped;
use crate::site::SiteCrawl;
use crate::visit::capture::{Seen, state_id};
use derive::tree_of;

/// The share of what an event brought that two answers must have in common to be one answer with
/// something volatile in it.
const ONE_ANSWER: f64 = 0.5;

/// A rung of the ladder.
#[derive(Clone, Copy)]
pub(crate) enum Rung {
    Edge,
    Again,
    Back,
    Load,
}

impl Rung {
    /// All of them, cheapest first, as reports name them.
    pub(crate) const ALL: &[(Self, &str)] =
        &[(Self::Edge, "edge"), (Self::Again, "again"), (Self::Back, "back"), (Self::Load, "load")];

    /// Its counters: how often, how many microseconds.
    pub(crate) fn counters(self) -> (&'static str, &'static str) {
        match self {
            Self::Edge => ("restores_edge", "restores_edge_us"),
            Self::Again => ("restores_again", "restores_again_us"),
            Self::Back => ("restores_back", "restores_back_us"),
            Self::Load => ("restores_load", "restores_load_us"),
        }
    }
}

impl Exploration<'_> {
    /// Goes where the plan leads. False if the tab is somewhere else now.
    pub(crate) async fn go(&mut self, plan: Plan) -> Result<bool, Trouble> {
        if plan.loads && self.turn_round(plan.to).await? {
            return Ok(true);
        }
        match plan.loads {
            true => self.load(plan).await,
            false => {
                let from = self.here;
                let is_there = self.follow(&plan).await?;
                if !is_there && let (Some(from), Some(first)) = (from, plan.steps.first()) {
                    // Which of several edges failed is not known; the first is asked again.
                    self.agenda.forget(from, first);
                }
                Ok(is_there)
            }
        }
    }

    /// Two cheap ways out of something that is no state: the event that led there, once more, and
    /// one step back in the document's history.
    async fn turn_round(&mut self, to: StateId) -> Result<bool, Trouble> {
        let Some(last) = self.last.take().filter(|last| last.from == to) else { return Ok(false) };
        if last.moved {
            let begun = Instant::now();
            let back = self.worker.tab().await?.back().await?;
            if !back.happenings.left_document && self.is_at(to, back.fingerprint).await? {
                self.count(Rung::Back, begun, 0).await?;
                return Ok(true);
            }
        }
        if self.crawl.with_knowledge(|knowledge| knowledge.may_toggle(&last.class)) {
            let begun = Instant::now();
            let again = self.worker.tab().await?.fire(&last.action).await?;
            let is_there = again.found.is_some()
                && !again.happenings.left_document
                && self.is_at(to, again.fingerprint).await?;
            self.crawl.with_knowledge(|knowledge| knowledge.toggled(&last.class, is_there));
            self.count(Rung::Again, begun, 1).await?;
            if is_there {
                return Ok(true);
            }
            if self.here.is_some() {
                return Ok(false);
            }
        }
        self.go_round(&last, to).await
    }

    /// What is no state was a state before its last event, and what that state's edges lead to may be
    /// reached from here as well: by the pager, from a page of comments with one comment folded.
    async fn go_round(&mut self, last: &Last, to: StateId) -> Result<bool, Trouble> {
        if !self.crawl.with_knowledge(|knowledge| knowledge.may_go_round(&last.class)) {
            return Ok(false);
        }
        let Some(plan) = self.agenda.round(last.from, to) else { return Ok(false) };
        let is_there = self.follow(&plan).await?;
        self.crawl.with_knowledge(|knowledge| knowledge.went_round(&last.class, is_there));
        Ok(is_there)
    }

    /// Whether the tab shows this state, by the page's own hash if that is known.
    async fn is_at(&mut self, to: StateId, print: u64) -> Result<bool, Trouble> {
        (self.here, self.seen) = (self.agenda.at(print), None);
        if self.here.is_none() {
            let seen = self.see().await?;
            let state = state_id(&seen.content);
            if self.agenda.place(state).is_some() {
                self.agenda.print(print, state);
                (self.here, self.seen) = (Some(state), Some(seen));
            }
        }
        Ok(self.here == Some(to))
    }

    /// Follows known edges from where the tab is.
    async fn follow(&mut self, plan: &Plan) -> Result<bool, Trouble> {
        let begun = Instant::now();
        let actions: Vec<_> = plan.steps.iter().map(action).collect();
        let tab = self.worker.tab().await?;
        let fired = tab.replay(&actions).await?;
        let exchanges = tab.take_exchanges().await?;
        let mut counts = Vec::new();
        self.crawl.count_exchanges(&mut counts, &exchanges);
        self.crawl.catalog.count(&self.agenda.site, counts).await?;
        self.count(Rung::Edge, begun, actions.len()).await?;
        if fired.iter().any(|fired| was_stopped(&fired.happenings)) {
            return Err(Trouble::Stopped);
        }
        match fired.last() {
            Some(last) if last.found.is_some() && !last.happenings.left_document => {
                self.is_at(plan.to, last.fingerprint).await
            }
            _ => {
                (self.here, self.seen) = (None, None);
                Ok(false)
            }
        }
    }

    /// Loads the document and fires the path.
    async fn load(&mut self, plan: Plan) -> Result<bool, Trouble> {
        let crawl = self.crawl.clone();
        (self.here, self.seen, self.last) = (None, None, None);
        let url = Url::parse(&self.agenda.url);
        let url = url.map_err(|_| Trouble::Strayed("it is no URL".into()))?;
        match crawl.responses.has(url.as_str()) {
            true => crawl.manners.admits(&url).await.map(|_| ())?,
            false => crawl.manners.ask(&url).await?,
        }
        let begun = Instant::now();
        let actions: Vec<_> = plan.steps.iter().map(action).collect();
        let tab = self.worker.tab_to_navigate().await?;
        if let Some(reason) = tab.navigate(&url).await?.truncated {
            return Err(Trouble::Strayed(reason));
        }
        self.agenda.loaded(begun.elapsed().as_secs_f64() * 1000.0);
        let tab = self.worker.tab().await?;
        let fired = tab.replay(&actions).await?;
        let exchanges = tab.take_exchanges().await?;
        let unanswered = crawl.unanswered(&exchanges);
        let mut counts = vec![("restores", 1)];
        crawl.count_exchanges(&mut counts, &exchanges);
        crawl.catalog.count(&self.agenda.site, counts).await?;
        self.count(Rung::Load, begun, actions.len()).await?;
        if fired.iter().any(|fired| was_stopped(&fired.happenings)) {
            return Err(Trouble::Stopped);
        }
        if let Some(unanswered) = unanswered {
            tracing::info!("on the way to a state, {unanswered}");
            return Ok(false);
        }
        if fired.iter().any(|fired| fired.found.is_none()) || fired.len() < actions.len() {
            self.walk_instead(&plan).await?;
            return Ok(false);
        }
        let seen = self.see().await?;
        if actions.is_empty() {
            self.agenda.address.clone_from(&seen.url);
        }
        let print = self.worker.tab().await?.fingerprint().await?;
        let state = state_id(&seen.content);
        let is_misled = state != plan.to && self.walk_instead(&plan).await?;
        if self.agenda.place(state).is_some() {
            self.agenda.print(print, state);
            (self.here, self.seen) = (Some(state), Some(seen));
            self.show_first(state);
            return Ok(state == plan.to);
        }
        if is_misled {
            return Ok(false);
        }
        self.reconcile(plan, seen).await
    }

    /// A plan did not lead to its state. If that was only believed of its steps, they say nothing about the
    /// state, and those that did lead there are taken from now on.
    async fn walk_instead(&mut self, plan: &Plan) -> Result<bool, Trouble> {
        let Some((page, walk)) = self.agenda.correct(plan.to, &plan.steps) else {
            return Ok(false);
        };
        tracing::info!("page {page}: another way leads to it, of {} steps", walk.len());
        self.crawl.catalog.reroute(&self.agenda.site, page, walk).await?;
        Ok(true)
    }

    /// Fills in what was not known of a state that waited in the catalog.
    fn show_first(&mut self, state: StateId) {
        if let Some(seen) = &self.seen {
            self.agenda.show(state, seen);
        }
    }

    /// A state that is not the expected one: something volatile in it, or another answer.
    async fn reconcile(&mut self, plan: Plan, seen: Seen) -> Result<bool, Trouble> {
        let Some(place) = self.agenda.place(plan.to) else { return Ok(false) };
        let (page, depth) = (place.page, place.depth);
        let Some(known) = self.crawl.kept_tree(page).await? else { return Ok(false) };
        if self.is_one_answer(&plan, &known, &seen.content) {
            let page_type = seen.page_type.clone();
            let document = (self.agenda.site.as_str(), self.agenda.url.as_str(), &page_type);
            let learned = self.crawl.learn_volatile(document, &known, &seen.dom).await?;
            if let Some(learned) = learned {
                let mut seen = seen;
                seen.content = Content::of(&seen.dom, &learned.mask);
                let state = state_id(&seen.content);
                self.agenda.rename(learned.mask, learned.contents);
                (self.here, self.seen) = (Some(state), Some(seen));
                self.show_first(state);
                return Ok(self.agenda.place(state).is_some_and(|place| place.page == page));
            }
        }
        let Some(last) = plan.steps.last() else {
            return Err(Trouble::Strayed("its document shows something else now".into()));
        };
        tracing::info!("page {page}: {} gave another answer", last.instruction);
        self.keep_other_answer(&plan, last.clone(), seen, depth).await?;
        Ok(false)
    }

    /// Whether two looks after the same events have most of what the events brought in common.
    fn is_one_answer(&self, plan: &Plan, known: &Dom, seen: &Content) -> bool {
        if plan.steps.is_empty() {
            return true;
        }
        let root = self.agenda.root.and_then(|root| self.agenda.place(root));
        let Some(root) = root.and_then(|place| place.content.as_ref()) else { return false };
        Content::of(known, &self.agenda.mask).agreement(seen, root) >= ONE_ANSWER
    }

    /// Keeps a state that a call led to which led elsewhere before: both are states, and the edge is
    /// not to be relied on.
    async fn keep_other_answer(
        &mut self,
        plan: &Plan,
        last: PathStep,
        seen: Seen,
        depth: u32,
    ) -> Result<(), Trouble> {
        let before = &plan.steps[..plan.steps.len() - 1];
        let origin = self.agenda.places().find(|(_, place)| place.path == before);
        let Some((from, page_type)) = origin.map(|(from, place)| (from, place.page_type.clone()))
        else {
            return Ok(());
        };
        let offer = Offer::new(&page_type, last);
        self.crawl
            .with_knowledge(|knowledge| knowledge.mark_fickle(&offer.class, &offer.signature));
        let Some(step) = self.saved(from, &offer, EventOutcome::Same) else { return Ok(()) };
        let step = EventStep { depth: depth.saturating_sub(1), ..step };
        self.agenda.forget(from, &offer.step);
        self.keep_new(from, &offer, step, seen, 0.0).await
    }

    async fn count(&mut self, rung: Rung, begun: Instant, events: usize) -> Result<(), Trouble> {
        let (times, micros) = rung.counters();
        let spent = i64::try_from(begun.elapsed().as_micros()).unwrap_or(i64::MAX);
        let counts = vec![(times, 1), (micros, spent), ("events_replayed", events as i64)];
        Ok(self.crawl.catalog.count(&self.agenda.site, counts).await?)
    }

    /// Lets the page's time pass without an event. What changes by itself is volatile.
    pub(crate) async fn learn_idle(&mut self) -> Result<(), Trouble> {
        let (Some(here), Some(_)) = (self.here, &self.seen) else { return Ok(()) };
        let tab = self.worker.tab().await?;
        let fired = tab.fire(&Action::new("/html", "bathys-idle")).await?;
        if !fired.changed || self.agenda.at(fired.fingerprint) == Some(here) {
            return Ok(());
        }
        let later = self.see().await?;
        let Some(seen) = &self.seen else { return Ok(()) };
        if later.content.id() == seen.content.id() {
            self.agenda.print(fired.fingerprint, here);
            return Ok(());
        }
        let document = (self.agenda.site.as_str(), self.agenda.url.as_str(), &seen.page_type);
        let learned = self.crawl.learn_volatile(document, &seen.dom, &later.dom).await?;
        if let Some(learned) = learned {
            let mut later = later;
            later.content = Content::of(&later.dom, &learned.mask);
            self.here = Some(state_id(&later.content));
            self.agenda.rename(learned.mask, learned.contents);
            self.seen = Some(later);
        } else {
            (self.here, self.seen) = (None, None);
        }
        Ok(())
    }
}

/// What two looks at one state taught.
pub(crate) struct Volatile {
    pub(crate) mask: Mask,
    /// The states of the document under the new mask.
    pub(crate) contents: Vec<(PageNumber, StateId, Content)>,
}

impl SiteCrawl {
    /// The document's mask with what two looks at one state add to it, if the two are equal under
    /// it. The states of the document get their identities anew.
    pub(crate) async fn learn_volatile(
        &self,
        (site, url, page_type): (&str, &str, &Arc<str>),
        first: &Dom,
        second: &Dom,
    ) -> Result<Option<Volatile>, CrawlError> {
        let mut rules = self.catalog.mask(site, url).await?;
        rules.extend(mask_to_rules(&learn_mask(first, second)));
        rules.sort();
        rules.dedup();
        let mut all = self.page_types.volatile(page_type);
        all.extend(rules.iter().cloned());
        let mask = mask_from_rules(all.iter().map(String::as_str));
        if Content::of(first, &mask).id() != Content::of(second, &mask).id() {
            return Ok(None);
        }
        let mut contents = Vec::new();
        for page in self.catalog.pages_of_document(site, url).await? {
            if let Some(dom) = self.kept_tree(page).await? {
                let content = Content::of(&dom, &mask);
                contents.push((page, state_id(&content), content));
            }
        }
        tracing::info!("volatile in {url}: {}", rules.join(", "));
        self.page_types.volatile_in(page_type, url, &rules);
        let identities = contents.iter().map(|(page, state, _)| (*page, *state)).collect();
        self.catalog.remask(site, url, rules, identities).await?;
        Ok(Some(Volatile { mask, contents }))
    }

    /// The tree of a page's latest version.
    pub(crate) async fn kept_tree(&self, page: PageNumber) -> Result<Option<Dom>, CrawlError> {
        Ok(self.catalog.version(page, Which::Latest).await?.and_then(|version| tree_of(&version)))
    }
}

/// The event of a path, to fire again.
pub(crate) fn action(step: &PathStep) -> Action {
    let (event, named) = match step.event.split_once('=') {
        Some((event, value)) => (event, Some((step.xpath.clone(), value.to_owned()))),
        None => (step.event.as_str(), None),
    };
    Action {
        // Stores of earlier formats have the value in the name alone.
        values: if step.values.is_empty() { Vec::from_iter(named) } else { step.values.clone() },
        id: step.element_id.clone(),
        tag: step.tag.clone(),
        text: Some(step.text.clone()).filter(|text| !text.is_empty()),
        ..Action::new(step.xpath.clone(), event)
    }
}
