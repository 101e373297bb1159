//! What was learned of a site's records: kept, checked at every visit, and learned anew.

use std::collections::BTreeMap;

use record::{Drift, Field, Fit, Role, Site, Source, Wrapper};
use serde::{Deserialize, Serialize};
use store::Catalog;
use tracing::warn;

use super::Stage;
use super::load::{Loaded, load};
use super::survey::Survey;
use crate::DeriveError;

/// Under what, and by which name, it is kept.
const WHAT: &str = "records";
const NAME: &str = "site";
/// With this many pages of a type, more of them teach nothing new.
const ENOUGH: usize = 8;

/// What was learned of a site's records.
#[derive(Serialize, Deserialize)]
pub struct Learned {
    /// How they are read.
    pub site: Site,
    /// How many pages of each type it was learned from.
    pages: BTreeMap<String, usize>,
    /// Why it was learned anew when it last was, by type.
    pub drift: BTreeMap<String, Vec<String>>,
}

/// What earlier runs learned; `None` if nothing, or in a way that is not known any more.
pub async fn recall(catalog: &Catalog, site: &str) -> Result<Option<Learned>, DeriveError> {
    let rows = catalog.learned(site, WHAT).await?;
    let row = rows.into_iter().find(|(name, _)| name == NAME);
    Ok(row.and_then(|(_, value)| serde_json::from_str(&value).ok()))
}

impl Stage<'_> {
    /// How the records of the site are read: as was learned before, if that still fits what waits.
    pub(super) async fn learn(&self, survey: &Survey) -> Result<Site, DeriveError> {
        let known = recall(&self.catalog, &self.site).await?;
        let drift = match &known {
            Some(known) => self.check(&known.site, survey).await?,
            None => BTreeMap::new(),
        };
        for (page_type, found) in &drift {
            warn!(
                "records of {page_type} of {} are not where they were: {}; learned anew",
                self.site,
                found.join(", ")
            );
        }
        match known {
            Some(known) if drift.is_empty() && !known.is_outgrown(survey) => Ok(known.site),
            known => self.learn_anew(survey, known, drift).await,
        }
    }

    async fn learn_anew(
        &self,
        survey: &Survey,
        known: Option<Learned>,
        drift: BTreeMap<String, Vec<String>>,
    ) -> Result<Site, DeriveError> {
        let loaded = load(&self.catalog, &self.pure, survey.sample()).await?;
        let learn = move || Site::learn(&sources(&loaded));
        let site = self.pure.run(learn).await;
        let site = site.ok_or(DeriveError::Lost("the records of a site could not be learned"))?;
        // What waited for a wrapper is read now, and what was read in the old way is read in the new one,
        // so that all records of a type are alike. Where records have moved, though, a page that was not
        // visited since still has them where they were. All that before it is written down: whatever ends
        // the program, the next run does it again.
        for (page_type, _) in survey.types() {
            let before =
                known.as_ref().map(|known| way(&known.site, page_type)).unwrap_or_default();
            if way(&site, page_type) != before && (before.is_empty() || drift.is_empty()) {
                self.catalog.read_again(&self.site, page_type).await?;
            }
        }
        let pages = survey.types().map(|(name, pages)| (name.to_owned(), pages)).collect();
        let drift = match known {
            Some(known) if drift.is_empty() => known.drift,
            _ => drift,
        };
        let learned = Learned { site, pages, drift };
        let value = serde_json::to_string(&learned).unwrap_or_default();
        self.catalog.learn(&self.site, WHAT, vec![(NAME.into(), value)]).await?;
        Ok(learned.site)
    }

    /// Reads some of what waits, and says what is missing from it, by type.
    async fn check(
        &self,
        site: &Site,
        survey: &Survey,
    ) -> Result<BTreeMap<String, Vec<String>>, DeriveError> {
        let mut drift: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for wrapper in leading(site) {
            let waiting = survey.waiting(&wrapper.page_type);
            let loaded = load(&self.catalog, &self.pure, waiting).await?;
            let site = site.clone();
            let read = move || {
                let mut fit = Fit::default();
                for page in site.records(&sources(&loaded)) {
                    fit.count(&page);
                }
                fit
            };
            let Some(fit) = self.pure.run(read).await else { continue };
            let found: Vec<String> = wrapper.fit.drift(&fit).iter().map(told).collect();
            if !found.is_empty() {
                drift.insert(wrapper.page_type.clone(), found);
            }
        }
        Ok(drift)
    }
}

impl Learned {
    /// What pages of a type are for.
    pub fn role(&self, page_type: &str) -> Role {
        let page_type = self.site.whole(page_type);
        let known = self.site.types.iter().find(|known| known.name == page_type);
        known.map_or(Role::Other, |known| known.role)
    }

    /// How the records of a type are read, the best way first.
    pub fn wrappers<'l>(&'l self, page_type: &'l str) -> impl Iterator<Item = &'l Wrapper> {
        let page_type = self.site.whole(page_type);
        self.site.wrappers.iter().filter(move |wrapper| wrapper.page_type == page_type)
    }

    /// Whether there is much more to learn from than there was.
    fn is_outgrown(&self, survey: &Survey) -> bool {
        survey.types().any(|(name, pages)| match self.pages.get(name) {
            Some(before) => *before < ENOUGH && pages >= 2 * before,
            None => pages > 1,
        })
    }
}

/// In which way the records of a type are read; empty if it holds none.
fn way(site: &Site, page_type: &str) -> Vec<String> {
    let page_type = site.whole(page_type);
    let own = site.wrappers.iter().filter(|of| of.page_type == page_type);
    let fields = |of: &Wrapper| serde_json::to_string(&of.assignment.fields);
    own.map(|of| format!("{} {:?}", of.region, fields(of))).collect()
}

/// The first wrapper of each type; the others fill its gaps.
fn leading(site: &Site) -> impl Iterator<Item = &Wrapper> {
    let mut seen = std::collections::BTreeSet::new();
    site.wrappers.iter().filter(move |wrapper| seen.insert(wrapper.page_type.clone()))
}

fn sources(loaded: &[Loaded]) -> Vec<Source<'_>> {
    loaded.iter().map(Loaded::source).collect()
}

/// What makes a wrapper doubtful, in words.
fn told(drift: &Drift) -> String {
    let percent = |share: &f64| format!("{:.0} %", share * 100.0);
    match drift {
        Drift::Records { was, is } => {
            format!("{} of the pages have records, {} had", percent(is), percent(was))
        }
        Drift::Field { field, was, is } => {
            format!("{} have {}, {} had", percent(is), field_name(*field), percent(was))
        }
    }
}

/// As JSON has it.
pub fn field_name(field: Field) -> String {
    let name = serde_json::to_value(field).ok();
    name.and_then(|name| name.as_str().map(str::to_owned)).unwrap_or_default()
}
