//! Tabs, folds and restyling: they show what the page holds already, and are no new states. The
//! hidden text is still text, and the hidden link a link.

use axum::Router;
use axum::routing::get;

use super::{Section, shell};
use crate::{State, Visit};

pub(super) static SECTION: Section = Section {
    name: "reveal",
    title: "The folding room",
    about: "Screens that fold away; nothing new behind them.",
    states,
    router,
    changes: &[],
    trap: None,
};

const FRONT: &str = "Everything in this room is here already.";
const HIDDEN: [&str; 3] = [
    "The second tab tells of the blue wallpaper.",
    "The third tab tells of the creaking floor.",
    "Under the fold lies a map of the drains.",
];
const LEAF: &str = "The drains end at the river.";

fn states() -> Vec<State> {
    vec![SECTION.front(FRONT).showing(&HIDDEN), SECTION.leaf("/reveal/drains", LEAF)]
}

fn router() -> Router {
    Router::new().route("/reveal/", get(room)).route(
        "/reveal/drains",
        get(async |visit: Visit| {
            shell::room(&visit, &SECTION, &format!(r#"<p class="§lead">{LEAF}</p>"#), "")
        }),
    )
}

async fn room(visit: Visit) -> axum::response::Response {
    let [second, third, fold] = HIDDEN;
    let tabs: String = ["Room", "Walls", "Floor"]
        .iter()
        .enumerate()
        .map(|(index, label)| shell::button(&visit, label, "tab", &index.to_string()))
        .collect();
    let main = format!(
        concat!(
            r#"<div class="§tabs">{tabs}</div><div class="§card"><div class="§tab §on"><p>{FRONT}</p></div>"#,
            r#"<div class="§tab"><p>{second}</p></div><div class="§tab"><p>{third}</p></div></div>"#,
            r#"<div class="§fold"><p>{button}</p><div><p>{fold} <a href="/reveal/drains">Follow it</a></p></div></div>"#,
            r#"<p>{dark}{large}</p>"#
        ),
        tabs = tabs,
        FRONT = FRONT,
        second = second,
        third = third,
        button = shell::button(&visit, "Unfold", "fold", ""),
        fold = fold,
        dark = shell::button(&visit, "Dark", "dark", ""),
        large = shell::button(&visit, "Larger letters", "large", ""),
    );
    shell::room(&visit, &SECTION, &main, SCRIPT)
}

const SCRIPT: &str = "
M.tab = function (index) {
  Live.all('.§tab').forEach(function (tab, at) { tab.classList.toggle('§on', at == index); });
};
M.fold = function (_, button) { button.closest('.§fold').classList.toggle('§open'); };
M.dark = function () { document.body.classList.toggle('§dark'); };
M.large = function () { document.querySelector('main').style.fontSize = '120%'; };
";
