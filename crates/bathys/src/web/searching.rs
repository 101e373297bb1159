//! The search index, opened when somebody first searches and brought up to date beside the answers.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use search::{Index, SearchError};
use store::Catalog;
use tokio::sync::OnceCell;

use super::failure::Failure;

/// How long an index is searched although something changed since.
const FRESH: Duration = Duration::from_secs(5);
/// How long a search waits for what is newest.
const PATIENCE: Duration = Duration::from_secs(3);

/// The index of the store.
pub struct Searching {
    directory: Option<PathBuf>,
    index: OnceCell<Arc<Index>>,
    /// When it was last brought up to date; `None` while somebody does it.
    updated: Arc<Mutex<Option<Instant>>>,
}

/// An index to be searched.
pub struct Searchable {
    pub index: Arc<Index>,
    /// Whether something newer may be missing.
    pub is_behind: bool,
}

impl Searching {
    /// The index in this directory, or in that of the store.
    pub fn new(directory: Option<PathBuf>) -> Self {
        let long_ago = Instant::now().checked_sub(FRESH);
        Self { directory, index: OnceCell::new(), updated: Arc::new(Mutex::new(long_ago)) }
    }

    /// The index, as new as can be waited for.
    pub async fn get(&self, catalog: &Arc<Catalog>) -> Result<Searchable, Failure> {
        let open = || async {
            let place = Index::place(catalog.location(), self.directory.as_deref())?;
            let opened = tokio::task::spawn_blocking(move || Index::open(&place)).await?;
            anyhow::Ok(Arc::new(opened?))
        };
        let index = self.index.get_or_try_init(open).await?.clone();
        let is_due = {
            let mut updated = self.updated.lock().unwrap_or_else(PoisonError::into_inner);
            match *updated {
                Some(at) if at.elapsed() >= FRESH => {
                    *updated = None;
                    true
                }
                Some(_) => return Ok(Searchable { index, is_behind: false }),
                None => false,
            }
        };
        if !is_due {
            return Ok(Searchable { index, is_behind: true });
        }
        let (updated, catalog, of) = (self.updated.clone(), catalog.clone(), index.clone());
        let update = tokio::spawn(async move {
            let ended = of.update(&catalog, |_| ()).await;
            let now = Instant::now();
            *updated.lock().unwrap_or_else(PoisonError::into_inner) = Some(now);
            ended.map(|updated| updated.behind)
        });
        // What is not waited for goes on.
        let is_behind = match tokio::time::timeout(PATIENCE, update).await {
            Ok(ended) => ended??,
            Err(_) => true,
        };
        Ok(Searchable { index, is_behind })
    }
}

/// A search that makes no sense is a mistake of whoever asks; where there is no place for an index, it is said.
pub fn told(error: SearchError) -> Failure {
    match error {
        SearchError::Query(_) => Failure::BadRequest(error.to_string()),
        other => Failure::from(other),
    }
}
