//! A form that a script submits, and one with a button of its own.

use axum::Router;
use axum::routing::{get, post};

use super::{Section, shell};
use crate::{State, Visit};

pub(super) static SECTION: Section = Section {
    name: "post",
    title: "The letter box",
    about: "Letters that post themselves.",
    states,
    router,
    changes: &["subscribe"],
    trap: None,
};

const FRONT: &str = "The letter box is emptied every hour.";
const DETAILS: &str = "Letters to the garden arrive the same day.";

fn states() -> Vec<State> {
    let front = SECTION.front(FRONT);
    let details = State::after(&front, "click", "Show details", DETAILS);
    vec![front, details]
}

fn router() -> Router {
    Router::new()
        .route("/post/", get(room))
        .route("/post/details", get(async || shell::piece(DETAILS)))
        .route(
            "/post/subscribe",
            post(async |visit: Visit| {
                visit.change("subscribe", "letter");
                shell::room(&visit, &SECTION, "<p>Your letter is on its way.</p>", "")
            }),
        )
}

async fn room(visit: Visit) -> axum::response::Response {
    let send = shell::button(&visit, "Subscribe", "send", "");
    let things = format!(
        concat!(
            r#"<form id="§letter" method="post" action="/post/subscribe"><input name="mail" value="guest@maze.example"></form><p>{send}</p>"#,
            r#"<form method="post" action="/post/subscribe"><input name="mail" aria-label="Address"> <button>Send letter</button></form>"#
        ),
        send = send
    );
    let details = shell::details(&visit, &SECTION);
    let main = format!(r#"<p class="§lead">{FRONT}</p>{things}{details}"#);
    shell::room(&visit, &SECTION, &main, SCRIPT)
}

const SCRIPT: &str = "
M.send = function () { M.later(function () { Live.find('#§letter').submit(); }); };
";
