//! A menu whose entries are made when the mouse comes over it.

use axum::Router;
use axum::routing::get;

use super::{Section, shell};
use crate::{State, Visit};

pub(super) static SECTION: Section = Section {
    name: "menu",
    title: "The bell pull",
    about: "A cord that answers as soon as a hand comes near.",
    states,
    router,
    changes: &[],
    trap: None,
};

const FRONT: &str = "Two cords hang from the ceiling.";
const SHOWN: [(&str, &str, &str); 2] = [
    ("Cellar", "The cellar bell rings: wine, coal.", "/menu/coal"),
    ("Attic", "The attic bell rings: trunks, bats.", "/menu/bats"),
];
const LEAVES: [(&str, &str); 2] = [
    ("/menu/coal", "The coal is kept behind an iron door."),
    ("/menu/bats", "The bats hang in neat rows."),
];

fn states() -> Vec<State> {
    let front = SECTION.front(FRONT);
    let shown = SHOWN.map(|(label, text, _)| State::after(&front, "mouseover", label, text));
    let leaves = LEAVES.map(|(url, text)| SECTION.leaf(url, text));
    [front].into_iter().chain(shown).chain(leaves).collect()
}

fn router() -> Router {
    let mut router = Router::new().route("/menu/", get(room));
    for (url, text) in LEAVES {
        let leaf = async move |visit: Visit| {
            shell::room(&visit, &SECTION, &format!(r#"<p class="§lead">{text}</p>"#), "")
        };
        router = router.route(url, get(leaf));
    }
    router
}

async fn room(visit: Visit) -> axum::response::Response {
    let entries: String = SHOWN
        .iter()
        .enumerate()
        .map(|(index, (label, ..))| {
            let ring = shell::on(&visit, "mouseover", "ring", &index.to_string());
            format!(r#"<li><span {ring}>{label}</span><div id="§bell{index}"></div></li>"#)
        })
        .collect();
    let main = format!(r#"<p class="§lead">{FRONT}</p><ul class="§menu">{entries}</ul>"#);
    let script = format!("var BELLS={};{SCRIPT}", serde_json::json!(SHOWN));
    shell::room(&visit, &SECTION, &main, &script)
}

const SCRIPT: &str = "
M.ring = function (index) {
  M.later(function () {
    // One menu at a time.
    BELLS.forEach(function (bell, at) {
      var list = '<ul><li>' + bell[1] + '</li><li><a href=\"' + bell[2] + '\">Go there</a></li></ul>';
      Live.put('§bell' + at, at == index ? list : '');
    });
  });
};
";
