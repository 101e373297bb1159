//! Requests in absolute form (`GET http://host/path`): judged, forwarded, streamed back.

use std::net::IpAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use http_body_util::{Either, Empty, Full};
use hyper::body::{Body, Bytes, Frame, Incoming, SizeHint};
use hyper::header::{self, HeaderMap, HeaderName, HeaderValue};
use hyper::http::request::Parts;
use hyper::{Request, Response, StatusCode, Version};
use hyper_util::client::legacy::connect::HttpInfo;
use hyper_util::client::legacy::{self, Client as Pool};
use hyper_util::rt::{TokioExecutor, TokioTimer};
use tokio::time::{Instant, Sleep, timeout};

use super::ledger::{Ledger, count};
use super::remote::Remote;
use super::{MAX_HEAD, MAX_HEADER_LINES, ProxyOptions, Shared};
use crate::http::{AddressRefused, DialError, Dialer, causes, is_cut_short, refusal};

/// Named on every answer that the proxy itself gives, so that it is not taken for the site's.
pub(crate) const VERDICT: HeaderName = HeaderName::from_static("x-bathys-proxy");

/// Headers that concern one connection only (RFC 9110 §7.6.1), beside those that `Connection`
/// names. `Upgrade` is one of them: browsers upgrade through CONNECT when they have a proxy.
const HOP_BY_HOP: [HeaderName; 9] = [
    header::CONNECTION,
    HeaderName::from_static("keep-alive"),
    HeaderName::from_static("proxy-connection"),
    header::PROXY_AUTHENTICATE,
    header::PROXY_AUTHORIZATION,
    header::TE,
    header::TRAILER,
    header::TRANSFER_ENCODING,
    header::UPGRADE,
];

/// What the browser gets: words of ours, or a server's body as it streams.
pub(super) type Answer = Either<Full<Bytes>, Metered>;

type Sent = Either<Empty<Bytes>, Incoming>;

/// Kept connections to servers, by origin.
pub(super) struct Forwarder {
    pool: Pool<Dialer, Sent>,
}

impl Forwarder {
    pub(super) fn new(dialer: Dialer, options: &ProxyOptions) -> Self {
        let pool = Pool::builder(TokioExecutor::new())
            .pool_timer(TokioTimer::new())
            .pool_idle_timeout(options.idle_time.min(Duration::from_secs(60)))
            .pool_max_idle_per_host(16)
            .timer(TokioTimer::new())
            .http1_max_buf_size(MAX_HEAD)
            .http1_max_headers(MAX_HEADER_LINES)
            .http1_preserve_header_case(true)
            .http1_ignore_invalid_headers_in_responses(true)
            .http1_allow_obsolete_multiline_headers_in_responses(true)
            .build(dialer);
        Self { pool }
    }

    async fn send(&self, request: Request<Sent>) -> Result<Response<Incoming>, legacy::Error> {
        let (parts, body) = request.into_parts();
        // What has no body can be sent again if the server closes the connection just then.
        if !matches!(body, Either::Left(_)) || !parts.method.is_idempotent() {
            return self.pool.request(Request::from_parts(parts, body)).await;
        }
        let again = parts.clone();
        let empty = |parts: Parts| Request::from_parts(parts, Either::Left(Empty::new()));
        match self.pool.request(empty(parts)).await {
            Err(error) if is_cut_short(&error) => self.pool.request(empty(again)).await,
            outcome => outcome,
        }
    }
}

/// Answers one request in absolute form.
pub(super) async fn answer(shared: &Arc<Shared>, request: Request<Incoming>) -> Response<Answer> {
    count(&shared.ledger.requests, 1);
    let request = match outgoing(request) {
        Ok(request) => request,
        Err(why) => return say(StatusCode::BAD_REQUEST, "bad-request", why),
    };
    let host = request.uri().host().unwrap_or_default().to_owned();
    let port = request.uri().port_u16().unwrap_or(80);
    if is_own_address(shared, &host, port) {
        return say(StatusCode::LOOP_DETECTED, "loop", "this is the proxy itself");
    }
    let limit = shared.options.idle_time;
    let response = match timeout(limit, shared.forwarder.send(request)).await {
        Ok(Ok(response)) => response,
        Ok(Err(error)) => {
            return match refusal(&error) {
                Some(refused) => refuse(&shared.ledger, &refused),
                None => fail(&shared.ledger, StatusCode::BAD_GATEWAY, &causes(&error)),
            };
        }
        Err(_) => {
            let why = format!("no answer within {} ms", limit.as_millis());
            return fail(&shared.ledger, StatusCode::GATEWAY_TIMEOUT, &why);
        }
    };
    if let Some(info) = response.extensions().get::<HttpInfo>() {
        let remote = Remote { address: info.remote_addr(), version: Some(response.version()) };
        shared.remotes.note(&host, port, remote);
    }
    incoming(shared, response)
}

/// The answer to a target that could not be dialled.
pub(super) fn undialled(ledger: &Ledger, error: &DialError) -> Response<Answer> {
    match error {
        DialError::Refused(refused) => refuse(ledger, refused),
        other => fail(ledger, StatusCode::BAD_GATEWAY, &causes(other)),
    }
}

/// A target whose connection would come back to us, however the rule feels about it.
pub(super) fn is_own_address(shared: &Shared, host: &str, port: u16) -> bool {
    let host = host.trim_start_matches('[').trim_end_matches(']');
    let is_loopback = host.parse::<IpAddr>().map_or_else(
        |_| host.eq_ignore_ascii_case("localhost"),
        |address| address.is_loopback() || address.is_unspecified(),
    );
    is_loopback && port == shared.addr.port()
}

/// A short answer of our own. The header has the words, too: whoever reads no bodies shall know them.
pub(super) fn say(status: StatusCode, verdict: &'static str, words: &str) -> Response<Answer> {
    let told: String = words.chars().filter(|c| matches!(c, ' '..='~')).collect();
    let told = HeaderValue::from_str(&format!("{verdict}: {told}"));
    let mut response = Response::new(Either::Left(Full::new(Bytes::from(format!("{words}\n")))));
    *response.status_mut() = status;
    let headers = response.headers_mut();
    headers.insert(VERDICT, told.unwrap_or(HeaderValue::from_static(verdict)));
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("text/plain; charset=utf-8"));
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    response
}

fn refuse(ledger: &Ledger, refused: &AddressRefused) -> Response<Answer> {
    ledger.refuse(refused);
    let words = format!("refused by the address rule: {refused}");
    say(StatusCode::FORBIDDEN, "refused-address", &words)
}

fn fail(ledger: &Ledger, status: StatusCode, why: &str) -> Response<Answer> {
    count(&ledger.failed, 1);
    say(status, "failed", why)
}

/// The request as the server shall see it.
fn outgoing(request: Request<Incoming>) -> Result<Request<Sent>, &'static str> {
    let (mut parts, body) = request.into_parts();
    if parts.uri.scheme_str() != Some("http") {
        return Err("only http:// URLs in absolute form and CONNECT are served here");
    }
    let authority = parts.uri.authority().ok_or("no host in the URL")?;
    // RFC 9112 §3.2.2: the target decides, whatever `Host` said.
    let host = authority.as_str().rsplit('@').next().unwrap_or_default();
    let host = HeaderValue::from_str(host).map_err(|_| "the host cannot be sent in a header")?;
    strip_hop_by_hop(&mut parts.headers);
    // No `Via`: sites must answer us as they answer any visitor.
    parts.headers.insert(header::HOST, host);
    parts.version = Version::HTTP_11;
    let body = if body.is_end_stream() { Either::Left(Empty::new()) } else { Either::Right(body) };
    Ok(Request::from_parts(parts, body))
}

/// The response as the browser shall see it.
fn incoming(shared: &Arc<Shared>, response: Response<Incoming>) -> Response<Answer> {
    let cap = shared.options.max_response;
    if response.body().size_hint().lower() > cap {
        count(&shared.ledger.capped, 1);
        let words = format!("the response is longer than {cap} bytes");
        return say(StatusCode::BAD_GATEWAY, "too-large", &words);
    }
    let (mut parts, body) = response.into_parts();
    strip_hop_by_hop(&mut parts.headers);
    parts.headers.remove(VERDICT);
    parts.version = Version::HTTP_11;
    let body = Metered {
        body,
        left: cap,
        idle_time: shared.options.idle_time,
        silence: None,
        ledger: shared.ledger.clone(),
    };
    Response::from_parts(parts, Either::Right(body))
}

fn strip_hop_by_hop(headers: &mut HeaderMap) {
    let named: Vec<HeaderName> = headers
        .get_all(header::CONNECTION)
        .iter()
        .flat_map(|value| value.as_bytes().split(|&byte| byte == b','))
        .filter_map(|name| HeaderName::from_bytes(name.trim_ascii()).ok())
        // A message cannot ask us to drop what frames or routes it.
        .filter(|name| !matches!(*name, header::HOST | header::CONTENT_LENGTH))
        .collect();
    for name in named.iter().chain(&HOP_BY_HOP) {
        headers.remove(name);
    }
}

/// A server's body on its way to the browser, with its cap and its silence watched.
pub(super) struct Metered {
    body: Incoming,
    left: u64,
    idle_time: Duration,
    /// Runs while nothing comes; made at the first wait, as most bodies are there at once.
    silence: Option<Pin<Box<Sleep>>>,
    ledger: Arc<Ledger>,
}

/// Why a body that had begun was broken off.
#[derive(Debug, thiserror::Error)]
pub(super) enum MeterError {
    #[error("the response is over the byte cap")]
    Cap,
    #[error("the server fell silent")]
    Silence,
    #[error(transparent)]
    Broken(#[from] hyper::Error),
}

impl Body for Metered {
    type Data = Bytes;
    type Error = MeterError;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, MeterError>>> {
        let Poll::Ready(next) = Pin::new(&mut self.body).poll_frame(cx) else {
            let idle_time = self.idle_time;
            let silence =
                self.silence.get_or_insert_with(|| Box::pin(tokio::time::sleep(idle_time)));
            ready!(silence.as_mut().poll(cx));
            return Poll::Ready(Some(Err(MeterError::Silence)));
        };
        let idle_time = self.idle_time;
        if let Some(silence) = &mut self.silence {
            silence.as_mut().reset(Instant::now() + idle_time);
        }
        let Some(frame) = next else {
            return Poll::Ready(None);
        };
        let frame = frame?;
        let bytes = frame.data_ref().map_or(0, |data| data.len() as u64);
        count(&self.ledger.bytes_down, bytes);
        match self.left.checked_sub(bytes) {
            Some(left) => {
                self.left = left;
                Poll::Ready(Some(Ok(frame)))
            }
            None => {
                count(&self.ledger.capped, 1);
                Poll::Ready(Some(Err(MeterError::Cap)))
            }
        }
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}
