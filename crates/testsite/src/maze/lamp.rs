//! A lamp that the visitor's own storage remembers: who has not touched it finds it lit on every page.

use axum::Router;
use axum::routing::get;

use super::{Section, shell};
use crate::{State, Visit};

pub(super) static SECTION: Section = Section {
    name: "lamp",
    title: "The lamp room",
    about: "One switch for every corner.",
    states,
    router,
    changes: &[],
    trap: None,
};

const SWITCH: &str = "Turn the switch";

/// Paths, and what is seen there with the lamp lit and without.
const PAGES: [(&str, &str, &str); 3] = [
    ("/lamp/", "Lit, the table shows its scratches.", "Unlit, the table is a shape."),
    ("/lamp/corner", "Lit, the corner holds a broom.", "Unlit, the corner holds its breath."),
    ("/lamp/stairs", "Lit, the stairs go up.", "Unlit, the stairs may go anywhere."),
];

fn states() -> Vec<State> {
    let both = |(path, lit, unlit): (&str, &str, &str)| {
        let page = SECTION.leaf(path, lit);
        let other = State::after(&page, "click", SWITCH, unlit);
        [page, other]
    };
    PAGES.into_iter().flat_map(both).collect()
}

fn router() -> Router {
    PAGES.into_iter().fold(Router::new(), |router, (path, lit, unlit)| {
        router.route(
            path,
            get(async move |visit: Visit| {
                let links = shell::numbered(PAGES.map(|(path, ..)| path));
                let switch = shell::button(&visit, SWITCH, "turn", "");
                let main =
                    format!(r#"<div id="§view"><p>{lit}</p></div><p>{links}</p><p>{switch}</p>"#);
                shell::room(&visit, &SECTION, &main, &script(lit, unlit))
            }),
        )
    })
}

fn script(lit: &str, unlit: &str) -> String {
    format!(
        "
M.show = function () {{ M.put(localStorage.lamp === 'off' ? '<p>{unlit}</p>' : '<p>{lit}</p>'); }};
M.turn = function () {{ localStorage.lamp = localStorage.lamp === 'off' ? 'on' : 'off'; M.show(); }};
if (localStorage.lamp === 'off') M.show();
"
    )
}
