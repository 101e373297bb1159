//! Taking records from what was captured (seed 004), after a run: what a page is made of is learned from
//! many pages of its type.
//!
//! The queue is in the store, as that of [`crate::blocks`] is: a capture and its place in the queue are
//! one commit, and the records of a page version and its leaving the queue are another. A run that is
//! killed leaves the rest to the next one.

mod batch;
mod copies;
mod follow;
mod learned;
mod load;
mod prove;
mod survey;

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use record::{Record, Role, Site, Source};
use store::{CatalogWriter, Millis, PageNumber, Reading, StoreError, Unread};
use tracing::{info, warn};

use crate::CpuPool;
use crate::DeriveError;
use crate::meter::{Meter, Stopped};
use crate::trees::Trees;

use batch::{Batch, Step};
use copies::Copies;
use follow::{Known, Seen, follow, name, told_apart};
use load::{Loaded, load};
use prove::{Thread, threads};
use survey::Survey;

pub use learned::{Learned, field_name, recall};

/// Claims before a version is left without records: it ends the program.
const TRIES: u32 = 3;
/// How often it is asked whether the user has had enough.
const LOOK: Duration = Duration::from_millis(100);

/// Takes the records from everything that waits, and from what waits for a wrapper on these sites, site
/// by site, until the user has had enough.
pub async fn read_records(
    catalog: &Arc<CatalogWriter>,
    sites: &[String],
    meter: &Meter,
) -> Result<(), DeriveError> {
    read_records_of(catalog, sites, meter, &Trees::new(0)).await
}

/// The same, from the trees that are there already as far as they are.
pub(crate) async fn read_records_of(
    catalog: &Arc<CatalogWriter>,
    sites: &[String],
    meter: &Meter,
    trees: &Trees,
) -> Result<(), DeriveError> {
    let waiting = catalog.unread_sites().await?.into_iter();
    let sites: BTreeSet<String> = waiting.chain(sites.iter().cloned()).collect();
    for site in sites {
        match catalog.lease(&site).await {
            // Whoever works on it reads it.
            Err(StoreError::Leased { .. }) => continue,
            leased => leased?,
        }
        let stage = Stage { catalog: catalog.clone(), pure: CpuPool::new(), meter, trees, site };
        if stage.is_stopped() {
            break;
        }
        // What is learned from a large site takes minutes; what is read is kept batch by batch.
        tokio::select! {
            read = stage.read_site() => read?,
            () = interrupted(meter) => break,
        }
    }
    Ok(())
}

async fn interrupted(meter: &Meter) {
    while meter.stopped() != Some(Stopped::Interrupted) {
        tokio::time::sleep(LOOK).await;
    }
}

struct Stage<'a> {
    catalog: Arc<CatalogWriter>,
    pure: CpuPool,
    meter: &'a Meter,
    trees: &'a Trees,
    site: String,
}

/// A page version whose records were taken.
struct Read {
    loaded: Loaded,
    /// The thread or list that it belongs to.
    series: String,
    records: Vec<Record>,
}

impl Stage<'_> {
    fn is_stopped(&self) -> bool {
        self.meter.must_end()
    }

    async fn read_site(&self) -> Result<(), DeriveError> {
        self.meter.now_at(&format!("records of {}", self.site));
        let copies = Copies::of(&self.catalog, &self.site).await?;
        let survey = Survey::of(&self.catalog, &self.site, &copies).await?;
        let site = match self.learn(&survey).await {
            Ok(site) => Arc::new(site),
            // What was captured is kept; what waits, waits for a program that can learn from it.
            Err(error @ DeriveError::Lost(_)) => {
                warn!("records of {} are left to a later run: {error}", self.site);
                return Ok(());
            }
            Err(error) => return Err(error),
        };
        if survey.is_small() {
            self.read_pages(&site, true, &copies, |_| true).await?;
        } else {
            // Lists before what they list, so that a thread finds the row that proves it.
            let is_list = |page: &Unread| is_list(&site, page.page_type.as_deref());
            self.read_pages(&site, false, &copies, is_list).await?;
            self.read_pages(&site, false, &copies, |page| !is_list(page)).await?;
        }
        if self.is_stopped() {
            return Ok(());
        }
        let deleted = self.catalog.settle_missed(&self.site).await?;
        info!("{deleted} records of {} are gone", self.site);
        Ok(())
    }

    /// Reads pages in the order of their URLs, all at once if they are few.
    async fn read_pages(
        &self,
        site: &Arc<Site>,
        whole: bool,
        copies: &Copies,
        is_meant: impl Fn(&Unread) -> bool,
    ) -> Result<(), DeriveError> {
        let mut batch = Batch::new(whole);
        let mut last = None;
        loop {
            let pages = self.catalog.to_read(&self.site, last.as_ref()).await?;
            last = pages.last().cloned();
            let (same, pages): (Vec<_>, Vec<_>) =
                pages.into_iter().filter(&is_meant).partition(|page| copies.is_copy(page));
            let same = same.iter().filter(|page| page.waits.is_some());
            let same = same.map(|page| self.empty(page.page, page.latest)).collect();
            self.catalog.commit_readings(same).await?;
            for page in pages {
                if let Some(ended) = batch.add(page) {
                    self.read(site, ended).await?;
                }
                if self.is_stopped() {
                    return Ok(());
                }
            }
            if last.is_none() {
                break;
            }
        }
        match batch.end() {
            Some(rest) => self.read(site, rest).await,
            None => Ok(()),
        }
    }

    async fn read(&self, site: &Arc<Site>, mut batch: Batch) -> Result<(), DeriveError> {
        let given_up = batch.give_up(TRIES);
        for (page, version) in &given_up {
            warn!("records of page {page}, version {version} cannot be read");
        }
        let empty = given_up.into_iter().map(|(page, version)| self.empty(page, version));
        self.catalog.commit_readings(empty.collect()).await?;
        self.catalog.try_reading(&self.site, batch.waiting()).await?;
        for round in batch.rounds() {
            if self.is_stopped() {
                break;
            }
            self.read_round(site, round).await?;
        }
        Ok(())
    }

    /// Reads pages together. If that goes wrong, one by one: only what it goes wrong with is lost.
    async fn read_round(&self, site: &Arc<Site>, steps: Vec<Step>) -> Result<(), DeriveError> {
        if self.read_together(site, &steps).await? {
            return Ok(());
        }
        for step in steps.iter().filter(|step| step.waits) {
            let (page, version) = (step.wanted.page, step.wanted.version);
            if !self.read_together(site, std::slice::from_ref(step)).await? {
                warn!("records of page {page}, version {version} cannot be read");
                self.catalog.commit_readings(vec![self.empty(page, version)]).await?;
            }
        }
        Ok(())
    }

    async fn read_together(&self, site: &Arc<Site>, steps: &[Step]) -> Result<bool, DeriveError> {
        let mut loaded = Vec::with_capacity(steps.len());
        for Step { wanted, .. } in steps {
            match self.trees.take((wanted.page, wanted.version)) {
                Some(parsed) => loaded.push(Loaded::parsed(wanted.clone(), parsed)),
                None => loaded.extend(load(&self.catalog, &self.pure, [wanted.clone()]).await?),
            }
        }
        let own = site.clone();
        let Some((mut pages, threads)) = self.pure.run(move || read(&own, loaded)).await else {
            return Ok(false);
        };
        self.prove(&mut pages, &threads).await?;
        let mut readings = Vec::with_capacity(steps.len());
        let mut pages = pages.into_iter().peekable();
        for step in steps {
            let is_own = |read: &Read| read.loaded.wanted.page == step.wanted.page;
            let page = pages.next_if(is_own);
            if step.waits {
                readings.push(match page {
                    Some(page) => self.follow(page).await?,
                    None => self.empty(step.wanted.page, step.wanted.version),
                });
            }
        }
        self.catalog.commit_readings(readings).await?;
        Ok(true)
    }

    /// What became of the records of a page since it was last read.
    async fn follow(&self, page: Read) -> Result<Reading, DeriveError> {
        let Read { loaded, series, records } = page;
        let (number, version, time) = (loaded.wanted.page, loaded.wanted.version, loaded.time);
        let named = records.into_iter().map(|record| (name(&record, &series), record));
        let records = told_apart(named.collect());
        let names = records.iter().map(|(name, of)| (of.kind.name().to_owned(), name.clone()));
        let names = self.catalog.records_named(&self.site, names.collect()).await?;
        let named: Vec<_> = names.iter().map(|row| row.as_ref().and_then(Known::of)).collect();
        let before = self.catalog.records_on(&self.site, number).await?;
        let is_reread = before.iter().any(|row| row.last >= version);
        let before: Vec<_> = before.iter().filter_map(Known::of).collect();
        let followed = follow(&Seen { time, series, is_reread, records }, &before, &named);
        Ok(Reading {
            site: self.site.clone(),
            page: number,
            version,
            time,
            seen: followed.seen,
            missed: if is_reread { Vec::new() } else { followed.missed },
        })
    }

    /// What has no tree has no records; what it showed before is not gone for that.
    fn empty(&self, page: PageNumber, version: i64) -> Reading {
        let (seen, missed) = (Vec::new(), Vec::new());
        Reading { site: self.site.clone(), page, version, time: Millis::now(), seen, missed }
    }
}

fn is_list(site: &Site, page_type: Option<&str>) -> bool {
    let page_type = page_type.map(|name| site.whole(name));
    let known = site.types.iter().find(|known| Some(known.name.as_str()) == page_type);
    known.is_some_and(|known| known.role == Role::List)
}

/// The records of pages that are read together, and the threads that are whole among them.
fn read(site: &Site, loaded: Vec<Loaded>) -> (Vec<Read>, Vec<Thread>) {
    let sources: Vec<Source<'_>> = loaded.iter().map(Loaded::source).collect();
    let (map, records) = site.read(&sources);
    let series = (0..sources.len()).map(|source| {
        let chain = map.chains().of_source(source);
        chain.map(|chain| chain.url.to_string())
    });
    let series: Vec<Option<String>> = series.collect();
    let threads = threads(&map, &records);
    drop(sources);
    let pages = loaded.into_iter().zip(series).zip(records);
    let pages = pages.map(|((loaded, series), records)| Read {
        series: series.unwrap_or_else(|| loaded.wanted.url.to_string()),
        records,
        loaded,
    });
    (pages.collect(), threads)
}
