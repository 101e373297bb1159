//! Answers that are never whole.

use std::time::Duration;

use axum::Router;
use axum::body::Bytes;
use axum::http::header::{CONTENT_DISPOSITION, CONTENT_LENGTH, CONTENT_TYPE, SET_COOKIE};
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use axum::routing::get;

use super::stream::{Cut, Dripping};
use super::{Attack, opening, page};

const HTML: &str = "text/html; charset=utf-8";

pub(super) fn attacks() -> Vec<Attack> {
    let attack = |name, about, answer| Attack::new("transport", name, about, answer);
    vec![
        attack(
            "slow",
            "a byte a second, for ever",
            get(async || {
                let body = Dripping::body(opening("slow"), " ", Duration::from_secs(1));
                ([(CONTENT_TYPE, HTML)], body)
            }),
        ),
        attack(
            "endless",
            "a paragraph every millisecond, for ever",
            get(async || {
                let body =
                    Dripping::body(opening("endless"), "<p>more</p>\n", Duration::from_millis(1));
                ([(CONTENT_TYPE, HTML)], body)
            }),
        ),
        attack("silent", "no answer at all", get(silent)).without_page(0),
        attack(
            "cut",
            "a chunked body that is cut",
            get(async || ([(CONTENT_TYPE, HTML)], Cut::body(opening("cut")))),
        ),
        attack(
            "short",
            "a body that is shorter than it said",
            get(async || {
                let head = [(CONTENT_TYPE, HTML), (CONTENT_LENGTH, "1000000")];
                (head, Cut::body(opening("short")))
            }),
        ),
        attack("headers", "5,000 headers", get(headers)).without_page(200),
        attack("cookies", "2,000 cookies, some of them large", get(cookies)),
        attack(
            "header-garbage",
            "headers that say nonsense",
            get(async || {
                let nonsense = [
                    (CONTENT_TYPE.as_str(), &b"text/html; charset=\xff\xfe; =;;"[..]),
                    ("content-security-policy", b"sandbox; default-src 'none'"),
                    ("refresh", b"banana"),
                    ("link", b"<<>>; rel"),
                    ("last-modified", b"the day before yesterday"),
                ];
                let mut map = HeaderMap::new();
                for (name, value) in nonsense {
                    if let Ok(value) = HeaderValue::from_bytes(value) {
                        map.insert(HeaderName::from_static(name), value);
                    }
                }
                (map, opening("header-garbage"))
            }),
        ),
        attack(
            "error-page",
            "an error with a page",
            get(async || (StatusCode::INTERNAL_SERVER_ERROR, page("error-page", ""))),
        )
        .answered(500),
        attack(
            "teapot",
            "a status that nobody knows",
            get(async || {
                let status = StatusCode::from_u16(799).unwrap_or(StatusCode::IM_A_TEAPOT);
                (status, page("teapot", ""))
            }),
        )
        .answered(799),
        attack(
            "attachment",
            "a page that is a download",
            get(async || {
                let name = "attachment; filename=\"../../etc/passwd\"";
                ([(CONTENT_DISPOSITION, name)], Bytes::from_static(&[7; 4096]))
            }),
        )
        .without_page(200),
    ]
}

impl Attack {
    fn answered(mut self, status: u16) -> Self {
        self.status = status;
        self
    }
}

/// What scripts of other attacks open.
pub(super) fn router() -> Router {
    Router::new()
        .route(
            "/endless/bytes",
            get(async || Dripping::body(Bytes::new(), "more\n", Duration::from_millis(10))),
        )
        .route(
            "/endless/events",
            get(async || {
                let events =
                    Dripping::body(Bytes::new(), "data: more\n\n", Duration::from_millis(50));
                ([(CONTENT_TYPE, "text/event-stream")], events)
            }),
        )
        .route("/endless/silence", get(silent))
        .route(
            "/endless/download.bin",
            get(async || {
                let body = Dripping::body(Bytes::new(), "0123456789", Duration::from_millis(10));
                let head = [
                    (CONTENT_TYPE, "application/octet-stream"),
                    (CONTENT_DISPOSITION, "attachment; filename=\"free.exe\""),
                ];
                (head, body)
            }),
        )
}

/// Not a word, until the client goes away or the server stops.
async fn silent() {
    std::future::pending::<()>().await;
}

async fn headers() -> Response {
    let mut map = HeaderMap::new();
    for number in 0..5_000 {
        let name = HeaderName::try_from(format!("x-flood-{number}"));
        let value = HeaderValue::try_from("flood ".repeat(16));
        if let (Ok(name), Ok(value)) = (name, value) {
            map.insert(name, value);
        }
    }
    (map, page("headers", "")).into_response()
}

async fn cookies() -> Response {
    let mut map = HeaderMap::new();
    for number in 0..2_000 {
        // Together below the 256 KB of headers that Chromium takes.
        let value = "c".repeat(if number % 200 == 0 { 4_000 } else { 40 });
        if let Ok(value) = HeaderValue::try_from(format!("c{number}={value}; Path=/cookies")) {
            map.append(SET_COOKIE, value);
        }
    }
    (map, page("cookies", "")).into_response()
}
