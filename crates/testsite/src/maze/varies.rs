//! A call that is answered differently each time: seed 001 (section 2.1, assumption 3) rules it
//! out. Both answers are states.

use axum::Router;
use axum::routing::get;

use super::{Section, shell};
use crate::{State, Visit};

pub(super) static SECTION: Section = Section {
    name: "varies",
    title: "The oracle",
    about: "Ask twice if you want to be sure.",
    states,
    router,
    changes: &[],
    trap: None,
};

const FRONT: &str = "The oracle sits behind a curtain.";
const ASK: &str = "Ask the oracle";
const ANSWERS: [&str; 2] = ["The oracle says yes, and coughs.", "The oracle says no, and laughs."];

fn states() -> Vec<State> {
    let front = SECTION.front(FRONT);
    let answers = ANSWERS.map(|text| State::after(&front, "click", ASK, text));
    [front].into_iter().chain(answers).collect()
}

fn router() -> Router {
    Router::new()
        .route(
            "/varies/",
            get(async |visit: Visit| {
                let ask = shell::button(&visit, ASK, "load", "/varies/answer");
                let main =
                    format!(r#"<p class="§lead">{FRONT}</p><p>{ask}</p><div id="§view"></div>"#);
                shell::room(&visit, &SECTION, &main, "")
            }),
        )
        .route(
            "/varies/answer",
            get(async |visit: Visit| {
                shell::piece(if visit.nth() % 2 == 1 { ANSWERS[0] } else { ANSWERS[1] })
            }),
        )
}
