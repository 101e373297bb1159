//! A plain request, without a browser.
//!
//! `Client` -> `Dialer` (resolve, ask the [`AddressRule`], connect) -> hyper -> decoding under a
//! cap. No redirect is followed here: it is the caller who may send the request that it asks for.
//!
//! hyper is used directly, not reqwest: the cap on the head of a response is not reachable through
//! reqwest, its decoders drop the headers that they undo (we keep headers as received), and its
//! resolver hook does not see literal addresses, whereas a connector of our own sees every socket
//! and is shared with the proxy.

mod address;
mod client;
mod cookie;
mod decode;
mod dial;
mod exchange;

pub use address::{AddressRefused, AddressRule, special_range};

pub use client::{Client, ClientError, ClientOptions};
pub(crate) use client::{causes, is_cut_short, refusal};
pub use decode::decoded;
pub use dial::{DialError, Dialer};
pub use exchange::{Cut, Exchange, FetchError, Request, version_name};
pub use hyper::header::{self, HeaderMap, HeaderName, HeaderValue};
pub use hyper::{Method, StatusCode, Version};
