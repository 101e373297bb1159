//! A like: a POST by fetch. Beside it, something harmless that must still be found.

use axum::Router;
use axum::routing::{get, post};

use super::{Section, shell};
use crate::{State, Visit};

pub(super) static SECTION: Section = Section {
    name: "like",
    title: "The well",
    about: "A well that counts how often it is liked.",
    states,
    router,
    changes: &["like"],
    trap: None,
};

const FRONT: &str = "The well is forty feet deep and answers politely.";
const DETAILS: &str = "The well was dug in 1702 by two brothers.";

fn states() -> Vec<State> {
    let front = SECTION.front(FRONT);
    let details = State::after(&front, "click", "Show details", DETAILS);
    vec![front, details]
}

fn router() -> Router {
    Router::new()
        .route("/like/", get(room))
        .route("/like/details", get(async || shell::piece(DETAILS)))
        .route(
            "/like/api",
            post(async |visit: Visit| {
                visit.change("like", "well");
                "13"
            }),
        )
}

async fn room(visit: Visit) -> axum::response::Response {
    let like = shell::button(&visit, "♥ Like", "like", "well");
    let things = format!(
        r#"<div class="§card"><p>{like} <span id="§likes">12</span> people like this well.</p></div>"#
    );
    let details = shell::details(&visit, &SECTION);
    let main = format!(r#"<p class="§lead">{FRONT}</p>{things}{details}"#);
    shell::room(&visit, &SECTION, &main, SCRIPT)
}

const SCRIPT: &str = "
M.like = function () {
  M.later(function () {
    fetch('/like/api', { method: 'POST' })
      .then(function (answer) { return answer.text(); })
      .then(function (count) { Live.find('#§likes').textContent = count; });
  });
};
";
