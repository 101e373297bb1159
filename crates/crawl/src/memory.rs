//! What was learned, across runs: written into the catalog now and then, and recollected at the next
//! start. A crawl that is cut off forgets what it learned since the last time, and no page.

use store::StoreError;

use crate::crawler::Context;
use crate::error::CrawlError;
use crate::kinds::About;
use crate::learn::{Class, Learned};

pub(crate) const CLASSES: &str = "class";
const TYPES: &str = "type";
pub(crate) const ABOUT: &str = "about-type";
const TRAPS: &str = "trap";

impl Context {
    /// Takes over what earlier runs learned, then what the user's model says.
    pub(crate) async fn recollect(&self) -> Result<(), CrawlError> {
        for site in &self.sites {
            for (name, value) in self.catalog.learned(site, CLASSES).await? {
                if let (Ok(class), Ok(learned)) =
                    (name.parse::<Class>(), serde_json::from_str::<Learned>(&value))
                {
                    self.with_knowledge(|knowledge| knowledge.remember(class, learned));
                }
            }
            let rows = self.catalog.learned(site, TYPES).await?;
            let rows = rows.iter().filter_map(|(_, value)| serde_json::from_str(value).ok());
            let about = self.catalog.learned(site, ABOUT).await?.into_iter();
            let about = about.filter_map(|(name, value)| {
                Some((name, serde_json::from_str::<About>(&value).ok()?))
            });
            self.kinds.remember(rows.collect(), about.collect());
            for (_, value) in self.catalog.learned(site, TRAPS).await? {
                if let Ok(trap) = serde_json::from_str(&value) {
                    self.traps.end(trap);
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

    /// Writes down what was learned since the last time.
    pub(crate) async fn write_down(&self) -> Result<(), StoreError> {
        let Some(site) = self.sites.first() else { return Ok(()) };
        let classes = self.with_knowledge(|knowledge| knowledge.take_unsaved());
        let classes = classes.iter().map(|(class, learned)| (class.to_string(), json(learned)));
        self.catalog.learn(site, CLASSES, classes.collect()).await?;
        let (rows, about) = self.kinds.rows();
        let rows = rows.iter().map(|row| (row.name.clone(), json(row)));
        self.catalog.learn(site, TYPES, rows.collect()).await?;
        let about = about.iter().map(|(name, about)| (name.clone(), json(about)));
        self.catalog.learn(site, ABOUT, about.collect()).await?;
        let traps = self.traps.ended();
        let traps = traps.iter().map(|trap| (trap.what.clone(), json(trap)));
        self.catalog.learn(site, TRAPS, traps.collect()).await
    }
}

fn json(value: &impl serde::Serialize) -> String {
    serde_json::to_string(value).unwrap_or_default()
}
