//! What was learned, across runs: written into the catalog now and then, and recollected at the next
//! start. A crawl that is cut off forgets what it learned since the last time, and no page.

use page::types::Shape;
use store::{Catalog, PageNumber, StoreError};
use url::Url;

use crate::error::CrawlError;
use crate::learn::trap::Traps;
use crate::learn::{Class, Knowledge, Learned};
use crate::site::SiteCrawl;
use derive::{recall_types, write_types};

pub(crate) const CLASSES: &str = "class";
const TRAPS: &str = "trap";
const ALIASES: &str = "alias";

impl SiteCrawl {
    /// Takes over what earlier runs learned, then what the user's model says.
    pub(crate) async fn recollect(&self) -> Result<(), CrawlError> {
        let site = &self.site;
        let mut knowledge = Knowledge::default();
        recall_classes(&self.catalog, site, &mut knowledge).await?;
        self.with_knowledge(|known| *known = knowledge);
        recall_types(&self.catalog, site, &self.page_types).await?;
        if !self.settings.ignore_traps {
            recall_traps(&self.catalog, site, &self.traps).await?;
        }
        if let Some(model) = &self.settings.model {
            self.with_knowledge(|knowledge| model.teach(&self.page_types, knowledge));
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
        let parted = self.page_types.take_parted();
        let mut after = PageNumber(0);
        while !parted.is_empty() {
            let rows = self.catalog.pages(after).await?;
            let Some(last) = rows.last() else { break };
            after = last.page;
            for row in rows {
                if row.site != self.site {
                    continue;
                }
                if !row.page_type.as_ref().is_some_and(|page_type| parted.contains(page_type)) {
                    continue;
                }
                let (Some(dom), Ok(url)) = (self.kept_tree(row.page).await?, Url::parse(&row.url))
                else {
                    continue;
                };
                let shape = Shape::by(self.page_types.method(), &dom);
                let now = self.page_types.type_now(&shape, &url);
                if let Some(now) = now.filter(|now| row.page_type.as_ref() != Some(now)) {
                    self.catalog.retype(&row.site, vec![(row.page, now)]).await?;
                }
            }
        }
        Ok(())
    }

    /// Writes down what was learned of classes since the last time. When it returns, all that was learned
    /// before it was called is on disk, whoever wrote it.
    pub(crate) async fn write_classes(&self) -> Result<(), StoreError> {
        let _one_at_a_time = self.writing.lock().await;
        let site = &self.site;
        let classes = self.with_knowledge(|knowledge| knowledge.take_unsaved());
        let classes: Vec<_> =
            classes.iter().map(|(class, learned)| (class.to_string(), json(learned))).collect();
        if !classes.is_empty() {
            self.catalog.learn(site, CLASSES, classes).await?;
        }
        let gone = self.with_knowledge(|knowledge| knowledge.take_gone());
        let gone: Vec<_> = gone.iter().map(ToString::to_string).collect();
        if !gone.is_empty() {
            self.catalog.forget(site, CLASSES, gone).await?;
        }
        Ok(())
    }

    /// Writes down what was learned since the last time.
    pub(crate) async fn write_down(&self) -> Result<(), StoreError> {
        self.write_classes().await?;
        let site = &self.site;
        write_types(&self.catalog, site, &self.page_types).await?;
        let reopened = self.traps.take_reopened();
        if !reopened.is_empty() {
            self.catalog.forget(site, TRAPS, reopened).await?;
        }
        let traps = self.traps.series();
        let traps = traps.iter().map(|trap| (trap.what.clone(), json(trap)));
        self.catalog.learn(site, TRAPS, traps.collect()).await?;
        let habits = self.traps.habits();
        let habits = habits.iter().map(|(shape, habit)| (shape.clone(), json(habit)));
        self.catalog.learn(site, ALIASES, habits.collect()).await
    }
}

/// What is kept of the classes of a site.
pub(crate) async fn recall_classes(
    catalog: &Catalog,
    site: &str,
    knowledge: &mut Knowledge,
) -> Result<(), StoreError> {
    for (name, value) in catalog.learned(site, CLASSES).await? {
        if let (Ok(class), Ok(learned)) =
            (name.parse::<Class>(), serde_json::from_str::<Learned>(&value))
        {
            knowledge.remember(class, learned);
        }
    }
    Ok(())
}

/// What is kept of the series and shapes of addresses of a site.
pub(crate) async fn recall_traps(
    catalog: &Catalog,
    site: &str,
    traps: &Traps,
) -> Result<(), StoreError> {
    for (_, value) in catalog.learned(site, TRAPS).await? {
        if let Ok(trap) = serde_json::from_str(&value) {
            traps.end(trap);
        }
    }
    for (shape, value) in catalog.learned(site, ALIASES).await? {
        if let Ok(habit) = serde_json::from_str(&value) {
            traps.remember(shape, habit);
        }
    }
    Ok(())
}

fn json(value: &impl serde::Serialize) -> String {
    serde_json::to_string(value).unwrap_or_default()
}
