//! The forms of one page, without a crawl and without a store.

use browser::http::{AddressRule, Client, ClientOptions, Request};
use page::form::{Form, forms};
use page::tree::parse;
use url::Url;

use crate::error::CrawlError;
use crate::manners::robots::Robots;
use crate::settings::Settings;
use crate::visit::fetch::header;

/// A page and its forms.
#[derive(Clone, Debug)]
pub struct PageForms {
    /// Where the page is.
    pub url: Url,
    /// What it asks.
    pub forms: Vec<Form>,
}

/// Asks for the first start page of these settings, once, and reads its forms. Nothing is submitted.
///
/// # Errors
/// When the page cannot be had, or robots.txt does not admit it.
pub async fn look_at(settings: &Settings) -> Result<PageForms, CrawlError> {
    let url = settings.start.first().cloned();
    let url = url.ok_or_else(|| CrawlError::Start(String::new()))?;
    let rule = AddressRule::public_only().allow_url(&url);
    let client = Client::new(ClientOptions::new(settings.user_agent.clone(), rule))?;
    if !settings.ignore_robots {
        let robots = Robots::new(client.clone(), &settings.user_agent);
        let admitted = robots.rules(&url).await.admits(&url).map_err(|reason| reason.to_string());
        admitted.map_err(|reason| CrawlError::NoPage { url: url.to_string(), reason })?;
    }
    let failed = |reason: String| CrawlError::NoPage { url: url.to_string(), reason };
    let answer = client
        .fetch(&Request::get(url.clone()))
        .await
        .map_err(|error| failed(error.to_string()))?;
    if answer.status.as_u16() >= 300 {
        return Err(failed(format!("the server answered {}", answer.status)));
    }
    let dom = parse(&answer.body, header(&answer.headers, "content-type").as_deref()).dom;
    Ok(PageForms { forms: forms(&dom, &answer.url), url: answer.url })
}
