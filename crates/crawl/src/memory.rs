//! What was learned, across runs: written into the catalog now and then, and recollected at the next
//! start. A crawl that is cut off forgets what it learned since the last time, and no page.

use page::types::Shape;
use store::{Catalog, PageNumber, StoreError};
use url::Url;

use crate::crawler::Context;
use crate::error::CrawlError;
use crate::kinds::{About, Kinds};
use crate::learn::{Class, Learned};

pub(crate) const CLASSES: &str = "class";
const TYPES: &str = "type";
pub(crate) const ABOUT: &str = "about-type";
const TRAPS: &str = "trap";
const ALIASES: &str = "alias";

impl Context {
    /// Takes over what earlier runs learned, then what the user's model says.
    pub(crate) async fn recollect(&self) -> Result<(), CrawlError> {
        // All sites of a crawl are learned from together, and written down under the first.
        if let Some(site) = self.sites.first() {
            for (name, value) in self.catalog.learned(site, CLASSES).await? {
                if let (Ok(class), Ok(learned)) =
                    (name.parse::<Class>(), serde_json::from_str::<Learned>(&value))
                {
                    self.with_knowledge(|knowledge| knowledge.remember(class, learned));
                }
            }
            recall_types(&self.catalog, site, &self.kinds).await?;
            let traps = match self.settings.ignore_traps {
                true => Vec::new(),
                false => self.catalog.learned(site, TRAPS).await?,
            };
            for (_, value) in traps {
                if let Ok(trap) = serde_json::from_str(&value) {
                    self.traps.end(trap);
                }
            }
            for (shape, value) in self.catalog.learned(site, ALIASES).await? {
                if let Ok(habit) = serde_json::from_str(&value) {
                    self.traps.remember(shape, habit);
                }
            }
        }
        if let Some(model) = &self.settings.model {
            self.with_knowledge(|knowledge| model.teach(&self.kinds, knowledge));
        }
        for wanted in &self.settings.want {
            if !wanted.contains("://") {
                self.want(wanted);
            }
        }
        Ok(())
    }

    /// Gives pages their types anew where a type turned out to be two, so that types do not depend on
    /// the order of visits.
    pub(crate) async fn retype(&self) -> Result<(), CrawlError> {
        let parted = self.kinds.take_parted();
        let mut after = PageNumber(0);
        while !parted.is_empty() {
            let rows = self.catalog.pages(after).await?;
            let Some(last) = rows.last() else { break };
            after = last.page;
            for row in rows {
                if !row.page_type.as_ref().is_some_and(|page_type| parted.contains(page_type)) {
                    continue;
                }
                let (Some(dom), Ok(url)) = (self.kept_tree(row.page).await?, Url::parse(&row.url))
                else {
                    continue;
                };
                let now = self.kinds.type_now(&Shape::of(&dom), &url);
                if let Some(now) = now.filter(|now| row.page_type.as_ref() != Some(now)) {
                    self.catalog.retype(&row.site, vec![(row.page, now)]).await?;
                }
            }
        }
        Ok(())
    }

    /// Writes down what was learned since the last time.
    pub(crate) async fn write_down(&self) -> Result<(), StoreError> {
        let Some(site) = self.sites.first() else { return Ok(()) };
        let classes = self.with_knowledge(|knowledge| knowledge.take_unsaved());
        let classes = classes.iter().map(|(class, learned)| (class.to_string(), json(learned)));
        self.catalog.learn(site, CLASSES, classes.collect()).await?;
        let gone = self.with_knowledge(|knowledge| knowledge.take_gone());
        let gone = gone.iter().map(ToString::to_string).collect();
        self.catalog.forget(site, CLASSES, gone).await?;
        write_types(&self.catalog, site, &self.kinds).await?;
        let traps = self.traps.series();
        let traps = traps.iter().map(|trap| (trap.what.clone(), json(trap)));
        self.catalog.learn(site, TRAPS, traps.collect()).await?;
        let habits = self.traps.habits();
        let habits = habits.iter().map(|(shape, habit)| (shape.clone(), json(habit)));
        self.catalog.learn(site, ALIASES, habits.collect()).await
    }
}

/// Takes over the page types of a site.
pub(crate) async fn recall_types(
    catalog: &Catalog,
    site: &str,
    kinds: &Kinds,
) -> Result<(), StoreError> {
    let rows = catalog.learned(site, TYPES).await?;
    let rows = rows.iter().filter_map(|(_, value)| serde_json::from_str(value).ok());
    let about = catalog.learned(site, ABOUT).await?.into_iter();
    let about =
        about.filter_map(|(name, value)| Some((name, serde_json::from_str::<About>(&value).ok()?)));
    kinds.remember(rows.collect(), about.collect());
    Ok(())
}

/// Writes the page types of a site down.
pub(crate) async fn write_types(
    catalog: &Catalog,
    site: &str,
    kinds: &Kinds,
) -> Result<(), StoreError> {
    let (rows, about) = kinds.rows();
    let rows: Vec<(String, String)> =
        rows.iter().map(|row| (row.name.clone(), json(row))).collect();
    let known = catalog.learned(site, TYPES).await?;
    let is_gone = |name: &String| !rows.iter().any(|(now, _)| now == name);
    let gone = known.into_iter().map(|(name, _)| name).filter(is_gone).collect();
    catalog.forget(site, TYPES, gone).await?;
    catalog.learn(site, TYPES, rows).await?;
    let about = about.iter().map(|(name, about)| (name.clone(), json(about)));
    catalog.learn(site, ABOUT, about.collect()).await
}

fn json(value: &impl serde::Serialize) -> String {
    serde_json::to_string(value).unwrap_or_default()
}
