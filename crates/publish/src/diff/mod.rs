//! What changed from one version of a page to another, block by block.

mod html;
mod words;

use std::time::Duration;

use page::block::{
    BlockAt, Context, Cut, KeptCut, Kind, Label, Matching, Parts, Topics, comes_from_elsewhere,
    compare,
};
use page::state::mask_from_rules;
use page::tree::reread;
use serde::Serialize;
use store::{BlockRow, Catalog, Millis, PageNumber, PageRow, VersionRow};
use url::Url;

pub use crate::block::{Shown, Teller};
use crate::error::PublishError;
pub use words::{Edit, Op, Piece, marked};

/// How a page changed.
#[derive(Clone, Debug, Serialize)]
pub struct Diff {
    /// The page.
    pub page: PageNumber,
    /// Its key.
    pub key: String,
    /// The older version.
    pub from: Point,
    /// The newer one.
    pub to: Point,
    /// Blocks that show something else.
    pub changed: Vec<Changed>,
    /// Blocks that were not there.
    pub added: Vec<Came>,
    /// Blocks that are no more.
    pub removed: Vec<Came>,
    /// Blocks that stand elsewhere.
    pub moved: Vec<Shown>,
    /// Whether what is left over without the blocks differs.
    pub layout_changed: bool,
    /// Changes that were left out: noise.
    pub noise: usize,
}

/// A version.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Point {
    /// Its number.
    pub version: i64,
    /// When it was captured.
    pub time: Millis,
}

/// A block that changed.
#[derive(Clone, Debug, Serialize)]
pub struct Changed {
    /// As it is now.
    #[serde(flatten)]
    pub block: Shown,
    /// How it changed.
    pub kind: &'static str,
    /// Whether it also moved.
    pub moved: bool,
    /// Its text before and after, line by line.
    pub edits: Vec<Edit>,
}

/// A block that came or went.
#[derive(Clone, Debug, Serialize)]
pub struct Came {
    /// As it is, or was.
    #[serde(flatten)]
    pub block: Shown,
    /// What it shows, or did.
    pub text: String,
}

/// How to compare.
#[derive(Clone, Copy, Debug, Default)]
pub struct DiffOptions {
    /// Noise too: format, scripts, adverts, what is volatile.
    pub all: bool,
    /// How topics are made.
    pub topics: Topics,
}

impl Diff {
    /// Compares two versions of a page, the older first. Both are cut as the newer one is kept, so that
    /// another way to cut is never a change.
    ///
    /// # Errors
    /// When the catalog fails, or a version has no tree to compare.
    pub async fn between(
        catalog: &Catalog,
        page: &PageRow,
        (from, to): (&VersionRow, &VersionRow),
        options: DiffOptions,
    ) -> Result<Self, PublishError> {
        let rules = catalog.mask(&page.site, &page.url).await?;
        let rows = catalog.blocks(page.page, from.version).await?;
        let mask = mask_from_rules(rules.iter().map(String::as_str));
        let parts = |version: &VersionRow| {
            let looks = version.looks.as_deref().and_then(page::block::Looks::from_bytes);
            let (snapshot, body) = (version.snapshot.as_deref(), version.body.as_deref());
            reread(snapshot, body, version.content_type.as_deref())
                .map(|dom| Parts::of(dom, looks, &mask))
                .ok_or(PublishError::NoTree { page: page.page, version: version.version })
        };
        let (old, new) = (parts(from)?, parts(to)?);
        let point = |version: &VersionRow| Point { version: version.version, time: version.time };
        let mut diff = Self {
            page: page.page,
            key: page.key.clone(),
            from: point(from),
            to: point(to),
            changed: Vec::new(),
            added: Vec::new(),
            removed: Vec::new(),
            moved: Vec::new(),
            layout_changed: false,
            noise: 0,
        };
        diff.compare((&old, from), (&new, to), &rows, options);
        Ok(diff)
    }

    fn compare(
        &mut self,
        (old, from): (&Parts, &VersionRow),
        (new, to): (&Parts, &VersionRow),
        rows: &[BlockRow],
        options: DiffOptions,
    ) {
        let numbers = Numbers::of(new, to, rows);
        let matching = Matching::between(old.reading(), new.reading());
        let level = new.level_of(&numbers.cut);
        let old_cut = matching.reversed().carry(&numbers.cut, level);
        let (before, now) = (Teller::new(old, options.topics), Teller::new(new, options.topics));
        let apart = to.time.0.saturating_sub(from.time.0).unsigned_abs();
        let url = Url::parse(&self.key).ok();
        let is_foreign =
            |at| url.as_ref().is_some_and(|url| comes_from_elsewhere(new.reading(), at, url));
        let context = Context {
            is_advert: &|at| now.label(at) == Label::Advert && is_foreign(at),
            ..Context::apart(Duration::from_millis(apart))
        };
        let comparison =
            compare((old.reading(), &old_cut), (new.reading(), &numbers.cut), &matching, &context);
        self.layout_changed = comparison.layout_changed;
        for fate in &comparison.fates {
            let block = || now.tell(fate.block, numbers.of_block(fate.block));
            match (fate.from, fate.kind) {
                (None, _) => {
                    self.added.push(Came { block: block(), text: now.text(fate.block) });
                }
                (Some(from), Some(kind)) if options.all || kind.counts() => {
                    // What leads elsewhere may say the same: then addresses are what differs.
                    let (old_text, new_text) = match kind {
                        Kind::Link | Kind::Image => (before.targets(from), now.targets(fate.block)),
                        _ => (before.text(from), now.text(fate.block)),
                    };
                    self.changed.push(Changed {
                        block: block(),
                        kind: kind.as_str(),
                        moved: fate.moved,
                        edits: words::edits(&old_text, &new_text),
                    });
                }
                (Some(_), kind) => {
                    self.noise += usize::from(kind.is_some());
                    if fate.moved {
                        self.moved.push(block());
                    }
                }
            }
        }
        let older = Numbers::of(old, from, rows);
        for at in &comparison.removed {
            let block = before.tell(*at, older.of_block(*at));
            self.removed.push(Came { block, text: before.text(*at) });
        }
    }

    /// Whether nothing is to be told.
    pub fn is_empty(&self) -> bool {
        self.changed.is_empty()
            && self.added.is_empty()
            && self.removed.is_empty()
            && self.moved.is_empty()
    }

    /// Side by side, as one HTML page that needs nothing else.
    pub fn to_html(&self) -> String {
        html::page(self)
    }
}

/// The numbers that the blocks of a version are kept under.
pub struct Numbers {
    /// How the version is cut.
    pub cut: Cut,
    blocks: Vec<i64>,
}

impl Numbers {
    /// The blocks of a version as they are kept; of one that is not cut yet, as they would be cut at
    /// first, under the numbers of its tree.
    pub fn of(parts: &Parts, version: &VersionRow, rows: &[BlockRow]) -> Self {
        let kept = version.cut.as_ref().and_then(|cutting| {
            let kept = KeptCut::from_bytes(&parts.tree, &cutting.layout)?;
            let alive = |lineage: &i64| {
                let row =
                    rows.iter().find(|row| row.lineage.0 == *lineage && row.is_in(version.version));
                row.map(|row| row.block.0)
            };
            let blocks = kept.lineages.iter().map(alive).collect::<Option<Vec<_>>>()?;
            Some(Self { cut: kept.cut, blocks })
        });
        kept.unwrap_or_else(|| {
            let cut = parts.first_cut(page::block::DEFAULT_LEVEL);
            let blocks = cut.blocks().iter().map(|at| i64::from(at.0)).collect();
            Self { cut, blocks }
        })
    }

    /// The number of a block; 0 if the version is cut otherwise.
    pub fn of_block(&self, at: BlockAt) -> i64 {
        let place = self.cut.blocks().binary_search(&at).ok();
        place.and_then(|place| self.blocks.get(place)).copied().unwrap_or(0)
    }
}
