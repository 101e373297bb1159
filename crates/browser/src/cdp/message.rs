//! The envelope of a message, and reading what is in it.

use std::borrow::Cow;
use std::sync::Arc;

use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::value::RawValue;
use tokio::sync::OwnedSemaphorePermit;

use super::CdpError;

/// What every message has; all of it optional, since a future Chromium may leave parts out.
#[derive(Deserialize)]
pub(super) struct Envelope<'a> {
    pub id: Option<u64>,
    #[serde(borrow)]
    pub method: Option<Cow<'a, str>>,
    #[serde(borrow)]
    pub params: Option<&'a RawValue>,
    #[serde(borrow)]
    pub result: Option<&'a RawValue>,
    pub error: Option<Refusal>,
    #[serde(borrow, rename = "sessionId")]
    pub session: Option<Cow<'a, str>>,
}

/// The error object of an answer.
#[derive(Deserialize)]
pub(super) struct Refusal {
    #[serde(default)]
    pub code: i64,
    #[serde(default)]
    pub message: String,
}

/// An event of a session (or of the browser itself, without one).
pub(crate) struct Event {
    pub session: Option<Arc<str>>,
    pub method: String,
    pub params: Option<Box<RawValue>>,
    /// Room in the queue, given back when the event has been dealt with.
    pub(super) _room: Option<OwnedSemaphorePermit>,
}

impl Event {
    /// Reads the parameters.
    pub fn read<T: DeserializeOwned>(&self) -> Result<T, CdpError> {
        let raw = self.params.as_ref().map_or("{}", |raw| raw.get());
        decode(raw).map_err(|error| CdpError::Malformed {
            method: self.method.clone(),
            reason: error.to_string(),
        })
    }
}

/// Reads JSON from Chromium. A page decides what is in the strings, and half of a surrogate pair
/// is legal in its JSON but in no Rust string: it becomes U+FFFD instead of failing the page.
pub(crate) fn decode<T: DeserializeOwned>(json: &str) -> Result<T, serde_json::Error> {
    match serde_json::from_str(json) {
        Ok(value) => Ok(value),
        Err(error) => match without_lone_surrogates(json) {
            Cow::Owned(mended) => serde_json::from_str(&mended),
            Cow::Borrowed(_) => Err(error),
        },
    }
}

/// Replaces every escaped half of a surrogate pair that has no other half by `\ufffd`.
fn without_lone_surrogates(json: &str) -> Cow<'_, str> {
    let bytes = json.as_bytes();
    let mut out: Option<Vec<u8>> = None;
    let mut at = 0;
    while let Some(offset) = memchr::memchr(b'\\', bytes.get(at..).unwrap_or_default()) {
        at += offset;
        let Some(unit) = escaped_unit(bytes, at) else {
            at += 2;
            continue;
        };
        let low_follows =
            escaped_unit(bytes, at + 6).is_some_and(|low| (0xDC00..0xE000).contains(&low));
        if (0xD800..0xDC00).contains(&unit) && low_follows {
            at += 12;
            continue;
        }
        if (0xD800..0xE000).contains(&unit) {
            let copy = out.get_or_insert_with(|| bytes.to_vec());
            if let Some(place) = copy.get_mut(at..at + 6) {
                place.copy_from_slice(br"\ufffd");
            }
        }
        at += 6;
    }
    match out.map(String::from_utf8) {
        Some(Ok(mended)) => Cow::Owned(mended),
        _ => Cow::Borrowed(json),
    }
}

/// The code unit of the `\uXXXX` at this place, if there is one.
fn escaped_unit(bytes: &[u8], at: usize) -> Option<u16> {
    let digits = bytes.get(at..at + 6)?.strip_prefix(br"\u")?;
    u16::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn half_a_surrogate_pair_becomes_a_replacement_character() {
        let read: String = decode(r#""a\ud800b\udc00c\\ud800""#).expect("mended");
        assert_eq!(read, "a\u{fffd}b\u{fffd}c\\ud800");
    }

    #[test]
    fn a_whole_pair_next_to_a_half_one_is_kept() {
        let read: String = decode(r#""\ud83d\ude00\ud83d""#).expect("mended");
        assert_eq!(read, "\u{1f600}\u{fffd}");
    }

    #[test]
    fn other_broken_json_stays_an_error() {
        assert!(decode::<String>(r#""\u12"#).is_err());
        assert!(decode::<String>("\"\\").is_err());
        assert!(decode::<u8>("\"x\"").is_err());
    }
}
