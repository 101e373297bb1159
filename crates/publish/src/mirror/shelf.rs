//! Assets: which of the kept answers pages refer to, under which names, and their bytes as they may
//! lie in a mirror.

use std::collections::{BTreeMap, BTreeSet};

use store::{Catalog, StoreError};
use url::Url;

use super::answers::{Answer, Answers};
use super::css::{self, Refers};
use super::svg;
use crate::PublishError;

/// The directory of assets inside a mirror.
pub(crate) const FOLDER: &str = "asset";

/// Addresses that were not kept and are listed by name; beyond, they are only counted.
const MOST_LISTED: usize = 10_000;

/// The assets of a mirror.
pub(crate) struct Shelf {
    answers: Answers,
    /// File names by address.
    names: BTreeMap<String, String>,
    /// Taken and not yet written.
    queue: Vec<Url>,
    /// Not kept by the store.
    missing: BTreeSet<String>,
    largest: u64,
}

/// An asset to write.
pub(crate) struct Asset {
    pub name: String,
    pub bytes: Vec<u8>,
}

impl Shelf {
    pub(crate) fn new(answers: Answers, largest: u64) -> Self {
        let (names, queue, missing) = (BTreeMap::new(), Vec::new(), BTreeSet::new());
        Self { answers, names, queue, missing, largest }
    }

    /// The answer to an address as the server labelled it.
    pub(crate) fn answer(&self, url: &Url) -> Option<&Answer> {
        self.answers.find(url)
    }

    /// The name under which an address lies in the folder of assets; none if it was not kept.
    pub(crate) fn take(&mut self, url: &Url, refers: Refers) -> Option<String> {
        let mut address = url.clone();
        address.set_fragment(None);
        if let Some(name) = self.names.get(address.as_str()) {
            return Some(with_fragment(name, url));
        }
        let kept = self.answers.find(url).filter(|answer| answer.size <= self.largest);
        let Some(extension) = kept.and_then(|answer| extension(answer, &address, refers)) else {
            if self.missing.len() < MOST_LISTED {
                self.missing.insert(address.into());
            }
            return None;
        };
        let hash = blake3::hash(address.as_str().as_bytes()).to_hex();
        let name = format!("{}.{extension}", &hash[..20]);
        self.names.insert(address.as_str().to_owned(), name.clone());
        self.queue.push(address);
        Some(with_fragment(&name, url))
    }

    /// The next asset that was taken and not yet written. A sheet may take more.
    pub(crate) async fn next(&mut self, catalog: &Catalog) -> Result<Option<Asset>, PublishError> {
        let Some(url) = self.queue.pop() else { return Ok(None) };
        let Some(name) = self.names.get(url.as_str()).cloned() else { return Ok(None) };
        let answer = self.answers.find(&url).cloned();
        let body = match &answer {
            Some(answer) => match catalog.body(answer.body).await {
                // One asset is lost, not the mirror.
                Err(StoreError::Damaged(_)) => None,
                body => body?,
            },
            None => None,
        };
        let (Some(answer), Some(body)) = (answer, body) else {
            // The file is referred to by now: an empty one breaks nothing.
            self.missing.insert(url.into());
            return Ok(Some(Asset { name, bytes: Vec::new() }));
        };
        let bytes = match name.rsplit('.').next() {
            Some("css") => self.sheet(&body, &answer, &url).into_bytes(),
            Some("svg") => svg::sanitise(&body, &url).unwrap_or_default(),
            _ => body,
        };
        Ok(Some(Asset { name, bytes }))
    }

    fn sheet(&mut self, body: &[u8], answer: &Answer, url: &Url) -> String {
        let text = decode(body, &answer.content_type);
        let sheet = css::rewrite(&text, url, &mut |url, refers| self.take(url, refers));
        format!("@charset \"utf-8\";\n{sheet}")
    }

    /// Addresses that pages refer to and the store has not kept.
    pub(crate) fn missing(&self) -> &BTreeSet<String> {
        &self.missing
    }
}

fn with_fragment(name: &str, url: &Url) -> String {
    match url.fragment() {
        Some(fragment) => format!("{name}#{fragment}"),
        None => name.to_owned(),
    }
}

/// A sheet's text: the header's charset, else its own `@charset`, else UTF-8.
fn decode(body: &[u8], content_type: &str) -> String {
    let lower = content_type.to_ascii_lowercase();
    let named = lower.split("charset=").nth(1).map(|label| {
        label.split(';').next().unwrap_or_default().trim_matches(['"', '\'', ' ']).to_owned()
    });
    let own = body.strip_prefix(b"@charset \"").and_then(|rest| {
        let end = rest.iter().take(64).position(|byte| *byte == b'"')?;
        std::str::from_utf8(&rest[..end]).ok().map(str::to_owned)
    });
    let encoding = named
        .or(own)
        .and_then(|label| encoding_rs::Encoding::for_label(label.as_bytes()))
        .unwrap_or(encoding_rs::UTF_8);
    encoding.decode(body).0.into_owned()
}

/// What browsers need to see at the end of a name to take a file for what it is. None for what could
/// be opened as a page: that is never an asset.
fn extension(answer: &Answer, url: &Url, refers: Refers) -> Option<&'static str> {
    let media_type = answer.media_type();
    if refers == Refers::Sheet {
        // Browsers take a sheet of another type from a page without a doctype only.
        return matches!(media_type.as_str(), "text/css" | "" | "text/plain").then_some("css");
    }
    let known = BY_TYPE.iter().find(|(kind, _)| *kind == media_type).map(|(_, ext)| *ext);
    if known.is_some() {
        return known;
    }
    if ["html", "xml", "script", "json"].iter().any(|active| media_type.contains(active)) {
        return None;
    }
    let path = url.path().to_ascii_lowercase();
    let own = path.rsplit('/').next().and_then(|file| file.rsplit_once('.')).map(|(_, own)| own);
    let listed = own.and_then(|own| BY_TYPE.iter().find(|(_, ext)| *ext == own));
    Some(listed.map_or("bin", |(_, ext)| ext))
}

const BY_TYPE: [(&str, &str); 36] = [
    ("image/png", "png"),
    ("image/jpeg", "jpg"),
    ("image/jpg", "jpg"),
    ("image/gif", "gif"),
    ("image/webp", "webp"),
    ("image/avif", "avif"),
    ("image/bmp", "bmp"),
    ("image/x-icon", "ico"),
    ("image/vnd.microsoft.icon", "ico"),
    ("image/svg+xml", "svg"),
    ("image/apng", "apng"),
    ("image/tiff", "tiff"),
    ("font/woff", "woff"),
    ("font/woff2", "woff2"),
    ("font/ttf", "ttf"),
    ("font/otf", "otf"),
    ("application/font-woff", "woff"),
    ("application/font-woff2", "woff2"),
    ("application/x-font-ttf", "ttf"),
    ("application/vnd.ms-fontobject", "eot"),
    ("audio/mpeg", "mp3"),
    ("audio/ogg", "ogg"),
    ("audio/wav", "wav"),
    ("audio/mp4", "m4a"),
    ("audio/aac", "aac"),
    ("audio/flac", "flac"),
    ("video/mp4", "mp4"),
    ("video/webm", "webm"),
    ("video/ogg", "ogv"),
    ("video/quicktime", "mov"),
    ("text/vtt", "vtt"),
    ("text/css", "css"),
    ("text/plain", "txt"),
    ("text/csv", "csv"),
    ("application/pdf", "pdf"),
    ("application/zip", "zip"),
];
