//! Archived pages, on a port of their own: Wayback addresses, TimeGate, TimeMap and a CDX server, as pywb has
//! them for a collection called `web`.
//!
//! What is answered here is what others wrote. Its own origin, and a policy that lets nothing run and nothing
//! load from elsewhere, keep it from the pages of this program and from the network.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use axum::Router;
use axum::body::Body;
use axum::extract::{Query, Request, State};
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode, Uri, header};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{Html, IntoResponse, Redirect, Response};
use axum::routing::get;
use publish::replay::{
    Answer, CdxOutput, CdxQuery, Digests, Form, Place, ReplayIndex, Source, TimeMap, answer,
    captures_of, http_date, link_header, parse_http_date, parse_moment, timestamp,
};
use serde::Deserialize;
use store::Millis;

use super::access::{self, host_name};
use super::failure::Failure;
use super::metrics::observe;
use super::overview::Kept;
use super::stream::{Lines, lines};
use super::{App, LONGEST};
use crate::address;

/// What addresses of archived pages begin with.
const PREFIX: &str = "/web/";
/// Lines that a CDX answer has at most unless more are asked for, and at most anyway.
const MOST_LINES: usize = 100_000;

/// What is remembered of the captures of the store.
pub struct Archive {
    index: Kept<(), ReplayIndex>,
    digests: Digests,
    /// How many captures there were when that was last asked.
    mark: Mutex<Option<(Instant, i64)>>,
}

/// How long it is not asked again: a page has many pictures.
const GLANCE: Duration = Duration::from_secs(1);

impl Default for Archive {
    fn default() -> Self {
        Self { index: Kept::holding(1), digests: Digests::default(), mark: Mutex::default() }
    }
}

impl Archive {
    async fn mark(&self, app: &App) -> Result<i64, Failure> {
        let lock = || self.mark.lock().unwrap_or_else(PoisonError::into_inner);
        let known = *lock();
        match known.filter(|(asked, _)| asked.elapsed() < GLANCE) {
            Some((_, mark)) => Ok(mark),
            None => {
                let (exchanges, visits) = app.catalog.archive_mark().await?;
                *lock() = Some((Instant::now(), exchanges + visits));
                Ok(exchanges + visits)
            }
        }
    }

    async fn index(&self, app: &Arc<App>) -> Result<Arc<ReplayIndex>, Failure> {
        let mark = self.mark(app).await?;
        let catalog = app.catalog.clone();
        let make = async move { Ok(ReplayIndex::read(&catalog).await?) };
        Ok(self.index.get((), mark, make).await?)
    }
}

/// The server of archived pages.
pub fn router(app: Arc<App>) -> Router {
    Router::new()
        .route("/", get(welcome))
        .route("/web/key", get(by_key))
        .route("/web/cdx", get(cdx))
        .route("/web/index", get(cdx))
        .route("/robots.txt", get(async || "User-agent: *\nDisallow: /\n"))
        .fallback(get(archived))
        .layer(from_fn_with_state(app.clone(), access::guard))
        .layer(from_fn_with_state(app.clone(), tell))
        .layer(from_fn_with_state(app.clone(), confine))
        .layer(from_fn_with_state(app.clone(), observe))
        .with_state(app)
}

/// Tells failures in plain words, and gives up what takes too long.
async fn tell(State(_): State<Arc<App>>, request: Request, next: Next) -> Response {
    match tokio::time::timeout(LONGEST, next.run(request)).await {
        Ok(response) => response,
        Err(_) => Failure::TooLong.into_response(),
    }
}

/// Says of every answer that nothing in it may run, load from elsewhere or be sent.
async fn confine(State(app): State<Arc<App>>, request: Request, next: Next) -> Response {
    let own = match (&app.replay_url, host_name(request.headers())) {
        (None, Some(host)) => format!("; frame-ancestors 'self' http://{host}:{}", app.own_port),
        _ => String::new(),
    };
    let mut response = next.run(request).await;
    let is_raw = response.extensions().get::<Untouched>().is_some();
    let policy = format!(
        "{}default-src 'none'; img-src 'self' data: blob:; media-src 'self' data: blob:; \
         font-src 'self' data:; style-src 'self' 'unsafe-inline' data:; frame-src 'self'; \
         script-src 'none'; form-action 'none'; base-uri 'none'{own}",
        if is_raw { "sandbox; " } else { "" },
    );
    let headers = response.headers_mut();
    let fixed = [
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::REFERRER_POLICY, "no-referrer"),
        (HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
        (HeaderName::from_static("permissions-policy"), "camera=(), geolocation=(), microphone=()"),
    ];
    for (name, value) in fixed {
        headers.insert(name, HeaderValue::from_static(value));
    }
    if let Ok(policy) = HeaderValue::from_str(&policy) {
        headers.insert(header::CONTENT_SECURITY_POLICY, policy);
    }
    response
}

/// Marks bytes as they were received.
#[derive(Clone, Copy)]
struct Untouched;

async fn welcome(State(app): State<Arc<App>>) -> Result<Html<String>, Failure> {
    let index = app.replay.index(&app).await?;
    Ok(Html(format!(
        "<!DOCTYPE html><html lang=\"en\"><meta charset=\"utf-8\"><title>Archive</title>\
         <h1>Archived pages</h1><p>{} addresses were captured. Ask for one as \
         <code>/web/2026/https://example.org/</code>.</p>",
        crate::output::thousands(index.len() as i64)
    )))
}

#[derive(Deserialize)]
struct ByKey {
    key: String,
    #[serde(default)]
    time: String,
}

/// Leads to a page or state by its key.
async fn by_key(
    State(app): State<Arc<App>>,
    Query(ByKey { key, time }): Query<ByKey>,
) -> Result<Redirect, Failure> {
    let row = address::page(&app.catalog, &key).await?;
    let row = row.ok_or_else(|| Failure::NotFound(format!("no page has the key {key}")))?;
    let time = match time.as_str() {
        "" => row.last_seen,
        text => moment(text)?,
    };
    Ok(Redirect::to(&app.replay_path(&row, time)))
}

fn moment(text: &str) -> Result<Millis, Failure> {
    let moment = parse_moment(text).or_else(|| match address::which(text)? {
        store::Which::At(time) => Some(time),
        _ => None,
    });
    moment.ok_or_else(|| Failure::BadRequest(format!("'{text}' is no time")))
}

/// A question about captures.
async fn cdx(State(app): State<Arc<App>>, uri: Uri) -> Result<Response, Failure> {
    let pairs: Vec<(String, String)> =
        url::form_urlencoded::parse(uri.query().unwrap_or_default().as_bytes())
            .map(|(name, value)| (name.into_owned(), value.into_owned()))
            .collect();
    let pairs = pairs.iter().map(|(name, value)| (name.as_str(), value.as_str()));
    let query = CdxQuery::parse(pairs).map_err(|error| Failure::BadRequest(error.to_string()))?;
    let content_type = match query.output {
        CdxOutput::Cdxj => "text/x-cdxj",
        CdxOutput::Json => "text/x-ndjson",
        CdxOutput::Text => "text/plain; charset=utf-8",
    };
    let index = app.replay.index(&app).await?;
    let body = lines(move |out| write_cdx(app, index, query, out));
    Ok(([(header::CONTENT_TYPE, content_type)], body).into_response())
}

async fn write_cdx(
    app: Arc<App>,
    index: Arc<ReplayIndex>,
    query: CdxQuery,
    mut out: Lines,
) -> anyhow::Result<()> {
    let mut left = query.limit.unwrap_or(MOST_LINES).min(MOST_LINES);
    let keys = index.matching(&query.url, query.matches, None);
    let keys: Vec<&[Place]> = keys.map(|(_, places)| places).take(left.max(1)).collect();
    for places in keys {
        let captures = captures_of(&app.catalog, &app.replay.digests, places).await?;
        for capture in query.chosen(captures) {
            if left == 0 {
                return out.end().await;
            }
            left -= 1;
            out.write(query.line(&capture)).await?;
        }
    }
    out.end().await
}

/// What is asked for by an address of the archive.
#[derive(Debug, PartialEq, Eq)]
enum Asked<'a> {
    /// What was captured under an address near a time; the latest without one.
    Memento { time: Option<&'a str>, form: Form, url: String },
    /// All times.
    TimeMap { format: &'a str, url: String },
}

impl<'a> Asked<'a> {
    /// Reads `/web/2026id_/http://…`, with the query that belongs to the captured address.
    fn read(path: &'a str) -> Option<Self> {
        let rest = path.strip_prefix(PREFIX)?;
        if let Some(rest) = rest.strip_prefix("timemap/") {
            let (format, url) = rest.split_once('/')?;
            return Some(Self::TimeMap { format, url: captured(url)? });
        }
        let (first, url) = rest.split_once('/').unwrap_or((rest, ""));
        let digits = first.bytes().take_while(u8::is_ascii_digit).count();
        let (time, form) = first.split_at(digits);
        let is_form = matches!(form, "" | "id_" | "im_" | "js_" | "cs_" | "if_" | "mp_" | "oe_");
        if digits < 4 && !(digits == 0 && matches!(form, "id_" | "mp_")) || !is_form {
            return Some(Self::Memento { time: None, form: Form::Page, url: captured(rest)? });
        }
        let form = match form {
            "id_" | "im_" | "js_" | "oe_" => Form::Raw,
            "cs_" => Form::Sheet,
            _ => Form::Page,
        };
        Some(Self::Memento {
            time: Some(time).filter(|time| !time.is_empty()),
            form,
            url: captured(url)?,
        })
    }
}

/// A captured address as it stands in one of ours: with or without a scheme, or with slashes that somebody
/// folded.
fn captured(url: &str) -> Option<String> {
    if url.is_empty() {
        return None;
    }
    for scheme in ["http:", "https:"] {
        if let Some(rest) = url.strip_prefix(scheme) {
            return Some(format!("{scheme}//{}", rest.trim_start_matches('/')));
        }
    }
    match url.starts_with("urn:") {
        true => Some(url.to_owned()),
        false => Some(format!("http://{url}")),
    }
}

async fn archived(
    State(app): State<Arc<App>>,
    uri: Uri,
    headers: HeaderMap,
) -> Result<Response, Failure> {
    let path = uri.path_and_query().map_or("", |path| path.as_str());
    let asked = Asked::read(path)
        .ok_or_else(|| Failure::NotFound("ask as /web/2026/https://example.org/".into()))?;
    let index = app.replay.index(&app).await?;
    let archive = format!("{}/web", app.replay_origin(&headers));
    match asked {
        Asked::TimeMap { format, url } => time_map(&app, &index, &archive, format, &url).await,
        Asked::Memento { time, form, url } => {
            let wanted = match time {
                Some(time) => moment(time)?,
                None => {
                    let said = headers.get("accept-datetime").map(HeaderValue::to_str);
                    match said {
                        Some(said) => said.ok().and_then(parse_http_date).ok_or_else(|| {
                            Failure::BadRequest("Accept-Datetime is no date of HTTP".into())
                        })?,
                        None => Millis::now(),
                    }
                }
            };
            memento(&app, &index, &archive, wanted, form, &url, time.is_none()).await
        }
    }
}

async fn time_map(
    app: &Arc<App>,
    index: &Arc<ReplayIndex>,
    archive: &str,
    format: &str,
    url: &str,
) -> Result<Response, Failure> {
    let places = index.places(url);
    if places.is_empty() {
        return Err(Failure::NotFound(format!("{url} was not captured")));
    }
    let map = TimeMap { archive, url, places };
    let (content_type, text) = match format {
        "link" => ("application/link-format", map.link_format()),
        "json" | "cdxj" => {
            let output = if format == "json" { "json" } else { "cdxj" };
            let query = CdxQuery::parse([("url", url), ("output", output)])
                .map_err(|error| Failure::BadRequest(error.to_string()))?;
            let captures = captures_of(&app.catalog, &app.replay.digests, places).await?;
            let text: String = captures.iter().map(|capture| query.line(capture)).collect();
            (if format == "json" { "text/x-ndjson" } else { "text/x-cdxj" }, text)
        }
        _ => return Err(Failure::NotFound(format!("no list is called {format}"))),
    };
    let mut response = ([(header::CONTENT_TYPE, content_type)], text).into_response();
    put(&mut response, "link", &link_header(archive, url, None));
    put(&mut response, "vary", "accept-datetime");
    Ok(response)
}

async fn memento(
    app: &Arc<App>,
    index: &ReplayIndex,
    archive: &str,
    wanted: Millis,
    form: Form,
    url: &str,
    is_gate: bool,
) -> Result<Response, Failure> {
    let Some(place) = index.nearest(url, wanted) else {
        return Ok(not_captured(url, form));
    };
    let kept = {
        let (catalog, runtime) = (app.catalog.clone(), tokio::runtime::Handle::current());
        let index = app.replay.index(app).await?;
        let work = move || runtime.block_on(answer(&catalog, &index, place, form, PREFIX));
        app.busy(work).await??
    };
    let Some(kept) = kept else { return Ok(not_captured(url, form)) };
    let stamp = timestamp(kept.time);
    let mark = match form {
        Form::Raw => "id_",
        Form::Sheet => "cs_",
        Form::Page => "",
    };
    let here = format!("{archive}/{stamp}{mark}/{}", kept.url);
    let mut response = respond(kept, form);
    let time = parse_moment(&stamp).unwrap_or(wanted);
    put(&mut response, "memento-datetime", &http_date(time));
    put(&mut response, "link", &link_header(archive, url, Some(time)));
    put(&mut response, "content-location", &here);
    if is_gate {
        put(&mut response, "vary", "accept-datetime");
    }
    Ok(response)
}

fn respond(kept: Answer, form: Form) -> Response {
    let status = StatusCode::from_u16(kept.status).unwrap_or(StatusCode::OK);
    let originals: Vec<_> = kept.original_headers().collect();
    let mut response = Response::new(Body::empty());
    *response.status_mut() = if status.is_informational() { StatusCode::OK } else { status };
    for (name, value) in &originals {
        put(&mut response, name, value);
    }
    let content_type = match kept.content_type.as_str() {
        "" => "application/octet-stream",
        known => known,
    };
    put(&mut response, "content-type", content_type);
    match &kept.location {
        // As it was, a redirect would lead out of the archive.
        Some(location) if form != Form::Raw => put(&mut response, "location", location),
        _ => {}
    }
    if kept.source == Source::Rendered {
        put(&mut response, "x-archive-rendered", "as a browser had it, without its scripts");
    }
    if form == Form::Raw {
        response.extensions_mut().insert(Untouched);
    }
    *response.body_mut() = Body::from(kept.payload);
    response
}

/// Puts a header, unless it has something in it that no header can.
fn put(response: &mut Response, name: &str, value: &str) {
    let name = HeaderName::from_bytes(name.as_bytes());
    if let (Ok(name), Ok(value)) = (name, HeaderValue::from_bytes(value.as_bytes())) {
        response.headers_mut().insert(name, value);
    }
}

/// Says that there is nothing, as a page where a page was asked for.
fn not_captured(url: &str, form: Form) -> Response {
    if form != Form::Page {
        return (StatusCode::NOT_FOUND, "not captured\n").into_response();
    }
    let url = crate::output::clip(url, 2_000);
    let page = NotCaptured { is_http: url.starts_with("http"), url };
    (StatusCode::NOT_FOUND, page).into_response()
}

#[derive(askama::Template)]
#[template(path = "not_captured.html")]
struct NotCaptured {
    url: String,
    is_http: bool,
}

super::screens::shown!(NotCaptured);

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(path: &str) -> Asked<'_> {
        Asked::read(path).unwrap()
    }

    #[test]
    fn addresses_of_the_archive_are_read_as_other_tools_write_them() {
        let memento = |time, form, url: &str| Asked::Memento { time, form, url: url.to_owned() };
        let url = "https://a.example/b?c=d/e";
        for (path, expected) in [
            (
                "/web/20260131000000/https://a.example/b?c=d/e",
                memento(Some("20260131000000"), Form::Page, url),
            ),
            ("/web/2026id_/https:/a.example/b?c=d/e", memento(Some("2026"), Form::Raw, url)),
            ("/web/2026cs_/https://a.example/b?c=d/e", memento(Some("2026"), Form::Sheet, url)),
            ("/web/https://a.example/b?c=d/e", memento(None, Form::Page, url)),
            ("/web/id_/https://a.example/b?c=d/e", memento(None, Form::Raw, url)),
            ("/web/a.example/b", memento(None, Form::Page, "http://a.example/b")),
            ("/web/2026/a.example", memento(Some("2026"), Form::Page, "http://a.example")),
        ] {
            assert_eq!(asked(path), expected, "{path}");
        }
        let map = Asked::TimeMap { format: "link", url: url.into() };
        assert_eq!(asked("/web/timemap/link/https://a.example/b?c=d/e"), map);
        for none in ["/", "/web/", "/web/2026/", "/other/2026/http://a/"] {
            assert_eq!(Asked::read(none), None, "{none}");
        }
    }
}
