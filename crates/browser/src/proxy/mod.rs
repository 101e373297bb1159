//! The only way out for Chromium: a loopback proxy that asks the [`AddressRule`] first.
//!
//! CDP tells the address of a server only after the connection, so a rule on addresses cannot live
//! there. Chromium is started with [`Proxy::chromium_flags`] and then opens no socket but to us:
//!
//! 1. `http://` comes in absolute form, is judged and forwarded over a pool of kept connections;
//! 2. `https://`, `wss://` and `ws://` come as CONNECT, are judged and tunnelled blindly;
//! 3. bodies stream both ways and are never held; lengths and silences have caps.
//!
//! # Who can use it?
//! Any process on this machine: Chromium cannot be given a proxy password on the command line. The
//! proxy listens on 127.0.0.1 only and opens nothing that the asking process could not open by
//! itself, so it hands out no power, except to software that is confined to loopback; run such
//! software elsewhere.

mod forward;
mod ledger;
mod remote;
mod tunnel;

use std::convert::Infallible;
use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Method, Request};
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tokio::task::{JoinHandle, JoinSet};

use crate::http::{AddressRule, Dialer};
use forward::Forwarder;
pub(crate) use forward::VERDICT;
use ledger::Ledger;
pub use ledger::{ProxyStats, RefusedTarget};
pub use remote::{Remote, Remotes};
use tunnel::Tunnel;

/// Chromium closes an unused connection after 300 s; closing earlier would race with it.
const KEEP_ALIVE: Duration = Duration::from_secs(310);
const MAX_HEAD: usize = 256 * 1024;
const MAX_HEADER_LINES: usize = 256;

/// How a [`Proxy`] behaves.
#[derive(Debug, Clone)]
pub struct ProxyOptions {
    /// Which addresses may be connected to.
    pub rule: AddressRule,
    /// Bytes of one response body on the wire (default 256 MB).
    pub max_response: u64,
    /// Bytes from the server through one tunnel, which carries many responses (default 1 GB).
    pub max_tunnel: u64,
    /// Longest silence: before the head of a response, inside a body, in a tunnel (default 120 s).
    pub idle_time: Duration,
    /// Time to open a connection, name lookup included (default 10 s).
    pub connect_time: Duration,
    /// Connections of browsers at one time; more wait (default 512).
    pub max_connections: usize,
}

impl ProxyOptions {
    /// The defaults, for a rule.
    pub fn new(rule: AddressRule) -> Self {
        Self {
            rule,
            max_response: 256 * 1024 * 1024,
            max_tunnel: 1024 * 1024 * 1024,
            idle_time: Duration::from_secs(120),
            connect_time: Duration::from_secs(10),
            max_connections: 512,
        }
    }
}

/// A running proxy; dropping it closes every connection.
///
/// ```no_run
/// # async fn example() -> std::io::Result<()> {
/// use browser::http::AddressRule;
/// use browser::proxy::{Proxy, ProxyOptions};
///
/// let proxy = Proxy::start(ProxyOptions::new(AddressRule::public_only())).await?;
/// println!("chromium {}", proxy.chromium_flags().join(" "));
/// for refused in proxy.refused() {
///     println!("{} times: {}", refused.times, refused.reason);
/// }
/// # Ok(()) }
/// ```
#[derive(Debug)]
pub struct Proxy {
    addr: SocketAddr,
    ledger: Arc<Ledger>,
    remotes: Remotes,
    accepting: JoinHandle<()>,
}

impl Proxy {
    /// Listens on a free port of 127.0.0.1.
    pub async fn start(options: ProxyOptions) -> io::Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
        let addr = listener.local_addr()?;
        let ledger = Arc::new(Ledger::default());
        let remotes = Remotes::default();
        let dialer = Dialer::new(options.rule.clone(), options.connect_time);
        let shared = Arc::new(Shared {
            forwarder: Forwarder::new(dialer.clone(), &options),
            dialer,
            ledger: ledger.clone(),
            remotes: remotes.clone(),
            options,
            addr,
        });
        let accepting = tokio::spawn(accept(listener, shared));
        Ok(Self { addr, ledger, remotes, accepting })
    }

    /// Where it listens.
    pub fn addr(&self) -> SocketAddr {
        self.addr
    }

    /// What it did so far.
    pub fn stats(&self) -> ProxyStats {
        self.ledger.stats()
    }

    /// Who answered behind it; goes on being told.
    pub fn remotes(&self) -> Remotes {
        self.remotes.clone()
    }

    /// The targets that the address rule refused, with how often; the first 1,000 are kept.
    pub fn refused(&self) -> Vec<RefusedTarget> {
        self.ledger.refused()
    }

    /// The flags that send all traffic of a Chromium through this proxy. By default Chromium
    /// bypasses a proxy for loopback, and WebRTC sends UDP past it.
    pub fn chromium_flags(&self) -> Vec<String> {
        vec![
            format!("--proxy-server=http://{}", self.addr),
            "--proxy-bypass-list=<-loopback>".to_owned(),
            "--force-webrtc-ip-handling-policy=disable_non_proxied_udp".to_owned(),
            "--dns-prefetch-disable".to_owned(),
        ]
    }
}

impl Drop for Proxy {
    fn drop(&mut self) {
        self.accepting.abort();
    }
}

/// What every connection needs.
struct Shared {
    forwarder: Forwarder,
    dialer: Dialer,
    ledger: Arc<Ledger>,
    remotes: Remotes,
    options: ProxyOptions,
    addr: SocketAddr,
}

async fn accept(listener: TcpListener, shared: Arc<Shared>) {
    let room = Arc::new(Semaphore::new(shared.options.max_connections.max(1)));
    // Owned by this task, so that aborting it ends every connection.
    let mut connections = JoinSet::new();
    loop {
        while connections.try_join_next().is_some() {}
        let Ok(permit) = room.clone().acquire_owned().await else {
            return;
        };
        match listener.accept().await {
            Ok((stream, _)) => {
                let shared = shared.clone();
                connections.spawn(async move {
                    serve(stream, &shared).await;
                    drop(permit);
                });
            }
            Err(error) => {
                // Out of file descriptors, mostly: give the others time to end.
                tracing::warn!(%error, "the proxy cannot accept a connection");
                tokio::time::sleep(Duration::from_millis(50)).await;
            }
        }
    }
}

async fn serve(stream: TcpStream, shared: &Arc<Shared>) {
    let _ = stream.set_nodelay(true);
    let opened: Arc<Mutex<Option<Tunnel>>> = Arc::default();
    let service = service_fn(|request: Request<Incoming>| {
        let (shared, opened) = (shared.clone(), opened.clone());
        async move {
            let response = if request.method() == Method::CONNECT {
                match tunnel::open(&shared, request).await {
                    Ok((tunnel, response)) => {
                        *opened.lock().unwrap_or_else(PoisonError::into_inner) = Some(tunnel);
                        response
                    }
                    Err(response) => response,
                }
            } else {
                forward::answer(&shared, request).await
            };
            Ok::<_, Infallible>(response)
        }
    });
    let served = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(KEEP_ALIVE)
        .max_buf_size(MAX_HEAD)
        .max_headers(MAX_HEADER_LINES)
        .preserve_header_case(true)
        .auto_date_header(false)
        .serve_connection(TokioIo::new(stream), service)
        .with_upgrades()
        .await;
    if let Err(error) = served {
        tracing::debug!(%error, "a connection of the browser ended early");
    }
    let tunnel = opened.lock().unwrap_or_else(PoisonError::into_inner).take();
    if let Some(tunnel) = tunnel {
        tunnel.run(shared).await;
    }
}
