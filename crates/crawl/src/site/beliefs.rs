//! What a site's claims deferred, what may be missed because of it, and whether that is little enough for
//! the crawl to be over.

use derive::{CANNOT_ACT, TypeKnowledge};
use serde::Serialize;
use store::{Catalog, Deferred, StoreError};

use crate::error::CrawlError;
use crate::learn::claim::{Evidence, Risk, audits};
use crate::learn::{Claim, Class, Knowledge, evidence};
use crate::site::SiteCrawl;
use crate::site::memory::recall_classes;
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
    pub(crate) fn add(&mut self, other: Self) {
        self.deferred += other.deferred;
        self.deferred_documents += other.deferred_documents;
        self.unrendered += other.unrendered;
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
    /// What is claimed.
    pub claim: &'static str,
    /// Of steps on pages of this type,
    pub page_type: String,
    /// at this place,
    pub place: String,
    /// by this event,
    pub event: String,
    /// with this handler.
    pub handler: String,
    /// Documents in which it held.
    pub held: u32,
    /// Steps that it deferred.
    pub deferred: i64,
    /// In how many documents.
    pub documents: i64,
    /// States that are expected to be missed because of it.
    pub missed_expected: f64,
}

/// Steps that one claim deferred.
struct Belief {
    deferred: Deferred,
    claim: Claim,
    class: Class,
    seen: Evidence,
}

/// Pages of a type that were fetched without a browser.
struct Spared {
    page_type: String,
    documents: i64,
    about: TypeKnowledge,
}

impl Spared {
    fn risk(&self) -> Risk {
        Risk::of(Claim::Plain, self.about.alike(), self.documents)
    }

    fn doubt(&self) -> Doubt {
        Doubt {
            claim: Claim::Plain.reason(),
            page_type: self.page_type.clone(),
            place: String::new(),
            event: "load".to_owned(),
            handler: String::new(),
            held: self.about.alike(),
            deferred: self.documents,
            documents: self.documents,
            missed_expected: thousandths(self.risk().expected),
        }
    }
}

/// What a crawl of a site deferred, read from the catalog alone.
///
/// ```
/// # tokio::runtime::Runtime::new().unwrap().block_on(async {
/// # let dir = tempfile::tempdir().unwrap();
/// # store::CatalogWriter::open(dir.path()).unwrap();
/// let catalog = store::Catalog::open(dir.path()).unwrap();
/// let beliefs = crawl::beliefs(&catalog, "example.org").await.unwrap();
/// println!("{} steps deferred, {} states missed at most", beliefs.deferred, beliefs.missed_at_most);
/// # });
/// ```
///
/// # Errors
/// When the catalog fails.
pub async fn beliefs(catalog: &Catalog, site: &str) -> Result<Beliefs, CrawlError> {
    let mut knowledge = Knowledge::default();
    recall_classes(catalog, site, &mut knowledge).await?;
    let believed = believed(catalog, site, |class, claim| knowledge.evidence(class, claim)).await?;
    let mut beliefs = Beliefs {
        deferred: believed.iter().map(|belief| belief.deferred.steps).sum(),
        deferred_documents: catalog.deferring_documents(site).await?,
        ..Beliefs::default()
    };
    for (_, learned) in knowledge.classes() {
        for seen in learned.claims.values() {
            beliefs.audited += i64::from(seen.audited);
            beliefs.contradicted += i64::from(seen.wrong);
        }
    }
    let about = type_knowledge(catalog, site).await?;
    for known in about.values() {
        beliefs.audited += i64::from(known.audited());
        beliefs.contradicted += i64::from(known.is_released());
    }
    let about = |page_type: &str| about.get(page_type).cloned().unwrap_or_default();
    let spared = spared(catalog, site, about).await?;
    beliefs.unrendered = spared.iter().map(|spared| spared.documents).sum();
    let risks = believed.iter().map(Belief::risk).chain(spared.iter().map(Spared::risk));
    let risk = risks.fold(Risk::default(), Risk::and);
    beliefs.missed_expected = thousandths(risk.expected);
    beliefs.missed_at_most = risk.at_most() as i64;
    let doubts = believed.iter().map(Belief::doubt);
    beliefs.doubts = doubts.chain(spared.iter().map(Spared::doubt)).collect();
    beliefs.doubts.sort_by(|a, b| b.missed_expected.total_cmp(&a.missed_expected));
    beliefs.doubts.truncate(NAMED);
    Ok(beliefs)
}

async fn believed(
    catalog: &Catalog,
    site: &str,
    seen: impl Fn(&Class, Claim) -> Evidence,
) -> Result<Vec<Belief>, StoreError> {
    let mut believed = Vec::new();
    for deferred in catalog.deferred(site).await? {
        let claim = Claim::of_reason(&deferred.why);
        let (Some(claim), Ok(class)) = (claim, deferred.class.parse::<Class>()) else { continue };
        // Types merge: a page knows what its own is called by now.
        let class = class.on(&deferred.page_type.as_str().into());
        let seen = seen(&class, claim);
        believed.push(Belief { deferred, claim, class, seen });
    }
    Ok(believed)
}

async fn spared(
    catalog: &Catalog,
    site: &str,
    about: impl Fn(&str) -> TypeKnowledge,
) -> Result<Vec<Spared>, StoreError> {
    let documents = catalog.plain_documents(site).await?.into_iter();
    let spared = documents.map(|(page_type, documents)| {
        let own = about(&page_type);
        let about = if own.is_plain() { own } else { about(CANNOT_ACT) };
        Spared { page_type, documents, about }
    });
    // Where nothing was ever compared, it was no claim that spared the browser.
    Ok(spared.filter(|spared| spared.about.alike() > 0).collect())
}

/// Enough to read.
fn thousandths(value: f64) -> f64 {
    (value * 1000.0).round() / 1000.0
}

impl Belief {
    fn risk(&self) -> Risk {
        Risk::of(self.claim, self.seen.held, self.deferred.documents)
    }

    fn doubt(&self) -> Doubt {
        let Class { page_type, place, event, handler, .. } = &self.class;
        Doubt {
            claim: self.claim.reason(),
            page_type: page_type.to_string(),
            place: place.clone(),
            event: event.clone(),
            handler: handler.clone(),
            held: self.seen.held,
            deferred: self.deferred.steps,
            documents: self.deferred.documents,
            missed_expected: thousandths(self.risk().expected),
        }
    }
}

impl SiteCrawl {
    /// Nothing is left to do: whether that is all. What claims deferred that were withdrawn since is to be
    /// taken after all; and where more is expected to be missed than the user allows, the most doubtful
    /// claims are tried in more documents. False if the crawl is over.
    pub(crate) async fn reconsider(&self) -> Result<bool, CrawlError> {
        let aim = self.aim();
        let wants_all = aim.wanted.is_empty() && aim.explores && !aim.trains;
        if !aim.patterns || !wants_all || self.meter.stopped().is_some() {
            return Ok(false);
        }
        let seen = |class: &Class, claim| self.with_knowledge(|known| known.evidence(class, claim));
        let believed = believed(&self.catalog, &self.site, seen).await?;
        let about = |page_type: &str| self.page_types.knowledge(page_type);
        let spared = spared(&self.catalog, &self.site, about).await?;
        Ok(self.release_withdrawn(&believed).await? | self.release_spared(&spared).await?
            || self.audit(&believed, &spared).await?)
    }

    async fn release_withdrawn(&self, believed: &[Belief]) -> Result<bool, CrawlError> {
        let mut states = 0;
        for Belief { deferred, claim, class, seen } in believed {
            if seen.is_withdrawn {
                states += self.catalog.release_deferred(&self.site, deferred, None).await?;
                tracing::info!(
                    "{} was wrong of {class}: what it deferred is taken",
                    claim.reason()
                );
            }
        }
        for Belief { claim, class, .. } in believed {
            self.with_knowledge(|known| known.released(class, *claim));
        }
        Ok(states > 0)
    }

    /// Renders what was fetched plainly of types that turned out to need a browser.
    async fn release_spared(&self, spared: &[Spared]) -> Result<bool, CrawlError> {
        let mut pages = 0;
        for Spared { page_type, about, .. } in spared {
            let brings_news = self.with_knowledge(|known| known.brings_news(page_type));
            if about.is_plain() && !brings_news {
                continue;
            }
            if self.page_types.release(page_type, "events on its pages show what is new") {
                tracing::info!("pages of type {page_type} need a browser: all are rendered");
                let urls = self.catalog.plain_documents_of(&self.site, page_type).await?;
                pages += self.catalog.visit_again(&self.site, urls).await?;
            }
        }
        Ok(pages > 0)
    }

    async fn audit(&self, believed: &[Belief], spared: &[Spared]) -> Result<bool, CrawlError> {
        let found = self.catalog.summary(&self.site).await?.captured();
        let allowed = (1.0 - self.settings.completeness) * found as f64;
        let claims: Vec<_> = believed
            .iter()
            .map(|belief| (belief.claim, belief.seen.held, belief.deferred.documents))
            .chain(spared.iter().map(|of| (Claim::Plain, of.about.alike(), of.documents)))
            .collect();
        let mut states = 0;
        let audits = audits(&claims, allowed);
        let (of_steps, of_pages) = audits.split_at(believed.len());
        for (Spared { page_type, .. }, audits) in spared.iter().zip(of_pages) {
            if *audits > 0 {
                let mut urls = self.catalog.plain_documents_of(&self.site, page_type).await?;
                draw(&mut urls, *audits);
                self.page_types.render_next(&urls);
                states += self.catalog.visit_again(&self.site, urls).await?;
            }
        }
        for (belief, audits) in believed.iter().zip(of_steps) {
            if *audits == 0 {
                continue;
            }
            let Belief { deferred, claim, class, .. } = belief;
            let mut documents = self.catalog.documents_of(&self.site, deferred).await?;
            draw(&mut documents, *audits);
            self.with_knowledge(|known| {
                documents.iter().for_each(|url| known.audit(class, *claim, url));
            });
            let site = &self.site;
            states += self.catalog.release_deferred(site, deferred, Some(documents)).await?;
        }
        Ok(states > 0)
    }
}

/// Leaves so many of these, drawn by the seed.
fn draw(urls: &mut Vec<String>, how_many: u32) {
    urls.sort_by_cached_key(|url| evidence((SEED, url)));
    urls.truncate(how_many as usize);
}
