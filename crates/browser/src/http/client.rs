//! A plain HTTP client for hostile servers: every length and every wait has a cap.

use std::error::Error as StdError;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use http_body_util::{BodyExt, Full};
use hyper::body::{Bytes, Incoming};
use hyper::header::{self, HeaderMap, HeaderValue};
use hyper::{Method, Response};
use hyper_rustls::{HttpsConnector, HttpsConnectorBuilder};
use hyper_util::client::legacy::connect::HttpInfo;
use hyper_util::client::legacy::{self, Client as Pool};
use hyper_util::rt::{TokioExecutor, TokioTimer};
use rustls::pki_types::CertificateDer;
use tokio::time::{Instant, timeout_at};
use url::{Position, Url};

use super::address::{AddressRefused, AddressRule};
use super::cookie::Jar;
use super::decode::Body;
use super::dial::{DialError, Dialer};
use super::exchange::{Cut, Exchange, FetchError, Request};

/// Longest URI that hyper can send.
const MAX_URI: usize = u16::MAX as usize - 1;
/// Header lines of one response. Real sites stay below 100.
const MAX_HEADER_LINES: usize = 256;

/// How a [`Client`] behaves.
#[derive(Debug, Clone)]
pub struct ClientOptions {
    /// Sent as `User-Agent`; say who you are and how to reach you.
    pub user_agent: String,
    /// Which addresses may be connected to.
    pub rule: AddressRule,
    /// Bytes of a body after decoding, and on the wire (default 32 MB).
    pub max_body: usize,
    /// Bytes of the head of a response (default 256 KB, as Chromium).
    pub max_head: usize,
    /// Time for the whole exchange (default 60 s).
    pub total_time: Duration,
    /// Time to open a connection, name lookup included (default 10 s).
    pub connect_time: Duration,
    /// Longest silence while a body arrives (default 15 s).
    pub idle_time: Duration,
    /// Authorities to trust beside Mozilla's, such as a company's own.
    pub extra_roots: Vec<CertificateDer<'static>>,
}

impl ClientOptions {
    /// The defaults, for a user agent and a rule.
    pub fn new(user_agent: impl Into<String>, rule: AddressRule) -> Self {
        Self {
            user_agent: user_agent.into(),
            rule,
            max_body: 32 * 1024 * 1024,
            max_head: 256 * 1024,
            total_time: Duration::from_secs(60),
            connect_time: Duration::from_secs(10),
            idle_time: Duration::from_secs(15),
            extra_roots: Vec::new(),
        }
    }
}

/// Why a [`Client`] cannot be made.
#[derive(Debug, thiserror::Error)]
pub enum ClientError {
    /// The user agent cannot be sent in a header.
    #[error("user agent {0:?} has characters that no header may have")]
    UserAgent(String),
    /// TLS cannot be set up.
    #[error("cannot set up TLS: {0}")]
    Tls(#[from] rustls::Error),
}

/// Fetches over HTTP/1.1 and HTTP/2 with its own cookies and its own pool of connections. Cheap to
/// clone; clones share both.
///
/// ```no_run
/// # async fn example() -> Result<(), Box<dyn std::error::Error>> {
/// use browser::http::{AddressRule, Client, ClientOptions, Request};
///
/// let client = Client::new(ClientOptions::new("bathys/0.1", AddressRule::public_only()))?;
/// let exchange = client.fetch(&Request::get("https://example.com/".parse()?)).await?;
/// println!("{} {} bytes", exchange.status, exchange.body.len());
/// # Ok(()) }
/// ```
#[derive(Debug, Clone)]
pub struct Client {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    options: ClientOptions,
    user_agent: HeaderValue,
    pool: Pool<HttpsConnector<Dialer>, Full<Bytes>>,
    jar: Jar,
}

impl Client {
    /// A client with an empty cookie jar.
    pub fn new(options: ClientOptions) -> Result<Self, ClientError> {
        let user_agent = HeaderValue::from_str(&options.user_agent)
            .map_err(|_| ClientError::UserAgent(options.user_agent.clone()))?;
        let dialer = Dialer::new(options.rule.clone(), options.connect_time);
        let connector = HttpsConnectorBuilder::new()
            .with_tls_config(tls(&options.extra_roots)?)
            .https_or_http()
            .enable_all_versions()
            .wrap_connector(dialer);
        let head_bytes = options.max_head.max(8 * 1024);
        let pool = Pool::builder(TokioExecutor::new())
            .pool_timer(TokioTimer::new())
            .pool_idle_timeout(Duration::from_secs(30))
            .pool_max_idle_per_host(8)
            .timer(TokioTimer::new())
            .http1_max_buf_size(head_bytes)
            .http1_max_headers(MAX_HEADER_LINES)
            .http1_ignore_invalid_headers_in_responses(true)
            .http1_allow_obsolete_multiline_headers_in_responses(true)
            .http2_max_header_list_size(u32::try_from(head_bytes).unwrap_or(u32::MAX))
            .build(connector);
        Ok(Self { inner: Arc::new(Inner { options, user_agent, pool, jar: Jar::default() }) })
    }

    /// Sends one request and reads its answer. A redirect is an answer like any other: whether it is
    /// followed is for the caller to decide, with [`Exchange::redirect`].
    ///
    /// # Errors
    /// When there is no answer. A body that ends early is none: [`Exchange::cut`] tells.
    pub async fn fetch(&self, request: &Request) -> Result<Exchange, FetchError> {
        let (at, started) = (SystemTime::now(), Instant::now());
        let deadline = started + self.inner.options.total_time;
        let sent = self.headers(request);
        let mut response = self.roundtrip(request, &sent, deadline).await?;
        let headers = std::mem::take(response.headers_mut());
        self.inner.jar.keep(&request.url, &headers);
        let remote = response.extensions().get::<HttpInfo>().map(HttpInfo::remote_addr);
        let mut exchange = Exchange {
            method: request.method.clone(),
            url: request.url.clone(),
            at,
            sent,
            version: response.version(),
            status: response.status(),
            headers,
            remote,
            waited: started.elapsed(),
            body: Vec::new(),
            cut: None,
            wire_bytes: 0,
            elapsed: Duration::ZERO,
        };
        self.read(&mut exchange, response.into_body(), deadline).await;
        exchange.elapsed = started.elapsed();
        Ok(exchange)
    }

    /// Keeps a cookie that came another way (written as in `Set-Cookie`); says whether it was kept.
    pub fn set_cookie(&self, url: &Url, set_cookie: &str) -> bool {
        self.inner.jar.set(url, set_cookie)
    }

    /// The `Cookie` header that a request to `url` carries now.
    pub fn cookie_header(&self, url: &Url) -> Option<HeaderValue> {
        self.inner.jar.header(url)
    }

    async fn roundtrip(
        &self,
        request: &Request,
        headers: &HeaderMap,
        deadline: Instant,
    ) -> Result<Response<Incoming>, FetchError> {
        let url = &request.url;
        let may_repeat = matches!(request.method, Method::GET | Method::HEAD);
        let mut again = may_repeat;
        loop {
            let sending = self.inner.pool.request(wire_request(request, headers)?);
            let outcome = timeout_at(deadline, sending).await;
            let error = match outcome {
                Ok(Ok(response)) => return Ok(response),
                Ok(Err(error)) => error,
                Err(_) => {
                    return Err(FetchError::Timeout {
                        url: url.clone(),
                        limit: self.inner.options.total_time,
                    });
                }
            };
            // A server may close a pooled connection while our request is on its way.
            if again && is_cut_short(&error) {
                again = false;
                continue;
            }
            return Err(fetch_error(url, &error));
        }
    }

    fn headers(&self, request: &Request) -> HeaderMap {
        let mut headers = HeaderMap::new();
        headers.insert(header::USER_AGENT, self.inner.user_agent.clone());
        headers.insert(
            header::ACCEPT,
            HeaderValue::from_static(
                "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8",
            ),
        );
        headers
            .insert(header::ACCEPT_ENCODING, HeaderValue::from_static("gzip, deflate, br, zstd"));
        if let Some(cookies) = self.inner.jar.header(&request.url) {
            headers.insert(header::COOKIE, cookies);
        }
        for (name, value) in &request.headers {
            headers.insert(name.clone(), value.clone());
        }
        headers
    }

    async fn read(&self, exchange: &mut Exchange, mut wire: Incoming, deadline: Instant) {
        let options = &self.inner.options;
        let encodings: Vec<String> = exchange
            .headers
            .get_all(header::CONTENT_ENCODING)
            .iter()
            .map(|value| String::from_utf8_lossy(value.as_bytes()).into_owned())
            .collect();
        let mut body = Body::new(&encodings.join(","), options.max_body);
        let cut = loop {
            let quiet = deadline.min(Instant::now() + options.idle_time);
            let frame = match timeout_at(quiet, wire.frame()).await {
                Ok(None) => break None,
                Ok(Some(Ok(frame))) => frame,
                Ok(Some(Err(error))) => break Some(Cut::Connection(causes(&error))),
                Err(_) => break Some(Cut::Time),
            };
            let Ok(chunk) = frame.into_data() else {
                continue;
            };
            exchange.wire_bytes += chunk.len() as u64;
            if let Err(cut) = body.push(&chunk) {
                break Some(cut);
            }
            // Bytes that decode to nothing must end too.
            if exchange.wire_bytes > options.max_body as u64 {
                break Some(Cut::Size);
            }
        };
        let (bytes, wrong) = body.finish();
        (exchange.body, exchange.cut) = (bytes, cut.or(wrong));
    }
}

fn tls(extra: &[CertificateDer<'static>]) -> Result<rustls::ClientConfig, rustls::Error> {
    let mut roots = rustls::RootCertStore::empty();
    roots.extend(webpki_roots::TLS_SERVER_ROOTS.iter().cloned());
    for certificate in extra {
        roots.add(certificate.clone())?;
    }
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    Ok(rustls::ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()?
        .with_root_certificates(roots)
        .with_no_client_auth())
}

fn wire_request(
    request: &Request,
    headers: &HeaderMap,
) -> Result<hyper::Request<Full<Bytes>>, FetchError> {
    let url = &request.url;
    let wrong = |why| FetchError::Url { url: url.clone(), why };
    if !matches!(url.scheme(), "http" | "https") {
        return Err(wrong("only http and https are fetched"));
    }
    // Without the fragment, and without a user and a password that a page may have put there.
    let target = format!("{}://{}", url.scheme(), &url[Position::BeforeHost..Position::AfterQuery]);
    if target.len() > MAX_URI {
        return Err(wrong("it is longer than 65,534 bytes"));
    }
    let mut wire = hyper::Request::builder()
        .method(request.method.clone())
        .uri(target)
        .body(Full::new(request.body.clone()))
        .map_err(|_| wrong("it cannot be sent as a request target"))?;
    *wire.headers_mut() = headers.clone();
    Ok(wire)
}

/// Did the server close the connection before it answered?
pub(crate) fn is_cut_short(error: &legacy::Error) -> bool {
    use std::io::ErrorKind::{BrokenPipe, ConnectionReset};
    let closed = |cause: &(dyn StdError + 'static)| {
        let early = cause.downcast_ref::<hyper::Error>();
        let broken = cause.downcast_ref::<std::io::Error>();
        early.is_some_and(hyper::Error::is_incomplete_message)
            || broken.is_some_and(|e| matches!(e.kind(), BrokenPipe | ConnectionReset))
    };
    !error.is_connect() && chain(error).any(closed)
}

fn fetch_error(url: &Url, error: &legacy::Error) -> FetchError {
    let url = url.clone();
    match refusal(error) {
        Some(refused) => FetchError::Refused { url, source: Box::new(refused) },
        None if error.is_connect() => FetchError::Connect { url, why: causes(error) },
        None => FetchError::Protocol { url, why: causes(error) },
    }
}

/// The address rule's answer, if that is why there is no connection.
pub(crate) fn refusal(error: &legacy::Error) -> Option<AddressRefused> {
    chain(error).find_map(|cause| match cause.downcast_ref::<DialError>() {
        Some(DialError::Refused(refused)) => Some(refused.clone()),
        _ => None,
    })
}

fn chain<'a>(
    error: &'a (dyn StdError + 'static),
) -> impl Iterator<Item = &'a (dyn StdError + 'static)> {
    std::iter::successors(Some(error), |&cause| cause.source())
}

/// The whole chain in words: hyper's outermost message alone says little.
pub(crate) fn causes(error: &(dyn StdError + 'static)) -> String {
    let words: Vec<String> = chain(error).map(ToString::to_string).collect();
    words.join(": ")
}
