//! A headline that is another with each page that is loaded, whichever page that is: three headlines
//! on three pages, and three states, each with a text behind its button.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use axum::Router;
use axum::routing::get;

use super::{Section, shell};
use crate::{State, Visit};

pub(super) static SECTION: Section = Section {
    name: "banner",
    title: "The sewing tower",
    about: "The line on the banner is unpicked as soon as you have read it.",
    states,
    router,
    changes: &[],
    trap: None,
};

const TURN: &str = "Turn the cloth";
const HEADLINES: [&str; 3] =
    ["Soup is served at seven.", "Mind the third stair.", "All clocks were sold on Monday."];

/// Paths, what is seen there, and what is on the back of the cloth.
const PAGES: [(&str, &str, &str); 3] = [
    ("/banner/", "The banner hangs from the gallery of the tower.", "On its back are loose ends."),
    ("/banner/loft", "In the loft the cloth is cut.", "Under the cloth sleeps an apprentice."),
    ("/banner/vat", "In the yard the cloth is dyed.", "The dye has not come through here."),
];

fn states() -> Vec<State> {
    let both = |(path, text, back): (&str, &str, &str)| {
        let page = SECTION.leaf(path, text);
        let turned = State::after(&page, "click", TURN, back);
        [page, turned]
    };
    PAGES.into_iter().flat_map(both).collect()
}

fn router() -> Router {
    let loads = Arc::new(AtomicUsize::new(0));
    (1..).zip(PAGES).fold(
        shell::pieces("/banner/back/", PAGES.map(|(.., back)| back)),
        |router, (number, (path, text, _))| {
            let loads = loads.clone();
            let page = async move |visit: Visit| {
                let load = loads.fetch_add(1, Ordering::Relaxed);
                let nth = if visit.options().volatile { load % HEADLINES.len() } else { 0 };
                let main = format!(
                    r#"<h2>{}</h2><p class="§lead">{text}</p><p>{}</p><p>{}</p><div id="§view"></div>"#,
                    HEADLINES[nth],
                    shell::numbered(PAGES.map(|(path, ..)| path)),
                    shell::button(&visit, TURN, "load", &format!("/banner/back/{number}")),
                );
                shell::room(&visit, &SECTION, &main, "")
            };
            router.route(path, get(page))
        },
    )
}
