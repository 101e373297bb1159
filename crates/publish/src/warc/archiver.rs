//! The records of a store, in the order of their times: what was asked and answered, what events reached,
//! and what is known about both.

use std::io::Write;
use std::pin::Pin;

use page::tree::{reread, title, visible_text};
use store::{
    ArchiveEntry, ArchiveItem, Catalog, KeptExchange, KeptVisit, Millis, NewExchange, PageNumber,
    VersionRow, Which,
};

use super::digest::PayloadDigest;
use super::fields::{
    Original, exchange_id, page_id, refers_to, truncated_by, wire_fields, without_fragment,
};
use super::index::{Index, IndexedRecord};
use super::message;
use super::originals::{IDENTICAL, Originals};
use super::page_list::{PageLine, PageList};
use super::record::{RecordId, RecordKind, RecordPlace, WarcDate, WarcRecord, WarcWriter};
use super::state::{resource_of, state_address};
use crate::PublishError;

/// Draws pages as they were kept. Only a browser can, and this crate has none.
pub trait Pictures: Send + Sync {
    /// A version of the page at this address, as PNG; `None` if it cannot be drawn.
    fn draw<'a>(
        &'a self,
        url: &'a str,
        version: &'a VersionRow,
    ) -> Pin<Box<dyn Future<Output = Option<Vec<u8>>> + Send + 'a>>;
}

/// Writes the records of a store. What it remembers takes some 150 bytes for each different answer.
pub(super) struct Archiver<'a, W> {
    pub(super) file: WarcWriter<W>,
    pub(super) index: Option<&'a mut Index>,
    pub(super) pages: Option<&'a mut PageList>,
    pub(super) pictures: Option<&'a dyn Pictures>,
    pub(super) records: u64,
    /// When the last of it was captured.
    pub(super) last: Millis,
    originals: Originals,
}

impl<'a, W: Write> Archiver<'a, W> {
    pub(super) fn new(
        file: WarcWriter<W>,
        index: Option<&'a mut Index>,
        pages: Option<&'a mut PageList>,
        pictures: Option<&'a dyn Pictures>,
    ) -> Self {
        let originals = Originals::default();
        Self { file, index, pages, pictures, records: 0, last: Millis(0), originals }
    }

    /// Writes everything; `progress` is told the entries done and their number.
    pub(super) async fn run(
        &mut self,
        catalog: &Catalog,
        name: &str,
        mut progress: impl FnMut(u64, u64),
    ) -> Result<(), PublishError> {
        let mut entries = catalog.archive_entries().await?;
        let Some(first) = entries.iter().min() else { return Err(PublishError::Nothing) };
        // Before what it is about, and no later on another day.
        self.warcinfo(name, first.time)?;
        entries.sort_unstable();
        self.last = entries.last().map_or(self.last, |last| last.time);
        let all = entries.len() as u64;
        for (done, entry) in (1..).zip(entries) {
            self.entry(catalog, entry).await?;
            progress(done, all);
        }
        Ok(())
    }

    async fn entry(&mut self, catalog: &Catalog, entry: ArchiveEntry) -> Result<(), PublishError> {
        let ArchiveEntry { time, page, item } = entry;
        match item {
            ArchiveItem::Exchange(seq) => {
                let Some(kept) = catalog.exchange(page, seq).await? else { return Ok(()) };
                let KeptExchange { exchange, body } = kept;
                let bytes = match body {
                    Some(number) => catalog.body(number).await?,
                    None => None,
                };
                let id = exchange_id(page, seq);
                self.exchange(page, id, time, &exchange, bytes.as_deref())
            }
            ArchiveItem::Visit(version) => {
                let kept = catalog.kept_visit(page, time, version).await?;
                let Some(visit) = kept else { return Ok(()) };
                self.visit(catalog, page, time, version, &visit).await
            }
        }
    }

    fn warcinfo(&mut self, name: &str, date: Millis) -> Result<(), PublishError> {
        let software = concat!("bathys ", env!("CARGO_PKG_VERSION"));
        let format =
            "https://iipc.github.io/warc-specifications/specifications/warc-format/warc-1.1/";
        let payload = format!(
            "software: {software}\r\nformat: WARC File Format 1.1\r\nconformsTo: {format}\r\n"
        );
        let record = WarcRecord {
            kind: RecordKind::Warcinfo,
            id: RecordId::of(&[b"warcinfo", name.as_bytes(), &date.0.to_le_bytes()]),
            date,
            target: None,
            content_type: Some("application/warc-fields"),
            fields: vec![("WARC-Filename", name.to_owned())],
            head: &[],
            payload: payload.as_bytes(),
            payload_digest: None,
        };
        self.write(&record)?;
        Ok(())
    }

    /// Writes what was answered, and behind it what was asked.
    fn exchange(
        &mut self,
        page: PageNumber,
        id: RecordId,
        date: Millis,
        exchange: &NewExchange,
        body: Option<&[u8]>,
    ) -> Result<(), PublishError> {
        let Some(request) = message::request(exchange) else { return Ok(()) };
        let target = without_fragment(&exchange.url);
        let payload = body.unwrap_or_default();
        let digest = PayloadDigest::of(&[payload]);
        let head = message::response_head(exchange, payload.len());
        let mut fields = wire_fields(page, exchange);
        let original = self.originals.of_answer(target, exchange, digest);
        let is_new = original.is_none();
        if let Some((original, profile)) = original {
            fields.extend(refers_to(target, original, profile));
        } else if let Some(why) = &exchange.wire.truncated {
            fields.push(("WARC-Truncated", truncated_by(why).to_owned()));
        }
        let record = WarcRecord {
            kind: if is_new { RecordKind::Response } else { RecordKind::Revisit },
            id,
            date,
            target: Some(target),
            content_type: Some("application/http; msgtype=response"),
            fields,
            head: &head,
            payload: if is_new { payload } else { &[] },
            payload_digest: Some(original.map_or(digest, |(original, _)| original.digest)),
        };
        let place = self.write(&record)?;
        let status = exchange.status.map(|status| status.to_string());
        self.add_to_index(
            &record,
            message::content_type(&exchange.response_headers),
            status,
            place,
        )?;
        if is_new {
            self.originals.remember_answer(target, exchange, Original { date, id, digest });
        }
        self.request(page, id, date, target, exchange, &request)
    }

    fn request(
        &mut self,
        page: PageNumber,
        answer: RecordId,
        date: Millis,
        target: &str,
        exchange: &NewExchange,
        message: &[u8],
    ) -> Result<(), PublishError> {
        let sent = exchange.request_body.as_deref().unwrap_or_default();
        let (head, payload) = message.split_at(message.len() - sent.len());
        let mut fields = vec![("WARC-Concurrent-To", format!("<urn:uuid:{answer}>"))];
        fields.push(("WARC-Page-ID", page_id(page).to_string()));
        let record = WarcRecord {
            kind: RecordKind::Request,
            id: RecordId::of(&[b"request", answer.to_string().as_bytes()]),
            date,
            target: Some(target),
            content_type: Some("application/http; msgtype=request"),
            fields,
            head,
            payload,
            payload_digest: Some(PayloadDigest::of(&[payload])),
        };
        self.write(&record)?;
        Ok(())
    }

    /// Writes what a look at a page found that no exchange brought, and what is known about it.
    async fn visit(
        &mut self,
        catalog: &Catalog,
        page: PageNumber,
        time: Millis,
        version: i64,
        visit: &KeptVisit,
    ) -> Result<(), PublishError> {
        let state = state_address(&visit.key).filter(|_| !visit.path.is_empty());
        let target = state.as_deref().unwrap_or(without_fragment(&visit.url));
        let is_first = visit.first == time;
        let shows_more = self.pages.is_some() || self.pictures.is_some();
        let needs_bytes = visit.document.is_none() || shows_more && is_first;
        let kept = match needs_bytes {
            true => catalog.version(page, Which::Number(version)).await?,
            false => None,
        };
        let tree = kept.as_ref().and_then(|kept| {
            reread(kept.snapshot.as_deref(), kept.body.as_deref(), kept.content_type.as_deref())
        });
        let picture = match (self.pictures, &kept, &tree) {
            (Some(pictures), Some(kept), Some(_)) if is_first => {
                pictures.draw(&visit.url, kept).await
            }
            _ => None,
        };
        let id = match (visit.document, kept) {
            (Some(seq), _) => exchange_id(page, seq),
            (None, Some(kept)) => {
                let told = visit.content_type.as_deref();
                let made = resource_of(tree.as_ref(), kept.body, told, state.is_some());
                let Some((payload, content_type)) = made else { return Ok(()) };
                self.resource(page, time, target, Some(&content_type), &payload)?
            }
            (None, None) => return Ok(()),
        };
        self.metadata(page, time, target, version, visit, id)?;
        if let Some(picture) = picture {
            let target = format!("urn:view:{target}");
            self.resource(page, time, &target, Some("image/png"), &picture)?;
        }
        if let Some(pages) = self.pages.as_deref_mut() {
            let text = tree.as_ref().map(visible_text);
            pages.add(&PageLine {
                id: RecordId::of(&[b"look", &page.0.to_le_bytes(), &time.0.to_le_bytes()]),
                url: target,
                key: &visit.key,
                time,
                title: tree.as_ref().map(title),
                text,
                is_seed: visit.depth == 0,
            })?;
        }
        Ok(())
    }

    fn resource(
        &mut self,
        page: PageNumber,
        date: Millis,
        target: &str,
        content_type: Option<&str>,
        payload: &[u8],
    ) -> Result<RecordId, PublishError> {
        let digest = PayloadDigest::of(&[payload]);
        let original = self.originals.of_resource(target, digest);
        let (number, when) = (page.0.to_le_bytes(), date.0.to_le_bytes());
        let id = RecordId::of(&[b"resource", &number, &when, target.as_bytes()]);
        let mut fields = vec![("WARC-Page-ID", page_id(page).to_string())];
        let mut record = WarcRecord {
            kind: RecordKind::Resource,
            id,
            date,
            target: Some(target),
            content_type,
            fields: Vec::new(),
            head: &[],
            payload,
            payload_digest: Some(digest),
        };
        if let Some(original) = original {
            fields.extend(refers_to(target, original, IDENTICAL));
            record = WarcRecord {
                kind: RecordKind::Revisit,
                payload: &[],
                content_type: None,
                ..record
            };
        } else {
            self.originals.remember_resource(target, Original { date, id, digest });
        }
        record.fields = fields;
        let place = self.write(&record)?;
        let media_type = content_type.map(|kind| kind.split([';', ' ']).next().unwrap_or_default());
        self.add_to_index(&record, media_type, None, place)?;
        Ok(id)
    }

    fn metadata(
        &mut self,
        page: PageNumber,
        date: Millis,
        target: &str,
        version: i64,
        visit: &KeptVisit,
        about: RecordId,
    ) -> Result<(), PublishError> {
        let mut payload = format!("bathys-key: {}\r\n", visit.key);
        payload.push_str(&format!("bathys-version: {version}\r\n"));
        payload.push_str(&format!("bathys-version-date: {}\r\n", WarcDate(visit.first)));
        payload.push_str(&format!("bathys-got-by: {}\r\n", visit.via));
        if let Some(kind) = &visit.page_type {
            payload.push_str(&format!("bathys-type: {kind}\r\n"));
        }
        if visit.drift_ms != 0 {
            payload.push_str(&format!("bathys-clock-ahead-ms: {}\r\n", visit.drift_ms));
        }
        if !visit.path.is_empty() {
            let path = serde_json::to_string(&visit.path).unwrap_or_default();
            payload.push_str(&format!("bathys-path: {path}\r\n"));
        }
        let id = RecordId::of(&[b"metadata", &page.0.to_le_bytes(), &date.0.to_le_bytes()]);
        let record = WarcRecord {
            kind: RecordKind::Metadata,
            id,
            date,
            target: Some(target),
            content_type: Some("application/warc-fields"),
            fields: vec![
                ("WARC-Concurrent-To", format!("<urn:uuid:{about}>")),
                ("WARC-Page-ID", page_id(page).to_string()),
            ],
            head: &[],
            payload: payload.as_bytes(),
            payload_digest: None,
        };
        self.write(&record)?;
        Ok(())
    }

    fn write(&mut self, record: &WarcRecord<'_>) -> Result<RecordPlace, PublishError> {
        self.records += 1;
        Ok(self.file.write(record)?)
    }

    fn add_to_index(
        &mut self,
        record: &WarcRecord<'_>,
        media_type: Option<&str>,
        status: Option<String>,
        place: RecordPlace,
    ) -> Result<(), PublishError> {
        let (Some(index), Some(target), Some(digest)) =
            (self.index.as_deref_mut(), record.target, record.payload_digest)
        else {
            return Ok(());
        };
        let is_revisit = record.kind == RecordKind::Revisit;
        let media_type = if is_revisit { Some("warc/revisit") } else { media_type };
        index.add(&IndexedRecord { target, date: record.date, media_type, status, digest, place })
    }
}
