//! A site that goes on: what it shows follows its clock, a day at a time. Each day is an edition of its own,
//! generated when somebody asks for it.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use axum::Router;
use axum::extract::Request;
use axum::response::Response;
use hyper::service::Service;
use hyper_util::service::TowerToHyperService;
use jiff::Timestamp;

use crate::{Options, Site, Truth, Visit};

/// Days that a site can tell about: each is kept once it was asked for.
const MOST_DAYS: u32 = 60;

/// How a site of given options is generated.
type Generate = fn(&Options) -> Arc<dyn Site>;

/// A site with an edition for each day since the clock that it was generated with.
pub(crate) struct Living {
    generate: Generate,
    options: Options,
    begun: Timestamp,
    first: Arc<dyn Site>,
    editions: Mutex<BTreeMap<u32, Router>>,
}

impl Living {
    pub(crate) fn new(options: &Options, generate: Generate) -> Arc<Self> {
        Arc::new(Self {
            first: generate(options),
            begun: options.clock.now(),
            options: options.clone(),
            generate,
            editions: Mutex::default(),
        })
    }

    fn edition(&self, now: Timestamp) -> Router {
        let hours = now.duration_since(self.begun).as_hours().max(0);
        let days = u32::try_from(hours / 24).unwrap_or(MOST_DAYS).min(MOST_DAYS);
        let mut editions = self.editions.lock().unwrap_or_else(PoisonError::into_inner);
        let of_day = || match days {
            0 => self.first.clone().router(),
            _ => {
                let age = self.options.age.saturating_add(days);
                (self.generate)(&Options { age, ..self.options.clone() }).router()
            }
        };
        editions.entry(days).or_insert_with(of_day).clone()
    }
}

impl Site for Living {
    fn truth(&self) -> Truth {
        self.first.truth()
    }

    fn entry(&self) -> String {
        self.first.entry()
    }

    fn robots(&self) -> String {
        self.first.robots()
    }

    fn router(self: Arc<Self>) -> Router {
        Router::new().fallback(async move |visit: Visit, request: Request| -> Response {
            let edition = TowerToHyperService::new(self.edition(visit.now()));
            match edition.call(request).await {
                Ok(response) => response,
                Err(never) => match never {},
            }
        })
    }
}
