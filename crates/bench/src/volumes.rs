//! `bathys bench volumes`: blocks that are the same on many pages of a site, and what keeping them once saves
//! (seed 003 §2.4).

use std::collections::{BTreeMap, BTreeSet, HashMap};

use store::{ContentId, PageNumber};
use testsite::{Options, SiteKind};

use crate::sheet::{Experiment, Sheet, rounded};
use crate::trial::{Trial, whole};

/// Changes that are followed at once.
const AT_ONCE: u32 = 50;

pub async fn run(sheet: &mut Sheet, quick: bool) -> anyhow::Result<()> {
    let kinds = [SiteKind::News, SiteKind::Portal, SiteKind::Bbs];
    for kind in kinds.into_iter().take(if quick { 2 } else { 3 }) {
        let volumes = measure(kind).await?;
        sheet.put(
            Experiment::new(format!("volumes/{kind}"))
                .ours("pages", volumes.pages)
                .ours("blocks", volumes.blocks)
                .ours("contents", volumes.contents)
                .ours("widest", volumes.widest)
                .ours("bytes_apart", volumes.bytes_apart)
                .ours("bytes", volumes.bytes)
                .ours("bytes_stored", volumes.bytes_stored)
                .ours("share", rounded(volumes.contents as f64 / volumes.blocks.max(1) as f64))
                .ask(volumes.wrong == 0, format!("{} contents are told wrongly", volumes.wrong)),
        )?;
    }
    sheet.table("blocks of all pages of a site, and what they hold: each once")
}

/// The blocks of a site.
#[derive(Default)]
pub struct Volumes {
    pub pages: usize,
    pub blocks: i64,
    pub contents: i64,
    /// Pages that the content which stands on most of them stands on.
    pub widest: i64,
    /// Bytes of names and digests, if each block had its own.
    pub bytes_apart: usize,
    /// The same, each content once, and what refers to it.
    pub bytes: usize,
    pub bytes_stored: i64,
    /// Contents whose pages are others than those whose blocks hold it.
    pub wrong: usize,
}

/// Crawls a bundled site, and compares what is told of its contents with the blocks of each page.
pub async fn measure(kind: SiteKind) -> anyhow::Result<Volumes> {
    let site = testsite::serve(kind, Options::default()).await?;
    let trial = Trial::new()?;
    trial.crawl(whole(&site)?).await?;
    site.stop().await;
    let stats = trial.catalog.stats().await?;
    let mut volumes = Volumes {
        blocks: stats.blocks,
        contents: stats.contents,
        bytes_stored: stats.bytes_stored,
        ..Volumes::default()
    };
    let pages = trial.pages().await?;
    volumes.pages = pages.len();
    let mut standing: HashMap<(&str, ContentId), BTreeSet<PageNumber>> = HashMap::new();
    let mut named: BTreeMap<(&str, ContentId), usize> = BTreeMap::new();
    for page in &pages {
        for row in trial.catalog.blocks(page.page, 0).await? {
            // Label and topic, and eight bytes for the digest.
            let bytes = row.label.len() + row.topic.len() + 8;
            volumes.bytes_apart += bytes;
            volumes.bytes += 8;
            named.insert((&page.site, row.content), bytes);
            if row.last.is_none() {
                standing.entry((&page.site, row.content)).or_default().insert(page.page);
            }
        }
    }
    volumes.bytes += named.values().map(|bytes| bytes + 8).sum::<usize>();
    for ((site, content), on) in &standing {
        let found = trial.catalog.occurrences(site, *content, PageNumber(0), u32::MAX).await?;
        let found: BTreeSet<PageNumber> = found.into_iter().map(|at| at.page).collect();
        volumes.wrong += usize::from(!on.is_subset(&found));
        volumes.widest = volumes.widest.max(found.len() as i64);
    }
    // Who follows the site is told of each of them.
    for site in &stats.sites {
        let (mut after, mut told) = (0, BTreeSet::new());
        while let Some((last, some)) = trial.catalog.changed_contents(site, after, AT_ONCE).await? {
            after = last;
            told.extend(some.into_iter().map(|one| one.content));
        }
        let all = named.keys().filter(|(of, _)| of == site);
        volumes.wrong += all.filter(|(_, content)| !told.contains(content)).count();
    }
    Ok(volumes)
}
