//! What is asked and what came back.

use std::net::SocketAddr;
use std::time::Duration;

use hyper::body::Bytes;
use hyper::header::{CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue};
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

/// What the caller decides while a fetch is under way. `()` follows every redirect and reads every
/// body.
pub trait Decide: Send + Sync {
    /// May the redirect `from` be followed to `to`? An error is the reason, in words.
    fn follow(&self, from: &Hop, to: &Url) -> Result<(), String> {
        let _ = (from, to);
        Ok(())
    }

    /// Is the body worth reading, now that the status and the headers are known?
    fn read(&self, last: &Hop) -> bool {
        let _ = last;
        true
    }
}

impl Decide for () {}

/// One request and the head of its response.
#[derive(Debug, Clone)]
pub struct Hop {
    /// Method of the request.
    pub method: Method,
    /// URL of the request.
    pub url: Url,
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
}

/// A request with everything that came of it.
#[derive(Debug, Clone)]
pub struct Exchange {
    /// Redirects that were followed, in order.
    pub redirects: Vec<Hop>,
    /// The response that ended it.
    pub last: Hop,
    /// Body of the last response after transfer and content decoding.
    pub body: Vec<u8>,
    /// Why the body is not the whole body.
    pub cut: Option<Cut>,
    /// Why the last response is a redirect that was not followed.
    pub unfollowed: Option<Unfollowed>,
    /// Bytes of the body on the wire, before content decoding.
    pub wire_bytes: u64,
    /// Time of everything.
    pub elapsed: Duration,
}

impl Exchange {
    /// The URL that answered in the end.
    pub fn url(&self) -> &Url {
        &self.last.url
    }

    /// Every request in order: the redirects, then the one that answered.
    pub fn hops(&self) -> impl Iterator<Item = &Hop> {
        self.redirects.iter().chain([&self.last])
    }

    /// The final status.
    pub fn status(&self) -> StatusCode {
        self.last.status
    }

    /// The headers of the final response.
    pub fn headers(&self) -> &HeaderMap {
        &self.last.headers
    }

    /// Is a part of the body missing?
    pub fn truncated(&self) -> bool {
        self.cut.is_some()
    }

    /// The media type of the final response, in lower case and without parameters.
    pub fn media_type(&self) -> String {
        media_type(&self.last.headers)
    }
}

/// The media type that `headers` declare, in lower case and without parameters; empty if none.
pub fn media_type(headers: &HeaderMap) -> String {
    let value = headers.get(CONTENT_TYPE).map(HeaderValue::as_bytes);
    let text = String::from_utf8_lossy(value.unwrap_or_default());
    let name = text.split(';').next().unwrap_or_default();
    name.trim().to_ascii_lowercase()
}

/// Why a body is not whole.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Cut {
    /// [`Decide::read`] said no.
    Unwanted,
    /// The cap on the size was reached.
    Size,
    /// The total time was over, or nothing came for the idle time.
    Time,
    /// The connection broke.
    Connection(String),
    /// The content encoding is broken or unknown.
    Encoding(String),
}

/// Why a redirect was not followed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Unfollowed {
    /// [`Decide::follow`] said no.
    Refused {
        /// Where it led.
        to: Url,
        /// Its reason.
        reason: String,
    },
    /// The cap on redirects was reached.
    TooMany {
        /// Where the next one led.
        to: Url,
    },
    /// `Location` is no http or https URL.
    BadLocation(String),
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
