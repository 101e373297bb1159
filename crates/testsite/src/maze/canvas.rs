//! A map on a canvas: its buttons change nothing but pixels, so there is one state.

use axum::Router;
use axum::routing::get;

use super::{Section, shell};
use crate::{State, Visit};

pub(super) static SECTION: Section = Section {
    name: "canvas",
    title: "The map table",
    about: "A map that you can push about.",
    states,
    router,
    changes: &[],
    trap: None,
};

const FRONT: &str = "The map shows every path but the one you need.";

fn states() -> Vec<State> {
    vec![SECTION.front(FRONT)]
}

fn router() -> Router {
    Router::new().route("/canvas/", get(async |visit: Visit| {
        let moves =
            [("+", "in"), ("−", "out"), ("North", "n"), ("South", "s"), ("West", "w"), ("East", "e")];
        let buttons: String = moves
            .iter()
            .map(|(label, how)| shell::button(&visit, label, "move", how))
            .collect();
        let main = format!(
            r#"<p class="§lead">{FRONT}</p><canvas id="§map" width="480" height="300"></canvas><p>{buttons}</p>"#
        );
        shell::room(&visit, &SECTION, &main, SCRIPT)
    }))
}

const SCRIPT: &str = "
var at = { x: 240, y: 150, zoom: 1 };
function draw() {
  var pen = Live.find('#§map').getContext('2d');
  pen.fillStyle = '#dfe8d5';
  pen.fillRect(0, 0, 480, 300);
  pen.strokeStyle = '#4f7942';
  pen.lineWidth = 3 * at.zoom;
  for (var ring = 1; ring < 12; ring++) {
    pen.beginPath();
    pen.arc(at.x, at.y, ring * 16 * at.zoom, ring, ring + 5.2);
    pen.stroke();
  }
}
M.move = function (how) {
  M.later(function () {
    if (how === 'in') at.zoom *= 1.25;
    if (how === 'out') at.zoom /= 1.25;
    at.x += { w: 20, e: -20 }[how] || 0;
    at.y += { n: 20, s: -20 }[how] || 0;
    draw();
  });
};
document.addEventListener('DOMContentLoaded', draw);
";
