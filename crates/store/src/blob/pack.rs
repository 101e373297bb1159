//! Bytes on their way into a commit.

use std::borrow::Cow;
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet, HashMap};

use zstd::zstd_safe::{CCtx, compress_bound};

use super::dictionary::Dictionary;
use super::original::{Original, Originals, Resemblance};
use super::patch::{self, Chain};
use super::{Hash, PATCH, PLAIN, ZSTD};

/// DESIGN's hot tier: milliseconds per page.
pub(super) const LEVEL: i32 = 3;

/// Bytes a byte of patch: better than what pages are packed to alone.
const WORTH: usize = 16;

/// A step that brings bytes.
pub(crate) trait HasBytes {
    /// All of them, in any order.
    fn bytes(&self) -> Vec<&[u8]>;

    /// Which of them are likely to resemble what is kept, or others of them.
    fn resemblances(&self) -> Vec<Resemblance<'_>> {
        Vec::new()
    }

    /// Whether they cannot be made smaller.
    fn is_packed(&self) -> bool {
        false
    }

    /// Whether others may join its commit for a moment: nobody is kept from going on by that.
    fn may_wait(&self) -> bool {
        false
    }

    /// Whether all of them come from a page that was never kept before.
    fn is_first(&self) -> bool {
        false
    }
}

impl<T: HasBytes> HasBytes for Vec<T> {
    fn bytes(&self) -> Vec<&[u8]> {
        self.iter().flat_map(HasBytes::bytes).collect()
    }

    fn resemblances(&self) -> Vec<Resemblance<'_>> {
        self.iter().flat_map(HasBytes::resemblances).collect()
    }
}

/// The bytes of one step, hashed, and compressed unless the catalog has them. It is made for a step and
/// goes with it into the commit; there, bytes are known by where they lie in memory, so that the
/// thread that writes need not look at them.
#[derive(Default)]
pub(crate) struct Packed {
    hashes: HashMap<(usize, usize), Hash>,
    pub(super) blobs: HashMap<Hash, Blob>,
}

/// How bytes are kept.
#[derive(Clone)]
pub(super) struct Blob {
    pub(super) codec: i64,
    /// What it was packed with.
    pub(super) base: Option<Base>,
    /// What is kept; `None` for the bytes as they are.
    pub(super) data: Option<Vec<u8>>,
    /// They were put outside.
    pub(super) outside: bool,
}

/// What bytes are packed with: a dictionary, or what they are a patch of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Base {
    /// A blob that is kept.
    Number(i64),
    /// One that comes with them.
    Own(Hash),
}

impl Blob {
    pub(super) fn of(bytes: &[u8], dictionary: Option<&Dictionary>) -> Self {
        match compress(bytes, dictionary).filter(|packed| packed.len() < bytes.len()) {
            None => Self::plain(),
            packed => {
                let base = dictionary.map(|dictionary| Base::Number(dictionary.number));
                Self { codec: ZSTD, base, data: packed, outside: false }
            }
        }
    }

    /// The bytes as they are.
    fn plain() -> Self {
        Self { codec: PLAIN, base: None, data: None, outside: false }
    }

    /// The bytes as a patch, with what it takes to restore them; `None` if that were too much.
    fn patch(bytes: &[u8], base: Base, original: &Original) -> Option<(Self, Chain)> {
        let chain = original.chain.and(bytes.len())?;
        let data = Some(patch::make(bytes, &original.bytes)?);
        Some((Self { codec: PATCH, base: Some(base), data, outside: false }, chain))
    }

    /// What is kept of `bytes`.
    pub(super) fn stored<'a>(&'a self, bytes: &'a [u8]) -> &'a [u8] {
        self.data.as_deref().unwrap_or(bytes)
    }
}

impl Packed {
    /// The bytes of a step, not compressed yet.
    pub(crate) fn hashed(step: &impl HasBytes) -> Self {
        let hashes = step.bytes().into_iter().map(|bytes| (place(bytes), hash_of(bytes)));
        Self { hashes: hashes.collect(), blobs: HashMap::new() }
    }

    /// Their hashes, each once; `None` if there are no bytes.
    pub(crate) fn hashes(&self) -> Option<BTreeSet<Hash>> {
        (!self.hashes.is_empty()).then(|| self.hashes.values().copied().collect())
    }

    /// Compresses what the catalog does not have.
    pub(crate) fn compress(
        &mut self,
        step: &impl HasBytes,
        known: &HashMap<Hash, i64>,
        dictionary: Option<&Dictionary>,
    ) {
        for bytes in step.bytes() {
            let hash = self.hash(bytes);
            if !known.contains_key(&hash) {
                self.blobs.entry(hash).or_insert_with(|| match step.is_packed() {
                    true => Blob::plain(),
                    false => Blob::of(bytes, dictionary),
                });
            }
        }
    }

    /// Packs what the catalog does not have and what resembles something, each with the blob that is kept at
    /// the place it names, if there is one. What comes next may resemble them, and is told so.
    pub(crate) fn compress_patches<'s>(
        &mut self,
        all: impl IntoIterator<Item = (Resemblance<'s>, Option<(i64, Original)>)>,
        known: &HashMap<Hash, i64>,
        dictionary: Option<&Dictionary>,
        originals: &Originals,
    ) {
        for (Resemblance { bytes, own, .. }, kept) in all {
            let hash = self.hash(bytes);
            if known.contains_key(&hash) || self.blobs.contains_key(&hash) {
                continue;
            }
            let kept = kept.map(|(number, original)| (Base::Number(number), original));
            let original = kept.or_else(|| {
                let hash = self.hash(own?);
                Some((Base::Own(hash), originals.get(&hash)?))
            });
            let patch = original.and_then(|(base, original)| Blob::patch(bytes, base, &original));
            let (blob, chain) = match patch {
                // A small patch is taken without looking for something better.
                Some((patch, chain)) if patch.stored(bytes).len() < bytes.len() / WORTH => {
                    (patch, chain)
                }
                patch => {
                    let alone = Blob::of(bytes, dictionary);
                    let size = alone.stored(bytes).len();
                    match patch.filter(|(patch, _)| patch.stored(bytes).len() < size) {
                        Some(patched) => patched,
                        None => (alone, Chain::of(bytes.len())),
                    }
                }
            };
            self.blobs.insert(hash, blob);
            originals.remember(Original { hash, bytes: bytes.into(), chain });
        }
    }

    pub(super) fn hash(&self, bytes: &[u8]) -> Hash {
        let known = self.hashes.get(&place(bytes)).copied();
        known.unwrap_or_else(|| hash_of(bytes))
    }

    /// Whether bytes were compressed, since the catalog did not have them.
    pub(super) fn has(&self, hash: &Hash) -> bool {
        self.blobs.contains_key(hash)
    }

    /// What bytes were packed with.
    pub(super) fn base(&self, hash: &Hash) -> Option<Base> {
        self.blobs.get(hash)?.base
    }

    /// How to keep bytes that the catalog does not have, not even if it had them a moment ago.
    pub(super) fn blob(&self, hash: &Hash, bytes: &[u8]) -> Cow<'_, Blob> {
        let packed = self.blobs.get(hash).map(Cow::Borrowed);
        packed.unwrap_or_else(|| Cow::Owned(Blob::of(bytes, None)))
    }

    /// What the catalog does not have yet: bytes by hash.
    pub(super) fn contents<'a>(
        &'a self,
        step: &'a impl HasBytes,
    ) -> impl Iterator<Item = (Hash, &'a Blob, &'a [u8])> {
        let different: BTreeMap<Hash, &[u8]> =
            step.bytes().into_iter().map(|bytes| (self.hash(bytes), bytes)).collect();
        let new = different.into_iter();
        new.filter_map(|(hash, bytes)| self.blobs.get(&hash).map(|blob| (hash, blob, bytes)))
    }
}

/// With the tables of the last time: making them takes a quarter of what packing a page does.
fn compress(bytes: &[u8], dictionary: Option<&Dictionary>) -> Option<Vec<u8>> {
    thread_local! {
        static TABLES: RefCell<Option<CCtx<'static>>> = RefCell::new(CCtx::try_create());
    }
    TABLES.with_borrow_mut(|tables| {
        let tables = tables.as_mut()?;
        let mut packed = Vec::with_capacity(compress_bound(bytes.len()));
        match dictionary {
            Some(with) => tables.compress_using_cdict(&mut packed, bytes, &with.prepared),
            None => tables.compress(&mut packed, bytes, LEVEL),
        }
        .ok()?;
        packed.shrink_to_fit();
        Some(packed)
    })
}

fn hash_of(bytes: &[u8]) -> Hash {
    *blake3::hash(bytes).as_bytes()
}

fn place(bytes: &[u8]) -> (usize, usize) {
    (bytes.as_ptr() as usize, bytes.len())
}
