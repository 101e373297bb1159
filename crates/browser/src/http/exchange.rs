//! What is asked and what came back.

use std::fmt;
use std::net::SocketAddr;
use std::time::{Duration, SystemTime};

use hyper::body::Bytes;
use hyper::header::{
    AUTHORIZATION, CONTENT_ENCODING, CONTENT_LANGUAGE, CONTENT_LOCATION, CONTENT_TYPE, COOKIE,
    HeaderMap, HeaderName, HeaderValue, LOCATION, REFERER,
};
use hyper::{Method, StatusCode, Version};
use url::Url;

use super::address::AddressRefused;

/// A request for one resource.
#[derive(Debug, Clone)]
pub struct Request {
    /// Method; GET unless said otherwise.
    pub method: Method,
    /// What is asked for; http or https.
    pub url: Url,
    /// Headers of the caller, such as `If-None-Match` or `Referer`. They replace our defaults.
    pub headers: HeaderMap,
    /// Body to send.
    pub body: Bytes,
}

impl Request {
    /// A GET for `url`.
    pub fn get(url: Url) -> Self {
        Self { method: Method::GET, url, headers: HeaderMap::new(), body: Bytes::new() }
    }

    /// A POST of `body` to `url`.
    pub fn post(url: Url, content_type: HeaderValue, body: impl Into<Bytes>) -> Self {
        let mut request = Self::get(url);
        request.method = Method::POST;
        request.body = body.into();
        request.headers.insert(CONTENT_TYPE, content_type);
        request
    }

    /// Adds a header.
    #[must_use]
    pub fn header(mut self, name: HeaderName, value: HeaderValue) -> Self {
        self.headers.insert(name, value);
        self
    }
}

/// One request with its answer.
#[derive(Debug, Clone)]
pub struct Exchange {
    /// Method of the request.
    pub method: Method,
    /// URL of the request.
    pub url: Url,
    /// When the request was sent.
    pub at: SystemTime,
    /// Headers that were sent (hyper adds `Host`).
    pub sent: HeaderMap,
    /// Version of HTTP of the response.
    pub version: Version,
    /// Status of the response.
    pub status: StatusCode,
    /// Headers as received: names in lower case, in the order of arrival, repeated names side by
    /// side at the place of the first.
    pub headers: HeaderMap,
    /// The address that answered.
    pub remote: Option<SocketAddr>,
    /// Time from the request to the head of the response.
    pub waited: Duration,
    /// The body after transfer and content decoding.
    pub body: Vec<u8>,
    /// Why the body is not the whole body.
    pub cut: Option<Cut>,
    /// Bytes of the body on the wire, before content decoding.
    pub wire_bytes: u64,
    /// Time of everything.
    pub elapsed: Duration,
}

impl Exchange {
    /// The request that a redirect asks for, by the rules that browsers share (Fetch, HTTP-redirect
    /// fetch); `Err` with the text of a `Location` that leads nowhere, `None` if it is no redirect.
    pub fn redirect(&self, request: &Request) -> Option<Result<Request, String>> {
        if !matches!(self.status.as_u16(), 301 | 302 | 303 | 307 | 308) {
            return None;
        }
        let location = String::from_utf8_lossy(self.headers.get(LOCATION)?.as_bytes());
        let target = self.url.join(&location).ok();
        let Some(mut to) = target.filter(|to| matches!(to.scheme(), "http" | "https")) else {
            return Some(Err(location.into_owned()));
        };
        // A target without a fragment inherits the one that was asked for.
        if to.fragment().is_none() {
            to.set_fragment(self.url.fragment());
        }
        let mut next = request.clone();
        let becomes_get = match self.status {
            StatusCode::SEE_OTHER => !matches!(next.method, Method::GET | Method::HEAD),
            StatusCode::MOVED_PERMANENTLY | StatusCode::FOUND => next.method == Method::POST,
            _ => false,
        };
        if becomes_get {
            next.method = Method::GET;
            next.body = Bytes::new();
            for name in [CONTENT_TYPE, CONTENT_ENCODING, CONTENT_LANGUAGE, CONTENT_LOCATION] {
                next.headers.remove(name);
            }
        }
        if next.url.origin() != to.origin() {
            for name in [AUTHORIZATION, COOKIE, REFERER] {
                next.headers.remove(name);
            }
        }
        next.url = to;
        Some(Ok(next))
    }
}

/// A version of HTTP as archives and browsers call it: `http/1.1`, `h2`.
pub fn version_name(version: Version) -> &'static str {
    match version {
        Version::HTTP_09 => "http/0.9",
        Version::HTTP_10 => "http/1.0",
        Version::HTTP_2 => "h2",
        Version::HTTP_3 => "h3",
        _ => "http/1.1",
    }
}

/// Why a body is not whole.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Cut {
    /// The cap on the size was reached.
    Size,
    /// The total time was over, or nothing came for the idle time.
    Time,
    /// The connection broke.
    Connection(String),
    /// The content encoding is broken or unknown.
    Encoding(String),
}

/// The reason, in a few words.
impl fmt::Display for Cut {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Size => f.write_str("it is larger than the limit"),
            Self::Time => f.write_str("it took longer than the limit"),
            Self::Connection(why) => write!(f, "the connection broke: {why}"),
            Self::Encoding(why) => write!(f, "its content encoding is broken: {why}"),
        }
    }
}

/// Why there is no exchange.
#[derive(Debug, thiserror::Error)]
pub enum FetchError {
    /// Not a URL that can be fetched.
    #[error("cannot fetch {url}: {why}")]
    Url {
        /// The URL.
        url: Url,
        /// What is wrong with it.
        why: &'static str,
    },
    /// The address rule forbids it.
    #[error("refused {url}: {source}")]
    Refused {
        /// The URL.
        url: Url,
        /// The rule's answer.
        source: Box<AddressRefused>,
    },
    /// No connection, or no secure one.
    #[error("cannot reach {url}: {why}")]
    Connect {
        /// The URL.
        url: Url,
        /// Every cause, outermost first.
        why: String,
    },
    /// No head of a response in time.
    #[error("no answer from {url} within {} ms", limit.as_millis())]
    Timeout {
        /// The URL.
        url: Url,
        /// The limit that passed.
        limit: Duration,
    },
    /// What came is not HTTP, or its head is over the caps.
    #[error("broken answer from {url}: {why}")]
    Protocol {
        /// The URL.
        url: Url,
        /// Every cause, outermost first.
        why: String,
    },
}
