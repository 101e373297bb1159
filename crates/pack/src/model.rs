//! PPMd (variant H, as in 7z) over a byte string of known length.

use std::io::{Read, Write};

use ppmd_rust::{Ppmd7Decoder, Ppmd7Encoder};

use crate::PackError;

/// How a stream is modelled: how many bytes of context, and how much memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Model {
    pub(crate) order: u8,
    /// Mebibytes.
    pub(crate) memory: u8,
}

impl Model {
    pub(crate) fn pack(self, bytes: &[u8]) -> Vec<u8> {
        if bytes.is_empty() {
            return Vec::new();
        }
        let mut encoder =
            Ppmd7Encoder::new(Vec::new(), self.order.into(), u32::from(self.memory) << 20).unwrap();
        encoder.write_all(bytes).unwrap();
        encoder.finish(false).unwrap()
    }

    pub(crate) fn unpack(self, packed: &[u8], length: usize) -> Result<Vec<u8>, PackError> {
        if length == 0 {
            return Ok(Vec::new());
        }
        let mut decoder =
            Ppmd7Decoder::new(packed, self.order.into(), u32::from(self.memory) << 20)
                .map_err(|_| PackError::Damaged("no model"))?;
        let mut out = vec![0; length];
        decoder.read_exact(&mut out).map_err(|_| PackError::Damaged("stream ends"))?;
        Ok(out)
    }
}
