//! One call that means something else on each page: `M.act` passes on to a function of the page.
//! Four of them show nothing, so whoever learns from those that the button is idle misses the fifth.

use axum::Router;
use axum::routing::get;

use super::{Section, shell};
use crate::{State, Visit};

pub(super) static SECTION: Section = Section {
    name: "ways",
    title: "The five shutters",
    about: "Tap politely, and perhaps one of them minds.",
    states,
    router,
    changes: &[],
    trap: None,
};

const FRONT: &str = "Five shutters in a row, all of them closed.";
const TAP: &str = "Tap politely";
const PLUM: &str = "A hand comes out and gives you a plum.";

/// Path, text, and what the page calls when somebody taps.
const SHUTTERS: [(&str, &str, &str); 5] = [
    ("/ways/1", "This shutter is painted on the plaster.", "stay"),
    ("/ways/2", "This shutter was nailed up in a war.", "hold"),
    ("/ways/3", "This shutter has a nest of wasps behind it.", "hum"),
    ("/ways/4", "This shutter belongs to the house next door.", "ignore"),
    ("/ways/5", "This shutter is warm to the touch.", "unlatch"),
];

fn states() -> Vec<State> {
    let shutters = SHUTTERS.map(|(path, text, _)| SECTION.leaf(path, text));
    let plum = State::after(&shutters[4], "click", TAP, PLUM);
    [SECTION.front(FRONT)].into_iter().chain(shutters).chain([plum]).collect()
}

fn router() -> Router {
    let front = async |visit: Visit| {
        let shutters = shell::numbered(SHUTTERS.map(|(path, ..)| path));
        let main = format!(r#"<p class="§lead">{FRONT}</p><p>{shutters}</p>"#);
        shell::room(&visit, &SECTION, &main, "")
    };
    SHUTTERS.into_iter().fold(
        Router::new().route("/ways/", get(front)),
        |router, (path, text, call)| {
            let shutter = async move |visit: Visit| {
                let tap = shell::button(&visit, TAP, "act", "");
                let main =
                    format!(r#"<p class="§lead">{text}</p><p>{tap}</p><div id="§view"></div>"#);
                shell::room(&visit, &SECTION, &main, &script(call))
            };
            router.route(path, get(shutter))
        },
    )
}

fn script(call: &str) -> String {
    let act = match call {
        "unlatch" => shell::put(PLUM),
        _ => "tapped = true;".to_owned(),
    };
    format!(
        "
var tapped = false;
M.{call} = function () {{ {act} }};
M.act = function () {{ M.{call}(); }};
"
    )
}
