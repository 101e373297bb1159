//! What records are called by, and the fields that tell how they belong together.

use store::{Millis, NewExchange, PageNumber};

use super::digest::PayloadDigest;
use super::record::{RecordId, WarcDate};

/// A record that later ones can point at.
#[derive(Clone, Copy)]
pub(crate) struct Original {
    pub(crate) date: Millis,
    pub(crate) id: RecordId,
    pub(crate) digest: PayloadDigest,
}

/// The address as it went over the wire.
pub(crate) fn without_fragment(url: &str) -> &str {
    url.split('#').next().unwrap_or_default()
}

/// Names a page among all records that belong to it.
pub(crate) fn page_id(page: PageNumber) -> RecordId {
    RecordId::of(&[b"page", &page.0.to_le_bytes()])
}

pub(crate) fn exchange_id(page: PageNumber, seq: i64) -> RecordId {
    RecordId::of(&[b"exchange", &page.0.to_le_bytes(), &seq.to_le_bytes()])
}

pub(crate) fn address_id(target: &str) -> RecordId {
    RecordId::of(&[b"address", target.as_bytes()])
}

pub(crate) fn payload_id(target: &str, status: Option<u16>, digest: PayloadDigest) -> RecordId {
    let status = status.unwrap_or_default().to_le_bytes();
    RecordId::of(&[b"payload", target.as_bytes(), &status, &digest.0])
}

pub(crate) fn refers_to(
    target: &str,
    original: Original,
    profile: &'static str,
) -> [(&'static str, String); 4] {
    [
        ("WARC-Profile", profile.to_owned()),
        ("WARC-Refers-To", format!("<urn:uuid:{}>", original.id)),
        ("WARC-Refers-To-Target-URI", target.to_owned()),
        ("WARC-Refers-To-Date", WarcDate(original.date).to_string()),
    ]
}

pub(crate) fn wire_fields(page: PageNumber, exchange: &NewExchange) -> Vec<(&'static str, String)> {
    let mut fields = vec![("WARC-Page-ID", page_id(page).to_string())];
    let address = exchange.wire.remote_address.as_deref();
    if let Some(Ok(address)) = address.map(str::parse::<std::net::SocketAddr>) {
        fields.push(("WARC-IP-Address", address.ip().to_string()));
    }
    if let Some(version) = &exchange.wire.http_version {
        fields.push(("WARC-Protocol", version.clone()));
    }
    if !exchange.resource.is_empty() {
        fields.push(("WARC-Resource-Type", exchange.resource.clone()));
    }
    fields
}

/// One of the words that WARC has for it.
pub(crate) fn truncated_by(why: &str) -> &'static str {
    match why {
        why if why.contains("larger") || why.contains("cap") => "length",
        why if why.contains("longer") => "time",
        why if why.contains("connection") || why.contains("net::") => "disconnect",
        _ => "unspecified",
    }
}
