//! Addresses that hold their parameters after semicolons: `/revisions/;file=3;rev=2`. They look like
//! the ids of visits in `ticket`, and each is a page of its own.

use axum::Router;
use axum::routing::get;

use super::{Section, shell};
use crate::{State, Visit};

pub(super) static SECTION: Section = Section {
    name: "revisions",
    title: "The writing desk",
    about: "Nothing is finished here; it is only written again.",
    states,
    router,
    changes: &[],
    trap: None,
};

const FRONT: &str = "On the desk are six papers, and under each the one that it was.";

/// What each paper is, and what its drafts say, the oldest first.
const PAPERS: [(&str, [&str; 3]); 6] = [
    (
        "Menu",
        [
            "The menu has eleven courses.",
            "The menu has four courses and an excuse.",
            "The menu says bread.",
        ],
    ),
    (
        "Map",
        [
            "The map shows an island.",
            "The map shows an island and a coffee stain.",
            "The map shows two islands.",
        ],
    ),
    (
        "Speech",
        [
            "The speech begins with thanks.",
            "The speech begins with a joke.",
            "The speech begins at the end.",
        ],
    ),
    (
        "Recipe",
        [
            "The recipe asks for one egg.",
            "The recipe asks for three eggs.",
            "The recipe asks for a hen.",
        ],
    ),
    (
        "Will",
        [
            "The will leaves all to the parrot.",
            "The will leaves nothing to the parrot.",
            "The will is signed by the parrot.",
        ],
    ),
    (
        "Song",
        [
            "The song rhymes moon with June.",
            "The song rhymes moon with spoon.",
            "The song has given up on the moon.",
        ],
    ),
];

fn states() -> Vec<State> {
    let mut states = vec![SECTION.front(FRONT)];
    for (file, (_, drafts)) in (1..).zip(PAPERS) {
        states.extend((1..).zip(drafts).map(|(rev, text)| SECTION.leaf(&url(file, rev), text)));
    }
    states
}

fn url(file: usize, rev: usize) -> String {
    format!("/revisions/;file={file};rev={rev}")
}

fn router() -> Router {
    let front = async |visit: Visit| {
        let papers: String = (1..)
            .zip(PAPERS)
            .map(|(file, (name, drafts))| {
                format!(r#"<li><a href="{}">{name}</a></li>"#, url(file, drafts.len()))
            })
            .collect();
        let main = format!(r#"<p class="§lead">{FRONT}</p><ul>{papers}</ul>"#);
        shell::room(&visit, &SECTION, &main, "")
    };
    let mut router = Router::new().route("/revisions/", get(front));
    for (file, (_, drafts)) in (1..).zip(PAPERS) {
        for (rev, text) in (1..).zip(drafts) {
            let draft = async move |visit: Visit| {
                let beside = [(rev - 1, "Earlier draft"), (rev + 1, "Later draft")];
                let links: String = beside
                    .into_iter()
                    .filter(|(other, _)| (1..=drafts.len()).contains(other))
                    .map(|(other, label)| format!(r#"<a href="{}">{label}</a> "#, url(file, other)))
                    .collect();
                let main = format!(r#"<p class="§lead">{text}</p><p>{links}</p>"#);
                shell::room(&visit, &SECTION, &main, "")
            };
            router = router.route(&url(file, rev), get(draft));
        }
    }
    router
}
