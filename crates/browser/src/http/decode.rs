//! Content decoding with a cap on what comes out.
//!
//! A kilobyte of brotli can stand for a gigabyte, so the cap sits *inside* the decoder, in the
//! writer that it fills: when the writer is full the decoder stops in the middle of a chunk.

use std::io::{self, Write};

use brotli_decompressor::DecompressorWriter;
use flate2::write::{DeflateDecoder, MultiGzDecoder, ZlibDecoder};
use zstd::stream::write::Decoder as ZstdDecoder;

use super::exchange::Cut;

/// Encodings stacked on one body that we undo; more is an attack, not a server.
const MAX_STAGES: usize = 3;
/// RFC 9659: a zstd window on the web is at most 8 MB.
const ZSTD_WINDOW_LOG: u32 = 23;
const BROTLI_BUFFER: usize = 16 * 1024;
const SLICE: usize = 1024;

/// A body without its content encodings (as `Content-Encoding` names them) and at most `cap` bytes of it,
/// and what is wrong with it.
///
/// ```
/// let (body, cut) = browser::http::decoded("identity", b"as it is", 5);
/// assert_eq!((body.as_slice(), cut), (&b"as it"[..], Some(browser::http::Cut::Size)));
/// ```
pub fn decoded(encodings: &str, body: &[u8], cap: usize) -> (Vec<u8>, Option<Cut>) {
    let mut decoded = Body::new(encodings, cap);
    let pushed = decoded.push(body);
    let (bytes, ended) = decoded.finish();
    (bytes, pushed.err().or(ended))
}

/// Collects a body: undoes its content encodings and keeps at most `cap` bytes.
pub(super) struct Body {
    stages: Vec<Stage>,
    out: Capped,
    unknown: Option<String>,
    any: bool,
}

impl Body {
    /// For a body whose `Content-Encoding` is `encodings`, in the order in which the server applied
    /// them.
    pub(super) fn new(encodings: &str, cap: usize) -> Self {
        let names: Vec<String> = encodings
            .split(',')
            .map(|name| name.trim().to_ascii_lowercase())
            .filter(|name| !name.is_empty() && name != "identity")
            .collect();
        let stages: Option<Vec<Stage>> = if names.len() > MAX_STAGES {
            None
        } else {
            names.iter().rev().map(|n| Stage::new(n, cap)).collect()
        };
        let unknown = stages.is_none().then(|| encodings.to_owned());
        Self { stages: stages.unwrap_or_default(), out: Capped::new(cap), unknown, any: false }
    }

    /// Adds bytes as they came over the wire. An error ends the body; what was decoded is kept.
    pub(super) fn push(&mut self, wire: &[u8]) -> Result<(), Cut> {
        self.any |= !wire.is_empty();
        self.pass(wire, false)
    }

    /// The bytes, and what is wrong with them although the connection ended well.
    pub(super) fn finish(mut self) -> (Vec<u8>, Option<Cut>) {
        // An answer without a body may still name an encoding.
        let ended = if self.any { self.pass(&[], true) } else { Ok(()) };
        let unknown = self.unknown.map(|encodings| {
            Cut::Encoding(format!(
                "content-encoding '{encodings}' is unknown; the body is kept as sent"
            ))
        });
        (self.out.bytes, unknown.or(ended.err()))
    }

    fn pass(&mut self, wire: &[u8], last: bool) -> Result<(), Cut> {
        let mut carried: Option<Vec<u8>> = None;
        let mut outcome = Ok(());
        for stage in &mut self.stages {
            let (bytes, result) = stage.push(carried.as_deref().unwrap_or(wire), last);
            carried = Some(bytes);
            outcome = outcome.and(result);
        }
        let kept = self.out.write_all(carried.as_deref().unwrap_or(wire));
        outcome.and(kept).map_err(|error| match error.kind() {
            io::ErrorKind::StorageFull => Cut::Size,
            _ => Cut::Encoding(error.to_string()),
        })
    }
}

enum Stage {
    Gzip(MultiGzDecoder<Capped>),
    /// `deflate` is zlib by the standard and raw deflate on some servers: the first byte tells.
    DeflateUnseen(usize),
    Zlib(ZlibDecoder<Capped>),
    Deflate(DeflateDecoder<Capped>),
    Brotli(Box<DecompressorWriter<Capped>>),
    Zstd(ZstdDecoder<'static, Capped>),
}

impl Stage {
    fn new(name: &str, cap: usize) -> Option<Self> {
        Some(match name {
            "gzip" | "x-gzip" => Self::Gzip(MultiGzDecoder::new(Capped::new(cap))),
            "deflate" => Self::DeflateUnseen(cap),
            "br" => {
                Self::Brotli(Box::new(DecompressorWriter::new(Capped::new(cap), BROTLI_BUFFER)))
            }
            "zstd" => {
                let mut decoder = ZstdDecoder::new(Capped::new(cap)).ok()?;
                decoder.window_log_max(ZSTD_WINDOW_LOG).ok()?;
                Self::Zstd(decoder)
            }
            _ => return None,
        })
    }

    /// What `wire` decodes to, and whether the decoder is well; after the last bytes also whether
    /// the stream was whole.
    fn push(&mut self, wire: &[u8], last: bool) -> (Vec<u8>, io::Result<()>) {
        if let (Self::DeflateUnseen(cap), Some(&first)) = (&*self, wire.first()) {
            // The low four bits of a zlib header are the method: 8 is the only one.
            *self = if first & 0x0f == 8 {
                Self::Zlib(ZlibDecoder::new(Capped::new(*cap)))
            } else {
                Self::Deflate(DeflateDecoder::new(Capped::new(*cap)))
            };
        }
        match self {
            Self::DeflateUnseen(_) => (Vec::new(), Ok(())),
            Self::Gzip(d) => {
                let fed = feed(d, wire).and_then(|()| if last { d.try_finish() } else { Ok(()) });
                (d.get_mut().take(), fed)
            }
            Self::Zlib(d) => {
                let fed = feed(d, wire).and_then(|()| if last { d.try_finish() } else { Ok(()) });
                (d.get_mut().take(), fed)
            }
            Self::Deflate(d) => {
                let fed = feed(d, wire).and_then(|()| if last { d.try_finish() } else { Ok(()) });
                (d.get_mut().take(), fed)
            }
            Self::Brotli(d) => {
                let fed = feed(d.as_mut(), wire);
                let fed = fed.and_then(|()| if last { d.close() } else { Ok(()) });
                (d.get_mut().take(), fed)
            }
            Self::Zstd(d) => {
                let fed = feed(d, wire).and_then(|()| if last { d.do_finish() } else { Ok(()) });
                (d.get_mut().take(), fed)
            }
        }
    }
}

/// In slices: a decoder that meets an error drops what the same slice gave before it.
fn feed(decoder: &mut impl Write, wire: &[u8]) -> io::Result<()> {
    for slice in wire.chunks(SLICE) {
        decoder.write_all(slice)?;
    }
    decoder.flush()
}

/// A buffer that takes `cap` bytes in its life, then says so.
struct Capped {
    bytes: Vec<u8>,
    left: usize,
}

impl Capped {
    fn new(cap: usize) -> Self {
        Self { bytes: Vec::new(), left: cap }
    }

    fn take(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.bytes)
    }
}

impl Write for Capped {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if bytes.is_empty() {
            return Ok(0);
        }
        let taken = bytes.len().min(self.left);
        if taken == 0 {
            return Err(io::ErrorKind::StorageFull.into());
        }
        self.bytes.extend(bytes.iter().take(taken));
        self.left -= taken;
        Ok(taken)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use flate2::Compression;
    use flate2::write::GzEncoder;

    fn gzip(bytes: &[u8]) -> Vec<u8> {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
        encoder.write_all(bytes).expect("memory");
        encoder.finish().expect("memory")
    }

    #[test]
    fn a_stream_may_arrive_byte_by_byte() {
        let wire = gzip(b"slowly but surely");
        let mut body = Body::new("gzip", 100);
        for byte in &wire {
            body.push(&[*byte]).expect("a good stream");
        }
        assert_eq!(body.finish(), (b"slowly but surely".to_vec(), None));
    }

    #[test]
    fn a_stream_that_stops_early_is_not_whole() {
        let text = b"0123456789".repeat(100);
        let zstd = zstd::encode_all(&*text, 3).expect("memory");
        for (name, wire) in [("gzip", gzip(&text)), ("zstd", zstd)] {
            let mut body = Body::new(name, 10_000);
            let short = wire.get(..wire.len() - 9).expect("a longer stream");
            body.push(short).expect("a good start");
            let (_, cut) = body.finish();
            assert!(matches!(cut, Some(Cut::Encoding(_))), "{name}: {cut:?}");
        }
    }

    #[test]
    fn several_gzip_members_are_one_body_and_no_bytes_are_no_error() {
        let mut wire = gzip(b"one ");
        wire.extend(gzip(b"two"));
        let mut body = Body::new("gzip", 100);
        body.push(&wire).expect("a good stream");
        assert_eq!(body.finish(), (b"one two".to_vec(), None));
        assert_eq!(Body::new("gzip", 100).finish(), (Vec::new(), None));
    }

    #[test]
    fn too_many_encodings_are_not_undone() {
        let mut body = Body::new("gzip, gzip, gzip, gzip", 100);
        body.push(b"raw").expect("room");
        let (bytes, cut) = body.finish();
        assert_eq!(bytes, b"raw");
        assert!(matches!(cut, Some(Cut::Encoding(_))));
    }
}
