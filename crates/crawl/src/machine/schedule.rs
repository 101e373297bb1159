//! Which task comes next: one of each site in turn, so that no site waits for another to be done, and
//! only of hosts that may be asked now, so that nobody waits for a host with a tab in hand.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use std::time::{Duration, Instant};

use derive::{Meter, Wait};
use store::{Order, Task};
use tokio::sync::{Mutex, Notify};

use crate::error::CrawlError;
use crate::site::SiteCrawl;

/// How long a worker without work waits before it looks again: for tasks whose time has come.
const IDLE: Duration = Duration::from_millis(100);
/// Tasks that are claimed at once where each takes a millisecond: a claim is a commit.
const AHEAD: usize = 16;

/// The sites of a crawl, and whose turn it is.
pub(super) struct Schedule {
    sites: Vec<Arc<SiteCrawl>>,
    turn: AtomicUsize,
    /// Workers with a task in hand.
    busy: AtomicUsize,
    wake: Notify,
    /// What was claimed and not given out yet, by site and host. Held while a task is looked for.
    ahead: Mutex<HashMap<(usize, String), VecDeque<Task>>>,
}

/// What a worker is to do.
pub(super) enum Next {
    /// This task.
    Task(InHand),
    /// Nothing now: what waits for its time, or what others do, may bring more.
    Wait(Option<Wait>),
    /// Nothing any more.
    Nothing,
}

/// A task in the hands of a worker, until it is dropped.
pub(super) struct InHand {
    pub(super) site: Arc<SiteCrawl>,
    pub(super) task: Task,
    host: String,
    schedule: Arc<Schedule>,
}

impl Drop for InHand {
    fn drop(&mut self) {
        self.site.manners.pacer.keep_no_promise(&self.host);
        self.schedule.busy.fetch_sub(1, SeqCst);
        self.schedule.wake.notify_waiters();
    }
}

impl Schedule {
    pub(super) fn new(sites: Vec<Arc<SiteCrawl>>) -> Arc<Self> {
        let (turn, busy) = (AtomicUsize::new(0), AtomicUsize::new(0));
        Arc::new(Self { sites, turn, busy, wake: Notify::new(), ahead: Mutex::default() })
    }

    /// A task of the site whose turn it is, or of the next one that has any, unless the crawl is to end.
    pub(super) async fn next(self: &Arc<Self>) -> Result<Next, CrawlError> {
        let mut ahead = self.ahead.lock().await;
        // Asked with the lock held: whoever waited for it would claim what another gave up because of the stop.
        if self.sites.iter().any(|site| site.meter.stopped().is_some()) {
            return Ok(Next::Nothing);
        }
        let first = self.turn.fetch_add(1, SeqCst);
        let mut soonest: Option<Wait> = None;
        for nth in 0..self.sites.len() {
            let number = (first + nth) % self.sites.len();
            let Some(site) = self.sites.get(number) else { continue };
            let known = ahead.iter().filter(|((of, _), tasks)| *of == number && !tasks.is_empty());
            let mut hosts: Vec<String> = known.map(|((_, host), _)| host.clone()).collect();
            if hosts.is_empty() {
                hosts = site.catalog.waiting_hosts(&site.site).await?;
            }
            for host in hosts {
                if let Some((reason, until)) = site.manners.pacer.wait_for(&host) {
                    let until = Some(until.into_std());
                    if soonest.as_ref().is_none_or(|wait| until < wait.until) {
                        soonest = Some(Wait { host, reason, until });
                    }
                    continue;
                }
                let claimed = ahead.entry((number, host.clone())).or_default();
                if claimed.is_empty() {
                    claimed.extend(site.claim(&host).await?);
                }
                if let Some(task) = claimed.pop_front() {
                    site.manners.pacer.promise(&host);
                    self.busy.fetch_add(1, SeqCst);
                    let (site, schedule) = (site.clone(), self.clone());
                    return Ok(Next::Task(InHand { site, task, host, schedule }));
                }
                ahead.remove(&(number, host));
            }
        }
        if soonest.is_none() && self.busy.load(SeqCst) == 0 && self.is_over().await? {
            return Ok(Next::Nothing);
        }
        Ok(Next::Wait(soonest))
    }

    /// Whether nothing is left, asked when nobody works. What a worker held that ended early is put back, and
    /// what was deferred is reconsidered.
    async fn is_over(&self) -> Result<bool, CrawlError> {
        for site in &self.sites {
            let catalog = &site.catalog;
            if catalog.put_all_back(&site.site).await? > 0
                || !catalog.waiting_hosts(&site.site).await?.is_empty()
                || site.reconsider().await?
            {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Until somebody is done with something, a host may be asked, or a while has passed.
    pub(super) async fn wait(&self, meter: &Meter, wait: Option<Wait>) {
        let idle = Instant::now() + IDLE;
        let until = wait.as_ref().and_then(|wait| wait.until).map_or(idle, |until| until.min(idle));
        let waiter = meter.waits.waiter();
        if let Some(wait) = wait {
            waiter.waits_for(wait);
        }
        tokio::select! {
            _ = tokio::time::timeout_at(until.into(), self.wake.notified()) => {}
            () = meter.stopping() => {}
        }
    }
}

impl SiteCrawl {
    /// The next tasks that ask a host.
    async fn claim(&self, host: &str) -> Result<Vec<Task>, CrawlError> {
        let order = self.order();
        let claims_ahead = order == Order::Nearest && self.claims_ahead();
        let how_many = if claims_ahead { AHEAD } else { 1 };
        Ok(self.catalog.claim(&self.site, host, order, how_many).await?)
    }
}
