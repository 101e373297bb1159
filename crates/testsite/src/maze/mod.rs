//! A site with one section for each behaviour that leads crawlers astray. Each section is a file
//! of its own with a [`Section`] in [`SECTIONS`]; to add a behaviour, add both.

mod accordion;
mod autosave;
mod banner;
mod beacon;
mod calendar;
mod canvas;
mod cart;
mod comments;
mod counter;
mod delete;
mod folders;
mod forbidden;
mod frames;
mod gallery;
mod graphql;
mod hash;
mod jsurl;
mod lamp;
mod language;
mod late;
mod ledger;
mod like;
mod logout;
mod matrix;
mod menu;
mod missing;
mod modal;
mod more;
mod outside;
mod panels;
mod popup;
mod post;
mod private;
mod redirect;
mod refresh;
mod reveal;
mod revisions;
mod route;
mod scroll;
mod select;
mod shadow;
mod shelf;
mod shell;
mod tabs;
mod ticket;
mod twins;
mod varies;
mod volatile;
mod vote;
mod ways;
mod windows;

use std::sync::Arc;

use axum::Router;
use axum::routing::get;

use crate::html::{self, Text};
use crate::{Options, Site, State, Trap, Truth, Visit};

/// All sections, in the order of the menu.
static SECTIONS: [&Section; 49] = [
    &volatile::SECTION,
    &hash::SECTION,
    &frames::SECTION,
    &shadow::SECTION,
    &reveal::SECTION,
    &late::SECTION,
    &jsurl::SECTION,
    &select::SECTION,
    &menu::SECTION,
    &popup::SECTION,
    &route::SECTION,
    &scroll::SECTION,
    &more::SECTION,
    &tabs::SECTION,
    &matrix::SECTION,
    &accordion::SECTION,
    &modal::SECTION,
    &gallery::SECTION,
    &canvas::SECTION,
    &varies::SECTION,
    &language::SECTION,
    &lamp::SECTION,
    &ledger::SECTION,
    &panels::SECTION,
    &windows::SECTION,
    &folders::SECTION,
    &ways::SECTION,
    &twins::SECTION,
    &banner::SECTION,
    &revisions::SECTION,
    &counter::SECTION,
    &calendar::SECTION,
    &ticket::SECTION,
    &shelf::SECTION,
    &refresh::SECTION,
    &comments::SECTION,
    &graphql::SECTION,
    &like::SECTION,
    &delete::SECTION,
    &logout::SECTION,
    &cart::SECTION,
    &autosave::SECTION,
    &vote::SECTION,
    &beacon::SECTION,
    &post::SECTION,
    &redirect::SECTION,
    &missing::SECTION,
    &forbidden::SECTION,
    &outside::SECTION,
];

/// A behaviour.
struct Section {
    /// The first segment of the paths of all its pages, and the kind of its states.
    name: &'static str,
    title: &'static str,
    /// A sentence for the index. It is on no other page.
    about: &'static str,
    /// What a perfect crawl finds in it.
    states: fn() -> Vec<State>,
    router: fn() -> Router,
    /// The kinds of state change that a careless visitor causes in it.
    changes: &'static [&'static str],
    /// What of it never ends, if anything does not.
    trap: Option<&'static str>,
}

impl Section {
    /// The path of its first page.
    fn path(&self) -> String {
        format!("/{}/", self.name)
    }

    /// The state of its first page, with the text that only that page shows.
    fn front(&self, marker: &str) -> State {
        State::at(self.name, self.path(), marker)
    }

    /// The state of another page of it.
    fn leaf(&self, path: &str, marker: &str) -> State {
        State::at(self.name, path, marker)
    }
}

/// The maze. What is live in its rooms is written once and drawn by each build in its own way; its
/// language is English and its size is fixed.
pub struct Maze {
    trap: private::Trap,
}

impl Maze {
    /// Generates the maze.
    pub fn generate(_: &Options) -> Self {
        Maze { trap: private::Trap::set() }
    }
}

/// What the first page says, and no other.
const WELCOME: &str = "Fifty rooms, and a door in each that is not what it seems.";

impl Site for Maze {
    fn truth(&self) -> Truth {
        let sections = || SECTIONS.iter().copied().chain([&private::SECTION]);
        let mut states = vec![State::at("index", "/", WELCOME)];
        states.extend(sections().flat_map(|section| {
            let named = |state| State { behaviour: section.name.to_owned(), ..state };
            (section.states)().into_iter().map(named)
        }));
        let mut truth = Truth::new("maze", states);
        truth.traps = sections()
            .filter_map(|section| {
                Some(Trap {
                    behaviour: section.name.to_owned(),
                    path: section.path(),
                    endless: section.trap?.to_owned(),
                })
            })
            .collect();
        truth.off_limits = vec![forbidden::SECTION.path()];
        truth.changes =
            sections().flat_map(|section| section.changes).map(|kind| (*kind).to_owned()).collect();
        truth
    }

    fn robots(&self) -> String {
        format!("User-agent: *\nDisallow: {}\n", forbidden::SECTION.path())
    }

    fn router(self: Arc<Self>) -> Router {
        let sections =
            SECTIONS.iter().fold(Router::new(), |router, section| router.merge((section.router)()));
        sections
            .merge(private::router(self.trap.clone()))
            .merge(shell::files())
            .route("/", get(index))
            .fallback(missing::anywhere)
    }
}

async fn index(visit: Visit) -> axum::response::Response {
    let rooms: String = SECTIONS
        .iter()
        .copied()
        .chain([&private::SECTION])
        .map(|section| {
            format!(
                r#"<li><a href="{}"><b>{}</b></a><span>{}</span></li>"#,
                section.path(),
                Text(section.title),
                Text(section.about)
            )
        })
        .collect();
    let main = format!(r#"<p class="§lead">{WELCOME}</p><ul class="§rooms">{rooms}</ul>"#);
    html::page(shell::page(&visit, "The Maze House", &main, ""))
}
