//! A POST that only reads: what visitors wrote is loaded by it and must be found.

use axum::Router;
use axum::routing::{get, post};

use super::{Section, shell};
use crate::{State, Visit};

pub(super) static SECTION: Section = Section {
    name: "comments",
    title: "The visitors' book",
    about: "The book is fetched from the desk when you ask for it.",
    states,
    router,
    changes: &[],
    trap: None,
};

const FRONT: &str = "Please ask for the book at the desk.";
const PAGES: [&str; 2] =
    ["I was here in March and never found the exit.", "Excellent scones, confusing stairs."];

fn states() -> Vec<State> {
    let front = SECTION.front(FRONT);
    let first = State::after(&front, "click", "Load comments", PAGES[0]);
    let second = State::after(&first, "click", "Older comments", PAGES[1]);
    vec![front, first, second]
}

fn router() -> Router {
    Router::new()
        .route(
            "/comments/",
            get(async |visit: Visit| {
                let load = shell::button(&visit, "Load comments", "comments", "1");
                let main =
                    format!(r#"<p class="§lead">{FRONT}</p><p>{load}</p><div id="§view"></div>"#);
                shell::room(&visit, &SECTION, &main, SCRIPT)
            }),
        )
        .route(
            "/api/load-comments",
            post(async |visit: Visit, body: String| {
                if body.contains("page=2") {
                    return shell::piece(PAGES[1]);
                }
                let older = shell::button(&visit, "Older comments", "comments", "2");
                crate::html::page(format!("<p>{}</p>{older}", PAGES[0]))
            }),
        )
}

const SCRIPT: &str = "
M.comments = function (page) {
  M.later(function () {
    fetch('/api/load-comments', {
      method: 'POST',
      headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
      body: 'page=' + page
    }).then(function (answer) { return answer.text(); }).then(function (html) { M.put(html); });
  });
};
";
