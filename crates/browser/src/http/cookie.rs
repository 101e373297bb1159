//! The cookies of one client, bounded.

use std::sync::{Mutex, MutexGuard, PoisonError};

use cookie_store::{CookieStore, RawCookie};
use hyper::HeaderMap;
use hyper::header::{HeaderValue, SET_COOKIE};
use page::state::url::is_public_suffix;
use url::Url;

/// RFC 6265 §6.1 asks for 3,000 cookies of 4,096 bytes; we keep no more than that.
const MAX_COOKIES: usize = 3000;
const MAX_COOKIE_BYTES: usize = 4096;
/// Servers answer 400 or 431 to more than this, so a longer header would only lose the page.
const MAX_HEADER_BYTES: usize = 16 * 1024;

#[derive(Debug, Default)]
pub(super) struct Jar {
    store: Mutex<CookieStore>,
}

impl Jar {
    /// Keeps what a response to a request for `url` sets.
    pub(super) fn keep(&self, url: &Url, headers: &HeaderMap) {
        for value in headers.get_all(SET_COOKIE) {
            if let Ok(text) = std::str::from_utf8(value.as_bytes()) {
                self.set(url, text);
            }
        }
    }

    /// Keeps one cookie, written as in a `Set-Cookie` header; says whether it was kept.
    pub(super) fn set(&self, url: &Url, set_cookie: &str) -> bool {
        if set_cookie.len() > MAX_COOKIE_BYTES {
            return false;
        }
        let Ok(cookie) = RawCookie::parse(set_cookie.to_owned()) else {
            return false;
        };
        let for_strangers = cookie
            .domain()
            .map(|domain| domain.trim_start_matches('.').to_ascii_lowercase())
            .is_some_and(|domain| is_public_suffix(&domain) && url.host_str() != Some(&domain));
        if for_strangers {
            return false;
        }
        let mut store = self.lock();
        store.iter_any().nth(MAX_COOKIES - 1).is_none() && store.insert_raw(&cookie, url).is_ok()
    }

    /// The `Cookie` header for a request to `url`.
    pub(super) fn header(&self, url: &Url) -> Option<HeaderValue> {
        let store = self.lock();
        let mut text = String::new();
        for (name, value) in store.get_request_values(url) {
            if text.len() + name.len() + value.len() + 3 > MAX_HEADER_BYTES {
                break;
            }
            if !text.is_empty() {
                text.push_str("; ");
            }
            text.push_str(name);
            text.push('=');
            text.push_str(value);
        }
        if text.is_empty() {
            return None;
        }
        HeaderValue::from_bytes(text.as_bytes()).ok()
    }

    fn lock(&self) -> MutexGuard<'_, CookieStore> {
        self.store.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sent(jar: &Jar, url: &str) -> String {
        let url = Url::parse(url).expect("a URL");
        let header = jar.header(&url);
        header.map_or_else(String::new, |value| {
            String::from_utf8_lossy(value.as_bytes()).into_owned()
        })
    }

    #[test]
    fn a_cookie_goes_back_to_its_own_site_only() {
        let jar = Jar::default();
        let url = Url::parse("https://www.example.com/a/b").expect("a URL");
        assert!(jar.set(&url, "sid=1; Path=/; Secure; HttpOnly"));
        assert!(jar.set(&url, "all=2; Domain=example.com; Path=/"));
        assert!(!jar.set(&url, "evil=3; Domain=com; Path=/"));
        assert!(!jar.set(&url, "other=4; Domain=other.example; Path=/"));
        assert_eq!(sent(&jar, "https://shop.example.com/"), "all=2");
        assert_eq!(sent(&jar, "http://www.example.com/"), "all=2");
        assert!(sent(&jar, "https://www.example.com/").contains("sid=1"));
        assert_eq!(sent(&jar, "https://example.org/"), "");
    }

    #[test]
    fn a_flood_of_cookies_stays_bounded() {
        let jar = Jar::default();
        let url = Url::parse("http://flood.example/").expect("a URL");
        for i in 0..MAX_COOKIES + 50 {
            jar.set(&url, &format!("c{i}={i}"));
        }
        assert!(jar.lock().iter_any().count() <= MAX_COOKIES);
        assert!(sent(&jar, "http://flood.example/").len() <= MAX_HEADER_BYTES);
        assert!(!jar.set(&url, &format!("big={}", "x".repeat(MAX_COOKIE_BYTES))));
    }
}
