//! Links that leave the scope, by address and by script.

use axum::Router;
use axum::routing::get;

use super::{Section, shell};
use crate::{State, Visit};

pub(super) static SECTION: Section = Section {
    name: "outside",
    title: "The garden gate",
    about: "Beyond the gate lies another site.",
    states,
    router,
    changes: &[],
    trap: None,
};

const FRONT: &str = "The gate stands open, and the road leads away.";

fn states() -> Vec<State> {
    vec![SECTION.front(FRONT)]
}

fn router() -> Router {
    Router::new().route(
        "/outside/",
        get(async |visit: Visit| {
            let walk = shell::button(&visit, "Walk out", "go", "http://away.example/road");
            let main = format!(
                concat!(
                    r#"<p class="§lead">{}</p><ul><li><a href="http://outside.example/">The village</a></li>"#,
                    r#"<li><a href="//cdn.outside.example/map.html">The map</a></li>"#,
                    r#"<li><a href="mailto:porter@maze.example">The porter</a></li>"#,
                    r#"<li><a href="tel:+15550100">The telephone</a></li>"#,
                    r#"<li><a href="data:text/html,<p>nowhere">Nowhere</a></li></ul><p>{walk}</p>"#
                ),
                FRONT,
                walk = walk
            );
            shell::room(&visit, &SECTION, &main, "")
        }),
    )
}
