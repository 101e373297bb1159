//! Links to pages that are gone.

use axum::Router;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use axum::routing::get;

use super::{Section, shell};
use crate::{State, Visit};

pub(super) static SECTION: Section = Section {
    name: "missing",
    title: "The bricked-up door",
    about: "A link to a room that is no more.",
    states,
    router,
    changes: &[],
    trap: None,
};

const FRONT: &str = "A door is painted on this wall.";
const GONE: &str = "There is no such room in this house.";

fn states() -> Vec<State> {
    vec![SECTION.front(FRONT), SECTION.leaf("/missing/gone", GONE).with_status(404).unwanted()]
}

fn router() -> Router {
    Router::new().route(
        "/missing/",
        get(async |visit: Visit| {
            let main = format!(
                r#"<p class="§lead">{FRONT}</p><p><a href="/missing/gone">Try the door</a></p>"#
            );
            shell::room(&visit, &SECTION, &main, "")
        }),
    )
}

/// The answer to any path that leads nowhere.
pub(super) async fn anywhere(visit: Visit) -> Response {
    let page = shell::room(&visit, &SECTION, &format!(r#"<p class="§lead">{GONE}</p>"#), "");
    (StatusCode::NOT_FOUND, page).into_response()
}
