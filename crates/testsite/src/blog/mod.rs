//! `blog`: the blog of seed 001 (table 1): 725 articles with 2,764 pages in all. An article's first
//! page is what its URL shows; the others hold its further comments, come by script from an
//! address of their own each, and leave the URL as it is.
//!
//! Two pagers a page and a sliding window of numbers make many elements stand for the same page,
//! which is what the paper's double removal of duplicates is about.

mod comments;
mod length;
mod model;
mod pager;
mod pages;
mod shell;
mod truth;
mod words;

use std::sync::Arc;

use axum::Router;
use axum::extract::{Path, State as Shared};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Redirect, Response};
use axum::routing::{get, post};

use self::model::Model;
use self::words::Words;
use crate::names::Names;
use crate::{Build, Options, Random, Site, Truth, Visit, html, live};

/// The site `blog`. [`Options::size`] counts its articles: 725 unless told otherwise, and 50, 150,
/// 300 and 500 are the subsets of the paper.
pub struct Blog {
    seed: u64,
    build: Build,
    words: &'static Words,
    names: Names,
    /// How many page numbers a pager shows at once.
    window: usize,
    model: Model,
}

impl Blog {
    /// Writes the blog of this seed, size and language.
    pub fn generate(options: &Options) -> Self {
        let words = words::words(options.lang);
        Blog {
            seed: options.seed,
            build: options.build,
            words,
            names: Names::new("blog", options.seed, options.build),
            window: [5, 7, 9][Random::of(options.seed, "blog window").below(3)],
            model: Model::generate(options, words.categories.len()),
        }
    }

    fn not_found(&self, visit: &Visit) -> Response {
        let page = self.small_print(visit, "404", self.words.missing);
        (StatusCode::NOT_FOUND, html::page(page)).into_response()
    }
}

impl Site for Blog {
    fn truth(&self) -> Truth {
        self.known_truth()
    }

    fn router(self: Arc<Self>) -> Router {
        let style = self.names.apply(include_str!("../../assets/blog/style.css"));
        let script = include_bytes!("../../assets/blog/blog.js");
        let change = |kind: &'static str| {
            post(async move |Path(target): Path<String>, visit: Visit| {
                visit.change(kind, target);
                "1"
            })
        };
        Router::new()
            .route("/", get(async |blog: Owned, visit: Visit| listed(&blog, &visit, 1)))
            .route("/page/{page}", get(list))
            .route("/s/{file}", get(article))
            .route("/category/{slug}/", get(category))
            .route("/tag/{number}/", get(tag))
            .route("/archive/{month}/", get(month))
            .route("/comments/{code}/{page}", get(comments))
            .route("/comments/{code}", post(comment))
            .route("/like/{target}", change("like"))
            .route("/praise/{target}", change("praise"))
            .route("/report/{target}", change("report"))
            .route("/subscribe/{target}", change("subscribe"))
            .route("/{page}", get(small_print))
            .route("/static/css/blog.css", get(async move || html::text_file("text/css", style)))
            .route(
                "/static/js/blog.js",
                get(async || html::file("text/javascript; charset=utf-8", script)),
            )
            .fallback(async |blog: Owned, visit: Visit| blog.not_found(&visit))
            .with_state(self)
            .merge(live::router())
    }
}

type Owned = Shared<Arc<Blog>>;

async fn list(blog: Owned, Path(page): Path<usize>, visit: Visit) -> Response {
    match page {
        0 | 1 => blog.not_found(&visit),
        page => listed(&blog, &visit, page),
    }
}

fn listed(blog: &Blog, visit: &Visit, page: usize) -> Response {
    match page <= blog.model.list_pages() {
        true => html::page(blog.list(visit, page)),
        false => blog.not_found(visit),
    }
}

async fn article(blog: Owned, visit: Visit, Path(file): Path<String>) -> Response {
    let code = file.strip_prefix("blog_").and_then(|rest| rest.strip_suffix(".html"));
    match code.and_then(|code| blog.model.article(code)) {
        Some(article) => html::page(blog.article(&visit, article)),
        None => blog.not_found(&visit),
    }
}

async fn category(blog: Owned, visit: Visit, Path(slug): Path<String>) -> Response {
    match blog.words.categories.iter().position(|(known, _)| *known == slug) {
        Some(category) => {
            let title = blog.category_title(category);
            html::page(blog.titles(&visit, title, &blog.model.categories[category]))
        }
        None => blog.not_found(&visit),
    }
}

async fn tag(blog: Owned, visit: Visit, Path(number): Path<usize>) -> Response {
    let tag = number.checked_sub(1);
    let articles = tag.and_then(|tag| Some((tag, blog.model.tagged.get(tag)?)));
    match articles.filter(|(_, articles)| !articles.is_empty()) {
        Some((tag, articles)) => html::page(blog.titles(&visit, blog.tag_title(tag), articles)),
        None => blog.not_found(&visit),
    }
}

async fn month(blog: Owned, visit: Visit, Path(month): Path<String>) -> Response {
    match blog.model.months.iter().find(|(known, _)| *known == month) {
        Some((month, articles)) => {
            let title = blog.month_title(month, articles.len());
            html::page(blog.titles(&visit, title, articles))
        }
        None => blog.not_found(&visit),
    }
}

async fn comments(blog: Owned, Path((code, page)): Path<(String, usize)>) -> Response {
    match blog.model.article(&code) {
        Some(article) if (1..=article.pages()).contains(&page) => {
            html::page(blog.names.apply(&blog.comments(article, page)))
        }
        _ => StatusCode::NOT_FOUND.into_response(),
    }
}

async fn comment(blog: Owned, visit: Visit, Path(code): Path<String>) -> Response {
    match blog.model.article(&code) {
        Some(article) => {
            visit.change("comment", code);
            Redirect::to(&article.path()).into_response()
        }
        None => StatusCode::NOT_FOUND.into_response(),
    }
}

async fn small_print(blog: Owned, visit: Visit) -> Response {
    let known = blog.words.statics.iter().find(|(path, ..)| *path == visit.path());
    match known {
        Some((_, name, text)) => html::page(blog.small_print(&visit, name, text)),
        None => blog.not_found(&visit),
    }
}
