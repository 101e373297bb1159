//! What we owe a site before every request: robots.txt is asked, and the host's turn is waited for.

pub(crate) mod gate;
pub mod politeness;
pub mod robots;

use browser::http::Client;
use url::Url;

use crate::manners::politeness::Pacer;
use crate::manners::robots::{Disallowed, Robots};
use crate::settings::Settings;

/// The manners of one crawl.
pub(crate) struct Manners {
    robots: Option<Robots>,
    pub(crate) pacer: Pacer,
}

impl Manners {
    pub(crate) fn new(settings: &Settings, client: &Client) -> Self {
        let robots =
            (!settings.ignore_robots).then(|| Robots::new(client.clone(), &settings.user_agent));
        Self { robots, pacer: Pacer::new(settings.delay) }
    }

    /// Whether robots.txt admits the URL.
    pub(crate) async fn admits(&self, url: &Url) -> Result<(), Disallowed> {
        match &self.robots {
            Some(robots) => robots.admits(url).await,
            None => Ok(()),
        }
    }

    /// Waits for the turn of the URL's host, if robots.txt admits the URL at all.
    pub(crate) async fn ask(&self, url: &Url) -> Result<(), Disallowed> {
        let mut crawl_delay = None;
        if let Some(robots) = &self.robots {
            let rules = robots.rules(url).await;
            rules.admits(url)?;
            crawl_delay = rules.crawl_delay();
        }
        self.pacer.turn(url, crawl_delay).await;
        Ok(())
    }
}
