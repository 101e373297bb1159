//! One page for each attack on a crawler. Each begins with an honest sentence, the marker, before
//! the attack; a robust crawler keeps that sentence, loses at most one tab, and goes on to the
//! last link of the index.

mod bodies;
mod redirects;
mod scripts;
mod stream;
mod transport;

use std::sync::Arc;

use axum::Router;
use axum::response::Response;
use axum::routing::{MethodRouter, get};

use crate::html::{self, Text};
use crate::{Options, Site, State, Truth};

/// A page that attacks.
struct Attack {
    /// What is attacked with; the page is at `/a/` and this.
    name: &'static str,
    about: &'static str,
    /// The kind of its state.
    family: &'static str,
    status: u16,
    /// Whether the marker comes before the attack, so that it has to be kept.
    kept: bool,
    answer: MethodRouter,
}

impl Attack {
    /// A page that begins with its marker.
    fn new(
        family: &'static str,
        name: &'static str,
        about: &'static str,
        answer: MethodRouter,
    ) -> Self {
        Attack { name, about, family, status: 200, kept: true, answer }
    }

    /// An answer that is never a page: only its status, or its failure, can be kept.
    fn without_page(mut self, status: u16) -> Self {
        self.status = status;
        self.kept = false;
        self
    }

    fn path(&self) -> String {
        format!("/a/{}", self.name)
    }

    fn state(&self) -> State {
        let marker = if self.kept { marker(self.name) } else { String::new() };
        let state = State::at(self.family, self.path(), marker).with_status(self.status);
        if self.kept { state } else { state.unwanted() }
    }
}

/// The sentence that a page begins with.
fn marker(name: &str) -> String {
    format!("Attack {name} begins below.")
}

/// The beginning of a page up to its marker.
fn opening(name: &str) -> String {
    format!(
        "<!DOCTYPE html><html><head><meta charset=\"utf-8\"><title>{0}</title></head><body><h1>{0}</h1><p>{1}</p>\n",
        Text(name),
        Text(&marker(name))
    )
}

/// A page that begins with its marker and goes on with `rest`.
fn page(name: &str, rest: &str) -> Response {
    html::page(format!("{}{rest}", opening(name)))
}

fn attacks() -> Vec<Attack> {
    let mut attacks = scripts::attacks();
    attacks.extend(bodies::attacks());
    attacks.extend(redirects::attacks());
    attacks.extend(transport::attacks());
    attacks
}

/// The hostile site. Options of size, build and language do not apply.
pub struct Hostile;

impl Hostile {
    /// Generates the site.
    pub fn generate(_: &Options) -> Self {
        Hostile
    }
}

const WELCOME: &str = "Everything on this site means harm, but for the last link.";
const SAFE: &str = "You came through: nothing here attacks.";

impl Site for Hostile {
    fn truth(&self) -> Truth {
        let mut states = vec![State::at("index", "/", WELCOME)];
        states.extend(attacks().iter().map(Attack::state));
        states.push(State::at("safe", "/safe", SAFE));
        Truth::new("hostile", states)
    }

    fn router(self: Arc<Self>) -> Router {
        let mut router = Router::new()
            .route("/", get(async || index()))
            .route(
                "/safe",
                get(async || {
                    html::page(format!("<!DOCTYPE html><title>Safe</title><p>{SAFE}</p>"))
                }),
            )
            .merge(scripts::router())
            .merge(redirects::router())
            .merge(transport::router());
        for attack in attacks() {
            router = router.route(&attack.path(), attack.answer);
        }
        router
    }
}

fn index() -> Response {
    let links: String = attacks()
        .iter()
        .map(|attack| {
            format!(
                r#"<li><a href="{}">{}</a> {}</li>"#,
                attack.path(),
                attack.name,
                Text(attack.about)
            )
        })
        .collect();
    html::page(format!(
        concat!(
            r#"<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>Hostile</title></head>"#,
            r#"<body><h1>Hostile</h1><p>{}</p><ul>{}</ul><p><a href="/safe">safe</a></p></body></html>"#
        ),
        WELCOME, links
    ))
}
