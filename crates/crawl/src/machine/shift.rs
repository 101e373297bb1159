//! One of many crawlers on a shared store: it takes sites that nobody else works on, some at a time,
//! until nothing is left of any.

use std::sync::Arc;

use page::state::url::Site;
use store::{CatalogWriter, StoreError};

use super::{Crawl, sites_of};
use crate::error::CrawlError;
use crate::settings::Settings;

/// What one of many crawlers finds to do.
pub enum Shift {
    /// This: it holds as many sites as it has tabs, or what there are.
    Crawl(Box<Crawl>),
    /// Nothing now. Others work on what is left; should one of them die, its sites become free.
    Others,
    /// Nothing any more.
    Done,
}

impl Shift {
    /// Takes sites of these settings that have something left and that nobody else works on, and sets up
    /// a crawl of them. What was crawled to the end is not begun again.
    ///
    /// ```no_run
    /// # async fn example(settings: crawl::Settings, catalog: std::sync::Arc<store::CatalogWriter>) -> Result<(), Box<dyn std::error::Error>> {
    /// use crawl::Shift;
    ///
    /// loop {
    ///     match Shift::begin(&settings, &catalog).await? {
    ///         Shift::Crawl(crawl) => println!("{} pages", crawl.run().await?.pages),
    ///         Shift::Others => tokio::time::sleep(std::time::Duration::from_secs(1)).await,
    ///         Shift::Done => break,
    ///     }
    /// }
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    /// When a start URL or a pattern cannot be used, or the store fails.
    pub async fn begin(
        settings: &Settings,
        catalog: &Arc<CatalogWriter>,
    ) -> Result<Self, CrawlError> {
        let (mut taken, mut with_others) = (Vec::new(), false);
        for site in sites_of(&settings.start)? {
            if taken.len() == settings.tabs.max(1) || !catalog.is_unfinished(&site).await? {
                continue;
            }
            match catalog.lease(&site).await {
                Err(StoreError::Leased { .. }) => with_others = true,
                // Asked again: whoever had it may have ended it meanwhile.
                Ok(()) if catalog.is_unfinished(&site).await? => taken.push(site),
                Ok(()) => catalog.release(&site).await?,
                Err(error) => return Err(error.into()),
            }
        }
        if taken.is_empty() {
            return Ok(if with_others { Self::Others } else { Self::Done });
        }
        let is_taken = |url: &&url::Url| {
            Site::of(url).is_some_and(|site| taken.iter().any(|taken| taken == site.as_str()))
        };
        let start = settings.start.iter().filter(is_taken).cloned().collect();
        let settings = Settings { start, ..settings.clone() };
        Ok(Self::Crawl(Box::new(Crawl::begin_or_go_on(settings, catalog.clone(), false).await?)))
    }
}
