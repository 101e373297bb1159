//! The pages of a mirror: which there are, which address leads to which, and which doors a page has.

use std::collections::{BTreeMap, HashMap};

use page::state::url::normalise;
use store::{Catalog, EdgeRow, PageNumber, PageRow, PageStatus};
use url::Url;

use crate::PublishError;

/// Steps from a page that was merged or moved to the one that stands for it.
const MOST_STEPS: usize = 16;

/// What is known of the pages of a store.
#[derive(Default)]
pub(crate) struct Atlas {
    /// The pages that get a file, by number.
    pub pages: BTreeMap<PageNumber, PageRow>,
    by_url: HashMap<String, PageNumber>,
    /// Where pages without a file lead: merged, redirected.
    moved: HashMap<PageNumber, PageNumber>,
    doors: HashMap<PageNumber, Vec<EdgeRow>>,
    /// The page that was explored for all pages of the same content.
    explored: HashMap<(String, String), PageNumber>,
}

impl Atlas {
    pub(crate) async fn read(catalog: &Catalog) -> Result<Self, PublishError> {
        let mut atlas = Self::default();
        let mut after = PageNumber(0);
        loop {
            let rows = catalog.pages(after).await?;
            let Some(last) = rows.last() else { break };
            after = last.page;
            rows.into_iter().for_each(|row| atlas.add_page(row));
        }
        after = PageNumber(0);
        loop {
            let rows = catalog.edges(after).await?;
            let Some(last) = rows.last() else { break };
            after = last.from;
            rows.into_iter().for_each(|edge| atlas.add_edge(edge));
        }
        for (number, row) in &atlas.pages {
            if let Some(hash) = &row.content_hash
                && atlas.doors.contains_key(number)
            {
                let same = (row.site.clone(), hash.clone());
                atlas.explored.entry(same).or_insert(*number);
            }
        }
        Ok(atlas)
    }

    fn add_page(&mut self, row: PageRow) {
        if row.path.is_empty() {
            self.by_url.entry(row.url.clone()).or_insert(row.page);
        }
        if let Some(owner) = row.merged_into {
            self.moved.insert(row.page, owner);
        } else if row.condition == PageStatus::Captured {
            self.pages.insert(row.page, row);
        }
    }

    fn add_edge(&mut self, edge: EdgeRow) {
        let Some(to) = edge.to else { return };
        if edge.event == "redirect" {
            self.moved.entry(edge.from).or_insert(to);
            return;
        }
        // A link says by itself where it leads.
        let last = edge.xpath.rsplit('/').next().unwrap_or_default();
        let name = last.split('[').next().unwrap_or_default();
        let is_link = ["a", "area", "link", "meta", "iframe", "frame"].contains(&name);
        if edge.event != "link" || !is_link {
            self.doors.entry(edge.from).or_default().push(edge);
        }
    }

    /// The page with a file that stands for a page.
    pub(crate) fn resolve(&self, page: PageNumber) -> Option<PageNumber> {
        let mut at = page;
        for _ in 0..MOST_STEPS {
            if self.pages.contains_key(&at) {
                return Some(at);
            }
            at = *self.moved.get(&at)?;
        }
        None
    }

    /// The page that an address leads to.
    pub(crate) fn at(&self, url: &Url) -> Option<PageNumber> {
        let number = self.by_url.get(normalise(url.clone()).as_str())?;
        self.resolve(*number)
    }

    /// Whether the address is one that the store has heard of, captured or not.
    pub(crate) fn knows(&self, url: &Url) -> bool {
        self.by_url.contains_key(normalise(url.clone()).as_str())
    }

    /// The edges of a page, or of one with the same content if it was not explored itself.
    pub(crate) fn doors(&self, page: &PageRow) -> &[EdgeRow] {
        let own = self.doors.get(&page.page);
        let same = || {
            let hash = page.content_hash.clone()?;
            self.doors.get(self.explored.get(&(page.site.clone(), hash))?)
        };
        own.or_else(same).map_or(&[], Vec::as_slice)
    }
}

/// The file of a page.
pub(crate) fn file(page: PageNumber) -> String {
    format!("{page}.html")
}
