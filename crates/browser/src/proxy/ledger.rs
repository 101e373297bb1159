//! What the proxy did, in figures.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use crate::http::AddressRefused;

/// Refused targets that are listed; a hostile page can name any number.
const MAX_REFUSED: usize = 1000;

/// Figures of a proxy since its start.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ProxyStats {
    /// Requests in absolute form.
    pub requests: u64,
    /// Tunnels opened.
    pub tunnels: u64,
    /// Requests and tunnels that the address rule refused.
    pub refused: u64,
    /// Requests and tunnels whose server could not be reached or answered badly.
    pub failed: u64,
    /// Responses and tunnels cut at their byte cap.
    pub capped: u64,
    /// Body and tunnel bytes from servers.
    pub bytes_down: u64,
    /// Tunnel bytes to servers.
    pub bytes_up: u64,
}

/// A target that the address rule refused.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RefusedTarget {
    /// Host as the browser asked for it.
    pub host: String,
    /// Port as the browser asked for it.
    pub port: u16,
    /// The address that it stands for.
    pub address: IpAddr,
    /// The rule's answer in words.
    pub reason: String,
    /// How often it was asked for.
    pub times: u64,
}

#[derive(Debug, Default)]
pub(super) struct Ledger {
    pub(super) requests: AtomicU64,
    pub(super) tunnels: AtomicU64,
    pub(super) failed: AtomicU64,
    pub(super) capped: AtomicU64,
    pub(super) bytes_down: AtomicU64,
    pub(super) bytes_up: AtomicU64,
    refused: AtomicU64,
    targets: Mutex<HashMap<(String, u16), RefusedTarget>>,
}

impl Ledger {
    pub(super) fn stats(&self) -> ProxyStats {
        let read = |figure: &AtomicU64| figure.load(Ordering::Relaxed);
        ProxyStats {
            requests: read(&self.requests),
            tunnels: read(&self.tunnels),
            refused: read(&self.refused),
            failed: read(&self.failed),
            capped: read(&self.capped),
            bytes_down: read(&self.bytes_down),
            bytes_up: read(&self.bytes_up),
        }
    }

    pub(super) fn refuse(&self, refused: &AddressRefused) {
        count(&self.refused, 1);
        let mut targets = self.targets.lock().unwrap_or_else(PoisonError::into_inner);
        let key = (refused.host.clone(), refused.port);
        if let Some(target) = targets.get_mut(&key) {
            target.times += 1;
        } else if targets.len() < MAX_REFUSED {
            let target = RefusedTarget {
                host: refused.host.clone(),
                port: refused.port,
                address: refused.address,
                reason: refused.to_string(),
                times: 1,
            };
            targets.insert(key, target);
        }
    }

    pub(super) fn refused(&self) -> Vec<RefusedTarget> {
        let targets = self.targets.lock().unwrap_or_else(PoisonError::into_inner);
        let mut list: Vec<RefusedTarget> = targets.values().cloned().collect();
        list.sort_by(|a, b| (&a.host, a.port).cmp(&(&b.host, b.port)));
        list
    }
}

pub(super) fn count(figure: &AtomicU64, by: u64) {
    figure.fetch_add(by, Ordering::Relaxed);
}
