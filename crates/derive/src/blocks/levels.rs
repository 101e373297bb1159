//! How far pages of a type are cut at their first visit: as those of its pages that have a history are.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use page::block::DEFAULT_LEVEL;
use store::{Catalog, StoreError};

/// The levels of the types of sites, each asked of the store once a run.
#[derive(Default)]
pub struct Levels {
    known: Mutex<HashMap<(String, String), u16>>,
}

impl Levels {
    /// The level of a type of a site.
    ///
    /// # Errors
    /// When the store fails.
    pub async fn of(
        &self,
        catalog: &Catalog,
        site: &str,
        page_type: Option<&str>,
    ) -> Result<u16, StoreError> {
        let Some(page_type) = page_type else { return Ok(DEFAULT_LEVEL) };
        let name = (site.to_owned(), page_type.to_owned());
        let lock = || self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(level) = lock().get(&name) {
            return Ok(*level);
        }
        let learned = catalog.level_of_type(site, page_type).await?;
        let level = learned.and_then(|level| u16::try_from(level).ok()).unwrap_or(DEFAULT_LEVEL);
        lock().insert(name, level);
        Ok(level)
    }
}
