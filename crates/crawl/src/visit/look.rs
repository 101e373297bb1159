//! Looking at a page: its type, what is volatile in it, whether scripts had a part in it, and whether
//! it is one more of a series that brings nothing.

use std::collections::BTreeSet;

use browser::{FrameDocument, Visit};
use derive::{Acts, Captured, first_cut};
use page::state::url::shape;
use page::state::{Content, mask_from_rules, mask_to_rules};
use page::tree::{Dom, Mask};
use store::{Capture, PageNumber, Task, VisitOutcome};
use url::Url;

use crate::error::CrawlError;
use crate::explore::shown::Shown;
use crate::learn::alias::Turned;
use crate::learn::trap::{Of, Trap};
use crate::learn::{Class, evidence};
use crate::site::SiteCrawl;
use crate::visit::capture::{Seen, see};

impl SiteCrawl {
    /// Looks at a tree, which is made beside the async threads, and tells its type.
    pub(crate) async fn look(
        &self,
        dom: impl FnOnce() -> Dom + Send + 'static,
        frames: Vec<FrameDocument>,
        url: &Url,
        mask: &Mask,
    ) -> Result<Seen, CrawlError> {
        let (address, scope, rules) = (url.clone(), self.scope.clone(), mask.clone());
        let page_types = self.page_types.clone();
        let see = move || {
            let seen = see(dom(), &frames, &address, &rules, &scope, page_types.method());
            let placed = page_types.place(&seen.shape, &address);
            (seen, placed)
        };
        let seen = self.pure.run(see).await;
        let (mut seen, placed) = seen.ok_or(CrawlError::Lost("a page could not be read"))?;
        seen.page_type = placed.name;
        for (gone, kept) in placed.merged {
            self.with_knowledge(|knowledge| knowledge.rename_type(&gone, &kept));
            self.catalog.rename_type(&self.site, &gone, &kept).await?;
        }
        let volatile = self.page_types.volatile(&seen.page_type);
        if !volatile.is_empty() {
            let mut rules = mask_to_rules(mask);
            rules.extend(volatile);
            seen.content =
                Content::of(&seen.dom, &mask_from_rules(rules.iter().map(String::as_str)));
        }
        Ok(seen)
    }

    /// Cuts a page that was never kept before into blocks, from the tree that was just looked at. Where it
    /// turns out to be known after all, the store cuts it against the version before.
    pub(crate) async fn cut_first(
        &self,
        url: &str,
        seen: &mut Seen,
        capture: &mut Capture,
        headers: Vec<(String, String)>,
        mask: Mask,
    ) -> Result<(), CrawlError> {
        let Ok(url) = Url::parse(url) else { return Ok(()) };
        let settings = self.settings.blocks.clone();
        let level = match settings.level {
            Some(level) => level,
            None => self.levels.of(&self.catalog, &self.site, Some(&seen.page_type)).await?,
        };
        let is_unlearned = self.is_unlearned;
        let page_type = seen.page_type.clone();
        let has_rules = !settings.rules.rules().is_empty();
        let source = capture.snapshot.as_ref().or(capture.body.as_ref());
        let source = source.filter(|_| has_rules).cloned();
        let (dom, looks) = (std::mem::take(&mut seen.dom), seen.looks.take());
        let cut = move || {
            let captured = Captured {
                dom,
                looks,
                mask: &mask,
                url: &url,
                page_type: Some(&page_type),
                headers: &headers,
                html: source.as_deref(),
                level,
                is_unlearned,
            };
            first_cut(&settings, captured)
        };
        let done = self.cutting.run(cut).await;
        let (first, dom, looks) = done.ok_or(CrawlError::Lost("a page could not be cut"))?;
        capture.cut = Some(first);
        (seen.dom, seen.looks) = (dom, looks);
        Ok(())
    }

    /// What is known to be volatile in a document, and in all of its type.
    pub(crate) async fn mask(
        &self,
        site: &str,
        url: &str,
        page_type: &str,
    ) -> Result<Mask, CrawlError> {
        let mut rules = self.catalog.mask(site, url).await?;
        rules.extend(self.page_types.volatile(page_type));
        Ok(mask_from_rules(rules.iter().map(String::as_str)))
    }

    /// Takes note of the type of a page: for the class of events that led to it, and for the user
    /// who gave it as an example.
    pub(crate) async fn learn_type(&self, task: &Task, seen: &Seen) -> Result<(), CrawlError> {
        if let Some(Ok(class)) = task.found_by.as_deref().map(str::parse::<Class>) {
            self.with_knowledge(|knowledge| knowledge.led(&class, &seen.page_type));
        }
        if self.settings.want.contains(&task.url) {
            self.want(&seen.page_type);
        }
        Ok(())
    }

    /// Ends a series of URLs that leads on and on and brings nothing new. True if this one does.
    pub(crate) fn watch_for_a_trap(&self, task: &Task, seen: &Seen) -> bool {
        let Ok(url) = Url::parse(&task.url) else { return true };
        if task.state.is_some() {
            // What was kept before and says nothing new is no trap, but unchanged.
            return true;
        }
        let series = shape(&url);
        let links = seen.links.iter().map(|link| link.url.as_str());
        let leads_on = self.traps.leads_on(&series, links);
        let met = self.traps.meet(&series, Of::Pages, leads_on, &seen.dom, &url);
        if let Some(trap) = met.trap {
            tracing::warn!("stopped: {trap}");
        }
        let pages = self.traps.pages(&series);
        if self.settings.limits.pages_per_pattern.is_some_and(|most| pages >= most) {
            let because = "as many pages as one pattern may have".into();
            self.traps.end(Trap { what: series, pages, because, is_limit: true });
        }
        met.is_news
    }

    /// Takes note of what a page can do. True if none that shows the same has its scripts.
    pub(crate) fn acts_otherwise(&self, seen: &Seen) -> bool {
        let Ok(url) = Url::parse(&seen.url) else { return false };
        let scripts = derive::scripts(&seen.dom, &url).collect::<Vec<_>>();
        let acts = evidence((seen.content.id().0, scripts));
        self.with_knowledge(|knowledge| knowledge.acts_otherwise(acts))
    }

    /// Takes note of what the scripts of a page are made of. Where no page of its type had the like, one step of
    /// each class is taken on it whatever is claimed of them: what a handler calls may be something else here.
    pub(crate) fn learn_scripts(&self, task: &Task, seen: &Seen) {
        if !self.aim().is_after_all() {
            return;
        }
        let scripts: Vec<_> = derive::script_vocabularies(&seen.dom).collect();
        self.with_knowledge(|known| {
            if known.has_other_scripts(&seen.page_type, &scripts) {
                known.check_all(&task.url);
            }
        });
    }

    /// Learns whether an address shows what a script showed under it.
    pub(crate) async fn learn_route(&self, task: &Task, seen: &Seen) -> Result<(), CrawlError> {
        if self.with_routes(|routes| routes.awaits(&task.url)) {
            let shown = Shown::of(&seen.dom);
            if let Some(page) = self.with_routes(|routes| routes.visited(&task.url, &shown)) {
                self.catalog.explore_again(&self.site, page).await?;
            }
        }
        Ok(())
    }

    /// Learns whether a redirect led to a page that is known already. To be asked before it is kept.
    pub(crate) async fn learn_redirect(
        &self,
        task: &Task,
        outcome: &VisitOutcome,
    ) -> Result<(), CrawlError> {
        let VisitOutcome::Redirect { to: Some(to), .. } = outcome else { return Ok(()) };
        match self.catalog.find(to).await? {
            Some(_) => self.turned(task, Turned::Redirect).await,
            None => self.turned(task, Turned::Pointer).await,
        }
    }

    /// Learns whether a page shows what is known under another address.
    pub(crate) async fn learn_copy(
        &self,
        task: &Task,
        shares: Option<PageNumber>,
        original: Option<String>,
    ) -> Result<(), CrawlError> {
        let other = match (shares, original) {
            (Some(page), _) => self.catalog.find(&page.to_string()).await?,
            (None, Some(url)) => self.catalog.find(&url).await?,
            (None, None) => None,
        };
        let shape_of = |url: &str| Url::parse(url).map(|url| shape(&url)).ok();
        let turned = match other {
            Some(other) if shape_of(&other.url) != shape_of(&task.url) => Turned::Copy,
            Some(_) => Turned::Sibling,
            None => Turned::Page,
        };
        self.turned(task, turned).await
    }

    async fn turned(&self, task: &Task, turned: Turned) -> Result<(), CrawlError> {
        let Ok(url) = Url::parse(&task.url) else { return Ok(()) };
        let shape = shape(&url);
        self.traps.turned(&shape, turned);
        Ok(())
    }

    /// Learns whether the plain response would have shown the same, and if it would, what the page can do.
    pub(crate) async fn compare_plain(
        &self,
        task: &Task,
        visit: &Visit,
        body: &[u8],
        seen: &mut Seen,
    ) -> Result<(), CrawlError> {
        let is_type = |name: &str| name.eq_ignore_ascii_case("content-type");
        let content_type = visit.headers.iter().find(|(name, _)| is_type(name));
        let content_type = content_type.map(|(_, value)| value.clone());
        let bytes = body.to_vec();
        let parse = move || page::tree::parse(&bytes, content_type.as_deref()).dom;
        let Some(dom) = self.pure.run(parse).await else { return Ok(()) };
        let mask = self.mask(&task.site, &task.url, &seen.page_type).await?;
        let Ok(url) = Url::parse(&task.url) else { return Ok(()) };
        let acts = Acts::of(&dom, &url);
        let is_spared = self.spared_by(&seen.page_type, &dom, &acts).is_some();
        self.page_types.met_acts(&seen.page_type, &acts);
        let plain = Content::of(&dom, &mask);
        let difference = (plain.id() != seen.content.id())
            .then_some("what scripts make of a page differs from the plain response");
        self.page_types.compared(&seen.page_type, difference);
        match difference {
            None => self.page_types.compared(&acts.name, None),
            Some(because) => self.page_types.did_something(&acts, BTreeSet::new(), because),
        }
        self.page_types.met(&url, &seen.page_type, &acts.name, is_spared);
        seen.acts = difference.is_none().then_some(acts);
        Ok(())
    }
}
