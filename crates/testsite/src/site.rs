//! What a site is to the server.

use std::sync::Arc;

use axum::Router;

use crate::living::Living;
use crate::options::named;
use crate::{Bbs, Blog, Forum, Hostile, Jobs, Maze, News, Options, Portal, Truth};

/// A site that can be served. Its routes are an ordinary router; the handlers take a
/// [`Visit`](crate::Visit) for the time, for volatile parts, and to report state changes.
pub trait Site: Send + Sync + 'static {
    /// What a perfect crawl finds.
    fn truth(&self) -> Truth;

    /// Where a crawl begins, as the truth says it.
    fn entry(&self) -> String {
        "/".to_owned()
    }

    /// The pages, scripts and endpoints. `/robots.txt` and the paths that begin with `/__` are
    /// added by the server.
    fn router(self: Arc<Self>) -> Router;

    /// The text of `/robots.txt`.
    fn robots(&self) -> String {
        "User-agent: *\nDisallow:\n".to_owned()
    }
}

named! {
    /// The sites of this crate.
    SiteKind, "site", {
        /// A news site whose comments are paged by scripts under one URL.
        News = "news",
        /// A forum whose lists and threads are paged by scripts, among many pages of low value.
        Bbs = "bbs",
        /// A blog whose articles have further pages of comments under one URL.
        Blog = "blog",
        /// A site with one section for each behaviour that leads crawlers astray.
        Maze = "maze",
        /// One page for each attack on a crawler.
        Hostile = "hostile",
        /// A portal whose front page is made of known blocks, five of which change by the day.
        Portal = "portal",
        /// A forum in one of many templates, with the tables that its pages are made from.
        Forum = "forum",
        /// Offers of work in a database behind a form, with forms beside it that change something.
        Jobs = "jobs",
    }
}

impl SiteKind {
    /// Generates the site.
    pub fn generate(self, options: &Options) -> Arc<dyn Site> {
        match self {
            SiteKind::News => Living::new(options, |options| Arc::new(News::generate(options))),
            SiteKind::Bbs => Living::new(options, |options| Arc::new(Bbs::generate(options))),
            SiteKind::Blog => Arc::new(Blog::generate(options)),
            SiteKind::Maze => Arc::new(Maze::generate(options)),
            SiteKind::Hostile => Arc::new(Hostile::generate(options)),
            SiteKind::Portal => Arc::new(Portal::generate(options)),
            SiteKind::Forum => Arc::new(Forum::generate(options)),
            SiteKind::Jobs => Arc::new(Jobs::generate(options)),
        }
    }
}
