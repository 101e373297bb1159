//! `news`: a newspaper whose readers' comments are paged by scripts under one URL (seed 000,
//! experiment 2: three articles with 7, 8 and 11 pages of comments).
//!
//! Front page, sections, articles and small print are plain documents; the comments come by
//! script. Around them is what such sites have: menus, tabs, a poll, adverts, share buttons. All
//! of that either reveals what the document holds already, or writes to the server, which the log
//! shows. The build decides how the scripts are written, never what they show.

mod comments;
mod model;
mod pages;
mod shell;
mod truth;
mod words;

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use axum::extract::{Path, Query, State as Shared};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Redirect, Response};
use axum::routing::{MethodRouter, get, post};
use axum::{Form, Json, Router};
use serde::Deserialize;
use serde_json::json;

use self::model::{Article, Model};
use crate::text::Writer;
use crate::{Build, Options, Random, Site, Truth, Visit, html, vendor};

/// Different texts in the advert slots.
const ADVERTS: usize = 24;

/// The site `news`.
pub struct News {
    seed: u64,
    build: Build,
    model: Model,
    adverts: Vec<String>,
    /// Likes beyond those that a comment was generated with.
    likes: Mutex<HashMap<u32, u32>>,
}

impl News {
    /// Writes the newspaper of this seed, size and language.
    pub fn generate(options: &Options) -> Self {
        let mut writer = Writer::new(options.lang, Random::of(options.seed, "news adverts"));
        News {
            seed: options.seed,
            build: options.build,
            model: Model::generate(options),
            adverts: (0..ADVERTS).map(|_| writer.write("advert")).collect(),
            likes: Mutex::default(),
        }
    }

    fn likes_given(&self, comment: u32) -> u32 {
        let likes = self.likes.lock().unwrap_or_else(PoisonError::into_inner);
        likes.get(&comment).copied().unwrap_or(0)
    }

    fn like(&self, comment: u32) -> Option<u32> {
        let all = self.model.articles.iter().flat_map(|article| &article.comments);
        let liked = all.into_iter().find(|candidate| candidate.id == comment)?;
        let mut likes = self.likes.lock().unwrap_or_else(PoisonError::into_inner);
        let given = likes.entry(comment).or_insert(0);
        *given += 1;
        Some(liked.likes + *given)
    }

    fn commented(&self, file: &str) -> Option<&Article> {
        let code = file.strip_suffix(".html").unwrap_or(file);
        self.model.article(code).filter(|article| article.pages() > 0)
    }

    fn not_found(&self, visit: &Visit) -> Response {
        (StatusCode::NOT_FOUND, html::page(self.missing(visit))).into_response()
    }
}

impl Site for News {
    fn truth(&self) -> Truth {
        self.known_truth()
    }

    fn robots(&self) -> String {
        truth::OFF_LIMITS
            .iter()
            .fold("User-agent: *\n".to_owned(), |all, path| all + "Disallow: " + path + "\n")
    }

    fn router(self: Arc<Self>) -> Router {
        Router::new()
            .route("/", get(front))
            .route("/{page}", get(small_print))
            .route("/{section}/", get(section))
            .route("/{section}/{list}", get(list))
            .route("/{section}/{year}/{day}/{file}", get(article))
            .route("/comment/{file}", get(comments))
            .route("/comment/{code}/list", get(fragment))
            .route("/api/comments/{code}", get(listing))
            .route("/api/comments", post(comment))
            .route("/api/comments/{id}/like", post(like))
            .route("/api/comments/{id}/reply", post(reply))
            .route("/api/comments/{id}/report", post(report))
            .route("/search", get(search))
            .route("/go", get(async || Redirect::to("/")))
            .route("/poll", post(vote))
            .route("/newsletter", post(subscribe))
            .route("/account/login", post(login))
            .fallback(missing)
            .with_state(self)
            .merge(files())
            .merge(vendor::router())
    }
}

macro_rules! asset {
    ($type:literal, $file:literal) => {
        get(async || html::file($type, include_bytes!(concat!("../../assets/news/", $file))))
    };
}

fn files() -> Router {
    fn script(router: Router, (name, file): (&str, MethodRouter)) -> Router {
        router.route(&format!("/static/js/{name}.js"), file)
    }
    [
        ("inline-site", asset!("text/javascript", "inline-site.js")),
        ("closures-site", asset!("text/javascript", "closures-site.js")),
        ("jquery-site", asset!("text/javascript", "jquery-site.js")),
        ("tie", asset!("text/javascript", "tie.js")),
        ("tie-inline", asset!("text/javascript", "tie-inline.js")),
        ("tie-closures", asset!("text/javascript", "tie-closures.js")),
        ("tie-jquery", asset!("text/javascript", "tie-jquery.js")),
        ("tie-react", asset!("text/javascript", "tie-react.js")),
        ("tie-vue", asset!("text/javascript", "tie-vue.js")),
        ("tie-lit", asset!("text/javascript", "tie-lit.js")),
    ]
    .into_iter()
    .fold(Router::new(), script)
    .route("/static/css/courier.css", asset!("text/css", "courier.css"))
}

type Newsroom = Shared<Arc<News>>;

async fn front(Shared(news): Newsroom, visit: Visit) -> Response {
    html::page(news.front(&visit))
}

async fn small_print(Shared(news): Newsroom, Path(page): Path<String>, visit: Visit) -> Response {
    let known = news.model.words.statics.iter().find(|(path, ..)| path[1..] == page);
    match known {
        Some((_, name, text)) => html::page(news.small_print(&visit, name, text)),
        None => news.not_found(&visit),
    }
}

async fn section(Shared(news): Newsroom, Path(name): Path<String>, visit: Visit) -> Response {
    listed(&news, &visit, &name, 1)
}

async fn list(
    Shared(news): Newsroom,
    Path((name, file)): Path<(String, String)>,
    visit: Visit,
) -> Response {
    let page = file.strip_prefix("list_").and_then(|rest| rest.strip_suffix(".html"));
    match page.and_then(|page| page.parse().ok()) {
        Some(page) if page > 1 => listed(&news, &visit, &name, page),
        _ => news.not_found(&visit),
    }
}

fn listed(news: &News, visit: &Visit, name: &str, page: usize) -> Response {
    let section = news.model.words.sections.iter().position(|(path, _)| *path == name);
    match section {
        Some(section) if page <= news.list_pages(section) => {
            html::page(news.list(visit, section, page))
        }
        _ => news.not_found(visit),
    }
}

async fn article(
    Shared(news): Newsroom,
    Path((_, _, _, file)): Path<(String, String, String, String)>,
    visit: Visit,
) -> Response {
    let code = file.strip_suffix(".html").unwrap_or(&file);
    match news.model.article(code) {
        Some(article) if article.path(news.model.words) == visit.path() => {
            html::page(news.article(&visit, article))
        }
        _ => news.not_found(&visit),
    }
}

async fn comments(Shared(news): Newsroom, Path(file): Path<String>, visit: Visit) -> Response {
    match news.commented(&file) {
        Some(article) => html::page(news.comments(&visit, article)),
        None => news.not_found(&visit),
    }
}

#[derive(Deserialize)]
struct Page {
    #[serde(default)]
    page: usize,
}

async fn listing(
    Shared(news): Newsroom,
    Path(code): Path<String>,
    Query(at): Query<Page>,
) -> Response {
    match news.commented(&code) {
        Some(article) => Json(news.listing(article, at.page)).into_response(),
        None => StatusCode::NOT_FOUND.into_response(),
    }
}

async fn fragment(
    Shared(news): Newsroom,
    Path(code): Path<String>,
    Query(at): Query<Page>,
) -> Response {
    match news.commented(&code) {
        Some(article) => html::page(news.fragment(article, at.page)),
        None => StatusCode::NOT_FOUND.into_response(),
    }
}

async fn like(Shared(news): Newsroom, Path(id): Path<u32>, visit: Visit) -> Response {
    match news.like(id) {
        Some(likes) => {
            visit.change("like", format!("comment {id}"));
            Json(json!({ "likes": likes })).into_response()
        }
        None => StatusCode::NOT_FOUND.into_response(),
    }
}

async fn reply(Path(id): Path<u32>, visit: Visit) -> Response {
    visit.change("reply", format!("comment {id}"));
    Json(json!({ "pending": true })).into_response()
}

async fn report(Path(id): Path<u32>, visit: Visit) -> Response {
    visit.change("report", format!("comment {id}"));
    Json(json!({ "pending": true })).into_response()
}

#[derive(Deserialize)]
struct Written {
    #[serde(default)]
    code: String,
}

async fn comment(Shared(news): Newsroom, visit: Visit, Form(written): Form<Written>) -> Response {
    match news.commented(&written.code) {
        Some(article) => {
            visit.change("comment", format!("article {}", article.code));
            Redirect::to(&article.comments_path()).into_response()
        }
        None => StatusCode::NOT_FOUND.into_response(),
    }
}

async fn vote(visit: Visit) -> Redirect {
    visit.change("vote", "poll of the day");
    Redirect::to("/")
}

async fn subscribe(visit: Visit) -> Redirect {
    visit.change("subscribe", "newsletter");
    Redirect::to("/")
}

async fn login(visit: Visit) -> Redirect {
    visit.change("login", "account");
    Redirect::to("/")
}

#[derive(Deserialize)]
struct Find {
    #[serde(default)]
    q: String,
}

async fn search(Shared(news): Newsroom, Query(find): Query<Find>, visit: Visit) -> Response {
    html::page(news.results(&visit, &find.q))
}

async fn missing(Shared(news): Newsroom, visit: Visit) -> Response {
    news.not_found(&visit)
}
