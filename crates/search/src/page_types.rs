//! Which type each page is of, in a few bytes a page. Types are learned and renamed while a site is
//! crawled, long after its blocks were indexed, so they are asked of the store and not kept in the index.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use store::{Catalog, PageNumber, StoreError};

use crate::error::SearchError;
use crate::index::Index;

/// For how long they are not asked for again, unless the index changed.
const FRESH: Duration = Duration::from_secs(30);

/// The types of all pages.
#[derive(Default)]
pub(crate) struct PageTypes {
    names: Vec<String>,
    of_page: HashMap<i64, u32>,
}

pub(crate) struct CachedTypes {
    types: Arc<PageTypes>,
    asked: Instant,
}

impl PageTypes {
    async fn load(catalog: &Catalog) -> Result<Self, StoreError> {
        let mut types = Self::default();
        let mut numbers: HashMap<String, u32> = HashMap::new();
        let mut after = PageNumber(0);
        loop {
            let pages = catalog.types_of_pages(after).await?;
            let Some((last, _)) = pages.last() else { return Ok(types) };
            after = *last;
            for (page, name) in pages {
                let Some(name) = name else { continue };
                let next = types.names.len() as u32;
                let number = *numbers.entry(name.clone()).or_insert(next);
                if number == next {
                    types.names.push(name);
                }
                types.of_page.insert(page.0, number);
            }
        }
    }

    /// The number of a page's type.
    pub(crate) fn of(&self, page: i64) -> Option<u32> {
        self.of_page.get(&page).copied()
    }

    /// The number of a type.
    pub(crate) fn named(&self, name: &str) -> Option<u32> {
        self.names.iter().position(|known| known == name).map(|at| at as u32)
    }

    pub(crate) fn name(&self, number: u32) -> &str {
        self.names.get(number as usize).map_or("", String::as_str)
    }
}

impl Index {
    /// The types of the store's pages, as they are or were a moment ago.
    pub(crate) async fn page_types(
        &self,
        catalog: &Catalog,
    ) -> Result<Arc<PageTypes>, SearchError> {
        let known = self.types.lock().ok().and_then(|known| {
            let known = known.as_ref().filter(|known| known.asked.elapsed() < FRESH)?;
            Some(known.types.clone())
        });
        if let Some(known) = known {
            return Ok(known);
        }
        let types = Arc::new(PageTypes::load(catalog).await?);
        if let Ok(mut known) = self.types.lock() {
            *known = Some(CachedTypes { types: types.clone(), asked: Instant::now() });
        }
        Ok(types)
    }

    /// Asks again next time.
    pub(crate) fn forget_page_types(&self) {
        if let Ok(mut known) = self.types.lock() {
            *known = None;
        }
    }
}
