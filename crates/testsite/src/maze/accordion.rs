//! An accordion: four parts that open and close on their own, each fetched when it is opened. There
//! are four texts to find; in which combination they are open makes no state worth having.

use axum::Router;
use axum::extract::Path;
use axum::routing::get;

use super::{Section, shell};
use crate::{State, Visit};

pub(super) static SECTION: Section = Section {
    name: "accordion",
    title: "The bellows",
    about: "Four folds, and air in each.",
    states,
    router,
    changes: &[],
    trap: None,
};

const FRONT: &str = "The bellows are closed.";
const FOLDS: [(&str, &str); 4] = [
    ("First fold", "The first fold breathes out lavender."),
    ("Second fold", "The second fold breathes out dust."),
    ("Third fold", "The third fold breathes out a tune."),
    ("Fourth fold", "The fourth fold holds its breath."),
];

fn states() -> Vec<State> {
    let front = SECTION.front(FRONT);
    let folds = FOLDS.map(|(label, text)| State::after(&front, "click", label, text));
    [front].into_iter().chain(folds).collect()
}

fn router() -> Router {
    Router::new()
        .route("/accordion/", get(async |visit: Visit| {
            let folds: String = FOLDS
                .iter()
                .enumerate()
                .map(|(index, (label, _))| {
                    let ties = shell::on(&visit, "click", "squeeze", &index.to_string());
                    format!(
                        r#"<div class="§card"><h3 class="§pull" {ties}>{label}</h3><div id="§fold{index}"></div></div>"#
                    )
                })
                .collect();
            shell::room(&visit, &SECTION, &format!(r#"<p class="§lead">{FRONT}</p>{folds}"#), SCRIPT)
        }))
        .route(
            "/accordion/fold/{number}",
            get(async |visit: Visit, Path(number): Path<usize>| match FOLDS.get(number) {
                Some((_, text)) => shell::piece(text),
                None => super::missing::anywhere(visit).await,
            }),
        )
}

const SCRIPT: &str = "
var open = {};
M.squeeze = function (index) {
  open[index] = !open[index];
  if (!open[index]) return Live.put('§fold' + index, '');
  M.fetch('/accordion/fold/' + index, function (html) {
    if (open[index]) Live.put('§fold' + index, html);
  });
};
";
