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
/// Sites whose totals are kept, and what was learned of them.
const SITES: usize = 10_000;
const LEARNED: usize = 100;
/// How long a page waits for what takes a look at every link of a site.
const PATIENCE: Duration = Duration::from_secs(4);
/// Reasons of refusals that are told.
const REASONS: u32 = 200;

/// What is known of a site as a whole.
pub struct Overview {
    pub summary: Summary,
    pub visited: Option<(Millis, Millis)>,
}

/// What was learned of a site.
#[derive(Default)]
pub struct Learned {
    pub types: Vec<TypeReport>,
    pub beliefs: Beliefs,
    pub refused: Vec<RefusedEvents>,
}

/// Totals that were made.
pub struct Overviews {
    sites: Kept<String, Overview>,
    learned: Kept<String, Learned>,
    store: Kept<(), Stats>,
    totals: Kept<(), Totals>,
}

impl Default for Overviews {
    fn default() -> Self {
        Self {
            sites: Kept::holding(SITES),
            learned: Kept::holding(LEARNED),
            store: Kept::holding(1),
            totals: Kept::holding(1),
        }
    }
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

    /// What was learned of a site, unless that takes longer than a reader waits; then it is there soon.
    pub async fn learned_soon(
        &self,
        catalog: &Arc<Catalog>,
        site: &SiteRow,
    ) -> anyhow::Result<Option<Arc<Learned>>> {
        tokio::time::timeout(PATIENCE, self.learned(catalog, site)).await.ok().transpose()
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
pub struct Kept<K, V> {
    most: usize,
    slots: Mutex<HashMap<K, Arc<Slot<V>>>>,
}

/// The value of one name.
struct Slot<V> {
    kept: Mutex<Option<Entry<V>>>,
    /// Held by whoever makes it: one at a time.
    making: Arc<tokio::sync::Mutex<()>>,
    asked: Mutex<Instant>,
}

struct Entry<V> {
    mark: i64,
    made: Instant,
    took: Duration,
    value: Arc<V>,
}

impl<K, V> Kept<K, V> {
    /// Keeps the values of so many names, those that were asked for last.
    pub fn holding(most: usize) -> Self {
        Self { most, slots: Mutex::default() }
    }
}

impl<V> Slot<V> {
    /// The value, and whether it is as new as can be asked for.
    fn get(&self, mark: i64) -> Option<(Arc<V>, bool)> {
        let kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let entry = kept.as_ref()?;
        // What takes long is not made all the time.
        let fresh = FRESH.max(entry.took * 10);
        let is_new = entry.mark == mark || entry.made.elapsed() < fresh;
        Some((entry.value.clone(), is_new))
    }
}

impl<K: Clone + Eq + Hash + Send + 'static, V: Send + Sync + 'static> Kept<K, V> {
    /// The value of this name: the one that is kept, if nothing changed since, or not long ago. A value that is
    /// older is shown once more while the next one is being made. Making goes on when nobody waits any more.
    pub async fn get(
        &self,
        name: K,
        mark: i64,
        make: impl Future<Output = anyhow::Result<V>> + Send + 'static,
    ) -> anyhow::Result<Arc<V>> {
        let slot = self.slot(name);
        if let Some((value, is_new)) = slot.get(mark) {
            if !is_new && let Ok(guard) = slot.making.clone().try_lock_owned() {
                tokio::spawn(Self::make(slot, mark, make, guard));
            }
            return Ok(value);
        }
        let guard = slot.making.clone().lock_owned().await;
        if let Some((value, _)) = slot.get(mark) {
            return Ok(value);
        }
        tokio::spawn(Self::make(slot, mark, make, guard)).await?
    }

    async fn make(
        slot: Arc<Slot<V>>,
        mark: i64,
        make: impl Future<Output = anyhow::Result<V>> + Send + 'static,
        _guard: tokio::sync::OwnedMutexGuard<()>,
    ) -> anyhow::Result<Arc<V>> {
        let begun = Instant::now();
        let value = make.await.inspect_err(|error| tracing::warn!(target: "serve", "{error:#}"))?;
        let value = Arc::new(value);
        let (made, took) = (Instant::now(), begun.elapsed());
        let entry = Entry { mark, made, took, value: value.clone() };
        *slot.kept.lock().unwrap_or_else(PoisonError::into_inner) = Some(entry);
        Ok(value)
    }

    fn slot(&self, name: K) -> Arc<Slot<V>> {
        let mut slots = self.slots.lock().unwrap_or_else(PoisonError::into_inner);
        let asked = |slot: &Slot<V>| *slot.asked.lock().unwrap_or_else(PoisonError::into_inner);
        if !slots.contains_key(&name) && slots.len() >= self.most {
            let oldest =
                slots.iter().min_by_key(|(_, slot)| asked(slot)).map(|(name, _)| name.clone());
            if let Some(oldest) = oldest {
                slots.remove(&oldest);
            }
        }
        let slot = slots.entry(name).or_insert_with(|| {
            Arc::new(Slot {
                kept: Mutex::default(),
                making: Arc::default(),
                asked: Mutex::new(Instant::now()),
            })
        });
        *slot.asked.lock().unwrap_or_else(PoisonError::into_inner) = Instant::now();
        slot.clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_value_is_made_once_for_each_change_and_shown_meanwhile() {
        let kept: Kept<&str, i64> = Kept::holding(10);
        assert_eq!(*kept.get("a", 1, async { Ok(1) }).await.unwrap(), 1);
        let unasked = async { panic!("nothing changed") };
        assert_eq!(*kept.get("a", 1, unasked).await.unwrap(), 1);
        assert_eq!(*kept.get("a", 2, async { Ok(2) }).await.unwrap(), 1, "it is fresh enough");
        assert!(kept.get("b", 1, async { anyhow::bail!("broken") }).await.is_err());
        assert_eq!(*kept.get("b", 1, async { Ok(7) }).await.unwrap(), 7, "it is tried again");
    }

    #[tokio::test]
    async fn many_who_ask_at_once_wait_for_one_and_the_oldest_names_are_forgotten() {
        let kept: Arc<Kept<u32, usize>> = Arc::new(Kept::holding(2));
        let made = Arc::new(std::sync::atomic::AtomicUsize::new(0));
        let make = |made: Arc<std::sync::atomic::AtomicUsize>| async move {
            tokio::time::sleep(Duration::from_millis(20)).await;
            Ok(made.fetch_add(1, std::sync::atomic::Ordering::SeqCst))
        };
        let mut asking = tokio::task::JoinSet::new();
        for _ in 0..20 {
            let (kept, made) = (kept.clone(), made.clone());
            asking.spawn(async move { *kept.get(1, 1, make(made)).await.unwrap() });
        }
        assert!(asking.join_all().await.iter().all(|value| *value == 0));
        for name in [2, 3] {
            kept.get(name, 1, make(made.clone())).await.unwrap();
        }
        assert_eq!(*kept.get(1, 1, make(made.clone())).await.unwrap(), 3, "it was forgotten");
    }
}
