//! A record of a WARC 1.1 file (ISO 28500:2017), and the file that records are written to.

use std::fmt;
use std::io::{self, Write};

use flate2::{Compress, Compression, FlushCompress, Status};
use store::Millis;

use super::digest::PayloadDigest;

/// Largest window that gzip knows.
const WINDOW_BITS: u8 = 15;

/// What a record is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RecordKind {
    /// About the file.
    Warcinfo,
    /// What was asked.
    Request,
    /// What was answered.
    Response,
    /// What was answered again.
    Revisit,
    /// Content that came by no protocol.
    Resource,
    /// About another record.
    Metadata,
}

impl RecordKind {
    /// As it is written down.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Warcinfo => "warcinfo",
            Self::Request => "request",
            Self::Response => "response",
            Self::Revisit => "revisit",
            Self::Resource => "resource",
            Self::Metadata => "metadata",
        }
    }
}

/// Names a record in all the world, and is the same whenever it is written again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct RecordId([u8; 16]);

impl RecordId {
    /// The name of what these parts tell from everything else.
    pub fn of(parts: &[&[u8]]) -> Self {
        let mut hash = blake3::Hasher::new_derive_key("bathys 2026 names of WARC records");
        for part in parts {
            hash.update(&(part.len() as u64).to_le_bytes());
            hash.update(part);
        }
        let mut id = [0; 16];
        hash.finalize_xof().fill(&mut id);
        // A UUID of version 8: made in a way of one's own (RFC 9562).
        id[6] = id[6] & 0x0f | 0x80;
        id[8] = id[8] & 0x3f | 0x80;
        Self(id)
    }
}

/// As a UUID.
impl fmt::Display for RecordId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, byte) in self.0.iter().enumerate() {
            if matches!(at, 4 | 6 | 8 | 10) {
                f.write_str("-")?;
            }
            write!(f, "{byte:02x}")?;
        }
        Ok(())
    }
}

/// A record to write.
#[derive(Clone, Debug)]
pub struct WarcRecord<'a> {
    /// What it is.
    pub kind: RecordKind,
    /// Its name.
    pub id: RecordId,
    /// When what it holds was captured.
    pub date: Millis,
    /// What it is about, for all but a warcinfo.
    pub target: Option<&'a str>,
    /// What its block is; a block without one is empty.
    pub content_type: Option<&'a str>,
    /// Further named fields.
    pub fields: Vec<(&'static str, String)>,
    /// What stands in the block before the payload: the head of an HTTP message.
    pub head: &'a [u8],
    /// The payload.
    pub payload: &'a [u8],
    /// The digest of the payload, of the one that is revisited for a revisit; `None` writes none.
    pub payload_digest: Option<PayloadDigest>,
}

impl WarcRecord<'_> {
    fn header(&self) -> Vec<u8> {
        let mut header = String::from("WARC/1.1\r\n");
        let mut field = |name: &str, value: &dyn fmt::Display| {
            let at = header.len();
            header.push_str(name);
            header.push_str(": ");
            header.push_str(&value.to_string());
            // Neither an address nor a reason may begin another field.
            if header[at..].contains(['\r', '\n']) {
                let one_line = header[at..].replace(['\r', '\n'], " ");
                header.replace_range(at.., &one_line);
            }
            header.push_str("\r\n");
        };
        field("WARC-Type", &self.kind.as_str());
        field("WARC-Record-ID", &format_args!("<urn:uuid:{}>", self.id));
        field("WARC-Date", &WarcDate(self.date));
        if let Some(target) = self.target {
            field("WARC-Target-URI", &target);
        }
        for (name, value) in &self.fields {
            field(name, value);
        }
        let block = match (&self.payload_digest, self.head) {
            (Some(digest), []) if self.kind != RecordKind::Revisit => *digest,
            _ => PayloadDigest::of(&[self.head, self.payload]),
        };
        if let Some(digest) = &self.payload_digest {
            field("WARC-Payload-Digest", digest);
        }
        field("WARC-Block-Digest", &block);
        if let Some(content_type) = self.content_type {
            field("Content-Type", &content_type);
        }
        field("Content-Length", &(self.head.len() + self.payload.len()));
        header.push_str("\r\n");
        header.into_bytes()
    }
}

/// A moment as WARC 1.1 writes it: as exactly as it is known, to the millisecond.
pub struct WarcDate(pub Millis);

impl fmt::Display for WarcDate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = self.0.to_string();
        f.write_str(&text.replace(".000Z", "Z"))
    }
}

/// Where a record lies in its file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RecordPlace {
    /// Bytes before it.
    pub offset: u64,
    /// Bytes that it takes.
    pub length: u64,
}

/// A WARC file that is being written: a gzip member for each record, so that each can be read by itself.
pub struct WarcWriter<W> {
    out: W,
    written: u64,
    /// `None` writes records as they are.
    gzip: Option<Compress>,
    member: Vec<u8>,
}

impl<W: Write> WarcWriter<W> {
    /// A file with nothing in it, with this level of gzip (1 to 9) or, if `None`, without.
    ///
    /// ```
    /// use publish::warc::{RecordId, RecordKind, WarcRecord, WarcWriter};
    ///
    /// let mut file = WarcWriter::new(Vec::new(), None);
    /// let record = WarcRecord {
    ///     kind: RecordKind::Resource,
    ///     id: RecordId::of(&[b"an example"]),
    ///     date: store::Millis(0),
    ///     target: Some("https://example.org/"),
    ///     content_type: Some("text/plain"),
    ///     fields: Vec::new(),
    ///     head: b"",
    ///     payload: b"hello",
    ///     payload_digest: None,
    /// };
    /// let place = file.write(&record).unwrap();
    /// assert_eq!(place.length, file.into_inner().len() as u64);
    /// ```
    pub fn new(out: W, gzip: Option<u32>) -> Self {
        let level = |level: u32| Compression::new(level.clamp(1, 9));
        let gzip = gzip.map(|gzip| Compress::new_gzip(level(gzip), WINDOW_BITS));
        Self { out, written: 0, gzip, member: Vec::new() }
    }

    /// Writes a record.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn write(&mut self, record: &WarcRecord<'_>) -> io::Result<RecordPlace> {
        let header = record.header();
        let parts = [header.as_slice(), record.head, record.payload, b"\r\n\r\n"];
        let offset = self.written;
        match &mut self.gzip {
            Some(gzip) => {
                self.member.clear();
                gzip.reset();
                for (at, part) in parts.iter().enumerate() {
                    compress(gzip, part, &mut self.member, at + 1 == parts.len())?;
                }
                self.out.write_all(&self.member)?;
                self.written += self.member.len() as u64;
            }
            None => {
                for part in parts {
                    self.out.write_all(part)?;
                    self.written += part.len() as u64;
                }
            }
        }
        Ok(RecordPlace { offset, length: self.written - offset })
    }

    /// Bytes written so far.
    pub fn written(&self) -> u64 {
        self.written
    }

    /// What was written to.
    pub fn into_inner(self) -> W {
        self.out
    }
}

/// Adds a part to a gzip member, and its end behind the last.
fn compress(
    gzip: &mut Compress,
    mut part: &[u8],
    member: &mut Vec<u8>,
    is_last: bool,
) -> io::Result<()> {
    let flush = if is_last { FlushCompress::Finish } else { FlushCompress::None };
    loop {
        // Whatever does not shrink fits at once, headers of the member and its blocks included.
        member.reserve(part.len() + part.len() / 1000 + 64);
        let before = gzip.total_in();
        let status = gzip.compress_vec(part, member, flush).map_err(io::Error::other)?;
        part = part.get((gzip.total_in() - before) as usize..).unwrap_or_default();
        match status {
            Status::StreamEnd => return Ok(()),
            _ if part.is_empty() && !is_last => return Ok(()),
            _ => {}
        }
    }
}
