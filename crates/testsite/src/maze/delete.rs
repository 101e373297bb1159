//! A delete: by a script after a question, and by a plain link, as careless sites have it.

use axum::Router;
use axum::routing::{delete, get};

use super::{Section, shell};
use crate::{State, Visit};

pub(super) static SECTION: Section = Section {
    name: "delete",
    title: "The wastepaper room",
    about: "Notes that can be torn up, in two ways.",
    states,
    router,
    changes: &["delete"],
    trap: None,
};

const FRONT: &str = "Three notes lie on the table.";
const DETAILS: &str = "The notes were left by last year's visitors.";

fn states() -> Vec<State> {
    let front = SECTION.front(FRONT);
    let details = State::after(&front, "click", "Show details", DETAILS);
    vec![front, details]
}

fn router() -> Router {
    Router::new()
        .route("/delete/", get(room))
        .route("/delete/details", get(async || shell::piece(DETAILS)))
        .route("/delete/remove", get(removed))
        .route("/delete/notes/{number}", delete(removed))
}

async fn room(visit: Visit) -> axum::response::Response {
    let mut things = String::new();
    for (number, text) in [(1, "Milk and bread"), (2, "Key under the mat"), (3, "Call Agnes")] {
        let tear = shell::button(&visit, "Delete", "tear", &number.to_string());
        things += &format!(
            r#"<div class="§card"><p>{text}</p><p>{tear} <a href="/delete/remove?id={number}">Remove</a></p></div>"#
        );
    }
    let details = shell::details(&visit, &SECTION);
    let main = format!(r#"<p class="§lead">{FRONT}</p>{things}{details}"#);
    shell::room(&visit, &SECTION, &main, SCRIPT)
}

async fn removed(visit: Visit) -> axum::response::Response {
    visit.change("delete", "note");
    shell::room(&visit, &SECTION, "<p>The note is gone.</p>", "")
}

const SCRIPT: &str = "
M.tear = function (number, button) {
  if (!confirm('Delete this note?')) return;
  M.later(function () {
    fetch('/delete/notes/' + number, { method: 'DELETE' }).then(function () { button.closest('.§card').remove(); });
  });
};
";
