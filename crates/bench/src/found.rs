//! What a crawl of a bundled site has found, against the site's own truth.

use std::collections::BTreeMap;

use page::tree::visible_text;
use store::{Catalog, PageNumber, Which};
use testsite::Truth;

/// What a store holds of a site with known truth.
pub struct Found {
    /// Wanted states of the truth that a captured page shows.
    pub wanted: usize,
    /// Captured pages by their URL and, for those that only events reach, what they show: the order
    /// of discovery names these.
    pub keys: Vec<String>,
    /// States that two event-only pages hold.
    pub twice: usize,
}

impl Found {
    /// Looks through the captured pages of a store.
    ///
    /// # Errors
    /// When the store fails.
    pub async fn in_store(catalog: &Catalog, truth: &Truth) -> anyhow::Result<Self> {
        let mut after = PageNumber(0);
        let mut texts = Vec::new();
        let mut keys = Vec::new();
        let mut owners: BTreeMap<String, usize> = BTreeMap::new();
        loop {
            let rows = catalog.pages(after).await?;
            let Some(last) = rows.last() else { break };
            after = last.page;
            for row in rows.iter().filter(|row| row.condition == store::PageStatus::Captured) {
                if row.path.is_empty() {
                    keys.push(row.url.clone());
                } else {
                    let hash = row.content_hash.clone().unwrap_or_default();
                    keys.push(format!("{} {hash}", row.url));
                    *owners.entry(hash).or_default() += 1;
                }
                let Some(version) = catalog.version(row.page, Which::Latest).await? else {
                    continue;
                };
                let Some(dom) = derive::tree_of(&version) else { continue };
                texts.push(visible_text(&dom));
            }
        }
        let shown = |marker: &str| texts.iter().any(|text| text.contains(marker));
        let wanted = truth.wanted().filter(|state| shown(&state.marker)).count();
        let twice = owners.values().filter(|count| **count > 1).count();
        Ok(Self { wanted, keys, twice })
    }
}
