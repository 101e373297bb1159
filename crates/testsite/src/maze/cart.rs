//! Add to cart: by a GET of a script, and by a form.

use axum::Router;
use axum::routing::{get, post};

use super::{Section, shell};
use crate::{State, Visit};

pub(super) static SECTION: Section = Section {
    name: "cart",
    title: "The shop",
    about: "Postcards and puzzles. Mind what you touch.",
    states,
    router,
    changes: &["cart"],
    trap: None,
};

const FRONT: &str = "Everything in the shop is made from hedge cuttings.";
const DETAILS: &str = "The puzzle has four hundred pieces and no picture.";

fn states() -> Vec<State> {
    let front = SECTION.front(FRONT);
    let details = State::after(&front, "click", "Show details", DETAILS);
    vec![front, details]
}

fn router() -> Router {
    Router::new()
        .route("/cart/", get(room))
        .route("/cart/details", get(async || shell::piece(DETAILS)))
        .route("/cart/add", get(added))
        .route("/cart/buy", post(added))
}

async fn room(visit: Visit) -> axum::response::Response {
    let add = shell::button(&visit, "Add to cart", "add", "7");
    let things = format!(
        concat!(
            r#"<div class="§card"><p>Hedge puzzle, 18.50</p><p>{add}</p>"#,
            r#"<form method="post" action="/cart/buy"><input type="hidden" name="item" value="7">"#,
            r#"<button class="§plain">Buy now</button></form></div><p>Cart: <b id="§count">0</b></p>"#
        ),
        add = add
    );
    let details = shell::details(&visit, &SECTION);
    let main = format!(r#"<p class="§lead">{FRONT}</p>{things}{details}"#);
    shell::room(&visit, &SECTION, &main, SCRIPT)
}

async fn added(visit: Visit) -> axum::response::Response {
    visit.change("cart", "item 7");
    shell::piece("It is in your cart.")
}

const SCRIPT: &str = "
M.add = function (item) {
  M.later(function () {
    fetch('/cart/add?item=' + item).then(function () {
      var count = Live.find('#§count');
      count.textContent = Number(count.textContent) + 1;
    });
  });
};
";
