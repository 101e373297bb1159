//! Which links and events are worth following, by what was learned and what is wanted.

pub(crate) mod memory;
pub(crate) mod model;
pub mod scope;
pub(crate) mod train;
pub(crate) mod types;

use std::sync::{Arc, Mutex, PoisonError};

use page::state::url::shape;
use store::LinkFound;
use url::Url;

use crate::machine::Context;
use crate::learn::{Aim, Class, Judgement, Knowledge};
use crate::explore::route::Routes;

/// What the workers of a crawl have learned, and what they are after.
#[derive(Default)]
pub(crate) struct Mind {
    knowledge: Mutex<Knowledge>,
    aim: Mutex<Arc<Aim>>,
    routes: Mutex<Routes>,
}

impl Mind {
    pub(crate) fn new(aim: Aim) -> Self {
        Self { aim: Mutex::new(Arc::new(aim)), ..Self::default() }
    }
}

impl Context {
    /// What the crawl is after.
    pub(crate) fn aim(&self) -> Arc<Aim> {
        self.mind.aim.lock().unwrap_or_else(PoisonError::into_inner).clone()
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
        let mut aim = self.mind.aim.lock().unwrap_or_else(PoisonError::into_inner);
        Arc::make_mut(&mut aim).trains = true;
    }

    /// A page type turned out to be what the user wants.
    pub(crate) fn want(&self, page_type: &str) {
        let mut aim = self.mind.aim.lock().unwrap_or_else(PoisonError::into_inner);
        if !aim.wanted.contains(page_type) {
            Arc::make_mut(&mut aim).wanted.insert(page_type.to_owned());
            drop(aim);
            self.with_knowledge(Knowledge::aim_changed);
        }
    }

    /// Looks up or adds to what was learned. Short work only: every worker waits for it.
    pub(crate) fn with_knowledge<T>(&self, work: impl FnOnce(&mut Knowledge) -> T) -> T {
        work(&mut self.mind.knowledge.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Looks up or adds to what is known of routes. Short work only, too.
    pub(crate) fn with_routes<T>(&self, work: impl FnOnce(&mut Routes) -> T) -> T {
        work(&mut self.mind.routes.lock().unwrap_or_else(PoisonError::into_inner))
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
            if link.refused_because.is_some() {
                return true;
            }
            let shape = Url::parse(&link.url).map(|url| shape(&url)).unwrap_or_default();
            if self.traps.is_ended(&shape) {
                return false;
            }
            let class = Class::of_link(page_type, &link.xpath, &link.text);
            self.with_knowledge(|knowledge| {
                if knowledge.judge(&class, &aim) != Judgement::Fire {
                    return false;
                }
                link.rank = knowledge.rank(&class, &aim);
                knowledge.fired(&class, &link.xpath, true, false);
                link.class = Some(class.to_string());
                true
            })
        };
        let mut chosen = links;
        chosen.retain_mut(is_chosen);
        self.welcome(chosen).await
    }
}
