//! Bytes: found by hash, kept once, compressed; in the catalog itself or outside of it.
//!
//! They are hashed, compressed and put outside before the commit that refers to them (`pack`), off the
//! thread that writes. What was put for a commit that failed is garbage, not an error.

mod cold;
pub(crate) mod dictionary;
mod original;
mod outside;
mod pack;
mod patch;
mod restore;

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap, HashSet};

use crate::error::StoreError;
use crate::tx::{ToValue, Tx, params};

pub(crate) use cold::{
    Groups, PLACES, check_group, key_of, mark_moved, member, row_of, share_of_group, unsealed_sizes,
};
pub(crate) use dictionary::{Dictionaries, Dictionary};
pub(crate) use original::{Kept, Original, Originals, Resemblance};
pub use outside::BlobLocation;
pub(crate) use outside::Outside;
use pack::{Base, Blob};
pub(crate) use pack::{HasBytes, Packed};
pub(crate) use restore::{each, get_all};

/// What bytes are found by.
pub(crate) type Hash = [u8; 32];

/// Kept as they are: what zstd could not make smaller.
const PLAIN: i64 = 0;
/// One zstd frame, packed with the dictionary that is its base, if it has one.
const ZSTD: i64 = 1;
/// One zstd frame that has its base as a prefix.
const PATCH: i64 = 2;
/// It is in a group now: its base is the member.
pub(crate) const MOVED: i64 = 3;
/// A group, as `pack` made it. Its base is a member of another group.
pub(crate) const GROUP: i64 = 4;

/// Keeps each of these, which were packed, and gives the numbers to refer to them by, in order.
pub(crate) fn put_all(
    tx: &mut Tx<'_>,
    packed: &Packed,
    all: &[Option<&[u8]>],
) -> Result<Vec<Option<i64>>, StoreError> {
    let hashes: Vec<_> = all.iter().map(|bytes| bytes.map(|bytes| packed.hash(bytes))).collect();
    // In order of their hashes, so that two writers never wait for each other.
    let wanted: BTreeMap<Hash, &[u8]> =
        hashes.iter().zip(all).filter_map(|(hash, bytes)| (*hash).zip(*bytes)).collect();
    let mut missing: Vec<_> =
        wanted.into_iter().filter(|(hash, _)| !tx.blobs.contains_key(hash)).collect();
    // What was packed is taken for new, and the rest for known, until it turns out otherwise.
    let new: Vec<_> = missing.iter().filter(|(hash, _)| packed.has(hash)).copied().collect();
    insert(tx, packed, &new)?;
    look_up(tx, &mut missing)?;
    insert(tx, packed, &missing)?;
    look_up(tx, &mut missing)?;
    let number = |hash: &Hash| tx.blobs.get(hash).copied().ok_or(StoreError::NoCatalog);
    hashes.iter().map(|hash| hash.as_ref().map(number).transpose()).collect()
}

/// Inserts blobs that are not there, and notes their numbers.
fn insert(tx: &mut Tx<'_>, packed: &Packed, new: &[(Hash, &[u8])]) -> Result<(), StoreError> {
    let is_own = |hash: &Hash| matches!(packed.base(hash), Some(Base::Own(_)));
    // What others are patches of goes before them.
    let (own, first): (Vec<_>, Vec<_>) = new.iter().copied().partition(|(hash, _)| is_own(hash));
    insert_at_once(tx, packed, &first)?;
    insert_at_once(tx, packed, &own)
}

fn insert_at_once(
    tx: &mut Tx<'_>,
    packed: &Packed,
    new: &[(Hash, &[u8])],
) -> Result<(), StoreError> {
    if new.is_empty() {
        return Ok(());
    }
    let bases = bases(tx, new.iter().filter_map(|(hash, _)| packed.base(hash)))?;
    let new: Vec<_> = new
        .iter()
        .map(|(hash, bytes)| {
            let blob = packed.blob(hash, bytes);
            match blob.base.map(|base| bases.get(&base)) {
                // What it was a patch of went into a group meanwhile.
                Some(None) => (hash, bytes, Cow::Owned(Blob::of(bytes, None)), None),
                base => (hash, bytes, blob, base.flatten().copied()),
            }
        })
        .collect();
    let rows: Vec<_> = new
        .iter()
        .map(|(hash, bytes, blob, base)| {
            let stored = blob.outside.then(|| blob.stored(bytes).len() as i64);
            let data = if blob.outside { &[] } else { blob.stored(bytes) };
            params![hash, blob.codec, base, bytes.len() as i64, data, stored].to_vec()
        })
        .collect();
    let inserted = tx.insert_returning(
        "INSERT INTO blob (hash, codec, base, raw_size, data, stored)",
        &rows,
        "ON CONFLICT (hash) DO NOTHING RETURNING hash, blob",
    )?;
    for row in inserted {
        tx.blobs.insert(row.get(0)?, row.get(1)?);
    }
    Ok(())
}

/// The numbers of those of these bases that are there.
fn bases(
    tx: &mut Tx<'_>,
    all: impl Iterator<Item = Base>,
) -> Result<HashMap<Base, i64>, StoreError> {
    let all: HashSet<Base> = all.collect();
    let mut found = HashMap::with_capacity(all.len());
    let mut kept = Vec::new();
    for base in all {
        match base {
            Base::Number(number) => kept.push(number),
            Base::Own(hash) => {
                if let Some(number) = tx.blobs.get(&hash) {
                    found.insert(base, *number);
                }
            }
        }
    }
    let rows: Vec<_> = kept.iter().map(|number| row_of(*number).to_value()).collect();
    let there: HashSet<i64> = tx
        .query_in("SELECT blob FROM blob WHERE blob IN ($list)", &[], &rows)?
        .iter()
        .map(|row| row.get(0))
        .collect::<Result<_, _>>()?;
    let there = kept.into_iter().filter(|number| there.contains(&row_of(*number)));
    found.extend(there.map(|number| (Base::Number(number), number)));
    Ok(found)
}

/// Notes the numbers of those that are there, and leaves those that are not.
fn look_up(tx: &mut Tx<'_>, missing: &mut Vec<(Hash, &[u8])>) -> Result<(), StoreError> {
    missing.retain(|(hash, _)| !tx.blobs.contains_key(hash));
    if !missing.is_empty() {
        let found = numbers(tx, missing.iter().map(|(hash, _)| hash))?;
        tx.blobs.extend(found);
        missing.retain(|(hash, _)| !tx.blobs.contains_key(hash));
    }
    Ok(())
}

/// Keeps `bytes`, which were packed, and gives the number to refer to them by.
pub(crate) fn put(
    tx: &mut Tx<'_>,
    packed: &Packed,
    bytes: Option<&[u8]>,
) -> Result<Option<i64>, StoreError> {
    Ok(put_all(tx, packed, &[bytes])?.pop().flatten())
}

/// The numbers of those of these hashes that the catalog has.
pub(crate) fn numbers<'a>(
    tx: &mut Tx<'_>,
    hashes: impl Iterator<Item = &'a Hash>,
) -> Result<HashMap<Hash, i64>, StoreError> {
    let hashes: Vec<_> = hashes.map(ToValue::to_value).collect();
    let rows = tx.query_in("SELECT hash, blob FROM blob WHERE hash IN ($list)", &[], &hashes)?;
    rows.iter().map(|row| Ok((row.get(0)?, row.get(1)?))).collect()
}
