//! HTTP messages as an archive keeps them: the head as it was sent or received, written anew, and a body
//! after decoding.

use http::StatusCode;
use store::NewExchange;
use url::Url;

/// What is no longer true of a body that was decoded. The old values stay, under these names.
const RENAMED: [(&str, &str); 3] = [
    ("content-encoding", "X-Orig-Content-Encoding"),
    ("transfer-encoding", "X-Orig-Transfer-Encoding"),
    ("content-length", "X-Orig-Content-Length"),
];

/// The request of an exchange, head and body. `None` if its URL is none that HTTP could ask for.
pub(crate) fn request(exchange: &NewExchange) -> Option<Vec<u8>> {
    let url = Url::parse(&exchange.url).ok().filter(|url| url.scheme().starts_with("http"))?;
    let mut head = format!("{} {}", token(&exchange.method)?, url.path());
    if let Some(query) = url.query() {
        head.push('?');
        head.push_str(query);
    }
    head.push_str(&format!(" {}\r\n", version(exchange)));
    let has_host = exchange.request_headers.iter().any(|(name, _)| is(name, "host"));
    if let Some(host) = url.host_str().filter(|_| !has_host) {
        let port = url.port().map(|port| format!(":{port}")).unwrap_or_default();
        head.push_str(&format!("Host: {host}{port}\r\n"));
    }
    push_headers(&mut head, &exchange.request_headers);
    head.push_str("\r\n");
    let mut message = head.into_bytes();
    message.extend_from_slice(exchange.request_body.as_deref().unwrap_or_default());
    Some(message)
}

/// The head of the answer of an exchange that has a body of this many bytes.
pub(crate) fn response_head(exchange: &NewExchange, length: usize) -> Vec<u8> {
    let status = exchange.status.unwrap_or_default();
    let reason = StatusCode::from_u16(status).ok().and_then(|status| status.canonical_reason());
    let mut head =
        format!("{} {status} {}\r\n", version(exchange), reason.unwrap_or("Unknown")).into_bytes();
    let mut headers = exchange.response_headers.clone();
    let has_body = exchange.method != "HEAD" && !matches!(status, 100..=199 | 204 | 304);
    let length = length.to_string();
    let mut is_told = false;
    for (name, value) in &mut headers {
        let Some((plain, other)) = RENAMED.iter().find(|(plain, _)| is(name, plain)) else {
            continue;
        };
        if *plain == "content-length" && (!has_body || *value == length) {
            is_told = true;
            continue;
        }
        *name = (*other).to_owned();
    }
    if has_body && !is_told {
        headers.push(("Content-Length".to_owned(), length));
    }
    let mut lines = String::new();
    push_headers(&mut lines, &headers);
    lines.push_str("\r\n");
    head.extend_from_slice(lines.as_bytes());
    head
}

/// The media type that an answer says it is, without parameters.
pub(crate) fn content_type(headers: &[(String, String)]) -> Option<&str> {
    let (_, value) = headers.iter().find(|(name, _)| is(name, "content-type"))?;
    // As push_headers writes it: the first of several.
    let value = value.split('\n').next().unwrap_or_default().trim();
    Some(value.split(|c: char| c == ';' || c.is_whitespace()).next().unwrap_or_default())
}

/// HTTP/2 has no text; what other archives write stands for it.
fn version(exchange: &NewExchange) -> &'static str {
    match exchange.wire.http_version.as_deref() {
        Some("http/1.0") => "HTTP/1.0",
        _ => "HTTP/1.1",
    }
}

fn push_headers(out: &mut String, headers: &[(String, String)]) {
    for (name, value) in headers {
        // The pseudo-headers of HTTP/2 are no tokens.
        let Some(name) = token(name) else { continue };
        // Chromium gives headers that came several times as lines of one.
        for value in value.split('\n') {
            let value: String =
                value.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
            out.push_str(&format!("{name}: {}\r\n", value.trim()));
        }
    }
}

/// A name that can stand in a head (RFC 9110, section 5.6.2).
fn token(name: &str) -> Option<&str> {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "!#$%&'*+-.^_`|~".contains(c);
    (!name.is_empty() && name.chars().all(is_plain)).then_some(name)
}

fn is(name: &str, plain: &str) -> bool {
    name.eq_ignore_ascii_case(plain)
}

/// Whether an address and a method are such as HTTP can ask with.
pub(crate) fn can_be_asked(url: &str, method: &str) -> bool {
    let scheme = url.get(..4).unwrap_or_default();
    scheme.eq_ignore_ascii_case("http") && token(method).is_some()
}

/// Whether a name can stand in the head of an answer.
pub(crate) fn is_token(name: &str) -> bool {
    token(name).is_some()
}
