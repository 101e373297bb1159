//! The key that an address is looked up by in an index of captures: sort-friendly (hosts from the right),
//! and the same for addresses that archives take for one. What is folded together is what every CDX index
//! folds: case, `www.`, default ports, session ids, the order of parameters, a slash at the end.

use std::borrow::Cow;
use std::net::Ipv4Addr;
use std::sync::LazyLock;

use regex::bytes::Regex;

/// Session ids in paths.
static PATH_SESSIONS: LazyLock<Vec<Regex>> = LazyLock::new(|| {
    compiled(&[
        r"(?i)^(.*/)(\((?:[a-z]\([0-9a-z]{24}\))+\)/)([^?]+\.aspx.*)$",
        r"(?i)^(.*/)(\([0-9a-z]{24}\)/)([^?]+\.aspx.*)$",
    ])
});
/// Session ids in queries.
static QUERY_SESSIONS: LazyLock<Vec<Regex>> = LazyLock::new(|| {
    compiled(&[
        r"(?i)^(.*)(jsessionid=[0-9a-z]{32})(?:&(.*))?$",
        r"(?i)^(.*)(phpsessid=[0-9a-z]{32})(?:&(.*))?$",
        r"(?i)^(.*)(sid=[0-9a-z]{32})(?:&(.*))?$",
        r"(?i)^(.*)(ASPSESSIONID[a-z]{8}=[a-z]{24})(?:&(.*))?$",
        r"(?i)^(.*)(cfid=[^&]+&cftoken=[^&]+)(?:&(.*))?$",
    ])
});

fn compiled(patterns: &[&str]) -> Vec<Regex> {
    // Constants of this file, each seen to compile by the tests.
    patterns.iter().filter_map(|pattern| Regex::new(&format!("(?-u){pattern}")).ok()).collect()
}

/// The lookup key of an absolute address.
///
/// ```
/// use publish::warc::surt;
///
/// assert_eq!(surt("https://www.Example.org:443/A/?z=1&b=2#top"), "org,example)/a?b=2&z=1");
/// assert_eq!(surt("http://127.0.0.1:8080/"), "1,0,0,127:8080)/");
/// ```
pub fn surt(url: &str) -> String {
    let url: String = url.trim().chars().filter(|c| !matches!(c, '\r' | '\n' | '\t')).collect();
    let (scheme, rest) = url.split_once(':').unwrap_or(("http", url.as_str()));
    let rest = rest.split('#').next().unwrap_or_default();
    let (rest, query) = match rest.split_once('?') {
        Some((rest, query)) => (rest, Some(query).filter(|query| !query.is_empty())),
        None => (rest, None),
    };
    let (host, path) = match rest.strip_prefix("//") {
        Some(rest) => {
            let end = rest.find('/').unwrap_or(rest.len());
            (Some(&rest[..end]), &rest[end..])
        }
        None => (None, rest),
    };
    let path = unescaped(path.as_bytes());
    let path = if host.is_some() { normal_path(&path) } else { path.into_owned() };
    let mut path = escaped(&path).to_ascii_lowercase();
    for session in PATH_SESSIONS.iter() {
        path = without(session, path);
    }
    if path.len() > 1 && path.ends_with(b"/") {
        path.pop();
    }
    let mut key = match host {
        Some(host) => host_key(scheme, host),
        None => format!("{scheme}:").into_bytes(),
    };
    key.extend(path);
    if let Some(query) = query.map(query_key).filter(|query| !query.is_empty()) {
        key.push(b'?');
        key.extend(query);
    }
    // All of it was escaped; only a host that is no name may have other bytes.
    String::from_utf8_lossy(&key).into_owned()
}

/// `example.org:8080` as `org,example:8080)`.
fn host_key(scheme: &str, authority: &str) -> Vec<u8> {
    let host = authority.rsplit_once('@').map_or(authority, |(_, host)| host);
    let (host, port) = match host.strip_prefix('[').and_then(|host| host.split_once(']')) {
        Some((address, port)) => (address, port.strip_prefix(':')),
        None => match host.split_once(':') {
            Some((host, port)) => (host, Some(port)),
            None => (host, None),
        },
    };
    let host = host.to_ascii_lowercase();
    let mut host = String::from_utf8_lossy(&unescaped(host.as_bytes())).replace("..", ".");
    host = host.trim_matches('.').to_owned();
    if !host.is_empty() && host.bytes().all(|byte| byte.is_ascii_digit()) {
        let low = host
            .bytes()
            .fold(0_u32, |all, digit| all.wrapping_mul(10).wrapping_add(u32::from(digit - b'0')));
        host = Ipv4Addr::from(low).to_string();
    }
    if let Some(rest) = host.strip_prefix("www")
        && let Some(rest) = rest.trim_start_matches(|c: char| c.is_ascii_digit()).strip_prefix('.')
    {
        host = rest.to_owned();
    }
    let mut key = host.split('.').rev().collect::<Vec<_>>().join(",");
    let default = match scheme.to_ascii_lowercase().as_str() {
        "http" => 80,
        "https" => 443,
        _ => 0,
    };
    let port = port.and_then(|port| port.parse::<u16>().ok());
    if let Some(port) = port.filter(|port| *port != default && *port != 0) {
        key.push_str(&format!(":{port}"));
    }
    let mut key = escaped(key.as_bytes());
    key.push(b')');
    key
}

fn query_key(query: &str) -> Vec<u8> {
    let mut query = escaped(&unescaped(query.as_bytes()));
    for session in QUERY_SESSIONS.iter() {
        query = without(session, query);
    }
    query.make_ascii_lowercase();
    let mut pairs: Vec<Vec<&[u8]>> = query
        .split(|byte| *byte == b'&')
        .map(|pair| pair.splitn(2, |byte| *byte == b'=').collect())
        .collect();
    pairs.sort();
    let pairs: Vec<Vec<u8>> = pairs.iter().map(|pair| pair.join(&b'=')).collect();
    pairs.join(&b'&')
}

/// What is left when the second of three groups is taken out.
fn without(session: &Regex, text: Vec<u8>) -> Vec<u8> {
    match session.captures(&text) {
        Some(found) => {
            let group = |at| found.get(at).map_or(&[][..], |group| group.as_bytes());
            [group(1), group(3)].concat()
        }
        None => text,
    }
}

/// A path without `.` and `..`, and without empty parts but at its end.
fn normal_path(path: &[u8]) -> Vec<u8> {
    let mut kept: Vec<&[u8]> = Vec::new();
    for part in path.split(|byte| *byte == b'/').skip(1) {
        match part {
            b"." => {}
            b".." if !kept.is_empty() => _ = kept.pop(),
            part => kept.push(part),
        }
    }
    let mut normal = vec![b'/'];
    if let Some((last, before)) = kept.split_last() {
        for part in before.iter().filter(|part| !part.is_empty()) {
            normal.extend_from_slice(part);
            normal.push(b'/');
        }
        normal.extend_from_slice(last);
    }
    normal
}

/// Percent escapes taken out until there are none.
fn unescaped(text: &[u8]) -> Cow<'_, [u8]> {
    let mut text = Cow::Borrowed(text);
    // Each round is shorter, so it ends.
    while text.contains(&b'%') {
        let mut out = Vec::with_capacity(text.len());
        let mut at = 0;
        while let Some(byte) = text.get(at) {
            let digit = |at: usize| char::from(*text.get(at)?).to_digit(16);
            match (byte, digit(at + 1), digit(at + 2)) {
                (b'%', Some(high), Some(low)) => {
                    out.push((high * 16 + low) as u8);
                    at += 3;
                }
                _ => {
                    out.push(*byte);
                    at += 1;
                }
            }
        }
        if out.len() == text.len() {
            break;
        }
        text = Cow::Owned(out);
    }
    text
}

/// Everything but printable ASCII without `#`, `%` and the space as percent escapes.
fn escaped(text: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len());
    for byte in text {
        match byte {
            b'#' | b'%' | 0..=32 | 127..=255 => out.extend(format!("%{byte:02X}").bytes()),
            byte => out.push(*byte),
        }
    }
    out
}
