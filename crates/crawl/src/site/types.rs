//! What is known of a site's page types, for a person who asks: read from the catalog alone.

use std::collections::BTreeMap;

use record::{Role, View};
use serde::Serialize;
use store::{Catalog, PageNumber};

use crate::error::CrawlError;
use crate::learn::{Class, Learned};
use crate::site::beliefs::{Doubt, all_doubts};
use crate::site::memory::CLASSES;
use crate::site::model::PatternModel;
use derive::{LearnedWrappers, field_name, recall_wrappers};
use derive::{TYPE_KNOWLEDGE, TypeKnowledge};

/// A page type of a site.
#[derive(Clone, Debug, Serialize)]
pub struct TypeReport {
    /// The site.
    pub site: String,
    /// The type's name.
    #[serde(rename = "type")]
    pub name: String,
    /// Captured pages.
    pub pages: i64,
    /// Some of them.
    pub samples: Vec<TypeSample>,
    /// What such pages are for: list, thread, user, item or other.
    pub role: Role,
    /// Whether a browser is needed for them.
    pub rendered: bool,
    /// Why.
    pub rendered_because: String,
    /// How records are read from them, once that is known.
    pub wrapper: Option<WrapperReport>,
    /// What was learned of their events and links, what brought most first.
    pub patterns: Vec<Pattern>,
    /// What is believed of them and deferred steps, what may cost most first.
    pub claims: Vec<Doubt>,
    /// The types that they lead to, by links or events.
    pub links_to: Vec<String>,
    /// How many links and events lead to each of these.
    pub links: BTreeMap<String, i64>,
}

/// How records are read from the pages of a type.
#[derive(Clone, Debug, Serialize)]
pub struct WrapperReport {
    /// thread, post or item.
    pub kind: &'static str,
    /// Which tree of a page is read, the best first: what a browser made of it, or what the server sent.
    pub views: Vec<View>,
    /// Where the records are.
    pub region: String,
    /// Where the fields are in a record, by name; of several places the first that holds something.
    pub fields: BTreeMap<String, Vec<String>>,
    /// Pages that it was learned from.
    pub pages: usize,
    /// Records on these.
    pub records: usize,
    /// The share of these that each field was found in.
    pub coverage: BTreeMap<String, f64>,
    /// Why it was learned anew when it last was: what pages did not have any more.
    pub drift: Vec<String>,
}

/// A page that stands for its type.
#[derive(Clone, Debug, Serialize)]
pub struct TypeSample {
    /// Its number.
    pub page: PageNumber,
    /// Its key.
    pub key: String,
}

/// A class of events or links, and what it is worth.
#[derive(Clone, Debug, Serialize)]
pub struct Pattern {
    /// As a model has it.
    #[serde(flatten)]
    pub pattern: PatternModel,
    /// Members that changed the page or led elsewhere.
    pub effective: u32,
    /// Members that were not fired, because of what is known of the others.
    pub skipped: u32,
    /// What its states follow each other like, if they do.
    pub sequence: Option<Sequence>,
}

/// States that one class of events leads through.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Sequence {
    /// Each takes the place of the one before: a pager.
    Turns,
    /// Each shows the one before and more: load more, endless scrolling.
    Grows,
}

/// The page types of a site that a crawl has learned.
///
/// ```
/// # tokio::runtime::Runtime::new().unwrap().block_on(async {
/// # let dir = tempfile::tempdir().unwrap();
/// # store::CatalogWriter::open(dir.path()).unwrap();
/// let catalog = store::Catalog::open(dir.path()).unwrap();
/// for known in crawl::types(&catalog, "example.org").await.unwrap() {
///     println!("{}: {} pages", known.name, known.pages);
/// }
/// # });
/// ```
///
/// # Errors
/// When the catalog fails.
pub async fn types(catalog: &Catalog, site: &str) -> Result<Vec<TypeReport>, CrawlError> {
    let mut about = type_knowledge(catalog, site).await?;
    let plain = catalog.plain_documents(site).await?;
    let mut patterns: BTreeMap<String, Vec<Pattern>> = BTreeMap::new();
    for (name, value) in catalog.learned(site, CLASSES).await? {
        if let (Ok(class), Ok(learned)) =
            (name.parse::<Class>(), serde_json::from_str::<Learned>(&value))
        {
            let of = patterns.entry(class.page_type.to_string()).or_default();
            of.push(Pattern::of(&class, &learned));
        }
    }
    let mut links: BTreeMap<String, BTreeMap<String, i64>> = BTreeMap::new();
    for (from, to, count) in catalog.links_between_types(site).await? {
        links.entry(from).or_default().insert(to, count);
    }
    let mut claims: BTreeMap<String, Vec<Doubt>> = BTreeMap::new();
    for doubt in all_doubts(catalog, site).await? {
        claims.entry(doubt.page_type.clone()).or_default().push(doubt);
    }
    let records = recall_wrappers(catalog, site).await?;
    let mut reports = Vec::new();
    for (name, pages, samples) in catalog.types(site).await? {
        let about = about.remove(&name).unwrap_or_default();
        let plain = plain.get(&name).copied().unwrap_or_default();
        let links = links.remove(&name).unwrap_or_default();
        let mut patterns = patterns.remove(&name).unwrap_or_default();
        patterns.sort_by(|a, b| b.rank().cmp(&a.rank()));
        reports.push(TypeReport {
            site: site.to_owned(),
            pages,
            samples: named(catalog, samples).await?,
            role: records.as_ref().map_or(Role::Other, |learned| learned.role(&name)),
            rendered: plain == 0,
            rendered_because: about.rendering(plain),
            wrapper: records.as_ref().and_then(|learned| WrapperReport::of(learned, &name)),
            patterns,
            claims: claims.remove(&name).unwrap_or_default(),
            links_to: links.keys().cloned().collect(),
            links,
            name,
        });
    }
    reports.sort_by(|a, b| b.pages.cmp(&a.pages).then(a.name.cmp(&b.name)));
    Ok(reports)
}

/// What is known of each page type of a site.
pub(crate) async fn type_knowledge(
    catalog: &Catalog,
    site: &str,
) -> Result<BTreeMap<String, TypeKnowledge>, CrawlError> {
    let rows = catalog.learned(site, TYPE_KNOWLEDGE).await?.into_iter();
    Ok(rows.filter_map(|(name, value)| Some((name, serde_json::from_str(&value).ok()?))).collect())
}

async fn named(catalog: &Catalog, pages: Vec<PageNumber>) -> Result<Vec<TypeSample>, CrawlError> {
    let mut samples = Vec::new();
    for page in pages {
        if let Some(row) = catalog.find(&page.to_string()).await? {
            samples.push(TypeSample { page, key: row.key });
        }
    }
    Ok(samples)
}

impl WrapperReport {
    fn of(learned: &LearnedWrappers, page_type: &str) -> Option<Self> {
        let mut wrappers = learned.wrappers(page_type);
        let leads = wrappers.next()?;
        let share = |filled: usize| filled as f64 / leads.fit.records.max(1) as f64;
        let places = |selectors: &Vec<_>| selectors.iter().map(ToString::to_string).collect();
        let fields = leads.assignment.fields.iter();
        let filled = leads.fit.filled.iter();
        Some(Self {
            kind: leads.kind().name(),
            views: std::iter::once(leads.view).chain(wrappers.map(|other| other.view)).collect(),
            region: leads.region.to_string(),
            fields: fields.map(|(field, of)| (field_name(*field), places(of))).collect(),
            pages: leads.fit.pages,
            records: leads.fit.records,
            coverage: filled.map(|(field, filled)| (field_name(*field), share(*filled))).collect(),
            drift: learned.drift.get(page_type).cloned().unwrap_or_default(),
        })
    }
}

impl Pattern {
    fn of(class: &Class, learned: &Learned) -> Self {
        Self {
            pattern: PatternModel::of(class, learned, |_| true),
            effective: learned.effective,
            skipped: learned.skipped,
            sequence: match (learned.chained, learned.grown) {
                (0, _) => None,
                (chained, grown) if grown >= chained => Some(Sequence::Grows),
                _ => Some(Sequence::Turns),
            },
        }
    }

    /// What brought most comes first; what is alike comes in the order of its place.
    fn rank(&self) -> (u32, u32, u32, std::cmp::Reverse<(&str, &str, &str)>) {
        let PatternModel { new, support, event, xpath, handler, .. } = &self.pattern;
        (*new, self.effective, *support, std::cmp::Reverse((event, xpath, handler)))
    }
}
