//! Which record a later one says again: the first with the same payload under its address, or the one that a
//! server says has not changed.

use std::collections::HashMap;

use store::NewExchange;

use super::digest::PayloadDigest;
use super::fields::{Original, address_id, payload_id};
use super::record::RecordId;

pub(crate) const IDENTICAL: &str =
    "http://netpreserve.org/warc/1.1/revisit/identical-payload-digest";
pub(crate) const NOT_MODIFIED: &str = "http://netpreserve.org/warc/1.1/revisit/server-not-modified";

/// The records that were seen, in the order of their times. Some 150 bytes for each different answer.
#[derive(Default)]
pub(crate) struct Originals {
    /// The first record with a payload under an address.
    by_payload: HashMap<RecordId, Original>,
    /// The latest answer of an address that was whole: what a server says has not changed.
    latest: HashMap<RecordId, Original>,
}

impl Originals {
    /// Which record an answer says again, and how that is known.
    pub(crate) fn of_answer(
        &self,
        target: &str,
        exchange: &NewExchange,
        digest: PayloadDigest,
    ) -> Option<(Original, &'static str)> {
        // Whatever else was sent may have been answered by chance alike.
        if exchange.method != "GET" || exchange.wire.truncated.is_some() {
            return None;
        }
        if exchange.status == Some(304) {
            return Some((*self.latest.get(&address_id(target))?, NOT_MODIFIED));
        }
        let known = self.by_payload.get(&payload_id(target, exchange.status, digest));
        Some((*known.filter(|_| !digest.is_of_nothing())?, IDENTICAL))
    }

    /// Remembers an answer that says nothing again.
    pub(crate) fn remember_answer(
        &mut self,
        target: &str,
        exchange: &NewExchange,
        original: Original,
    ) {
        let is_whole = exchange.method == "GET" && exchange.wire.truncated.is_none();
        if !is_whole || original.digest.is_of_nothing() {
            return;
        }
        let id = payload_id(target, exchange.status, original.digest);
        self.by_payload.insert(id, original);
        if exchange.status == Some(200) {
            self.latest.insert(address_id(target), original);
        }
    }

    /// Which resource another one is again.
    pub(crate) fn of_resource(&self, target: &str, digest: PayloadDigest) -> Option<Original> {
        self.by_payload.get(&payload_id(target, None, digest)).copied()
    }

    /// Remembers a resource.
    pub(crate) fn remember_resource(&mut self, target: &str, original: Original) {
        self.by_payload.insert(payload_id(target, None, original.digest), original);
    }
}
