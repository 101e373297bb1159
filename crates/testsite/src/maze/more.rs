//! A list that grows by a button, four batches in all. The same call brings another batch each
//! time: what comes next is known to the script alone.

use axum::Router;
use axum::routing::get;

use super::{Section, shell};
use crate::{State, Visit};

pub(super) static SECTION: Section = Section {
    name: "more",
    title: "The quarry",
    about: "Ask, and another cart of stones is brought.",
    states,
    router,
    changes: &[],
    trap: None,
};

const CARTS: [&str; 4] = [
    "The first cart brings slate.",
    "The second cart brings flint.",
    "The third cart brings marble.",
    "The fourth cart brings the quarryman's lunch.",
];
const MORE: &str = "Another cart";

fn states() -> Vec<State> {
    let mut states = vec![SECTION.front(CARTS[0])];
    for cart in 1..CARTS.len() {
        let next = State::after(&states[cart - 1], "click", MORE, CARTS[cart]);
        // What was brought before stays.
        states.push(next.showing(&CARTS[..cart]));
    }
    states
}

fn router() -> Router {
    Router::new()
        .route(
            "/more/",
            get(async |visit: Visit| {
                let more = shell::button(&visit, MORE, "more", "");
                let main = format!(
                    r#"<div id="§view"><p>{}</p></div><div id="§next">{more}</div>"#,
                    CARTS[0]
                );
                shell::room(&visit, &SECTION, &main, SCRIPT)
            }),
        )
        .merge(shell::pieces("/more/cart/", CARTS))
}

const SCRIPT: &str = "
var brought = 1;
M.more = function () {
  M.fetch('/more/cart/' + (brought + 1), function (html) {
    brought += 1;
    Live.append('§view', html);
    if (brought === 4) Live.put('§next', '');
  });
};
";
