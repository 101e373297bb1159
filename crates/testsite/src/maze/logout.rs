//! A logout: by a plain link and by a script.

use axum::Router;
use axum::routing::get;

use super::{Section, shell};
use crate::{State, Visit};

pub(super) static SECTION: Section = Section {
    name: "logout",
    title: "The cloakroom",
    about: "Leave, and you have to queue again.",
    states,
    router,
    changes: &["logout"],
    trap: None,
};

const FRONT: &str = "You are signed in as guest 12.";
const DETAILS: &str = "Coats are kept for a year and a day.";

fn states() -> Vec<State> {
    let front = SECTION.front(FRONT);
    let details = State::after(&front, "click", "Show details", DETAILS);
    vec![front, details]
}

fn router() -> Router {
    Router::new()
        .route("/logout/", get(room))
        .route("/logout/details", get(async || shell::piece(DETAILS)))
        .route(
            "/logout/now",
            get(async |visit: Visit| {
                visit.change("logout", "guest 12");
                shell::room(&visit, &SECTION, "<p>You have left the house.</p>", "")
            }),
        )
}

async fn room(visit: Visit) -> axum::response::Response {
    let leave = shell::button(&visit, "Sign out", "leave", "");
    let things = format!(r#"<p><a href="/logout/now">Log out</a> {leave}</p>"#);
    let details = shell::details(&visit, &SECTION);
    let main = format!(r#"<p class="§lead">{FRONT}</p>{things}{details}"#);
    shell::room(&visit, &SECTION, &main, SCRIPT)
}

const SCRIPT: &str = "
M.leave = function () { M.go('/logout/now?from=button'); };
";
