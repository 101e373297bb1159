//! Which servers answered: behind a proxy, Chromium sees nobody but the proxy.

use std::collections::HashMap;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, PoisonError};

use hyper::Version;
use url::Url;

/// Hosts remembered; a hostile page invents as many as it likes.
const MAX_HOSTS: usize = 10_000;

/// The server that a host and a port stood for when it was last talked to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Remote {
    /// Its address.
    pub address: SocketAddr,
    /// The version of HTTP that it answered in; `None` if what it said is encrypted.
    pub version: Option<Version>,
}

/// The servers that a proxy talked to, by host and port. Cheap to clone; clones share what is known.
///
/// CDP does not tell which connection to the proxy a response came by, so a host that is served by
/// several addresses at once has the one that was used last.
#[derive(Clone, Debug, Default)]
pub struct Remotes(Arc<Mutex<HashMap<(String, u16), Remote>>>);

impl Remotes {
    /// Who answers for a URL.
    pub fn find(&self, url: &str) -> Option<Remote> {
        let url = Url::parse(url).ok()?;
        let key = (plain(url.host_str()?), url.port_or_known_default()?);
        self.0.lock().unwrap_or_else(PoisonError::into_inner).get(&key).copied()
    }

    pub(super) fn note(&self, host: &str, port: u16, remote: Remote) {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if known.len() >= MAX_HOSTS {
            known.clear();
        }
        known.insert((plain(host), port), remote);
    }
}

/// One spelling a host.
fn plain(host: &str) -> String {
    host.trim_start_matches('[').trim_end_matches(']').to_ascii_lowercase()
}
