//! `forum`: the data base of a forum, and the pages that templates of every make write from it. Its
//! truth has the tables, so that records can be compared with them field by field.
//!
//! The templates share nothing that a visitor sees but the people and what they say: each has its own
//! markup, class names, addresses, dates and paging, and all are ours, not those of a known engine.
//! What makes records hard is in all of them: guests and those who have left, adverts between posts,
//! quotes with headers, short and nested, signatures, edit notes, rows of moved threads, threads that
//! stay on top, subject lines, files, a poll, dates and numbers in sentences, threads of one post.
//! Within a day of the clock a post is edited, one is taken away and one is written.

mod at;
mod model;
mod people;
mod post;
mod skin;
mod template;
mod tongue;
mod truth;
mod when;

use std::sync::Arc;

use axum::Router;
use axum::extract::{Path, State as Shared};
use axum::http::{StatusCode, Uri};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use jiff::Timestamp;

use self::at::{At, Place};
use self::model::Model;
pub use self::template::Template;
use crate::{Options, Random, Site, Truth, Visit, html};

/// The site `forum`. [`Options::size`] counts its threads (44 unless told otherwise). Its language is
/// that of the [`Template`], its scripts are as the template has them.
///
/// ```
/// use testsite::{Forum, Options, Template};
/// let options = Options { template: Template::Table, ..Options::default() };
/// let forum = Forum::generate(&options);
/// let tables = forum.tables(options.clock.now());
/// let page = forum.page(&tables.threads[0].url, options.clock.now());
/// assert!(page.is_some_and(|html| html.contains("<table")));
/// ```
pub struct Forum {
    template: Template,
    model: Model,
    seed: u64,
}

impl Forum {
    /// Generates the forum.
    pub fn generate(options: &Options) -> Self {
        let template = options.template;
        let model = Model::generate(options, template.skin().tongue());
        Forum { template, model, seed: options.seed }
    }

    /// The page at an address (path and query) as the server sends it at a time, without a server.
    pub fn page(&self, url: &str, now: Timestamp) -> Option<String> {
        self.write(url, &self.at(now))
    }

    fn at(&self, now: Timestamp) -> At<'_> {
        let random = Random::of(self.seed, "forum page");
        At { model: &self.model, skin: self.template.skin(), now, random }
    }

    fn write(&self, url: &str, at: &At<'_>) -> Option<String> {
        let skin = at.skin;
        if url.split('?').next() == Some(skin.search()) {
            let (title, text) = skin.tongue().nothing();
            return Some(skin.other_page(at, title, &format!("<p>{text}</p>")));
        }
        Some(match at.place(url)? {
            Place::Index => skin.index_page(at),
            Place::List(board, page) => skin.list_page(at, board, page),
            Place::Thread(thread, page) => skin.thread_page(at, thread, page),
            Place::User(user) => skin.user_page(at, user),
            Place::Login => {
                let (title, text, button) = skin.tongue().login();
                let form = format!(
                    "<p>{text}</p>\n<form method=\"post\" action=\"/act/login\"><input name=\"name\"> <input name=\"password\" type=\"password\"> <button>{button}</button></form>\n"
                );
                skin.other_page(at, title, &form)
            }
        })
    }

    fn respond(&self, visit: &Visit, uri: &Uri) -> Response {
        let url = uri.path_and_query().map_or("/", |address| address.as_str());
        let at = At { random: visit.random(), ..self.at(visit.now()) };
        if let Some(page) = self.write(url, &at) {
            return html::page(page);
        }
        at.skin.answer(&at, url).unwrap_or_else(|| {
            let page = at.skin.other_page(&at, "404", "<p>404</p>");
            (StatusCode::NOT_FOUND, html::page(page)).into_response()
        })
    }
}

impl Site for Forum {
    fn truth(&self) -> Truth {
        self.known_truth()
    }

    fn router(self: Arc<Self>) -> Router {
        type Owned = Shared<Arc<Forum>>;
        let act = post(async |visit: Visit, Path(kind): Path<String>, form: String| {
            match truth::CHANGES.iter().find(|known| **known == kind) {
                Some(kind) => visit.change(kind, form.chars().take(80).collect::<String>()),
                None => return StatusCode::NOT_FOUND.into_response(),
            }
            "1".into_response()
        });
        Router::new()
            .route("/act/{kind}", act)
            .route("/static/view.svg", get(picture))
            .fallback(async |forum: Owned, visit: Visit, uri: Uri| forum.respond(&visit, &uri))
            .with_state(self)
    }
}

async fn picture() -> Response {
    html::file("image/svg+xml", include_bytes!("../../assets/forum/view.svg"))
}
