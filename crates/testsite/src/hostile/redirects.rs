//! Ways that never end.

use axum::Router;
use axum::extract::Path;
use axum::http::StatusCode;
use axum::http::header::LOCATION;
use axum::response::{IntoResponse, Response};
use axum::routing::get;

use super::{Attack, page};

pub(super) fn attacks() -> Vec<Attack> {
    vec![
        Attack::new(
            "redirect",
            "redirect-self",
            "a redirect to itself",
            get(async || found("/a/redirect-self")),
        )
        .without_page(302),
        Attack::new(
            "redirect",
            "redirect-pair",
            "two redirects to each other",
            get(async || found("/hop/pair")),
        )
        .without_page(302),
        Attack::new(
            "redirect",
            "redirect-new",
            "a redirect to a new URL, again and again",
            get(async || found("/hop/new/1")),
        )
        .without_page(302),
        Attack::new(
            "redirect",
            "redirect-long",
            "a redirect to a URL of 1 MB",
            get(async || found(&format!("/hop/{}", "x".repeat(1 << 20)))),
        )
        .without_page(302),
        Attack::new(
            "redirect",
            "refresh-self",
            "a meta refresh to itself",
            get(async || page("refresh-self", r#"<meta http-equiv="refresh" content="0">"#)),
        ),
        Attack::new(
            "redirect",
            "refresh-new",
            "a meta refresh to a new URL, again and again",
            get(async || page("refresh-new", &refresh(1))),
        ),
        Attack::new(
            "redirect",
            "location-self",
            "a script that reloads",
            get(async || page("location-self", "<script>location.reload()</script>")),
        ),
        Attack::new(
            "redirect",
            "location-new",
            "a script that goes to a new URL, again and again",
            get(async || page("location-new", &relocate(1))),
        ),
    ]
}

pub(super) fn router() -> Router {
    Router::new()
        .route("/hop/pair", get(async || found("/a/redirect-pair")))
        .route(
            "/hop/new/{number}",
            get(async |Path(number): Path<u64>| {
                found(&format!("/hop/new/{}", number.wrapping_add(1)))
            }),
        )
        .route(
            "/hop/refresh/{number}",
            get(async |Path(number): Path<u64>| page("hop", &refresh(number.wrapping_add(1)))),
        )
        .route(
            "/hop/location/{number}",
            get(async |Path(number): Path<u64>| page("hop", &relocate(number.wrapping_add(1)))),
        )
}

fn found(url: &str) -> Response {
    (StatusCode::FOUND, [(LOCATION, url)]).into_response()
}

fn refresh(number: u64) -> String {
    format!(r#"<meta http-equiv="refresh" content="0; url=/hop/refresh/{number}">"#)
}

fn relocate(number: u64) -> String {
    format!("<script>location.href='/hop/location/{number}'</script>")
}
