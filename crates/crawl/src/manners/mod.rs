//! What we owe a site before every request: robots.txt is asked, and the host's turn is waited for.

pub(crate) mod gate;
pub mod politeness;
pub mod robots;

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use browser::http::Client;
use url::{Position, Url};

use crate::manners::politeness::Pacer;
use crate::manners::robots::Robots;
use crate::settings::Settings;
use derive::Meter;
use derive::{Wait, WaitReason};

/// The manners of one crawl.
pub(crate) struct Manners {
    robots: Option<Robots>,
    pub(crate) pacer: Pacer,
    meter: Arc<Meter>,
}

/// Why a URL is not asked for.
#[derive(Debug)]
pub(crate) enum Unwelcome {
    /// It may not be, for this reason.
    Refused(String),
    /// The crawl is being stopped: it says nothing about the URL.
    Stopped,
}

/// What a request is failed with that was still waiting when the crawl was stopped.
pub(crate) const STOPPED: &str = "the crawl is being stopped";

impl fmt::Display for Unwelcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Refused(reason) => reason,
            Self::Stopped => STOPPED,
        })
    }
}

impl Manners {
    pub(crate) fn new(settings: &Settings, client: &Client, meter: Arc<Meter>) -> Self {
        let robots =
            (!settings.ignore_robots).then(|| Robots::new(client.clone(), &settings.user_agent));
        Self { robots, pacer: Pacer::new(settings.delay), meter }
    }

    /// Whether robots.txt admits the URL. If it does, the pause that it asks for.
    pub(crate) async fn admits(&self, url: &Url) -> Result<Option<Duration>, Unwelcome> {
        let Some(robots) = &self.robots else { return Ok(None) };
        let rules = match robots.known(url) {
            Some(rules) => rules,
            None => {
                let waiter = self.meter.waits.waiter();
                waiter.waits_for(Wait { host: host(url), reason: WaitReason::Robots, until: None });
                self.unless_stopped(robots.rules(url)).await?
            }
        };
        rules.admits(url).map_err(|disallowed| Unwelcome::Refused(disallowed.to_string()))?;
        Ok(rules.crawl_delay())
    }

    /// Waits for the turn of the URL's host, if robots.txt admits the URL at all.
    pub(crate) async fn ask(&self, url: &Url) -> Result<(), Unwelcome> {
        let crawl_delay = self.admits(url).await?;
        let waiter = self.meter.waits.waiter();
        let tell = |reason, until: Option<tokio::time::Instant>| {
            let until = until.map(tokio::time::Instant::into_std);
            waiter.waits_for(Wait { host: host(url), reason, until });
        };
        self.unless_stopped(self.pacer.turn_telling(url, crawl_delay, tell)).await
    }

    /// Waits for something as long as the crawl goes on.
    async fn unless_stopped<T>(&self, wait: impl Future<Output = T>) -> Result<T, Unwelcome> {
        tokio::select! {
            biased;
            done = wait => Ok(done),
            () = self.meter.stopping() => Err(Unwelcome::Stopped),
        }
    }
}

/// Host and port, as turns are kept by.
pub(crate) fn host(url: &Url) -> String {
    url[Position::BeforeHost..Position::AfterPort].to_owned()
}
