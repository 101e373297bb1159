//! A worker: one tab, opened when it is first needed and replaced when it is lost, that does one job
//! after another, whichever site it is of.

use std::sync::Arc;

use browser::{Tab, TabError, TabOptions};
use store::{Task, TaskKind};

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
        match (task.kind, self.crawl.settings.render) {
            (TaskKind::Fetch, Render::Never) => self.crawl.visit_plainly(task).await?,
            (TaskKind::Fetch, Render::Always) => self.visit(task).await?,
            (TaskKind::Fetch, Render::Auto) => self.visit_as_learned(task).await?,
            (TaskKind::Explore, _) => self.explore(task, None).await?,
        }
        self.crawl.meter.task_done();
        Ok(())
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

    /// The worker's tab, wherever it is.
    pub(crate) async fn tab(&mut self) -> Result<&mut Tab, Trouble> {
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
