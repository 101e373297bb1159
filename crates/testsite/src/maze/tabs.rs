//! Tabs whose content is fetched: each is a state, and none has an address.

use axum::Router;
use axum::routing::get;

use super::{Section, shell};
use crate::{State, Visit};

pub(super) static SECTION: Section = Section {
    name: "tabs",
    title: "The filing cabinet",
    about: "One drawer is open; the others are brought when you ask.",
    states,
    router,
    changes: &[],
    trap: None,
};

const DRAWERS: [(&str, &str); 4] = [
    ("Plans", "The open drawer holds plans of the east wing."),
    ("Bills", "The second drawer holds a bill for nine ladders."),
    ("Letters", "The third drawer holds letters that were never sent."),
    ("Keys", "The fourth drawer holds keys without locks."),
];

fn states() -> Vec<State> {
    let front = SECTION.front(DRAWERS[0].1);
    let others: Vec<State> = DRAWERS[1..]
        .iter()
        .map(|(label, text)| State::after(&front, "click", label, text))
        .collect();
    [front].into_iter().chain(others).collect()
}

fn router() -> Router {
    Router::new()
        .route(
            "/tabs/",
            get(async |visit: Visit| {
                let tabs: String = DRAWERS
                    .iter()
                    .enumerate()
                    .map(|(index, (label, _))| {
                        let url = format!("/tabs/drawer/{}", index + 1);
                        let ties = shell::on(&visit, "click", "load", &url);
                        format!(r#"<li><span class="§pull" {ties}>{label}</span></li>"#)
                    })
                    .collect();
                let main = format!(
                    r#"<ul class="§pulls">{tabs}</ul><div id="§view"><p>{}</p></div>"#,
                    DRAWERS[0].1
                );
                shell::room(&visit, &SECTION, &main, "")
            }),
        )
        .merge(shell::pieces("/tabs/drawer/", DRAWERS.map(|(_, text)| text)))
}
