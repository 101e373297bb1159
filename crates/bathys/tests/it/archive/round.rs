//! Archives in, and out again.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::path::Path;

use derive::warc::WarcReader;

use super::exported;
use super::oracle::{content, program};
use crate::program::Scratch;
use crate::site::pages;

/// What an archive has captured: kind, address, time and digest of each record, and how often that is there.
/// Two tabs may ask for the same at the same time.
fn captures(path: &Path) -> BTreeSet<(String, usize)> {
    let mut reader = WarcReader::new(File::open(path).unwrap()).unwrap();
    let mut all: BTreeMap<String, usize> = BTreeMap::new();
    while let Some(record) = reader.next_record().unwrap() {
        let header = record.unwrap().header;
        let field = |name: &str| header.get(name).unwrap_or_default().to_owned();
        if ["response", "revisit", "resource", "request"].contains(&header.kind()) {
            let digest = field("WARC-Payload-Digest");
            let (target, date) = (header.target().to_owned(), field("WARC-Date"));
            let line = format!("{} {target} {date} {digest}", header.kind());
            *all.entry(line).or_default() += 1;
        }
    }
    all.into_iter().collect()
}

#[test]
fn what_is_exported_can_be_imported_and_exported_again_without_loss() {
    let exported = exported();
    for name in ["site.warc.gz", "site.wacz"] {
        let scratch = Scratch::new();
        let file = exported.path(name);
        let report = scratch.run(&["import", file.to_str().unwrap(), "--json"]);
        report.ok();
        let keys = |pages: &[serde_json::Value]| -> BTreeSet<String> {
            pages.iter().map(|page| page["key"].to_string()).collect()
        };
        assert_eq!(keys(&pages(&scratch)), keys(&exported.pages));
        scratch.run(&["export", "--warc", "again.warc.gz"]).ok();
        content(program("warcio").arg("check").arg(scratch.path().join("again.warc.gz")));
        let before = captures(&exported.path("site.warc.gz"));
        let after = captures(&scratch.path().join("again.warc.gz"));
        let (lost, new) = (before.difference(&after), after.difference(&before));
        let (lost, new): (Vec<_>, Vec<_>) = (lost.collect(), new.collect());
        assert!(lost.is_empty() && new.is_empty(), "{name}: lost {lost:#?}, new {new:#?}");
        for state in exported.states() {
            let show = ["show", state["key"].as_str().unwrap(), "--as", "text"];
            assert_eq!(scratch.run(&show).ok(), exported.scratch.run(&show).ok());
        }
        // Once more adds nothing.
        let versions =
            |scratch: &Scratch| scratch.run(&["stats", "--json"]).json()["versions"].clone();
        let known = versions(&scratch);
        scratch.run(&["import", file.to_str().unwrap()]).ok();
        assert_eq!(versions(&scratch), known);
        scratch.run(&["export", "--warc", "twice.warc.gz"]).ok();
        assert_eq!(captures(&scratch.path().join("twice.warc.gz")), before);
    }
}

#[test]
fn what_another_writer_wrote_is_imported_with_its_revisits() {
    let scratch = Scratch::new();
    let write = r#"
import gzip, sys
from io import BytesIO
from warcio.warcwriter import WARCWriter
from warcio.statusandheaders import StatusAndHeaders

out = open(sys.argv[1], 'wb')
writer = WARCWriter(out, gzip=True)
def head(*headers): return StatusAndHeaders('200 OK', list(headers), protocol='HTTP/1.0')
def response(url, date, body, *headers):
    record = writer.create_warc_record(url, 'response', payload=BytesIO(body), http_headers=head(*headers),
                                       warc_headers_dict={'WARC-Date': date})
    writer.write_record(record)
    return record
html = ('Content-Type', 'text/html; charset=utf-8')
page = 'http://site.example/'
first = response(page, '2026-01-01T10:00:00Z', gzip.compress('<title>One</title><p>你好'.encode()), html, ('Content-Encoding', 'gzip'))
response('http://site.example/a.png', '2026-01-01T10:00:01Z', b'\x89PNG', ('Content-Type', 'image/png'))
chunked = b'12\r\n<title>Two</title>\r\n0\r\n\r\n'
response(page, '2026-01-02T10:00:00Z', chunked, html, ('Transfer-Encoding', 'chunked'))
again = writer.create_revisit_record(page, first.rec_headers['WARC-Payload-Digest'], page, '2026-01-01T10:00:00Z',
                                     http_headers=head(html), warc_headers_dict={'WARC-Date': '2026-01-03T10:00:00Z'})
writer.write_record(again)
"#;
    let warc = scratch.path().join("other.warc.gz");
    content(program("python").args(["-c", write]).arg(&warc));
    scratch.run(&["import", "other.warc.gz"]).ok();
    let shown = |at: &str| {
        let key = format!("http://site.example/@{at}");
        scratch.run(&["show", &key, "--as", "text"]).ok().trim().to_owned()
    };
    assert_eq!([shown("2026-01-01"), shown("2026-01-03")], ["你好", "你好"]);
    let log = scratch.run(&["log", "http://site.example/", "--all", "--json"]).json_lines();
    assert_eq!(log.len(), 3, "each differs from the one before: {log:?}");
    let raw = scratch.run(&["show", "http://site.example/@2026-01-02", "--as", "raw"]);
    assert_eq!(raw.stdout, b"<title>Two</title>", "without its chunks");
    let raw = scratch.run(&["show", "http://site.example/a.png", "--as", "raw"]);
    assert_eq!(raw.stdout, b"\x89PNG", "what belongs to no page is one itself");
}

/// A page that was loaded twice in one visit, as a crawl does to learn what is volatile in it: what is said of
/// the visit names the second load, and the first is older than the page then is.
#[test]
fn both_loads_of_one_visit_are_kept() {
    let record = |kind: &str, id: u32, second: u32, fields: &str, block: &str| {
        let length = block.len();
        format!(
            "WARC/1.1\r\nWARC-Type: {kind}\r\nWARC-Record-ID: <urn:uuid:{id}>\r\n\
             WARC-Target-URI: http://site.example/\r\nWARC-Date: 2026-01-01T10:00:0{second}Z\r\n\
             WARC-Page-ID: p\r\n{fields}Content-Length: {length}\r\n\r\n{block}\r\n\r\n"
        )
    };
    let answer =
        |word: &str| format!("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<p>{word}");
    let scratch = Scratch::new();
    let warc = [
        record("response", 1, 1, "", &answer("first")),
        record("response", 2, 2, "", &answer("second")),
        record(
            "metadata",
            3,
            0,
            "Content-Type: application/warc-fields\r\nWARC-Concurrent-To: <urn:uuid:2>\r\n",
            "bathys-key: http://site.example/\r\n",
        ),
    ];
    scratch.write("twice.warc", &warc.concat());
    scratch.run(&["import", "twice.warc"]).ok();
    let shown = scratch.run(&["show", "http://site.example/@2026-01-01T10:00:00Z", "--as", "text"]);
    assert_eq!(shown.ok().trim(), "second");
    scratch.run(&["export", "--warc", "again.warc.gz"]).ok();
    let again = captures(&scratch.path().join("again.warc.gz"));
    let responses = again.iter().filter(|(line, _)| line.starts_with("response"));
    assert_eq!(responses.count(), 2, "{again:#?}");
}

#[test]
fn a_damaged_record_is_named_with_its_place_and_can_be_skipped() {
    let scratch = Scratch::new();
    let mut bytes = std::fs::read(exported().path("site.warc.gz")).unwrap();
    let mut reader = WarcReader::new(std::io::Cursor::new(bytes.clone())).unwrap();
    let mut places = Vec::new();
    while let Some(record) = reader.next_record().unwrap() {
        places.push(record.unwrap().place.offset as usize);
    }
    bytes[places[3] + 40..places[4] - 10].fill(0);
    std::fs::write(scratch.path().join("bad.warc.gz"), bytes).unwrap();
    let ended = scratch.run(&["import", "bad.warc.gz"]);
    let offset = places[3];
    let said = format!(
        "read 3 of {} records of bad.warc.gz: record 4 has a broken gzip member",
        places.len()
    );
    let place = format!("at byte {offset}");
    ended.failed(1, &[&said, "--skip-bad"]);
    assert!(ended.stderr.replace(',', "").contains(&place), "{}: {place}", ended.stderr);
    let ended = scratch.run(&["import", "bad.warc.gz", "--skip-bad"]);
    ended.ok();
    assert!(ended.stderr.contains("1 damaged records are skipped"), "{}", ended.stderr);
}
