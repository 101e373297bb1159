//! Forms: which there are, which may be submitted, and the database behind those that may.
//!
//! After seed 002, and beyond it: the paper chooses addresses that a search engine may index, we want the
//! rows. The default query and its pager come first; see `coverage`.

mod analyse;
mod answer;
mod ask;
mod coverage;
mod known;
mod look;
mod pager;
mod role;
mod rows;
mod template;

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use page::form::{Form, FormRefusal, Input, forms, judge};
use store::Task;
use url::Url;

pub use analyse::{Analysis, analyse};
pub use known::{Estimate, KnownForm, KnownInput, Outcome, TestedTemplate, forms_of};
pub use look::{PageForms, look_at};

use crate::error::CrawlError;
use crate::manners::Unwelcome;
use crate::settings::Forms;
use crate::site::SiteCrawl;
use ask::SiteAsker;
use coverage::{Coverage, Plan};

/// Forms of a site that are told apart.
const MOST_FORMS: usize = 2_000;
/// Requests that all forms of a site may cost.
const SITE_BUDGET: usize = 2_000;

/// The forms of a site, by name.
#[derive(Default)]
pub(crate) struct SiteForms(Mutex<HashMap<String, KnownForm>>);

impl SiteForms {
    pub fn new(known: Vec<KnownForm>) -> Self {
        Self(Mutex::new(known.into_iter().map(|form| (form.form.clone(), form)).collect()))
    }

    fn all(&self) -> MutexGuard<'_, HashMap<String, KnownForm>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Whether a form with this against it is submitted all the same: if the user gave the word for searches that
/// are sent by POST.
pub(crate) fn permits(refusal: &FormRefusal, post: bool) -> bool {
    post && *refusal == FormRefusal::PostNeedsPermit
}

fn known_input(input: &Input) -> KnownInput {
    KnownInput {
        name: input.name.clone(),
        label: input.label.clone(),
        kind: input.kind.name().to_owned(),
        role: None,
        values: input.options.iter().take(200).map(|option| option.value.clone()).collect(),
    }
}

impl SiteCrawl {
    /// Takes note of the forms of a page that was captured. Those that were never met and may be submitted are
    /// work.
    pub(crate) async fn note_forms(
        &self,
        task: &Task,
        url: &Url,
        found: Vec<Form>,
    ) -> Result<(), CrawlError> {
        let mut new: Vec<(KnownForm, Option<Url>)> = Vec::new();
        for form in found {
            let Some(id) = form.id().map(|id| id.to_string()) else { continue };
            {
                let mut all = self.forms.all();
                if all.contains_key(&id) || all.len() >= MOST_FORMS {
                    continue;
                }
                // Whoever comes next knows it already.
                all.insert(id.clone(), KnownForm::default());
            }
            let refusals = judge(&form, url);
            let needs_permit = refusals == [FormRefusal::PostNeedsPermit];
            let post = self.settings.allow_post_search;
            let against = refusals.iter().filter(|refusal| !permits(refusal, post));
            let known = KnownForm {
                form: id,
                page: task.page.0,
                url: url.to_string(),
                xpath: form.xpath.clone(),
                method: form.method.name().to_owned(),
                action: form.action.as_ref().map(Url::to_string).unwrap_or_default(),
                inputs: form.inputs.iter().map(known_input).collect(),
                refused_because: against.map(ToString::to_string).collect(),
                needs_permit,
                done: false,
                round: 0,
                outcome: None,
            };
            new.push((known, form.action.clone()));
        }
        if new.is_empty() {
            return Ok(());
        }
        let mut is_due = false;
        for (known, action) in &mut new {
            if let Some(action) = action.as_ref().filter(|_| known.refused_because.is_empty()) {
                let refused = match self.scope.admits(action) {
                    Err(reason) => Some(reason.to_string()),
                    Ok(()) => match self.manners.admits(action).await {
                        Err(Unwelcome::Refused(reason)) => Some(reason),
                        _ => None,
                    },
                };
                known.refused_because.extend(refused);
            }
            is_due |= known.refused_because.is_empty();
            self.forms.all().insert(known.form.clone(), known.clone());
        }
        let rows: Vec<KnownForm> = new.into_iter().map(|(known, _)| known).collect();
        known::keep(&self.catalog, &self.site, &rows).await?;
        let submits = self.settings.forms == Forms::On && self.may_go_deeper(task.depth);
        if is_due && submits {
            self.catalog.queue_submissions(&self.site, task.page, task.depth).await?;
        }
        Ok(())
    }

    /// When the present round of visits began.
    async fn round(&self) -> Result<i64, CrawlError> {
        let summary = self.catalog.summary(&self.site).await?;
        Ok(summary.counters.get("round").copied().unwrap_or(0))
    }

    /// Makes the forms work that an earlier run met and that are not done in this round, or may be submitted only
    /// now.
    pub(crate) async fn queue_known_forms(&self) -> Result<(), CrawlError> {
        if self.settings.forms == Forms::Off {
            return Ok(());
        }
        let round = self.round().await?;
        let mut due = Vec::new();
        for known in self.forms.all().values_mut() {
            if known.needs_permit && self.settings.allow_post_search {
                known.refused_because.clear();
            }
            known.done &= known.round == round;
            if !known.done && known.refused_because.is_empty() {
                due.push(known.page_number());
            }
        }
        due.sort_unstable();
        due.dedup();
        for page in due {
            self.catalog.queue_submissions(&self.site, page, 0).await?;
        }
        Ok(())
    }

    /// Submits the forms of a page that are not done.
    pub(crate) async fn submit_forms(self: &Arc<Self>, task: &Task) -> Result<(), CrawlError> {
        let (Some(dom), Ok(url)) = (self.kept_tree(task.page).await?, Url::parse(&task.url)) else {
            self.catalog.submitted(&self.site, task.page).await?;
            return Ok(());
        };
        let all = self.pure.run(move || (forms(&dom, &url), url)).await;
        let (all, url) = all.ok_or(CrawlError::Lost("forms could not be read"))?;
        let round = self.round().await?;
        for form in all {
            let Some(id) = form.id().map(|id| id.to_string()) else { continue };
            let known = self.forms.all().get(&id).cloned();
            let Some(mut known) = known.filter(|it| !it.done && it.page == task.page.0) else {
                continue;
            };
            // Once more: the page may show another form of that name by now.
            let against = judge(&form, &url);
            let is_refused = !against.iter().all(|it| permits(it, self.settings.allow_post_search));
            if is_refused || !known.refused_because.is_empty() {
                continue;
            }
            let spent: usize = self
                .forms
                .all()
                .values()
                .filter_map(|it| Some(it.outcome.as_ref()?.requests))
                .sum();
            let budget = self.settings.form_requests.min(SITE_BUDGET.saturating_sub(spent));
            let plan = Plan { budget, pages: self.settings.pagers };
            let mut asker = SiteAsker::new(self.clone(), task, url.clone(), &form, round);
            let (outcome, is_done) = Coverage::new(&form, &mut asker, plan).run().await?;
            for input in &mut known.inputs {
                input.role = outcome.roles.get(&input.name).cloned();
            }
            tracing::info!(
                "form {id}: {} records in {} requests: {}",
                outcome.records,
                outcome.requests,
                outcome.ended
            );
            known.done = is_done;
            known.round = round;
            known.outcome = Some(outcome);
            self.forms.all().insert(id, known.clone());
            known::keep(&self.catalog, &self.site, &[known]).await?;
            if !is_done {
                // The task is given back when the crawl ends.
                return Ok(());
            }
        }
        self.catalog.submitted(&self.site, task.page).await?;
        Ok(())
    }
}
