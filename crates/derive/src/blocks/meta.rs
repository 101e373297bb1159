//! The metadata of a version (seed 003: the metadata generator): what the page says about itself, and
//! what the user's rules find in it. The rest are rows of their own: time, headers, run, digests.

use page::meta::{Metadata, Subject};
use serde_json::{Map, Value, json};

use super::cut::CutSettings;

/// What is kept with a version, as JSON. Its source is read only where there are rules that may ask
/// for it.
pub(super) fn metadata(
    settings: &CutSettings,
    subject: Subject<'_>,
    source: Option<&[u8]>,
) -> Vec<u8> {
    let pairs = subject.headers.iter().map(|(name, value)| (name.as_str(), value.as_str()));
    let own = Metadata::of(subject.dom, subject.url, pairs);
    let mut meta = match serde_json::to_value(own) {
        Ok(Value::Object(meta)) => meta,
        _ => Map::new(),
    };
    if !settings.rules.rules().is_empty() {
        let html = source.map(String::from_utf8_lossy);
        let fields = settings.rules.apply(&Subject { html: html.as_deref(), ..subject });
        if !fields.is_empty() {
            meta.insert("fields".into(), json!(fields));
        }
    }
    serde_json::to_vec(&meta).unwrap_or_default()
}
