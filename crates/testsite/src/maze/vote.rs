//! A vote by an image: `new Image().src` is a GET that looks like a subresource.

use axum::Router;
use axum::routing::get;

use super::{Section, shell};
use crate::{State, Visit};

pub(super) static SECTION: Section = Section {
    name: "vote",
    title: "The ballot box",
    about: "A vote that is counted by a picture.",
    states,
    router,
    changes: &["vote"],
    trap: None,
};

const FRONT: &str = "Which hedge is the finest?";
const DETAILS: &str = "Last year the yew won by two votes.";

fn states() -> Vec<State> {
    let front = SECTION.front(FRONT);
    let details = State::after(&front, "click", "Show details", DETAILS);
    vec![front, details]
}

fn router() -> Router {
    Router::new()
        .route("/vote/", get(room))
        .route("/vote/details", get(async || shell::piece(DETAILS)))
        .route(
            "/vote/cast",
            get(async |visit: Visit| {
                visit.change("vote", "hedge");
                crate::html::file("image/svg+xml", include_bytes!("../../assets/maze/hedge.svg"))
            }),
        )
}

async fn room(visit: Visit) -> axum::response::Response {
    let things: String = ["Yew", "Box", "Hornbeam"]
        .iter()
        .map(|hedge| shell::button(&visit, hedge, "vote", hedge))
        .collect();
    let details = shell::details(&visit, &SECTION);
    let main = format!(r#"<p class="§lead">{FRONT}</p>{things}{details}"#);
    shell::room(&visit, &SECTION, &main, SCRIPT)
}

const SCRIPT: &str = "
M.vote = function (hedge) { M.later(function () { new Image().src = '/vote/cast?hedge=' + hedge; }); };
";
