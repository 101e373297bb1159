//! A gallery whose "next" changes nothing but the picture, and never comes to the last one: the
//! explosion of states by images that seed 001 (section 2.1) rules out by assumption.

use std::fmt::Write;

use axum::Router;
use axum::extract::Path;
use axum::routing::get;

use super::{Section, shell};
use crate::{Random, State, Visit, html};

pub(super) static SECTION: Section = Section {
    name: "gallery",
    title: "The magic lantern",
    about: "Slide after slide after slide.",
    states,
    router,
    changes: &[],
    trap: Some("the next picture is always another one"),
};

const FRONT: &str = "The lantern is lit and the box of slides is open.";

fn states() -> Vec<State> {
    vec![SECTION.front(FRONT)]
}

fn router() -> Router {
    Router::new()
        .route(
            "/gallery/",
            get(async |visit: Visit| {
                let back = shell::button(&visit, "Back", "slide", "-1");
                let next = shell::button(&visit, "Next", "slide", "1");
                let main = format!(
                    r#"<p class="§lead">{FRONT}</p><div id="§slide">{}</div><p>{back}{next}</p>"#,
                    r#"<img src="/gallery/slide/1" alt="Slide" width="320" height="200">"#
                );
                shell::room(&visit, &SECTION, &main, SCRIPT)
            }),
        )
        .route("/gallery/slide/{number}", get(slide))
}

async fn slide(visit: Visit, Path(number): Path<i64>) -> axum::response::Response {
    let mut random = Random::of(visit.options().seed, &format!("maze slide {number}"));
    let hue = random.below(360);
    let mut picture = format!(
        r##"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 320 200"><rect width="320" height="200" fill="hsl({hue},40%,85%)"/>"##
    );
    for _ in 0..random.between(4, 9) {
        let _ = write!(
            picture,
            r#"<circle cx="{}" cy="{}" r="{}" fill="hsl({},50%,50%)" opacity="0.7"/>"#,
            random.below(320),
            random.below(200),
            random.between(10, 60),
            random.below(360)
        );
    }
    html::text_file("image/svg+xml", picture + "</svg>")
}

const SCRIPT: &str = "
var shown = 1;
M.slide = function (by) {
  M.later(function () {
    shown += Number(by);
    Live.put('§slide', '<img src=\"/gallery/slide/' + shown + '\" alt=\"Slide\" width=\"320\" height=\"200\">');
  });
};
";
