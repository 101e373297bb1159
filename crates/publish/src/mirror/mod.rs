//! A static, script-free copy of a site that can be browsed from disk: seed 001's SPG.
//!
//! Every captured page and state becomes `<page>.html`. Scripts are gone; every element that a
//! script made lead somewhere is a link to the state that it led to. Assets lie beside the pages.
//! What leaves the mirror says so. The text of each page is the text that was captured: all marks
//! of the mirror come from its style and from attributes.

pub(crate) mod address;
mod answers;
mod atlas;
mod attribute;
pub(crate) mod css;
mod directory;
mod door;
mod index;
mod opening;
mod scene;
mod shape;
mod shelf;
mod svg;
mod tally;
mod writer;

use std::path::PathBuf;

use page::tree::Dom;
use store::{Catalog, VersionRow, Which};

pub use tally::MirrorReport;

use crate::PublishError;
use answers::Answers;
use atlas::Atlas;
use directory::Directory;
use scene::Scene;
use shelf::{FOLDER, Shelf};
use tally::Tally;

/// The mirror's own style: marks that are no text.
const STYLE: &str = include_str!("bathys.css");

/// What a mirror is made with.
#[derive(Clone, Debug)]
pub struct MirrorOptions {
    /// Where it will lie.
    pub directory: PathBuf,
    /// Largest asset that is copied, in bytes.
    pub largest_asset: u64,
    /// Bytes of all files after which no more assets are copied.
    pub most_bytes: u64,
}

impl MirrorOptions {
    /// A mirror at `directory`, with limits that real sites stay below.
    pub fn new(directory: impl Into<PathBuf>) -> Self {
        Self { directory: directory.into(), largest_asset: 64 << 20, most_bytes: 16 << 30 }
    }
}

/// Writes a mirror of everything captured in the store. `progress` is told the pages done and their
/// number.
///
/// ```no_run
/// use publish::mirror::{MirrorOptions, mirror};
/// use store::Catalog;
///
/// # async fn example() -> Result<(), publish::PublishError> {
/// let catalog = Catalog::open(std::path::Path::new("bathys-data"))?;
/// let report = mirror(&catalog, &MirrorOptions::new("site"), |_, _| {}).await?;
/// assert_eq!(report.broken_links, 0);
/// # Ok(())
/// # }
/// ```
///
/// # Errors
/// When the store cannot be read, holds no page, or the directory cannot be written or holds
/// something that is no mirror.
pub async fn mirror(
    catalog: &Catalog,
    options: &MirrorOptions,
    mut progress: impl FnMut(u64, u64),
) -> Result<MirrorReport, PublishError> {
    let atlas = Atlas::read(catalog).await?;
    if atlas.pages.is_empty() {
        return Err(PublishError::Nothing);
    }
    let directory = Directory::begin(&options.directory)?;
    let answers = Answers::read(catalog).await?;
    let mut shelf = Shelf::new(answers, options.largest_asset);
    let mut tally = Tally::default();
    tally.report.bytes += directory.write("bathys.css", STYLE.as_bytes())?;
    for row in atlas.pages.values() {
        let version = catalog.version(row.page, Which::Latest).await;
        let files = match version.ok().flatten().map(state_of) {
            Some(State::Tree(dom)) => Scene::new(&dom, row, &atlas, &mut shelf, &mut tally).files(),
            Some(State::File(body)) => vec![index::file_page(row, &body, &mut shelf)],
            None => {
                tally.lost.insert(row.page);
                vec![index::lost_page(row)]
            }
        };
        for (name, html) in files {
            tally.report.bytes += directory.write(&name, html.as_bytes())?;
        }
        tally.report.pages += 1;
        write_assets(catalog, &directory, &mut shelf, &mut tally, options).await?;
        progress(tally.report.pages, atlas.pages.len() as u64);
    }
    tally.report.broken_links = tally.links_to_lost();
    tally.report.missing_assets = shelf.missing().len() as u64;
    for (name, html) in index::pages(&atlas, &tally, shelf.missing()) {
        tally.report.bytes += directory.write(&name, html.as_bytes())?;
    }
    directory.finish()?;
    Ok(tally.report)
}

async fn write_assets(
    catalog: &Catalog,
    directory: &Directory,
    shelf: &mut Shelf,
    tally: &mut Tally,
    options: &MirrorOptions,
) -> Result<(), PublishError> {
    while let Some(mut asset) = shelf.next(catalog).await? {
        if tally.report.bytes.saturating_add(asset.bytes.len() as u64) > options.most_bytes {
            let said = format!("assets beyond {} bytes were left empty", options.most_bytes);
            tally.report.stopped.get_or_insert(said);
            asset.bytes.clear();
        }
        tally.report.bytes += directory.write(&format!("{FOLDER}/{}", asset.name), &asset.bytes)?;
        tally.report.assets += 1;
    }
    Ok(())
}

/// What a page is.
enum State {
    Tree(Dom),
    /// A picture, a PDF, JSON: bytes without a tree.
    File(Vec<u8>),
}

fn state_of(version: VersionRow) -> State {
    let (snapshot, body) = (version.snapshot.as_deref(), version.body.as_deref());
    match page::tree::reread(snapshot, body, version.content_type.as_deref()) {
        Some(dom) => State::Tree(dom),
        None => State::File(version.body.unwrap_or_default()),
    }
}
