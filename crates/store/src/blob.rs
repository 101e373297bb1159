//! Bytes: found by hash, kept once, compressed.

use rusqlite::{Connection, OptionalExtension, params};

use crate::error::StoreError;

/// Kept as they are: what zstd could not make smaller.
const PLAIN: i64 = 0;
/// One zstd frame.
const ZSTD: i64 = 1;
/// DESIGN's hot tier: milliseconds per page.
const LEVEL: i32 = 3;

/// Keeps `bytes` and gives the number to refer to them by.
pub(crate) fn put(connection: &Connection, bytes: &[u8]) -> Result<i64, StoreError> {
    let hash = blake3::hash(bytes);
    let known = connection
        .prepare_cached("SELECT blob FROM blob WHERE hash = ?1")?
        .query_row([hash.as_bytes()], |row| row.get(0))
        .optional()?;
    if let Some(number) = known {
        return Ok(number);
    }
    let packed = zstd::bulk::compress(bytes, LEVEL).unwrap_or_default();
    let (codec, data) = match packed.is_empty() || packed.len() >= bytes.len() {
        true => (PLAIN, bytes),
        false => (ZSTD, packed.as_slice()),
    };
    connection
        .prepare_cached(
            "INSERT INTO blob (hash, codec, base, raw_size, data) VALUES (?1, ?2, NULL, ?3, ?4)",
        )?
        .execute(params![hash.as_bytes(), codec, bytes.len() as i64, data])?;
    Ok(connection.last_insert_rowid())
}

/// The bytes behind a number, checked against their hash.
pub(crate) fn get(connection: &Connection, number: i64) -> Result<Vec<u8>, StoreError> {
    let (hash, codec, raw_size, data): (Vec<u8>, i64, i64, Vec<u8>) = connection
        .prepare_cached("SELECT hash, codec, raw_size, data FROM blob WHERE blob = ?1")?
        .query_row([number], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?)))?;
    let bytes = match codec {
        PLAIN => data,
        ZSTD => zstd::bulk::decompress(&data, usize::try_from(raw_size).unwrap_or(0))
            .map_err(|_| StoreError::Damaged(number))?,
        other => {
            return Err(StoreError::Unreadable { what: "codec", value: other.to_string() });
        }
    };
    match blake3::hash(&bytes).as_bytes() == hash.as_slice() {
        true => Ok(bytes),
        false => Err(StoreError::Damaged(number)),
    }
}

/// What a blob takes.
pub(crate) fn stored_size(connection: &Connection, number: i64) -> Result<i64, StoreError> {
    Ok(connection
        .prepare_cached("SELECT length(data) FROM blob WHERE blob = ?1")?
        .query_row([number], |row| row.get(0))?)
}
