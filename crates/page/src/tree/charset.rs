//! Which encoding a page is in: byte-order mark, HTTP header, `<meta>`, detection, in this order
//! (HTML, "determining the character encoding").

use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};
use encoding_rs::{Encoding, UTF_8, UTF_16BE, UTF_16LE, WINDOWS_1252, X_USER_DEFINED};
use std::borrow::Cow;

/// What told the encoding of a page.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Source {
    /// A byte-order mark.
    Mark,
    /// The HTTP header.
    Header,
    /// A `<meta>` element.
    Meta,
    /// Looking at the bytes.
    Detected,
    /// The text came decoded.
    Given,
}

/// A page as text.
#[derive(Debug)]
pub struct Decoded<'a> {
    /// The text, without a byte-order mark.
    pub text: Cow<'a, str>,
    /// The encoding that the bytes were read in.
    pub encoding: &'static Encoding,
    /// What told it.
    pub source: Source,
    /// Whether some bytes were no text in that encoding.
    pub malformed: bool,
}

/// Decodes a page as received.
///
/// ```
/// use page::tree::charset::{Source, decode};
///
/// let page = decode(b"<meta charset=big5>\xa4\xa4\xa4\xe5", Some("text/html"));
/// assert_eq!((&*page.text, page.source), ("<meta charset=big5>中文", Source::Meta));
/// ```
pub fn decode<'a>(bytes: &'a [u8], content_type: Option<&str>) -> Decoded<'a> {
    let (encoding, source) = encoding_of(bytes, content_type);
    let (text, malformed) = match source {
        Source::Mark => encoding.decode_with_bom_removal(bytes),
        _ => encoding.decode_without_bom_handling(bytes),
    };
    Decoded { text, encoding, source, malformed }
}

/// The encoding of a page, and what told it.
pub fn encoding_of(bytes: &[u8], content_type: Option<&str>) -> (&'static Encoding, Source) {
    if let Some((encoding, _)) = Encoding::for_bom(bytes) {
        return (encoding, Source::Mark);
    }
    if let Some(encoding) = content_type.and_then(|header| label_in(header.as_bytes())) {
        return (encoding, Source::Header);
    }
    if let Some(encoding) = from_meta(&bytes[..bytes.len().min(PRESCAN)]) {
        return (encoding, Source::Meta);
    }
    (detect(bytes), Source::Detected)
}

/// How far to look for `<meta>`. The standard's prescan ends at 1,024 bytes but browsers go on
/// looking while they parse; real pages have it as far down as 10 KB.
const PRESCAN: usize = 16 << 10;

fn detect(bytes: &[u8]) -> &'static Encoding {
    // UTF-16 without a mark: no other encoding has markup with every second byte zero.
    match bytes {
        [b'<', 0, b'!' | b'?' | b'h' | b'H', 0, ..] => return UTF_16LE,
        [0, b'<', 0, b'!' | b'?' | b'h' | b'H', ..] => return UTF_16BE,
        _ => {}
    }
    let sample = &bytes[..bytes.len().min(1 << 20)];
    if is_utf8(sample) {
        return UTF_8;
    }
    let mut detector = EncodingDetector::new(Iso2022JpDetection::Deny);
    detector.feed(sample, sample.len() == bytes.len());
    detector.guess(None, Utf8Detection::Allow)
}

/// Valid UTF-8, but for a character cut at the end of the sample.
fn is_utf8(bytes: &[u8]) -> bool {
    match std::str::from_utf8(bytes) {
        Ok(_) => true,
        Err(error) => error.error_len().is_none(),
    }
}

/// The encoding of the first `<meta>` that names one, outside comments.
fn from_meta(bytes: &[u8]) -> Option<&'static Encoding> {
    let mut at = 0;
    while let Some(found) = memchr::memchr(b'<', &bytes[at..]) {
        at += found;
        let rest = &bytes[at..];
        if rest.starts_with(b"<!--") {
            at += memchr::memmem::find(&rest[2..], b"-->").map_or(rest.len(), |end| 2 + end + 3);
        } else if starts_with_word(rest, b"<meta") {
            let end = tag_end(rest);
            if let Some(encoding) = meta_label(&rest[5..end]) {
                return Some(for_document(encoding));
            }
            at += end;
        } else {
            at += 1;
        }
        if at >= bytes.len() {
            break;
        }
    }
    None
}

fn starts_with_word(bytes: &[u8], word: &[u8]) -> bool {
    bytes.len() > word.len()
        && bytes[..word.len()].eq_ignore_ascii_case(word)
        && (bytes[word.len()].is_ascii_whitespace() || bytes[word.len()] == b'/')
}

/// Where the tag ends, a `>` in quotes not counting.
fn tag_end(tag: &[u8]) -> usize {
    let mut quote = None;
    for (i, &byte) in tag.iter().enumerate() {
        match (quote, byte) {
            (None, b'>') => return i,
            (None, b'"' | b'\'') => quote = Some(byte),
            (Some(open), _) if open == byte => quote = None,
            _ => {}
        }
    }
    tag.len()
}

/// `charset=x`, or `content="…; charset=x"` beside `http-equiv`; both are found by the word.
fn meta_label(attributes: &[u8]) -> Option<&'static Encoding> {
    label_in(attributes)
}

/// The encoding named after the word `charset` and `=`.
fn label_in(text: &[u8]) -> Option<&'static Encoding> {
    let mut rest = text;
    loop {
        let at = rest.windows(7).position(|word| word.eq_ignore_ascii_case(b"charset"))?;
        rest = rest[at + 7..].trim_ascii_start();
        let Some(after) = rest.strip_prefix(b"=") else {
            continue;
        };
        let after = after.trim_ascii_start();
        let label = match after.first() {
            Some(&quote @ (b'"' | b'\'')) => after[1..].split(|&b| b == quote).next()?,
            _ => after.split(|b| b.is_ascii_whitespace() || b";\"'>/".contains(b)).next()?,
        };
        if let Some(encoding) = Encoding::for_label(label) {
            return Some(encoding);
        }
    }
}

/// A page whose `<meta>` could be read as ASCII is not in UTF-16, whatever it says.
fn for_document(encoding: &'static Encoding) -> &'static Encoding {
    if encoding == UTF_16LE || encoding == UTF_16BE {
        UTF_8
    } else if encoding == X_USER_DEFINED {
        WINDOWS_1252
    } else {
        encoding
    }
}
