//! Redirects: temporary, permanent, and a chain. The page at the end is one state.

use axum::Router;
use axum::response::Redirect;
use axum::routing::get;

use super::{Section, shell};
use crate::{State, Visit};

pub(super) static SECTION: Section = Section {
    name: "redirect",
    title: "The revolving door",
    about: "Doors that put you down elsewhere.",
    states,
    router,
    changes: &[],
    trap: None,
};

const FRONT: &str = "The porter points to three doors.";
const END: &str = "All three doors end in the winter garden.";

fn states() -> Vec<State> {
    vec![SECTION.front(FRONT), SECTION.leaf("/redirect/garden", END)]
}

fn router() -> Router {
    Router::new()
        .route(
            "/redirect/",
            get(async |visit: Visit| {
                let main = format!(
                    concat!(
                        r#"<p class="§lead">{}</p><ul><li><a href="/redirect/for-now">For now</a></li>"#,
                        r#"<li><a href="/redirect/for-ever">For ever</a></li><li><a href="/redirect/chain">By detours</a></li></ul>"#
                    ),
                    FRONT
                );
                shell::room(&visit, &SECTION, &main, "")
            }),
        )
        .route("/redirect/for-now", get(async || Redirect::temporary("/redirect/garden")))
        .route("/redirect/for-ever", get(async || Redirect::permanent("/redirect/garden")))
        .route("/redirect/chain", get(async || Redirect::to("/redirect/for-now")))
        .route(
            "/redirect/garden",
            get(async |visit: Visit| {
                shell::room(&visit, &SECTION, &format!(r#"<p class="§lead">{END}</p>"#), "")
            }),
        )
}
