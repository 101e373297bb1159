//! Pages and versions as a person names them: by key, URL or number, with `@TIME` or `@v3` behind.

use anyhow::{Context, bail};
use store::{Catalog, Millis, PageRow, VersionRow, Which};

use crate::hint::refusal;

/// A page of the store, and which version of it is meant.
pub struct Address {
    pub page: PageRow,
    /// As it was asked for; the latest if nothing was.
    pub which: Which,
}

impl Address {
    /// Finds what `KEY[@TIME]` names.
    pub async fn find(catalog: &Catalog, name: &str) -> anyhow::Result<Self> {
        // A key may itself hold an @, so the whole is tried first.
        if let Some(page) = page(catalog, name).await? {
            return Ok(Self { page, which: Which::Latest });
        }
        let (key, which) = split(name);
        match page(catalog, key).await? {
            Some(page) => Ok(Self { page, which }),
            None => bail!("no page {name}; 'bathys pages' lists those that are known"),
        }
    }

    /// The version that is meant.
    pub async fn version(&self, catalog: &Catalog) -> anyhow::Result<VersionRow> {
        self.version_at(catalog, self.which).await
    }

    /// Another version of the page.
    pub async fn version_at(&self, catalog: &Catalog, which: Which) -> anyhow::Result<VersionRow> {
        let version = catalog.version(self.page.page, which).await?;
        version.with_context(|| self.nothing_kept(which))
    }

    /// Why a page that is known cannot be shown.
    fn nothing_kept(&self, which: Which) -> String {
        let PageRow { page, condition, error, versions, first_seen, .. } = &self.page;
        match (condition.as_str(), which) {
            (_, Which::At(_)) if *versions > 0 => {
                format!(
                    "page {page} has no version of that time; it was first seen at {first_seen}"
                )
            }
            (_, Which::Number(number)) if *versions > 0 => format!(
                "page {page} has no version {number}; 'bathys log {page}' lists its {versions}"
            ),
            ("queued", _) => format!("page {page} is not visited yet; run 'bathys crawl' again"),
            (condition, _) => format!(
                "page {page} has nothing to show ({condition}{}{}); 'bathys graph' says what leads to it",
                if error.is_some() { ": " } else { "" },
                error.as_deref().map(refusal).unwrap_or_default()
            ),
        }
    }
}

/// A page by key or number, or by a URL as a person types it.
pub async fn page(catalog: &Catalog, name: &str) -> anyhow::Result<Option<PageRow>> {
    if let Some(row) = catalog.find(name).await? {
        return Ok(Some(row));
    }
    match url::Url::parse(name) {
        Ok(url) => Ok(catalog.find(page::state::url::normalise(url).as_str()).await?),
        Err(_) => Ok(None),
    }
}

/// Splits `KEY@TIME` where what follows the last @ is a time, a date, or a version as `v3`.
fn split(name: &str) -> (&str, Which) {
    let Some((key, at)) = name.rsplit_once('@') else { return (name, Which::Latest) };
    match which(at) {
        Some(which) => (key, which),
        None => (name, Which::Latest),
    }
}

/// A version as it is asked for: a time, a date, or a number as `v3`.
pub fn which(text: &str) -> Option<Which> {
    if let Some(number) = text.strip_prefix('v') {
        return number.parse().ok().map(Which::Number);
    }
    let instant = text.parse::<jiff::Timestamp>().ok().or_else(|| {
        // A date stands for its end: what was current on that day.
        let day = text.parse::<jiff::civil::Date>().ok()?;
        let end = day.at(23, 59, 59, 999_000_000).to_zoned(jiff::tz::TimeZone::UTC).ok()?;
        Some(end.timestamp())
    });
    instant.map(|instant| Which::At(Millis(instant.as_millisecond())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_at_sign_is_a_time_only_when_a_time_follows() {
        assert_eq!(split("https://example.org/@me"), ("https://example.org/@me", Which::Latest));
        let time = |which| match which {
            Which::At(time) => time.to_string(),
            other => format!("{other:?}"),
        };
        let (key, which) = split("https://example.org/@me@2026-01-31");
        assert_eq!(key, "https://example.org/@me");
        assert_eq!(time(which), "2026-01-31T23:59:59.999Z");
        assert_eq!(time(split("12@2026-01-31T10:00:00Z").1), "2026-01-31T10:00:00.000Z");
        assert_eq!(split("12@v3"), ("12", Which::Number(3)));
    }
}
