//! `portal`: the page of seed 003 (figures 1, 2, 6 and 7), a portal of 2007 as java.net was: five
//! blocks at level 1, seven at level 2, seventeen at level 3. Of these exactly five, CC2 to CC6, say
//! something else on the next day of the site's clock; all others stay the same to the byte.
//!
//! Builds with techniques of those years (`inline`, `closures`, `jquery`) lay it out in tables, the
//! others in flexible boxes. It has no scripts.

mod edition;
mod front;
mod shell;
mod truth;
mod words;

use std::sync::Arc;

use axum::Router;
use axum::extract::{Path, State as Shared};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use jiff::civil::Date;
use jiff::tz::TimeZone;

use self::edition::Column;
use self::words::Words;
use crate::names::Names;
use crate::{Build, Clock, Lang, Options, Site, Truth, Visit, html};

/// The site `portal`. [`Options::size`] means nothing to it.
pub struct Portal {
    seed: u64,
    build: Build,
    lang: Lang,
    /// The clock that its truth is of.
    clock: Clock,
    words: &'static Words,
    names: Names,
}

impl Portal {
    /// Writes the portal of this seed and language.
    pub fn generate(options: &Options) -> Self {
        Portal {
            seed: options.seed,
            build: options.build,
            lang: options.lang,
            clock: options.clock,
            words: words::words(options.lang),
            names: Names::new("portal", options.seed, options.build),
        }
    }

    fn has_tables(&self) -> bool {
        matches!(self.build, Build::Inline | Build::Closures | Build::Jquery)
    }

    fn not_found(&self) -> Response {
        let page = self.page("404", &self.single("404", "", &[self.words.missing.to_owned()]));
        (StatusCode::NOT_FOUND, html::page(page)).into_response()
    }
}

impl Site for Portal {
    fn truth(&self) -> Truth {
        self.known_truth()
    }

    fn robots(&self) -> String {
        "User-agent: *\nDisallow: /search\n".to_owned()
    }

    fn router(self: Arc<Self>) -> Router {
        let style = self.names.apply(include_str!("../../assets/portal/style.css"));
        let subscribe = post(async |visit: Visit| {
            visit.change("subscribe", "letter");
            "1"
        });
        Router::new()
            .route(
                "/",
                get(async |portal: Owned, visit: Visit| html::page(portal.front(today(&visit)))),
            )
            .route("/forums/{file}", get(threads))
            .route("/pages/{file}", get(standing))
            .route("/topics/{file}", get(standing))
            .route("/search", get(standing))
            .route("/subscribe", subscribe)
            .route("/{column}/{file}", get(story))
            .route("/static/portal.css", get(async move || html::text_file("text/css", style)))
            .route("/static/{file}", get(picture))
            .fallback(async |portal: Owned| portal.not_found())
            .with_state(self)
    }
}

type Owned = Shared<Arc<Portal>>;

/// The date of the site's clock.
fn today(visit: &Visit) -> Date {
    date_of(visit.now())
}

fn date_of(time: jiff::Timestamp) -> Date {
    time.to_zoned(TimeZone::UTC).date()
}

/// The language that a portal of this one is not in.
fn other(lang: Lang) -> Lang {
    match lang {
        Lang::English => Lang::Chinese,
        Lang::Chinese => Lang::English,
    }
}

/// What marks the path of a text in a language that is not the site's.
fn other_name(lang: Lang) -> &'static str {
    match lang {
        Lang::English => ".en",
        Lang::Chinese => ".zh",
    }
}

async fn story(
    portal: Owned,
    visit: Visit,
    Path((column, file)): Path<(String, String)>,
) -> Response {
    let column = Column::ALL.into_iter().find(|known| known.name() == column);
    let stem = file.strip_suffix(".html").unwrap_or_default();
    let away = other(portal.lang);
    let (stem, lang) = match stem.strip_suffix(other_name(away)) {
        // Only the feature article is translated.
        Some(stem) if column == Some(Column::Article) => (stem, away),
        _ => (stem, portal.lang),
    };
    let (Some(column), Some(date)) = (column, past(stem, &visit)) else {
        return portal.not_found();
    };
    let story = portal.story(column, date, lang);
    let byline = format!("{} {}, {}", portal.words.by, story.author, portal.day(date));
    let content = portal.single(&story.title, &byline, &story.paragraphs);
    html::page(portal.page(&story.title, &content))
}

async fn threads(portal: Owned, visit: Visit, Path(file): Path<String>) -> Response {
    let Some(date) = file.strip_suffix(".html").and_then(|stem| past(stem, &visit)) else {
        return portal.not_found();
    };
    let title = portal.forum_title(date);
    let content = portal.single(&title, "", &[]) + &portal.thread_list(date);
    html::page(portal.page(&title, &content))
}

/// A day that has come by the site's clock.
fn past(text: &str, visit: &Visit) -> Option<Date> {
    text.parse::<Date>().ok().filter(|date| *date <= today(visit) && date.to_string() == text)
}

async fn standing(portal: Owned, visit: Visit) -> Response {
    match portal.standing().into_iter().find(|(path, _)| path == visit.path()) {
        Some((_, name)) => {
            let content = portal.single(name, "", &[portal.about(name)]);
            html::page(portal.page(name, &content))
        }
        None => portal.not_found(),
    }
}

async fn picture(portal: Owned, Path(file): Path<String>) -> Response {
    let sponsor = |number: usize| portal.words.makers.get(number.wrapping_sub(1)).copied();
    let stem = file.strip_suffix(".svg").unwrap_or_default();
    let (width, height, colour, text) = match stem.strip_prefix("maker") {
        Some(number) => match number.parse().ok().and_then(sponsor) {
            Some(maker) => (180, 50, "#8aa9b8", maker),
            None => return portal.not_found(),
        },
        None if stem == "logo" => (160, 40, "#1d4f73", portal.words.site),
        None if stem == "pier" => (120, 80, "#7fb0c9", ""),
        None => return portal.not_found(),
    };
    html::text_file(
        "image/svg+xml",
        format!(
            r##"<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}"><rect width="100%" height="100%" fill="{colour}"/><path d="M0 {height} Q{} {} {width} {height}" fill="#0004"/><text x="50%" y="60%" fill="#fff" font-size="15" text-anchor="middle">{text}</text></svg>"##,
            width / 2,
            height / 3
        ),
    )
}
