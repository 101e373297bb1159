//! The crawl of one site: what was learned of it, what is wanted of it, and which of its links are
//! worth following.

pub(crate) mod beliefs;
pub(crate) mod documents;
pub(crate) mod memory;
pub(crate) mod model;
pub mod scope;
pub(crate) mod train;
pub(crate) mod types;

use std::ops::Deref;
use std::sync::{Arc, Mutex, PoisonError};

use derive::{PageTypes, recall_wrappers};
use store::LinkFound;
use url::Url;

use crate::error::CrawlError;
use crate::explore::route::Routes;
use crate::forms::{SiteForms, forms_of};
use crate::learn::trap::Traps;
use crate::learn::{Aim, Class, Judgement, Knowledge};
use crate::machine::Machine;
use crate::manners::Unwelcome;
use crate::site::documents::OpenDocuments;
use crate::visit::outage::Outages;

/// The crawl of one site. What is learned of a site is learned here, and kept under its name.
pub(crate) struct SiteCrawl {
    pub(crate) machine: Arc<Machine>,
    pub(crate) site: String,
    pub(crate) page_types: Arc<PageTypes>,
    pub(crate) traps: Traps,
    pub(crate) outages: Outages,
    /// Whether nothing was learned of its records when this run began.
    pub(crate) is_unlearned: bool,
    /// The forms that were met.
    pub(crate) forms: SiteForms,
    knowledge: Mutex<Knowledge>,
    aim: Mutex<Arc<Aim>>,
    routes: Mutex<Routes>,
    open_documents: OpenDocuments,
    /// Held while what was learned is written down.
    writing: tokio::sync::Mutex<()>,
}

/// A site's crawl has all that the machine has.
impl Deref for SiteCrawl {
    type Target = Machine;

    fn deref(&self) -> &Machine {
        &self.machine
    }
}

impl SiteCrawl {
    /// Goes on with what earlier runs learned of a site, and with what the user's model says.
    pub(crate) async fn open(machine: Arc<Machine>, site: String) -> Result<Arc<Self>, CrawlError> {
        let settings = &machine.settings;
        let aim = Aim {
            patterns: settings.filters.pattern,
            instructions: settings.filters.instruction,
            takes_all: !settings.defers(),
            explores: settings.model.is_none(),
            ..Aim::default()
        };
        let traps = Traps::new(!settings.ignore_traps);
        let traps = if settings.defers() { traps } else { traps.visiting_aliases() };
        let crawl = Self {
            page_types: Arc::new(PageTypes::new(settings.types)),
            traps,
            outages: Outages::default(),
            is_unlearned: recall_wrappers(&machine.catalog, &site).await?.is_none(),
            forms: SiteForms::new(forms_of(&machine.catalog, &site).await?),
            knowledge: Mutex::default(),
            aim: Mutex::new(Arc::new(aim)),
            routes: Mutex::default(),
            open_documents: OpenDocuments::default(),
            writing: tokio::sync::Mutex::default(),
            machine,
            site,
        };
        crawl.recollect().await?;
        crawl.queue_known_forms().await?;
        Ok(Arc::new(crawl))
    }

    /// What the crawl is after.
    pub(crate) fn aim(&self) -> Arc<Aim> {
        self.aim.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// What the crawl is after in a state: everything, in a sample that it is trained on.
    pub(crate) fn aim_at(&self, depth: u32) -> Arc<Aim> {
        let aim = self.aim();
        match aim.trains && depth == 0 {
            true => Arc::new(Aim { patterns: false, ..(*aim).clone() }),
            false => aim,
        }
    }

    /// From now on the crawl is here to learn from its start alone.
    pub(crate) fn train(&self) {
        let mut aim = self.aim.lock().unwrap_or_else(PoisonError::into_inner);
        Arc::make_mut(&mut aim).trains = true;
    }

    /// A page type turned out to be what the user wants.
    pub(crate) fn want(&self, page_type: &str) {
        let mut aim = self.aim.lock().unwrap_or_else(PoisonError::into_inner);
        if !aim.wanted.contains(page_type) {
            Arc::make_mut(&mut aim).wanted.insert(page_type.to_owned());
            drop(aim);
            self.with_knowledge(Knowledge::aim_changed);
        }
    }

    /// Looks up or adds to what was learned. Short work only: every worker waits for it.
    pub(crate) fn with_knowledge<T>(&self, work: impl FnOnce(&mut Knowledge) -> T) -> T {
        work(&mut self.knowledge.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Looks up or adds to what is known of routes. Short work only, too.
    pub(crate) fn with_routes<T>(&self, work: impl FnOnce(&mut Routes) -> T) -> T {
        work(&mut self.routes.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// The links of a page of this type that are worth following, each with its class and rank, and
    /// those that are refused with the reason.
    pub(crate) async fn choose(
        &self,
        page_type: &Arc<str>,
        links: Vec<LinkFound>,
    ) -> Vec<LinkFound> {
        let aim = self.aim();
        let is_chosen = |link: &mut LinkFound| {
            let class = Class::of_link(page_type, &link.xpath, &link.text);
            self.with_knowledge(|knowledge| {
                if let Judgement::Skip(_) = knowledge.judge(&class, "", "", &aim) {
                    return false;
                }
                link.rank = knowledge.rank(&class, &aim);
                knowledge.fired(&class, &link.xpath, true, false);
                link.class = Some(class.to_string());
                true
            })
        };
        let mut chosen = Vec::with_capacity(links.len());
        for mut link in links {
            if link.refused_because.is_none() {
                let Ok(url) = Url::parse(&link.url) else { continue };
                if !is_chosen(&mut link) {
                    continue;
                }
                // What robots.txt disallows is kept as a refused edge and makes no page.
                if let Err(Unwelcome::Refused(reason)) = self.manners.admits(&url).await {
                    link.refused_because = Some(reason);
                }
            }
            chosen.push(link);
        }
        chosen
    }
}
