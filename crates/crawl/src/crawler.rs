//! The loop: each worker owns a tab, claims the task nearest to the start, and does it.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use std::time::{Duration, Instant};

use browser::http::{AddressRule, Client, ClientOptions};
use browser::proxy::{Proxy, ProxyOptions};
use browser::{Browser, LaunchOptions, Tab, TabError, TabOptions};
use page::state::url::{Site, normalise};
use regex::RegexSet;
use store::{Catalog, Order, RunNumber, Task, TaskKind};
use tokio::sync::{Notify, OnceCell};
use tracing::warn;
use url::Url;

use crate::capture::Pure;
use crate::choose::Mind;
use crate::error::CrawlError;
use crate::gate::EventGate;
use crate::kinds::Kinds;
use crate::learn::Aim;
use crate::manners::{Manners, Unwelcome};
use crate::process::Processing;
use crate::reading::read_records;
use crate::record::Record;
use crate::report::{Meter, Report};
use crate::scope::Scope;
use crate::settings::{Render, Settings, Strategy};
use crate::trap::Traps;

/// How long a worker without work waits before it looks again: for tasks whose time has come.
const IDLE: Duration = Duration::from_millis(100);
/// How often the workers are looked at from outside.
const LOOK: Duration = Duration::from_millis(100);
/// How often what was learned is written down, and the leases on what is in hand are renewed.
const SAVE: Duration = Duration::from_secs(1);
/// How long a step in hand may go on after the limit on time, and after an interrupt: a hostile page
/// may hold a tab much longer.
const GRACE: Duration = Duration::from_millis(500);
const INTERRUPT_GRACE: Duration = Duration::from_secs(5);
/// Claims before a page is given up.
pub(crate) const TRIES: u32 = 3;

/// A crawl that is set up and can be run.
///
/// ```no_run
/// # async fn example() -> Result<(), Box<dyn std::error::Error>> {
/// use std::sync::Arc;
/// use crawl::{Crawl, Settings};
/// use store::{Access, Catalog};
///
/// let catalog = Arc::new(Catalog::open("bathys-data".as_ref(), Access::Crawl)?);
/// let settings = Settings::new(vec!["https://example.org/".parse()?]);
/// let report = Crawl::begin(settings, catalog).await?.run().await?;
/// println!("{} pages", report.pages);
/// # Ok(()) }
/// ```
pub struct Crawl {
    pub(crate) context: Arc<Context>,
}

/// What all workers of a crawl share.
pub(crate) struct Context {
    pub(crate) settings: Settings,
    pub(crate) catalog: Arc<Catalog>,
    pub(crate) client: Client,
    pub(crate) scope: Scope,
    pub(crate) manners: Arc<Manners>,
    pub(crate) meter: Arc<Meter>,
    pub(crate) pure: Pure,
    pub(crate) owner: String,
    pub(crate) mind: Mind,
    pub(crate) kinds: Kinds,
    pub(crate) traps: Traps,
    pub(crate) record: Arc<Record>,
    pub(crate) sites: Vec<String>,
    pub(crate) run: Option<RunNumber>,
    pub(crate) gate: Arc<EventGate>,
    proxy: Proxy,
    browser: OnceCell<Browser>,
    busy: AtomicUsize,
    wake: Notify,
}

/// A task's owner: one tab, opened when it is first needed and replaced when it is lost.
pub(crate) struct Worker {
    pub(crate) context: Arc<Context>,
    tab: Option<Tab>,
}

impl Crawl {
    /// Sets a crawl up: what was left over is taken up again, the start is queued, and if nothing
    /// is left to do everything known is due for another visit.
    ///
    /// # Errors
    /// When a start URL or a pattern cannot be used, or the store fails.
    pub async fn begin(settings: Settings, catalog: Arc<Catalog>) -> Result<Self, CrawlError> {
        // All that can be wrong with the settings comes before the first change of the store.
        let mut context = Context::open(settings, catalog).await?;
        let Context { settings, catalog, sites, meter, .. } = &context;
        if settings.ignore_traps {
            for site in sites {
                catalog.release_held(site).await?;
            }
        }
        let (pages, events, requests) = take_up(catalog, &settings.start, sites).await?;
        let run = catalog.begin_run(crate::PROGRAM, &settings.described).await?;
        meter.resume(pages, events, requests);
        context.run = Some(run);
        context.recollect().await?;
        Ok(Self { context: Arc::new(context) })
    }

    /// The running totals, to look at and to interrupt.
    pub fn meter(&self) -> Arc<Meter> {
        self.context.meter.clone()
    }

    /// Crawls until nothing is left, a limit is reached, or it is interrupted.
    ///
    /// # Errors
    /// When the store or the browser fails for good. What was done until then is kept.
    pub async fn run(self) -> Result<Report, CrawlError> {
        let context = self.context;
        let processing =
            Processing::begin(context.catalog.clone(), context.settings.process.clone());
        let mut workers = tokio::task::JoinSet::new();
        for _ in 0..context.settings.tabs.max(1) {
            workers.spawn(Worker::new(context.clone()).work());
        }
        let mut failure = None;
        let mut saved = Instant::now();
        loop {
            if saved.elapsed() >= SAVE {
                saved = Instant::now();
                context.write_down().await?;
                context.catalog.renew(&context.owner).await?;
            }
            let ended = match tokio::time::timeout(LOOK, workers.join_next()).await {
                Ok(None) => break,
                Ok(Some(ended)) => ended,
                Err(_) => {
                    if context.meter.is_overdue(GRACE, INTERRUPT_GRACE) {
                        workers.abort_all();
                    }
                    continue;
                }
            };
            match ended {
                Ok(Ok(())) => {}
                Ok(Err(error)) => {
                    context.meter.interrupt();
                    failure.get_or_insert(error);
                }
                Err(ended) if ended.is_cancelled() => {}
                Err(panic) => warn!("a worker ended early: {panic}"),
            }
        }
        context.retype().await?;
        context.write_down().await?;
        context.close().await;
        let spent = context.finish_processing(processing).await?;
        read_records(&context.catalog, &context.meter).await?;
        // The next run finds nothing held by this one.
        context.catalog.release_leases().await?;
        match failure {
            Some(error) => Err(error),
            None => {
                let Context { catalog, sites, meter, traps, .. } = &*context;
                let report = Report::of(catalog, sites, meter, traps.ended()).await?;
                Ok(Report { processing_s: spent.as_secs_f64(), ..report })
            }
        }
    }
}

/// Takes up what an earlier run left, queues the start, and makes everything known due for another
/// visit if nothing is left to do. Returns the pages, events and requests of earlier runs.
async fn take_up(
    catalog: &Catalog,
    start: &[Url],
    sites: &[String],
) -> Result<(u64, u64, u64), CrawlError> {
    catalog.release_leases().await?;
    catalog.release_uncut().await?;
    for url in start {
        if let Some(site) = Site::of(url) {
            catalog.seed(site.as_str(), &[normalise(url.clone()).into()]).await?;
        }
    }
    let (mut pages, mut events, mut requests) = (0, 0, 0);
    for site in sites {
        let summary = catalog.summary(site).await?;
        if summary.waiting == 0 {
            catalog.revisit(site).await?;
        }
        let counter = |name: &str| summary.counters.get(name).map_or(0, |n| n.unsigned_abs());
        pages += summary.pages.get("captured").map_or(0, |n| n.unsigned_abs());
        events += counter("events_fired");
        requests += counter("requests");
    }
    Ok((pages, events, requests))
}

fn patterns(sources: &[String]) -> Result<RegexSet, CrawlError> {
    RegexSet::new(sources).map_err(|error| CrawlError::Pattern {
        pattern: sources.join(" "),
        reason: error.to_string(),
    })
}

impl Context {
    /// What a crawl needs besides the work itself. The store is not touched.
    pub(crate) async fn open(
        settings: Settings,
        catalog: Arc<Catalog>,
    ) -> Result<Self, CrawlError> {
        let mut rule = AddressRule::public_only();
        let mut sites: Vec<String> = Vec::new();
        for start in &settings.start {
            rule = rule.allow_url(start);
            let site = Site::of(start).ok_or_else(|| CrawlError::Start(start.to_string()))?;
            if !sites.iter().any(|known| known == site.as_str()) {
                sites.push(site.as_str().to_owned());
            }
        }
        let client = Client::new(ClientOptions::new(settings.user_agent.clone(), rule.clone()))?;
        let scope =
            Scope::new(&settings.start, settings.scope, &settings.include, &settings.exclude)?;
        let meter = Arc::new(Meter::new(settings.limits.clone()));
        let manners = Arc::new(Manners::new(&settings, &client, meter.clone()));
        let record = Arc::new(Record::new(settings.filters.request, settings.record_bytes));
        let gate = Arc::new(EventGate {
            allow_post: patterns(&settings.allow_post)?,
            scope: scope.clone(),
            manners: manners.clone(),
            record: record.clone(),
        });
        let proxy = Proxy::start(ProxyOptions::new(rule)).await.map_err(CrawlError::Proxy)?;
        let aim = Aim {
            patterns: settings.filters.pattern,
            instructions: settings.filters.instruction,
            explores: settings.model.is_none(),
            ..Aim::default()
        };
        Ok(Self {
            mind: Mind::new(aim),
            kinds: Kinds::default(),
            traps: Traps::new(!settings.ignore_traps),
            record,
            settings,
            catalog,
            client,
            scope,
            manners,
            meter,
            pure: Pure::new(),
            owner: format!("process {}", std::process::id()),
            sites,
            run: None,
            gate,
            proxy,
            browser: OnceCell::new(),
            busy: AtomicUsize::new(0),
            wake: Notify::new(),
        })
    }

    /// Waits until everything captured is cut into blocks, or until the user has had enough.
    /// Says what it took.
    async fn finish_processing(&self, mut processing: Processing) -> Result<Duration, CrawlError> {
        processing.expect_no_more();
        while !processing.is_done().await? {
            if self.meter.must_end() {
                processing.stop();
            }
        }
        Ok(processing.spent())
    }

    /// What comes next: what is wanted comes before everything else.
    fn order(&self) -> Order {
        match self.settings.strategy {
            _ if !self.settings.want.is_empty() => Order::Best,
            Strategy::BreadthFirst => Order::Nearest,
            Strategy::DepthFirst => Order::Deepest,
            Strategy::YieldFirst => Order::Best,
        }
    }

    /// Ends the browser, and says whom it was kept from talking to.
    pub(crate) async fn close(&self) {
        if let Some(browser) = self.browser.get() {
            browser.close().await;
        }
        for refused in self.proxy.refused() {
            warn!("refused to connect: {} ({} times)", refused.reason, refused.times);
        }
    }

    async fn browser(&self) -> Result<&Browser, CrawlError> {
        let launch = || async {
            let options =
                LaunchOptions { proxy: Some(self.proxy.addr()), ..LaunchOptions::default() };
            Browser::launch(options).await
        };
        Ok(self.browser.get_or_try_init(launch).await?)
    }
}

impl Worker {
    pub(crate) fn new(context: Arc<Context>) -> Self {
        Self { context, tab: None }
    }

    async fn work(mut self) -> Result<(), CrawlError> {
        let context = self.context.clone();
        while context.meter.stopped().is_none() {
            context.busy.fetch_add(1, SeqCst);
            let claimed =
                context.catalog.claim(&context.owner, &context.sites, context.order()).await;
            let done = match claimed {
                Ok(Some(task)) => self.perform(&task).await.map(|()| true),
                Ok(None) => Ok(false),
                Err(error) => Err(error.into()),
            };
            let others = context.busy.fetch_sub(1, SeqCst) - 1;
            context.wake.notify_waiters();
            if !done? {
                // What waits for its time keeps the crawl alive; what others do may bring more.
                if others == 0 && context.catalog.waiting().await? == 0 {
                    break;
                }
                let _ = tokio::time::timeout(IDLE, context.wake.notified()).await;
            }
        }
        self.close().await;
        Ok(())
    }

    async fn perform(&mut self, task: &Task) -> Result<(), CrawlError> {
        self.context.meter.now_at(&task.url);
        match (task.kind, self.context.settings.render) {
            (TaskKind::Fetch, Render::Never) => self.context.visit_plainly(task).await?,
            (TaskKind::Fetch, Render::Always) => self.visit(task).await?,
            (TaskKind::Fetch, Render::Auto) => self.visit_as_learned(task).await?,
            (TaskKind::Explore, _) => self.explore(task, None).await?,
        }
        self.context.meter.task_done();
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
            let browser = self.context.browser().await?;
            let options = TabOptions {
                gate: Some(self.context.gate.clone()),
                user_agent: Some(self.context.settings.user_agent.clone()),
                remotes: Some(self.context.proxy.remotes()),
                ..TabOptions::default()
            };
            self.tab = Some(browser.tab(options).await?);
        }
        self.tab.as_mut().ok_or(Trouble::Tab(TabError::Closed))
    }

    /// Closes the tab.
    pub(crate) async fn close(mut self) {
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
