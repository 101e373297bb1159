//! Bytes: found by hash, kept once, compressed; in the catalog itself or outside of it.
//!
//! They are hashed, compressed and put outside before the commit that refers to them (`pack`), off the
//! thread that writes. What was put for a commit that failed is garbage, not an error.

pub(crate) mod dictionary;
mod outside;
mod pack;

use std::collections::hash_map::Entry;
use std::collections::{BTreeMap, BTreeSet, HashMap};

use zstd::bulk::Decompressor;

use crate::error::StoreError;
use crate::tx::{ToValue, Tx, params};

pub(crate) use dictionary::{Dictionaries, Dictionary};
pub use outside::BlobLocation;
pub(crate) use outside::Outside;
pub(crate) use pack::{HasBytes, Packed};

/// What bytes are found by.
pub(crate) type Hash = [u8; 32];

/// Kept as they are: what zstd could not make smaller.
const PLAIN: i64 = 0;
/// One zstd frame, packed with the dictionary that is its base, if it has one.
const ZSTD: i64 = 1;

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
    let new = new.iter().map(|(hash, bytes)| (hash, bytes, packed.blob(hash, bytes)));
    let new: Vec<_> = new.collect();
    let rows: Vec<_> = new
        .iter()
        .map(|(hash, bytes, blob)| {
            let stored = blob.outside.then(|| blob.stored(bytes).len() as i64);
            let data = if blob.outside { &[] } else { blob.stored(bytes) };
            params![hash, blob.codec, blob.base, bytes.len() as i64, data, stored].to_vec()
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

/// The bytes behind these numbers, checked against their hashes. What has no row is not there.
pub(crate) fn get_all(
    tx: &mut Tx<'_>,
    numbers: &[i64],
) -> Result<HashMap<i64, Vec<u8>>, StoreError> {
    struct Found {
        number: i64,
        hash: Hash,
        codec: i64,
        base: Option<i64>,
        raw_size: i64,
        data: Vec<u8>,
        outside: bool,
    }
    let rows = tx.query_in(
        "SELECT blob, hash, codec, base, raw_size, data, stored IS NOT NULL FROM blob
         WHERE blob IN ($list)",
        &[],
        &numbers.iter().map(ToValue::to_value).collect::<Vec<_>>(),
    )?;
    let mut found: Vec<Found> = rows
        .iter()
        .map(|row| {
            Ok(Found {
                number: row.get(0)?,
                hash: row.get(1)?,
                codec: row.get(2)?,
                base: row.get(3)?,
                raw_size: row.get(4)?,
                data: row.get(5)?,
                outside: row.get(6)?,
            })
        })
        .collect::<Result<_, StoreError>>()?;
    let elsewhere: Vec<_> = found.iter_mut().filter(|blob| blob.outside).collect();
    if !elsewhere.is_empty() {
        let outside = tx.outside.ok_or(StoreError::NoBlobs)?;
        let names: Vec<_> = elsewhere.iter().map(|blob| (blob.hash, blob.codec)).collect();
        for (blob, data) in elsewhere.into_iter().zip(outside.get_all(&names)?) {
            blob.data = data.ok_or(StoreError::Damaged(blob.number))?;
        }
    }
    let bases: BTreeSet<_> = found.iter().filter_map(|blob| blob.base).collect();
    // A dictionary has none itself, is kept before what it packs, and so has a smaller number.
    if let Some(blob) = found.iter().find(|blob| blob.base.is_some_and(|base| base >= blob.number))
    {
        return Err(StoreError::Damaged(blob.number));
    }
    let bases = match bases.is_empty() {
        true => HashMap::new(),
        false => get_all(tx, &bases.into_iter().collect::<Vec<_>>())?,
    };
    let mut unpackers = Unpackers { bases: &bases, made: HashMap::new() };
    let unpacked = found.into_iter().map(|blob| {
        let bytes = match blob.codec {
            PLAIN => blob.data,
            ZSTD => unpackers
                .unpack(blob.base, &blob.data, usize::try_from(blob.raw_size).unwrap_or(0))
                .ok_or(StoreError::Damaged(blob.number))?,
            other => {
                return Err(StoreError::Unreadable { what: "codec", value: other.to_string() });
            }
        };
        match *blake3::hash(&bytes).as_bytes() == blob.hash {
            true => Ok((blob.number, bytes)),
            false => Err(StoreError::Damaged(blob.number)),
        }
    });
    unpacked.collect()
}

/// One for each dictionary: to load it takes as long as to unpack a page.
struct Unpackers<'b> {
    bases: &'b HashMap<i64, Vec<u8>>,
    made: HashMap<Option<i64>, Decompressor<'static>>,
}

impl Unpackers<'_> {
    fn unpack(&mut self, base: Option<i64>, data: &[u8], size: usize) -> Option<Vec<u8>> {
        let unpacker = match self.made.entry(base) {
            Entry::Occupied(made) => made.into_mut(),
            Entry::Vacant(place) => place.insert(match base {
                None => Decompressor::new().ok()?,
                Some(base) => Decompressor::with_dictionary(self.bases.get(&base)?).ok()?,
            }),
        };
        unpacker.decompress(data, size).ok()
    }
}
