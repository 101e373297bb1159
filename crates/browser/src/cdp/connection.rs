//! The pipe: one task reads it, one writes it, sessions share it.

use std::collections::HashMap;
use std::marker::PhantomData;
use std::os::fd::OwnedFd;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::value::RawValue;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::unix::pipe;
use tokio::sync::{Semaphore, mpsc, oneshot, watch};

use super::CdpError;
use super::message::{Envelope, Event, decode};

/// A message longer than this is no message of a sane browser. Bodies are capped far below; JSON
/// may write a byte of them as six.
const LONGEST_MESSAGE: usize = 512 << 20;

/// Bytes of events that may wait in one queue. A full queue makes the reader wait: nothing is
/// dropped, and a flood of events costs this much memory at most.
const QUEUE_BYTES: usize = 32 << 20;

/// How long a command may take unless its caller knows better.
const COMMAND_TIMEOUT: Duration = Duration::from_secs(15);

type Answer = Result<Box<RawValue>, CdpError>;

/// The connection to one browser process.
#[derive(Clone)]
pub(crate) struct Connection {
    shared: Arc<Shared>,
}

struct Shared {
    outgoing: mpsc::UnboundedSender<Vec<u8>>,
    next_id: AtomicU64,
    waiting: Mutex<HashMap<u64, Waiting>>,
    routes: Mutex<Routes>,
    closed: watch::Sender<bool>,
    is_closed: AtomicBool,
}

struct Waiting {
    method: &'static str,
    answer: oneshot::Sender<Answer>,
}

/// Who gets the events of which session.
struct Routes {
    browser: Queue,
    sessions: HashMap<Arc<str>, Queue>,
}

/// The sending end of an event queue.
#[derive(Clone)]
pub(super) struct Queue {
    events: mpsc::UnboundedSender<Event>,
    room: Arc<Semaphore>,
}

/// The receiving end of an event queue.
pub(crate) struct Events {
    events: mpsc::UnboundedReceiver<Event>,
    queue: Queue,
}

impl Events {
    /// An empty queue, to be given to [`Connection::route`].
    pub fn new() -> Self {
        let (sender, events) = mpsc::unbounded_channel();
        let queue = Queue { events: sender, room: Arc::new(Semaphore::new(QUEUE_BYTES)) };
        Events { events, queue }
    }

    /// The next event.
    pub async fn next(&mut self) -> Option<Event> {
        self.events.recv().await
    }
}

impl Connection {
    /// Talks over these pipe ends; also returns the queue of the browser's own events.
    pub fn open(read: OwnedFd, write: OwnedFd) -> std::io::Result<(Connection, Events)> {
        let reader = pipe::Receiver::from_owned_fd(read)?;
        let writer = pipe::Sender::from_owned_fd(write)?;
        let (outgoing, queued) = mpsc::unbounded_channel();
        let events = Events::new();
        let routes = Routes { browser: events.queue.clone(), sessions: HashMap::new() };
        let shared = Arc::new(Shared {
            outgoing,
            next_id: AtomicU64::new(1),
            waiting: Mutex::default(),
            routes: Mutex::new(routes),
            closed: watch::Sender::new(false),
            is_closed: AtomicBool::new(false),
        });
        tokio::spawn(write_all(writer, queued, shared.clone()));
        tokio::spawn(read_all(reader, shared.clone()));
        Ok((Connection { shared }, events))
    }

    /// The session of the browser itself.
    pub fn browser(&self) -> Session {
        Session { connection: self.clone(), id: None }
    }

    /// A session by its id.
    pub fn session(&self, id: Arc<str>) -> Session {
        Session { connection: self.clone(), id: Some(id) }
    }

    /// Sends the events of a session, and of every session that it attaches, to this queue.
    pub fn route(&self, session: Arc<str>, to: &Events) {
        lock(&self.shared.routes).sessions.insert(session, to.queue.clone());
    }

    /// Closes our end of the pipe, which ends Chromium.
    pub fn close(&self) {
        self.shared.close();
    }

    /// True once the pipe is closed.
    pub fn is_closed(&self) -> bool {
        self.shared.is_closed.load(Ordering::Acquire)
    }

    /// Waits until the pipe is closed.
    pub async fn closed(&self) {
        let mut closed = self.shared.closed.subscribe();
        // The sender lives in what we hold: an error cannot mean anything but the end.
        let _ = closed.wait_for(|closed| *closed).await;
    }
}

/// A flat session: the browser itself, a page, a frame of another process, a worker.
#[derive(Clone)]
pub(crate) struct Session {
    connection: Connection,
    id: Option<Arc<str>>,
}

impl Session {
    /// The id that Chromium gave it.
    pub fn id(&self) -> Option<&Arc<str>> {
        self.id.as_ref()
    }

    /// Sends a command at once; the answer can be waited for later, so that commands overlap.
    pub fn send<T: DeserializeOwned>(
        &self,
        method: &'static str,
        params: impl Serialize,
    ) -> Reply<T> {
        Reply {
            method,
            answer: self.submit(method, params),
            timeout: COMMAND_TIMEOUT,
            result: PhantomData,
        }
    }

    /// Sends a command and waits for its result.
    pub async fn call<T: DeserializeOwned>(
        &self,
        method: &'static str,
        params: impl Serialize,
    ) -> Result<T, CdpError> {
        self.send(method, params).wait().await
    }

    /// Sends a command whose answer nobody needs.
    pub fn tell(&self, method: &'static str, params: impl Serialize) {
        drop(self.submit(method, params));
    }

    fn submit(&self, method: &'static str, params: impl Serialize) -> oneshot::Receiver<Answer> {
        #[derive(Serialize)]
        struct Command<'a, P> {
            id: u64,
            method: &'static str,
            params: P,
            #[serde(rename = "sessionId", skip_serializing_if = "Option::is_none")]
            session: Option<&'a str>,
        }
        let (answer, receiver) = oneshot::channel();
        let shared = &self.connection.shared;
        let id = shared.next_id.fetch_add(1, Ordering::Relaxed);
        let command = Command { id, method, params, session: self.id.as_deref() };
        let mut bytes = match serde_json::to_vec(&command) {
            Ok(bytes) => bytes,
            Err(error) => {
                let reason = error.to_string();
                let _ = answer.send(Err(CdpError::Malformed { method: method.into(), reason }));
                return receiver;
            }
        };
        bytes.push(0);
        {
            let mut waiting = lock(&shared.waiting);
            // A session that ends leaves its commands unanswered: forget those nobody waits for.
            if waiting.len() >= 4096 && id.is_multiple_of(1024) {
                waiting.retain(|_, waiting| !waiting.answer.is_closed());
            }
            waiting.insert(id, Waiting { method, answer });
        }
        // Checked after the insertion: whoever closes empties the table after setting the flag.
        if self.connection.is_closed() || shared.outgoing.send(bytes).is_err() {
            lock(&shared.waiting).remove(&id);
        }
        receiver
    }
}

/// An answer that is under way.
pub(crate) struct Reply<T> {
    method: &'static str,
    answer: oneshot::Receiver<Answer>,
    timeout: Duration,
    result: PhantomData<fn() -> T>,
}

impl<T: DeserializeOwned> Reply<T> {
    /// The same, with another limit of time.
    pub fn within(mut self, timeout: Duration) -> Self {
        self.timeout = timeout;
        self
    }

    /// Waits for the result.
    pub async fn wait(self) -> Result<T, CdpError> {
        let method = self.method;
        let raw = match tokio::time::timeout(self.timeout, self.answer).await {
            Ok(Ok(answer)) => answer?,
            Ok(Err(_)) => return Err(CdpError::Closed),
            Err(_) => {
                return Err(CdpError::Timeout { method, after: self.timeout });
            }
        };
        decode(raw.get()).map_err(|error| CdpError::Malformed {
            method: method.to_owned(),
            reason: error.to_string(),
        })
    }
}

impl Shared {
    fn close(&self) {
        self.is_closed.store(true, Ordering::Release);
        self.closed.send_replace(true);
        lock(&self.waiting).clear();
        // Queues end when the last sender is gone; the browser's own goes with its receiver.
        lock(&self.routes).sessions.clear();
    }

    fn answer(&self, id: u64, envelope: &Envelope) {
        let Some(waiting) = lock(&self.waiting).remove(&id) else {
            return;
        };
        let answer = match (&envelope.error, envelope.result) {
            (Some(error), _) => Err(CdpError::Refused {
                method: waiting.method,
                code: error.code,
                message: error.message.clone(),
            }),
            (None, Some(result)) => Ok(result.to_owned()),
            (None, None) => Ok(RawValue::NULL.to_owned()),
        };
        let _ = waiting.answer.send(answer);
    }

    /// Who gets an event. A session that is attached by another one goes to the same queue, from
    /// its first event on.
    fn queue_for(&self, envelope: &Envelope) -> (Option<Arc<str>>, Queue) {
        let mut routes = lock(&self.routes);
        let parent = envelope.session.as_deref();
        let known = parent.and_then(|id| routes.sessions.get_key_value(id));
        let (session, queue) = match known {
            Some((id, queue)) => (Some(id.clone()), queue.clone()),
            None => (parent.map(Arc::from), routes.browser.clone()),
        };
        match envelope.method.as_deref() {
            Some("Target.attachedToTarget") if session.is_some() => {
                if let Some(child) = session_in(envelope.params) {
                    routes.sessions.insert(child, queue.clone());
                }
            }
            // Whoever listened to the session that ends hears of it, also when it is the browser
            // that says so.
            Some("Target.detachedFromTarget") => {
                let child = session_in(envelope.params);
                if let Some(own) = child.and_then(|child| routes.sessions.remove(&child)) {
                    return (session, own);
                }
            }
            _ => {}
        }
        (session, queue)
    }

    async fn event(&self, envelope: &Envelope<'_>, bytes: usize) {
        let (session, queue) = self.queue_for(envelope);
        let wanted = u32::try_from(bytes.min(QUEUE_BYTES)).unwrap_or(u32::MAX);
        // A queue whose reader went away is closed with its semaphore's last owner; waiting for
        // room in it would wait for ever, so look first.
        if queue.events.is_closed() {
            return;
        }
        let room = tokio::select! {
            room = queue.room.clone().acquire_many_owned(wanted) => room.ok(),
            () = queue.events.closed() => return,
        };
        let method = envelope.method.as_deref().unwrap_or_default().to_owned();
        let params = envelope.params.map(ToOwned::to_owned);
        let _ = queue.events.send(Event { session, method, params, _room: room });
    }
}

fn session_in(params: Option<&RawValue>) -> Option<Arc<str>> {
    #[derive(serde::Deserialize)]
    struct Named {
        #[serde(rename = "sessionId")]
        session: Option<String>,
    }
    let named: Named = decode(params?.get()).ok()?;
    named.session.map(Arc::from)
}

async fn read_all(mut pipe: pipe::Receiver, shared: Arc<Shared>) {
    let mut buffer: Vec<u8> = Vec::with_capacity(1 << 16);
    let mut searched = 0;
    let mut closed = shared.closed.subscribe();
    'pipe: loop {
        let mut start = 0;
        while let Some(end) = memchr::memchr(0, buffer.get(searched..).unwrap_or_default()) {
            let end = searched + end;
            if let Some(message) = buffer.get(start..end) {
                take(message, &shared).await;
            }
            start = end + 1;
            searched = start;
        }
        buffer.drain(..start);
        searched = buffer.len();
        if buffer.len() > LONGEST_MESSAGE {
            tracing::warn!("a message of the browser passed {LONGEST_MESSAGE} bytes: giving it up");
            break;
        }
        buffer.reserve(1 << 16);
        tokio::select! {
            read = pipe.read_buf(&mut buffer) => match read {
                Ok(0) | Err(_) => break 'pipe,
                Ok(_) => {}
            },
            _ = closed.wait_for(|closed| *closed) => break 'pipe,
        }
        // One huge body must not be remembered for the rest of the browser's life.
        if buffer.capacity() > 8 << 20 && buffer.len() < 1 << 16 {
            buffer.shrink_to(1 << 16);
        }
    }
    shared.close();
}

async fn take(message: &[u8], shared: &Shared) {
    let text = String::from_utf8_lossy(message);
    let envelope: Envelope = match serde_json::from_str(&text) {
        Ok(envelope) => envelope,
        Err(error) => {
            tracing::warn!(%error, bytes = message.len(), "unreadable message of the browser");
            return;
        }
    };
    match envelope.id {
        Some(id) => shared.answer(id, &envelope),
        None => shared.event(&envelope, message.len()).await,
    }
}

async fn write_all(
    mut pipe: pipe::Sender,
    mut queued: mpsc::UnboundedReceiver<Vec<u8>>,
    shared: Arc<Shared>,
) {
    let mut closed = shared.closed.subscribe();
    loop {
        let message = tokio::select! {
            message = queued.recv() => message,
            _ = closed.wait_for(|closed| *closed) => None,
        };
        let Some(message) = message else { break };
        if pipe.write_all(&message).await.is_err() {
            break;
        }
    }
    shared.close();
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
