//! Tabs that keep their panels: each is fetched once and added below those that are open already,
//! and a second click changes nothing. The order of clicks makes no state worth having.

use axum::Router;
use axum::routing::get;

use super::{Section, shell};
use crate::{State, Visit};

pub(super) static SECTION: Section = Section {
    name: "folders",
    title: "The satchel",
    about: "What is taken out of it stays on the table.",
    states,
    router,
    changes: &[],
    trap: None,
};

const FRONT: &str = "A satchel with four pockets lies on the table.";
const POCKETS: [(&str, &str); 4] = [
    ("Front pocket", "Out of the front pocket comes a compass without a needle."),
    ("Side pocket", "Out of the side pocket comes half a biscuit."),
    ("Inner pocket", "Out of the inner pocket comes a folded apology."),
    ("Secret pocket", "Out of the secret pocket comes a smaller satchel."),
];

fn states() -> Vec<State> {
    let front = SECTION.front(FRONT);
    let pockets = POCKETS.map(|(label, text)| State::after(&front, "click", label, text));
    [front].into_iter().chain(pockets).collect()
}

fn router() -> Router {
    let front = async |visit: Visit| {
        let pockets: String = (1..)
            .zip(POCKETS)
            .map(|(number, (label, _))| {
                shell::button(&visit, label, "unpack", &format!("/folders/pocket/{number}"))
            })
            .collect();
        let main = format!(
            r#"<p class="§lead">{FRONT}</p><p class="§tabs">{pockets}</p><div id="§view"></div>"#
        );
        shell::room(&visit, &SECTION, &main, SCRIPT)
    };
    Router::new()
        .route("/folders/", get(front))
        .merge(shell::pieces("/folders/pocket/", POCKETS.map(|(_, text)| text)))
}

const SCRIPT: &str = "
var unpacked = {};
M.unpack = function (url) {
  if (unpacked[url]) return;
  unpacked[url] = true;
  M.fetch(url, function (html) { Live.append('§view', html); });
};
";
