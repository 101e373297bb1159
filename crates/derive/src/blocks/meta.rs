//! The metadata of a version (seed 003: the metadata generator): what the page says about itself, and
//! what the user's rules find in it. The rest are rows of their own: time, headers, run, digests.

use page::meta::{Metadata, Subject};
use page::tree::Dom;
use serde_json::{Map, Value, json};
use url::Url;

use super::cut::{CutSettings, Job};

/// What is kept with a version, as JSON.
pub(super) fn metadata(told: &CutSettings, job: &Job, dom: &Dom) -> Vec<u8> {
    let Job { page, version, headers, .. } = job;
    let Ok(url) = Url::parse(&page.url) else { return b"{}".to_vec() };
    let pairs = headers.iter().map(|(name, value)| (name.as_str(), value.as_str()));
    let own = Metadata::of(dom, &url, pairs);
    let mut meta = match serde_json::to_value(own) {
        Ok(Value::Object(meta)) => meta,
        _ => Map::new(),
    };
    let html = version.snapshot.as_deref().or(version.body.as_deref());
    let html = html.map(String::from_utf8_lossy);
    let subject = Subject {
        dom,
        url: &url,
        page_type: page.page_type.as_deref(),
        headers,
        html: html.as_deref(),
    };
    let fields = told.rules.apply(&subject);
    if !fields.is_empty() {
        meta.insert("fields".into(), json!(fields));
    }
    serde_json::to_vec(&meta).unwrap_or_default()
}
