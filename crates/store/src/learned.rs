//! What the crawler makes of a site: page types, and whatever else it learned, which the store keeps
//! and does not interpret.

use std::collections::BTreeMap;

use crate::catalog::{Catalog, CatalogWriter};
use crate::error::StoreError;
use crate::graph::edges_of;
use crate::links::links_of;
use crate::model::PageNumber;
use crate::tx::{ToValue, params};

/// Pages that stand for their type.
const SAMPLES: i64 = 5;
/// Pages whose links are looked at together.
const PAGES: usize = 256;

impl CatalogWriter {
    /// Keeps what was learned under `what`, as names with values; a known name gets the new value.
    ///
    /// ```
    /// # use store::CatalogWriter;
    /// # tokio::runtime::Runtime::new().unwrap().block_on(async {
    /// # let dir = tempfile::tempdir().unwrap();
    /// let catalog = CatalogWriter::open(dir.path()).unwrap();
    /// let trap = ("/calendar".to_owned(), r#"{"pages":40}"#.to_owned());
    /// catalog.learn("example.org", "trap", vec![trap.clone()]).await.unwrap();
    /// assert_eq!(catalog.learned("example.org", "trap").await.unwrap(), [trap]);
    /// # });
    /// ```
    ///
    /// # Errors
    /// When the catalog fails; then nothing of it is kept.
    pub async fn learn(
        &self,
        site: &str,
        what: &str,
        rows: Vec<(String, String)>,
    ) -> Result<(), StoreError> {
        let (site, what) = (site.to_owned(), what.to_owned());
        self.engine
            .write(&site.clone(), move |tx| {
                // A name that is given twice has its last value.
                let rows: BTreeMap<_, _> = rows.iter().map(|(name, value)| (name, value)).collect();
                let rows: Vec<_> = rows
                    .iter()
                    .map(|(name, value)| params![site, what, name, value].to_vec())
                    .collect();
                tx.insert(
                    "INSERT INTO learned (site, what, name, value)",
                    &rows,
                    "ON CONFLICT (site, what, name) DO UPDATE SET value = excluded.value",
                )?;
                Ok(())
            })
            .await
    }

    /// Unlearns these names under `what`.
    ///
    /// # Errors
    /// When the catalog fails; then all of them stay.
    pub async fn forget(
        &self,
        site: &str,
        what: &str,
        names: Vec<String>,
    ) -> Result<(), StoreError> {
        let (site, what) = (site.to_owned(), what.to_owned());
        self.engine
            .write(&site.clone(), move |tx| {
                tx.execute_in(
                    "DELETE FROM learned WHERE site = $1 AND what = $2 AND name IN ($list)",
                    params![site, what],
                    &names.iter().map(ToValue::to_value).collect::<Vec<_>>(),
                )?;
                Ok(())
            })
            .await
    }

    /// Gives every page of one type another type. Returns how many there were.
    ///
    /// # Errors
    /// When the catalog fails.
    pub async fn rename_type(&self, site: &str, from: &str, to: &str) -> Result<usize, StoreError> {
        let (site, from, to) = (site.to_owned(), from.to_owned(), to.to_owned());
        self.engine
            .write(&site.clone(), move |tx| {
                let renamed = tx.execute(
                    "UPDATE page SET page_type = $3 WHERE site = $1 AND page_type = $2",
                    params![site, from, to],
                )?;
                Ok(renamed as usize)
            })
            .await
    }

    /// Gives pages other types, after one turned out to be two.
    ///
    /// # Errors
    /// When the catalog fails.
    pub async fn retype(
        &self,
        site: &str,
        pages: Vec<(PageNumber, String)>,
    ) -> Result<(), StoreError> {
        let site = site.to_owned();
        self.engine
            .write(&site.clone(), move |tx| {
                let mut of_type: BTreeMap<&str, Vec<_>> = BTreeMap::new();
                for (page, page_type) in &pages {
                    of_type.entry(page_type).or_default().push(page.to_value());
                }
                for (page_type, pages) in of_type {
                    tx.execute_in(
                        "UPDATE page SET page_type = $2 WHERE site = $1 AND page IN ($list)",
                        params![site, page_type],
                        &pages,
                    )?;
                }
                Ok(())
            })
            .await
    }
}

impl Catalog {
    /// What was learned under `what`, ordered by name.
    ///
    /// # Errors
    /// When the catalog fails.
    pub async fn learned(
        &self,
        site: &str,
        what: &str,
    ) -> Result<Vec<(String, String)>, StoreError> {
        let (site, what) = (site.to_owned(), what.to_owned());
        self.engine
            .read(move |tx| {
                let rows = tx.query(
                    "SELECT name, value FROM learned WHERE site = $1 AND what = $2 ORDER BY name",
                    params![site, what],
                )?;
                rows.iter().map(|row| Ok((row.get(0)?, row.get(1)?))).collect()
            })
            .await
    }

    /// The page types of a site: name, number of captured pages, and its first pages as samples.
    ///
    /// # Errors
    /// When the catalog fails.
    pub async fn types(
        &self,
        site: &str,
    ) -> Result<Vec<(String, i64, Vec<PageNumber>)>, StoreError> {
        let site = site.to_owned();
        self.engine
            .read(move |tx| {
                let rows = tx.query(
                    "SELECT page_type, pages, page FROM
                       (SELECT page_type, page, count(*) OVER (PARTITION BY page_type) AS pages,
                               row_number() OVER (PARTITION BY page_type ORDER BY page) AS nth
                        FROM page
                        WHERE site = $1 AND status = 'captured' AND page_type IS NOT NULL) numbered
                     WHERE nth <= $2 ORDER BY page_type, page",
                    params![site, SAMPLES],
                )?;
                let mut types: Vec<(String, i64, Vec<PageNumber>)> = Vec::new();
                for row in rows {
                    let (name, page): (String, _) = (row.get(0)?, row.get(2)?);
                    match types.last_mut().filter(|last| last.0 == name) {
                        Some((_, _, samples)) => samples.push(page),
                        None => types.push((name, row.get(1)?, vec![page])),
                    }
                }
                Ok(types)
            })
            .await
    }

    /// How many edges lead from one page type to another.
    ///
    /// # Errors
    /// When the catalog fails.
    pub async fn links_between_types(
        &self,
        site: &str,
    ) -> Result<Vec<(String, String, i64)>, StoreError> {
        let site = site.to_owned();
        self.engine
            .read(move |tx| {
                let rows = tx.query(
                    "SELECT page, page_type FROM page WHERE site = $1 AND page_type IS NOT NULL",
                    params![site],
                )?;
                let types: BTreeMap<PageNumber, String> = rows
                    .iter()
                    .map(|row| Ok((row.get(0)?, row.get(1)?)))
                    .collect::<Result<_, StoreError>>()?;
                let pages: Vec<PageNumber> = types.keys().copied().collect();
                let mut counts: BTreeMap<(String, String), i64> = BTreeMap::new();
                for some in pages.chunks(PAGES) {
                    let some = some.iter().copied().collect();
                    let edges = edges_of(tx, &site, &some)?;
                    for edge in edges.into_iter().chain(links_of(tx, &site, &some)?) {
                        let to = edge.to.and_then(|to| types.get(&to));
                        if let (Some(from), Some(to)) = (types.get(&edge.from), to) {
                            *counts.entry((from.clone(), to.clone())).or_default() += 1;
                        }
                    }
                }
                Ok(counts.into_iter().map(|((from, to), count)| (from, to, count)).collect())
            })
            .await
    }
}
