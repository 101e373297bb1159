//! Beacons: one that every visitor sends while the page loads (kind `load`, which counts for nothing), and
//! one that rates, sent by a click.

use axum::Router;
use axum::routing::{get, post};

use super::{Section, shell};
use crate::{State, Visit};

pub(super) static SECTION: Section = Section {
    name: "beacon",
    title: "The signal tower",
    about: "Signals that wait for no answer.",
    states,
    router,
    changes: &["rate"],
    trap: None,
};

const FRONT: &str = "The lamp on the tower blinks when you arrive.";
const DETAILS: &str = "The tower keeper goes off duty at six.";

fn states() -> Vec<State> {
    let front = SECTION.front(FRONT);
    let details = State::after(&front, "click", "Show details", DETAILS);
    vec![front, details]
}

fn router() -> Router {
    Router::new()
        .route("/beacon/", get(room))
        .route("/beacon/details", get(async || shell::piece(DETAILS)))
        .route("/beacon/hit", post(async |visit: Visit| visit.change("load", "visit")))
        .route("/beacon/rate", post(async |visit: Visit| visit.change("rate", "tower")))
}

async fn room(visit: Visit) -> axum::response::Response {
    let things: String = (1..=5)
        .map(|stars| shell::button(&visit, &"★".repeat(stars), "rate", &stars.to_string()))
        .collect();
    let details = shell::details(&visit, &SECTION);
    let main = format!(r#"<p class="§lead">{FRONT}</p>{things}{details}"#);
    shell::room(&visit, &SECTION, &main, SCRIPT)
}

const SCRIPT: &str = "
navigator.sendBeacon('/beacon/hit', 'page=tower');
fetch('/beacon/hit', { method: 'POST', body: 'page=tower' });
M.rate = function (stars) { navigator.sendBeacon('/beacon/rate', 'stars=' + stars); };
";
