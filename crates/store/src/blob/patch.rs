//! The hot tier: bytes kept as what differs from others that they resemble.
//!
//! zstd is given the others as a prefix, with long-distance matching: as a dictionary they give patches six times
//! as large. What a patch rests on may be a patch itself. How far that may go is bounded by what has to be
//! decoded to get the bytes back, not by a number of versions: of a page with 10 KB hundreds of versions
//! follow each other, of one with 800 KB thirty.

use zstd::zstd_safe::{CCtx, CParameter, DCtx, compress_bound};

use super::pack::LEVEL;

/// The most bytes that are decoded to restore a blob: 25 ms of them. On six series of real pages 16 MB took
/// 2 % more room, and 48 MB 1 % less.
const MOST_BYTES: u64 = 24 << 20;
/// The most patches on top of each other, each of which is a row to be read.
const MOST_LINKS: u32 = 256;
/// What zstd's window must not exceed for every decoder to take it.
const MOST_WINDOW_LOG: u32 = 27;

/// What has to be read and decoded to restore a blob.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Chain {
    links: u32,
    bytes: u64,
}

impl Chain {
    /// Of bytes that rest on no others.
    pub(super) fn of(len: usize) -> Self {
        Self { links: 0, bytes: len as u64 }
    }

    /// With one more patch on top; `None` if that were too much.
    pub(super) fn and(self, len: usize) -> Option<Self> {
        let longer = Self { links: self.links + 1, bytes: self.bytes + len as u64 };
        (longer.links <= MOST_LINKS && longer.bytes <= MOST_BYTES).then_some(longer)
    }
}

/// What differs from `original`; `None` if zstd cannot tell.
pub(super) fn make(bytes: &[u8], original: &[u8]) -> Option<Vec<u8>> {
    let mut context = CCtx::try_create()?;
    for parameter in [
        CParameter::CompressionLevel(LEVEL),
        CParameter::EnableLongDistanceMatching(true),
        CParameter::WindowLog(window_log(bytes.len() + original.len())?),
    ] {
        context.set_parameter(parameter).ok()?;
    }
    context.ref_prefix(original).ok()?;
    let mut patch = Vec::with_capacity(compress_bound(bytes.len()));
    context.compress2(&mut patch, bytes).ok()?;
    patch.shrink_to_fit();
    Some(patch)
}

/// The bytes, of this size, that differ by `patch` from `original`; `None` if they do not.
pub(super) fn apply(patch: &[u8], original: &[u8], size: usize) -> Option<Vec<u8>> {
    let mut context = DCtx::try_create()?;
    context.ref_prefix(original).ok()?;
    let mut bytes = Vec::with_capacity(size);
    context.decompress(&mut bytes, patch).ok()?;
    (bytes.len() == size).then_some(bytes)
}

/// The window that reaches from the end of the bytes to the beginning of what comes before them.
fn window_log(len: usize) -> Option<u32> {
    let log = len.max(1024).next_power_of_two().ilog2();
    (log <= MOST_WINDOW_LOG).then_some(log)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page(rows: u32, changed: u32) -> Vec<u8> {
        let row = |row: u32| {
            let text = if row == changed { 7 } else { row.wrapping_mul(2_654_435_761) };
            format!("<tr><td>{row}<td>{text:x}</tr>\n")
        };
        (0..rows).map(row).collect::<String>().into_bytes()
    }

    #[test]
    fn a_patch_has_what_differs_and_nothing_else() {
        let (before, after) = (page(20_000, 0), page(20_000, 9_000));
        let patch = make(&after, &before).unwrap();
        assert!(patch.len() < 200, "{} bytes", patch.len());
        assert_eq!(apply(&patch, &before, after.len()), Some(after));
    }

    #[test]
    fn a_patch_of_something_else_is_refused() {
        let patch = make(&page(500, 3), &page(500, 0)).unwrap();
        assert_ne!(apply(&patch, &page(400, 0), page(500, 3).len()), Some(page(500, 3)));
        assert_eq!(apply(&patch, &page(500, 0), 10), None);
        assert_eq!(apply(b"nothing", &page(500, 0), 10), None);
    }

    #[test]
    fn what_has_to_be_decoded_is_bounded() {
        let mut chain = Chain::of(1 << 20);
        let mut links = 0;
        while let Some(longer) = chain.and(1 << 20) {
            (chain, links) = (longer, links + 1);
        }
        assert_eq!(links, 23);
        let small = (0..).try_fold(Chain::of(10), |chain, _| chain.and(10).ok_or(chain));
        assert_eq!(small.unwrap_err().links, MOST_LINKS);
    }
}
