//! The names of pages: one form for a URL, the site that it belongs to, and its pattern.
//!
//! Both become keys in the store, so the rule has a version that is stored with them. It changes as
//! little as it can: the WHATWG form that every browser uses, without the fragment unless the
//! fragment names a page of its own (`#/inbox`, `#!topic`). Parameters are not sorted and nothing is
//! dropped from the query: two URLs that look alike may well be two pages, and equal content is
//! merged later by what was seen, not by how it was spelled.

mod shape;

pub use shape::shape;

use std::fmt;

use url::{Host, Url};

/// Longest URL that is kept; what is longer is generated or hostile.
pub const MAX_LENGTH: usize = 8 * 1024;

/// Brings a parsed URL into the form that names a page.
///
/// ```
/// use page::state::url::normalise;
/// use url::Url;
///
/// let url = Url::parse("HTTP://Example.COM:80/a/../b?z=1&a=2#part").unwrap();
/// assert_eq!(normalise(url).as_str(), "http://example.com/b?z=1&a=2");
/// let app = Url::parse("https://example.com/app#/inbox/7").unwrap();
/// assert_eq!(normalise(app).as_str(), "https://example.com/app#/inbox/7");
/// ```
#[must_use]
pub fn normalise(mut url: Url) -> Url {
    let names_a_page = url.fragment().is_some_and(|fragment| fragment.starts_with(['/', '!']));
    if !names_a_page {
        url.set_fragment(None);
    }
    url
}

/// A site: the registrable domain of a host, or `host:port` for addresses, `localhost` and names
/// without a dot, where each port is usually another application.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Site(String);

impl Site {
    /// The site of a URL; `None` for a URL without a host, such as `data:` or `mailto:`.
    ///
    /// ```
    /// use page::state::url::Site;
    /// use url::Url;
    ///
    /// let of = |text: &str| Site::of(&Url::parse(text).unwrap()).unwrap().to_string();
    /// assert_eq!(of("https://news.example.co.uk/a"), "example.co.uk");
    /// assert_eq!(of("http://127.0.0.1:8080/a"), "127.0.0.1:8080");
    /// ```
    pub fn of(url: &Url) -> Option<Self> {
        match url.host()? {
            Host::Domain(name) => {
                let name = name.strip_suffix('.').unwrap_or(name);
                match psl::domain_str(name) {
                    Some(domain) if !is_local(name) => Some(Self(domain.to_owned())),
                    // A public suffix by itself (`github.io`) is nobody's subdomain.
                    _ if name.contains('.') && !is_local(name) => Some(Self(name.to_owned())),
                    _ => Self::with_port(name, url),
                }
            }
            Host::Ipv4(_) | Host::Ipv6(_) => Self::with_port(url.host_str()?, url),
        }
    }

    /// The site as text, as it is stored.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    fn with_port(host: &str, url: &Url) -> Option<Self> {
        let port = url.port_or_known_default()?;
        Some(Self(format!("{host}:{port}")))
    }
}

impl fmt::Display for Site {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Is `host` a suffix under which strangers register names (`com`, `co.uk`, `github.io`)? Nobody
/// may set a cookie for one.
pub fn is_public_suffix(host: &str) -> bool {
    let host = host.strip_suffix('.').unwrap_or(host);
    psl::suffix_str(host) == Some(host)
}

fn is_local(name: &str) -> bool {
    name == "localhost" || name.ends_with(".localhost")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn url(text: &str) -> Url {
        Url::parse(text).expect("a URL")
    }

    #[test]
    fn a_fragment_stays_only_if_it_names_a_page() {
        for (from, to) in [
            ("http://a.example/#", "http://a.example/"),
            ("http://a.example/#top", "http://a.example/"),
            ("http://a.example/#/", "http://a.example/#/"),
            ("http://a.example/#/list?p=2", "http://a.example/#/list?p=2"),
            ("http://a.example/#!/x", "http://a.example/#!/x"),
            ("http://a.example/# /x", "http://a.example/"),
        ] {
            assert_eq!(normalise(url(from)).as_str(), to);
        }
    }

    #[test]
    fn nothing_in_the_query_is_sorted_dropped_or_decoded() {
        for text in [
            "http://a.example/?b=2&a=1&b=2",
            "http://a.example/?",
            "http://a.example/?utm_source=x&sid=1",
            "http://a.example/%7Euser/?q=%E4%B8%AD&r=+",
        ] {
            assert_eq!(normalise(url(text)).as_str(), text);
        }
    }

    #[test]
    fn spelling_that_browsers_fold_is_folded() {
        for (from, to) in [
            ("HTTP://EXAMPLE.com:80", "http://example.com/"),
            ("https://example.com:443/./a/../b", "https://example.com/b"),
            ("http://bücher.example/ü", "http://xn--bcher-kva.example/%C3%BC"),
            ("http:\\\\example.com\\a", "http://example.com/a"),
            (" http://exa\nmple.com/ ", "http://example.com/"),
            ("http://0x7f.1/", "http://127.0.0.1/"),
        ] {
            assert_eq!(normalise(url(from)).as_str(), to);
        }
    }

    #[test]
    fn normalising_twice_changes_nothing() {
        for text in ["http://a.example/#!a#b", "https://u:p@x.example/%2e%2e/?#/a"] {
            let once = normalise(url(text));
            assert_eq!(normalise(once.clone()), once);
        }
    }

    #[test]
    fn a_site_is_the_registrable_domain_or_host_and_port() {
        for (text, site) in [
            ("http://example.com/", "example.com"),
            ("https://a.b.example.com:8443/", "example.com"),
            ("https://www.example.com./", "example.com"),
            ("https://a.example.co.uk/", "example.co.uk"),
            ("https://alice.github.io/x", "alice.github.io"),
            ("https://github.io/", "github.io"),
            ("https://www.例子.中国/", "xn--fsqu00a.xn--fiqs8s"),
            ("http://wiki.corp/", "wiki.corp"),
            ("http://localhost/", "localhost:80"),
            ("http://localhost:3000/", "localhost:3000"),
            ("http://app.localhost:3000/", "app.localhost:3000"),
            ("http://intranet/", "intranet:80"),
            ("https://10.0.0.1/", "10.0.0.1:443"),
            ("http://[::1]:81/", "[::1]:81"),
        ] {
            let found = Site::of(&url(text)).map(|site| site.to_string());
            assert_eq!(found.as_deref(), Some(site), "{text}");
        }
        assert_eq!(Site::of(&url("mailto:a@b.example")), None);
        assert_eq!(Site::of(&url("data:text/plain,x")), None);
    }

    #[test]
    fn public_suffixes_are_known() {
        for suffix in ["com", "co.uk", "github.io", "com."] {
            assert!(is_public_suffix(suffix), "{suffix}");
        }
        for name in ["example.com", "alice.github.io"] {
            assert!(!is_public_suffix(name), "{name}");
        }
    }
}
