//! A table with a pager, three orders and three lengths, drawn by script: widgets that act on one
//! another make 52 pictures of 24 rows. What is worth having are the six pages as they are come to.

use axum::Router;
use axum::routing::get;

use super::{Section, shell};
use crate::html::json_in_script;
use crate::{State, Visit};

pub(super) static SECTION: Section = Section {
    name: "ledger",
    title: "The lending book",
    about: "Everything that was lent, in any order you like.",
    states,
    router,
    changes: &[],
    trap: None,
};

const ROWS: usize = 4;
const COLUMNS: [&str; 3] = ["By thing", "By borrower", "By day"];
const LENGTHS: [usize; 3] = [ROWS, 6, 8];

/// What was lent, to whom, and on which day of the year.
const LOANS: [(&str, &str, u16); 24] = [
    ("Sieve with a silver rim", "Mrs Pell", 212),
    ("Anvil on a stump", "The smith", 31),
    ("Wheelbarrow, left-handed", "Old Tam", 87),
    ("Bucket of whitewash", "The sexton", 140),
    ("Trowel with an ash handle", "Miss Quill", 9),
    ("Copper kettle", "The cook", 301),
    ("Hammock for two", "Old Tam", 176),
    ("Spirit level", "The mason", 55),
    ("Opera glasses in a tin", "Mr Dray", 260),
    ("Goose, on trial", "Mrs Pell", 333),
    ("Quilt of nine squares", "The nurse", 18),
    ("Nutcracker", "The cook", 351),
    ("Mangle with one roller", "The laundress", 102),
    ("Fiddle, unstrung", "Mr Dray", 244),
    ("Pair of stilts", "The smith", 121),
    ("Yoke for an ox", "The carter", 66),
    ("Barometer stuck at fair", "Miss Quill", 198),
    ("Rope of forty feet", "The sexton", 283),
    ("Umbrella stand", "The nurse", 317),
    ("Jar of buttons", "The tailor", 44),
    ("Lantern without a wick", "The carter", 365),
    ("Chisel", "The mason", 159),
    ("Easel", "The laundress", 230),
    ("Dough trough", "The tailor", 75),
];

fn states() -> Vec<State> {
    let front = SECTION.front(LOANS[0].0);
    let others: Vec<State> = (2..)
        .zip(LOANS.chunks(ROWS).skip(1))
        .map(|(page, loans)| State::after(&front, "click", &page.to_string(), loans[0].0))
        .collect();
    [front].into_iter().chain(others).collect()
}

fn router() -> Router {
    Router::new().route("/ledger/", get(async |visit: Visit| book(&visit)))
}

fn book(visit: &Visit) -> axum::response::Response {
    let orders: String = COLUMNS
        .iter()
        .enumerate()
        .map(|(column, label)| shell::button(visit, label, "sort", &column.to_string()))
        .collect();
    let lengths: String = LENGTHS
        .iter()
        .map(|rows| shell::button(visit, &format!("{rows} rows"), "rows", &rows.to_string()))
        .collect();
    let pages: String = (1..=LOANS.len() / ROWS)
        .map(|page| shell::button(visit, &page.to_string(), "turn", &page.to_string()))
        .collect();
    let main = format!(r#"<p>{orders}</p><p>{lengths}</p><div id="§view"></div><p>{pages}</p>"#);
    let loans = json_in_script(&serde_json::json!(LOANS.as_slice()));
    shell::room(visit, &SECTION, &main, &format!("var LOANS={loans},perPage={ROWS};{SCRIPT}"))
}

const SCRIPT: &str = "
var page = 1, sorted = LOANS;
function draw() {
  // A page beyond the last one is the last one.
  var first = Math.min(page - 1, Math.ceil(LOANS.length / perPage) - 1) * perPage;
  var rows = sorted.slice(first, first + perPage).map(function (loan) {
    return '<tr><td>' + loan.join('</td><td>') + '</td></tr>';
  });
  M.put('<table><tbody>' + rows.join('') + '</tbody></table>');
}
M.turn = function (number) { page = number; draw(); };
M.rows = function (number) { perPage = +number; draw(); };
M.sort = function (column) {
  // From the order in the book, so that what was sorted before makes no difference.
  sorted = LOANS.slice().sort(function (one, other) {
    return (one[column] > other[column]) - (one[column] < other[column]);
  });
  draw();
};
draw();
";
