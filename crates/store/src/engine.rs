//! The embedded engine: SQLite behind one writer thread with group commit, and a few readers.
//!
//! A verb of the catalog is a closure over one connection. Writers queue; the thread takes what has
//! queued up, runs each closure in a savepoint of one transaction, commits once, and only then
//! answers. A closure that fails undoes itself alone.

use std::path::Path;
use std::sync::{Arc, Mutex, mpsc};
use std::thread;
use std::time::Duration;

use rusqlite::{Connection, OpenFlags};
use tokio::sync::{Semaphore, oneshot};

use crate::error::StoreError;

/// Verbs that one commit may hold. More would only delay the first of them.
const GROUP: usize = 64;
/// Queued verbs before a caller waits: bounds what a slow disk can pile up in memory.
const QUEUE: usize = 256;
const READERS: usize = 4;
/// Statements the writer keeps prepared: more than a step uses, or each would push out the next.
const STATEMENTS: usize = 128;

type Answer = Box<dyn FnOnce(bool) + Send>;
/// Given no connection when no transaction could be begun: then it only answers.
type Job = Box<dyn FnOnce(Option<&Connection>) -> Answer + Send>;

pub(crate) struct Engine {
    jobs: Option<mpsc::SyncSender<Job>>,
    writer: Option<thread::JoinHandle<()>>,
    readers: Arc<Mutex<Vec<Connection>>>,
    reading: Arc<Semaphore>,
}

impl Engine {
    /// Opens the file, made anew only if `create` says so.
    pub(crate) fn open(file: &Path, create: bool) -> Result<Self, StoreError> {
        let mut flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        flags.set(OpenFlags::SQLITE_OPEN_CREATE, create);
        let connection = Connection::open_with_flags(file, flags)?;
        connection.busy_timeout(Duration::from_secs(10))?;
        crate::schema::prepare(&connection, create)?;
        // WAL so that readers never wait; FULL so that a commit survives a power cut too.
        connection.pragma_update(None, "journal_mode", "WAL")?;
        connection.pragma_update(None, "synchronous", "FULL")?;
        connection.pragma_update(None, "cache_size", -32_000)?;
        connection.set_prepared_statement_cache_capacity(STATEMENTS);

        let mut readers = Vec::with_capacity(READERS);
        for _ in 0..READERS {
            let reader = Connection::open_with_flags(file, OpenFlags::SQLITE_OPEN_READ_ONLY)?;
            reader.busy_timeout(Duration::from_secs(10))?;
            readers.push(reader);
        }
        let (jobs, queue) = mpsc::sync_channel(QUEUE);
        let writer = thread::Builder::new()
            .name("catalog-writer".into())
            .spawn(move || write_loop(&connection, &queue))
            .map_err(StoreError::Thread)?;
        Ok(Self {
            jobs: Some(jobs),
            writer: Some(writer),
            readers: Arc::new(Mutex::new(readers)),
            reading: Arc::new(Semaphore::new(READERS)),
        })
    }

    /// Runs `verb` in a commit and returns when it is on disk.
    pub(crate) async fn write<T, F>(&self, verb: F) -> Result<T, StoreError>
    where
        T: Send + 'static,
        F: FnOnce(&Connection) -> Result<T, StoreError> + Send + 'static,
    {
        let (tell, told) = oneshot::channel();
        let job: Job = Box::new(move |connection| {
            let result =
                connection.map_or(Err(StoreError::NotCommitted), |c| in_savepoint(c, verb));
            Box::new(move |committed| {
                let _ = tell.send(if committed { result } else { Err(StoreError::NotCommitted) });
            })
        });
        let jobs = self.jobs.clone().ok_or(StoreError::Closed)?;
        // The queue is rarely full; when it is, wait off the async threads.
        if let Err(mpsc::TrySendError::Full(job)) = jobs.try_send(job) {
            tokio::task::spawn_blocking(move || jobs.send(job))
                .await
                .map_err(|_| StoreError::Closed)?
                .map_err(|_| StoreError::Closed)?;
        }
        told.await.map_err(|_| StoreError::Closed)?
    }

    /// Runs `question` on a reader that sees every commit answered before now.
    pub(crate) async fn read<T, F>(&self, question: F) -> Result<T, StoreError>
    where
        T: Send + 'static,
        F: FnOnce(&Connection) -> Result<T, StoreError> + Send + 'static,
    {
        let permit = self.reading.clone().acquire_owned().await.map_err(|_| StoreError::Closed)?;
        let readers = self.readers.clone();
        tokio::task::spawn_blocking(move || {
            let take = || readers.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
            let reader = take().pop().ok_or(StoreError::Closed)?;
            let answer = question(&reader);
            take().push(reader);
            drop(permit);
            answer
        })
        .await
        .map_err(|_| StoreError::Closed)?
    }
}

impl Drop for Engine {
    fn drop(&mut self) {
        drop(self.jobs.take());
        if let Some(writer) = self.writer.take() {
            let _ = writer.join();
        }
    }
}

fn write_loop(connection: &Connection, queue: &mpsc::Receiver<Job>) {
    while let Ok(first) = queue.recv() {
        let begun = connection.execute_batch("BEGIN IMMEDIATE").is_ok();
        let open = begun.then_some(connection);
        let mut answers = vec![first(open)];
        while answers.len() < GROUP {
            match queue.try_recv() {
                Ok(job) => answers.push(job(open)),
                Err(_) => break,
            }
        }
        let committed = begun && connection.execute_batch("COMMIT").is_ok();
        if begun && !committed {
            let _ = connection.execute_batch("ROLLBACK");
        }
        for answer in answers {
            answer(committed);
        }
    }
    // The log is folded into the file, so that a closed store is one file to copy.
    let _ = connection.pragma_update(None, "wal_checkpoint", "TRUNCATE");
}

fn in_savepoint<T>(
    connection: &Connection,
    verb: impl FnOnce(&Connection) -> Result<T, StoreError>,
) -> Result<T, StoreError> {
    connection.execute_batch("SAVEPOINT verb")?;
    match verb(connection) {
        Ok(value) => {
            connection.execute_batch("RELEASE verb")?;
            Ok(value)
        }
        Err(error) => {
            connection.execute_batch("ROLLBACK TO verb; RELEASE verb")?;
            Err(error)
        }
    }
}
