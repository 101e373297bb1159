//! Who may write to a site: one process at a time, until its lease ends.
//!
//! A lease has an epoch, which every write carries. One that was taken over meanwhile is refused, so
//! that what its owner still believes about the site changes nothing any more. Who dies holding a site
//! keeps others waiting until the lease ends; in a directory, which only one process has open at a time,
//! nobody waits.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use crate::catalog::CatalogWriter;
use crate::error::StoreError;
use crate::host::sites_of;
use crate::model::Millis;
use crate::tx::{Tx, params};

/// How long a lease holds without being renewed. Writes renew it, and without any the engine does.
pub(crate) const LEASE_MS: i64 = 15_000;
/// What may be left of a lease before it is renewed, and how often that is looked at.
const RENEW_MS: i64 = LEASE_MS / 2;
pub(crate) const RENEWAL: Duration = Duration::from_millis(LEASE_MS as u64 / 3);
/// How often it is asked whether a site is free.
const LOOK: Duration = Duration::from_millis(200);

/// The sites that this process has leased, each with its epoch.
pub(crate) struct Leases {
    owner: String,
    /// Whether nobody else can have the store open to write.
    is_alone: bool,
    epochs: Mutex<HashMap<String, i64>>,
}

impl Leases {
    pub(crate) fn new(is_alone: bool) -> Self {
        let host = std::fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
        // A name that no other process has had, also when numbers of processes come again.
        let owner = format!("{}/{}/{}", host.trim(), std::process::id(), Millis::now().0);
        Self { owner, is_alone, epochs: Mutex::default() }
    }

    pub(crate) fn epochs(&self) -> MutexGuard<'_, HashMap<String, i64>> {
        self.epochs.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The site that an address is of, if it is another one than `site` that this process has leased: the
    /// sites of one crawl lead to each other.
    pub(crate) fn other_site(&self, site: &str, url: &str) -> Option<(String, i64)> {
        let epochs = self.epochs();
        if epochs.len() < 2 {
            return None;
        }
        let sites = sites_of(url);
        if sites.iter().any(|own| own == site) {
            return None;
        }
        sites.into_iter().find_map(|other| epochs.get(&other).map(|epoch| (other, *epoch)))
    }

    /// Takes a site unless somebody else has it, and returns the epoch that begins with that. What the
    /// last owner had in hand waits again.
    pub(crate) fn take(&self, tx: &mut Tx<'_>, site: &str) -> Result<i64, StoreError> {
        let now = Millis::now();
        let known = tx.query_optional(
            "SELECT owner, lease_until, epoch FROM site WHERE site = $1",
            params![site],
        )?;
        let Some(known) = known else {
            tx.execute(
                "INSERT INTO site (site, owner, lease_until, epoch, changes)
                 VALUES ($1, $2, $3, 1, 0)",
                params![site, self.owner, now.plus(LEASE_MS)],
            )?;
            return Ok(1);
        };
        let (owner, until, epoch): (String, Millis, i64) =
            (known.get(0)?, known.get(1)?, known.get(2)?);
        let is_held = until > now;
        if is_held && owner == self.owner {
            return Ok(epoch);
        }
        if is_held && !self.is_alone {
            let seconds = (until.0 - now.0) / 1000 + 1;
            return Err(StoreError::Leased { site: site.to_owned(), owner, seconds });
        }
        tx.execute(
            "UPDATE site SET owner = $2, lease_until = $3, epoch = epoch + 1 WHERE site = $1",
            params![site, self.owner, now.plus(LEASE_MS)],
        )?;
        tx.locked.remove(site);
        tx.memory.forget(site);
        put_back(tx, site)?;
        Ok(epoch + 1)
    }
}

/// Refuses a write of an epoch that is over, and renews the lease of one that is not.
pub(crate) fn check(tx: &mut Tx<'_>, site: &str, epoch: i64) -> Result<(), StoreError> {
    // While it is locked, nobody takes it over.
    if tx.locked.get(site) == Some(&Some(epoch)) {
        return Ok(());
    }
    let present =
        tx.query_optional("SELECT epoch, lease_until FROM site WHERE site = $1", params![site])?;
    let lost = || StoreError::LeaseLost(site.to_owned());
    let present = present.ok_or_else(lost)?;
    if present.get::<i64>(0)? != epoch {
        return Err(lost());
    }
    let now = Millis::now();
    if present.get::<Millis>(1)? < now.plus(RENEW_MS) {
        tx.execute(
            "UPDATE site SET lease_until = $2 WHERE site = $1",
            params![site, now.plus(LEASE_MS)],
        )?;
    }
    tx.locked.insert(site.to_owned(), Some(epoch));
    Ok(())
}

/// Ends a lease.
pub(crate) fn release(tx: &mut Tx<'_>, site: &str) -> Result<(), StoreError> {
    put_back(tx, site)?;
    tx.execute("UPDATE site SET lease_until = 0 WHERE site = $1", params![site])?;
    Ok(())
}

/// Puts back what is in hand. A claim that was cut off is no failed attempt.
fn put_back(tx: &mut Tx<'_>, site: &str) -> Result<(), StoreError> {
    tx.execute(
        "UPDATE job SET held = 0, attempts = attempts - CASE WHEN version IS NULL THEN 1 ELSE 0 END
         WHERE site = $1 AND held = 1",
        params![site],
    )?;
    Ok(())
}

impl CatalogWriter {
    /// Takes a site to write to. Whoever writes to one without asking takes it, too: this tells
    /// beforehand whether that can be done.
    ///
    /// ```
    /// # use store::CatalogWriter;
    /// # tokio::runtime::Runtime::new().unwrap().block_on(async {
    /// # let dir = tempfile::tempdir().unwrap();
    /// let catalog = CatalogWriter::open(dir.path()).unwrap();
    /// catalog.lease("example.org").await.unwrap();
    /// catalog.seed("example.org", &["https://example.org/".into()]).await.unwrap();
    /// catalog.release("example.org").await.unwrap();
    /// # });
    /// ```
    ///
    /// # Errors
    /// [`StoreError::Leased`] when another process has it, and when the catalog fails.
    pub async fn lease(&self, site: &str) -> Result<(), StoreError> {
        self.engine.epoch(site).await.map(drop)
    }

    /// Takes a site like [`CatalogWriter::lease`], and waits for it as long as a process that died can hold it.
    ///
    /// # Errors
    /// [`StoreError::Leased`] when a living process has it, and when the catalog fails.
    pub async fn lease_patiently(&self, site: &str) -> Result<(), StoreError> {
        let until = Millis::now().plus(LEASE_MS + RENEW_MS);
        loop {
            match self.lease(site).await {
                Err(StoreError::Leased { .. }) if Millis::now() < until => {
                    tokio::time::sleep(LOOK).await;
                }
                done => return done,
            }
        }
    }

    /// Gives a site back, with what is in hand of it.
    ///
    /// # Errors
    /// When the catalog fails, or another process has taken it over.
    pub async fn release(&self, site: &str) -> Result<(), StoreError> {
        let released = {
            let site = site.to_owned();
            self.engine.write(&site.clone(), move |tx| release(tx, &site)).await
        };
        self.engine.forget(site);
        released
    }
}
