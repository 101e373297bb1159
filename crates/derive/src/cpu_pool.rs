//! CpuPool work beside the async threads.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::{Duration, Instant};

use tokio::sync::Semaphore;

/// Runs pure work on threads that may block, one piece a core at a time.
pub struct CpuPool {
    permits: Arc<Semaphore>,
    spent_ns: Arc<AtomicU64>,
}

impl CpuPool {
    /// As many permits as the machine has cores.
    pub fn new() -> Self {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        Self { permits: Arc::new(Semaphore::new(cores)), spent_ns: Arc::default() }
    }

    /// The same permits, with a count of its own of what its work takes.
    pub fn beside(&self) -> Self {
        Self { permits: self.permits.clone(), spent_ns: Arc::default() }
    }

    /// The time that work took so far, of all cores together.
    pub fn spent(&self) -> Duration {
        Duration::from_nanos(self.spent_ns.load(Relaxed))
    }

    /// Runs `work`; `None` if it panicked, which costs the page and not the crawl.
    pub async fn run<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Option<T> {
        let permit = self.permits.clone().acquire_owned().await.ok()?;
        let spent_ns = self.spent_ns.clone();
        let done = tokio::task::spawn_blocking(move || {
            let begun = Instant::now();
            let value = work();
            spent_ns.fetch_add(begun.elapsed().as_nanos() as u64, Relaxed);
            drop(permit);
            value
        });
        done.await.ok()
    }
}

impl Default for CpuPool {
    fn default() -> Self {
        Self::new()
    }
}
