//! Opening sockets: the one place of this crate that connects to a site.
//!
//! The plain client and Chromium's proxy both dial here, so an address that [`AddressRule`] refuses
//! cannot be reached by either. Answers of the resolver are kept for a minute: a page opens many
//! connections to one name and should cost one lookup.

use std::collections::HashMap;
use std::future::Future;
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll};
use std::time::Duration;

use hyper::Uri;
use hyper_util::rt::TokioIo;
use tokio::net::TcpStream;
use tokio::time::{Instant, timeout, timeout_at};

use super::address::{AddressRefused, AddressRule};

const ANSWER_LIFETIME: Duration = Duration::from_secs(60);
/// Names kept; a hostile page invents as many as it likes.
const MAX_ANSWERS: usize = 4096;
/// Addresses of one answer that are tried.
const MAX_TRIED: usize = 8;

/// Why no socket was opened.
#[derive(Debug, thiserror::Error)]
pub enum DialError {
    /// The address rule forbids it.
    #[error(transparent)]
    Refused(#[from] AddressRefused),
    /// The name does not resolve.
    #[error("cannot resolve {host}: {source}")]
    Resolve {
        /// Name that was looked up.
        host: String,
        /// What the resolver said.
        source: io::Error,
    },
    /// The name resolves to nothing.
    #[error("{host} has no address")]
    NoAddress {
        /// Name that was looked up.
        host: String,
    },
    /// No address accepted the connection.
    #[error("cannot connect to {host}:{port} ({address}): {source}")]
    Connect {
        /// Host as requested.
        host: String,
        /// Port as requested.
        port: u16,
        /// The last address tried.
        address: IpAddr,
        /// What the operating system said.
        source: io::Error,
    },
    /// No answer in time.
    #[error("no connection to {host}:{port} within {} ms", limit.as_millis())]
    Timeout {
        /// Host as requested.
        host: String,
        /// Port as requested.
        port: u16,
        /// The limit that passed.
        limit: Duration,
    },
    /// The target has no host or no port.
    #[error("cannot connect to '{0}': no host and port in it")]
    Target(String),
}

/// Resolves, asks the rule, connects.
#[derive(Debug, Clone)]
pub struct Dialer {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    rule: AddressRule,
    connect_timeout: Duration,
    answers: Mutex<HashMap<String, Answer>>,
}

#[derive(Debug, Clone)]
struct Answer {
    at: Instant,
    addresses: Vec<IpAddr>,
}

impl Dialer {
    /// A dialer that opens only what `rule` permits, within `connect_timeout` (name lookup
    /// included).
    pub fn new(rule: AddressRule, connect_timeout: Duration) -> Self {
        Self { inner: Arc::new(Inner { rule, connect_timeout, answers: Mutex::default() }) }
    }

    /// Opens a connection to `host` (IPv6 addresses with or without brackets).
    pub async fn dial(&self, host: &str, port: u16) -> Result<TcpStream, DialError> {
        let limit = self.inner.connect_timeout;
        let host = host.strip_prefix('[').unwrap_or(host);
        let host = host.strip_suffix(']').unwrap_or(host);
        let too_late = || DialError::Timeout { host: host.to_owned(), port, limit };
        let deadline = Instant::now() + limit;
        let addresses =
            timeout_at(deadline, self.resolve(host)).await.map_err(|_| too_late())??;
        let permitted = self.inner.rule.permit(host, port, &addresses)?;
        let tried = permitted.len().clamp(1, MAX_TRIED);
        // An address that swallows packets must leave time for the next one.
        let share = limit / u32::try_from(tried).unwrap_or(1);
        let mut last = None;
        for address in permitted.into_iter().take(MAX_TRIED) {
            match timeout(share, TcpStream::connect(SocketAddr::new(address, port))).await {
                Ok(Ok(stream)) => {
                    // Small requests must not wait for Nagle; a socket that cannot is still good.
                    let _ = stream.set_nodelay(true);
                    return Ok(stream);
                }
                Ok(Err(source)) => {
                    last =
                        Some(DialError::Connect { host: host.to_owned(), port, address, source });
                }
                Err(_) => last = Some(too_late()),
            }
        }
        self.forget(host);
        Err(last.unwrap_or_else(|| DialError::NoAddress { host: host.to_owned() }))
    }

    async fn resolve(&self, host: &str) -> Result<Vec<IpAddr>, DialError> {
        if let Ok(literal) = host.parse::<IpAddr>() {
            return Ok(vec![literal]);
        }
        if let Some(known) = self.recall(host) {
            return Ok(known);
        }
        // The port given to the resolver has no influence on its answer.
        let found = tokio::net::lookup_host((host, 0)).await;
        let addresses: Vec<IpAddr> = found
            .map_err(|source| DialError::Resolve { host: host.to_owned(), source })?
            .map(|socket| socket.ip())
            .collect();
        if addresses.is_empty() {
            return Err(DialError::NoAddress { host: host.to_owned() });
        }
        self.remember(host, &addresses);
        Ok(addresses)
    }

    fn recall(&self, host: &str) -> Option<Vec<IpAddr>> {
        let answers = self.answers();
        let answer = answers.get(host)?;
        (answer.at.elapsed() < ANSWER_LIFETIME).then(|| answer.addresses.clone())
    }

    fn remember(&self, host: &str, addresses: &[IpAddr]) {
        let mut answers = self.answers();
        if answers.len() >= MAX_ANSWERS {
            answers.clear();
        }
        let answer = Answer { at: Instant::now(), addresses: addresses.to_vec() };
        answers.insert(host.to_owned(), answer);
    }

    /// A host that could not be reached may have moved: look it up again next time.
    fn forget(&self, host: &str) {
        self.answers().remove(host);
    }

    fn answers(&self) -> std::sync::MutexGuard<'_, HashMap<String, Answer>> {
        self.inner.answers.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// hyper's connection pool dials through this.
impl tower_service::Service<Uri> for Dialer {
    type Response = TokioIo<TcpStream>;
    type Error = DialError;
    type Future = Pin<Box<dyn Future<Output = Result<Self::Response, DialError>> + Send>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), DialError>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, uri: Uri) -> Self::Future {
        let dialer = self.clone();
        Box::pin(async move {
            let default_port = match uri.scheme_str() {
                Some("https") => Some(443),
                Some("http") => Some(80),
                _ => None,
            };
            match (uri.host(), uri.port_u16().or(default_port)) {
                (Some(host), Some(port)) => dialer.dial(host, port).await.map(TokioIo::new),
                _ => Err(DialError::Target(uri.to_string())),
            }
        })
    }
}
