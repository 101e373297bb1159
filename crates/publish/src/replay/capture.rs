//! Captures with all that an index says of them.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use page::tree::reread;
use store::{ArchiveItem, BodyNumber, Catalog, KeptExchange, Millis, PageNumber, Which};

use super::index::Place;
use crate::PublishError;
use crate::warc::fields::{Original, exchange_id, without_fragment};
use crate::warc::originals::Originals;
use crate::warc::state::resource_of;
use crate::warc::{PayloadDigest, message, state_address};

/// Digests that are remembered; beyond, all are forgotten.
const MOST: usize = 200_000;

/// A capture, as a line of an index tells it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Capture {
    /// Where it lies.
    pub place: Place,
    /// The address that was asked for.
    pub url: String,
    /// The media type, `warc/revisit` for what was there before.
    pub media_type: Option<String>,
    /// Status of the answer; `None` of what no request brought, and of what was there before.
    pub status: Option<u16>,
    /// SHA-1 of its payload.
    pub digest: PayloadDigest,
}

/// What was worked out once: the digest of a payload follows from its bytes.
#[derive(Default)]
pub struct Digests {
    of_bodies: Mutex<HashMap<BodyNumber, PayloadDigest>>,
    of_versions: Mutex<HashMap<(PageNumber, i64, bool), Resource>>,
}

#[derive(Clone)]
struct Resource {
    digest: PayloadDigest,
    media_type: String,
}

/// The captures at these places, which are of one key and in the order of their times.
///
/// # Errors
/// When the catalog fails or bytes are damaged.
pub async fn captures_of(
    catalog: &Catalog,
    digests: &Digests,
    places: &[Place],
) -> Result<Vec<Capture>, PublishError> {
    let mut originals = Originals::default();
    let mut captures = Vec::with_capacity(places.len());
    for place in places {
        let capture = match place.item {
            ArchiveItem::Exchange(seq) => {
                let Some(kept) = catalog.exchange(place.page, seq).await? else { continue };
                exchange(catalog, digests, *place, seq, kept, &mut originals).await?
            }
            ArchiveItem::Visit(version) => {
                let Some(capture) =
                    visit(catalog, digests, *place, version, &mut originals).await?
                else {
                    continue;
                };
                capture
            }
        };
        captures.push(capture);
    }
    Ok(captures)
}

async fn exchange(
    catalog: &Catalog,
    digests: &Digests,
    place: Place,
    seq: i64,
    kept: KeptExchange,
    originals: &mut Originals,
) -> Result<Capture, PublishError> {
    let KeptExchange { exchange, body } = kept;
    let digest = match body {
        None => PayloadDigest::of(&[]),
        Some(number) => digests.of_body(catalog, number).await?,
    };
    let url = without_fragment(&exchange.url).to_owned();
    let original = originals.of_answer(&url, &exchange, digest);
    if original.is_none() {
        let id = exchange_id(place.page, seq);
        let original = Original { date: place.time, id, digest };
        originals.remember_answer(&url, &exchange, original);
    }
    let media_type = message::content_type(&exchange.response_headers).map(str::to_owned);
    Ok(match original {
        Some((original, _)) => Capture {
            place,
            url,
            media_type: Some(REVISIT.into()),
            status: None,
            digest: original.digest,
        },
        None => Capture { place, url, media_type, status: exchange.status, digest },
    })
}

const REVISIT: &str = "warc/revisit";

async fn visit(
    catalog: &Catalog,
    digests: &Digests,
    place: Place,
    version: i64,
    originals: &mut Originals,
) -> Result<Option<Capture>, PublishError> {
    let kept = catalog.kept_visit(place.page, Millis(place.time.0), version).await?;
    let Some(visit) = kept else { return Ok(None) };
    let state = state_address(&visit.key).filter(|_| !visit.path.is_empty());
    let is_state = state.is_some();
    let url = state.unwrap_or_else(|| without_fragment(&visit.url).to_owned());
    let told = visit.content_type.as_deref();
    let made = digests.of_version(catalog, place.page, version, told, is_state).await?;
    let Some(Resource { digest, media_type }) = made else { return Ok(None) };
    let is_revisit = originals.of_resource(&url, digest).is_some();
    if !is_revisit {
        let id = exchange_id(place.page, version);
        originals.remember_resource(&url, Original { date: place.time, id, digest });
    }
    let media_type = if is_revisit { REVISIT.to_owned() } else { media_type };
    Ok(Some(Capture { place, url, media_type: Some(media_type), status: None, digest }))
}

impl Digests {
    async fn of_body(
        &self,
        catalog: &Catalog,
        number: BodyNumber,
    ) -> Result<PayloadDigest, PublishError> {
        let lock = || self.of_bodies.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = lock().get(&number) {
            return Ok(*known);
        }
        let bytes = catalog.body(number).await?.unwrap_or_default();
        let digest = PayloadDigest::of(&[&bytes]);
        let mut known = lock();
        if known.len() >= MOST {
            known.clear();
        }
        known.insert(number, digest);
        Ok(digest)
    }

    async fn of_version(
        &self,
        catalog: &Catalog,
        page: PageNumber,
        version: i64,
        told: Option<&str>,
        is_state: bool,
    ) -> Result<Option<Resource>, PublishError> {
        let name = (page, version, is_state);
        let lock = || self.of_versions.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = lock().get(&name) {
            return Ok(Some(known.clone()));
        }
        let Some(kept) = catalog.version(page, Which::Number(version)).await? else {
            return Ok(None);
        };
        let (snapshot, body) = (kept.snapshot.as_deref(), kept.body.as_deref());
        let tree = reread(snapshot, body, kept.content_type.as_deref());
        let made = resource_of(tree.as_ref(), kept.body, told, is_state);
        let Some((payload, content_type)) = made else { return Ok(None) };
        let media_type = content_type.split([';', ' ']).next().unwrap_or_default().to_owned();
        let resource = Resource { digest: PayloadDigest::of(&[&payload]), media_type };
        let mut known = lock();
        if known.len() >= MOST {
            known.clear();
        }
        known.insert(name, resource.clone());
        Ok(Some(resource))
    }
}
