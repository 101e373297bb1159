//! GraphQL: queries and mutations are POSTs to one path. The first only read, the others do not.

use axum::Router;
use axum::routing::{get, post};

use super::{Section, shell};
use crate::{State, Visit};

pub(super) static SECTION: Section = Section {
    name: "graphql",
    title: "The index cards",
    about: "One slot in the wall, for questions and for orders.",
    states,
    router,
    changes: &["mutation"],
    trap: None,
};

const FRONT: &str = "Write your question on a card and put it into the slot.";
const ANSWER: &str = "Our gardeners are Ivy Holm, Basil Reed and Rowan Ash.";

fn states() -> Vec<State> {
    let front = SECTION.front(FRONT);
    let answer = State::after(&front, "click", "Who works here?", ANSWER);
    vec![front, answer]
}

fn router() -> Router {
    Router::new()
        .route(
            "/graphql/",
            get(async |visit: Visit| {
                let ask = shell::button(
                    &visit,
                    "Who works here?",
                    "ask",
                    "query Staff { staff { name } }",
                );
                let order = shell::button(
                    &visit,
                    "Book a tour",
                    "ask",
                    "mutation Book { bookTour(day: 1) { text } }",
                );
                let main = format!(
                    r#"<p class="§lead">{FRONT}</p><p>{ask}{order}</p><div id="§view"></div>"#
                );
                shell::room(&visit, &SECTION, &main, SCRIPT)
            }),
        )
        .route("/graphql", post(answer))
}

async fn answer(visit: Visit, body: String) -> axum::Json<serde_json::Value> {
    let card: serde_json::Value = serde_json::from_str(&body).unwrap_or_default();
    let query = card["query"].as_str().unwrap_or_default();
    if query.trim_start().starts_with("mutation") {
        visit.change("mutation", query.chars().take(80).collect::<String>());
        return axum::Json(serde_json::json!({"data": {"text": "Your tour is booked."}}));
    }
    axum::Json(serde_json::json!({"data": {"text": ANSWER}}))
}

const SCRIPT: &str = "
M.ask = function (query) {
  M.later(function () {
    fetch('/graphql', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ query: query })
    }).then(function (answer) { return answer.json(); }).then(function (answer) {
      M.put('<p>' + answer.data.text + '</p>');
    });
  });
};
";
