//! The machine: what the sites of a crawl share (browser, client, manners, limits), and the loop that
//! gives its workers tasks of one site after another.

pub(crate) mod response_cache;
mod schedule;
mod shift;
mod worker;

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use browser::http::{AddressRule, Client, ClientOptions};
use browser::proxy::{Proxy, ProxyOptions};
use browser::{Browser, LaunchOptions, Tab};
use derive::{CpuPool, Levels, Meter, Processing, read_records};
use page::state::url::{Site, normalise};
use regex::RegexSet;
use store::{CatalogWriter, Order, RunNumber};
use tokio::sync::{OnceCell, Semaphore};
use tracing::warn;
use url::Url;

use crate::error::CrawlError;
use crate::machine::response_cache::ResponseCache;
use crate::manners::Manners;
use crate::manners::gate::EventGate;
use crate::report::Report;
use crate::settings::{Render, Settings, Strategy};
use crate::site::SiteCrawl;
use crate::site::scope::Scope;

use schedule::Schedule;

pub use shift::Shift;
pub(crate) use worker::{Trouble, Worker};

/// How often the workers are looked at from outside.
const LOOK: Duration = Duration::from_millis(100);
/// How often what was learned is written down.
const SAVE: Duration = Duration::from_secs(1);
/// How long a step in hand may go on after the limit on time, and after an interrupt: a hostile page
/// may hold a tab much longer.
const GRACE: Duration = Duration::from_millis(500);
const INTERRUPT_GRACE: Duration = Duration::from_secs(5);
/// Visits of each tab that may be on their way into the store where none needs its tab: each waits for
/// others to share a commit with.
const VISITS_A_TAB: usize = 8;
/// Claims before a page is given up.
pub(crate) const TRIES: u32 = 3;

/// A crawl that is set up and can be run.
///
/// ```no_run
/// # async fn example() -> Result<(), Box<dyn std::error::Error>> {
/// use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
/// use crawl::{Crawl, Settings};
/// use store::CatalogWriter;
///
/// let catalog = Arc::new(CatalogWriter::open(std::path::Path::new("bathys-data"))?);
/// let settings = Settings::new(vec!["https://example.org/".parse()?]);
/// let report = Crawl::begin(settings, catalog).await?.run().await?;
/// println!("{} pages", report.pages);
/// # Ok(()) }
/// ```
pub struct Crawl {
    pub(crate) machine: Arc<Machine>,
    /// In the order in which the user named them.
    pub(crate) sites: Vec<Arc<SiteCrawl>>,
}

/// What all sites of a crawl share.
pub(crate) struct Machine {
    pub(crate) settings: Settings,
    pub(crate) catalog: Arc<CatalogWriter>,
    pub(crate) client: Client,
    pub(crate) scope: Scope,
    pub(crate) manners: Arc<Manners>,
    pub(crate) meter: Arc<Meter>,
    pub(crate) pure: CpuPool,
    /// The same, for cutting pages with their capture.
    pub(crate) cutting: CpuPool,
    pub(crate) levels: Levels,
    /// As many may do something at a time as there are tabs. Who visits without a tab lets others do so while
    /// the page is being kept.
    pub(crate) visiting: Semaphore,
    /// Tabs that nobody works in.
    idle: Mutex<Vec<Tab>>,
    pub(crate) responses: Arc<ResponseCache>,
    pub(crate) run: Option<RunNumber>,
    pub(crate) gate: Arc<EventGate>,
    proxy: Proxy,
    browser: OnceCell<Browser>,
}

impl Crawl {
    /// Sets a crawl up: what was left over is taken up again, the start is queued, and if nothing
    /// is left to do everything known is due for another visit.
    ///
    /// # Errors
    /// When a start URL or a pattern cannot be used, or the store fails.
    pub async fn begin(
        settings: Settings,
        catalog: Arc<CatalogWriter>,
    ) -> Result<Self, CrawlError> {
        Self::begin_or_go_on(settings, catalog, true).await
    }

    /// The same, where what was crawled to the end may not be due again.
    pub(crate) async fn begin_or_go_on(
        settings: Settings,
        catalog: Arc<CatalogWriter>,
        revisits: bool,
    ) -> Result<Self, CrawlError> {
        let sites = sites_of(&settings.start)?;
        // All that can be wrong with the settings comes before the first change of the store.
        let mut machine = Machine::open(settings, catalog).await?;
        let Machine { settings, catalog, meter, .. } = &machine;
        for site in &sites {
            catalog.lease_patiently(site).await?;
            let kept = derive::kept_method(catalog, site).await?;
            if let Some(kept) = kept.filter(|kept| *kept != settings.types) {
                let (site, asked) = (site.clone(), settings.types);
                return Err(CrawlError::OtherTypes { site, kept, asked });
            }
            if settings.ignore_traps {
                catalog.release_held(site, catalog.held(site).await?).await?;
            }
        }
        let (pages, events, requests) = take_up(catalog, &settings.start, &sites, revisits).await?;
        let run = catalog.begin_run(derive::PROGRAM, &settings.described).await?;
        meter.resume(pages, events, requests);
        machine.run = Some(run);
        let machine = Arc::new(machine);
        let mut crawls = Vec::with_capacity(sites.len());
        for site in sites {
            crawls.push(SiteCrawl::open(machine.clone(), site).await?);
        }
        Ok(Self { machine, sites: crawls })
    }

    /// The running totals, to look at and to interrupt.
    pub fn meter(&self) -> Arc<Meter> {
        self.machine.meter.clone()
    }

    /// Crawls until nothing is left, a limit is reached, or it is interrupted.
    ///
    /// # Errors
    /// When the store or the browser fails for good. What was done until then is kept.
    pub async fn run(self) -> Result<Report, CrawlError> {
        let Self { machine, sites } = self;
        let processing =
            Processing::begin(machine.catalog.clone(), machine.settings.blocks.clone());
        let schedule = Schedule::new(sites.clone());
        let mut workers = tokio::task::JoinSet::new();
        for (site, _) in sites.iter().cycle().zip(0..machine.workers()) {
            workers.spawn(Worker::new(site.clone()).work(schedule.clone()));
        }
        let mut failure = None;
        let mut saved = Instant::now();
        loop {
            if saved.elapsed() >= SAVE {
                saved = Instant::now();
                for site in &sites {
                    site.write_down().await?;
                }
            }
            let ended = match tokio::time::timeout(LOOK, workers.join_next()).await {
                Ok(None) => break,
                Ok(Some(ended)) => ended,
                Err(_) => {
                    if machine.meter.is_overdue(GRACE, INTERRUPT_GRACE) {
                        workers.abort_all();
                    }
                    continue;
                }
            };
            match ended {
                Ok(Ok(())) => {}
                Ok(Err(error)) => {
                    machine.meter.interrupt();
                    failure.get_or_insert(error);
                }
                Err(ended) if ended.is_cancelled() => {}
                Err(panic) => warn!("a worker ended early: {panic}"),
            }
        }
        for site in &sites {
            site.retype().await?;
            site.write_down().await?;
        }
        machine.close().await;
        let spent = machine.finish_processing(processing).await? + machine.cutting.spent();
        let names: Vec<String> = sites.iter().map(|site| site.site.clone()).collect();
        read_records(&machine.catalog, &names, &machine.meter).await?;
        for site in &names {
            machine.catalog.release(site).await?;
        }
        match failure {
            Some(error) => Err(error),
            None => {
                let traps = sites.iter().flat_map(|site| site.traps.ended()).collect();
                let known = (traps, &machine.settings.priors);
                let report = Report::of(&machine.catalog, &names, &machine.meter, known).await?;
                Ok(Report { processing_s: spent.as_secs_f64(), ..report })
            }
        }
    }
}

/// The sites that these addresses are of, each once.
fn sites_of(start: &[Url]) -> Result<Vec<String>, CrawlError> {
    let mut sites: Vec<String> = Vec::new();
    for url in start {
        let site = Site::of(url).ok_or_else(|| CrawlError::Start(url.to_string()))?;
        if !sites.iter().any(|known| known == site.as_str()) {
            sites.push(site.as_str().to_owned());
        }
    }
    Ok(sites)
}

/// Takes up what an earlier run left, queues the start, and if `revisits` makes everything known due for
/// another visit where nothing is left to do. Returns the pages, events and requests of earlier runs.
async fn take_up(
    catalog: &CatalogWriter,
    start: &[Url],
    sites: &[String],
    revisits: bool,
) -> Result<(u64, u64, u64), CrawlError> {
    for url in start {
        if let Some(site) = Site::of(url) {
            catalog.seed(site.as_str(), &[normalise(url.clone()).into()]).await?;
        }
    }
    let (mut pages, mut events, mut requests) = (0, 0, 0);
    for site in sites {
        let summary = catalog.summary(site).await?;
        if summary.waiting == 0 && revisits {
            catalog.revisit(site).await?;
        }
        let counter = |name: &str| summary.counters.get(name).map_or(0, |n| n.unsigned_abs());
        pages += summary.pages.get(&store::PageStatus::Captured).map_or(0, |n| n.unsigned_abs());
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

impl Machine {
    /// What a crawl needs besides the work itself. The store is not touched.
    pub(crate) async fn open(
        settings: Settings,
        catalog: Arc<CatalogWriter>,
    ) -> Result<Self, CrawlError> {
        let mut rule = AddressRule::public_only();
        for start in &settings.start {
            rule = rule.allow_url(start);
        }
        let client = Client::new(ClientOptions::new(settings.user_agent.clone(), rule.clone()))?;
        let scope =
            Scope::new(&settings.start, settings.scope, &settings.include, &settings.exclude)?;
        let meter = Arc::new(Meter::new(settings.limits.clone()));
        let manners = Arc::new(Manners::new(&settings, &client, meter.clone()));
        let responses =
            Arc::new(ResponseCache::new(settings.filters.request, settings.record_bytes));
        let gate = Arc::new(EventGate {
            allow_post: patterns(&settings.allow_post)?,
            scope: scope.clone(),
            manners: manners.clone(),
            responses: responses.clone(),
        });
        let proxy = Proxy::start(ProxyOptions::new(rule)).await.map_err(CrawlError::Proxy)?;
        let (pure, tabs) = (CpuPool::new(), settings.tabs.max(1));
        Ok(Self {
            responses,
            settings,
            catalog,
            client,
            scope,
            manners,
            meter,
            cutting: pure.beside(),
            pure,
            levels: Levels::default(),
            visiting: Semaphore::new(tabs),
            idle: Mutex::default(),
            run: None,
            gate,
            proxy,
            browser: OnceCell::new(),
        })
    }

    /// One a tab, or more where visits may need none, unless what comes next is told by the last one.
    fn workers(&self) -> usize {
        let tabs = self.settings.tabs.max(1);
        if self.claims_ahead() { tabs * VISITS_A_TAB } else { tabs }
    }

    /// Whether more tasks are claimed than can be done at the same time.
    fn claims_ahead(&self) -> bool {
        let render = self.settings.render;
        render == Render::Never || (render == Render::Auto && self.order() == Order::Nearest)
    }

    /// Tabs that nobody works in.
    fn idle_tabs(&self) -> MutexGuard<'_, Vec<Tab>> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until everything captured is cut into blocks, or until the user has had enough.
    /// Says what it took.
    pub(crate) async fn finish_processing(
        &self,
        mut processing: Processing,
    ) -> Result<Duration, CrawlError> {
        processing.expect_no_more();
        while !processing.is_done().await? {
            if self.meter.must_end() {
                processing.stop();
            }
        }
        Ok(processing.spent())
    }

    /// What comes next: what is wanted comes before everything else.
    pub(crate) fn order(&self) -> Order {
        match self.settings.strategy {
            _ if !self.settings.want.is_empty() => Order::Best,
            Strategy::BreadthFirst => Order::Nearest,
            Strategy::DepthFirst => Order::Deepest,
            Strategy::YieldFirst => Order::Best,
        }
    }

    /// Closes the tabs that nobody works in, and with them all that they keep of earlier pages.
    pub(crate) async fn close_idle_tabs(&self) {
        let idle = std::mem::take(&mut *self.idle_tabs());
        for tab in idle {
            tab.close().await;
        }
    }

    /// Ends the browser, and says whom it was kept from talking to.
    pub(crate) async fn close(&self) {
        self.close_idle_tabs().await;
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
