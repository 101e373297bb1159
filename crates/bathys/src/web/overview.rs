//! Totals of sites and of the store, which take a look at every row: made once for each change, and while a
//! crawl writes no more often than every few seconds. Meanwhile the last ones are shown.

use std::collections::HashMap;
use std::hash::Hash;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use crawl::{Beliefs, Priors, TypeReport};
use store::{Catalog, Millis, RefusedEvents, SiteRow, Stats, StoreError, Summary};

use crate::verb::stats::Totals;

/// How long totals are shown although something changed.
const FRESH: Duration = Duration::from_secs(5);
/// Reasons of refusals that are told.
const REASONS: u32 = 200;

/// What is known of a site as a whole.
pub struct Overview {
    pub summary: Summary,
    pub visited: Option<(Millis, Millis)>,
}

/// What was learned of a site.
pub struct Learned {
    pub types: Vec<TypeReport>,
    pub beliefs: Beliefs,
    pub refused: Vec<RefusedEvents>,
}

/// Totals that were made.
#[derive(Default)]
pub struct Overviews {
    sites: Kept<String, Overview>,
    learned: Kept<String, Learned>,
    store: Kept<(), Stats>,
    totals: Kept<(), Totals>,
}

impl Overviews {
    /// The totals of a site.
    pub async fn of(
        &self,
        catalog: &Arc<Catalog>,
        site: &SiteRow,
    ) -> anyhow::Result<Arc<Overview>> {
        let (of, catalog) = (site.clone(), catalog.clone());
        let make = async move {
            let summary = catalog.summary(&of.site).await?;
            let visited = catalog.visited(&of.site).await?;
            Ok(Overview { summary, visited })
        };
        self.sites.get(site.site.clone(), site.changes, make).await
    }

    /// What was learned of a site.
    pub async fn learned(
        &self,
        catalog: &Arc<Catalog>,
        site: &SiteRow,
    ) -> anyhow::Result<Arc<Learned>> {
        let (of, catalog) = (site.site.clone(), catalog.clone());
        let make = async move {
            let types = crawl::types(&catalog, &of).await?;
            let beliefs = crawl::beliefs(&catalog, &of, &Priors::default()).await?;
            Ok(Learned { types, beliefs, refused: catalog.refused(&of, REASONS).await? })
        };
        self.learned.get(site.site.clone(), site.changes, make).await
    }

    /// The totals of the store.
    pub async fn store(&self, catalog: &Arc<Catalog>) -> anyhow::Result<Arc<Stats>> {
        let mark = mark(catalog).await?;
        let catalog = catalog.clone();
        self.store.get((), mark, async move { Ok(catalog.stats().await?) }).await
    }

    /// The same, with what crawls left out.
    pub async fn totals(&self, catalog: &Arc<Catalog>) -> anyhow::Result<Arc<Totals>> {
        let mark = mark(catalog).await?;
        let catalog = catalog.clone();
        self.totals.get((), mark, async move { Totals::of(&catalog).await }).await
    }
}

/// A number that differs when something changed in the store.
async fn mark(catalog: &Catalog) -> Result<i64, StoreError> {
    Ok(catalog.sites().await?.iter().map(|site| site.changes + 1).sum())
}

/// Values by name, each with the number of the last change that it knows of.
pub struct Kept<K, V>(Arc<Mutex<HashMap<K, Entry<V>>>>);

struct Entry<V> {
    mark: i64,
    made: Instant,
    /// Whether somebody is making it anew.
    in_work: bool,
    value: Arc<V>,
}

impl<K, V> Default for Kept<K, V> {
    fn default() -> Self {
        Self(Arc::default())
    }
}

impl<K: Clone + Eq + Hash + Send + 'static, V: Send + Sync + 'static> Kept<K, V> {
    /// The value of this name: the one that is kept, if nothing changed since, or not long ago. A value that is
    /// older is shown once more while the next one is being made.
    pub async fn get(
        &self,
        name: K,
        mark: i64,
        make: impl Future<Output = anyhow::Result<V>> + Send + 'static,
    ) -> anyhow::Result<Arc<V>> {
        let old = {
            let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            match kept.get_mut(&name) {
                Some(entry) if entry.mark == mark || entry.in_work => {
                    return Ok(entry.value.clone());
                }
                Some(entry) if entry.made.elapsed() < FRESH => return Ok(entry.value.clone()),
                Some(entry) => {
                    entry.in_work = true;
                    Some(entry.value.clone())
                }
                None => None,
            }
        };
        let keep = {
            let (kept, name) = (self.0.clone(), name);
            move |value: anyhow::Result<V>| {
                let mut kept = kept.lock().unwrap_or_else(PoisonError::into_inner);
                match value {
                    Ok(value) => {
                        let value = Arc::new(value);
                        let made = Instant::now();
                        let entry = Entry { mark, made, in_work: false, value: value.clone() };
                        kept.insert(name, entry);
                        Ok(value)
                    }
                    Err(error) => {
                        // Whoever asks next tries again.
                        kept.remove(&name);
                        Err(error)
                    }
                }
            }
        };
        match old {
            None => keep(make.await),
            Some(old) => {
                tokio::spawn(async move {
                    if let Err(error) = keep(make.await) {
                        tracing::warn!(target: "serve", "{error:#}");
                    }
                });
                Ok(old)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_value_is_made_once_for_each_change_and_shown_meanwhile() {
        let kept: Kept<&str, i64> = Kept::default();
        assert_eq!(*kept.get("a", 1, async { Ok(1) }).await.unwrap(), 1);
        let unasked = async { panic!("nothing changed") };
        assert_eq!(*kept.get("a", 1, unasked).await.unwrap(), 1);
        assert_eq!(*kept.get("a", 2, async { Ok(2) }).await.unwrap(), 1, "it is fresh enough");
        assert!(kept.get("b", 1, async { anyhow::bail!("broken") }).await.is_err());
        assert_eq!(*kept.get("b", 1, async { Ok(7) }).await.unwrap(), 7, "it is tried again");
    }
}
