//! A language that a cookie holds: chosen on one page, and the same page is loaded again in it. Whoever
//! comes to another page without having chosen sees that in English.

use axum::Router;
use axum::http::HeaderMap;
use axum::http::header::COOKIE;
use axum::routing::get;

use super::{Section, shell};
use crate::{State, Visit};

pub(super) static SECTION: Section = Section {
    name: "language",
    title: "The interpreter",
    about: "She speaks as you wish, and remembers it.",
    states,
    router,
    changes: &[],
    trap: None,
};

const FRENCH: &str = "Français";
const ENGLISH: &str = "English";

/// Paths, and what they say in each language.
const PAGES: [(&str, &str, &str); 3] = [
    (
        "/language/",
        "The interpreter bows and waits for a word.",
        "L'interprète salue et attend un mot.",
    ),
    (
        "/language/desk",
        "On her desk lie letters in forty hands.",
        "Des lettres couvrent son bureau.",
    ),
    (
        "/language/window",
        "Her window looks out on two rivers.",
        "Sa fenêtre regarde deux rivières.",
    ),
];

fn states() -> Vec<State> {
    let both = |(path, english, french): (&str, &str, &str)| {
        let page = SECTION.leaf(path, english);
        let other = State::after(&page, "click", FRENCH, french);
        [page, other]
    };
    PAGES.into_iter().flat_map(both).collect()
}

fn router() -> Router {
    PAGES.into_iter().fold(Router::new(), |router, (path, english, french)| {
        router.route(
            path,
            get(async move |visit: Visit, headers: HeaderMap| {
                let cookies = headers.get(COOKIE).and_then(|value| value.to_str().ok());
                let is_french = cookies.is_some_and(|cookies| cookies.contains("speaks=fr"));
                let (text, label, other) = match is_french {
                    true => (french, ENGLISH, "en"),
                    false => (english, FRENCH, "fr"),
                };
                let links = shell::numbered(PAGES.map(|(path, ..)| path));
                let choose = shell::button(&visit, label, "speak", other);
                let main = format!(r#"<p class="§lead">{text}</p><p>{links}</p><p>{choose}</p>"#);
                shell::room(&visit, &SECTION, &main, SCRIPT)
            }),
        )
    })
}

const SCRIPT: &str = "
M.speak = function (language) {
  document.cookie = 'speaks=' + language + '; path=/';
  location.reload();
};
";
