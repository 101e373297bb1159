//! A list that grows when its end comes into view (IntersectionObserver), five batches in all.

use axum::Router;
use axum::extract::Path;
use axum::routing::get;

use super::{Section, shell};
use crate::{State, Visit};

pub(super) static SECTION: Section = Section {
    name: "scroll",
    title: "The hedge walk",
    about: "The further you walk, the longer the path.",
    states,
    router,
    changes: &[],
    trap: None,
};

const BATCHES: usize = 5;
const BATCH: usize = 6;
/// What is written at the end of the list as long as there is more.
const END: &str = "The path goes on";

fn hedge(number: usize) -> String {
    format!("Hedge {number} was planted in {}.", 1800 + number)
}

/// The hedges of a batch, from 1.
fn hedges(batch: usize) -> Vec<String> {
    ((batch - 1) * BATCH + 1..=batch * BATCH).map(hedge).collect()
}

fn states() -> Vec<State> {
    let mut states: Vec<State> = Vec::new();
    for batch in 1..=BATCHES {
        let marker = hedge(batch * BATCH);
        let mut state = match states.last() {
            None => SECTION.front(&marker),
            Some(before) => State::after(before, "scroll", END, &marker),
        };
        // What was loaded before stays.
        state.shows = (1..=batch).flat_map(hedges).collect();
        states.push(state);
    }
    states
}

fn router() -> Router {
    Router::new()
        .route(
            "/scroll/",
            get(async |visit: Visit| {
                let main = format!(
                    r#"<div id="§view">{}</div><p id="§end" class="§lead">{END}</p>"#,
                    batch(1)
                );
                shell::room(&visit, &SECTION, &main, SCRIPT)
            }),
        )
        .route(
            "/scroll/batch/{number}",
            get(async |visit: Visit, Path(number): Path<usize>| match number {
                2..=BATCHES => shell::fragment(&visit, &batch(number)),
                _ => super::missing::anywhere(visit).await,
            }),
        )
}

fn batch(number: usize) -> String {
    let cards = hedges(number).into_iter();
    cards.map(|text| format!(r#"<div class="§card §tall"><p>{text}</p></div>"#)).collect()
}

const SCRIPT: &str = "
document.addEventListener('DOMContentLoaded', function () {
  var next = 2;
  var end = Live.find('#§end');
  var seen = new IntersectionObserver(function (entries) {
    if (!entries.some(function (entry) { return entry.isIntersecting; })) return;
    seen.disconnect();
    M.fetch('/scroll/batch/' + next, function (html) {
      Live.append('§view', html);
      next += 1;
      if (next > 5) Live.put('§end', 'Here the path ends');
      else seen.observe(end);
    });
  });
  seen.observe(end);
});
";
