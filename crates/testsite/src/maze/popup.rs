//! A page that opens only in a window of its own.

use axum::Router;
use axum::routing::get;

use super::{Section, shell};
use crate::{State, Visit};

pub(super) static SECTION: Section = Section {
    name: "popup",
    title: "The second window",
    about: "A window that opens another window.",
    states,
    router,
    changes: &[],
    trap: None,
};

const FRONT: &str = "Through the first window you see a second one.";
const LEAVES: [(&str, &str); 2] = [
    ("/popup/view", "From the second window you see the sea."),
    ("/popup/blank", "A page that wants a tab of its own."),
];

fn states() -> Vec<State> {
    let leaves = LEAVES.map(|(url, text)| SECTION.leaf(url, text));
    [SECTION.front(FRONT)].into_iter().chain(leaves).collect()
}

fn router() -> Router {
    let room = async |visit: Visit| {
        let open = shell::button(&visit, "Open the window", "look", "/popup/view");
        let main = format!(
            r#"<p class="§lead">{FRONT}</p><p>{open} <a href="/popup/blank" target="_blank">A new tab</a></p>"#
        );
        shell::room(&visit, &SECTION, &main, SCRIPT)
    };
    let mut router = Router::new().route("/popup/", get(room));
    for (url, text) in LEAVES {
        let leaf = async move |visit: Visit| {
            shell::room(&visit, &SECTION, &format!(r#"<p class="§lead">{text}</p>"#), "")
        };
        router = router.route(url, get(leaf));
    }
    router
}

const SCRIPT: &str = "
M.look = function (url) { window.open(url, 'view', 'width=500,height=400'); };
";
