//! Which addresses we may connect to.
//!
//! A page chooses the URLs that we fetch, so without a rule any page can point us at the machine we
//! run on, its network or a cloud's metadata service. The rule judges the *resolved* address that a
//! socket is about to be opened to, never the name, so a name that resolves to another address the
//! second time (DNS rebinding) gains nothing.
//!
//! The special-purpose ranges are those of the IANA IPv4 and IPv6 registries (RFC 6890 and later).
//! IPv6 is default-deny: only global unicast (2000::/3) without its special ranges passes.

use std::collections::HashMap;
use std::fmt;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::sync::{Arc, Mutex, PoisonError};

/// Decides which addresses may be connected to. Cheap to clone; clones share what they learned.
///
/// ```
/// use browser::http::AddressRule;
///
/// let rule = AddressRule::public_only().allow_named("localhost", 8080);
/// let loopback = "127.0.0.1".parse().unwrap();
/// assert!(rule.check("localhost", 8080, loopback).is_ok());
/// assert!(rule.check("localhost", 22, loopback).is_err());
/// assert!(rule.check("evil.example", 80, loopback).is_err());
/// ```
#[derive(Debug, Clone)]
pub struct AddressRule {
    named: Arc<HashMap<String, Named>>,
}

/// A host that the user named, by the ports that were named.
#[derive(Debug, Clone, Default)]
struct Named {
    any_port: bool,
    ports: Vec<u16>,
    /// What the name stood for when it was first resolved: a name that was public does not become
    /// private later, otherwise naming a seed would open the door to rebinding by that seed.
    first: Arc<Mutex<Option<Standing>>>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Standing {
    Public,
    Private,
}

/// Why an address was refused.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AddressRefused {
    /// Host as requested.
    pub host: String,
    /// Port as requested.
    pub port: u16,
    /// The address that the host stands for.
    pub address: IpAddr,
    /// The special range that the address is in, such as `loopback`.
    pub range: &'static str,
}

impl fmt::Display for AddressRefused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{}:{} is {}, a {} address that was not named; name {}:{} as a seed to allow it",
            self.host, self.port, self.address, self.range, self.host, self.port
        )
    }
}

impl std::error::Error for AddressRefused {}

impl AddressRule {
    /// Only addresses on the public internet.
    pub fn public_only() -> Self {
        Self { named: Arc::default() }
    }

    /// Also allows `host` (a name or an address as a URL prints it) on `port`, or on every port if
    /// it is `None`, wherever it leads.
    ///
    /// A *name* that is first resolved to a public address is held to public addresses from then
    /// on, and a name never leads to a link-local (metadata) address: that takes the literal.
    #[must_use]
    pub fn allow_named(self, host: &str, port: impl Into<Option<u16>>) -> Self {
        let mut named = Arc::unwrap_or_clone(self.named);
        let entry = named.entry(plain_host(host)).or_default();
        match port.into() {
            Some(port) if !entry.ports.contains(&port) => entry.ports.push(port),
            Some(_) => {}
            None => entry.any_port = true,
        }
        Self { named: Arc::new(named) }
    }

    /// Allows the host and port of a URL that the user typed.
    #[must_use]
    pub fn allow_url(self, url: &url::Url) -> Self {
        match (url.host_str(), url.port_or_known_default()) {
            (Some(host), Some(port)) => self.allow_named(host, port),
            _ => self,
        }
    }

    /// May a socket be opened to `address`, which `host` stands for?
    pub fn check(&self, host: &str, port: u16, address: IpAddr) -> Result<(), AddressRefused> {
        self.permit(host, port, &[address]).map(|_| ())
    }

    /// Keeps those of `addresses` (one answer of a resolver) that may be connected to; an error
    /// names the first that may not if none is left.
    pub fn permit(
        &self,
        host: &str,
        port: u16,
        addresses: &[IpAddr],
    ) -> Result<Vec<IpAddr>, AddressRefused> {
        let host = plain_host(host);
        let private_allowed = self.private_allowed(&host, port, addresses);
        let is_literal = host.parse::<IpAddr>().is_ok();
        let mut kept = Vec::with_capacity(addresses.len());
        let mut refused = None;
        for &address in addresses {
            match special_range(address) {
                None => kept.push(address),
                Some(range) if private_allowed && (is_literal || !is_link_local(address)) => {
                    tracing::trace!(%host, port, %address, range, "named by the user");
                    kept.push(address);
                }
                Some(range) => refused = refused.or(Some((address, range))),
            }
        }
        match refused {
            Some((address, range)) if kept.is_empty() => {
                Err(AddressRefused { host, port, address, range })
            }
            _ => Ok(kept),
        }
    }

    fn private_allowed(&self, host: &str, port: u16, addresses: &[IpAddr]) -> bool {
        let Some(named) = self.named.get(host) else {
            return false;
        };
        if addresses.is_empty() || !(named.any_port || named.ports.contains(&port)) {
            return false;
        }
        let now = if addresses.iter().all(|&a| special_range(a).is_some()) {
            Standing::Private
        } else {
            Standing::Public
        };
        let mut first = named.first.lock().unwrap_or_else(PoisonError::into_inner);
        *first.get_or_insert(now) == Standing::Private
    }
}

/// Lower case, no brackets round an IPv6 address, no dot at the end: one spelling a host.
fn plain_host(host: &str) -> String {
    let host = host.strip_prefix('[').unwrap_or(host);
    let host = host.strip_suffix(']').unwrap_or(host);
    host.strip_suffix('.').unwrap_or(host).to_ascii_lowercase()
}

fn is_link_local(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(v4) => v4.is_link_local(),
        IpAddr::V6(v6) => {
            v6.is_unicast_link_local() || v6.to_ipv4().is_some_and(|v4| v4.is_link_local())
        }
    }
}

/// The special-purpose range that `address` is in; `None` for an address on the public internet.
pub fn special_range(address: IpAddr) -> Option<&'static str> {
    match address {
        IpAddr::V4(v4) => special_v4(v4),
        IpAddr::V6(v6) => special_v6(v6),
    }
}

fn special_v4(address: Ipv4Addr) -> Option<&'static str> {
    let [a, b, c, _] = address.octets();
    Some(match (a, b, c) {
        (0, _, _) => "unspecified",
        (10, _, _) | (172, 16..=31, _) | (192, 168, _) => "private",
        (100, 64..=127, _) => "carrier-grade NAT",
        (127, _, _) => "loopback",
        (169, 254, _) => "link-local",
        (192, 0, 0) => "protocol assignment",
        (192, 0, 2) | (198, 51, 100) | (203, 0, 113) => "documentation",
        (192, 88, 99) => "6to4 relay",
        (198, 18..=19, _) => "benchmarking",
        (224..=239, _, _) => "multicast",
        (240..=255, _, _) => "reserved",
        _ => return None,
    })
}

fn special_v6(address: Ipv6Addr) -> Option<&'static str> {
    let s = address.segments();
    Some(match s {
        [0, 0, 0, 0, 0, 0, 0, 0] => "unspecified",
        [0, 0, 0, 0, 0, 0, 0, 1] => "loopback",
        [0, 0, 0, 0, 0, 0xffff, _, _] => "IPv4-mapped",
        [0, 0, 0, 0, 0, 0, _, _] => "IPv4-compatible",
        // NAT64: the network translates it, so the IPv4 address inside is what is reached.
        [0x64, 0xff9b, 0, 0, 0, 0, high, low] => {
            let [a, b] = high.to_be_bytes();
            let [c, d] = low.to_be_bytes();
            return special_v4(Ipv4Addr::new(a, b, c, d));
        }
        [0xfc00..=0xfdff, ..] => "unique local",
        [0xfe80..=0xfebf, ..] => "link-local",
        [0xfec0..=0xfeff, ..] => "site-local",
        [0xff00..=0xffff, ..] => "multicast",
        [0x2001, 0x0000, ..] => "Teredo",
        [0x2001, 0x0db8, ..] | [0x3fff, 0x0000..=0x0fff, ..] => "documentation",
        [0x2001, 0x0001..=0x01ff, ..] => "protocol assignment",
        [0x2002, ..] => "6to4",
        [0x2000..=0x3fff, ..] => return None,
        _ => "reserved",
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use url::Url;

    fn ip(text: &str) -> IpAddr {
        text.parse().expect("an address")
    }

    /// What the rule says about the literal address of a URL as a page may spell it.
    fn check_url(rule: &AddressRule, text: &str) -> Result<(), AddressRefused> {
        let url = Url::parse(text).expect("a URL");
        let port = url.port_or_known_default().expect("a port");
        let address = match url.host().expect("a host") {
            url::Host::Ipv4(v4) => IpAddr::V4(v4),
            url::Host::Ipv6(v6) => IpAddr::V6(v6),
            url::Host::Domain(name) => panic!("{name} is not an address"),
        };
        rule.check(url.host_str().expect("a host"), port, address)
    }

    #[test]
    fn every_special_range_is_refused_at_both_of_its_ends() {
        for (text, range) in [
            ("0.0.0.0", "unspecified"),
            ("0.255.255.255", "unspecified"),
            ("10.0.0.0", "private"),
            ("10.255.255.255", "private"),
            ("100.64.0.0", "carrier-grade NAT"),
            ("100.127.255.255", "carrier-grade NAT"),
            ("127.0.0.1", "loopback"),
            ("127.255.255.254", "loopback"),
            ("169.254.0.1", "link-local"),
            ("169.254.169.254", "link-local"),
            ("172.16.0.0", "private"),
            ("172.31.255.255", "private"),
            ("192.0.0.8", "protocol assignment"),
            ("192.0.2.1", "documentation"),
            ("192.168.0.1", "private"),
            ("198.18.0.1", "benchmarking"),
            ("198.19.255.255", "benchmarking"),
            ("198.51.100.7", "documentation"),
            ("203.0.113.7", "documentation"),
            ("224.0.0.1", "multicast"),
            ("239.255.255.255", "multicast"),
            ("240.0.0.1", "reserved"),
            ("255.255.255.255", "reserved"),
            ("::", "unspecified"),
            ("::1", "loopback"),
            ("::ffff:127.0.0.1", "IPv4-mapped"),
            ("::ffff:8.8.8.8", "IPv4-mapped"),
            ("::7f00:1", "IPv4-compatible"),
            ("64:ff9b::7f00:1", "loopback"),
            ("64:ff9b::a9fe:a9fe", "link-local"),
            ("64:ff9b:1::1", "reserved"),
            ("100::1", "reserved"),
            ("2001::1", "Teredo"),
            ("2001:db8::1", "documentation"),
            ("3fff:fff::1", "documentation"),
            ("2002:7f00:1::", "6to4"),
            ("fc00::1", "unique local"),
            ("fd00:ec2::254", "unique local"),
            ("fe80::1", "link-local"),
            ("febf::1", "link-local"),
            ("fec0::1", "site-local"),
            ("ff02::1", "multicast"),
            ("5f00::1", "reserved"),
        ] {
            assert_eq!(special_range(ip(text)), Some(range), "{text}");
        }
    }

    #[test]
    fn the_neighbours_of_special_ranges_are_public() {
        for text in [
            "1.0.0.0",
            "8.8.8.8",
            "9.255.255.255",
            "11.0.0.0",
            "100.63.255.255",
            "100.128.0.0",
            "126.255.255.255",
            "128.0.0.1",
            "169.253.255.255",
            "169.255.0.0",
            "172.15.255.255",
            "172.32.0.0",
            "192.0.1.1",
            "192.167.255.255",
            "198.17.255.255",
            "198.20.0.0",
            "223.255.255.255",
            "2001:4860:4860::8888",
            "2606:4700::1111",
            "3fff:1000::1",
            "64:ff9b::808:808",
        ] {
            assert_eq!(special_range(ip(text)), None, "{text}");
        }
    }

    #[test]
    fn other_spellings_of_an_address_do_not_help() {
        let rule = AddressRule::public_only();
        for text in [
            "http://2130706433/",
            "http://0x7f000001/",
            "http://0x7f.0.0.1/",
            "http://0177.0.0.1/",
            "http://017700000001/",
            "http://127.1/",
            "http://127.0.1/",
            "http://0/",
            "http://①②⑦.⓪.⓪.①/",
            "http://127.0.0.1./",
            "http://0xa9fea9fe/latest/meta-data/",
            "http://[::ffff:127.0.0.1]/",
            "http://[::ffff:7f00:1]/",
            "http://[0:0:0:0:0:0:0:1]/",
            "http://[::]/",
            "http://user@127.0.0.1/",
            "https://192.168.1.1:8443/",
        ] {
            assert!(check_url(&rule, text).is_err(), "{text}");
        }
        assert!(check_url(&rule, "http://93.184.215.14/").is_ok());
    }

    #[test]
    fn a_named_host_is_allowed_on_its_port_only() {
        let rule = AddressRule::public_only()
            .allow_named("127.0.0.1", 8080)
            .allow_named("LOCALHOST", 3000)
            .allow_named("[::1]", None);
        assert!(rule.check("127.0.0.1", 8080, ip("127.0.0.1")).is_ok());
        assert!(rule.check("127.0.0.1", 8081, ip("127.0.0.1")).is_err());
        assert!(rule.check("127.0.0.2", 8080, ip("127.0.0.2")).is_err());
        assert!(rule.check("localhost.", 3000, ip("127.0.0.1")).is_ok());
        assert!(rule.check("localhost", 3000, ip("::1")).is_ok());
        assert!(rule.check("[::1]", 9, ip("::1")).is_ok());
        assert!(rule.check("other.example", 8080, ip("127.0.0.1")).is_err());
    }

    #[test]
    fn the_url_of_a_seed_names_its_default_port() {
        let seed = Url::parse("http://127.0.0.1/start").expect("a URL");
        let rule = AddressRule::public_only().allow_url(&seed);
        assert!(rule.check("127.0.0.1", 80, ip("127.0.0.1")).is_ok());
        assert!(rule.check("127.0.0.1", 443, ip("127.0.0.1")).is_err());
    }

    #[test]
    fn a_named_host_that_was_public_cannot_be_rebound_to_a_private_address() {
        let rule = AddressRule::public_only().allow_named("seed.example", 80);
        assert!(rule.check("seed.example", 80, ip("93.184.215.14")).is_ok());
        assert!(rule.check("seed.example", 80, ip("127.0.0.1")).is_err());
        let wider = rule.allow_named("other.example", 80);
        assert!(wider.check("seed.example", 80, ip("10.0.0.1")).is_err());
    }

    #[test]
    fn a_mixed_answer_keeps_its_public_addresses_only() {
        let rule = AddressRule::public_only().allow_named("mixed.example", 80);
        let kept = rule.permit("mixed.example", 80, &[ip("127.0.0.1"), ip("8.8.8.8")]);
        assert_eq!(kept, Ok(vec![ip("8.8.8.8")]));
    }

    #[test]
    fn an_intranet_name_is_allowed_but_never_leads_to_the_metadata_service() {
        let rule = AddressRule::public_only()
            .allow_named("wiki.corp", 80)
            .allow_named("169.254.169.254", 80);
        assert!(rule.check("wiki.corp", 80, ip("10.1.2.3")).is_ok());
        assert!(rule.check("wiki.corp", 80, ip("169.254.169.254")).is_err());
        assert!(rule.check("169.254.169.254", 80, ip("169.254.169.254")).is_ok());
    }

    #[test]
    fn a_refusal_says_what_where_and_what_next() {
        let refused = AddressRule::public_only()
            .check("x.example", 80, ip("127.0.0.1"))
            .expect_err("loopback");
        assert_eq!(
            refused.to_string(),
            "x.example:80 is 127.0.0.1, a loopback address that was not named; \
             name x.example:80 as a seed to allow it"
        );
    }
}
