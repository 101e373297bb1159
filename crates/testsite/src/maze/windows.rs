//! Five frames side by side, each with three views of its own: ten texts to find one click away. In
//! which combination the frames show them makes no state worth having (there are 243).

use axum::Router;
use axum::routing::get;

use super::{Section, shell};
use crate::{State, Visit};

pub(super) static SECTION: Section = Section {
    name: "windows",
    title: "The bay window",
    about: "Five panes, and the hour is different in each.",
    states,
    router,
    changes: &[],
    trap: None,
};

const FRONT: &str = "Each pane of the bay keeps its own time of day.";
const HOURS: [&str; 3] = ["dawn", "noon", "dusk"];

/// The name of each pane, and what is seen through it at each hour.
const PANES: [(&str, [&str; 3]); 5] = [
    (
        "Moor",
        [
            "Fog lies on the moor like a cloth.",
            "A kite hangs over the moor.",
            "Somebody crosses the moor with a torch.",
        ],
    ),
    (
        "Mill",
        [
            "The miller wakes the wheel.",
            "Flour drifts out of the mill.",
            "The wheel of the mill drips and stops.",
        ],
    ),
    (
        "Church",
        [
            "Jackdaws argue on the steeple.",
            "The steeple has swallowed its shadow.",
            "The steeple points at the first star.",
        ],
    ),
    (
        "Pond",
        [
            "Ducks draw lines across the pond.",
            "The pond holds one cloud.",
            "Frogs begin at the edge of the pond.",
        ],
    ),
    (
        "Lane",
        [
            "A milk cart rattles up the lane.",
            "The lane is empty and white.",
            "Two coats walk home along the lane.",
        ],
    ),
];

fn states() -> Vec<State> {
    let front = SECTION.front(FRONT).showing(&PANES.map(|(_, views)| views[0]));
    let others: Vec<State> = PANES
        .iter()
        .flat_map(|(name, views)| {
            HOURS.into_iter().zip(views).skip(1).map(move |view| (name, view))
        })
        .map(|(name, (hour, text))| State::after(&front, "click", &label(name, hour), text))
        .collect();
    [front].into_iter().chain(others).collect()
}

fn label(name: &str, hour: &str) -> String {
    format!("{name} at {hour}")
}

fn router() -> Router {
    let front = async |visit: Visit| {
        let panes: String = (1..)
            .zip(PANES)
            .map(|(number, (name, _))| {
                format!(
                    r#"<iframe src="/windows/frame/{number}" title="{name}" style="width:19%"></iframe>"#
                )
            })
            .collect();
        shell::room(&visit, &SECTION, &format!(r#"<p class="§lead">{FRONT}</p>{panes}"#), "")
    };
    (1..).zip(PANES).fold(
        Router::new().route("/windows/", get(front)),
        |router, (number, (name, views))| {
            let path = format!("/windows/frame/{number}");
            let texts = format!("/windows/view/{number}/");
            let pieces = shell::pieces(&texts, views);
            let pane = async move |visit: Visit| {
                let hours: String = (1..)
                    .zip(HOURS)
                    .map(|(nth, hour)| {
                        shell::button(&visit, &label(name, hour), "load", &format!("{texts}{nth}"))
                    })
                    .collect();
                let main = format!(r#"<p>{hours}</p><div id="§view"><p>{}</p></div>"#, views[0]);
                shell::bare(&visit, name, &main, "")
            };
            router.route(&path, get(pane)).merge(pieces)
        },
    )
}
