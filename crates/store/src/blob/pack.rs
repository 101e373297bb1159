//! Bytes on their way into a commit.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet, HashMap};

use zstd::bulk::Compressor;

use super::{Hash, PLAIN, ZSTD};

/// DESIGN's hot tier: milliseconds per page.
const LEVEL: i32 = 3;

/// A step that brings bytes.
pub(crate) trait HasBytes {
    /// All of them, in any order.
    fn bytes(&self) -> Vec<&[u8]>;
}

impl<T: HasBytes> HasBytes for Vec<T> {
    fn bytes(&self) -> Vec<&[u8]> {
        self.iter().flat_map(HasBytes::bytes).collect()
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
    /// What is kept; `None` for the bytes as they are.
    pub(super) data: Option<Vec<u8>>,
    /// They were put outside.
    pub(super) outside: bool,
}

impl Blob {
    fn of(bytes: &[u8]) -> Self {
        let packed = compress(bytes);
        match packed.is_empty() || packed.len() >= bytes.len() {
            true => Self { codec: PLAIN, data: None, outside: false },
            false => Self { codec: ZSTD, data: Some(packed), outside: false },
        }
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
    pub(crate) fn compress(&mut self, step: &impl HasBytes, known: &HashMap<Hash, i64>) {
        for bytes in step.bytes() {
            let hash = self.hash(bytes);
            if !known.contains_key(&hash) {
                self.blobs.entry(hash).or_insert_with(|| Blob::of(bytes));
            }
        }
    }

    pub(super) fn hash(&self, bytes: &[u8]) -> Hash {
        let known = self.hashes.get(&place(bytes)).copied();
        known.unwrap_or_else(|| hash_of(bytes))
    }

    /// How to keep bytes that the catalog does not have, not even if it had them a moment ago.
    pub(super) fn blob(&self, hash: &Hash, bytes: &[u8]) -> Blob {
        self.blobs.get(hash).cloned().unwrap_or_else(|| Blob::of(bytes))
    }

    /// What there is to put outside: bytes by hash.
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
fn compress(bytes: &[u8]) -> Vec<u8> {
    thread_local! {
        static COMPRESSOR: RefCell<Option<Compressor<'static>>> =
            RefCell::new(Compressor::new(LEVEL).ok());
    }
    COMPRESSOR.with_borrow_mut(|compressor| {
        let packed = compressor.as_mut().and_then(|compressor| compressor.compress(bytes).ok());
        packed.unwrap_or_default()
    })
}

fn hash_of(bytes: &[u8]) -> Hash {
    *blake3::hash(bytes).as_bytes()
}

fn place(bytes: &[u8]) -> (usize, usize) {
    (bytes.as_ptr() as usize, bytes.len())
}
