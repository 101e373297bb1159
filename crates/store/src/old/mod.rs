//! What is hardly ever asked for: of a page with a long history, rows of old blocks, old editions of records and
//! old changes take more room than its bytes. When a site is sealed, they become values, which are sealed in
//! their turn. Whoever asks for them gets them from there.

pub(crate) mod blocks;
pub(crate) mod changes;
pub(crate) mod editions;

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::blob::{self, HasBytes};
use crate::error::StoreError;
use crate::tx::Tx;

/// Fewer than this take less room as rows.
const LEAST: usize = 16;

/// A value on its way into the store.
struct NewValue {
    site: String,
    bytes: Vec<u8>,
}

impl HasBytes for NewValue {
    fn bytes(&self) -> Vec<&[u8]> {
        vec![&self.bytes]
    }
}

/// JSON, a line each: lines that resemble each other are packed well.
fn write_lines<T: Serialize>(lines: &[T]) -> Vec<u8> {
    let mut bytes = Vec::new();
    for line in lines {
        // Numbers and strings, which JSON holds.
        let _ = serde_json::to_writer(&mut bytes, line);
        bytes.push(b'\n');
    }
    bytes
}

/// The lines of these values, in order.
fn read_lines<T: DeserializeOwned>(tx: &mut Tx<'_>, values: &[i64]) -> Result<Vec<T>, StoreError> {
    let mut found = blob::get_all(tx, values)?;
    let mut all = Vec::new();
    for number in values {
        let bytes = found.remove(number).ok_or(StoreError::Damaged(*number))?;
        for line in bytes.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()) {
            all.push(serde_json::from_slice(line).map_err(|_| StoreError::Damaged(*number))?);
        }
    }
    Ok(all)
}
