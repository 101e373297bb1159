//! What runs verbs: a few threads with a connection each, over SQLite or PostgreSQL.
//!
//! Writers take what has queued up, run it in one transaction, commit once, and only then answer. Verbs
//! that may wait are held back for a moment, so that a commit holds more of them. When a verb fails, nothing of its group is kept and each is run alone. When the database could not commit for
//! a reason that passes (a deadlock, a lost connection), the whole group is run again. All verbs of a site
//! go to one writer, so that they never wait for each other inside the database.

mod postgres;
mod sqlite;
mod tls;

use std::collections::HashMap;
use std::error::Error;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::{Arc, Mutex, OnceLock, mpsc as ready};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use tokio::sync::{RwLock, RwLockWriteGuard, mpsc, oneshot};

use crate::blob::{
    self, BlobLocation, Dictionaries, Dictionary, Groups, HasBytes, Kept, Original, Originals,
    Outside, Packed, dictionary,
};
use crate::catalog::Access;
use crate::error::StoreError;
use crate::lease::{self, Leases};
use crate::location::Location;
use crate::memory::Memory;
use crate::schema;
use crate::tx::{Driver, Tx};

pub(crate) use sqlite::FILE;

/// Verbs that one commit may hold. More would only delay the first of them.
const GROUP: usize = 64;
/// How long verbs that may wait are held back for others to join their commit, and how often it is looked
/// for these. Plain pages come a millisecond apart, and each commit writes the same parts of the indexes
/// to the log again.
const COMPANY: Duration = Duration::from_millis(10);
const LOOK: Duration = Duration::from_millis(1);
/// Queued verbs before a caller waits: bounds what a slow disk can pile up in memory.
const QUEUE: usize = 256;
const READERS: usize = 4;
/// How often a group is run again before its verbs fail, and the first pause: it doubles up to a second,
/// so that a server that restarts is waited for a while.
const AGAIN: u32 = 8;
const PAUSE: Duration = Duration::from_millis(10);

/// Makes connections to one store.
#[derive(Clone)]
enum Connector {
    Sqlite(sqlite::File),
    Postgres(Box<postgres::Server>),
}

impl Connector {
    fn connect(&self, access: Access) -> Result<Box<dyn Driver>, StoreError> {
        Ok(match self {
            Self::Sqlite(file) => Box::new(file.connect(access)?),
            Self::Postgres(server) => Box::new(server.connect(access)?),
        })
    }
}

/// A store's threads.
pub(crate) struct Engine {
    outside: Arc<OnceLock<Outside>>,
    dictionaries: Dictionaries,
    originals: Arc<Originals>,
    writers: Vec<mpsc::Sender<Box<dyn Job>>>,
    readers: Option<mpsc::Sender<Box<dyn Job>>>,
    writing: Vec<JoinHandle<()>>,
    reading: Vec<JoinHandle<()>>,
    leases: Arc<Leases>,
    /// Held by whoever puts objects outside, until they are referred to; alone by whoever removes some.
    putting: RwLock<()>,
    /// Ends the thread that renews leases.
    renewing: Option<ready::Sender<()>>,
}

impl Engine {
    /// Opens the store, made anew only for [`Access::Write`].
    pub(crate) fn open(
        location: &Location,
        blobs: Option<&BlobLocation>,
        access: Access,
    ) -> Result<Self, StoreError> {
        let connector = Connector::to(location)?;
        let mut engine = Self {
            outside: Arc::default(),
            dictionaries: Dictionaries::default(),
            originals: Arc::default(),
            writers: Vec::new(),
            readers: None,
            writing: Vec::new(),
            reading: Vec::new(),
            leases: Arc::new(Leases::new(matches!(connector, Connector::Sqlite(_)))),
            putting: RwLock::new(()),
            renewing: None,
        };
        let (outside, leases) = (engine.outside.clone(), engine.leases.clone());
        let groups: Arc<Groups> = Arc::default();
        let link = |access| Link {
            connector: connector.clone(),
            access,
            blobs: blobs.cloned(),
            outside: outside.clone(),
            groups: groups.clone(),
            leases: leases.clone(),
            driver: None,
            memory: Memory::default(),
        };
        let (tell, told) = ready::channel();
        if access == Access::Write {
            let writers = match connector {
                Connector::Sqlite(_) => 1,
                Connector::Postgres(_) => postgres::WRITERS,
            };
            for number in 0..writers {
                let (sender, queue) = mpsc::channel(QUEUE);
                let link = link(access);
                let tell = (number == 0).then(|| tell.clone());
                let name = format!("catalog-writer-{number}");
                engine.writing.push(start(name, move || link.write_all(tell, queue))?);
                engine.writers.push(sender);
            }
            // The first writer makes the schema, or brings it up to date.
            told.recv().unwrap_or(Err(StoreError::Closed))?;
            let (stop, stopped) = ready::channel();
            let (writers, leases) = (engine.writers.clone(), engine.leases.clone());
            let renew = move || renew(&leases, &writers, &stopped);
            engine.writing.push(start("catalog-leases".into(), renew)?);
            engine.renewing = Some(stop);
        }
        let (sender, queue) = mpsc::channel(QUEUE);
        let queue = Arc::new(Mutex::new(queue));
        for number in 0..READERS {
            let link = link(Access::Read);
            let queue = queue.clone();
            let tell = (number == 0).then(|| tell.clone());
            let name = format!("catalog-reader-{number}");
            engine.reading.push(start(name, move || link.read_all(tell, &queue))?);
        }
        engine.readers = Some(sender);
        if let Some(blobs) = told.recv().unwrap_or(Err(StoreError::Closed))? {
            // Nobody else sets it.
            let _ = engine.outside.set(Outside::open(&blobs)?);
        }
        Ok(engine)
    }

    /// Removes all that a store is made of.
    pub(crate) fn erase(location: &Location) -> Result<(), StoreError> {
        match Connector::to(location)? {
            Connector::Sqlite(file) => file.erase(),
            Connector::Postgres(server) => apart(move || server.erase()),
        }
    }

    /// Gives back what is not needed any more. Nobody may use the store meanwhile.
    pub(crate) fn compact(location: &Location) -> Result<(), StoreError> {
        match Connector::to(location)? {
            Connector::Sqlite(file) => file.compact(),
            Connector::Postgres(server) => apart(move || server.compact()),
        }
    }

    /// Runs `verb`, which writes to this site (to none in particular if it is empty), in a commit, and
    /// returns when it is on disk.
    pub(crate) async fn write<T, F>(&self, site: &str, verb: F) -> Result<T, StoreError>
    where
        T: Send + 'static,
        F: Fn(&mut Tx<'_>) -> Result<T, StoreError> + Send + 'static,
    {
        self.write_when(site, false, verb).await
    }

    /// Writes likewise, if `may_wait` a moment later and together with others.
    async fn write_when<T, F>(&self, site: &str, may_wait: bool, verb: F) -> Result<T, StoreError>
    where
        T: Send + 'static,
        F: Fn(&mut Tx<'_>) -> Result<T, StoreError> + Send + 'static,
    {
        let epoch = match site {
            "" => None,
            site => Some(self.epoch(site).await?),
        };
        let verb = move |tx: &mut Tx<'_>, site: &str| {
            epoch.map_or(Ok(()), |epoch| lease::check(tx, site, epoch)).and_then(|()| verb(tx))
        };
        Self::ask(self.writer(site)?, site, may_wait, verb).await
    }

    /// The epoch in which this process has leased a site, which it takes if it has not.
    pub(crate) async fn epoch(&self, site: &str) -> Result<i64, StoreError> {
        if let Some(epoch) = self.leases.epochs().get(site) {
            return Ok(*epoch);
        }
        let leases = self.leases.clone();
        let take = move |tx: &mut Tx<'_>, site: &str| leases.take(tx, site);
        let epoch = Self::ask(self.writer(site)?, site, false, take).await?;
        self.leases.epochs().insert(site.to_owned(), epoch);
        Ok(epoch)
    }

    /// Forgets a lease, so that whoever writes to the site takes it anew.
    pub(crate) fn forget(&self, site: &str) {
        self.leases.epochs().remove(site);
    }

    fn writer(&self, site: &str) -> Result<&mpsc::Sender<Box<dyn Job>>, StoreError> {
        writer_of(&self.writers, site).ok_or(StoreError::ReadOnly)
    }

    /// Runs `question`, which sees every commit answered before now.
    pub(crate) async fn read<T, F>(&self, question: F) -> Result<T, StoreError>
    where
        T: Send + 'static,
        F: Fn(&mut Tx<'_>) -> Result<T, StoreError> + Send + 'static,
    {
        let question = move |tx: &mut Tx<'_>, _: &str| question(tx);
        Self::ask(self.readers.as_ref().ok_or(StoreError::Closed)?, "", false, question).await
    }

    /// Runs a verb that keeps `step`, whose bytes are hashed, compressed and put outside before it.
    pub(crate) async fn commit<S, T>(
        &self,
        site: &str,
        step: S,
        verb: fn(&mut Tx<'_>, &S, &Packed) -> Result<T, StoreError>,
    ) -> Result<T, StoreError>
    where
        S: HasBytes + Send + Sync + 'static,
        T: Send + 'static,
    {
        let (may_wait, step) = (step.may_wait(), Arc::new(step));
        let mut packed = Packed::hashed(&*step);
        if let Some(hashes) = packed.hashes() {
            // What nobody saw before is hardly ever known; if it is, it was packed in vain.
            let known = match step.is_first() && self.outside.get().is_none() {
                true => HashMap::new(),
                false => self.read(move |tx| blob::numbers(tx, hashes.iter())).await?,
            };
            let dictionary = self.dictionary(site).await?;
            let resemblances = step.resemblances();
            // Outside, each blob stands for itself: who reads it asks for one object, not for hundreds.
            if !resemblances.is_empty() && self.outside.get().is_none() {
                let kept = resemblances.iter().map(|one| one.kept.clone()).collect();
                let kept = self.originals(site, kept).await?;
                let all = resemblances.into_iter().zip(kept);
                packed.compress_patches(all, &known, dictionary.as_deref(), &self.originals);
            }
            packed.compress(&*step, &known, dictionary.as_deref());
            if let Some(samples) = self.dictionaries.gather(site, &packed, &*step) {
                self.train(site, samples).await?;
            }
        }
        let mut putting = None;
        if let Some(outside) = self.outside.get() {
            // Leased first: whoever removes objects holds all sites.
            if !site.is_empty() {
                self.epoch(site).await?;
            }
            putting = Some(self.putting.read().await);
            outside.put(&mut packed, &*step).await?;
        }
        let done = self.write_when(site, may_wait, move |tx| verb(tx, &step, &packed)).await;
        drop(putting);
        done
    }

    /// Waits until nobody puts objects outside, and keeps others from it.
    pub(crate) async fn alone_outside(&self) -> RwLockWriteGuard<'_, ()> {
        self.putting.write().await
    }

    /// Removes the objects of these blobs, to which nothing refers any more.
    pub(crate) async fn remove_outside(&self, gone: Vec<blob::Hash>) -> Result<(), StoreError> {
        match self.outside.get() {
            Some(outside) => outside.remove(gone).await,
            None => Ok(()),
        }
    }

    /// The bytes that are kept at these places.
    async fn originals(
        &self,
        site: &str,
        kept: Vec<Kept>,
    ) -> Result<Vec<Option<(i64, Original)>>, StoreError> {
        let (originals, site) = (self.originals.clone(), site.to_owned());
        let load = move |tx: &mut Tx<'_>| {
            kept.iter().map(|kept| originals.load(tx, &site, kept)).collect()
        };
        self.read(load).await
    }

    /// What to pack the bytes of a site with.
    async fn dictionary(&self, site: &str) -> Result<Option<Arc<Dictionary>>, StoreError> {
        if self.outside.get().is_some() {
            return Ok(None);
        }
        if let Some(known) = self.dictionaries.of(site) {
            return Ok(known);
        }
        let of = site.to_owned();
        let kept = self.read(move |tx| dictionary::load(tx, &of)).await?;
        Ok(self.dictionaries.set(site, kept))
    }

    /// Makes a site's dictionary and keeps it, before anything is packed with it.
    async fn train(&self, site: &str, samples: Vec<Vec<u8>>) -> Result<(), StoreError> {
        let trained = tokio::task::spawn_blocking(move || dictionary::train(&samples));
        let Ok(Some(bytes)) = trained.await else { return Ok(()) };
        let (of, kept) = (site.to_owned(), bytes.clone());
        let number = self.write(site, move |tx| dictionary::keep(tx, &of, &kept)).await?;
        self.dictionaries.set(site, Some((number, bytes)));
        Ok(())
    }

    async fn ask<T, F>(
        queue: &mpsc::Sender<Box<dyn Job>>,
        site: &str,
        may_wait: bool,
        verb: F,
    ) -> Result<T, StoreError>
    where
        T: Send + 'static,
        F: Fn(&mut Tx<'_>, &str) -> Result<T, StoreError> + Send + 'static,
    {
        let (tell, told) = oneshot::channel();
        let job = Box::new(Verb { site: site.to_owned(), may_wait, verb, result: None, tell });
        queue.send(job).await.map_err(|_| StoreError::Closed)?;
        told.await.map_err(|_| StoreError::Closed)?
    }
}

impl Connector {
    fn to(location: &Location) -> Result<Self, StoreError> {
        Ok(match location {
            Location::Directory(directory) => Self::Sqlite(sqlite::File::in_directory(directory)),
            Location::Postgres(url) => Self::Postgres(Box::new(postgres::Server::at(url)?)),
        })
    }
}

impl Drop for Engine {
    fn drop(&mut self) {
        self.renewing = None;
        let leased = std::mem::take(&mut *self.leases.epochs());
        for (site, epoch) in leased {
            send(&self.writers, site, move |tx, site| {
                lease::check(tx, site, epoch).and_then(|()| lease::release(tx, site))
            });
        }
        // Readers first: the log of SQLite is folded into its file by the last who writes, alone.
        self.readers = None;
        for reader in self.reading.drain(..) {
            let _ = reader.join();
        }
        self.writers.clear();
        for writer in self.writing.drain(..) {
            let _ = writer.join();
        }
    }
}

/// Runs it on a thread of its own: the driver of PostgreSQL cannot be used on one that runs async code.
fn apart(run: impl FnOnce() -> Result<(), StoreError> + Send + 'static) -> Result<(), StoreError> {
    thread::spawn(run).join().unwrap_or(Err(StoreError::Closed))
}

fn start(name: String, run: impl FnOnce() + Send + 'static) -> Result<JoinHandle<()>, StoreError> {
    thread::Builder::new().name(name).spawn(run).map_err(StoreError::Thread)
}

/// The writer that serves a site.
fn writer_of<'w>(
    writers: &'w [mpsc::Sender<Box<dyn Job>>],
    site: &str,
) -> Option<&'w mpsc::Sender<Box<dyn Job>>> {
    let mut hasher = DefaultHasher::new();
    site.hash(&mut hasher);
    writers.get(hasher.finish().checked_rem(writers.len() as u64)? as usize)
}

/// Has a verb done that nobody waits for. Where there is no room for it, it is left undone.
fn send(
    writers: &[mpsc::Sender<Box<dyn Job>>],
    site: String,
    verb: impl Fn(&mut Tx<'_>, &str) -> Result<(), StoreError> + Send + 'static,
) {
    if let Some(writer) = writer_of(writers, &site) {
        let (tell, _) = oneshot::channel();
        let _ = writer.try_send(Box::new(Verb { site, may_wait: false, verb, result: None, tell }));
    }
}

/// Renews leases until it is stopped: their owner may have nothing to write for a while.
fn renew(leases: &Leases, writers: &[mpsc::Sender<Box<dyn Job>>], stopped: &ready::Receiver<()>) {
    while stopped.recv_timeout(lease::RENEWAL) == Err(ready::RecvTimeoutError::Timeout) {
        for (site, epoch) in leases.epochs().clone() {
            send(writers, site, move |tx, site| lease::check(tx, site, epoch));
        }
    }
}

/// A verb on its way through a thread.
trait Job: Send {
    fn site(&self) -> &str;
    /// Whether nobody is kept from going on while others join it.
    fn may_wait(&self) -> bool;
    /// Runs it. `Ok(false)` when it failed by itself and is to be undone, an error when all must be run
    /// again.
    fn run(&mut self, tx: &mut Tx<'_>) -> Result<bool, StoreError>;
    /// Answers with its result, or with why nothing of it was kept.
    fn answer(self: Box<Self>, failed: Option<String>);
}

struct Verb<T, F> {
    site: String,
    may_wait: bool,
    verb: F,
    result: Option<Result<T, StoreError>>,
    tell: oneshot::Sender<Result<T, StoreError>>,
}

impl<T, F> Job for Verb<T, F>
where
    T: Send,
    F: Fn(&mut Tx<'_>, &str) -> Result<T, StoreError> + Send,
{
    fn site(&self) -> &str {
        &self.site
    }

    fn may_wait(&self) -> bool {
        self.may_wait
    }

    fn run(&mut self, tx: &mut Tx<'_>) -> Result<bool, StoreError> {
        match (self.verb)(tx, &self.site) {
            Err(error) if error.passes() => Err(error),
            result => {
                let done = result.is_ok();
                self.result = Some(result);
                Ok(done)
            }
        }
    }

    fn answer(self: Box<Self>, failed: Option<String>) {
        let answer = match (failed, self.result) {
            // What failed by itself says more than the commit that it was in.
            (_, Some(Err(error))) => Err(error),
            (None, Some(result)) => result,
            (Some(why), _) => Err(StoreError::NotCommitted(why)),
            (None, None) => Err(StoreError::Closed),
        };
        // Whoever asked may have gone.
        let _ = self.tell.send(answer);
    }
}

/// A thread's connection: made when it is needed, made anew when it was lost.
struct Link {
    connector: Connector,
    access: Access,
    blobs: Option<BlobLocation>,
    outside: Arc<OnceLock<Outside>>,
    groups: Arc<Groups>,
    leases: Arc<Leases>,
    driver: Option<Box<dyn Driver>>,
    memory: Memory,
}

/// Where to say that the store is open, and where its blobs lie.
type Ready = Option<ready::Sender<Result<Option<BlobLocation>, StoreError>>>;

impl Link {
    fn driver(&mut self) -> Result<&mut dyn Driver, StoreError> {
        let driver = match self.driver.take() {
            Some(driver) => driver,
            None => self.connector.connect(self.access)?,
        };
        Ok(self.driver.insert(driver).as_mut())
    }

    fn open(&mut self, tell: Ready) {
        if let Some(tell) = tell {
            let change = self.access == Access::Write;
            let blobs = self.blobs.clone();
            let opened = self.driver().and_then(|driver| schema::prepare(driver, change, blobs));
            let _ = tell.send(opened);
        }
    }

    fn write_all(mut self, tell: Ready, mut queue: mpsc::Receiver<Box<dyn Job>>) {
        self.open(tell);
        while let Some(first) = queue.blocking_recv() {
            let mut group = gather(first, &mut queue);
            match self.commit(&mut group) {
                // Verbs hardly ever fail. One that does takes nobody else's with it.
                Ok(false) if group.len() > 1 => {
                    for job in group {
                        let mut alone = vec![job];
                        let failed = self.commit(&mut alone).err();
                        answer(alone, failed.as_ref());
                    }
                }
                done => answer(group, done.err().as_ref()),
            }
        }
    }

    /// Runs verbs in one transaction; says whether it was kept. None of them is, if one fails.
    fn commit(&mut self, group: &mut [Box<dyn Job>]) -> Result<bool, StoreError> {
        let mut kept = false;
        self.again(|tx| {
            kept = commit(tx, group)?;
            Ok(())
        })?;
        Ok(kept)
    }

    fn read_all(mut self, tell: Ready, queue: &Mutex<mpsc::Receiver<Box<dyn Job>>>) {
        self.open(tell);
        loop {
            let next =
                queue.lock().unwrap_or_else(|poisoned| poisoned.into_inner()).blocking_recv();
            let Some(mut job) = next else { return };
            let failed = self.again(|tx| {
                tx.driver.begin_reading()?;
                job.run(tx)?;
                tx.driver.batch("COMMIT")
            });
            answer(vec![job], failed.err().as_ref());
        }
    }

    /// Does it, and does it again while it fails for a reason that passes.
    fn again(
        &mut self,
        mut work: impl FnMut(&mut Tx<'_>) -> Result<(), StoreError>,
    ) -> Result<(), StoreError> {
        let mut pause = PAUSE;
        for attempt in 0.. {
            let (outside, leases) = (self.outside.clone(), self.leases.clone());
            let groups = self.groups.clone();
            let memory = std::mem::take(&mut self.memory);
            let done = self.driver().and_then(|driver| {
                let mut tx = Tx {
                    outside: outside.get(),
                    groups: Some(&groups),
                    leases: Some(&leases),
                    memory,
                    ..Tx::of(driver)
                };
                match work(&mut tx) {
                    Ok(()) => Ok(tx.memory),
                    Err(error) => {
                        // Of a connection that is lost, the server undoes it.
                        let _ = driver.batch("ROLLBACK");
                        Err(error)
                    }
                }
            });
            match done {
                Err(error) if error.passes() && attempt < AGAIN => {
                    if error.is_lost() {
                        self.driver = None;
                    }
                    thread::sleep(pause);
                    pause = (2 * pause).min(Duration::from_secs(1));
                }
                done => {
                    self.memory = done?;
                    return Ok(());
                }
            }
        }
        unreachable!("the loop ends by returning")
    }
}

/// How SQLite goes about a statement on a new store.
#[cfg(test)]
pub(crate) fn plan(statement: &str, parameters: &[crate::tx::Value<'_>]) -> String {
    let directory = tempfile::tempdir().unwrap();
    let mut driver = sqlite::File::in_directory(directory.path()).connect(Access::Write).unwrap();
    schema::prepare(&mut driver, true, None).unwrap();
    let rows = driver.query(&format!("EXPLAIN QUERY PLAN {statement}"), parameters).unwrap();
    let steps = rows.iter().map(|row| row.get::<String>(3).unwrap());
    steps.collect::<Vec<_>>().join("; ")
}

/// What has queued up behind a verb; if all of it may wait, with what else comes within a moment.
fn gather(first: Box<dyn Job>, queue: &mut mpsc::Receiver<Box<dyn Job>>) -> Vec<Box<dyn Job>> {
    let mut group = vec![first];
    let until = Instant::now() + COMPANY;
    loop {
        while group.len() < GROUP
            && let Ok(job) = queue.try_recv()
        {
            group.push(job);
        }
        let is_patient = group.len() < GROUP && group.iter().all(|job| job.may_wait());
        if !is_patient || Instant::now() >= until {
            return group;
        }
        thread::sleep(LOOK);
    }
}

fn commit(tx: &mut Tx<'_>, group: &mut [Box<dyn Job>]) -> Result<bool, StoreError> {
    tx.driver.begin()?;
    for job in group {
        if !job.site().is_empty() {
            tx.lock(job.site())?;
        }
        if !job.run(tx)? {
            tx.driver.batch("ROLLBACK")?;
            tx.memory = Memory::default();
            return Ok(false);
        }
    }
    // Whether a commit that was cut off took place, nobody knows: it is not run again.
    tx.driver.batch("COMMIT").map_err(|error| match error.is_lost() {
        true => StoreError::NotCommitted(with_causes(&error)),
        false => error,
    })?;
    Ok(true)
}

fn answer(group: Vec<Box<dyn Job>>, failed: Option<&StoreError>) {
    let why = failed.map(with_causes);
    for job in group {
        job.answer(why.clone());
    }
}

/// An error and what caused it: a driver's own words are often one level down.
fn with_causes(error: &StoreError) -> String {
    let first: Option<&dyn Error> = Some(error);
    let mut text = String::new();
    for error in std::iter::successors(first, |&error| error.source()) {
        let cause = error.to_string();
        if text.is_empty() {
            text = cause;
        } else if !text.contains(&cause) {
            text = format!("{text}: {cause}");
        }
    }
    text
}
