//! What every page for people has around its own content: who reads it, in which language, and where they are.

use std::convert::Infallible;
use std::sync::Arc;

use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use axum::http::{HeaderMap, header};

use super::App;
use super::words::{Language, Words};

/// The frame of a page.
pub struct Frame {
    /// The words of the reader's language.
    pub w: &'static Words,
    /// Its name.
    pub language: Language,
    /// light or dark, if the reader chose one; else the system decides.
    pub theme: &'static str,
    /// The address of this page within the server, to come back to.
    pub here: String,
    /// Its path alone.
    pub path: String,
    /// Whether there is something to log out from.
    pub has_token: bool,
    /// Where archived pages are.
    pub replay: String,
}

impl FromRequestParts<Arc<App>> for Frame {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, app: &Arc<App>) -> Result<Self, Infallible> {
        Ok(Self::of(&parts.headers, &parts.uri, app))
    }
}

impl Frame {
    /// The frame of the page at an address.
    pub fn of(headers: &HeaderMap, uri: &axum::http::Uri, app: &App) -> Self {
        let language = cookie(headers, "bathys_language")
            .and_then(Language::named)
            .or_else(|| Language::wanted(headers.get(header::ACCEPT_LANGUAGE)?.to_str().ok()?))
            .unwrap_or(Language::English);
        let theme = match cookie(headers, "bathys_theme") {
            Some("light") => "light",
            Some("dark") => "dark",
            _ => "",
        };
        Self {
            w: language.words(),
            language,
            theme,
            here: uri.path_and_query().map_or("/".into(), ToString::to_string),
            path: uri.path().to_owned(),
            has_token: app.access.needs_token(),
            replay: app.replay_origin(headers),
        }
    }

    /// Marks the link to the part of the interface that the reader is in.
    pub fn at(&self, part: &str) -> bool {
        match part {
            "/" => self.path == "/" || self.path.starts_with("/site"),
            part => self.path.starts_with(part),
        }
    }
}

/// The value of a cookie.
pub fn cookie<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
    let all = headers.get_all(header::COOKIE).into_iter();
    let mut pairs = all.filter_map(|line| line.to_str().ok()).flat_map(|line| line.split(';'));
    pairs.find_map(|pair| pair.trim().strip_prefix(name)?.strip_prefix('='))
}
