//! A select that navigates when its value changes. The pages have no other link.

use axum::Router;
use axum::extract::Path;
use axum::routing::get;

use super::{Section, shell};
use crate::{State, Visit};

pub(super) static SECTION: Section = Section {
    name: "select",
    title: "The dial",
    about: "A dial with three positions, each another room.",
    states,
    router,
    changes: &[],
    trap: None,
};

const FRONT: &str = "The dial points to nothing.";
const ROOMS: [(&str, &str, &str); 3] = [
    ("red", "Red room", "The red room smells of paint."),
    ("green", "Green room", "The green room is full of ferns."),
    ("blue", "Blue room", "The blue room has no ceiling."),
];

fn states() -> Vec<State> {
    let rooms = ROOMS.map(|(name, _, text)| SECTION.leaf(&format!("/select/{name}"), text));
    [SECTION.front(FRONT)].into_iter().chain(rooms).collect()
}

fn router() -> Router {
    Router::new()
        .route(
            "/select/",
            get(async |visit: Visit| {
                let options: String = ROOMS
                    .iter()
                    .map(|(name, label, _)| format!(r#"<option value="/select/{name}">{label}</option>"#))
                    .collect();
                let main = format!(
                    r#"<p class="§lead">{FRONT}</p><select aria-label="Dial" {}><option value="">Choose</option>{options}</select>"#,
                    shell::on(&visit, "change", "dial", "")
                );
                shell::room(&visit, &SECTION, &main, SCRIPT)
            }),
        )
        .route(
            "/select/{name}",
            get(async |visit: Visit, Path(name): Path<String>| {
                match ROOMS.iter().find(|(room, ..)| *room == name) {
                    Some((.., text)) => {
                        shell::room(&visit, &SECTION, &format!(r#"<p class="§lead">{text}</p>"#), "")
                    }
                    None => super::missing::anywhere(visit).await,
                }
            }),
        )
}

const SCRIPT: &str = "
M.dial = function (_, select) { if (select.value) M.go(select.value); };
";
