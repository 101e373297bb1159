//! Standard files: what we write is what other software reads, checks and replays, and what others wrote
//! can be read.

pub mod oracle;
mod replay;
mod round;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::LazyLock;

use serde_json::Value;
use testsite::{Options, SiteKind};

use crate::program::{Scratch, has_fields};
use crate::site::{pages, serve_with, stop};
use oracle::{content, program, script};

/// A site that was crawled twice, and once more with another article, and exported as every kind of file.
pub struct Exported {
    pub scratch: Scratch,
    pub start: String,
    /// The pages as `bathys pages` lists them.
    pub pages: Vec<Value>,
}

impl Exported {
    pub fn path(&self, name: &str) -> PathBuf {
        self.scratch.path().join(name)
    }

    pub fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.path(name)).unwrap()
    }

    /// Pages that only events reach.
    pub fn states(&self) -> impl Iterator<Item = &Value> {
        self.pages
            .iter()
            .filter(|page| page["path"].as_array().is_some_and(|path| !path.is_empty()))
    }
}

pub fn exported() -> &'static Exported {
    static EXPORTED: LazyLock<Exported> = LazyLock::new(|| {
        let scratch = Scratch::lasting("archive");
        let options = Options { size: 2, volatile: false, ..Options::default() };
        let site = serve_with(SiteKind::News, options.clone());
        let start = site.url();
        let port = url::Url::parse(&start).unwrap().port().unwrap();
        scratch.run(&["crawl", &start, "--json"]).ok();
        scratch.run(&["crawl", &start, "--json"]).ok();
        stop(site);
        let site = serve_with(SiteKind::News, Options { size: 3, port, ..options });
        scratch.run(&["crawl", &start, "--json"]).ok();
        stop(site);
        let report = scratch
            .run(&["export", "--warc", "site.warc.gz", "--cdxj", "site.cdxj", "--json"])
            .json();
        has_fields(&report, &["records", "bytes"]);
        scratch.run(&["export", "--wacz", "site.wacz", "--ndjson", "site.ndjson"]).ok();
        let pages = pages(&scratch);
        Exported { scratch, start, pages }
    });
    &EXPORTED
}

#[test]
fn other_readers_accept_every_record_and_every_digest() {
    let exported = exported();
    let warc = exported.path("site.warc.gz");
    content(program("warcio").arg("check").arg(&warc));
    let counts = content(script("fastwarc_digests.py").arg(&warc));
    let counts: BTreeMap<String, u64> = serde_json::from_str(&counts).unwrap();
    assert_eq!(counts["warcinfo"], 1);
    assert_eq!(counts["request"], counts["response"] + counts["revisit"] - unasked(&warc));
    assert!(counts["resource"] as usize >= exported.states().count(), "{counts:?}");
    assert!(counts["revisit"] > 10, "most of the site was the same again: {counts:?}");
    assert!(counts["metadata"] as usize >= exported.pages.len(), "{counts:?}");
}

/// Revisits of states, which nothing was asked for.
fn unasked(warc: &std::path::Path) -> u64 {
    let listed =
        content(program("warcio").args(["index", "-f", "warc-type,content-length"]).arg(warc));
    let of_state =
        |line: &&str| line.contains("\"revisit\"") && line.contains("\"content-length\": \"0\"");
    listed.lines().filter(of_state).count() as u64
}

#[test]
fn our_index_is_that_of_another_indexer_line_for_line() {
    let exported = exported();
    let theirs = content(program("cdxj-indexer").arg("--sort").arg(exported.path("site.warc.gz")));
    let ours = exported.read("site.cdxj");
    for (ours, theirs) in ours.lines().zip(theirs.lines()) {
        assert_eq!(ours, theirs);
    }
    assert_eq!(ours.lines().count(), theirs.lines().count());
    let alone = ["export", "--cdxj", "again/site.cdxj"];
    std::fs::create_dir_all(exported.path("again")).unwrap();
    exported.scratch.run(&alone).ok();
    assert_eq!(
        exported.read("again/site.cdxj"),
        ours,
        "an index alone is that of the file beside it"
    );
}

#[test]
fn addresses_have_the_keys_that_other_indexers_give_them() {
    let addresses = [
        "http://www.Example.org/",
        "https://www2.example.org:443/A/B/../c//d/./?b=2&a=1&a&c=#frag",
        "http://example.org:8080/a%2Fb/%7Euser/%E4%BD%A0?q=%E4%BD%A0+x%20y",
        "http://127.0.0.1:81/x/",
        "http://[::1]:80/x",
        "http://example.org/a;jsessionid=0123456789ABCDEF0123456789abcdef?x=1",
        "http://example.org/?sid=0123456789abcdef0123456789abcdef&x=1",
        "http://example.org/?x=1&PHPSESSID=0123456789abcdef0123456789abcdef",
        "http://example.org/?cfid=1&cftoken=2&y",
        "http://example.org/(a(0123456789abcdef01234567))/Page.aspx?x",
        "http://example.org?",
        "http://example.org/?&&a=1&",
        "http://user:secret@example.org/",
        "http://example.org/100%/%zz%2525",
        "http://a.b.example.co.uk./x?X=Y",
        "http://3232235777/",
        "urn:view:http://example.org/A?b",
        "http://example.org/a?bathys-state=click%3DgoPage%282%29-67081d",
        "http://xn--bcher-kva.example/\u{fc}",
    ];
    let scratch = Scratch::new();
    let file = std::fs::File::open(scratch.write("addresses", &addresses.join("\n"))).unwrap();
    let keys = content(script("surt_keys.py").stdin(file));
    for (address, theirs) in addresses.iter().zip(keys.lines()) {
        assert_eq!(publish::warc::surt(address), theirs, "{address}");
    }
    assert_eq!(keys.lines().count(), addresses.len());
}

#[test]
fn a_wacz_file_is_valid_and_lists_versions_and_states_with_their_text() {
    let exported = exported();
    let wacz = exported.path("site.wacz");
    content(program("wacz").arg("validate").arg("-f").arg(&wacz));
    let list = content(program("python").args(["-m", "zipfile", "-l"]).arg(&wacz));
    for name in ["archive/data.warc.gz", "indexes/index.idx", "pages/extraPages.jsonl"] {
        assert!(list.contains(name), "{list}");
    }
    let unzip =
        "import sys, zipfile; print(zipfile.ZipFile(sys.argv[1]).read(sys.argv[2]).decode())";
    let unzip = |name: &str| content(program("python").args(["-c", unzip]).arg(&wacz).arg(name));
    let pages = unzip("pages/pages.jsonl");
    let lines: Vec<Value> = pages
        .lines()
        .filter(|line| !line.is_empty())
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(lines[0]["format"], "json-pages-1.0");
    for state in exported.states() {
        let line = lines.iter().rfind(|line| line["key"] == state["key"]).unwrap();
        let key = state["key"].as_str().unwrap();
        let text = exported.scratch.run(&["show", key, "--as", "text"]);
        assert_eq!(line["text"].as_str().unwrap().trim(), text.ok().trim());
        assert!(line["url"].as_str().unwrap().contains("bathys-state="), "{line}");
    }
    let package: Value = serde_json::from_str(&unzip("datapackage.json")).unwrap();
    assert_eq!(package["mainPageUrl"], exported.start);
}

#[test]
fn every_version_is_a_line_for_programs_that_read_text() {
    let exported = exported();
    let lines: Vec<Value> = exported
        .read("site.ndjson")
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    has_fields(&lines[0], &["page", "key", "url", "time", "type", "title", "text"]);
    let versions: i64 = exported.pages.iter().map(|page| page["versions"].as_i64().unwrap()).sum();
    assert_eq!(lines.len() as i64, versions);
    assert!(versions as usize > exported.pages.len(), "something changed between the crawls");
}

#[test]
fn the_same_store_gives_the_same_bytes() {
    let exported = exported();
    std::fs::create_dir_all(exported.path("twice")).unwrap();
    let files = ["--warc", "twice/site.warc.gz", "--wacz", "twice/site.wacz"];
    exported.scratch.run(&[&["export"][..], &files].concat()).ok();
    for name in ["site.warc.gz", "site.wacz"] {
        let again = std::fs::read(exported.path(&format!("twice/{name}"))).unwrap();
        assert!(again == std::fs::read(exported.path(name)).unwrap(), "{name} differs");
    }
}

#[test]
fn pictures_are_resources_beside_their_pages_when_they_are_asked_for() {
    let scratch = Scratch::new();
    scratch.write("page.html", "<title>Drawn</title><h1>A page to be drawn</h1>");
    scratch.run(&["import", "page.html", "--url", "http://site.example/a?b"]).ok();
    let files = ["--warc", "a.warc.gz", "--cdxj", "a.cdxj", "--screenshots"];
    scratch.run(&[&["export"][..], &files].concat()).ok();
    let warc = scratch.path().join("a.warc.gz");
    content(program("warcio").arg("check").arg(&warc));
    let theirs = content(program("cdxj-indexer").arg("--sort").arg(&warc));
    assert_eq!(std::fs::read_to_string(scratch.path().join("a.cdxj")).unwrap(), theirs);
    assert!(
        theirs.contains("\"urn:view:http://site.example/a?b\", \"mime\": \"image/png\""),
        "{theirs}"
    );
}

#[test]
fn an_export_that_is_interrupted_leaves_nothing() {
    let exported = exported();
    std::fs::create_dir_all(exported.path("cut")).unwrap();
    let mut command =
        exported.scratch.bathys(&["export", "--warc", "cut/site.warc.gz", "--level", "9"]);
    let started = crate::program::Started::new(&mut command);
    while std::fs::read_dir(exported.path("cut")).unwrap().next().is_none() {
        std::thread::sleep(std::time::Duration::from_millis(1));
    }
    started.interrupt();
    let ended = started.end();
    let left: Vec<_> = std::fs::read_dir(exported.path("cut")).unwrap().flatten().collect();
    // On a machine that is fast enough it was whole already.
    match ended.code {
        Some(130) => assert!(left.is_empty(), "{left:?}"),
        code => assert_eq!((code, left.len()), (Some(0), 1)),
    }
}

#[test]
fn an_export_names_a_file_to_write() {
    let ended = Scratch::new().run(&["export"]);
    assert_eq!(ended.code, Some(2), "{}", ended.stderr);
    assert!(ended.stderr.contains("--warc"), "{}", ended.stderr);
}
