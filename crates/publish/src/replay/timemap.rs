//! The list of all mementos of an address (RFC 7089, section 5), and the links that answers carry.

use store::Millis;

use super::index::Place;
use super::moment::{http_date, timestamp};

/// A list of mementos.
pub struct TimeMap<'a> {
    /// Where the archive is, with what its addresses begin with: `http://localhost:7273/web`.
    pub archive: &'a str,
    /// The address that was captured.
    pub url: &'a str,
    /// Its captures, oldest first.
    pub places: &'a [Place],
}

impl TimeMap<'_> {
    /// As `application/link-format`.
    pub fn link_format(&self) -> String {
        let Self { archive, url, places } = self;
        let url = escaped(url);
        let from = places.first().map(|place| http_date(place.time)).unwrap_or_default();
        let mut out = format!(
            "<{archive}/timemap/link/{url}>; rel=\"self\"; type=\"application/link-format\"; from=\"{from}\",\n\
             <{archive}/{url}>; rel=\"timegate\",\n<{url}>; rel=\"original\""
        );
        for place in *places {
            let (stamp, date) = (timestamp(place.time), http_date(place.time));
            out.push_str(&format!(
                ",\n<{archive}/{stamp}/{url}>; rel=\"memento\"; datetime=\"{date}\""
            ));
        }
        out.push('\n');
        out
    }
}

/// The links of an answer: to the original, to its gate and list, and to the memento itself if it is one.
pub fn link_header(archive: &str, url: &str, memento: Option<Millis>) -> String {
    let url = escaped(url);
    let mut links = format!(
        "<{url}>; rel=\"original\", <{archive}/{url}>; rel=\"timegate\", \
         <{archive}/timemap/link/{url}>; rel=\"timemap\"; type=\"application/link-format\""
    );
    if let Some(time) = memento {
        let (stamp, date) = (timestamp(time), http_date(time));
        links.push_str(&format!(
            ", <{archive}/{stamp}/{url}>; rel=\"memento\"; datetime=\"{date}\""
        ));
    }
    links
}

/// An address that cannot end the link it is in, or the head of the answer.
fn escaped(url: &str) -> String {
    let mut out = String::with_capacity(url.len());
    for character in url.chars() {
        match character {
            '<' | '>' | '"' | ' ' | '\\' => out.push_str(&format!("%{:02X}", character as u32)),
            c if c.is_ascii_graphic() => out.push(c),
            c => {
                let mut bytes = [0; 4];
                for byte in c.encode_utf8(&mut bytes).bytes() {
                    out.push_str(&format!("%{byte:02X}"));
                }
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_address_ends_the_link_that_it_is_in() {
        let links = link_header("http://x/web", "http://a.example/>;\r\nSet-Cookie: a=\"b\"", None);
        assert!(!links.contains(['\r', '\n']), "{links}");
        assert_eq!(links.matches('>').count(), 3, "{links}");
    }
}
