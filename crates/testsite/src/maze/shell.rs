//! What surrounds every page of the maze, and how its elements are tied to scripts.

use axum::Router;
use axum::response::Response;
use axum::routing::get;

use super::{SECTIONS, Section, private};
use crate::html::{self, Text};
use crate::names::Names;
use crate::{Visit, live};

/// A page of a section. `script` defines functions of `M` that [`on`] refers to.
pub(super) fn room(visit: &Visit, section: &Section, main: &str, script: &str) -> Response {
    html::page(page(visit, section.title, main, script))
}

/// A page of a section that says one thing.
pub(super) fn leaf(visit: &Visit, section: &Section, text: &str) -> Response {
    room(visit, section, &format!(r#"<p class="§lead">{}</p>"#, Text(text)), "")
}

/// A whole page.
pub(super) fn page(visit: &Visit, title: &str, main: &str, script: &str) -> String {
    let rooms: String = SECTIONS
        .iter()
        .copied()
        .chain([&private::SECTION])
        .map(|section| {
            let here = if section.title == title { r#" class="§here""# } else { "" };
            format!(r#"<li{here}><a href="{}">{}</a></li>"#, section.path(), Text(section.title))
        })
        .collect();
    let page = format!(
        concat!(
            r#"<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>{title} | The Maze House</title>"#,
            r#"<meta name="viewport" content="width=device-width"><link rel="stylesheet" href="/static/maze.css"><link rel="icon" href="data:,">"#,
            r#"<script>var MAZE={{"timers":{timers},"view":"§view"}};</script>{scripts}<script src="/static/maze.js"></script></head><body>"#,
            r#"<header><div class="§in"><a class="§brand" href="/">The Maze House</a><nav><a href="/">Home</a>"#,
            r##"<a href="/comments/">Visitors</a><a href="/cart/">Shop</a><a href="#§rooms">Rooms</a></nav></div></header>"##,
            r#"<div class="§in §cols"><aside><h4 id="§rooms">Rooms</h4><ul>{rooms}</ul></aside>"#,
            r#"<main><h1>{title}</h1>{main}</main></div>"#,
            r#"<footer><div class="§in"><p>The Maze House, Hedge Lane. Open daily, exit not guaranteed.</p></div></footer>"#,
            r#"<script>{script}</script></body></html>"#
        ),
        title = Text(title),
        timers = visit.options().timers_ms(),
        scripts = live::scripts(visit.options().build),
        rooms = rooms,
        main = region(visit, main),
        script = script,
    );
    names(visit).apply(&page)
}

/// A document without the surroundings, for frames.
pub(super) fn bare(visit: &Visit, title: &str, main: &str, script: &str) -> Response {
    let page = format!(
        concat!(
            r#"<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>{title}</title>"#,
            r#"<link rel="stylesheet" href="/static/maze.css"><script>var MAZE={{"timers":{timers},"view":"§view"}};</script>"#,
            r#"{scripts}<script src="/static/maze.js"></script></head><body class="§bare">{main}<script>{script}</script></body></html>"#
        ),
        title = Text(title),
        timers = visit.options().timers_ms(),
        scripts = live::scripts(visit.options().build),
        main = region(visit, main),
        script = script,
    );
    html::page(names(visit).apply(&page))
}

/// What scripts may draw anew: all of a page that has something live in it. A frame or a host of a
/// shadow root is left where it is.
fn region(visit: &Visit, main: &str) -> String {
    let live = main.contains("data-on=") || main.contains(r#"id="§view""#);
    match live && !main.contains("<template") {
        true => {
            format!(r#"<div data-region="{}">{main}</div>"#, names(visit).element("room"))
        }
        false => main.to_owned(),
    }
}

/// Attributes that tie an event on an element to a function of `M`, in the technique of the build.
pub(super) fn on(visit: &Visit, event: &str, function: &str, argument: &str) -> String {
    live::on(visit.options().build, "M", event, function, argument)
}

/// A button of that kind.
pub(super) fn button(visit: &Visit, label: &str, function: &str, argument: &str) -> String {
    format!(
        r#"<button type="button" {}>{}</button>"#,
        on(visit, "click", function, argument),
        Text(label)
    )
}

/// A button that loads a piece of the same path by GET into the page: what must still be found
/// where other elements must not be touched.
pub(super) fn details(visit: &Visit, section: &Section) -> String {
    format!(
        r#"<p>{}</p><div id="§view"></div>"#,
        button(visit, "Show details", "load", &format!("{}details", section.path()))
    )
}

/// How classes and ids are called on this site.
fn names(visit: &Visit) -> Names {
    Names::new("maze", visit.options().seed, visit.options().build)
}

/// A piece of markup with classes that scripts put into a page.
pub(super) fn fragment(visit: &Visit, markup: &str) -> Response {
    html::page(names(visit).apply(markup))
}

/// A piece of HTML that scripts put into a page.
pub(super) fn piece(text: &str) -> Response {
    html::page(format!("<p>{}</p>", Text(text)))
}

/// Such pieces at `path` and their number, from 1.
pub(super) fn pieces(path: &str, texts: impl IntoIterator<Item = &'static str>) -> Router {
    (1..).zip(texts).fold(Router::new(), |router, (number, text)| {
        router.route(&format!("{path}{number}"), get(async move || piece(text)))
    })
}

/// Links to pages that are called by their number, from 1.
pub(super) fn numbered<'a>(paths: impl IntoIterator<Item = &'a str>) -> String {
    (1..).zip(paths).map(|(nth, path)| format!(r#"<a href="{path}">{nth}</a> "#)).collect()
}

/// The statement of a script that shows a text where [`details`] would.
pub(super) fn put(text: &str) -> String {
    format!("M.put('<p>{text}</p>');")
}

/// Style sheet, script and pictures.
pub(super) fn files() -> Router {
    live::router()
        .route(
            "/static/maze.css",
            get(async |visit: Visit| {
                let style = names(&visit).apply(include_str!("../../assets/maze/style.css"));
                html::text_file("text/css", style)
            }),
        )
        .route(
            "/static/maze.js",
            get(async || {
                html::file(
                    "text/javascript; charset=utf-8",
                    include_bytes!("../../assets/maze/maze.js"),
                )
            }),
        )
        .route(
            "/static/hedge.svg",
            get(async || {
                html::file("image/svg+xml", include_bytes!("../../assets/maze/hedge.svg"))
            }),
        )
}
