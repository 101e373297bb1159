//! What a site's claims deferred, what may be missed because of it, and whether that is little enough for
//! the crawl to be over.

use serde::Serialize;
use store::{Catalog, Deferred, StoreError};

use crate::error::CrawlError;
use crate::learn::claim::{Evidence, Risk, audits};
use crate::learn::{Claim, Class, Knowledge, evidence};
use crate::site::SiteCrawl;
use crate::site::memory::recall_classes;

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
    let risk = believed.iter().map(Belief::risk).fold(Risk::default(), Risk::and);
    beliefs.missed_expected = (risk.expected * 1000.0).round() / 1000.0;
    beliefs.missed_at_most = risk.at_most() as i64;
    beliefs.doubts = believed.iter().map(Belief::doubt).collect();
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
            missed_expected: (self.risk().expected * 1000.0).round() / 1000.0,
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
        Ok(self.release_withdrawn(&believed).await? || self.audit(&believed).await?)
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

    async fn audit(&self, believed: &[Belief]) -> Result<bool, CrawlError> {
        let found = self.catalog.summary(&self.site).await?.captured();
        let allowed = (1.0 - self.settings.completeness) * found as f64;
        let claims: Vec<_> = believed
            .iter()
            .map(|belief| (belief.claim, belief.seen.held, belief.deferred.documents))
            .collect();
        let mut states = 0;
        for (belief, audits) in believed.iter().zip(audits(&claims, allowed)) {
            if audits == 0 {
                continue;
            }
            let Belief { deferred, claim, class, .. } = belief;
            let mut documents = self.catalog.documents_of(&self.site, deferred).await?;
            documents.sort_by_cached_key(|url| evidence((SEED, url)));
            documents.truncate(audits as usize);
            self.with_knowledge(|known| {
                documents.iter().for_each(|url| known.audit(class, *claim, url));
            });
            let site = &self.site;
            states += self.catalog.release_deferred(site, deferred, Some(documents)).await?;
        }
        Ok(states > 0)
    }
}
