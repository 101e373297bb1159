//! What is in a set of archives, before any of it is imported: captures in the order of their times, with
//! what was asked for each, what is known about it, and which page it belongs to.
//!
//! Files are read twice: records that belong together may lie anywhere, and versions are kept in the order
//! of their times. What is remembered of a record is where it lies and what it is called by.

use std::collections::HashMap;
use std::fs::File;
use std::io;
use std::path::PathBuf;

use store::{Cause, Millis, NewExchange, PathStep, Via, WireFacts};

use super::files::{self, FileError};
use super::header::WarcHeader;
use super::message::HttpMessage;
use super::reader::{ReadRecord, RecordFault, WarcPlace, WarcReader};

/// A name by its hash: names of records are long.
type Name = [u8; 16];

/// Where a record lies, and in which file.
type Place = (u32, WarcPlace);

/// A record that cannot be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BadWarc {
    /// The file.
    pub name: String,
    /// What is wrong.
    pub fault: RecordFault,
    /// Which record, counted from 1.
    pub number: u64,
    /// The byte at which it begins.
    pub offset: u64,
    /// How many records there are in the file, this one and others like it included.
    pub records: u64,
}

impl std::fmt::Display for BadWarc {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { name, fault, number, offset, records } = self;
        let (read, all) = (grouped(number - 1), grouped(*records));
        let (number, offset) = (grouped(*number), grouped(*offset));
        write!(
            f,
            "read {read} of {all} records of {name}: record {number} {fault} at byte {offset}"
        )
    }
}

impl std::error::Error for BadWarc {}

/// What our own exports say about a look at a page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct LookFacts {
    pub(crate) time: Millis,
    pub(crate) key: String,
    /// The events that lead to it, empty for a page that its URL reaches.
    pub(crate) path: Vec<PathStep>,
    pub(crate) via: Option<Via>,
}

/// Something that was captured.
#[derive(Clone, Debug)]
pub struct WarcCapture {
    /// Its address.
    pub(crate) url: String,
    pub(crate) time: Millis,
    /// How it was asked for and answered; `None` for content that came by no protocol.
    pub(crate) exchange: Option<NewExchange>,
    /// What it is, decoded.
    pub(crate) body: Vec<u8>,
    pub(crate) content_type: Option<String>,
    pub(crate) look: Option<LookFacts>,
    /// The page that it belongs to, if that is told: its key, and the events that lead to it.
    pub(crate) owner: Option<(String, Vec<PathStep>)>,
    /// The page that asked for it.
    pub(crate) referer: Option<String>,
}

/// The archives of a set of files.
pub struct WarcSurvey {
    files: Vec<(String, WarcReader<File>)>,
    captures: Vec<(Millis, Place)>,
    next: usize,
    /// Requests, by the answer that they belong to.
    requests: HashMap<Name, Place>,
    /// What is said about a record.
    looks: HashMap<Name, LookFacts>,
    /// Keys of pages and the events that lead to them, by the name that their records share.
    owners: HashMap<Name, (String, Vec<PathStep>)>,
    /// Records with a payload, by their names, by address and time, by digest.
    originals: HashMap<Name, Place>,
    /// Records that cannot be used.
    pub bad: Vec<BadWarc>,
    /// Revisits of something that is in none of the files.
    pub unresolved: u64,
}

impl WarcSurvey {
    /// Looks through these files.
    ///
    /// # Errors
    /// When one cannot be read. What is wrong with single records is in `bad`.
    pub fn of(paths: &[PathBuf], mut progress: impl FnMut(u64)) -> Result<Self, FileError> {
        let mut survey = Self {
            files: Vec::new(),
            captures: Vec::new(),
            next: 0,
            requests: HashMap::new(),
            looks: HashMap::new(),
            owners: HashMap::new(),
            originals: HashMap::new(),
            bad: Vec::new(),
            unresolved: 0,
        };
        for path in paths {
            for open in files::open(path)? {
                let failed = |source| FileError { path: path.clone(), source };
                survey.add_file(open.name, open.file, &mut progress).map_err(failed)?;
            }
        }
        survey.captures.sort_unstable();
        Ok(survey)
    }

    /// Captures in all files.
    pub fn len(&self) -> usize {
        self.captures.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.captures.is_empty()
    }

    fn add_file(
        &mut self,
        name: String,
        file: File,
        progress: &mut impl FnMut(u64),
    ) -> io::Result<()> {
        let number = self.files.len() as u32;
        let mut reader = WarcReader::new(file)?;
        let (mut records, first_bad) = (0, self.bad.len());
        while let Some(read) = reader.next_record()? {
            records += 1;
            progress(records);
            match read {
                Ok(record) => self.add_record((number, record.place), &record),
                Err(bad) => self.bad.push(BadWarc {
                    name: name.clone(),
                    fault: bad.fault,
                    number: records,
                    offset: bad.offset,
                    records: 0,
                }),
            }
        }
        self.bad[first_bad..].iter_mut().for_each(|bad| bad.records = records);
        // What was found whole is read again without looking.
        self.files.push((name, reader.checking_digests(false)));
        Ok(())
    }

    fn add_record(&mut self, place: Place, record: &ReadRecord) {
        let header = &record.header;
        let Some(time) = header.date() else { return };
        let id = header.get("WARC-Record-ID").map(name);
        let concurrent = header.get("WARC-Concurrent-To").map(name);
        match header.kind() {
            "response" | "resource" => {
                self.captures.push((time, place));
                let by_time = name(&format!("{} {}", time.0 / 1000, header.target()));
                let digest = header.get("WARC-Payload-Digest").map(name);
                for name in [id, Some(by_time), digest].into_iter().flatten() {
                    self.originals.entry(name).or_insert(place);
                }
                // Either of the two may name the other.
                if let Some(request) = concurrent {
                    self.requests.entry(request).or_insert(place);
                }
            }
            "revisit" => self.captures.push((time, place)),
            "request" => {
                for name in [concurrent, id].into_iter().flatten() {
                    self.requests.insert(name, place);
                }
            }
            "metadata" => {
                let text = String::from_utf8_lossy(&record.block);
                let field = |name: &str| {
                    text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(": "))
                };
                let Some(key) = field("bathys-key").map(str::to_owned) else { return };
                let path = field("bathys-path").and_then(|path| serde_json::from_str(path).ok());
                let path: Vec<PathStep> = path.unwrap_or_default();
                if let Some(page) = header.get("WARC-Page-ID") {
                    self.owners.insert(name(page), (key.clone(), path.clone()));
                }
                if let Some(about) = concurrent {
                    let via = field("bathys-got-by").and_then(|via| via.parse().ok());
                    self.looks.insert(about, LookFacts { time, key, path, via });
                }
            }
            _ => {}
        }
    }

    /// The next capture, in the order of time; `None` at the end. What cannot be made sense of is left out.
    ///
    /// # Errors
    /// When a file cannot be read.
    pub fn next_capture(&mut self) -> Result<Option<WarcCapture>, FileError> {
        while let Some((time, place)) = self.captures.get(self.next).copied() {
            self.next += 1;
            let Some(record) = self.read(place)? else { continue };
            let capture = match record.header.kind() {
                "resource" => self.resource(time, record),
                "revisit" => self.revisit(time, record)?,
                _ => self.response(time, &record)?,
            };
            if capture.is_some() {
                return Ok(capture);
            }
        }
        Ok(None)
    }

    fn read(&mut self, (file, place): Place) -> Result<Option<ReadRecord>, FileError> {
        let Some((name, reader)) = self.files.get_mut(file as usize) else { return Ok(None) };
        reader.record_at(place).map_err(|source| FileError { path: name.as_str().into(), source })
    }

    fn resource(&self, time: Millis, record: ReadRecord) -> Option<WarcCapture> {
        let ReadRecord { header, block, .. } = record;
        let url = http_address(header.target())?;
        let content_type = header.get("Content-Type").map(str::to_owned);
        let (look, owner) = (self.look(&header), self.owner(&header));
        let (exchange, body, referer) = (None, block, None);
        Some(WarcCapture { url, time, exchange, body, content_type, look, owner, referer })
    }

    fn response(
        &mut self,
        time: Millis,
        record: &ReadRecord,
    ) -> Result<Option<WarcCapture>, FileError> {
        let (Some(url), Some(mut message)) =
            (http_address(record.header.target()), HttpMessage::read(&record.block))
        else {
            return Ok(None);
        };
        message.decode();
        let body = std::mem::take(&mut message.body);
        self.answered(time, &record.header, url, message, body).map(Some)
    }

    /// A revisit, with the payload of what it revisits.
    fn revisit(
        &mut self,
        time: Millis,
        record: ReadRecord,
    ) -> Result<Option<WarcCapture>, FileError> {
        let header = &record.header;
        let Some(url) = http_address(header.target()) else { return Ok(None) };
        let field = |name: &str| header.get(name);
        let by_time = field("WARC-Refers-To-Date").and_then(|date| {
            let date: jiff::Timestamp = date.parse().ok()?;
            let target = field("WARC-Refers-To-Target-URI").unwrap_or(header.target());
            Some(name(&format!("{} {target}", date.as_second())))
        });
        let names =
            [field("WARC-Refers-To").map(name), by_time, field("WARC-Payload-Digest").map(name)];
        let found = names.iter().flatten().find_map(|name| self.originals.get(name)).copied();
        let original = match found {
            Some(place) => self.read(place)?,
            None => None,
        };
        let Some(original) = original else {
            self.unresolved += 1;
            return Ok(None);
        };
        if original.header.kind() == "resource" {
            let about = ReadRecord { header: record.header, ..original };
            let content_type = original.header.get("Content-Type").map(str::to_owned);
            let capture = self.resource(time, about);
            return Ok(capture.map(|capture| WarcCapture { content_type, ..capture }));
        }
        let Some(mut payload) = HttpMessage::read(&original.block) else { return Ok(None) };
        payload.decode();
        let body = std::mem::take(&mut payload.body);
        let mut message = HttpMessage::read(&record.block).unwrap_or(payload);
        message.body.clear();
        message.decode();
        self.answered(time, header, url, message, body).map(Some)
    }

    /// An answer with the request that belongs to it.
    fn answered(
        &mut self,
        time: Millis,
        header: &WarcHeader,
        url: String,
        message: HttpMessage,
        body: Vec<u8>,
    ) -> Result<WarcCapture, FileError> {
        let named = [header.get("WARC-Record-ID"), header.get("WARC-Concurrent-To")];
        let request = named.into_iter().flatten().find_map(|id| self.requests.get(&name(id)));
        let request = match request.copied() {
            Some(place) => self.read(place)?.and_then(|record| HttpMessage::read(&record.block)),
            None => None,
        };
        let content_type = message.header("content-type").map(str::to_owned);
        let status = message.status();
        let (look, owner) = (self.look(header), self.owner(header));
        let request = request.unwrap_or_default();
        let referer = request.header("referer").map(str::to_owned);
        let told = |name: &str| header.get(name).map(str::to_owned);
        let version =
            message.first.split_whitespace().next().unwrap_or_default().to_ascii_lowercase();
        let exchange = NewExchange {
            // That of the look: the exchange that brought a version is found by it.
            time: look.as_ref().map_or(time, |look| look.time),
            cause: Cause::Load,
            resource: told("WARC-Resource-Type").unwrap_or_else(|| {
                let is_page = page::tree::is_page(content_type.as_deref().unwrap_or_default());
                if is_page { "document" } else { "other" }.to_owned()
            }),
            method: request.method().to_owned(),
            url: url.clone(),
            request_headers: request.headers,
            request_body: Some(request.body).filter(|body| !body.is_empty()),
            status,
            response_headers: message.headers,
            response_body: Some(body.clone())
                .filter(|body| !body.is_empty() && status != Some(304)),
            wire: WireFacts {
                sent: Some(time),
                // The port is not told; that of the scheme makes it an address again.
                remote_address: told("WARC-IP-Address").and_then(|ip| {
                    let port = url::Url::parse(&url).ok()?.port_or_known_default()?;
                    Some(std::net::SocketAddr::new(ip.parse().ok()?, port).to_string())
                }),
                http_version: told("WARC-Protocol").or(Some(version)),
                failure: None,
                truncated: told("WARC-Truncated").or(message.truncated),
            },
        };
        let exchange = Some(exchange);
        Ok(WarcCapture { url, time, exchange, body, content_type, look, owner, referer })
    }

    fn look(&self, header: &WarcHeader) -> Option<LookFacts> {
        self.looks.get(&name(header.get("WARC-Record-ID")?)).cloned()
    }

    fn owner(&self, header: &WarcHeader) -> Option<(String, Vec<PathStep>)> {
        self.owners.get(&name(header.get("WARC-Page-ID")?)).cloned()
    }
}

fn http_address(target: &str) -> Option<String> {
    let start = target.get(..5)?.to_ascii_lowercase();
    (start.starts_with("http")).then(|| target.to_owned())
}

fn name(text: &str) -> Name {
    let mut name = [0; 16];
    name.copy_from_slice(&blake3::hash(text.as_bytes()).as_bytes()[..16]);
    name
}

/// `81920` as `81,920`.
fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}
