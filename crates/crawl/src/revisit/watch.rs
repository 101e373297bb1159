//! Revisiting documents one after another, each when its own history says that it is likely to have
//! changed, within a budget.
//!
//! A visit is that of a crawl, with its manners, its gate and its way of rendering; only what comes next is
//! decided here. What an earlier visit was answered is forgotten before each.

use std::collections::HashSet;
use std::sync::Arc;
use std::time::{Duration, Instant};

use derive::{Meter, Processing, SealSettings, Stopped, read_records, seal};
use store::{CatalogWriter, HistoriesOf, Millis, PageHistory, PageNumber};
use url::Url;

use super::documents::{Documents, Turn, WatchedDocument};
use super::outcome::{WatchOutcome, WatchVisit, missing, outcome};
use super::plan::Bounds;
use super::rate::VISITS;
use crate::error::CrawlError;
use crate::explore::walk::Walk;
use crate::machine::{Crawl, Machine, Worker};
use crate::settings::{Forms, Settings};
use crate::site::SiteCrawl;

/// The longest sleep: a machine that was suspended finds out what is due.
const NAP: Duration = Duration::from_secs(60);
/// How long a document waits after a visit that came to nothing.
const AFTER_FAILURE_MS: i64 = 60_000;
/// What a visit is taken to cost before any was made, in requests.
const FIRST_COST: f64 = 2.0;
/// The weight of the latest visit in the mean cost.
const LATEST: f64 = 0.1;
/// What may be saved up of a day's budget: an hour's.
const SAVED: f64 = 1.0 / 24.0;
const DAY_S: f64 = 86_400.0;
/// Versions after which old ones are moved to the cold tier while nothing is due: a few groups.
const SEALED_TOGETHER: u64 = 256;

/// What a watch can be told, besides what a crawl can.
#[derive(Clone, Copy, Debug)]
pub struct WatchSettings {
    /// Requests a day; as many as it takes if `None`.
    pub budget: Option<f64>,
    /// How soon and how late a page is visited again.
    pub bounds: Bounds,
    /// Whether to end when everything that is due was visited once.
    pub once: bool,
}

/// What a watch tells while it goes on.
#[derive(Clone, Debug)]
pub enum WatchNews {
    /// A page was visited.
    Visited(Box<WatchVisit>),
    /// Nothing is due.
    Waiting {
        /// Until then.
        until: Millis,
        /// For this document.
        url: String,
        /// How many documents there are.
        documents: usize,
    },
}

/// What a watch did.
#[derive(Clone, Copy, Debug, Default)]
pub struct WatchReport {
    /// Documents that were visited.
    pub visits: u64,
    /// Events that were fired.
    pub events: u64,
    /// Those of them that were fired in documents with states that only events reach.
    pub walk_events: u64,
    /// Requests that were sent.
    pub requests: u64,
    /// Why it ended, if it would have gone on.
    pub stopped: Option<Stopped>,
}

/// A watch that is set up and can be run.
pub struct Watch {
    machine: Arc<Machine>,
    sites: Vec<Arc<SiteCrawl>>,
    told: WatchSettings,
    documents: Documents,
    allowance: Option<Allowance>,
    cost: f64,
    walk_events: u64,
    /// Versions since old ones were moved to the cold tier.
    unsealed: u64,
}

impl Watch {
    /// Sets a watch up of the sites that these settings begin at.
    ///
    /// # Errors
    /// When a start URL or a pattern cannot be used, or the store fails.
    pub async fn begin(
        settings: Settings,
        told: WatchSettings,
        catalog: Arc<CatalogWriter>,
    ) -> Result<Self, CrawlError> {
        // What a form gave is revisited as pages; a crawl asks the form again.
        let settings = Settings { forms: Forms::Off, ..settings };
        let Crawl { machine, sites } = Crawl::begin_or_go_on(settings, catalog, false).await?;
        // Limits hold for this run alone: a watch goes on for years.
        machine.meter.resume(0, 0, 0);
        let mut watch = Self {
            allowance: told.budget.map(Allowance::new),
            documents: Documents::new(told.bounds, told.once.then(Millis::now)),
            cost: FIRST_COST,
            walk_events: 0,
            unsealed: SEALED_TOGETHER,
            machine,
            sites,
            told,
        };
        for site in 0..watch.sites.len() {
            watch.load(site, HistoriesOf::Site).await?;
            watch.load_waiting(site).await?;
        }
        Ok(watch)
    }

    /// The running totals, to look at and to interrupt.
    pub fn meter(&self) -> Arc<Meter> {
        self.machine.meter.clone()
    }

    /// Visits what is due until it is interrupted or a limit is reached, and tells what is found.
    ///
    /// # Errors
    /// When the store or the browser fails for good, or `tell` does. What was done until then is kept.
    pub async fn run<E: From<CrawlError>>(
        mut self,
        mut tell: impl FnMut(WatchNews) -> Result<(), E>,
    ) -> Result<WatchReport, E> {
        let mut report = WatchReport::default();
        let Some(first) = self.sites.first().cloned() else { return Ok(report) };
        let mut worker = Worker::new(first);
        let ended = self.work(&mut worker, &mut report, &mut tell).await;
        report.stopped = self.machine.meter.stopped();
        worker.close_tab().await;
        self.close().await?;
        report.events = self.machine.meter.look(0).events;
        report.walk_events = self.walk_events;
        report.requests = self.machine.meter.sent();
        ended.map(|()| report)
    }

    async fn work<E: From<CrawlError>>(
        &mut self,
        worker: &mut Worker,
        report: &mut WatchReport,
        tell: &mut impl FnMut(WatchNews) -> Result<(), E>,
    ) -> Result<(), E> {
        let meter = self.machine.meter.clone();
        let mut told_of = String::new();
        while meter.stopped().is_none() {
            let visits_a_day = self.told.budget.map_or(f64::INFINITY, |budget| budget / self.cost);
            self.documents.refresh(visits_a_day);
            let now = Millis::now();
            let (mut until, url) = match self.documents.turn(now, |url| self.may_ask(url)) {
                Turn::Visit(site, page) => {
                    match self.allowance.as_mut().and_then(Allowance::wait) {
                        None => {
                            report.visits += 1;
                            told_of.clear();
                            for visit in self.visit(worker, site, page).await? {
                                tell(WatchNews::Visited(Box::new(visit)))?;
                            }
                            continue;
                        }
                        Some(wait) => {
                            let ms = i64::try_from(wait.as_millis()).unwrap_or(i64::MAX);
                            let url = self.documents.get(site, page).map(|it| it.url.clone());
                            (now.plus(ms.saturating_add(1)), url.unwrap_or_default())
                        }
                    }
                }
                Turn::Wait(until, _) if self.told.once && until > now => break,
                Turn::Nothing => break,
                Turn::Wait(until, url) => (until, url),
            };
            if until <= now {
                // It is due, but its host may not be asked yet.
                until = now.plus(100);
            } else if told_of != url {
                told_of.clone_from(&url);
                let documents = self.documents.len();
                tell(WatchNews::Waiting { until, url, documents })?;
                self.seal_until(until).await?;
            }
            let wait = Duration::from_millis(until.0.saturating_sub(now.0).unsigned_abs()).min(NAP);
            tokio::select! {
                () = tokio::time::sleep(wait) => {}
                () = meter.stopping() => {}
            }
        }
        Ok(())
    }

    /// Moves old versions to the cold tier as long as nothing else is to be done. A group that was begun is
    /// finished; what is left waits for the next pause.
    async fn seal_until(&mut self, until: Millis) -> Result<(), CrawlError> {
        if self.unsealed < SEALED_TOGETHER {
            return Ok(());
        }
        let (catalog, meter) = (&self.machine.catalog, &self.machine.meter);
        let is_free = || Millis::now() < until && meter.stopped().is_none();
        for site in &self.sites {
            seal(catalog, &site.site, SealSettings::default(), |_, _| is_free()).await?;
        }
        if is_free() {
            self.unsealed = 0;
            catalog.sweep().await?;
        }
        Ok(())
    }

    /// Whether a host is waiting to be asked again: it may have asked for a pause of an hour.
    fn may_ask(&self, url: &str) -> bool {
        let host = Url::parse(url).ok().map(|url| crate::manners::host(&url));
        host.is_some_and(|host| self.machine.manners.pacer.wait_for(&host).is_none())
    }

    /// Visits a document and the states of it, and says what was found.
    async fn visit(
        &mut self,
        worker: &mut Worker,
        number: usize,
        page: PageNumber,
    ) -> Result<Vec<WatchVisit>, CrawlError> {
        let machine = self.machine.clone();
        let (Some(site), Some(document)) =
            (self.sites.get(number).cloned(), self.documents.get(number, page))
        else {
            return Ok(Vec::new());
        };
        let (catalog, url) = (&machine.catalog, document.url.clone());
        let (sent, fired) = (machine.meter.sent(), machine.meter.look(0).events);
        // Neither our record of answers nor the browser's cache may answer for the site.
        machine.responses.forget();
        worker.close_tab().await;
        machine.close_idle_tabs().await;
        worker.crawl = site.clone();
        (worker.walk, worker.walked) = (self.plan_walk(&site, &url).await?, None);
        let began = Millis::now();
        let Some(task) = catalog.revisit_page(&site.site, page).await? else {
            self.documents.put_off(number, page, began.plus(AFTER_FAILURE_MS));
            return Ok(Vec::new());
        };
        worker.perform(&task).await?;
        let walked = worker.walked.take();
        site.write_down().await?;
        machine
            .finish_processing(Processing::begin(catalog.clone(), machine.settings.blocks.clone()))
            .await?;
        let is_stopped = machine.meter.stopped().is_some();
        let mut pages = self.histories(&site, HistoriesOf::Document(url.clone())).await?;
        let found = pages.iter().find(|it| it.page == page);
        let found = found.and_then(|it| outcome(it, began, &HashSet::new()));
        let is_gone = found.is_some_and(|(outcome, _)| outcome == WatchOutcome::Gone);
        if (walked.is_some() || is_gone) && !is_stopped {
            let missing = missing(&pages, began);
            catalog.not_found_again(&site.site, missing, Millis::now()).await?;
            pages = self.histories(&site, HistoriesOf::Document(url)).await?;
        }
        let requests = machine.meter.sent().saturating_sub(sent);
        self.spend(requests);
        if pages.iter().any(|page| page.is_state) {
            self.walk_events += machine.meter.look(0).events.saturating_sub(fired);
        }
        let moved = walked.map(|walked| walked.moved).unwrap_or_default();
        for document in WatchedDocument::all(pages.clone()) {
            self.documents.put(number, document);
        }
        if found.is_none() && !is_stopped {
            self.documents.put_off(number, page, Millis::now().plus(AFTER_FAILURE_MS));
        }
        self.load_waiting(number).await?;
        if self.documents.get(number, page).is_some_and(|document| document.is_waiting) {
            // What could not be finished may not be finished soon either.
            let ms = i64::try_from(self.told.bounds.min.as_millis()).unwrap_or(i64::MAX);
            let until = Millis::now().plus(ms.max(AFTER_FAILURE_MS));
            self.documents.put_off(number, page, until);
        }
        self.tell(&site, number, page, &pages, (began, &moved)).await
    }

    /// What is known of the states of a document, if something is.
    async fn plan_walk(&self, site: &SiteCrawl, url: &str) -> Result<Option<Walk>, CrawlError> {
        let known = site.catalog.document(&site.site, url).await?;
        let pages = self.histories(site, HistoriesOf::Document(url.to_owned())).await?;
        let states = pages.iter().filter(|page| page.is_state);
        let all: HashSet<PageNumber> = states.clone().map(|page| page.page).collect();
        let was_there =
            |page: &&PageHistory| page.visits.last().is_some_and(|visit| visit.version.is_some());
        let expected = states.filter(was_there).map(|page| page.page).collect();
        Ok(Walk::plan(&known.edges, all, expected))
    }

    async fn tell(
        &mut self,
        site: &SiteCrawl,
        number: usize,
        document: PageNumber,
        pages: &[PageHistory],
        (began, moved): (Millis, &HashSet<PageNumber>),
    ) -> Result<Vec<WatchVisit>, CrawlError> {
        let Some((next, rate)) = self.documents.next_visit(number, document) else {
            return Ok(Vec::new());
        };
        let (mut told, mut made) = (Vec::new(), 0);
        for page in pages {
            let Some((outcome, visit)) = outcome(page, began, moved) else { continue };
            let row = site.catalog.find(&page.page.to_string()).await?;
            if matches!(outcome, WatchOutcome::New | WatchOutcome::Changed) {
                made += 1;
            }
            told.push(WatchVisit {
                page: page.page,
                key: row.map_or_else(|| page.url.clone(), |row| row.key),
                url: page.url.clone(),
                time: visit.time,
                status: visit.status,
                outcome,
                version: visit.version,
                next,
                rate,
            });
        }
        self.unsealed += made;
        Ok(told)
    }

    /// Adds what is known of documents.
    async fn load(&mut self, number: usize, of: HistoriesOf) -> Result<(), CrawlError> {
        let Some(site) = self.sites.get(number).cloned() else { return Ok(()) };
        let pages = self.histories(&site, of).await?;
        for document in WatchedDocument::all(pages) {
            let is_in_scope =
                Url::parse(&document.url).is_ok_and(|url| site.scope.admits(&url).is_ok());
            if is_in_scope {
                self.documents.put(number, document);
            }
        }
        Ok(())
    }

    /// Adds pages that were found and never visited, and notes what was begun and not finished.
    async fn load_waiting(&mut self, number: usize) -> Result<(), CrawlError> {
        let Some(site) = self.sites.get(number).cloned() else { return Ok(()) };
        let waiting = self.histories(&site, HistoriesOf::Waiting).await?;
        let urls: HashSet<String> = waiting.iter().map(|page| page.url.clone()).collect();
        for url in urls {
            let known = |page: &&PageHistory| !page.is_state && page.url == url;
            match waiting.iter().find(known).map(|page| page.page) {
                Some(page) if self.documents.get(number, page).is_some() => {
                    self.documents.is_waiting(number, page);
                }
                _ => {
                    self.load(number, HistoriesOf::Document(url.clone())).await?;
                    self.documents.all_waiting(number, &url);
                }
            }
        }
        Ok(())
    }

    async fn histories(
        &self,
        site: &SiteCrawl,
        of: HistoriesOf,
    ) -> Result<Vec<PageHistory>, CrawlError> {
        Ok(site.catalog.histories(&site.site, of, VISITS + 1).await?)
    }

    /// Takes what a visit cost from the budget.
    fn spend(&mut self, requests: u64) {
        let requests = requests as f64;
        self.cost += LATEST * (requests.max(1.0) - self.cost);
        if let Some(allowance) = &mut self.allowance {
            allowance.spend(requests);
        }
    }

    /// Ends what was begun, as a crawl does.
    async fn close(&self) -> Result<(), CrawlError> {
        let machine = &self.machine;
        for site in &self.sites {
            site.retype().await?;
            site.write_down().await?;
        }
        machine.close().await;
        let names: Vec<String> = self.sites.iter().map(|site| site.site.clone()).collect();
        read_records(&machine.catalog, &names, &machine.meter).await?;
        for site in &names {
            machine.catalog.release(site).await?;
        }
        Ok(())
    }
}

/// The requests that may be sent now, of so many a day.
struct Allowance {
    a_second: f64,
    most: f64,
    left: f64,
    at: Instant,
}

impl Allowance {
    fn new(a_day: f64) -> Self {
        let most = (a_day * SAVED).max(1.0);
        Self { a_second: a_day / DAY_S, most, left: most, at: Instant::now() }
    }

    /// How long the next request has to wait, if it has to.
    fn wait(&mut self) -> Option<Duration> {
        let now = Instant::now();
        self.left += self.a_second * now.duration_since(self.at).as_secs_f64();
        (self.left, self.at) = (self.left.min(self.most), now);
        let lacking = 1.0 - self.left;
        (lacking > 0.0).then(|| {
            let seconds = lacking / self.a_second;
            Duration::try_from_secs_f64(seconds).unwrap_or(Duration::MAX)
        })
    }

    /// Takes requests off. A visit may take more than is left: the next one waits for that.
    fn spend(&mut self, requests: f64) {
        self.left -= requests;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_budget_lets_an_hour_of_it_through_and_then_makes_visits_wait() {
        let mut allowance = Allowance::new(240.0);
        assert_eq!(allowance.wait(), None);
        allowance.spend(10.0);
        let wait = allowance.wait().expect("it is spent");
        assert!((350..=360).contains(&wait.as_secs()), "{wait:?}");
        assert!(Allowance::new(0.0).wait().is_none());
    }
}
