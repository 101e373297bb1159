//! How values are told on pages: times, counts and sizes.

use std::fmt;

use askama::filters::HtmlSafe;
use store::Millis;

pub use crate::output::{bytes, clip, thousands};

/// A moment as a person reads it, in UTC, with the exact one for machines.
#[derive(Clone, Copy, Debug)]
pub struct When(pub Millis);

impl fmt::Display for When {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let exact = self.0.to_string();
        let short: String =
            exact.chars().take(16).map(|c| if c == 'T' { '\u{a0}' } else { c }).collect();
        write!(f, "<time datetime=\"{exact}\" title=\"{exact}\">{short}</time>")
    }
}

// Nothing in it but digits and the marks between them.
impl HtmlSafe for When {}

/// What may stand in a path of an address.
pub fn in_path(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for byte in text.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b':' => {
                out.push(char::from(byte));
            }
            other => out.push_str(&format!("%{other:02X}")),
        }
    }
    out
}

/// An address with this query; what is empty is left out.
pub fn address(path: &str, query: &[(&str, &str)]) -> String {
    let mut pairs = url::form_urlencoded::Serializer::new(String::new());
    pairs.extend_pairs(query.iter().filter(|(_, value)| !value.is_empty()));
    match pairs.finish() {
        query if query.is_empty() => path.to_owned(),
        query => format!("{path}?{query}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_leaves_out_what_is_not_asked_for() {
        assert_eq!(address("/pages", &[("q", ""), ("type", "a b&c")]), "/pages?type=a+b%26c");
        assert_eq!(address("/pages", &[("q", "")]), "/pages");
        assert_eq!(in_path("127.0.0.1:80/é"), "127.0.0.1:80%2F%C3%A9");
    }
}
