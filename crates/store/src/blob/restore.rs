//! Bytes out of the store again, whatever tier they are in.

use std::collections::hash_map::Entry;
use std::collections::{BTreeSet, HashMap};

use zstd::bulk::Decompressor;

use super::patch::{self, Chain};
use super::{GROUP, Hash, MOVED, PATCH, PLAIN, ZSTD, cold};
use crate::error::StoreError;
use crate::tx::{ToValue, Tx, params};

/// Larger than anything that is kept.
const MOST_RAW: i64 = 1 << 30;

/// The bytes behind these numbers, checked against their hashes. What has no row is not there.
pub(crate) fn get_all(
    tx: &mut Tx<'_>,
    numbers: &[i64],
) -> Result<HashMap<i64, Vec<u8>>, StoreError> {
    let found = each(tx, numbers)?;
    found.into_iter().map(|(number, bytes)| Ok((number, bytes?))).collect()
}

/// The bytes of a blob, or why they cannot be had.
type Restored = Result<Vec<u8>, StoreError>;

/// The same, but what is damaged or missing takes nothing else with it.
pub(crate) fn each(tx: &mut Tx<'_>, numbers: &[i64]) -> Result<Vec<(i64, Restored)>, StoreError> {
    // Of versions of one page, the later ones rest on the earlier ones.
    let wanted: BTreeSet<i64> = numbers.iter().copied().collect();
    let (members, rows): (Vec<i64>, Vec<i64>) = wanted.into_iter().partition(|one| *one < 0);
    let mut restoring = Restoring::of(tx, &rows)?;
    let mut all = Vec::with_capacity(members.len() + rows.len());
    for member in members {
        all.push((member, cold::get(tx, member)));
    }
    for number in rows {
        if restoring.blobs.contains_key(&number) {
            let bytes = restoring.checked(tx, number);
            if let Ok(bytes) = &bytes {
                restoring.done.insert(number, bytes.clone());
            }
            all.push((number, bytes));
        }
    }
    Ok(all)
}

/// The bytes behind a number, and what had to be decoded for them.
pub(super) fn with_chain(tx: &mut Tx<'_>, number: i64) -> Result<(Vec<u8>, Chain), StoreError> {
    if number < 0 {
        let bytes = cold::get(tx, number)?;
        let chain = Chain::of(bytes.len());
        return Ok((bytes, chain));
    }
    let mut restoring = Restoring::of(tx, &[number])?;
    let bytes = restoring.checked(tx, number)?;
    let mut chain = Chain::of(0);
    for link in restoring.way(number)? {
        let len = restoring.blobs.get(&link).map_or(0, |blob| blob.raw_size);
        chain = chain.and(len).unwrap_or(chain);
    }
    Ok((bytes, chain))
}

/// A group as it is kept.
pub(super) fn group(tx: &mut Tx<'_>, row: i64) -> Result<Vec<u8>, StoreError> {
    Restoring::of(tx, &[row])?.checked(tx, row)
}

/// The hash of the bytes behind a number, if it has a row.
pub(super) fn hash_of(tx: &mut Tx<'_>, number: i64) -> Result<Option<Hash>, StoreError> {
    tx.value_optional("SELECT hash FROM blob WHERE blob = $1", params![number])
}

/// A blob as it is kept.
struct Stored {
    hash: Hash,
    codec: i64,
    base: Option<i64>,
    raw_size: usize,
    data: Vec<u8>,
}

/// Blobs with all that they rest on, on their way to be restored.
struct Restoring {
    blobs: HashMap<i64, Stored>,
    done: HashMap<i64, Vec<u8>>,
    unpackers: HashMap<Option<i64>, Decompressor<'static>>,
}

impl Restoring {
    fn of(tx: &mut Tx<'_>, numbers: &[i64]) -> Result<Self, StoreError> {
        let rows = tx.query_in(
            "WITH RECURSIVE needed (blob) AS (
                 SELECT blob FROM blob WHERE blob IN ($list)
                 UNION SELECT b.base FROM needed n JOIN blob b ON b.blob = n.blob
                       WHERE b.base IS NOT NULL)
             SELECT b.blob, b.hash, b.codec, b.base, b.raw_size, b.data, b.stored IS NOT NULL
             FROM needed n JOIN blob b ON b.blob = n.blob",
            &[],
            &numbers.iter().map(ToValue::to_value).collect::<Vec<_>>(),
        )?;
        let mut blobs = HashMap::with_capacity(rows.len());
        let mut elsewhere = Vec::new();
        for row in rows {
            let (number, hash, codec) = (row.get(0)?, row.get(1)?, row.get(2)?);
            // What claims to be larger is damaged, and must not be made room for.
            let raw_size = row.get::<i64>(4)?.clamp(0, MOST_RAW) as usize;
            let stored = Stored { hash, codec, base: row.get(3)?, raw_size, data: row.get(5)? };
            blobs.insert(number, stored);
            if row.get(6)? {
                elsewhere.push((number, (hash, codec)));
            }
        }
        if !elsewhere.is_empty() {
            let outside = tx.outside.ok_or(StoreError::NoBlobs)?;
            let names: Vec<_> = elsewhere.iter().map(|(_, name)| *name).collect();
            for ((number, _), data) in elsewhere.iter().zip(outside.get_all(&names)?) {
                // One that is missing stays empty, which its hash tells, and leaves the others as they are.
                if let (Some(data), Some(blob)) = (data, blobs.get_mut(number)) {
                    blob.data = data;
                }
            }
        }
        Ok(Self { blobs, done: HashMap::new(), unpackers: HashMap::new() })
    }

    fn checked(&mut self, tx: &mut Tx<'_>, number: i64) -> Result<Vec<u8>, StoreError> {
        let bytes = self.restore(tx, number)?;
        let expected = self.blobs.get(&number).map(|blob| blob.hash);
        match expected == Some(*blake3::hash(&bytes).as_bytes()) {
            true => Ok(bytes),
            false => Err(StoreError::Damaged(number)),
        }
    }

    /// The rows from a blob down to what rests on nothing, or on the dictionary of its site.
    fn way(&self, number: i64) -> Result<Vec<i64>, StoreError> {
        let (mut way, mut at) = (Vec::new(), number);
        loop {
            let blob = self.blobs.get(&at).ok_or(StoreError::Damaged(number))?;
            way.push(at);
            if way.len() > self.blobs.len() {
                return Err(StoreError::Damaged(number));
            }
            match blob.base.filter(|_| matches!(blob.codec, PATCH | MOVED)) {
                Some(base) if base > 0 && !self.done.contains_key(&base) => at = base,
                _ => return Ok(way),
            }
        }
    }

    fn restore(&mut self, tx: &mut Tx<'_>, number: i64) -> Result<Vec<u8>, StoreError> {
        let damaged = || StoreError::Damaged(number);
        let mut bytes: Option<Vec<u8>> = None;
        for at in self.way(number)?.into_iter().rev() {
            let Self { blobs, done, unpackers } = self;
            let blob = blobs.get(&at).ok_or_else(damaged)?;
            let restored = match (blob.codec, blob.base) {
                (PLAIN | GROUP, _) => blob.data.clone(),
                (ZSTD, base) => unpack(unpackers, blobs, base, blob).ok_or_else(damaged)?,
                (PATCH | MOVED, Some(base)) => {
                    let original = match bytes.take() {
                        Some(below) => below,
                        None if base < 0 => cold::get(tx, base)?,
                        None => done.get(&base).cloned().ok_or_else(damaged)?,
                    };
                    match blob.codec {
                        MOVED => original,
                        _ => patch::apply(&blob.data, &original, blob.raw_size)
                            .ok_or_else(damaged)?,
                    }
                }
                (other, _) => {
                    return Err(StoreError::Unreadable { what: "codec", value: other.to_string() });
                }
            };
            bytes = Some(restored);
        }
        bytes.ok_or_else(damaged)
    }
}

/// Unpacks a frame. There is one unpacker for each dictionary: to load it takes as long as to unpack a page.
fn unpack(
    unpackers: &mut HashMap<Option<i64>, Decompressor<'static>>,
    blobs: &HashMap<i64, Stored>,
    base: Option<i64>,
    blob: &Stored,
) -> Option<Vec<u8>> {
    let unpacker = match unpackers.entry(base) {
        Entry::Occupied(made) => made.into_mut(),
        Entry::Vacant(place) => place.insert(match base {
            None => Decompressor::new().ok()?,
            Some(base) => {
                // A dictionary has none itself.
                let kept = blobs.get(&base).filter(|kept| kept.base.is_none())?;
                let dictionary = match kept.codec {
                    PLAIN => kept.data.clone(),
                    _ => Decompressor::new().ok()?.decompress(&kept.data, kept.raw_size).ok()?,
                };
                Decompressor::with_dictionary(&dictionary).ok()?
            }
        }),
    };
    unpacker.decompress(&blob.data, blob.raw_size).ok()
}
