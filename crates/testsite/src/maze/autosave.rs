//! A text that saves itself: when it is typed into, when it is left, and by a timer while it is unsaved.

use axum::Router;
use axum::routing::{get, post};

use super::{Section, shell};
use crate::{State, Visit};

pub(super) static SECTION: Section = Section {
    name: "autosave",
    title: "The diary",
    about: "A diary that writes down whatever comes near it.",
    states,
    router,
    changes: &["draft"],
    trap: None,
};

const FRONT: &str = "The diary lies open at today's page.";
const DETAILS: &str = "Earlier volumes are in the library.";

fn states() -> Vec<State> {
    let front = SECTION.front(FRONT);
    let details = State::after(&front, "click", "Show details", DETAILS);
    vec![front, details]
}

fn router() -> Router {
    Router::new()
        .route("/autosave/", get(room))
        .route("/autosave/details", get(async || shell::piece(DETAILS)))
        .route(
            "/autosave/draft",
            post(async |visit: Visit| {
                visit.change("draft", "diary");
                "Saved."
            }),
        )
}

async fn room(visit: Visit) -> axum::response::Response {
    let typed = shell::on(&visit, "input", "typed", "");
    let left = shell::on(&visit, "blur", "left", "");
    let things = format!(
        concat!(
            r#"<p><input aria-label="Title" value="Tuesday" {left}></p>"#,
            r#"<textarea rows="5" aria-label="Diary" {typed}>Dear diary,</textarea><p id="§saved">Saved.</p>"#
        ),
        left = left,
        typed = typed
    );
    let details = shell::details(&visit, &SECTION);
    let main = format!(r#"<p class="§lead">{FRONT}</p>{things}{details}"#);
    shell::room(&visit, &SECTION, &main, SCRIPT)
}

const SCRIPT: &str = "
var unsaved = false;
function save() {
  fetch('/autosave/draft', { method: 'POST', body: Live.find('textarea').value })
    .then(function (answer) { return answer.text(); })
    .then(function (text) { unsaved = false; Live.find('#§saved').textContent = text; });
}
M.typed = function () { unsaved = true; Live.find('#§saved').textContent = 'Not saved yet.'; };
M.left = function () { save(); };
document.addEventListener('keydown', function (event) {
  if (event.composedPath()[0].localName === 'textarea') unsaved = true;
});
setInterval(function () { if (unsaved) save(); }, 2000);
";
