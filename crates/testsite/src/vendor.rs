//! The real libraries, as their makers ship them; `assets/vendor/README.md` says which.

use axum::Router;
use axum::routing::get;

use crate::html;

macro_rules! library {
    ($path:literal) => {
        get(async || {
            html::file(
                "text/javascript; charset=utf-8",
                include_bytes!(concat!("../assets/vendor/", $path)),
            )
        })
    };
}

/// The path of jQuery in [`router`].
pub(crate) const JQUERY: &str = "/static/lib/jquery-3.7.1.min.js";
/// The path of React.
pub(crate) const REACT: &str = "/static/lib/react-18.3.1.min.js";
/// The path of ReactDOM, which wants React first.
pub(crate) const REACT_DOM: &str = "/static/lib/react-dom-18.3.1.min.js";
/// The path of Vue with its template compiler.
pub(crate) const VUE: &str = "/static/lib/vue-3.5.45.global.prod.js";

/// The import map that lit's modules want, before any of them.
pub(crate) const LIT_MAP: &str = concat!(
    r#"<script type="importmap">{"imports":{"lit":"/static/lib/lit-4.2.2/lit-element.js","#,
    r#""lit-html":"/static/lib/lit-4.2.2/lit-html.js","#,
    r#""@lit/reactive-element":"/static/lib/lit-4.2.2/reactive-element.js"}}</script>"#
);

/// The element that loads a script once the document is there. What is written for lit is a module.
pub(crate) fn script(path: &str) -> String {
    match path.ends_with("-lit.js") {
        true => format!(r#"{LIT_MAP}<script type="module" src="{path}"></script>"#),
        false => format!(r#"<script defer src="{path}"></script>"#),
    }
}

/// Serves the libraries; a site merges it into its own routes.
pub(crate) fn router() -> Router {
    Router::new()
        .route(JQUERY, library!("jquery/jquery.min.js"))
        .route(REACT, library!("react/react.production.min.js"))
        .route(REACT_DOM, library!("react-dom/react-dom.production.min.js"))
        .route(VUE, library!("vue/vue.global.prod.js"))
        .route("/static/lib/lit-4.2.2/lit-element.js", library!("lit-element/lit-element.js"))
        .route("/static/lib/lit-4.2.2/lit-html.js", library!("lit-html/lit-html.js"))
        .route(
            "/static/lib/lit-4.2.2/reactive-element.js",
            library!("reactive-element/reactive-element.js"),
        )
        .route("/static/lib/lit-4.2.2/css-tag.js", library!("reactive-element/css-tag.js"))
}
