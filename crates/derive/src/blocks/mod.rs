//! Cutting what was captured into blocks, beside the capturing (seed 003 §2.5 and §3.1: the page
//! cache, the thread controller, the page processor and the version manager).
//!
//! The queue is in the store: a capture and its place in the queue are one commit, so nothing that was
//! captured stays uncut for good, whatever ends the program. Pages are processed side by side, the
//! versions of one page in order.

mod cut;
mod levels;
mod lineup;
mod meta;
mod version;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::time::Duration;

use store::{CatalogWriter, PageNumber, Uncut, Which};
use tokio::task::JoinSet;
use tracing::warn;

use crate::CpuPool;
use crate::DeriveError;
use crate::trees::{ParsedVersion, Trees};

pub use cut::{Captured, CutSettings, first_cut};
pub use levels::Levels;
pub use version::{parts_of, tree_of};

use cut::{Done, Job, cut};
use lineup::Lineup;

/// How long a processor without work waits before it asks again.
const IDLE: Duration = Duration::from_millis(100);

/// Memory for trees between the capture and the cut, and between the cut and the reading of records. What
/// does not fit is parsed again.
const ROOM_TO_CUT: usize = 64 << 20;
const ROOM_TO_READ: usize = 128 << 20;

/// Claims before a version is left uncut: it ends the program, or panics.
const TRIES: u32 = 3;

/// What processes captures, on all cores.
///
/// ```no_run
/// # async fn example(catalog: std::sync::Arc<store::CatalogWriter>) -> Result<(), derive::DeriveError> {
/// let mut processing = derive::Processing::begin(catalog, derive::CutSettings::default());
/// // ... capture ...
/// processing.expect_no_more();
/// while !processing.is_done().await? {}
/// # Ok(()) }
/// ```
pub struct Processing {
    shared: Arc<Shared>,
    processors: JoinSet<Result<(), DeriveError>>,
}

struct Shared {
    catalog: Arc<CatalogWriter>,
    told: CutSettings,
    pure: CpuPool,
    levels: Levels,
    /// Trees that wait to be cut.
    to_cut: Trees,
    /// Trees that were cut, for whoever reads records from them.
    to_read: Option<Arc<Trees>>,
    done: AtomicU64,
    /// Nothing more will come: end when the queue is empty.
    is_last: AtomicBool,
    /// End after what is in hand.
    is_stopped: AtomicBool,
}

impl Processing {
    /// Begins to process what waits, and goes on with what comes.
    pub fn begin(catalog: Arc<CatalogWriter>, told: CutSettings) -> Self {
        Self::with_trees(catalog, told, None)
    }

    /// The same, and gives the trees that were handed over on to whoever reads records.
    pub(crate) fn begin_for_reading(
        catalog: Arc<CatalogWriter>,
        told: CutSettings,
    ) -> (Self, Arc<Trees>) {
        let to_read = Arc::new(Trees::new(ROOM_TO_READ));
        (Self::with_trees(catalog, told, Some(to_read.clone())), to_read)
    }

    fn with_trees(
        catalog: Arc<CatalogWriter>,
        told: CutSettings,
        to_read: Option<Arc<Trees>>,
    ) -> Self {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let shared = Arc::new(Shared {
            catalog,
            told,
            pure: CpuPool::new(),
            levels: Levels::default(),
            to_cut: Trees::new(ROOM_TO_CUT),
            to_read,
            done: AtomicU64::new(0),
            is_last: AtomicBool::new(false),
            is_stopped: AtomicBool::new(false),
        });
        let mut processors = JoinSet::new();
        for _ in 0..cores {
            processors.spawn(shared.clone().work());
        }
        Self { shared, processors }
    }

    /// Versions processed so far.
    pub fn done(&self) -> u64 {
        self.shared.done.load(Relaxed)
    }

    /// Gives a tree along with a version that waits, so that it need not be read again. Only what there
    /// is room for is held; the rest is read from the store.
    pub(crate) fn hand_over(&self, page: PageNumber, version: i64, parsed: ParsedVersion) {
        self.shared.to_cut.put((page, version), parsed);
    }

    /// The time that taking pages apart, cutting and comparing them took so far, of all cores
    /// together: what the store does is not in it.
    pub fn spent(&self) -> Duration {
        self.shared.pure.spent()
    }

    /// Says that nothing more will be captured: what waits is processed, and then it is done.
    pub fn expect_no_more(&self) {
        self.shared.is_last.store(true, Relaxed);
    }

    /// Asks for an end after what is in hand. The rest waits in the store for the next run.
    pub fn stop(&self) {
        self.shared.is_stopped.store(true, Relaxed);
    }

    /// Waits a moment for the end; says whether it has come.
    ///
    /// # Errors
    /// When the store fails.
    pub async fn is_done(&mut self) -> Result<bool, DeriveError> {
        match tokio::time::timeout(IDLE, self.processors.join_next()).await {
            Err(_) => Ok(false),
            Ok(None) => Ok(true),
            Ok(Some(ended)) => {
                ended.map_err(|_| DeriveError::Lost("a page could not be cut into blocks"))??;
                Ok(false)
            }
        }
    }
}

impl Shared {
    async fn work(self: Arc<Self>) -> Result<(), DeriveError> {
        while !self.is_stopped.load(Relaxed) {
            // Asked before the claim: what is queued after it is seen by the next one.
            let is_last = self.is_last.load(Relaxed);
            match self.catalog.claim_uncut().await? {
                Some(uncut) => self.process(uncut).await?,
                None if is_last => break,
                None => tokio::time::sleep(IDLE).await,
            }
        }
        Ok(())
    }

    /// Cuts the versions of a page that wait, each against the one before it.
    async fn process(&self, mut uncut: Uncut) -> Result<(), DeriveError> {
        let mut lineup = None;
        while !self.is_stopped.load(Relaxed) {
            if lineup.is_none() {
                lineup = Lineup::load(&self.catalog, &self.pure, &uncut).await?;
            }
            let done = match uncut.attempts > TRIES {
                true => Done::uncuttable(&uncut),
                false => self.cut(&uncut, lineup.take()).await?,
            };
            lineup = done.lineup;
            self.give_on(uncut.page, done.before);
            let next = self.catalog.commit_cut(done.step).await?;
            self.done.fetch_add(1, Relaxed);
            let Some(version) = next else { break };
            uncut = Uncut { version, attempts: 1, ..uncut };
        }
        self.give_on(uncut.page, lineup);
        Ok(())
    }

    /// Gives the tree of a version that was cut to whoever reads records from it.
    fn give_on(&self, page: PageNumber, cut: Option<Lineup>) {
        if let (Some(trees), Some(cut)) = (&self.to_read, cut.filter(|cut| cut.is_to_read)) {
            trees.put((page, cut.version), ParsedVersion { time: cut.time, dom: cut.parts.dom });
        }
    }

    async fn cut(&self, uncut: &Uncut, before: Option<Lineup>) -> Result<Done, DeriveError> {
        let parsed = self.to_cut.take((uncut.page, uncut.version));
        let page = self.catalog.find(&uncut.page.to_string()).await?;
        // Of a page whose tree is there, only the user's rules may ask for the source.
        let kept = match parsed.is_some() && self.told.rules.rules().is_empty() {
            true => None,
            false => self.catalog.version(uncut.page, Which::Number(uncut.version)).await?,
        };
        let time = parsed.as_ref().map(|parsed| parsed.time).or(kept.as_ref().map(|of| of.time));
        let (Some(page), Some(time)) = (page, time) else { return Ok(Done::uncuttable(uncut)) };
        let job = Job {
            headers: self.catalog.headers(uncut.page, time).await?,
            volatile: self.catalog.mask(&uncut.site, &page.url).await?,
            level: match self.told.level {
                Some(level) => level,
                None => {
                    let page_type = page.page_type.as_deref();
                    self.levels.of(&self.catalog, &uncut.site, page_type).await?
                }
            },
            last: self.catalog.last_block(uncut.page).await?,
            dom: parsed.map(|parsed| parsed.dom),
            uncut: uncut.clone(),
            page,
            time,
            kept,
        };
        let told = self.told.clone();
        match self.pure.run(move || cut(&told, job, before)).await {
            Some(done) => Ok(done),
            None => {
                warn!("page {}, version {} cannot be cut into blocks", uncut.page, uncut.version);
                Ok(Done::uncuttable(uncut))
            }
        }
    }
}
