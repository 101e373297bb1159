//! A form tried without a store: what its inputs do, which templates are informative, what would be indexed.

use std::sync::Arc;

use browser::http::{AddressRule, Client, ClientOptions, HeaderValue, Request};
use derive::{Limits, Meter};
use page::form::{Assignment, Form, FormMethod, forms, judge};
use page::tree::parse;
use url::Url;

use super::ask::with_tokens;
use super::coverage::{Asker, Coverage, Plan, Reply, ReplyPage};
use super::known::Outcome;
use super::look::look_at;
use super::pager::NextPage;
use super::permits;
use crate::error::CrawlError;
use crate::manners::{Manners, Unwelcome};
use crate::settings::Settings;
use crate::visit::fetch::header;

/// What trying a form gave.
#[derive(Clone, Debug)]
pub struct Analysis {
    /// The form.
    pub form: Form,
    /// Where it stands.
    pub url: Url,
    /// Why it is not submitted, if it is not.
    pub refused_because: Vec<String>,
    /// What came of it.
    pub outcome: Option<Outcome>,
    /// The addresses that its informative templates give.
    pub index: Vec<String>,
}

/// Tries the forms of the first start page that may be submitted: rows, roles of inputs, templates. Keeps
/// nothing.
///
/// # Errors
/// When the page cannot be had.
pub async fn analyse(settings: &Settings) -> Result<Vec<Analysis>, CrawlError> {
    let page = look_at(settings).await?;
    let rule = AddressRule::public_only().allow_url(&page.url);
    let client = Client::new(ClientOptions::new(settings.user_agent.clone(), rule))?;
    let manners = Manners::new(settings, &client, Arc::new(Meter::new(Limits::default())));
    let mut all = Vec::new();
    for form in page.forms {
        let against = judge(&form, &page.url);
        let against = against.iter().filter(|it| !permits(it, settings.allow_post_search));
        let refused_because: Vec<String> = against.map(ToString::to_string).collect();
        let (mut outcome, mut index) = (None, Vec::new());
        if refused_because.is_empty() {
            let mut asker = ClientAsker {
                client: &client,
                manners: &manners,
                form: &form,
                url: page.url.clone(),
            };
            let plan = Plan { budget: settings.form_requests, pages: settings.pagers };
            let (found, urls) = Coverage::new(&form, &mut asker, plan).analyse().await?;
            (outcome, index) = (Some(found), urls);
        }
        all.push(Analysis { url: page.url.clone(), form, refused_because, outcome, index });
    }
    Ok(all)
}

/// Asks without keeping anything.
struct ClientAsker<'a> {
    client: &'a Client,
    manners: &'a Manners,
    form: &'a Form,
    url: Url,
}

impl ClientAsker<'_> {
    async fn send(&self, request: Request) -> Result<Reply, CrawlError> {
        match self.manners.ask(&request.url).await {
            Ok(()) => {}
            Err(Unwelcome::Refused(reason)) => return Ok(Reply::Nothing(reason)),
            Err(Unwelcome::Stopped) => return Ok(Reply::Stopped),
        }
        let answer = match self.client.fetch(&request).await {
            Ok(answer) => answer,
            Err(error) => return Ok(Reply::Nothing(error.to_string())),
        };
        self.manners.pacer.heard(&answer.url, answer.status, &answer.headers);
        if answer.status.is_redirection() {
            return Ok(Reply::Nothing(format!("the server answered {}", answer.status)));
        }
        let dom = parse(&answer.body, header(&answer.headers, "content-type").as_deref()).dom;
        let (url, status) = (answer.url, answer.status.as_u16());
        Ok(Reply::Page(Box::new(ReplyPage { dom, url, status, was_sent: true })))
    }

    async fn post(&self, url: Url, body: String) -> Result<Reply, CrawlError> {
        let kind = HeaderValue::from_static("application/x-www-form-urlencoded");
        self.send(Request::post(url, kind, body)).await
    }
}

impl Asker for ClientAsker<'_> {
    async fn ask(&mut self, bound: &Assignment, _: bool) -> Result<Reply, CrawlError> {
        let mut form = self.form.clone();
        if form.method == FormMethod::Post {
            let Reply::Page(page) = self.send(Request::get(self.url.clone())).await? else {
                return Ok(Reply::Nothing("the page of the form was not to be had".to_owned()));
            };
            let renewed = forms(&page.dom, &page.url).into_iter().find(|it| it.id() == form.id());
            form = renewed.map_or(form, |later| with_tokens(self.form, &later));
        }
        match form.submission(bound) {
            Some(sent) => match sent.body {
                Some(body) => self.post(sent.url, body).await,
                None => self.send(Request::get(sent.url)).await,
            },
            None => Ok(Reply::Nothing("the form is sent to no address".to_owned())),
        }
    }

    async fn follow(
        &mut self,
        next: &NextPage,
        _: &Assignment,
        _: usize,
    ) -> Result<Reply, CrawlError> {
        match next {
            NextPage::Link(url) => self.send(Request::get(url.clone())).await,
            NextPage::Button(_, sent) => match sent.body.clone() {
                Some(body) => self.post(sent.url.clone(), body).await,
                None => self.send(Request::get(sent.url.clone())).await,
            },
        }
    }
}
