//! Bytes: found by hash, kept once, compressed.

use std::collections::{BTreeMap, HashMap};

use crate::error::StoreError;
use crate::tx::{ToValue, Tx, params};

/// Kept as they are: what zstd could not make smaller.
const PLAIN: i64 = 0;
/// One zstd frame.
const ZSTD: i64 = 1;
/// DESIGN's hot tier: milliseconds per page.
const LEVEL: i32 = 3;

/// Keeps each of these and gives the numbers to refer to them by, in order.
pub(crate) fn put_all(
    tx: &mut Tx<'_>,
    all: &[Option<&[u8]>],
) -> Result<Vec<Option<i64>>, StoreError> {
    let hashes: Vec<_> =
        all.iter().map(|bytes| bytes.map(|bytes| *blake3::hash(bytes).as_bytes())).collect();
    // In order of their hashes, so that two writers never wait for each other.
    let wanted: BTreeMap<[u8; 32], &[u8]> =
        hashes.iter().zip(all).filter_map(|(hash, bytes)| (*hash).zip(*bytes)).collect();
    let mut known = numbers(tx, wanted.keys())?;
    let new = wanted.iter().filter(|(hash, _)| !known.contains_key(*hash));
    let packed: Vec<_> = new.clone().map(|(_, bytes)| pack(bytes)).collect();
    let rows: Vec<_> = new
        .zip(&packed)
        .map(|((hash, bytes), (codec, data))| {
            params![hash, codec, bytes.len() as i64, data.as_deref().unwrap_or(bytes)].to_vec()
        })
        .collect();
    if !rows.is_empty() {
        let into = "INSERT INTO blob (hash, codec, raw_size, data)";
        tx.insert(into, &rows, "ON CONFLICT (hash) DO NOTHING")?;
        known = numbers(tx, wanted.keys())?;
    }
    let number = |hash: &[u8; 32]| known.get(hash).copied().ok_or(StoreError::NoCatalog);
    hashes.iter().map(|hash| hash.as_ref().map(number).transpose()).collect()
}

/// Keeps `bytes` and gives the number to refer to them by.
pub(crate) fn put(tx: &mut Tx<'_>, bytes: Option<&[u8]>) -> Result<Option<i64>, StoreError> {
    Ok(put_all(tx, &[bytes])?.pop().flatten())
}

fn numbers<'a>(
    tx: &mut Tx<'_>,
    hashes: impl Iterator<Item = &'a [u8; 32]>,
) -> Result<HashMap<[u8; 32], i64>, StoreError> {
    let hashes: Vec<_> = hashes.map(ToValue::to_value).collect();
    let rows = tx.query_in("SELECT hash, blob FROM blob WHERE hash IN ($list)", &[], &hashes)?;
    rows.iter().map(|row| Ok((row.get(0)?, row.get(1)?))).collect()
}

/// How bytes are kept, and as what if not as they are.
fn pack(bytes: &[u8]) -> (i64, Option<Vec<u8>>) {
    let packed = zstd::bulk::compress(bytes, LEVEL).unwrap_or_default();
    match packed.is_empty() || packed.len() >= bytes.len() {
        true => (PLAIN, None),
        false => (ZSTD, Some(packed)),
    }
}

/// The bytes behind a number, checked against their hash.
pub(crate) fn get(tx: &mut Tx<'_>, number: i64) -> Result<Vec<u8>, StoreError> {
    find(tx, number)?.ok_or(StoreError::Damaged(number))
}

/// The same, or nothing if there is no such number.
pub(crate) fn find(tx: &mut Tx<'_>, number: i64) -> Result<Option<Vec<u8>>, StoreError> {
    let row = tx.query_optional(
        "SELECT hash, codec, raw_size, data FROM blob WHERE blob = $1",
        params![number],
    )?;
    let Some(row) = row else { return Ok(None) };
    let (hash, codec, raw_size, data): ([u8; 32], i64, i64, Vec<u8>) =
        (row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?);
    let bytes = match codec {
        PLAIN => data,
        ZSTD => zstd::bulk::decompress(&data, usize::try_from(raw_size).unwrap_or(0))
            .map_err(|_| StoreError::Damaged(number))?,
        other => {
            return Err(StoreError::Unreadable { what: "codec", value: other.to_string() });
        }
    };
    match *blake3::hash(&bytes).as_bytes() == hash {
        true => Ok(Some(bytes)),
        false => Err(StoreError::Damaged(number)),
    }
}
