//! Routing by the history: a click fetches a part and pushes its address, back and forward bring
//! the parts again, and each address also works when it is asked for. One part has no link.

use axum::Router;
use axum::extract::Path;
use axum::routing::get;

use super::{Section, shell};
use crate::{State, Visit};

pub(super) static SECTION: Section = Section {
    name: "route",
    title: "The moving walls",
    about: "The walls move, and the number on the door with them.",
    states,
    router,
    changes: &[],
    trap: None,
};

/// Name, label and text of each part; the first is the front.
const PARTS: [(&str, &str, &str); 4] = [
    ("", "Landing", "The landing has a carpet with arrows."),
    ("library", "Library", "The library came in from the left."),
    ("music", "Music room", "The music room came in from the right."),
    ("attic", "Attic", "The attic came down by itself."),
];

fn states() -> Vec<State> {
    PARTS.map(|(name, _, text)| SECTION.leaf(&format!("/route/{name}"), text)).into()
}

fn router() -> Router {
    let mut router =
        Router::new().route("/route/part/", get(async || shell::piece(PARTS[0].2))).route(
            "/route/part/{name}",
            get(async |visit: Visit, Path(name): Path<String>| {
                match PARTS.iter().find(|(known, ..)| *known == name) {
                    Some((.., text)) => shell::piece(text),
                    None => super::missing::anywhere(visit).await,
                }
            }),
        );
    for (name, _, text) in PARTS {
        router = router
            .route(&format!("/route/{name}"), get(async move |visit: Visit| walls(&visit, text)));
    }
    router
}

fn walls(visit: &Visit, text: &str) -> axum::response::Response {
    let links: String = PARTS
        .iter()
        .take(3)
        .map(|(name, label, _)| {
            let push = shell::on(visit, "click", "push", name);
            format!(r#"<a href="/route/{name}" {push}>{label}</a> "#)
        })
        .collect();
    let pull = shell::button(visit, "Pull the rope", "push", "attic");
    let main = format!(r#"<p>{links}{pull}</p><div id="§view"><p>{text}</p></div>"#);
    shell::room(visit, &SECTION, &main, SCRIPT)
}

const SCRIPT: &str = "
M.push = function (name, _, event) {
  event.preventDefault();
  M.fetch('/route/part/' + name, function (html) {
    history.pushState(name, '', '/route/' + name);
    M.put(html);
  });
};
addEventListener('popstate', function () {
  M.fetch('/route/part/' + location.pathname.split('/').pop(), M.put);
});
";
