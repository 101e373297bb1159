//! Forty panels that fold on their own, each fetched when it is first opened. There are forty texts
//! to find; what stays open from before makes no state worth having, and there would be 2^40.

use axum::Router;
use axum::routing::get;

use super::{Section, shell};
use crate::{State, Visit};

pub(super) static SECTION: Section = Section {
    name: "panels",
    title: "The apothecary",
    about: "Forty drawers that stay open until somebody pushes them in.",
    states,
    router,
    changes: &[],
    trap: None,
};

const FRONT: &str = "The apothecary is out, and every drawer has a label.";

/// The label of each drawer, and what is in it.
const DRAWERS: [(&str, &str); 40] = [
    ("Sage", "Sage, for those who forget names."),
    ("Thyme", "Thyme, sold by the quarter of an hour."),
    ("Mint", "Mint, which has eaten its neighbours."),
    ("Dill", "Dill, promised to a pickle."),
    ("Fennel", "Fennel, and a smell of trains."),
    ("Cress", "Cress, growing while you read."),
    ("Borage", "Borage, blue as a vein."),
    ("Chervil", "Chervil, folded into a handkerchief."),
    ("Chives", "Chives, tied like letters."),
    ("Comfrey", "Comfrey, for a table with a broken leg."),
    ("Coriander", "Coriander, half of it seed."),
    ("Cumin", "Cumin, from a ship that was late."),
    ("Hyssop", "Hyssop, and a psalm wrapped round it."),
    ("Lovage", "Lovage, taller than its drawer."),
    ("Marjoram", "Marjoram, weighed twice."),
    ("Mugwort", "Mugwort, for dreaming of mugs."),
    ("Mustard", "Mustard, do not sneeze."),
    ("Nettle", "Nettle, take the tongs."),
    ("Oregano", "Oregano, mistaken for its cousin."),
    ("Parsley", "Parsley, gone to the funeral of a fish."),
    ("Rosemary", "Rosemary, and a note to remember it."),
    ("Rue", "Rue, with regrets."),
    ("Saffron", "Saffron, one thread, guarded."),
    ("Savory", "Savory, summer and winter mixed."),
    ("Sorrel", "Sorrel, sour since Tuesday."),
    ("Tansy", "Tansy, to be kept from the ants."),
    ("Tarragon", "Tarragon, a small dragon asleep."),
    ("Valerian", "Valerian, and three cats waiting."),
    ("Vervain", "Vervain, picked by the wrong moon."),
    ("Woodruff", "Woodruff, last year's May."),
    ("Yarrow", "Yarrow, for telling fortunes slowly."),
    ("Angelica", "Angelica, candied, nearly gone."),
    ("Anise", "Anise, counted in stars."),
    ("Arnica", "Arnica, for those who missed a step."),
    ("Betony", "Betony, against bad company."),
    ("Burdock", "Burdock, still holding a sleeve."),
    ("Caraway", "Caraway, swept up after the baker."),
    ("Catnip", "Catnip, the drawer is scratched."),
    ("Feverfew", "Feverfew, fewer than yesterday."),
    ("Horehound", "Horehound, which does not bark."),
];

fn states() -> Vec<State> {
    let front = SECTION.front(FRONT);
    let drawers = DRAWERS.map(|(label, text)| State::after(&front, "click", label, text));
    [front].into_iter().chain(drawers).collect()
}

fn router() -> Router {
    let front = async |visit: Visit| {
        let drawers: String = (1..)
            .zip(DRAWERS)
            .map(|(number, (label, _))| {
                let pull = shell::button(&visit, label, "pull", &number.to_string());
                format!(r#"<div class="§card">{pull}<div id="§drawer{number}"></div></div>"#)
            })
            .collect();
        shell::room(&visit, &SECTION, &format!(r#"<p class="§lead">{FRONT}</p>{drawers}"#), SCRIPT)
    };
    Router::new()
        .route("/panels/", get(front))
        .merge(shell::pieces("/panels/text/", DRAWERS.map(|(_, text)| text)))
}

const SCRIPT: &str = "
var pulled = {}, fetched = {};
function show(number) { Live.put('§drawer' + number, pulled[number] ? fetched[number] : ''); }
M.pull = function (number) {
  pulled[number] = !pulled[number];
  if (number in fetched) return show(number);
  fetched[number] = '';
  M.fetch('/panels/text/' + number, function (html) {
    fetched[number] = html;
    show(number);
  });
};
";
