//! Which task comes next: one of each site in turn, so that no site waits for another to be done.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use std::time::Duration;

use store::Task;
use tokio::sync::Notify;

use crate::error::CrawlError;
use crate::site::SiteCrawl;

/// How long a worker without work waits before it looks again: for tasks whose time has come.
const IDLE: Duration = Duration::from_millis(100);

/// The sites of a crawl, and whose turn it is.
pub(super) struct Schedule {
    sites: Vec<Arc<SiteCrawl>>,
    turn: AtomicUsize,
    /// Workers with a task in hand.
    busy: AtomicUsize,
    wake: Notify,
}

/// What a worker is to do.
pub(super) enum Next {
    /// This task of this site.
    Task(Arc<SiteCrawl>, Box<Task>),
    /// Nothing now: what waits for its time, or what others do, may bring more.
    Wait,
    /// Nothing any more.
    Nothing,
}

impl Schedule {
    pub(super) fn new(sites: Vec<Arc<SiteCrawl>>) -> Self {
        let (turn, busy) = (AtomicUsize::new(0), AtomicUsize::new(0));
        Self { sites, turn, busy, wake: Notify::new() }
    }

    /// A task of the site whose turn it is, or of the next one that has any.
    pub(super) async fn next(&self) -> Result<Next, CrawlError> {
        self.busy.fetch_add(1, SeqCst);
        let first = self.turn.fetch_add(1, SeqCst);
        for nth in 0..self.sites.len() {
            let Some(site) = self.sites.get((first + nth) % self.sites.len()) else { continue };
            let order = site.machine.order();
            let of = std::slice::from_ref(&site.site);
            let claimed = site.machine.catalog.claim(&site.machine.owner, of, order).await;
            match claimed {
                Ok(Some(task)) => return Ok(Next::Task(site.clone(), Box::new(task))),
                Ok(None) => {}
                Err(error) => {
                    self.done();
                    return Err(error.into());
                }
            }
        }
        let others = self.busy.fetch_sub(1, SeqCst) - 1;
        let Some(site) = self.sites.first() else { return Ok(Next::Nothing) };
        let is_over = others == 0 && site.machine.catalog.waiting().await? == 0;
        Ok(if is_over { Next::Nothing } else { Next::Wait })
    }

    /// A worker is done with its task.
    pub(super) fn done(&self) {
        self.busy.fetch_sub(1, SeqCst);
        self.wake.notify_waiters();
    }

    /// Until somebody is done with something, or a while has passed.
    pub(super) async fn wait(&self) {
        let _ = tokio::time::timeout(IDLE, self.wake.notified()).await;
    }
}
