//! Which host an address asks, and which sites it can be of.

/// Host and port of an address.
pub(crate) fn host_of(url: &str) -> &str {
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    let authority = rest.split(['/', '?', '#']).next().unwrap_or(rest);
    authority.rsplit_once('@').map_or(authority, |(_, host)| host)
}

/// The sites that an address can be of: its host with or without port, or a domain above it.
pub(crate) fn sites_of(url: &str) -> Vec<String> {
    let host = host_of(url);
    let port = if url.starts_with("https:") { 443 } else { 80 };
    let name = host.rsplit_once(':').map_or(host, |(name, _)| name);
    let above = name.match_indices('.').filter_map(|(at, _)| name.get(at + 1..));
    let mut sites = vec![host.to_owned(), format!("{host}:{port}"), name.to_owned()];
    sites.extend(above.map(str::to_owned));
    sites
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_host_of_an_address_is_what_is_asked() {
        for (url, host) in [
            ("https://example.org/a?b=https://c/", "example.org"),
            ("http://example.org:8080", "example.org:8080"),
            ("http://[::1]:80/?@", "[::1]:80"),
            ("http://me:word@example.org#x", "example.org"),
            ("data:text/html,a", "data:text"),
        ] {
            assert_eq!(host_of(url), host);
        }
        let sites = sites_of("http://a.example.org:8080/");
        for site in ["a.example.org:8080", "a.example.org", "example.org"] {
            assert!(sites.iter().any(|one| one == site), "{site} of {sites:?}");
        }
        assert!(sites_of("http://127.0.0.1/").contains(&"127.0.0.1:80".to_owned()));
    }
}
