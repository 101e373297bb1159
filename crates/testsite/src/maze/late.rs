//! Links that are in the page only after an event.

use axum::Router;
use axum::routing::get;

use super::{Section, shell};
use crate::{State, Visit};

pub(super) static SECTION: Section = Section {
    name: "late",
    title: "The late door",
    about: "A door that is not there until you knock.",
    states,
    router,
    changes: &[],
    trap: None,
};

const FRONT: &str = "Knock, and wait a moment.";
const KNOCKED: &str = "A door has appeared in the panelling.";
const LEAF: &str = "Behind the late door stands a grandfather clock.";

fn states() -> Vec<State> {
    let front = SECTION.front(FRONT);
    let knocked = State::after(&front, "click", "Knock", KNOCKED);
    vec![front, knocked, SECTION.leaf("/late/door", LEAF)]
}

fn router() -> Router {
    Router::new()
        .route(
            "/late/",
            get(async |visit: Visit| {
                let knock = shell::button(&visit, "Knock", "knock", KNOCKED);
                let main =
                    format!(r#"<p class="§lead">{FRONT}</p><p>{knock}</p><div id="§view"></div>"#);
                shell::room(&visit, &SECTION, &main, SCRIPT)
            }),
        )
        .route(
            "/late/door",
            get(async |visit: Visit| {
                shell::room(&visit, &SECTION, &format!(r#"<p class="§lead">{LEAF}</p>"#), "")
            }),
        )
}

const SCRIPT: &str = "
M.knock = function (text) {
  M.later(function () { M.put('<p>' + text + '</p><p><a href=\"/late/door\">Open it</a></p>'); });
};
";
