//! Draws a kept page in a real browser, with its blocks on it.
//!
//! The page comes from memory and so does all that it asks for: nothing is sent anywhere, and none
//! of its scripts run. What was captured is what they had made of it.

mod gate;
mod mark;
mod stored;

use std::sync::Arc;

use browser::{Browser, Detail, HIGHEST_PICTURE, LaunchError, LaunchOptions, OpenError};
use browser::{Tab, TabError, TabOptions, Walk};
use url::Url;

pub use gate::{Answers, Nothing};
pub use mark::{Colour, Mark, Place, Places};
pub use stored::Stored;

use gate::Replay;

/// Marks of one picture; more would hide the page.
const MOST_MARKS: usize = 5_000;

const DRAW: &str = include_str!("draw.js");

/// A page as it was kept.
#[derive(Clone, Debug)]
pub struct Kept {
    url: Url,
    content_type: String,
    html: Vec<u8>,
}

impl Kept {
    /// A response as it came, with its Content-Type header. Read as HTML in the encoding that our
    /// own parser reads it in, so that the browser has the same tree.
    pub fn response(url: Url, html: Vec<u8>, content_type: Option<&str>) -> Self {
        let (encoding, _) = page::tree::charset::encoding_of(&html, content_type);
        Self { url, content_type: format!("text/html; charset={}", encoding.name()), html }
    }

    /// A snapshot.
    pub fn snapshot(url: Url, snapshot: Vec<u8>) -> Self {
        Self { url, content_type: "text/html; charset=utf-8".to_owned(), html: snapshot }
    }
}

/// Why a page cannot be drawn.
#[derive(Debug, thiserror::Error)]
pub enum PictureError {
    /// No browser could be started.
    #[error(transparent)]
    Launch(#[from] LaunchError),
    /// No tab could be opened.
    #[error(transparent)]
    Open(#[from] OpenError),
    /// The browser failed at this page.
    #[error("cannot draw {url}: {reason}; look at it as html instead")]
    Draw {
        /// The page.
        url: String,
        /// What happened.
        reason: TabError,
    },
}

/// A browser without a network, for drawing.
///
/// ```no_run
/// # async fn example() -> Result<(), Box<dyn std::error::Error>> {
/// use std::sync::Arc;
/// use crawl::picture::{Kept, Nothing, Studio};
///
/// let studio = Studio::open().await?;
/// let html = b"<h1>Hello</h1>".to_vec();
/// let page = Kept::response("http://example.org/".parse()?, html, None);
/// let sitting = studio.show(page, Arc::new(Nothing)).await?;
/// std::fs::write("page.png", sitting.draw(&[]).await?)?;
/// studio.close().await;
/// # Ok(()) }
/// ```
pub struct Studio {
    browser: Browser,
}

impl Studio {
    /// Starts the browser.
    ///
    /// # Errors
    /// When there is none.
    pub async fn open() -> Result<Self, PictureError> {
        // Not everything waits at the gate: connections that markup asks for ahead of time do not.
        // A proxy at a port where nobody listens ends those.
        let nowhere = ([127, 0, 0, 1], 1).into();
        // Nobody scrolls: what a page loads only when it comes into view is loaded at once.
        let eager = "--blink-settings=lazyLoadEnabled=false".to_owned();
        let options = LaunchOptions {
            proxy: Some(nowhere),
            switches: vec![eager],
            ..LaunchOptions::default()
        };
        Ok(Self { browser: Browser::launch(options).await? })
    }

    /// Loads a page; `answers` has what else it asks for.
    ///
    /// # Errors
    /// When the browser fails.
    pub async fn show(
        &self,
        page: Kept,
        answers: Arc<dyn Answers>,
    ) -> Result<Sitting, PictureError> {
        let url = page.url.clone();
        let gate = Arc::new(Replay::new(page, answers));
        let options =
            TabOptions { gate: Some(gate), without_bodies: true, ..TabOptions::default() };
        let tab = self.browser.tab(options).await?;
        let mut sitting = Sitting { tab, url: url.clone() };
        match sitting.tab.navigate(&url).await {
            Ok(_) => Ok(sitting),
            Err(reason) => Err(sitting.failed(reason)),
        }
    }

    /// Ends the browser.
    pub async fn close(self) {
        self.browser.close().await;
    }
}

/// A page that is loaded, to be looked at.
pub struct Sitting {
    tab: Tab,
    url: Url,
}

impl Sitting {
    /// Its tree as the browser has it, and how its elements look.
    ///
    /// # Errors
    /// When the browser fails.
    pub async fn walk(&self) -> Result<Walk, PictureError> {
        self.tab.walk_with(Detail::Boxes).await.map_err(|reason| self.failed(reason))
    }

    /// A picture of the whole page as PNG, with these marks on it and, below it, what their colours
    /// mean. Of very many marks the first 5,000 are drawn. Marks stay: draw once.
    ///
    /// # Errors
    /// When the browser fails.
    pub async fn draw(&self, marks: &[Mark]) -> Result<Vec<u8>, PictureError> {
        let drawn = async {
            let marks = marks.get(..MOST_MARKS).unwrap_or(marks);
            if !marks.is_empty() {
                let legend = mark::legend(marks);
                let arguments = serde_json::json!([marks, legend, HIGHEST_PICTURE]);
                let _: u32 = self.tab.evaluate(&format!("{}(...{arguments})", DRAW.trim())).await?;
            }
            self.tab.screenshot(true).await
        };
        drawn.await.map_err(|reason| self.failed(reason))
    }

    /// Closes the page.
    pub async fn close(self) {
        self.tab.close().await;
    }

    fn failed(&self, reason: TabError) -> PictureError {
        PictureError::Draw { url: self.url.to_string(), reason }
    }
}
