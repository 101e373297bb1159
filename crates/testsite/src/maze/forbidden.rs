//! A section that robots.txt forbids. It has no states in the truth; its path is off limits.

use axum::Router;
use axum::routing::get;

use super::{Section, shell};
use crate::{State, Visit};

pub(super) static SECTION: Section = Section {
    name: "forbidden",
    title: "The private wing",
    about: "A velvet rope, and a sign that robots can read.",
    states,
    router,
    changes: &[],
    trap: None,
};

fn states() -> Vec<State> {
    Vec::new()
}

fn router() -> Router {
    let room = async |visit: Visit| {
        let main = r#"<p class="§lead">You should not be in the private wing.</p><p><a href="/forbidden/bath">Bath</a></p>"#;
        shell::room(&visit, &SECTION, main, "")
    };
    Router::new().route("/forbidden/", get(room)).route("/forbidden/bath", get(room))
}
