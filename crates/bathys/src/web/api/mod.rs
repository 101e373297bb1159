//! The interface for programs: everything that the commands say with `--json`, over HTTP.
//!
//! A listing is a page of items with the address of the next one, or, asked for as `application/x-ndjson` or
//! with `format=jsonl`, all of it as JSON Lines while it is read. Fields are those of the commands. Nothing
//! that a page says is ever answered as HTML: archived pages have an origin of their own.

mod description;
mod listings;
mod one;
mod search;
mod tag;

use std::sync::Arc;

use axum::Router;
use axum::middleware::from_fn;
use axum::routing::get;

use super::App;
use super::failure::Failure;

/// The addresses of the interface.
pub fn routes() -> Router<Arc<App>> {
    let api = Router::new()
        .route("/sites", get(listings::sites))
        .route("/pages", get(listings::pages))
        .route("/types", get(listings::types))
        .route("/records", get(listings::records))
        .route("/changes", get(listings::changes))
        .route("/log", get(listings::log))
        .route("/show", get(one::show))
        .route("/diff", get(one::diff))
        .route("/graph", get(one::graph))
        .route("/stats", get(one::stats))
        .route("/search", get(search::search))
        .route("/ask", get(search::ask))
        .route("/topics", get(search::topics))
        .route("/openapi.json", get(description::openapi))
        .layer(from_fn(tag::tag));
    Router::new().nest("/api/v1", api).route("/api", get(description::page))
}

/// A switch in an address: `all`, `all=1`, `all=true`.
fn is_on(text: Option<&str>) -> Result<bool, Failure> {
    match text {
        None | Some("0" | "false") => Ok(false),
        Some("" | "1" | "true") => Ok(true),
        Some(other) => Err(Failure::BadRequest(format!("'{other}' is neither true nor false"))),
    }
}
