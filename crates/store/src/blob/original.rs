//! What new bytes resemble: the version of a page before them, the document that an event changed, the body
//! that a browser made a tree of. They are kept as patches of that.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use super::patch::Chain;
use super::{Hash, restore};
use crate::error::StoreError;
use crate::model::PageNumber;
use crate::record::RecordNumber;
use crate::tx::{Tx, params};

/// What may be remembered of the bytes that the next ones are likely to resemble.
const ROOM: usize = 32 << 20;

/// Bytes of a step, and what they are likely to resemble.
pub(crate) struct Resemblance<'s> {
    pub(crate) bytes: &'s [u8],
    /// Something that was kept before.
    pub(crate) kept: Kept,
    /// If nothing was: other bytes of the same step.
    pub(crate) own: Option<&'s [u8]>,
}

/// Where bytes are kept that others resemble.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Kept {
    /// The tree of the latest version of a page, or its body.
    Snapshot(PageNumber),
    /// The body of the latest version of a page.
    Body(PageNumber),
    /// The body of the latest version of the page at this address.
    BodyAt(String),
    /// How the latest version of a page looks.
    Looks(PageNumber),
    /// What a record last said.
    Edition(RecordNumber),
}

impl Kept {
    /// Finds it among what a site has.
    fn find(&self, tx: &mut Tx<'_>, site: &str) -> Result<Option<i64>, StoreError> {
        let latest = |column: &str, page: &str| {
            format!(
                "SELECT {column} FROM version WHERE site = $1 AND page = {page}
                 ORDER BY version DESC LIMIT 1"
            )
        };
        let found: Option<Option<i64>> = match self {
            Self::Snapshot(page) => {
                tx.value_optional(&latest("coalesce(snapshot, body)", "$2"), params![site, page])
            }
            Self::Body(page) => tx.value_optional(&latest("body", "$2"), params![site, page]),
            Self::Looks(page) => tx.value_optional(&latest("looks", "$2"), params![site, page]),
            Self::BodyAt(url) => {
                let page = "(SELECT page FROM page_key WHERE site = $1 AND key = $2)";
                tx.value_optional(&latest("body", page), params![site, url])
            }
            Self::Edition(record) => tx.value_optional(
                "SELECT e.body FROM edition e JOIN record r ON r.site = e.site
                   AND r.record = e.record AND r.edition = e.edition
                 WHERE e.site = $1 AND e.record = $2",
                params![site, record],
            ),
        }?;
        Ok(found.flatten())
    }
}

/// What bytes are kept as a patch of.
#[derive(Clone)]
pub(crate) struct Original {
    pub(super) hash: Hash,
    pub(super) bytes: Arc<[u8]>,
    pub(super) chain: Chain,
}

/// The bytes that the next ones are likely to resemble, by hash, so that they need not be restored.
#[derive(Default)]
pub(crate) struct Originals {
    inner: Mutex<Remembered>,
}

#[derive(Default)]
struct Remembered {
    by_hash: HashMap<Hash, (Original, u64)>,
    bytes: usize,
    /// Counts up with each use: what was used longest ago is forgotten first.
    now: u64,
}

impl Originals {
    /// What is kept there, with its hash; `None` if nothing is. It is restored unless it is remembered.
    pub(crate) fn load(
        &self,
        tx: &mut Tx<'_>,
        site: &str,
        kept: &Kept,
    ) -> Result<Option<(i64, Original)>, StoreError> {
        let Some(number) = kept.find(tx, site)? else { return Ok(None) };
        if let Some(hash) = restore::hash_of(tx, number)?
            && let Some(known) = self.get(&hash)
        {
            return Ok(Some((number, known)));
        }
        // What is damaged is told to whoever asks for it, not to who adds something else.
        match restore::with_chain(tx, number) {
            Ok((bytes, chain)) => {
                let original =
                    Original { hash: *blake3::hash(&bytes).as_bytes(), bytes: bytes.into(), chain };
                self.remember(original.clone());
                Ok(Some((number, original)))
            }
            Err(StoreError::Damaged(_)) => Ok(None),
            Err(error) => Err(error),
        }
    }

    pub(super) fn get(&self, hash: &Hash) -> Option<Original> {
        let mut inner = self.inner.lock().unwrap_or_else(PoisonError::into_inner);
        inner.now += 1;
        let now = inner.now;
        let (original, used) = inner.by_hash.get_mut(hash)?;
        *used = now;
        Some(original.clone())
    }

    pub(super) fn remember(&self, original: Original) {
        let mut inner = self.inner.lock().unwrap_or_else(PoisonError::into_inner);
        if original.bytes.len() > ROOM / 2 || inner.by_hash.contains_key(&original.hash) {
            return;
        }
        inner.now += 1;
        inner.bytes += original.bytes.len();
        let now = inner.now;
        inner.by_hash.insert(original.hash, (original, now));
        while inner.bytes > ROOM {
            let oldest = inner.by_hash.iter().min_by_key(|(_, (_, used))| *used);
            let Some(oldest) = oldest.map(|(hash, _)| *hash) else { break };
            if let Some((gone, _)) = inner.by_hash.remove(&oldest) {
                inner.bytes -= gone.bytes.len();
            }
        }
    }
}
