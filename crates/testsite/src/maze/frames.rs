//! A frame with states and links of its own, and a frame in a frame.

use axum::Router;
use axum::extract::Path;
use axum::routing::get;

use super::{Section, shell};
use crate::{State, Visit};

pub(super) static SECTION: Section = Section {
    name: "frames",
    title: "The picture gallery",
    about: "Pictures that are rooms, with doors inside.",
    states,
    router,
    changes: &[],
    trap: None,
};

const FRONT: &str = "The first picture on the wall moves when you look at it.";
const DEEP: &str = "The second picture shows a gallery with a picture.";
const CHAPTERS: [&str; 3] = [
    "In the frame a ship leaves the harbour.",
    "In the frame the ship meets a storm.",
    "In the frame the ship comes home.",
];
const NESTED: &str = "In the smallest picture a candle is lit.";
const LEAF: &str = "You stepped through the canvas into the store room.";

fn states() -> Vec<State> {
    let front = SECTION.front(FRONT).showing(&CHAPTERS[..1]);
    let second = State::after(&front, "click", "Chapter 2", CHAPTERS[1]);
    let third = State::after(&front, "click", "Chapter 3", CHAPTERS[2]);
    let deep = SECTION.leaf("/frames/deep", DEEP);
    let nested = State::after(&deep, "click", "Light the candle", NESTED);
    let leaf = SECTION.leaf("/frames/store", LEAF);
    vec![front, second, third, deep, nested, leaf]
}

fn router() -> Router {
    Router::new()
        .route("/frames/", get(async |visit: Visit| {
            let main = format!(
                r#"<p class="§lead">{FRONT}</p><iframe src="/frames/ship" title="Ship"></iframe><p><a href="/frames/deep">The next picture</a></p>"#
            );
            shell::room(&visit, &SECTION, &main, "")
        }))
        .route("/frames/ship", get(async |visit: Visit| {
            let buttons: String = (1..=CHAPTERS.len())
                .map(|chapter| {
                    let url = format!("/frames/chapter/{chapter}");
                    shell::button(&visit, &format!("Chapter {chapter}"), "load", &url)
                })
                .collect();
            let main = format!(
                r#"<p>{buttons}</p><div id="§view"><p>{}</p></div><p><a href="/frames/store" target="_top">Step through</a></p>"#,
                CHAPTERS[0]
            );
            shell::bare(&visit, "Ship", &main, "")
        }))
        .route("/frames/chapter/{number}", get(async |Path(number): Path<usize>| {
            let text = number.checked_sub(1).and_then(|index| CHAPTERS.get(index));
            shell::piece(text.copied().unwrap_or("The canvas is empty."))
        }))
        .route("/frames/deep", get(async |visit: Visit| {
            let main = format!(
                r#"<p class="§lead">{DEEP}</p><iframe src="/frames/outer" title="Gallery"></iframe>"#
            );
            shell::room(&visit, &SECTION, &main, "")
        }))
        .route("/frames/outer", get(async |visit: Visit| {
            let main = r#"<p>A gallery.</p><iframe src="/frames/nested" title="Candle" style="height:120px"></iframe>"#;
            shell::bare(&visit, "Gallery", main, "")
        }))
        .route("/frames/nested", get(async |visit: Visit| {
            let button = shell::button(&visit, "Light the candle", "load", "/frames/candle");
            shell::bare(&visit, "Candle", &format!(r#"{button}<div id="§view"></div>"#), "")
        }))
        .route("/frames/candle", get(async || shell::piece(NESTED)))
        .route("/frames/store", get(async |visit: Visit| {
            shell::room(&visit, &SECTION, &format!(r#"<p class="§lead">{LEAF}</p>"#), "")
        }))
}
