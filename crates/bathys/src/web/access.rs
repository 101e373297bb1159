//! Who may ask: whoever sits at this machine, who has the token, or everybody, as the user decided.
//!
//! - On loopback the `Host` has to be a name of this machine. A page elsewhere whose name was made to point
//!   here (DNS rebinding) has another.
//! - A request that is no read has to come from a page of ours: its `Origin` says so, or `Sec-Fetch-Site`.
//! - The token is compared in constant time, and is never part of an address.

use std::collections::HashMap;
use std::net::{IpAddr, SocketAddr};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use axum::extract::{ConnectInfo, Form, Query, Request, State};
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Redirect, Response};
use axum::routing::{get, post};
use axum::{Extension, Router};
use serde::Deserialize;

use super::App;
use super::failure::Failure;
use super::frame::{Frame, cookie};
use super::screens::Login;

/// The cookie of who has shown the token.
const SESSION: &str = "bathys_session";
/// How long whoever shows a wrong token waits for the answer.
const WRONG: Duration = Duration::from_secs(1);
/// Requests a second of one address elsewhere, and how many at once.
const RATE: f64 = 50.0;
const BURST: f64 = 200.0;
/// Addresses whose requests are counted; beyond, those that have been quiet are forgotten.
const COUNTED: usize = 10_000;

/// Who may read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reads {
    /// Whoever reaches the loopback address.
    Local,
    /// Everybody.
    Public,
    /// Who has the token.
    Token(String),
}

/// What is asked of a request before it is answered.
pub struct Access {
    reads: Reads,
    counts: Mutex<HashMap<IpAddr, Bucket>>,
}

#[derive(Clone, Copy)]
struct Bucket {
    left: f64,
    at: Instant,
}

impl Access {
    /// Lets these read.
    pub fn new(reads: Reads) -> Self {
        Self { reads, counts: Mutex::default() }
    }

    /// Whether a token is asked for.
    pub fn needs_token(&self) -> bool {
        matches!(self.reads, Reads::Token(_))
    }

    /// Whether the name that was asked for may be one of this machine.
    fn knows_host(&self, headers: &HeaderMap) -> bool {
        self.reads != Reads::Local || host(headers).is_some_and(is_local)
    }

    /// Whether a token is not asked for, or was shown.
    pub fn admits(&self, headers: &HeaderMap) -> bool {
        let Reads::Token(token) = &self.reads else { return true };
        let said = headers.get(header::AUTHORIZATION).and_then(|value| value.to_str().ok());
        let bearer = said.and_then(|said| said.strip_prefix("Bearer "));
        bearer.is_some_and(|said| is_same(said, token))
            || cookie(headers, SESSION).is_some_and(|said| is_same(said, &session(token)))
    }

    /// Whether an address elsewhere has not asked for too much of late.
    fn has_room(&self, peer: IpAddr) -> bool {
        if peer.is_loopback() {
            return true;
        }
        let now = Instant::now();
        let mut counts = self.counts.lock().unwrap_or_else(PoisonError::into_inner);
        if counts.len() > COUNTED {
            counts.retain(|_, bucket| now - bucket.at < Duration::from_secs(10));
        }
        let bucket = counts.entry(peer).or_insert(Bucket { left: BURST, at: now });
        let earned = (now - bucket.at).as_secs_f64() * RATE;
        *bucket = Bucket { left: (bucket.left + earned).min(BURST) - 1.0, at: now };
        let has_room = bucket.left >= 0.0;
        bucket.left = bucket.left.max(0.0);
        has_room
    }
}

/// The host that a request names, with its port.
pub fn host(headers: &HeaderMap) -> Option<&str> {
    let host = headers.get(header::HOST)?.to_str().ok()?;
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | ':' | '[' | ']');
    host.chars().all(is_plain).then_some(host)
}

/// The name of the host that a request names, without its port.
pub fn host_name(headers: &HeaderMap) -> Option<&str> {
    let host = host(headers)?;
    match host.rfind(']') {
        Some(end) => host.get(..=end),
        None => host.split(':').next(),
    }
}

fn is_local(host: &str) -> bool {
    let name = match host.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
        Some((name, _)) => name,
        None => host.split(':').next().unwrap_or_default(),
    };
    name.eq_ignore_ascii_case("localhost")
        || name.parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
}

/// Equal, in a time that does not tell how far they are.
fn is_same(said: &str, known: &str) -> bool {
    blake3::hash(said.as_bytes()) == blake3::hash(known.as_bytes())
}

/// What the cookie holds: it follows from the token, and the token does not follow from it.
fn session(token: &str) -> String {
    let key = blake3::derive_key("bathys 2026 session cookie", token.as_bytes());
    blake3::Hash::from_bytes(key).to_hex().to_string()
}

/// Whether a request that is no read was sent by a page of ours, or by a program that shows the token.
fn is_own(headers: &HeaderMap) -> bool {
    if let Some(site) = headers.get("sec-fetch-site") {
        return site == "same-origin";
    }
    let origin = headers.get(header::ORIGIN).and_then(|origin| origin.to_str().ok());
    let origin = origin.and_then(|origin| origin.split_once("://")).map(|(_, host)| host);
    match origin {
        Some(origin) => host(headers) == Some(origin),
        None => headers.contains_key(header::AUTHORIZATION),
    }
}

/// Lets through what may be asked.
pub async fn guard(
    State(app): State<Arc<App>>,
    Extension(ConnectInfo(peer)): Extension<ConnectInfo<SocketAddr>>,
    request: Request,
    next: Next,
) -> Response {
    let (access, path) = (&app.access, request.uri().path());
    let headers = request.headers();
    if !access.has_room(peer.ip()) {
        let mut response = Failure::TooMany.into_response();
        response.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from_static("1"));
        return response;
    }
    if !access.knows_host(headers) {
        return Failure::OtherHost.into_response();
    }
    let is_read = matches!(*request.method(), Method::GET | Method::HEAD | Method::OPTIONS);
    if !is_read && !is_own(headers) {
        return Failure::OtherOrigin.into_response();
    }
    let is_open = path == "/login" || path == "/healthz" || path.starts_with("/assets/");
    if !is_open && !access.admits(headers) {
        let wants_page = is_read
            && headers
                .get(header::ACCEPT)
                .is_some_and(|accept| accept.as_bytes().starts_with(b"text/html"));
        if !wants_page {
            let mut response = Failure::NoToken.into_response();
            let bearer = HeaderValue::from_static("Bearer");
            response.headers_mut().insert(header::WWW_AUTHENTICATE, bearer);
            return response;
        }
        let to = request.uri().path_and_query().map_or("/", |to| to.as_str());
        let to: String = url::form_urlencoded::byte_serialize(to.as_bytes()).collect();
        return Redirect::to(&format!("/login?to={to}")).into_response();
    }
    next.run(request).await
}

/// The pages for who has to show the token, and what a reader chooses.
pub fn routes() -> Router<Arc<App>> {
    Router::new()
        .route("/login", get(ask).post(log_in))
        .route("/logout", post(log_out))
        .route("/preferences", post(prefer))
}

#[derive(Deserialize)]
struct To {
    #[serde(default)]
    to: String,
}

#[derive(Deserialize)]
struct Shown {
    token: String,
    #[serde(default)]
    to: String,
}

#[derive(Deserialize)]
struct Preferences {
    language: Option<String>,
    theme: Option<String>,
    #[serde(default)]
    to: String,
}

/// A place of ours to go on at, never one elsewhere.
fn own_place(to: &str) -> &str {
    let is_own = to.starts_with('/')
        && !to.starts_with("//")
        && !to.contains('\\')
        && !to.contains(char::is_control);
    if is_own { to } else { "/" }
}

async fn ask(f: Frame, Query(To { to }): Query<To>) -> Response {
    Login { to: own_place(&to).to_owned(), is_wrong: false, f }.into_response()
}

async fn log_in(State(app): State<Arc<App>>, f: Frame, Form(shown): Form<Shown>) -> Response {
    let to = own_place(&shown.to);
    let Reads::Token(token) = &app.access.reads else { return Redirect::to(to).into_response() };
    if !is_same(shown.token.trim(), token) {
        tokio::time::sleep(WRONG).await;
        let page = Login { to: to.to_owned(), is_wrong: true, f };
        return (StatusCode::UNAUTHORIZED, page).into_response();
    }
    let cookie = set_cookie(SESSION, &session(token), "Strict; HttpOnly");
    (cookie, Redirect::to(to)).into_response()
}

async fn log_out() -> Response {
    (set_cookie(SESSION, "", "Strict; HttpOnly; Max-Age=0"), Redirect::to("/login")).into_response()
}

async fn prefer(Form(told): Form<Preferences>) -> Response {
    let mut response = Redirect::to(own_place(&told.to)).into_response();
    let year = "Lax; Max-Age=31536000";
    let is_word = |word: &String| word.len() < 8 && word.chars().all(|c| c.is_ascii_lowercase());
    for (name, value) in [("bathys_language", told.language), ("bathys_theme", told.theme)] {
        if let Some(value) = value.filter(is_word) {
            let [(name, value)] = set_cookie(name, &value, year);
            response.headers_mut().append(name, value);
        }
    }
    response
}

fn set_cookie(name: &str, value: &str, rest: &str) -> [(header::HeaderName, HeaderValue); 1] {
    let text = format!("{name}={value}; Path=/; SameSite={rest}");
    // Made of letters of ours.
    let value = HeaderValue::from_str(&text).unwrap_or(HeaderValue::from_static(""));
    [(header::SET_COOKIE, value)]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(pairs: &[(&'static str, &str)]) -> HeaderMap {
        let pair = |(name, value): &(&'static str, &str)| {
            (header::HeaderName::from_static(name), HeaderValue::from_str(value).unwrap())
        };
        pairs.iter().map(pair).collect()
    }

    #[test]
    fn on_loopback_only_names_of_this_machine_are_answered() {
        let local = Access::new(Reads::Local);
        for host in ["localhost:80", "127.0.0.1:7", "127.8.8.8", "[::1]:9", "LOCALHOST"] {
            assert!(local.knows_host(&headers(&[("host", host)])), "{host}");
        }
        for host in ["evil.example", "localhost.evil.example:80", "10.0.0.1", "[::2]", ""] {
            assert!(!local.knows_host(&headers(&[("host", host)])), "{host}");
        }
        assert!(!local.knows_host(&HeaderMap::new()));
        assert!(Access::new(Reads::Public).knows_host(&headers(&[("host", "a.example")])));
    }

    #[test]
    fn a_form_of_another_page_is_refused() {
        let host = ("host", "127.0.0.1:80");
        assert!(is_own(&headers(&[host, ("origin", "http://127.0.0.1:80")])));
        assert!(is_own(&headers(&[host, ("sec-fetch-site", "same-origin")])));
        assert!(!is_own(&headers(&[host])), "who says nothing is nobody");
        assert!(!is_own(&headers(&[host, ("origin", "http://127.0.0.1:81")])), "another port");
        assert!(!is_own(&headers(&[host, ("origin", "null")])));
        assert!(!is_own(&headers(&[
            host,
            ("sec-fetch-site", "same-site"),
            ("origin", "http://127.0.0.1:80")
        ])));
    }

    #[test]
    fn the_token_is_asked_for_and_its_cookie_does_not_hold_it() {
        let access = Access::new(Reads::Token("a long secret word".into()));
        assert!(!access.admits(&HeaderMap::new()));
        assert!(!access.admits(&headers(&[("authorization", "Bearer a long secret")])));
        assert!(access.admits(&headers(&[("authorization", "Bearer a long secret word")])));
        let cookie = format!("x=y; {SESSION}={}", session("a long secret word"));
        assert!(!cookie.contains("secret"));
        assert!(access.admits(&headers(&[("cookie", &cookie)])));
    }

    #[test]
    fn a_login_leads_to_no_other_host() {
        for to in ["//evil.example/", "https://evil.example/", "/\\evil.example", "", "a"] {
            assert_eq!(own_place(to), "/");
        }
        assert_eq!(own_place("/pages?q=1"), "/pages?q=1");
    }

    #[test]
    fn who_asks_too_much_waits_and_this_machine_never_does() {
        let access = Access::new(Reads::Public);
        let far: IpAddr = "203.0.113.9".parse().unwrap();
        let answered = (0..1000).filter(|_| access.has_room(far)).count();
        assert!((BURST as usize..BURST as usize + 100).contains(&answered), "{answered}");
        assert!((0..1000).all(|_| access.has_room("127.0.0.1".parse().unwrap())));
    }
}
