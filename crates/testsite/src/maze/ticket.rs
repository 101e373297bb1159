//! Ids of visits in URLs: every link of every page carries a new one, in the query or after a
//! semicolon. Four pages under endlessly many addresses.

use axum::Router;
use axum::extract::Path;
use axum::routing::get;

use super::{Section, shell};
use crate::{Random, State, Visit};

pub(super) static SECTION: Section = Section {
    name: "ticket",
    title: "The ticket hall",
    about: "You get a new ticket at every door.",
    states,
    router,
    changes: &[],
    trap: Some("every link carries an id that no other request was given"),
};

/// Name, label and text of each page; the first is the front.
const PAGES: [(&str, &str, &str); 4] = [
    ("", "Hall", "Four doors, and a machine that prints tickets."),
    ("platform", "Platform", "The platform is swept but has no rails."),
    ("waiting", "Waiting room", "In the waiting room a stove is humming."),
    ("office", "Office", "The office for lost tickets is full."),
];

fn states() -> Vec<State> {
    PAGES.map(|(name, _, text)| SECTION.leaf(&format!("/ticket/{name}"), text)).into()
}

fn router() -> Router {
    Router::new().route("/ticket/", get(async |visit: Visit| hall(&visit, PAGES[0].2))).route(
        "/ticket/{name}",
        get(async |visit: Visit, Path(asked): Path<String>| {
            let name = asked.split(';').next().unwrap_or_default();
            match PAGES.iter().skip(1).find(|(known, ..)| *known == name) {
                Some((.., text)) => hall(&visit, text),
                None => super::missing::anywhere(visit).await,
            }
        }),
    )
}

fn hall(visit: &Visit, text: &str) -> axum::response::Response {
    // New with each request even where nothing else is volatile: that is what it is about.
    let seed = visit.options().seed.wrapping_add(visit.nth());
    let mut random = Random::of(seed, visit.path());
    let doors: String = PAGES
        .iter()
        .enumerate()
        .map(|(index, (name, label, _))| {
            let id = random.hex(16);
            let url = match index {
                0 | 1 => format!("/ticket/{name}?sid={id}"),
                _ => format!("/ticket/{name};jsessionid={id}"),
            };
            format!(r#"<li><a href="{url}">{label}</a></li>"#)
        })
        .collect();
    let main = format!(r#"<p class="§lead">{text}</p><ul>{doors}</ul>"#);
    shell::room(visit, &SECTION, &main, "")
}
