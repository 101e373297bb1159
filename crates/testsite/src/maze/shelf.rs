//! Pages without a last one: after five there is nothing, but there is always a next page.

use axum::Router;
use axum::extract::Query;
use axum::routing::get;
use serde::Deserialize;

use super::{Section, shell};
use crate::{State, Visit};

pub(super) static SECTION: Section = Section {
    name: "shelf",
    title: "The long shelf",
    about: "The librarian swears that there is one more board.",
    states,
    router,
    changes: &[],
    trap: Some("an empty page links to the next empty page"),
};

const BOARDS: [&str; 5] = [
    "The first board holds atlases.",
    "The second board holds cookbooks.",
    "The third board holds diaries of strangers.",
    "The fourth board holds timetables.",
    "The fifth board holds a sleeping cat.",
];

#[derive(Deserialize)]
struct Turn {
    page: Option<u64>,
}

fn states() -> Vec<State> {
    let boards = BOARDS.iter().enumerate();
    boards.map(|(index, text)| SECTION.leaf(&url(index as u64 + 1), text)).collect()
}

fn router() -> Router {
    Router::new().route("/shelf/", get(async |visit: Visit, Query(turn): Query<Turn>| {
        let page = turn.page.unwrap_or(1).max(1);
        let board = usize::try_from(page - 1).ok().and_then(|index| BOARDS.get(index));
        let text = board.copied().unwrap_or("This board is empty.");
        let back = match page {
            1 => String::new(),
            page => format!(r#"<a href="{}">Back</a> "#, url(page - 1)),
        };
        let next = url(page.saturating_add(1));
        let main = format!(
            r#"<p class="§lead">{text}</p><p>{back}<b>{page}</b> <a href="{next}">Next board</a></p>"#
        );
        shell::room(&visit, &SECTION, &main, "")
    }))
}

fn url(page: u64) -> String {
    match page {
        1 => "/shelf/".to_owned(),
        page => format!("/shelf/?page={page}"),
    }
}
