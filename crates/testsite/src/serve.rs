//! The server: HTTP/1.1 with keep-alive on loopback.

use std::convert::Infallible;
use std::fmt;
use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::{Arc, OnceLock, PoisonError, RwLock};
use std::time::Duration;

use axum::extract::Request;
use axum::http::header::DATE;
use axum::http::{HeaderValue, Method, StatusCode};
use axum::middleware::{Next, from_fn};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use axum::{Json, Router};
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use serde_json::json;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::task::{JoinHandle, JoinSet};
use tokio::time::{sleep, timeout};

use crate::ledger::Ledger;
use crate::{Change, Clock, Options, Requests, Site, SiteKind, Truth, Visit};

/// How long responses that are on their way may take to finish when the server stops.
const GRACE: Duration = Duration::from_secs(2);

/// Why a site could not be served.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The port is taken, or may not be used.
    #[error("listen on {addr}: {source}; choose another port, or 0 for a free one")]
    Listen {
        /// Where it was tried.
        addr: SocketAddr,
        /// What the system said.
        source: io::Error,
    },
}

/// Generates a site and serves it until [`Running::stop`], or until the [`Running`] is dropped.
pub async fn serve(kind: SiteKind, options: Options) -> Result<Running, Error> {
    serve_site(kind.generate(&options), options).await
}

/// Serves a site of the caller's own.
pub async fn serve_site(site: Arc<dyn Site>, options: Options) -> Result<Running, Error> {
    let addr = SocketAddr::from((Ipv4Addr::LOCALHOST, options.port));
    let listen = |source| Error::Listen { addr, source };
    let listener = TcpListener::bind(addr).await.map_err(listen)?;
    let addr = listener.local_addr().map_err(listen)?;

    let ledger = Ledger::default();
    let entry = site.entry();
    let truth = Known { site: site.clone(), truth: Arc::default() };
    let hands = Hands(Arc::new(RwLock::new(options.clock)));
    let router = with_answers(site, truth.clone(), &ledger, &hands, options);
    let (stop, stopping) = watch::channel(());
    Ok(Running {
        addr,
        entry,
        truth,
        ledger,
        hands,
        stop,
        accepting: tokio::spawn(accept(listener, router, stopping)),
    })
}

/// The truth of a site, worked out when somebody asks: that of a large site takes more memory than
/// serving it.
#[derive(Clone)]
struct Known {
    site: Arc<dyn Site>,
    truth: Arc<OnceLock<Truth>>,
}

impl Known {
    fn get(&self) -> &Truth {
        self.truth.get_or_init(|| self.site.truth())
    }
}

impl fmt::Debug for Known {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Known").field("truth", &self.truth).finish_non_exhaustive()
    }
}

/// The site's clock, which can be set while the site is served. Clones share it.
#[derive(Debug, Clone)]
struct Hands(Arc<RwLock<Clock>>);

impl Hands {
    fn get(&self) -> Clock {
        *self.0.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn set(&self, clock: Clock) {
        *self.0.write().unwrap_or_else(PoisonError::into_inner) = clock;
    }

    /// Sets the clock as a request says: to a time, to `real`, or a day on if it says nothing.
    fn set_as_told(&self, told: &str) -> Response {
        let told = match told.trim() {
            "" => Ok(self.get().tomorrow()),
            time => time.parse(),
        };
        match told {
            Ok(clock) => {
                self.set(clock);
                Json(json!({ "clock": clock.to_string() })).into_response()
            }
            Err(error) => (StatusCode::BAD_REQUEST, error.to_string()).into_response(),
        }
    }
}

/// A site that is being served.
#[derive(Debug)]
pub struct Running {
    addr: SocketAddr,
    entry: String,
    truth: Known,
    ledger: Ledger,
    hands: Hands,
    stop: watch::Sender<()>,
    accepting: JoinHandle<()>,
}

impl Running {
    /// Where a crawl begins, such as `http://127.0.0.1:41235/`.
    pub fn url(&self) -> String {
        self.url_of(&self.entry)
    }

    /// The URL of a path that begins with `/`.
    pub fn url_of(&self, path: &str) -> String {
        format!("http://{}{path}", self.addr)
    }

    /// The address that it listens on.
    pub fn addr(&self) -> SocketAddr {
        self.addr
    }

    /// What a perfect crawl finds; the same as `/__truth.json`.
    pub fn truth(&self) -> &Truth {
        self.truth.get()
    }

    /// Every state change so far; the same as `/__log.json`.
    pub fn log(&self) -> Vec<Change> {
        self.ledger.changes()
    }

    /// How often each path was asked for; the same as `/__requests.json`.
    pub fn requests(&self) -> Requests {
        self.ledger.requests()
    }

    /// What the site believes about the time; the same as `/__clock`.
    pub fn clock(&self) -> Clock {
        self.hands.get()
    }

    /// Sets its clock; the same as a POST of that time to `/__clock`. The truth stays that of the
    /// [`Options`].
    ///
    /// ```
    /// # tokio::runtime::Runtime::new().unwrap().block_on(async {
    /// # use testsite::{Options, SiteKind, serve};
    /// let site = serve(SiteKind::Portal, Options::default()).await?;
    /// site.set_clock(site.clock().tomorrow());
    /// assert_eq!(site.clock().to_string(), "2009-05-02T08:30:00Z");
    /// # site.stop().await;
    /// # Ok::<_, testsite::Error>(())
    /// # }).unwrap();
    /// ```
    pub fn set_clock(&self, clock: Clock) {
        self.hands.set(clock);
    }

    /// Stops listening, lets responses under way finish for at most two seconds, and returns when
    /// the last connection is closed.
    pub async fn stop(mut self) {
        // It fails only if the accepting task has ended already.
        let _ = self.stop.send(());
        let _ = (&mut self.accepting).await;
    }
}

impl Drop for Running {
    /// Ends the server and all its connections at once.
    fn drop(&mut self) {
        self.accepting.abort();
    }
}

/// Takes connections until told to stop. The connections end with this task.
async fn accept(listener: TcpListener, router: Router, mut stopping: watch::Receiver<()>) {
    let mut connections = JoinSet::new();
    loop {
        tokio::select! {
            _ = stopping.changed() => break,
            accepted = listener.accept() => match accepted {
                Ok((stream, _)) => {
                    connections.spawn(converse(stream, router.clone(), stopping.clone()));
                }
                // Out of file descriptors, most likely: others have to close first.
                Err(_) => sleep(Duration::from_millis(20)).await,
            },
            Some(_) = connections.join_next() => {}
        }
    }
    drop(listener);
    let all_closed = async { while connections.join_next().await.is_some() {} };
    let _ = timeout(GRACE, all_closed).await;
}

/// Serves one connection. Its errors are the client's business: a tab that goes away mid-response
/// is daily bread for this server.
async fn converse(stream: TcpStream, router: Router, mut stopping: watch::Receiver<()>) {
    let _ = stream.set_nodelay(true);
    let service = TowerToHyperService::new(router);
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .auto_date_header(false)
        .serve_connection(TokioIo::new(stream), service);
    let mut connection = std::pin::pin!(connection);
    tokio::select! {
        _ = connection.as_mut() => return,
        _ = stopping.changed() => connection.as_mut().graceful_shutdown(),
    }
    let _ = connection.await;
}

/// The site's own routes with latency and counting, and the server's answers about them.
fn with_answers(
    site: Arc<dyn Site>,
    truth: Known,
    ledger: &Ledger,
    hands: &Hands,
    options: Options,
) -> Router {
    let robots = site.robots();
    let options = Arc::new(options);
    let counted = site.router().route("/robots.txt", get(async || robots)).layer(from_fn({
        let (ledger, hands) = (ledger.clone(), hands.clone());
        move |request, next| visit(ledger.clone(), options.clone(), hands.get(), request, next)
    }));

    let log = ledger.clone();
    let requests = ledger.clone();
    let [asked, told, dated] = [hands.clone(), hands.clone(), hands.clone()];
    let clock = get(async move || Json(json!({ "clock": asked.get().to_string() })));
    let clock = clock.post(async move |time: String| told.set_as_told(&time));
    counted
        .route("/__truth.json", get(async move || Json(truth.get()).into_response()))
        .route(
            "/__log.json",
            get(async move || Json(json!({"total": log.changed(), "changes": log.changes()}))),
        )
        .route("/__requests.json", get(async move || Json(requests.requests())))
        .route("/__clock", clock)
        .layer(from_fn(move |request, next: Next| {
            let date = HeaderValue::try_from(http_date(dated.get().now()));
            async move {
                let mut response: Response = next.run(request).await;
                if let Ok(date) = date {
                    response.headers_mut().insert(DATE, date);
                }
                Ok::<_, Infallible>(response)
            }
        }))
}

async fn visit(
    ledger: Ledger,
    options: Arc<Options>,
    clock: Clock,
    mut request: Request,
    next: Next,
) -> Response {
    let writes = !matches!(*request.method(), Method::GET | Method::HEAD);
    let path = request.uri().path().to_owned();
    let latency = options.latency;
    let visit = Visit {
        nth: ledger.request(&path, writes),
        ledger,
        options,
        now: clock.now(),
        method: request.method().to_string(),
        path,
    };
    request.extensions_mut().insert(visit);
    if !latency.is_zero() {
        sleep(latency).await;
    }
    next.run(request).await
}

fn http_date(time: jiff::Timestamp) -> String {
    time.strftime("%a, %d %b %Y %H:%M:%S GMT").to_string()
}
