//! A button that counts: every press shows a text that was never there before, without any request.

use axum::Router;
use axum::routing::get;

use super::{Section, shell};
use crate::{State, Visit};

pub(super) static SECTION: Section = Section {
    name: "counter",
    title: "The desk bell",
    about: "A bell that remembers every ring.",
    states,
    router,
    changes: &[],
    trap: Some("every press shows a number that was never shown before"),
};

const FRONT: &str = "A brass bell stands on the desk.";

fn states() -> Vec<State> {
    vec![SECTION.front(FRONT)]
}

fn router() -> Router {
    Router::new().route(
        "/counter/",
        get(async |visit: Visit| {
            let ring = shell::button(&visit, "Ring", "ring", "");
            let main =
                format!(r#"<p class="§lead">{FRONT}</p><p>{ring}</p><div id="§view"></div>"#);
            shell::room(&visit, &SECTION, &main, SCRIPT)
        }),
    )
}

const SCRIPT: &str = "
var rings = 0;
M.ring = function () {
  M.later(function () {
    rings += 1;
    M.put('<p>The bell has been rung ' + rings + ' times.</p>');
  });
};
";
