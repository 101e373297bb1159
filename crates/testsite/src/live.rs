//! Markup that a script makes live, in the technique of each build.
//!
//! A site writes an element once, with the event and the function that it stands for. With
//! `inline` that becomes a handler attribute; every other build gets neutral attributes and a
//! driver under `assets/live` that binds them its own way: closures by hand, one delegated handler
//! of jQuery, or a tree of elements that React, Vue or lit draws. So the same site exists in every
//! build, and its truth does not depend on it.

use axum::Router;
use axum::routing::get;

use crate::html::{self, Text};
use crate::{Build, vendor};

/// The attributes that tie `event` to the function `act` of the script's object `object`.
pub(crate) fn on(build: Build, object: &str, event: &str, act: &str, argument: &str) -> String {
    match build {
        Build::Inline => {
            format!(r#"on{event}="{object}.{act}('{}',this,event)""#, Text(argument))
        }
        _ => format!(r#"data-on="{event}" data-do="{act}" data-arg="{}""#, Text(argument)),
    }
}

/// An element that does something when it is clicked and goes nowhere: what such elements are
/// differs with the habits of each technique.
pub(crate) fn clickable(build: Build, class: &str, ties: &str, label: &str) -> String {
    let label = Text(label);
    match build {
        Build::Inline => {
            format!(r#"<a href="javascript:void(0)" class="{class}" {ties}>{label}</a>"#)
        }
        Build::Jquery | Build::Vue => {
            format!(r##"<a href="#" class="{class}" {ties}>{label}</a>"##)
        }
        Build::Closures => format!(r#"<span class="{class}" {ties}>{label}</span>"#),
        Build::React | Build::Lit => {
            format!(r#"<button type="button" class="{class}" {ties}>{label}</button>"#)
        }
    }
}

/// The `<script>` elements for the head of a page, before the scripts of the site.
pub(crate) fn scripts(build: Build) -> String {
    let sources: &[&str] = match build {
        Build::Inline | Build::Closures => &["/static/js/live.js"],
        Build::Jquery => &[vendor::JQUERY, "/static/js/live.js", "/static/js/live-jquery.js"],
        Build::React => &[
            vendor::REACT,
            vendor::REACT_DOM,
            "/static/js/live.js",
            "/static/js/live-tree.js",
            "/static/js/live-react.js",
        ],
        Build::Vue => &[
            vendor::VUE,
            "/static/js/live.js",
            "/static/js/live-tree.js",
            "/static/js/live-vue.js",
        ],
        Build::Lit => &["/static/js/live.js", "/static/js/live-tree.js"],
    };
    let mut scripts: String =
        sources.iter().map(|source| format!(r#"<script src="{source}"></script>"#)).collect();
    if build == Build::Lit {
        scripts += &vendor::script("/static/js/live-lit.js");
    }
    scripts
}

/// Serves the drivers and the libraries that they need.
pub(crate) fn router() -> Router {
    macro_rules! driver {
        ($file:literal) => {
            get(async || {
                html::file(
                    "text/javascript; charset=utf-8",
                    include_bytes!(concat!("../assets/live/", $file)),
                )
            })
        };
    }
    Router::new()
        .route("/static/js/live.js", driver!("live.js"))
        .route("/static/js/live-tree.js", driver!("tree.js"))
        .route("/static/js/live-jquery.js", driver!("jquery.js"))
        .route("/static/js/live-react.js", driver!("react.js"))
        .route("/static/js/live-vue.js", driver!("vue.js"))
        .route("/static/js/live-lit.js", driver!("lit.js"))
        .merge(vendor::router())
}
