//! Dialogs that lie over the page until they are closed; a link is only in one of them.

use axum::Router;
use axum::extract::Path;
use axum::routing::get;

use super::{Section, shell};
use crate::{State, Visit};

pub(super) static SECTION: Section = Section {
    name: "modal",
    title: "The cabinet of curiosities",
    about: "Glass cases that want your whole attention.",
    states,
    router,
    changes: &[],
    trap: None,
};

const FRONT: &str = "Three cases stand in a row.";
const CASES: [(&str, &str); 3] = [
    ("Look at the egg", "The egg has been warm since 1877."),
    ("Look at the horn", "The horn belongs to no known animal."),
    ("Look at the box", "The box has a drawer at the back."),
];
const LEAF: &str = "In the drawer lies a smaller cabinet.";

fn states() -> Vec<State> {
    let front = SECTION.front(FRONT);
    let mut states: Vec<State> =
        CASES.map(|(label, text)| State::after(&front, "click", label, text)).into();
    states.push(SECTION.leaf("/modal/drawer", LEAF));
    states.push(front);
    states
}

fn router() -> Router {
    Router::new()
        .route("/modal/", get(async |visit: Visit| {
            let buttons: String = CASES
                .iter()
                .enumerate()
                .map(|(index, (label, _))| {
                    shell::button(&visit, label, "look", &format!("/modal/case/{index}"))
                })
                .collect();
            let main =
                format!(r#"<p class="§lead">{FRONT}</p><p>{buttons}</p><div id="§over"></div>"#);
            shell::room(&visit, &SECTION, &main, SCRIPT)
        }))
        .route(
            "/modal/case/{number}",
            get(async |visit: Visit, Path(number): Path<usize>| {
                let Some((_, text)) = CASES.get(number) else {
                    return super::missing::anywhere(visit).await;
                };
                let close = shell::button(&visit, "Close", "close", "");
                let drawer = match number {
                    2 => r#"<p><a href="/modal/drawer">Open the drawer</a></p>"#,
                    _ => "",
                };
                shell::fragment(&visit, &format!(
                    r#"<div class="§veil"><div class="§card" role="dialog"><p>{text}</p>{drawer}{close}</div></div>"#
                ))
            }),
        )
        .route(
            "/modal/drawer",
            get(async |visit: Visit| shell::leaf(&visit, &SECTION, LEAF)),
        )
}

const SCRIPT: &str = "
M.look = function (url) { M.fetch(url, function (html) { Live.put('§over', html); }); };
M.close = function () { Live.put('§over', ''); };
";
