//! What the crawler makes of a site: page types, and whatever else it learned, which the store keeps
//! and does not interpret.

use rusqlite::params;

use crate::catalog::Catalog;
use crate::error::StoreError;
use crate::model::PageNumber;

/// Pages that stand for their type.
const SAMPLES: i64 = 5;

impl Catalog {
    /// Keeps what was learned under `what`, as names with values; a known name gets the new value.
    ///
    /// ```
    /// # use store::{Access, Catalog};
    /// # tokio::runtime::Runtime::new().unwrap().block_on(async {
    /// # let dir = tempfile::tempdir().unwrap();
    /// let catalog = Catalog::open(dir.path(), Access::Crawl).unwrap();
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
            .write(move |connection| {
                let mut keep = connection.prepare_cached(
                    "INSERT INTO learned (site, what, name, value) VALUES (?1, ?2, ?3, ?4)
                     ON CONFLICT (site, what, name) DO UPDATE SET value = excluded.value",
                )?;
                for (name, value) in &rows {
                    keep.execute([&site, &what, name, value])?;
                }
                Ok(())
            })
            .await
    }

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
            .read(move |connection| {
                let mut question = connection.prepare_cached(
                    "SELECT name, value FROM learned WHERE site = ?1 AND what = ?2 ORDER BY name",
                )?;
                let rows =
                    question.query_map([site, what], |row| Ok((row.get(0)?, row.get(1)?)))?;
                Ok(rows.collect::<Result<_, _>>()?)
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
            .write(move |connection| {
                let mut remove = connection.prepare_cached(
                    "DELETE FROM learned WHERE site = ?1 AND what = ?2 AND name = ?3",
                )?;
                for name in &names {
                    remove.execute([&site, &what, name])?;
                }
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
            .write(move |connection| {
                Ok(connection.execute(
                    "UPDATE page SET page_type = ?3 WHERE site = ?1 AND page_type = ?2",
                    [site, from, to],
                )?)
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
            .write(move |connection| {
                for (page, page_type) in &pages {
                    connection
                        .prepare_cached(
                            "UPDATE page SET page_type = ?3 WHERE site = ?1 AND page = ?2",
                        )?
                        .execute(params![site, page.0, page_type])?;
                }
                Ok(())
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
            .read(move |connection| {
                let mut question = connection.prepare_cached(
                    "SELECT page_type, pages, page FROM
                       (SELECT page_type, page, count(*) OVER (PARTITION BY page_type) AS pages,
                               row_number() OVER (PARTITION BY page_type ORDER BY page) AS nth
                        FROM page
                        WHERE site = ?1 AND status = 'captured' AND page_type IS NOT NULL) numbered
                     WHERE nth <= ?2 ORDER BY page_type, page",
                )?;
                let mut rows = question.query(params![site, SAMPLES])?;
                let mut types: Vec<(String, i64, Vec<PageNumber>)> = Vec::new();
                while let Some(row) = rows.next()? {
                    let (name, page): (String, _) = (row.get(0)?, PageNumber(row.get(2)?));
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
            .read(move |connection| {
                let mut question = connection.prepare_cached(
                    "SELECT f.page_type, t.page_type, count(*) FROM edge e
                     JOIN page f ON f.site = e.site AND f.page = e.page
                     JOIN page t ON t.site = e.site AND t.page = e.target
                     WHERE e.site = ?1 AND f.page_type IS NOT NULL AND t.page_type IS NOT NULL
                     GROUP BY f.page_type, t.page_type ORDER BY f.page_type, t.page_type",
                )?;
                let rows = question
                    .query_map([site], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?;
                Ok(rows.collect::<Result<_, _>>()?)
            })
            .await
    }
}
