//! A worker: does one job after another, whichever site it is of, and has a tab as long as a job needs one.
//! Tabs are opened when they are first needed and replaced when they are lost.

use std::sync::Arc;

use browser::{Tab, TabError, TabOptions};
use store::{Task, TaskKind};
use tokio::sync::SemaphorePermit;

use super::TRIES;
use super::schedule::{Next, Schedule};
use crate::error::CrawlError;
use crate::explore::walk::{Walk, Walked};
use crate::manners::Unwelcome;
use crate::settings::Render;
use crate::site::SiteCrawl;

/// Does one task after another.
pub(crate) struct Worker {
    /// The site of the task in hand.
    pub(crate) crawl: Arc<SiteCrawl>,
    /// What is known of the document that is visited next, if it is walked.
    pub(crate) walk: Option<Walk>,
    /// How its states were found again, if all of them were looked for.
    pub(crate) walked: Option<Walked>,
    tab: Option<Tab>,
}

impl Worker {
    pub(crate) fn new(crawl: Arc<SiteCrawl>) -> Self {
        Self { crawl, walk: None, walked: None, tab: None }
    }

    pub(super) async fn work(mut self, schedule: Arc<Schedule>) -> Result<(), CrawlError> {
        loop {
            match schedule.next().await? {
                Next::Task(in_hand) => {
                    self.crawl = in_hand.site.clone();
                    self.perform(&in_hand.task).await?;
                }
                Next::Wait(wait) => schedule.wait(&self.crawl.meter, wait).await,
                Next::Nothing => break,
            }
        }
        self.close_tab().await;
        Ok(())
    }

    /// Does a task that was claimed.
    pub(crate) async fn perform(&mut self, task: &Task) -> Result<(), CrawlError> {
        self.crawl.meter.now_at(&task.url);
        if task.attempts > TRIES {
            let why = "whoever worked on it ended early each time";
            return self.crawl.put_back(task, 0, why).await;
        }
        let crawl = self.crawl.clone();
        let visiting = crawl.visiting.acquire().await.ok();
        if crawl.meter.stopped().is_some() {
            // The task is given back when the crawl ends.
            return Ok(());
        }
        match (task.kind, crawl.settings.render) {
            (TaskKind::Fetch, Render::Never) => crawl.visit_plainly(task, visiting).await?,
            (TaskKind::Fetch, Render::Always) => self.visit(task, visiting).await?,
            (TaskKind::Fetch, Render::Auto) => self.visit_as_learned(task, visiting).await?,
            (TaskKind::Submit, _) => crawl.submit_forms(task).await?,
            (TaskKind::Explore, _) => {
                self.explore(task, None).await?;
                self.put_tab_down(visiting);
            }
        }
        crawl.meter.task_done();
        Ok(())
    }

    /// Leaves the tab to whoever needs one next, and then the right to have one.
    pub(crate) fn put_tab_down(&mut self, visiting: Option<SemaphorePermit<'_>>) {
        self.crawl.idle_tabs().extend(self.tab.take());
        drop(visiting);
    }

    /// A tab to go somewhere with: the worker's own, or a new one if its clock ran too far ahead.
    pub(crate) async fn tab_to_navigate(&mut self) -> Result<&mut Tab, Trouble> {
        if self.is_worn()
            && let Some(tab) = self.tab.take()
        {
            tab.close().await;
        }
        self.tab().await
    }

    /// Whether the tab's clock ran so far ahead that dates on the next page would be wrong.
    pub(crate) fn is_worn(&self) -> bool {
        self.tab.as_ref().is_some_and(Tab::wants_replacing)
    }

    /// The worker's tab, wherever it is; one that is idle if it has none.
    pub(crate) async fn tab(&mut self) -> Result<&mut Tab, Trouble> {
        if self.tab.is_none() {
            self.tab = self.crawl.idle_tabs().pop();
        }
        if self.tab.is_none() {
            let browser = self.crawl.browser().await?;
            let options = TabOptions {
                gate: Some(self.crawl.gate.clone()),
                user_agent: Some(self.crawl.settings.user_agent.clone()),
                remotes: Some(self.crawl.proxy.remotes()),
                ..TabOptions::default()
            };
            self.tab = Some(browser.tab(options).await?);
        }
        self.tab.as_mut().ok_or(Trouble::Tab(TabError::Closed))
    }

    /// Closes the tab, and with it all that its browser keeps of earlier pages.
    pub(crate) async fn close_tab(&mut self) {
        if let Some(tab) = self.tab.take() {
            tab.close().await;
        }
    }

    /// Throws the tab away if the page has broken it.
    pub(crate) async fn after_trouble(&mut self, error: &TabError) {
        if !matches!(error, TabError::Navigation { .. } | TabError::Unfollowed { .. })
            && let Some(tab) = self.tab.take()
        {
            tab.close().await;
        }
    }
}

/// What stops a step: the page's own tab, which costs the step, or what the whole crawl needs.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Trouble {
    #[error(transparent)]
    Tab(#[from] TabError),
    #[error(transparent)]
    Crawl(#[from] CrawlError),
    /// The way to the state leads elsewhere now.
    #[error("{0}")]
    Strayed(String),
    /// The crawl was stopped while the step waited; nothing of it is kept.
    #[error("the crawl is being stopped")]
    Stopped,
}

impl From<Unwelcome> for Trouble {
    fn from(unwelcome: Unwelcome) -> Self {
        match unwelcome {
            Unwelcome::Refused(reason) => Self::Strayed(reason),
            Unwelcome::Stopped => Self::Stopped,
        }
    }
}

impl From<browser::OpenError> for Trouble {
    fn from(error: browser::OpenError) -> Self {
        match error {
            browser::OpenError::Launch(error) => Self::Crawl(error.into()),
            browser::OpenError::Tab(error) => Self::Tab(error),
        }
    }
}

impl From<store::StoreError> for Trouble {
    fn from(error: store::StoreError) -> Self {
        Self::Crawl(error.into())
    }
}
