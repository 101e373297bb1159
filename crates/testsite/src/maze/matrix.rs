//! Tabs and a pager in one page: `leaf('2')` means another page under each tab, so that the same
//! instruction at the same URL leads to three states.

use axum::Router;
use axum::extract::Path;
use axum::routing::get;

use super::{Section, shell};
use crate::{State, Visit};

pub(super) static SECTION: Section = Section {
    name: "matrix",
    title: "The herbarium",
    about: "Three cabinets, and the pages are numbered alike in each.",
    states,
    router,
    changes: &[],
    trap: None,
};

const CABINETS: [(&str, [&str; 3]); 3] = [
    (
        "Oaks",
        [
            "Pressed here: the white oak.",
            "Pressed here: the cork oak.",
            "Pressed here: the holm oak.",
        ],
    ),
    (
        "Yews",
        [
            "Pressed here: the common yew.",
            "Pressed here: the golden yew.",
            "Pressed here: the plum yew.",
        ],
    ),
    (
        "Ferns",
        [
            "Pressed here: the hart's tongue.",
            "Pressed here: the maidenhair.",
            "Pressed here: the moonwort.",
        ],
    ),
];

fn states() -> Vec<State> {
    let front = SECTION.front(CABINETS[0].1[0]);
    let mut states = vec![front.clone()];
    for (index, (label, leaves)) in CABINETS.iter().enumerate() {
        let first = match index {
            0 => front.clone(),
            _ => State::after(&front, "click", label, leaves[0]),
        };
        for (leaf, text) in leaves.iter().enumerate().skip(1) {
            states.push(State::after(&first, "click", &(leaf + 1).to_string(), text));
        }
        if index > 0 {
            states.push(first);
        }
    }
    states
}

fn router() -> Router {
    Router::new()
        .route("/matrix/", get(async |visit: Visit| {
            let cabinets: String = CABINETS
                .iter()
                .enumerate()
                .map(|(index, (label, _))| {
                    let ties = shell::on(&visit, "click", "cabinet", &index.to_string());
                    format!(r#"<li><span class="§pull" {ties}>{label}</span></li>"#)
                })
                .collect();
            let leaves: String = (1..=3)
                .map(|leaf| shell::button(&visit, &leaf.to_string(), "leaf", &leaf.to_string()))
                .collect();
            let main = format!(
                r#"<ul class="§pulls">{cabinets}</ul><div id="§view"><p>{}</p></div><p>{leaves}</p>"#,
                CABINETS[0].1[0]
            );
            shell::room(&visit, &SECTION, &main, SCRIPT)
        }))
        .route(
            "/matrix/{cabinet}/{leaf}",
            get(async |visit: Visit, Path((cabinet, leaf)): Path<(usize, usize)>| {
                let leaves = CABINETS.get(cabinet).map(|(_, leaves)| leaves);
                let index = leaf.checked_sub(1);
                match leaves.zip(index).and_then(|(leaves, index)| leaves.get(index)) {
                    Some(text) => shell::piece(text),
                    None => super::missing::anywhere(visit).await,
                }
            }),
        )
}

const SCRIPT: &str = "
var cabinet = 0;
M.leaf = function (number) { M.load('/matrix/' + cabinet + '/' + number); };
M.cabinet = function (number) {
  cabinet = number;
  M.leaf(1);
};
";
