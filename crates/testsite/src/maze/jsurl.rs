//! `javascript:` URLs that show something, and that go somewhere.

use axum::Router;
use axum::routing::get;

use super::{Section, shell};
use crate::{State, Visit};

pub(super) static SECTION: Section = Section {
    name: "jsurl",
    title: "The speaking tubes",
    about: "Links that speak instead of leading.",
    states,
    router,
    changes: &[],
    trap: None,
};

const FRONT: &str = "Three brass tubes come out of the wall.";
const SPOKEN: &str = "The tube says that tea is served.";
const LEAF: &str = "The tube leads down to the kitchen.";

fn states() -> Vec<State> {
    let front = SECTION.front(FRONT);
    let spoken = State::after(&front, "click", "Listen", SPOKEN);
    vec![front, spoken, SECTION.leaf("/jsurl/kitchen", LEAF)]
}

fn router() -> Router {
    Router::new()
        .route(
            "/jsurl/",
            get(async |visit: Visit| {
                let main = format!(
                    concat!(
                        r#"<p class="§lead">{FRONT}</p><p><a href="javascript:M.speak('{SPOKEN}')">Listen</a> · "#,
                        r#"<a href="javascript:M.go('/jsurl/kitchen')">Climb down</a> · "#,
                        r#"<a href="javascript:void(0)">Stay</a></p><div id="§view"></div>"#
                    ),
                    FRONT = FRONT,
                    SPOKEN = SPOKEN
                );
                shell::room(&visit, &SECTION, &main, SCRIPT)
            }),
        )
        .route(
            "/jsurl/kitchen",
            get(async |visit: Visit| {
                shell::room(&visit, &SECTION, &format!(r#"<p class="§lead">{LEAF}</p>"#), "")
            }),
        )
}

const SCRIPT: &str = "
M.speak = function (text) { M.later(function () { M.put('<p>' + text + '</p>'); }); };
";
