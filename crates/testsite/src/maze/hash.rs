//! Hash routing: the part of the URL after `#` chooses what is shown. Anchors that only scroll
//! look the same and are no states.

use axum::Router;
use axum::routing::get;

use super::{Section, shell};
use crate::{State, Visit};

pub(super) static SECTION: Section = Section {
    name: "hash",
    title: "The room of many names",
    about: "What stands after the # decides what you see.",
    states,
    router,
    changes: &[],
    trap: None,
};

/// Fragment, title and text of each view. The empty fragment is the first view.
const VIEWS: [(&str, &str, &str); 6] = [
    ("", "Start", "You have not chosen a name yet, so the room is bare."),
    ("#/about", "About", "This room was built in 1911 for a man who collected names."),
    ("#/people", "People", "Four gardeners and one surveyor work behind the walls."),
    ("#!/catalogue", "Catalogue", "The catalogue begins with Abelard and Acacia."),
    (
        "#!/catalogue/2",
        "Catalogue, second leaf",
        "The catalogue goes on with Bartholomew and Birch.",
    ),
    ("#/people/surveyor", "Surveyor", "The surveyor has never been seen leaving."),
];

fn states() -> Vec<State> {
    VIEWS
        .iter()
        .map(|(fragment, _, text)| SECTION.leaf(&format!("/hash/{fragment}"), text))
        .collect()
}

fn router() -> Router {
    Router::new().route("/hash/", get(room))
}

async fn room(visit: Visit) -> axum::response::Response {
    let views: serde_json::Map<_, _> = VIEWS
        .iter()
        .map(|(fragment, title, text)| ((*fragment).to_owned(), serde_json::json!([title, text])))
        .collect();
    let script = format!(
        "var VIEWS={};{SCRIPT}",
        crate::html::json_in_script(&serde_json::Value::Object(views))
    );
    let main = concat!(
        r##"<p><a href="#/about">About</a> · <a href="#/people">People</a> · <a href="#!/catalogue">Catalogue</a> · "##,
        r##"<a href="#notes">Notes below</a> · <a href="#">Top</a></p><div id="§view"></div>"##,
        r#"<h3 id="notes">Notes</h3><p>Anchors that only scroll lead nowhere new.</p>"#
    );
    shell::room(&visit, &SECTION, main, &script)
}

const SCRIPT: &str = "
var MORE = { '#!/catalogue': '#!/catalogue/2', '#/people': '#/people/surveyor' };
function route() {
  // An anchor that is no route leaves the view as it is.
  var view = VIEWS[location.hash];
  if (!view) return;
  var more = MORE[location.hash];
  M.put('<h2>' + view[0] + '</h2><p>' + view[1] + '</p>' + (more ? '<a href=\"' + more + '\">More</a>' : ''));
}
addEventListener('hashchange', route);
route();
";
