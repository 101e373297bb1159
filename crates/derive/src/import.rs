//! Captures that were made elsewhere, through the same pipeline as a crawl's own.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use page::state::url::{Site, normalise};
use page::state::{Content, mask_from_rules};
use page::tree::{is_page, parse, restore, title};
use page::types::{Shape, TypeMethod};
use store::{
    Capture, CatalogWriter, ImportStep, Imported, ImportedExchanges, Millis, NewExchange, PathStep,
    RunNumber, StateId, Via,
};
use url::Url;

use crate::CpuPool;
use crate::DeriveError;
use crate::blocks::{CutSettings, Processing};
use crate::meter::{Limits, Meter};
use crate::page_types::PageTypes;
use crate::page_types::{recall_types, write_types};
use crate::records::read_records_of;
use crate::trees::{ParsedVersion, Trees};
use crate::warc::WarcCapture;

/// A page that was captured before.
#[derive(Clone, Debug)]
pub struct Found {
    /// Where.
    pub url: Url,
    /// When.
    pub time: Millis,
    /// Its bytes.
    pub body: Vec<u8>,
}

/// A page or a state, and how it was got.
struct PageFound {
    url: Url,
    time: Millis,
    body: Vec<u8>,
    content_type: Option<String>,
    exchange: Option<NewExchange>,
    /// The key of a state that events reached from the URL, and these events.
    state: Option<(String, Vec<PathStep>)>,
    via: Via,
}

/// What stands in a key between the address of a document and the events that lead to a state of it.
const STATE_MARK: &str = "#!bathys:";

/// What an import ended with.
#[derive(Clone, Debug)]
pub struct ImportEnd {
    /// The sites that it brought captures of.
    pub sites: Vec<String>,
    /// What cutting them into blocks took, of all cores together.
    pub processing: Duration,
}

/// An import that is under way. Captures are kept one after the other; they are cut into blocks and
/// compared beside that, on all cores.
///
/// ```no_run
/// # async fn example(catalog: std::sync::Arc<store::CatalogWriter>) -> Result<(), derive::DeriveError> {
/// use derive::{Found, Import, CutSettings};
///
/// let mut import = Import::begin(catalog, CutSettings::default(), "{}").await?;
/// let url = "https://example.org/".parse().unwrap();
/// let body = b"<p>as it was</p>".to_vec();
/// import.add(Found { url, time: store::Millis(1_700_000_000_000), body }).await?;
/// let end = import.finish().await?;
/// println!("captures of {:?}", end.sites);
/// # Ok(()) }
/// ```
pub struct Import {
    catalog: Arc<CatalogWriter>,
    processing: Processing,
    /// What was cut and may be read for records.
    trees: Arc<Trees>,
    pure: CpuPool,
    run: RunNumber,
    page_types: HashMap<String, PageTypes>,
    meter: Arc<Meter>,
    /// Whether records are taken in the end.
    reads: bool,
}

impl Import {
    /// Begins an import, told `settings` as JSON. What an earlier one left uncut is cut now.
    ///
    /// # Errors
    /// When the store fails.
    pub async fn begin(
        catalog: Arc<CatalogWriter>,
        told: CutSettings,
        settings: &str,
    ) -> Result<Self, DeriveError> {
        let run = catalog.begin_run(crate::PROGRAM, settings).await?;
        let (processing, trees) = Processing::begin_for_reading(catalog.clone(), told);
        let meter = Arc::new(Meter::new(Limits::default()));
        let (pure, page_types, reads) = (CpuPool::new(), HashMap::new(), true);
        Ok(Self { catalog, processing, trees, pure, run, page_types, meter, reads })
    }

    /// The running totals, to interrupt.
    pub fn meter(&self) -> Arc<Meter> {
        self.meter.clone()
    }

    /// Captures only: what waits to be cut into blocks, and to be read for records, is left to the next
    /// run.
    pub fn stop_processing(&mut self) {
        self.reads = false;
        self.processing.stop();
    }

    /// Versions cut into blocks so far.
    pub fn processed(&self) -> u64 {
        self.processing.done()
    }

    /// Keeps a capture as the next version of its URL.
    ///
    /// # Errors
    /// When its URL names no site, or the store fails.
    pub async fn add(&mut self, found: Found) -> Result<Imported, DeriveError> {
        let Found { url, time, body } = found;
        let (exchange, state, via) = (None, None, Via::Http);
        self.keep(PageFound { url, time, body, content_type: None, exchange, state, via }).await
    }

    /// Keeps what an archive holds: pages as versions of their URLs, states as versions of theirs, and
    /// everything else with the page that it belongs to. What belongs to none is a version of its own URL.
    /// `None` is said of what is kept with another page.
    ///
    /// # Errors
    /// When the store fails.
    pub async fn add_capture(
        &mut self,
        capture: WarcCapture,
    ) -> Result<Option<Imported>, DeriveError> {
        let WarcCapture { url, time, exchange, body, content_type, look, owner, referer } = capture;
        let Ok(url) = Url::parse(&url) else { return Ok(None) };
        if let Some(look) = look {
            let document = look.key.split(STATE_MARK).next().and_then(|url| Url::parse(url).ok());
            let url = document.unwrap_or(url);
            let state = (!look.path.is_empty()).then_some((look.key, look.path));
            let (time, via) = (look.time, look.via.unwrap_or(Via::Http));
            let found = PageFound { url, time, body, content_type, exchange, state, via };
            return self.keep(found).await.map(Some);
        }
        let status = exchange.as_ref().and_then(|exchange| exchange.status);
        let is_redirect = matches!(status, Some(300..=399)) && status != Some(304);
        let is_own = !is_redirect && is_page(content_type.as_deref().unwrap_or("unknown"));
        if let Some(exchange) = &exchange {
            let belongs = match (owner, referer) {
                (Some((key, path)), _) => self.keep_with(key, Some(path), exchange).await?,
                (None, Some(page)) if !is_own => self.keep_with(page, None, exchange).await?,
                _ => false,
            };
            if belongs {
                return Ok(None);
            }
        }
        let (state, via) = (None, Via::Http);
        self.keep(PageFound { url, time, body, content_type, exchange, state, via }).await.map(Some)
    }

    /// Keeps an exchange with a page, which is made if the events that lead to it are known. Says whether
    /// there is such a page.
    async fn keep_with(
        &self,
        page: String,
        path: Option<Vec<PathStep>>,
        exchange: &NewExchange,
    ) -> Result<bool, DeriveError> {
        let Some(url) = page.split(STATE_MARK).next().and_then(|url| Url::parse(url).ok()) else {
            return Ok(false);
        };
        let Some(site) = Site::of(&url) else { return Ok(false) };
        let (site, url) = (site.as_str().to_owned(), String::from(normalise(url)));
        let key = if page.contains(STATE_MARK) { page } else { url.clone() };
        let make = path.map(|path| (url, path));
        let exchanges = vec![exchange.clone()];
        let step = ImportedExchanges { site, key, make, exchanges };
        Ok(self.catalog.import_exchanges(step).await?)
    }

    async fn keep(&mut self, found: PageFound) -> Result<Imported, DeriveError> {
        let PageFound { url, time, body, content_type, exchange, state, via } = found;
        let site = Site::of(&url).ok_or_else(|| DeriveError::NoSite(url.to_string()))?;
        let site = site.as_str().to_owned();
        let url = normalise(url);
        let http_status = exchange.as_ref().and_then(|exchange| exchange.status);
        let exchanges: Vec<_> = exchange.into_iter().collect();
        let mut capture = Capture {
            state: StateId([0; 16]),
            snapshot: None,
            body: None,
            title: String::new(),
            http_status: http_status.filter(|status| *status != 304),
            via,
            drift_ms: 0,
            page_type: None,
            content_type,
            looks: None,
            run: Some(self.run),
            cut: None,
        };
        self.meter.page();
        let shows_nothing = body.is_empty() || matches!(http_status, Some(300..=303 | 305..=399));
        if shows_nothing && !exchanges.is_empty() {
            self.page_types_of(&site).await?;
            let url = url.into();
            let step = ImportStep { site, url, time, capture: None, state, exchanges };
            return Ok(self.catalog.import(step).await?);
        }
        if !is_page(capture.content_type.as_deref().unwrap_or_default()) {
            self.page_types_of(&site).await?;
            capture.state.0.copy_from_slice(&blake3::hash(&body).as_bytes()[..16]);
            capture.body = Some(body);
            let (url, capture) = (url.into(), Some(capture));
            let step = ImportStep { site, url, time, capture, state, exchanges };
            return Ok(self.catalog.import(step).await?);
        }
        let rules = self.catalog.mask(&site, url.as_str()).await?;
        let method = self.page_types_of(&site).await?.method();
        let content_type = capture.content_type.clone();
        let is_state = state.is_some();
        let read = move || {
            // What we wrote ourselves reads back as it was; other bytes are read as a browser would.
            let restored = std::str::from_utf8(&body).ok().filter(|_| is_state);
            let restored = restored.and_then(|text| restore(text).ok());
            let is_snapshot = restored.is_some();
            let dom = restored.unwrap_or_else(|| parse(&body, content_type.as_deref()).dom);
            let mask = mask_from_rules(rules.iter().map(String::as_str));
            let content = Content::of(&dom, &mask);
            (content, title(&dom), Shape::by(method, &dom), body, dom, is_snapshot)
        };
        let read = self.pure.run(read).await;
        let (content, title, shape, body, dom, is_snapshot) =
            read.ok_or(DeriveError::Lost("a page could not be read"))?;
        let page_type = self.page_types_of(&site).await?.place(&shape, &url);
        for (gone, kept) in &page_type.merged {
            self.catalog.rename_type(&site, gone, kept).await?;
        }
        capture.state = StateId(content.id().0);
        capture.title = title;
        capture.page_type = Some(page_type.name.to_string());
        match is_snapshot {
            true => capture.snapshot = Some(body),
            false => capture.body = Some(body),
        }
        let (url, capture) = (url.into(), Some(capture));
        let step = ImportStep { site, url, time, capture, state, exchanges };
        let imported = self.catalog.import(step).await?;
        if let Imported::Version(page, version) = imported {
            self.processing.hand_over(page, version, ParsedVersion { time, dom });
        }
        Ok(imported)
    }

    async fn page_types_of(&mut self, site: &str) -> Result<&PageTypes, DeriveError> {
        if !self.page_types.contains_key(site) {
            let page_types = PageTypes::new(TypeMethod::default());
            recall_types(&self.catalog, site, &page_types).await?;
            self.page_types.insert(site.to_owned(), page_types);
        }
        self.page_types.get(site).ok_or(DeriveError::Lost("the types of a site"))
    }

    /// Waits until everything is cut into blocks, takes the records, unless it is interrupted, and sums
    /// up.
    ///
    /// # Errors
    /// When the store fails.
    pub async fn finish(self) -> Result<ImportEnd, DeriveError> {
        for (site, page_types) in &self.page_types {
            write_types(&self.catalog, site, page_types).await?;
        }
        let mut processing = self.processing;
        processing.expect_no_more();
        while !processing.is_done().await? {
            if self.meter.stopped().is_some() {
                processing.stop();
            }
        }
        let sites: Vec<String> = self.page_types.into_keys().collect();
        if self.reads {
            read_records_of(&self.catalog, &sites, &self.meter, &self.trees).await?;
        }
        Ok(ImportEnd { sites, processing: processing.spent() })
    }
}
