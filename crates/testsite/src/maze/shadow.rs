//! Buttons and links inside open, closed and declared shadow roots.

use axum::Router;
use axum::routing::get;

use super::{Section, shell};
use crate::{State, Visit};

pub(super) static SECTION: Section = Section {
    name: "shadow",
    title: "The shadow theatre",
    about: "What happens behind the screen can be seen, if you know how to look.",
    states,
    router,
    changes: &[],
    trap: None,
};

const PAGES: [(&str, &str, &str, &str); 3] = [
    (
        "open",
        "/shadow/",
        "Behind the open screen stands a lamp.",
        "The lamp throws a wolf on the wall.",
    ),
    (
        "closed",
        "/shadow/closed",
        "This screen has been nailed shut.",
        "Through a crack you see a dancing crane.",
    ),
    (
        "declared",
        "/shadow/declared",
        "This screen was delivered with the house.",
        "The delivered puppet bows.",
    ),
];
const LEAVES: [(&str, &str); 3] = [
    ("/shadow/wings-open", "From the open wings you see the ropes."),
    ("/shadow/wings-closed", "From the closed wings you see nothing but dust."),
    ("/shadow/wings-declared", "From the delivered wings you see the label."),
];

fn states() -> Vec<State> {
    let mut states = Vec::new();
    for (_, url, text, played) in PAGES {
        let page = SECTION.leaf(url, text);
        states.push(State::after(&page, "click", "Play", played));
        states.push(page);
    }
    states.extend(LEAVES.map(|(url, text)| SECTION.leaf(url, text)));
    states
}

fn router() -> Router {
    let mut router = Router::new();
    for (mode, url, text, played) in PAGES {
        router = router
            .route(url, get(async move |visit: Visit| stage(&visit, mode, text)))
            .route(&format!("/shadow/play-{mode}"), get(async move || shell::piece(played)));
    }
    for (url, text) in LEAVES {
        let leaf = async move |visit: Visit| {
            shell::room(&visit, &SECTION, &format!(r#"<p class="§lead">{text}</p>"#), "")
        };
        router = router.route(url, get(leaf));
    }
    router
}

fn stage(visit: &Visit, mode: &str, text: &str) -> axum::response::Response {
    let play = shell::on(visit, "click", "play", "");
    let inside = format!(
        r#"<style>button{{padding:6px 16px}}</style><slot></slot><button type="button" {play}>Play</button><a href="/shadow/wings-{mode}">Into the wings</a><div></div>"#
    );
    let next = match mode {
        "open" => r#"<a href="/shadow/closed">The next stage</a>"#,
        "closed" => r#"<a href="/shadow/declared">The last stage</a>"#,
        _ => "",
    };
    let host = match mode {
        "declared" => format!(
            r#"<shadow-stage class="§card"><template shadowrootmode="open">{inside}</template><p>{text}</p></shadow-stage>"#
        ),
        _ => format!(r#"<shadow-stage class="§card"><p>{text}</p></shadow-stage>"#),
    };
    let script = format!(
        "var STAGE={};{SCRIPT}",
        crate::html::json_in_script(&serde_json::json!({"mode": mode, "inside": inside}))
    );
    shell::room(visit, &SECTION, &format!("{host}<p>{next}</p>"), &script)
}

const SCRIPT: &str = "
M.play = function (_, button) {
  M.later(function () {
    fetch('/shadow/play-' + STAGE.mode)
      .then(function (answer) { return answer.text(); })
      .then(function (html) { button.getRootNode().querySelector('div').innerHTML = html; });
  });
};
document.addEventListener('DOMContentLoaded', function () {
  var host = document.querySelector('shadow-stage');
  var root = host.shadowRoot;
  if (!root) {
    root = host.attachShadow({ mode: STAGE.mode });
    root.innerHTML = STAGE.inside;
  }
  Live.inside(root, 'maze-stage');
});
";
