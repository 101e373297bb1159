//! Bodies that are too large, too deep, or no text at all.

use std::sync::LazyLock;

use axum::body::{Body, Bytes};
use axum::http::header::{CONTENT_ENCODING, CONTENT_TYPE};
use axum::response::{IntoResponse, Response};
use axum::routing::{MethodRouter, get};
use flate2::{Compress, Compression, Crc, FlushCompress};

use super::stream::Repeated;
use super::{Attack, marker, opening};

/// The size of a part of a large body.
const PART: usize = 1 << 20;
/// Parts of a body of 200 MB and a little more.
const LARGE: u64 = 200;
/// Parts of the bomb: 1.1 GB when it is unpacked.
const BOMB: u32 = 1_100;
const HTML: &str = "text/html; charset=utf-8";

pub(super) fn attacks() -> Vec<Attack> {
    let body = |name, about, answer| Attack::new("body", name, about, answer);
    vec![
        body("large-html", "200 MB of HTML", get(async || repeated("large-html", HTML, "<p>more of it</p>\n", LARGE))),
        body(
            "large-binary",
            "200 MB that are no text",
            get(async || repeated("large-binary", "application/octet-stream", "\0\u{1}\u{2}\u{3}", LARGE)),
        )
        .without_page(200),
        body("gzip-bomb", "1 MB that unpacks to 1.1 GB", get(async || gzip_bomb())),
        body("nodes", "a million elements in HTML", get(async || exactly("nodes", "<b>x</b>", 1_000_000))),
        body("nested", "1 MB of nested elements", get(async || exactly("nested", "<div>", 210_000))),
        body("attributes", "an element with 10,000 attributes", get(async || {
            let attributes: String = (0..10_000).map(|n| format!(" a{n}=\"{n}\"")).collect();
            super::page("attributes", &format!("<div{attributes}>end</div>"))
        })),
        body("title", "a title of 2 MB", get(async || {
            let title = "title ".repeat(350_000);
            super::page("title", &format!("<title>{title}</title><svg><title>{title}</title></svg>"))
        })),
        body("one-word", "a text of 8 MB without a space", get(async || exactly("one-word", "wordwordwordword", 500_000))),
        body("bad-utf8", "bytes that are no UTF-8", bytes("bad-utf8", HTML, b"<p>\xff\xfe\xc0\xaf\xed\xa0\x80\xf5 end</p>")),
        body("nul", "NULs in text, names and attributes", bytes("nul", HTML, b"<p>a\0b</p><di\0v cl\0ass=\"x\0y\">\0</di\0v><scr\0ipt>1</scr\0ipt>")),
        body("wrong-charset", "GBK that says it is UTF-8", bytes("wrong-charset", HTML, b"<p>\xd6\xd0\xce\xc4\xc2\xdb\xcc\xb3</p>")),
        body("unknown-charset", "a charset that nobody knows", bytes("unknown-charset", "text/html; charset=x-klingon-8", "<p>caf\u{e9}</p>".as_bytes())),
        body("no-type", "HTML without a type", bytes("no-type", "", b"<p>end</p>")),
        body("broken-tags", "tags that were never meant to be read", bytes("broken-tags", HTML, b"</p></body></html><<a href=<b \"'<table><tr><p><form><form></table></p><select><table><script><!--<script>")),
    ]
}

/// The marker, and then `unit` until `parts` megabytes are sent.
fn repeated(name: &str, content_type: &'static str, unit: &str, parts: u64) -> Response {
    let chunk = unit.repeat(PART / unit.len() + 1);
    let body = Repeated {
        head: opening(name).into(),
        chunk: chunk.into(),
        times: parts,
        tail: Bytes::new(),
    };
    ([(CONTENT_TYPE, content_type)], Body::new(body)).into_response()
}

/// The marker, and then `unit` so many times.
fn exactly(name: &str, unit: &str, times: usize) -> Response {
    let lot = 10_000;
    let body = Repeated {
        head: opening(name).into(),
        chunk: unit.repeat(lot).into(),
        times: (times / lot) as u64,
        tail: unit.repeat(times % lot).into(),
    };
    ([(CONTENT_TYPE, HTML)], Body::new(body)).into_response()
}

/// The marker, and then these bytes.
fn bytes(name: &'static str, content_type: &'static str, rest: &'static [u8]) -> MethodRouter {
    get(async move || {
        // Without a declaration of its own: the header is the only one.
        let mut page =
            format!("<!DOCTYPE html><title>{name}</title><p>{}</p>\n", marker(name)).into_bytes();
        page.extend_from_slice(rest);
        if content_type.is_empty() {
            return Body::from(page).into_response();
        }
        ([(CONTENT_TYPE, content_type)], page).into_response()
    })
}

/// A gzip stream made of parts that stand for themselves, so that one part can be sent many times.
struct Bomb {
    head: Bytes,
    part: Bytes,
    tail: Bytes,
}

fn gzip_bomb() -> Response {
    static READY: LazyLock<Bomb> = LazyLock::new(|| Bomb::build(&opening("gzip-bomb"), BOMB));
    let body = Repeated {
        head: READY.head.clone(),
        chunk: READY.part.clone(),
        times: u64::from(BOMB),
        tail: READY.tail.clone(),
    };
    ([(CONTENT_TYPE, HTML), (CONTENT_ENCODING, "gzip")], Body::new(body)).into_response()
}

impl Bomb {
    /// `opening`, and then `times` megabytes of spaces.
    fn build(opening: &str, times: u32) -> Bomb {
        let spaces = " ".repeat(PART);
        let mut crc = Crc::new();
        crc.update(opening.as_bytes());
        let mut part_crc = Crc::new();
        part_crc.update(spaces.as_bytes());
        for _ in 0..times {
            crc.combine(&part_crc);
        }

        // Header without a name or a time (RFC 1952); the end is an empty last block, the sum and
        // the length modulo 2^32.
        let mut head = vec![0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 2, 255];
        head.extend(flushed(opening.as_bytes()));
        let mut tail = vec![0x03, 0x00];
        tail.extend(crc.sum().to_le_bytes());
        tail.extend(crc.amount().to_le_bytes());
        Bomb { head: head.into(), part: flushed(spaces.as_bytes()).into(), tail: tail.into() }
    }
}

/// Deflated, ending at a byte and referring to nothing before it.
fn flushed(data: &[u8]) -> Vec<u8> {
    let mut packed = Vec::with_capacity(data.len() + 64);
    // It has room for all of it, so one call does it and cannot fail.
    let _ = Compress::new(Compression::best(), false).compress_vec(
        data,
        &mut packed,
        FlushCompress::Full,
    );
    packed
}

#[cfg(test)]
mod tests {
    use std::io::Read;

    use super::*;

    #[test]
    fn the_bomb_is_a_valid_gzip_stream_and_small() {
        let bomb = Bomb::build("<p>begin</p>", 3);
        let mut packed = bomb.head.to_vec();
        for _ in 0..3 {
            packed.extend_from_slice(&bomb.part);
        }
        packed.extend_from_slice(&bomb.tail);
        let mut unpacked = String::new();
        flate2::read::GzDecoder::new(packed.as_slice())
            .read_to_string(&mut unpacked)
            .expect("the sum is right");
        assert_eq!(unpacked.len(), 12 + 3 * PART);
        assert!(unpacked.starts_with("<p>begin</p>   "));
        assert!(bomb.part.len() < 2_000, "{} bytes a megabyte", bomb.part.len());
    }
}
