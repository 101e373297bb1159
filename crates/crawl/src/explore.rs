//! Exploring a state: every candidate event that may be fired is fired, each from the state itself.
//!
//! This is seed 000's "full automatic scan" with content identity: the baseline that learning is
//! measured against. What was tried is kept as an edge, so an exploration that is cut off goes on
//! with the rest.

use browser::{Action, Candidate, Exchange, Fired, Happenings};
use page::state::safety::{ElementDescription, Refusal, RequestDescription, may_fire, may_send};
use page::state::url::normalise;
use page::state::{Acts, Content, event_key, instruction};
use page::tree::{Dom, Mask, Node, XPath, visible_text_of};
use store::{
    Arrival, EventCommitted, EventOutcome, EventStep, EventTried, LinkFound, Millis, PathStep,
    StoreError, Task, Via,
};
use tokio::task::JoinHandle;
use url::Url;

use crate::capture::{Seen, short};
use crate::crawler::{Context, Trouble, Worker};
use crate::error::CrawlError;
use crate::visit::kept;

/// Tabs that one exploration may lose before it is put off.
const LOST_TABS: u32 = 3;

/// Longest text of an element that is only its label.
const LONGEST_LABEL: usize = 40;

/// How an exploration ended.
enum Explored {
    Whole,
    /// A limit or the user stopped the crawl; the rest waits.
    Stopped,
}

/// Where an exploration stands.
pub(crate) struct Stand {
    /// The state whose events are fired.
    pub(crate) origin: Seen,
    pub(crate) mask: Mask,
    /// Whether the tab shows it.
    at_origin: bool,
}

impl Stand {
    /// At the state, as it was just seen.
    pub(crate) fn new(origin: Seen, mask: Mask) -> Self {
        Self { origin, mask, at_origin: true }
    }

    /// The same under a mask that was just learned.
    pub(crate) fn see_under(&mut self, mask: Mask) {
        self.origin.content = Content::of(&self.origin.dom, &mask);
        self.mask = mask;
    }
}

/// What an event did to the page.
struct Change {
    outcome: EventOutcome,
    links: Vec<LinkFound>,
    at_origin: bool,
}

impl Worker {
    /// Fires the events of a state. `seen` is the state if the tab shows it already.
    pub(crate) async fn explore(
        &mut self,
        task: &Task,
        seen: Option<Seen>,
    ) -> Result<(), CrawlError> {
        let context = self.context.clone();
        match self.fire_all(task, seen).await {
            Ok(Explored::Whole) => Ok(context.catalog.explored(&task.site, task.page).await?),
            Ok(Explored::Stopped) => Ok(context.catalog.requeue(task, u32::MAX, 0, "").await?),
            Err(Trouble::Crawl(error)) => Err(error),
            Err(Trouble::Tab(error)) => {
                self.after_trouble(&error).await;
                context.try_later(task, &error.to_string()).await
            }
            Err(Trouble::Strayed(why)) => context.try_later(task, &why).await,
        }
    }

    async fn fire_all(&mut self, task: &Task, seen: Option<Seen>) -> Result<Explored, Trouble> {
        let context = self.context.clone();
        if !context.may_go_deeper(task.depth) {
            return Ok(Explored::Whole);
        }
        let mask = context.mask(task).await?;
        let mut stand = match seen {
            Some(origin) => Stand::new(origin, mask),
            None => self.arrive(task, mask).await?,
        };
        self.learn_idle(task, &mut stand).await?;
        let tried = context.catalog.tried(task.page).await?;
        let candidates = self.tab().await?.candidates().await?;
        if candidates.truncated {
            tracing::warn!(
                "page {} offers more events than the cap; the rest is left out",
                task.page
            );
        }
        let mut outbox = Outbox { context: context.clone(), pending: None };
        let mut lost = 0;
        for candidate in &candidates.list {
            let event = described_event(candidate);
            if tried.contains(&(event.clone(), candidate.path.clone())) {
                continue;
            }
            if context.meter.stopped().is_some() {
                outbox.flush().await?;
                return Ok(Explored::Stopped);
            }
            let mut step = begin(task, candidate, event);
            if let Err(refusal) = may_act(candidate, &stand.origin.dom) {
                step.outcome = EventOutcome::Refused(refusal.to_string());
                outbox.send(step).await?;
                continue;
            }
            if !stand.at_origin || self.is_worn() {
                stand = self.arrive_again(task, stand).await?;
            }
            match self.fire(task, candidate, &mut stand, &mut step).await {
                Ok(()) => {}
                Err(Trouble::Tab(error)) => {
                    self.after_trouble(&error).await;
                    stand.at_origin = false;
                    step.outcome = EventOutcome::Lost;
                    lost += 1;
                    if lost > LOST_TABS {
                        outbox.send(step).await?;
                        outbox.flush().await?;
                        return Err(error.into());
                    }
                }
                Err(other) => return Err(other),
            }
            outbox.send(step).await?;
        }
        outbox.flush().await?;
        Ok(Explored::Whole)
    }

    /// Fires one event and fills in what came of it.
    async fn fire(
        &mut self,
        task: &Task,
        candidate: &Candidate,
        stand: &mut Stand,
        step: &mut EventStep,
    ) -> Result<(), Trouble> {
        let context = self.context.clone();
        context.meter.event();
        step.counts.push(("events_fired", 1));
        let tab = self.tab().await?;
        let fired = tab.fire(&Action::from(candidate)).await?;
        let exchanges = tab.take_exchanges().await?;
        context.record(&mut step.counts, &exchanges);
        let change = self.judge(task, candidate, stand, &fired).await?;
        tracing::debug!(
            "page {}: {} {} '{}': found {:?}, changed {}, at origin {}, {:?}",
            task.page,
            candidate.event,
            candidate.path,
            candidate.text,
            fired.found,
            fired.changed,
            change.at_origin,
            fired.happenings
        );
        stand.at_origin = change.at_origin;
        step.links = context.welcome(change.links).await;
        step.outcome = change.outcome;
        if matches!(step.outcome, EventOutcome::Arrived(_) | EventOutcome::Reveal) {
            step.exchanges =
                exchanges.into_iter().filter(worth_keeping).map(|e| kept(e, step.time)).collect();
        }
        Ok(())
    }

    async fn judge(
        &mut self,
        task: &Task,
        candidate: &Candidate,
        stand: &Stand,
        fired: &Fired,
    ) -> Result<Change, Trouble> {
        let context = self.context.clone();
        let mut change = Change { outcome: EventOutcome::Same, links: Vec::new(), at_origin: true };
        if fired.found.is_none() {
            change.outcome = EventOutcome::Lost;
            return Ok(change);
        }
        if fired.happenings.left_document {
            change.at_origin = false;
            change.outcome = EventOutcome::Lost;
        }
        let (mut ways, refused) = context.ways(&task.url, candidate, &fired.happenings);
        if fired.changed && !fired.happenings.left_document {
            let tab = self.tab().await?;
            let drift_ms = tab.drift_ms();
            let walk = tab.walk().await?;
            let url = Url::parse(&walk.url).or_else(|_| Url::parse(&task.url));
            let url = url.map_err(|_| Trouble::Strayed("its document has no URL".into()))?;
            let seen = context.look(walk.dom, &url, &stand.mask).await?;
            change.at_origin = seen.content.id() == stand.origin.content.id();
            if shows_news(&seen, stand, &candidate.path) {
                let capture = seen.capture(None, Via::Browser, None, drift_ms);
                let path = extended(&task.path, candidate);
                let named =
                    path.iter().map(|step| (step.event.as_str(), step.instruction.as_str()));
                let key = event_key(&task.url, named);
                change.links = ways;
                change.links.extend(seen.links);
                let arrival = Arrival { capture, url: task.url.clone(), key, path };
                change.outcome = EventOutcome::Arrived(Box::new(arrival));
                return Ok(change);
            }
            if !change.at_origin {
                change.outcome = EventOutcome::Reveal;
                change.links = seen.links;
                change
                    .links
                    .retain(|link| !stand.origin.links.iter().any(|old| old.url == link.url));
            }
        }
        if !ways.is_empty() {
            let first = ways.remove(0);
            change.outcome = EventOutcome::Navigated(first.url);
            change.links.extend(ways);
        } else if let Some(because) = refused {
            change.outcome = EventOutcome::Refused(because);
        }
        Ok(change)
    }

    async fn arrive_again(&mut self, task: &Task, stand: Stand) -> Result<Stand, Trouble> {
        match self.return_to(task, stand).await {
            // The tab is what failed, not the way: a new one may find it.
            Err((stand, Trouble::Tab(error))) => {
                self.after_trouble(&error).await;
                self.return_to(task, stand).await.map_err(|(_, trouble)| trouble)
            }
            Err((_, trouble)) => Err(trouble),
            Ok(stand) => Ok(stand),
        }
    }
}

impl Context {
    /// The URLs that an event leads to besides changing the page, and why it led nowhere.
    fn ways(
        &self,
        document: &str,
        candidate: &Candidate,
        happenings: &Happenings,
    ) -> (Vec<LinkFound>, Option<String>) {
        let mut ways: Vec<LinkFound> = Vec::new();
        let mut refused = happenings.refused.first().map(|refused| refused.reason.clone());
        let navigations =
            happenings.navigations.iter().map(|to| (to.url.as_str(), to.method.as_str()));
        let popups = happenings.popups.iter().map(|url| (url.as_str(), "GET"));
        let downloads = happenings.downloads.iter().map(|file| (file.url.as_str(), "GET"));
        for (url, method) in navigations.chain(popups).chain(downloads) {
            if method != "GET" {
                refused.get_or_insert_with(|| format!("it would {method} to {url}"));
                continue;
            }
            let Ok(url) = Url::parse(url).map(normalise) else {
                continue;
            };
            if let Err(reason) = self.scope.admits(&url) {
                refused.get_or_insert_with(|| format!("it leads to {url}: {reason}"));
            } else if let Err(refusal) = may_send(&RequestDescription {
                method: "GET",
                url: url.as_str(),
                ..RequestDescription::default()
            }) {
                refused.get_or_insert_with(|| format!("it leads to {url}: {refusal}"));
            } else if url.as_str() != document {
                ways.push(LinkFound {
                    url: url.into(),
                    xpath: candidate.path.clone(),
                    text: short(&candidate.text),
                    refused_because: None,
                    class: None,
                    rank: 0,
                });
            }
        }
        (ways, refused)
    }
}

/// Commits steps one behind the tab: while one is written, the next event is fired. So kill -9 costs
/// the step in hand and no other.
struct Outbox {
    context: std::sync::Arc<Context>,
    pending: Option<JoinHandle<Result<EventCommitted, StoreError>>>,
}

impl Outbox {
    async fn send(&mut self, step: EventStep) -> Result<(), CrawlError> {
        self.flush().await?;
        let context = self.context.clone();
        self.pending = Some(tokio::spawn(async move {
            let committed = context.catalog.commit_event(step).await?;
            if committed.is_new {
                context.meter.page();
            }
            Ok(committed)
        }));
        Ok(())
    }

    async fn flush(&mut self) -> Result<(), CrawlError> {
        if let Some(pending) = self.pending.take() {
            pending.await.map_err(|_| CrawlError::Lost("a step could not be kept"))??;
        }
        Ok(())
    }
}

fn begin(task: &Task, candidate: &Candidate, event: String) -> EventStep {
    EventStep {
        site: task.site.clone(),
        page: task.page,
        depth: task.depth,
        time: Millis::now(),
        tried: EventTried {
            event,
            xpath: candidate.path.clone(),
            element_id: candidate.element_id.clone(),
            text: short(&candidate.text),
            instruction: named(candidate),
            class: None,
        },
        outcome: EventOutcome::Same,
        links: Vec::new(),
        exchanges: Vec::new(),
        counts: Vec::new(),
        rank: 0,
        explore: true,
        explorer: None,
        cost_ms: None,
    }
}

/// The event with its value, as edges and keys name it: `click`, `change=3`.
fn described_event(candidate: &Candidate) -> String {
    match &candidate.value {
        Some(value) => format!("{}={}", candidate.event, short(value)),
        None => candidate.event.clone(),
    }
}

fn named(candidate: &Candidate) -> String {
    let data: Vec<_> = candidate
        .data
        .iter()
        .map(|(name, value)| (format!("data-{name}"), value.clone()))
        .collect();
    let script = candidate.href.as_deref().filter(|href| {
        href.get(..11).is_some_and(|scheme| scheme.eq_ignore_ascii_case("javascript:"))
    });
    instruction(&Acts {
        call: candidate.instruction.as_deref().or(script),
        text: &candidate.text,
        data: &data,
        id: candidate.element_id.as_deref(),
        xpath: &candidate.path,
    })
}

fn extended(path: &[PathStep], candidate: &Candidate) -> Vec<PathStep> {
    let mut path = path.to_vec();
    path.push(PathStep {
        event: described_event(candidate),
        xpath: candidate.path.clone(),
        instruction: named(candidate),
        element_id: candidate.element_id.clone(),
        tag: Some(candidate.tag.clone()),
        text: candidate.text.clone(),
    });
    path
}

/// The event of a path, to fire again.
pub(crate) fn action(step: &PathStep) -> Action {
    let (event, value) = match step.event.split_once('=') {
        Some((event, value)) => (event, Some(value.to_owned())),
        None => (step.event.as_str(), None),
    };
    Action {
        value,
        id: step.element_id.clone(),
        tag: step.tag.clone(),
        text: Some(step.text.clone()).filter(|text| !text.is_empty()),
        ..Action::new(step.xpath.clone(), event)
    }
}

/// Whether a state shows something that its origin did not hold. What a button says about itself
/// ("Hide" for "Show", "Like (4)" for "Like (3)") is no news; what unfolds inside an element is.
fn shows_news(seen: &Seen, stand: &Stand, fired: &str) -> bool {
    if !seen.content.adds_to(&stand.origin.content) {
        return false;
    }
    let Ok(path) = fired.parse::<XPath>() else {
        return true;
    };
    let is_label = |node: Node<'_>| {
        let holds_more = |below: Node<'_>| matches!(below.name(), "a" | "img");
        visible_text_of(node).chars().count() <= LONGEST_LABEL
            && !node.descendants().any(holds_more)
    };
    let found = path.evaluate(&seen.dom);
    if !found.iter().any(|id| seen.dom.get(*id).is_some_and(is_label)) {
        return true;
    }
    let mut mask = stand.mask.clone();
    mask.regions.push(path);
    Content::of(&seen.dom, &mask).adds_to(&stand.origin.content)
}

/// Exchanges of an event that say something a page shows: pictures and styles come with the page.
fn worth_keeping(exchange: &Exchange) -> bool {
    !matches!(exchange.resource_type.as_str(), "Image" | "Stylesheet" | "Font" | "Script" | "Ping")
}

/// The gate for events: what the element says and is called must not order to change anything.
fn may_act(candidate: &Candidate, dom: &Dom) -> Result<(), Refusal> {
    let found = candidate.path.parse::<XPath>().map(|path| path.evaluate(dom));
    let node = found.ok().and_then(|nodes| dom.get(*nodes.first()?));
    let attribute = |name| node.and_then(|node| node.attribute(name)).unwrap_or_default();
    let data: Vec<_> = node
        .into_iter()
        .flat_map(|node| node.attributes())
        .filter(|(name, _)| name.starts_with("data-") || name.starts_with("hx-"))
        .map(|(name, value)| (name.to_owned(), value.to_owned()))
        .collect();
    may_fire(&ElementDescription {
        tag: &candidate.tag,
        text: &candidate.text,
        id: candidate.element_id.as_deref().unwrap_or_default(),
        name: attribute("name"),
        class: attribute("class"),
        aria_label: attribute("aria-label"),
        title: attribute("title"),
        value: candidate.value.as_deref().unwrap_or(attribute("value")),
        href: candidate.href.as_deref().unwrap_or_default(),
        handler: candidate.instruction.as_deref().unwrap_or_default(),
        data: &data,
    })
}
