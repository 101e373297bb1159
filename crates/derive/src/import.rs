//! Captures that were made elsewhere, through the same pipeline as a crawl's own.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use page::state::url::{Site, normalise};
use page::state::{Content, mask_from_rules};
use page::tree::{parse, title};
use page::types::{Shape, TypeMethod};
use store::{Capture, CatalogWriter, ImportStep, Imported, Millis, RunNumber, StateId, Via};
use url::Url;

use crate::CpuPool;
use crate::DeriveError;
use crate::blocks::{CutSettings, Processing};
use crate::meter::{Limits, Meter};
use crate::page_types::PageTypes;
use crate::page_types::{recall_types, write_types};
use crate::records::read_records_of;
use crate::trees::{ParsedVersion, Trees};

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
        let site = Site::of(&url).ok_or_else(|| DeriveError::NoSite(url.to_string()))?;
        let site = site.as_str().to_owned();
        let url = normalise(url);
        let rules = self.catalog.mask(&site, url.as_str()).await?;
        let method = self.page_types_of(&site).await?.method();
        let read = move || {
            let dom = parse(&body, None).dom;
            let mask = mask_from_rules(rules.iter().map(String::as_str));
            (Content::of(&dom, &mask), title(&dom), Shape::by(method, &dom), body, dom)
        };
        let read = self.pure.run(read).await;
        let (content, title, shape, body, dom) =
            read.ok_or(DeriveError::Lost("a page could not be read"))?;
        let page_type = self.page_types_of(&site).await?.place(&shape, &url);
        for (gone, kept) in &page_type.merged {
            self.catalog.rename_type(&site, gone, kept).await?;
        }
        let capture = Capture {
            state: StateId(content.id().0),
            snapshot: None,
            body: Some(body),
            title,
            http_status: None,
            via: Via::Http,
            drift_ms: 0,
            page_type: Some(page_type.name.to_string()),
            content_type: None,
            looks: None,
            run: Some(self.run),
            cut: None,
        };
        self.meter.page();
        let step = ImportStep { site, url: url.into(), time, capture };
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
