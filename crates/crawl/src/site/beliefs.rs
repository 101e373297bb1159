//! What a site's claims deferred, what may be missed because of it, and whether that is little enough for
//! the crawl to be over.

use std::collections::BTreeMap;

use derive::{BY_TYPE, TypeKnowledge};
use page::state::url::shape;
use serde::Serialize;
use store::{Catalog, Deferred, StoreError};
use url::Url;

use crate::error::CrawlError;
use crate::learn::claim::{Evidence, Risk, audits};
use crate::learn::trap::{DRY_PAGES, Held, Traps};
use crate::learn::{Claim, Class, Knowledge, Priors, evidence};
use crate::site::SiteCrawl;
use crate::site::memory::{recall_classes, recall_traps};
use crate::site::types::type_knowledge;

/// Which steps are audited does not depend on chance: they are drawn by this.
const SEED: u64 = 1;
/// Claims that a summary names.
const NAMED: usize = 5;

/// What was deferred on a site, and what may be missed because of it.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Beliefs {
    /// Steps that were not taken because of what is claimed of their like.
    pub deferred: i64,
    /// In how many documents.
    pub deferred_documents: i64,
    /// Documents that were fetched without a browser because of what is claimed of their type.
    pub unrendered: i64,
    /// Documents whose events were not fired, because enough others of their type were explored for the
    /// completeness that is asked for.
    pub unexplored: i64,
    /// Addresses that were not visited because of what is claimed of their like.
    pub unvisited: i64,
    /// Steps that were taken although a claim spoke for them.
    pub audited: i64,
    /// Claims that turned out to be wrong; what they had deferred was taken.
    pub contradicted: i64,
    /// States that are expected to be missed.
    pub missed_expected: f64,
    /// States that are missed at most, with 95 % confidence.
    pub missed_at_most: i64,
    /// The claims that carry most of it.
    pub doubts: Vec<Doubt>,
}

impl Beliefs {
    /// Adds those of another site.
    pub fn add(&mut self, other: Self) {
        self.deferred += other.deferred;
        self.deferred_documents += other.deferred_documents;
        self.unrendered += other.unrendered;
        self.unexplored += other.unexplored;
        self.unvisited += other.unvisited;
        self.audited += other.audited;
        self.contradicted += other.contradicted;
        self.missed_expected += other.missed_expected;
        self.missed_at_most += other.missed_at_most;
        self.doubts.extend(other.doubts);
    }
}

/// A claim, and what it may cost.
#[derive(Clone, Debug, Serialize)]
pub struct Doubt {
    /// What is claimed, in a word: `idle`, `silent`, `echo`, `address`, `repeat`, `instruction`, `series`,
    /// `alias`, `plain` or `sample`.
    pub kind: &'static str,
    /// The same in a sentence.
    pub claim: &'static str,
    /// Of pages of this type, or of steps on them; empty for addresses.
    pub page_type: String,
    /// Of steps at this place, or of addresses of this shape.
    pub place: String,
    /// Of steps by this event,
    pub event: String,
    /// with this handler.
    pub handler: String,
    /// Documents in which it held.
    pub held: u32,
    /// Steps, pages or addresses that it deferred.
    pub deferred: i64,
    /// In how many documents.
    pub documents: i64,
    /// States that are expected to be missed because of it.
    pub missed_expected: f64,
}

/// What one claim deferred.
struct Belief {
    claim: Claim,
    /// Documents in which it held.
    held: u32,
    /// Documents that it deferred something in.
    documents: i64,
    /// It is not believed any more: what it deferred is to be taken.
    is_withdrawn: bool,
    /// In how many documents of the site claims of its kind were tested, and in how many they were wrong.
    tested: (u32, u32),
    about: About,
}

/// What a claim speaks of.
enum About {
    /// Steps of a class.
    Steps(Deferred, Class),
    /// Documents of a type whose events were not fired, with how many states those of others show, on average,
    /// and the variance of that.
    Events(Deferred, Class, (f64, f64)),
    /// Pages of these types, because of what is known of their one type ([`BY_TYPE`]) or of pages that can do
    /// the same.
    Pages(Vec<String>, String),
    /// Addresses of a shape.
    Addresses(String, Vec<String>),
}

/// What is known of a site: in the memory of its owner, or as it was written down.
trait Known {
    /// In how many documents claims of each kind about classes were tested, and in how many they were wrong.
    fn tested(&self) -> BTreeMap<Claim, (u32, u32)>;
    fn of_class(&self, class: &Class, claim: Claim) -> Evidence;
    fn of_type(&self, page_type: &str) -> TypeKnowledge;
    fn of_all_types(&self) -> TypeKnowledge;
    /// Whether events on pages of a type show what nothing else does.
    fn brings_news(&self, page_type: &str) -> bool;
    fn of_shape(&self, shape: &str) -> Held;
}

impl Known for SiteCrawl {
    fn tested(&self) -> BTreeMap<Claim, (u32, u32)> {
        self.with_knowledge(|known| known.tested_by_kind())
    }

    fn of_class(&self, class: &Class, claim: Claim) -> Evidence {
        self.with_knowledge(|known| known.evidence(class, claim))
    }

    fn of_type(&self, page_type: &str) -> TypeKnowledge {
        self.page_types.knowledge(page_type)
    }

    fn of_all_types(&self) -> TypeKnowledge {
        self.page_types.knowledge_of_all()
    }

    fn brings_news(&self, page_type: &str) -> bool {
        self.with_knowledge(|known| known.brings_news(page_type))
    }

    fn of_shape(&self, shape: &str) -> Held {
        self.traps.believed(shape)
    }
}

/// What was written down of a site.
struct Recalled {
    knowledge: Knowledge,
    types: BTreeMap<String, TypeKnowledge>,
    traps: Traps,
}

impl Recalled {
    async fn of(catalog: &Catalog, site: &str) -> Result<Self, CrawlError> {
        let (mut knowledge, traps) = (Knowledge::default(), Traps::new(true));
        recall_classes(catalog, site, &mut knowledge).await?;
        recall_traps(catalog, site, &traps).await?;
        Ok(Self { knowledge, types: type_knowledge(catalog, site).await?, traps })
    }

    /// Steps, pages and addresses that were taken although a claim spoke for them, and claims that were wrong.
    fn tried(&self) -> (i64, i64) {
        let classes = self.knowledge.classes().flat_map(|(_, learned)| learned.claims.values());
        let classes = classes.map(|seen| (seen.audited, seen.wrong));
        let types = self.types.values();
        let types = types.map(|about| (about.audited(), u32::from(about.is_released())));
        let shapes = self.traps.habits().into_iter();
        let shapes = shapes.map(|(_, habit)| (habit.audited, habit.wrong));
        let all = classes.chain(types).chain(shapes);
        all.fold((0, 0), |sum, (audited, wrong)| {
            (sum.0 + i64::from(audited), sum.1 + i64::from(wrong))
        })
    }
}

impl Known for Recalled {
    fn tested(&self) -> BTreeMap<Claim, (u32, u32)> {
        self.knowledge.tested_by_kind()
    }

    fn of_class(&self, class: &Class, claim: Claim) -> Evidence {
        self.knowledge.evidence(class, claim)
    }

    fn of_type(&self, page_type: &str) -> TypeKnowledge {
        self.types.get(page_type).cloned().unwrap_or_default()
    }

    fn of_all_types(&self) -> TypeKnowledge {
        TypeKnowledge::of_all(self.types.values())
    }

    fn brings_news(&self, page_type: &str) -> bool {
        self.knowledge.brings_news(page_type)
    }

    fn of_shape(&self, shape: &str) -> Held {
        self.traps.believed(shape)
    }
}

/// What a crawl of a site deferred, read from the catalog alone.
///
/// ```
/// # tokio::runtime::Runtime::new().unwrap().block_on(async {
/// # let dir = tempfile::tempdir().unwrap();
/// # store::CatalogWriter::open(dir.path()).unwrap();
/// let catalog = store::Catalog::open(dir.path()).unwrap();
/// let priors = crawl::Priors::default();
/// let beliefs = crawl::beliefs(&catalog, "example.org", &priors).await.unwrap();
/// println!("{} steps deferred, {} states missed at most", beliefs.deferred, beliefs.missed_at_most);
/// # });
/// ```
///
/// # Errors
/// When the catalog fails.
pub async fn beliefs(
    catalog: &Catalog,
    site: &str,
    priors: &Priors,
) -> Result<Beliefs, CrawlError> {
    let known = Recalled::of(catalog, site).await?;
    let believed = believed(catalog, site, &known).await?;
    let (audited, contradicted) = known.tried();
    let mut beliefs = Beliefs {
        deferred_documents: catalog.deferring_documents(site).await?,
        audited,
        contradicted,
        ..Beliefs::default()
    };
    let mut risk = Risk::default();
    for belief in &believed {
        risk = risk.and(belief.risk(priors, 0));
        match &belief.about {
            About::Steps(deferred, _) => beliefs.deferred += deferred.steps,
            About::Events(..) => beliefs.unexplored += belief.documents,
            About::Pages(..) => beliefs.unrendered += belief.documents,
            About::Addresses(..) => beliefs.unvisited += belief.documents,
        }
    }
    beliefs.missed_expected = thousandths(risk.expected);
    beliefs.missed_at_most = risk.at_most() as i64;
    beliefs.doubts = doubts(&believed, priors);
    beliefs.doubts.truncate(NAMED);
    Ok(beliefs)
}

/// How often claims of one kind were tested on a site.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Tested {
    /// What is claimed, in a word, as in [`Doubt::kind`].
    pub kind: &'static str,
    /// Documents, pages or addresses in which such claims were tested.
    pub documents: i64,
    /// In how many of them one was wrong.
    pub wrong: i64,
}

/// How often the claims of each kind were tested on a site, and wrong. After a crawl with a completeness of 1,
/// in which every step was taken, that is how often each kind of claim is wrong.
///
/// ```
/// # tokio::runtime::Runtime::new().unwrap().block_on(async {
/// # let dir = tempfile::tempdir().unwrap();
/// # store::CatalogWriter::open(dir.path()).unwrap();
/// let catalog = store::Catalog::open(dir.path()).unwrap();
/// for tested in crawl::tested(&catalog, "example.org").await.unwrap() {
///     println!("{}: wrong in {} of {}", tested.kind, tested.wrong, tested.documents);
/// }
/// # });
/// ```
///
/// # Errors
/// When the catalog fails.
pub async fn tested(catalog: &Catalog, site: &str) -> Result<Vec<Tested>, CrawlError> {
    let known = Recalled::of(catalog, site).await?;
    let mut counts = known.tested();
    let mut count = |claim: Claim, held: u32, wrong: u32| {
        let of = counts.entry(claim).or_default();
        *of = (of.0 + held + wrong, of.1 + wrong);
    };
    for about in known.types.values().filter(|about| about.was_plain()) {
        count(Claim::Plain, about.alike(), u32::from(!about.is_plain()));
    }
    for (shape, habit) in known.traps.habits() {
        match known.traps.believed(&shape) {
            Held::By(claim, held) => count(claim, held, habit.wrong),
            Held::ByLimit | Held::ByNothing => count(Claim::Alias, 0, habit.wrong),
        }
    }
    let counts = counts.into_iter();
    let named = |(claim, (documents, wrong)): (Claim, (u32, u32))| Tested {
        kind: claim.name(),
        documents: documents.into(),
        wrong: wrong.into(),
    };
    Ok(counts.map(named).collect())
}

/// Every claim that defers something on a site, the one that may cost most first.
pub(crate) async fn all_doubts(catalog: &Catalog, site: &str) -> Result<Vec<Doubt>, CrawlError> {
    let known = Recalled::of(catalog, site).await?;
    Ok(doubts(&believed(catalog, site, &known).await?, &Priors::default()))
}

fn doubts(believed: &[Belief], priors: &Priors) -> Vec<Doubt> {
    let mut doubts: Vec<_> = believed.iter().map(|belief| belief.doubt(priors)).collect();
    doubts.sort_by(|a, b| b.missed_expected.total_cmp(&a.missed_expected));
    doubts
}

/// All that claims deferred.
async fn believed(
    catalog: &Catalog,
    site: &str,
    known: &impl Known,
) -> Result<Vec<Belief>, StoreError> {
    let mut believed = Vec::new();
    let (of_all, of_kinds) = (known.of_all_types(), known.tested());
    let tested = |claim: &Claim| of_kinds.get(claim).copied().unwrap_or_default();
    for deferred in catalog.deferred(site).await? {
        let claim = Claim::of_reason(&deferred.why);
        let (Some(claim), Ok(class)) = (claim, deferred.class.parse::<Class>()) else { continue };
        // Types merge: a page knows what its own is called by now.
        let class = class.on(&deferred.page_type.as_str().into());
        let documents = deferred.documents;
        if claim == Claim::Sample {
            let about = known.of_type(&deferred.page_type);
            let held = about.explored();
            let about = About::Events(deferred, class, about.yields(&of_all));
            let (is_withdrawn, tested) = (false, tested(&claim));
            believed.push(Belief { claim, held, documents, is_withdrawn, tested, about });
            continue;
        }
        let Evidence { held, is_withdrawn, .. } = known.of_class(&class, claim);
        let (tested, about) = (tested(&claim), About::Steps(deferred, class));
        believed.push(Belief { claim, held, documents, is_withdrawn, tested, about });
    }
    let plain = catalog.plain_documents(site).await?;
    for (by, (page_types, documents)) in spared(&plain, known) {
        let (own, page_type) = match page_types.first() {
            Some(page_type) if by == BY_TYPE => (page_type.as_str(), Some(page_type)),
            _ => (by.as_str(), None),
        };
        let about = known.of_type(own);
        let brings_news = page_type.is_some_and(|page_type| known.brings_news(page_type));
        let is_withdrawn = !about.is_plain() || brings_news;
        let (claim, held) = (Claim::Plain, about.alike());
        let (tested, about) = (tested(&claim), About::Pages(page_types, by));
        believed.push(Belief { claim, held, documents, is_withdrawn, tested, about });
    }
    let mut by_shape: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for url in catalog.held(site).await? {
        let Ok(parsed) = Url::parse(&url) else { continue };
        by_shape.entry(shape(&parsed)).or_default().push(url);
    }
    for (shape, urls) in by_shape {
        let (claim, held, is_withdrawn) = match known.of_shape(&shape) {
            Held::By(claim, held) => (claim, held, false),
            Held::ByNothing => (Claim::Alias, 0, true),
            Held::ByLimit => continue,
        };
        let documents = urls.len() as i64;
        let (tested, about) = (tested(&claim), About::Addresses(shape, urls));
        believed.push(Belief { claim, held, documents, is_withdrawn, tested, about });
    }
    Ok(believed)
}

/// What spared pages the browser, each with the types of these pages and how many there are.
fn spared(plain: &BTreeMap<String, i64>, known: &impl Known) -> Vec<(String, (Vec<String>, i64))> {
    let mut by_type = Vec::new();
    let mut by_acts: BTreeMap<String, (Vec<String>, i64)> = BTreeMap::new();
    for (page_type, documents) in plain {
        let about = known.of_type(page_type);
        // Some were rendered since, and it is not known by what they had been spared.
        let all: i64 = about.spared().map(|(_, pages)| i64::from(pages)).sum();
        for (by, pages) in about.spared() {
            let documents = (documents * i64::from(pages) + all - 1) / all.max(1);
            if by == BY_TYPE {
                by_type.push((by.to_owned(), (vec![page_type.clone()], documents)));
                continue;
            }
            let (page_types, sum) = by_acts.entry(by.to_owned()).or_default();
            page_types.push(page_type.clone());
            *sum += documents;
        }
    }
    by_type.into_iter().chain(by_acts).collect()
}

/// Enough to read.
fn thousandths(value: f64) -> f64 {
    (value * 1000.0).round() / 1000.0
}

impl Belief {
    /// What may be missed because of it, after it was tried in so many more documents.
    fn risk(&self, priors: &Priors, audits: u32) -> Risk {
        let left = self.documents - i64::from(audits);
        match &self.about {
            About::Events(_, _, (mean, variance)) => {
                Risk::of_sample(*mean, *variance, self.held, left)
            }
            _ => {
                let chance = priors.chance(self.claim, self.tested);
                Risk::of(chance, self.held.saturating_add(audits), left)
            }
        }
    }

    /// In how many documents it can be tried. What has no end is not tried to its end.
    fn most_audits(&self) -> u32 {
        let all = u32::try_from(self.documents).unwrap_or(u32::MAX);
        match (&self.about, self.claim) {
            (About::Steps(..), Claim::Series) => 0,
            (About::Addresses(..), Claim::Series) => {
                all.min((2 * DRY_PAGES as u32).saturating_sub(self.held))
            }
            _ => all,
        }
    }

    fn doubt(&self, priors: &Priors) -> Doubt {
        let mut doubt = Doubt {
            kind: self.claim.name(),
            claim: self.claim.reason(),
            page_type: String::new(),
            place: String::new(),
            event: String::new(),
            handler: String::new(),
            held: self.held,
            deferred: self.documents,
            documents: self.documents,
            missed_expected: thousandths(self.risk(priors, 0).expected),
        };
        match &self.about {
            About::Steps(deferred, class) => {
                let Class { page_type, place, event, handler, .. } = class.clone();
                doubt = Doubt { place, event, handler, deferred: deferred.steps, ..doubt };
                doubt.page_type = page_type.to_string();
            }
            About::Events(deferred, ..) => doubt.page_type.clone_from(&deferred.page_type),
            About::Pages(page_types, _) => {
                doubt.page_type = page_types.first().cloned().unwrap_or_default();
            }
            About::Addresses(shape, _) => doubt.place.clone_from(shape),
        }
        doubt
    }
}

impl SiteCrawl {
    /// Nothing is left to do: whether that is all. What claims deferred that were withdrawn since is to be
    /// taken after all; and where more is expected to be missed than the user allows, the most doubtful
    /// claims are tried in more documents. False if the crawl is over.
    pub(crate) async fn reconsider(&self) -> Result<bool, CrawlError> {
        let aim = self.aim();
        let wants_all = aim.wanted.is_empty() && aim.explores && !aim.trains;
        if !wants_all || self.meter.stopped().is_some() {
            return Ok(false);
        }
        let mut due = self.release_routes().await?;
        let believed = believed(&self.catalog, &self.site, self).await?;
        for belief in believed.iter().filter(|belief| belief.is_withdrawn) {
            due += self.release(belief).await?;
        }
        if due == 0 {
            due = self.audit(&believed).await?;
        }
        Ok(due > 0)
    }

    /// States that were left to their own addresses, which nobody came to visit.
    async fn release_routes(&self) -> Result<usize, CrawlError> {
        let pages = self.with_routes(|routes| routes.take_awaited());
        for page in &pages {
            self.catalog.explore_again(&self.site, *page).await?;
        }
        Ok(pages.len())
    }

    /// Takes all that a claim deferred. Returns how much there was.
    async fn release(&self, Belief { claim, about, .. }: &Belief) -> Result<usize, CrawlError> {
        let (catalog, site) = (&self.catalog, &self.site);
        match about {
            About::Steps(deferred, class) | About::Events(deferred, class, _) => {
                tracing::info!("wrong of {class}: {}. What it deferred is taken", claim.reason());
                self.with_knowledge(|known| known.released(class, *claim));
                Ok(catalog.release_deferred(site, deferred, None).await?)
            }
            About::Pages(page_types, by) => {
                let because = "events on such pages show what is new";
                let own = page_types.first().map(String::as_str).unwrap_or_default();
                let mut due = 0;
                for page_type in self.page_types.release(own, by, because) {
                    tracing::info!("pages of type {page_type} may need a browser: all are visited");
                    let urls = catalog.plain_documents_of(site, &page_type).await?;
                    due += catalog.visit_again(site, urls).await?;
                }
                Ok(due)
            }
            About::Addresses(shape, urls) => {
                tracing::info!("{shape} shows something new: what was held is visited");
                Ok(catalog.release_held(site, urls.clone()).await?)
            }
        }
    }

    /// Tries the most doubtful claims in so many more documents that no more is expected to be missed than the
    /// user allows. Returns how much is due for it.
    async fn audit(&self, believed: &[Belief]) -> Result<usize, CrawlError> {
        let settings = &self.settings;
        let found = self.catalog.summary(&self.site).await?.captured() as f64;
        let expected = |at: usize, audits: u32| {
            let belief = believed.get(at);
            belief.map_or(0.0, |belief| belief.risk(&settings.priors, audits).expected)
        };
        let allowed = |expected: f64| (1.0 - settings.completeness) * (found + expected);
        let most: Vec<_> = believed.iter().map(Belief::most_audits).collect();
        let mut due = 0;
        for (belief, audits) in believed.iter().zip(audits(&most, expected, allowed)) {
            if audits > 0 {
                due += self.audit_some(belief, audits).await?;
            }
        }
        Ok(due)
    }

    async fn audit_some(
        &self,
        Belief { claim, about, .. }: &Belief,
        audits: u32,
    ) -> Result<usize, CrawlError> {
        let (catalog, site) = (&self.catalog, &self.site);
        match about {
            About::Steps(deferred, class) | About::Events(deferred, class, _) => {
                let mut documents = catalog.documents_of(site, deferred).await?;
                draw(&mut documents, audits);
                self.with_knowledge(|known| {
                    documents.iter().for_each(|url| known.audit(class, *claim, url));
                });
                Ok(catalog.release_deferred(site, deferred, Some(documents)).await?)
            }
            About::Pages(page_types, _) => {
                let mut urls = Vec::new();
                for page_type in page_types {
                    urls.extend(catalog.plain_documents_of(site, page_type).await?);
                }
                draw(&mut urls, audits);
                self.page_types.render_next(&mut urls);
                Ok(catalog.visit_again(site, urls).await?)
            }
            About::Addresses(shape, urls) => {
                let mut urls = urls.clone();
                draw(&mut urls, audits);
                self.traps.audit(shape, &urls);
                Ok(catalog.release_held(site, urls).await?)
            }
        }
    }
}

/// Leaves so many of these, drawn by the seed.
fn draw(urls: &mut Vec<String>, how_many: u32) {
    urls.sort_by_cached_key(|url| drawn(url));
    urls.truncate(how_many as usize);
}

/// Where an address stands in the order in which addresses are drawn.
pub(crate) fn drawn(url: &str) -> u64 {
    evidence((SEED, url))
}
