//! Numbers in as few bytes as they need: seven bits a byte, the lowest first (LEB128).

use crate::PackError;

pub(crate) fn write(out: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        out.push(number as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
}

/// Reads a number from the front of `bytes` and leaves what follows it.
pub(crate) fn read(bytes: &mut &[u8]) -> Result<u64, PackError> {
    let mut number = 0;
    for shift in (0..64).step_by(7) {
        let [first, rest @ ..] = *bytes else {
            return Err(PackError::Damaged("it ends within a number"));
        };
        *bytes = rest;
        number |= u64::from(first & 0x7f) << shift;
        if *first < 0x80 {
            return Ok(number);
        }
    }
    Err(PackError::Damaged("a number has more than 64 bits"))
}

/// Small numbers of either sign as small numbers: 0, -1, 1, -2, 2…
pub(crate) fn fold(number: i64) -> u64 {
    (number << 1 ^ number >> 63) as u64
}

pub(crate) fn unfold(number: u64) -> i64 {
    (number >> 1) as i64 ^ -((number & 1) as i64)
}
