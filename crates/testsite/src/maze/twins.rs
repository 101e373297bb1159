//! Six pages that look alike to the letter, each with a script of its own: one state to see, and six
//! texts behind one button. Whoever keeps one page of each look must still try the others.

use axum::Router;
use axum::routing::get;

use super::{Section, shell};
use crate::{State, Visit};

pub(super) static SECTION: Section = Section {
    name: "twins",
    title: "The row of masks",
    about: "One mould made them all.",
    states,
    router,
    changes: &[],
    trap: None,
};

const FRONT: &str = "Six nails in a row, and the same smile on each.";
const LOOK: &str = "A white mask smiles at you.";
const LIFT: &str = "Lift the mask";

/// Paths, and what is behind the mask there.
const MASKS: [(&str, &str); 6] = [
    ("/twins/1", "Behind the mask is a keyhole."),
    ("/twins/2", "Behind the mask is a smaller mask, frowning."),
    ("/twins/3", "Behind the mask is a patch of clean wall."),
    ("/twins/4", "Behind the mask is a spider, offended."),
    ("/twins/5", "Behind the mask is a price."),
    ("/twins/6", "Behind the mask is the portrait of a locksmith."),
];

fn states() -> Vec<State> {
    let masks =
        MASKS.map(|(path, text)| State::after(&SECTION.leaf(path, LOOK), "click", LIFT, text));
    [SECTION.front(FRONT), SECTION.leaf(MASKS[0].0, LOOK)].into_iter().chain(masks).collect()
}

fn router() -> Router {
    let front = async |visit: Visit| {
        let main = format!(r#"<p class="§lead">{FRONT}</p><p>{}</p>"#, links());
        shell::room(&visit, &SECTION, &main, "")
    };
    MASKS.into_iter().fold(Router::new().route("/twins/", get(front)), |router, (path, text)| {
        let mask = async move |visit: Visit| {
            let lift = shell::button(&visit, LIFT, "lift", "");
            let main = format!(
                r#"<p class="§lead">{LOOK}</p><p>{}</p><p>{lift}</p><div id="§view"></div>"#,
                links()
            );
            let script = format!("M.lift = function () {{ {} }};", shell::put(text));
            shell::room(&visit, &SECTION, &main, &script)
        };
        router.route(path, get(mask))
    })
}

fn links() -> String {
    shell::numbered(MASKS.map(|(path, _)| path))
}
