//! PPMd, variant H with the range coder of 7z, over byte strings of known length.
//!
//! A stream may continue a text that the reader has, too: the writer codes that text first and leaves out
//! the bytes that this gave, the reader codes it again to have them. So the model knows the text, at twice
//! the time that reading it would take.

use std::io::{Read, Write};

use ppmd_rust::{Ppmd7Decoder, Ppmd7Encoder};

use crate::PackError;

/// The most memory of a model, in mebibytes.
const MAX_MEMORY: u8 = 128;

/// How a stream is modelled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Model {
    /// The bytes of context, 2 to 64.
    order: u8,
    /// Mebibytes of memory; the model begins anew when they are full.
    memory: u8,
}

impl Model {
    pub(crate) const fn new(order: u8, memory: u8) -> Option<Self> {
        if order < 2 || order > 64 || memory == 0 || memory > MAX_MEMORY {
            return None;
        }
        Some(Self { order, memory })
    }

    /// A model with enough memory for that many bytes.
    pub(crate) fn for_bytes(order: u8, bytes: usize) -> Self {
        let memory = (bytes
            .saturating_mul(std::env::var("MULT").map_or(MEMORY_OF_BYTE, |v| v.parse().unwrap()))
            >> 20)
            + 1;
        Self { order: order.clamp(2, 64), memory: memory.min(MAX_MEMORY.into()) as u8 }
    }

    /// The two bytes that say it in a group.
    pub(crate) fn to_bytes(self) -> [u8; 2] {
        [self.order, self.memory]
    }

    fn encoder(self) -> Option<Ppmd7Encoder<Vec<u8>>> {
        Ppmd7Encoder::new(Vec::new(), self.order.into(), u32::from(self.memory) << 20).ok()
    }

    /// Packs `bytes` as what follows `known`. None if the machine has no memory left for the model.
    pub(crate) fn pack(self, known: &[u8], bytes: &[u8]) -> Option<Vec<u8>> {
        if bytes.is_empty() {
            return Some(Vec::new());
        }
        let mut encoder = self.encoder()?;
        encoder.write_all(known).ok()?;
        let before = encoder.get_ref().len();
        encoder.write_all(bytes).ok()?;
        let mut packed = encoder.finish(false).ok()?;
        packed.drain(..before);
        Some(packed)
    }

    /// Unpacks `length` bytes that follow `known`, or the first of more.
    pub(crate) fn unpack(
        self,
        known: &[u8],
        packed: &[u8],
        length: usize,
    ) -> Result<Vec<u8>, PackError> {
        if length == 0 {
            return Ok(Vec::new());
        }
        const NO_MEMORY: PackError = PackError::Damaged("there is no memory for its model");
        let mut encoder = self.encoder().ok_or(NO_MEMORY)?;
        encoder.write_all(known).map_err(|_| NO_MEMORY)?;
        let before = encoder.into_inner();
        let mut decoder = Ppmd7Decoder::new(
            before.chain(packed),
            self.order.into(),
            u32::from(self.memory) << 20,
        )
        .map_err(|_| PackError::Damaged("a stream does not begin as streams do"))?;
        let ends = |_| PackError::Damaged("a stream ends too early");
        let mut out = vec![0; known.len()];
        decoder.read_exact(&mut out).map_err(ends)?;
        if out != known {
            return Err(PackError::Damaged("a stream does not follow its base"));
        }
        out.clear();
        decoder.take(length as u64).read_to_end(&mut out).map_err(ends)?;
        if out.len() != length {
            return Err(PackError::Damaged("a stream ends too early"));
        }
        Ok(out)
    }
}

/// The memory that a byte takes in the model.
const MEMORY_OF_BYTE: usize = 24;
