//! Pages for people. Each is a template filled with values that are ready to be shown.

mod changes;
mod diff;
mod feed;
mod graph;
mod home;
mod listing;
mod live;
mod news;
mod page;
mod records;
mod search;
mod site;

use std::sync::Arc;

use askama::Template;
use axum::Router;
use axum::extract::{Query, State};
use axum::response::{Html, IntoResponse, Redirect, Response};
use axum::routing::get;
use serde::Deserialize;
use store::PageRow;

use super::App;
use super::failure::Failure;
use super::frame::Frame;
use crate::address;

/// Rows of a table on one page.
const ROWS: usize = 50;

/// A template that is answered with.
macro_rules! shown {
    ($($screen:ident),*) => {$(
        impl axum::response::IntoResponse for $screen {
            fn into_response(self) -> axum::response::Response {
                $crate::web::screens::show(&self)
            }
        }
    )*};
}
pub(super) use shown;

pub use diff::compare;

/// A page as an answer.
pub fn show(page: &impl Template) -> Response {
    match page.render() {
        Ok(html) => Html(html).into_response(),
        Err(error) => Failure::from(error).into_response(),
    }
}

/// What went wrong.
#[derive(Template)]
#[template(path = "problem.html")]
pub struct Problem {
    pub status: u16,
    pub detail: String,
    pub f: Frame,
}

impl Problem {
    fn heading(&self) -> &'static str {
        match self.status {
            404 => self.f.w.nothing_here,
            _ => self.f.w.not_answered,
        }
    }
}

/// Where the token is shown.
#[derive(Template)]
#[template(path = "login.html")]
pub struct Login {
    pub to: String,
    pub is_wrong: bool,
    pub f: Frame,
}

shown!(Problem, Login);

/// The addresses of all pages.
pub fn routes() -> Router<Arc<App>> {
    Router::new()
        .route("/", get(home::home))
        .route("/site/{site}", get(site::site))
        .route("/site/{site}/graph", get(graph::graph))
        .route("/site/{site}/graph.json", get(graph::data))
        .route("/pages", get(listing::pages))
        .route("/page/{number}", get(page::page))
        .route("/page/{number}/diff", get(diff::diff))
        .route("/records", get(records::records))
        .route("/page/{number}/changes.atom", get(feed::of_page))
        .route("/changes", get(changes::changes))
        .route("/changes.atom", get(feed::changes))
        .route("/search", get(search::search))
        .route("/live", get(live::live))
        .route("/events", get(live::events))
        .route("/go", get(go))
}

#[derive(Deserialize)]
struct Go {
    key: String,
}

/// Leads to what a key, a URL or a number names; else to the pages with these words.
async fn go(
    State(app): State<Arc<App>>,
    Query(Go { key }): Query<Go>,
) -> Result<Redirect, Failure> {
    let key = key.trim();
    let to = match address::page(&app.catalog, key).await? {
        Some(row) => format!("/page/{}", row.page),
        None => super::tell::address("/pages", &[("q", key)]),
    };
    Ok(Redirect::to(&to))
}

/// The page of a number, as an address has it.
async fn find(app: &App, number: &str) -> Result<PageRow, Failure> {
    let none = || Failure::NotFound(format!("the store has no page {number}"));
    if number.is_empty() || !number.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(none());
    }
    app.catalog.find(number).await?.ok_or_else(none)
}
