//! `<meta http-equiv="refresh">`: one page that moves on after a while, and one that does at once.

use axum::Router;
use axum::routing::get;

use super::{Section, shell};
use crate::{State, Visit};

pub(super) static SECTION: Section = Section {
    name: "refresh",
    title: "The impatient guide",
    about: "Stand still, and you are taken along.",
    states,
    router,
    changes: &[],
    trap: None,
};

const FRONT: &str = "The guide gives you two seconds.";
const LEAVES: [(&str, &str); 2] = [
    ("/refresh/garden", "The guide has brought you to the rose garden."),
    ("/refresh/pond", "The guide has pushed you to the pond."),
];

fn states() -> Vec<State> {
    let leaves = LEAVES.map(|(url, text)| SECTION.leaf(url, text));
    [SECTION.front(FRONT)].into_iter().chain(leaves).collect()
}

fn router() -> Router {
    let mut router = Router::new()
        .route("/refresh/", get(async |visit: Visit| {
            let main = format!(
                concat!(
                    r#"<meta http-equiv="refresh" content="2;url=/refresh/garden"><p class="§lead">{}</p>"#,
                    r#"<p><a href="/refresh/hurry">Hurry up</a></p>"#
                ),
                FRONT
            );
            shell::room(&visit, &SECTION, &main, "")
        }))
        .route("/refresh/hurry", get(async |visit: Visit| {
            let main = r#"<meta http-equiv="refresh" content="0;url=/refresh/pond">"#;
            shell::room(&visit, &SECTION, main, "")
        }));
    for (url, text) in LEAVES {
        let leaf = async move |visit: Visit| shell::leaf(&visit, &SECTION, text);
        router = router.route(url, get(leaf));
    }
    router
}
