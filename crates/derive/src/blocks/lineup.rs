//! The blocks of a page as its latest cut version has them, with their history.

use std::collections::HashMap;

use page::block::{Cut, Fate, KeptCut, Kind, Parts, Past, Ticks};
use page::state::mask_from_rules;
use store::{BlockNumber, BlockRow, Catalog, Millis, Uncut, Which};

use super::cut::Job;
use super::version::parts_of;
use crate::CpuPool;
use crate::DeriveError;

/// Versions that history goes back: what a page did before says little about what it does now.
const HISTORY: i64 = 64;

/// A version with its blocks, each with its life so far.
pub(super) struct Lineup {
    pub(super) version: i64,
    pub(super) time: Millis,
    pub(super) parts: Parts,
    /// Whether its tree is all that there is of it, and nobody has read records from it yet.
    pub(super) is_to_read: bool,
    pub(super) layout: KeptCut,
    /// In the order of the cut.
    pub(super) lives: Vec<Life>,
    /// The highest block number so far.
    pub(super) last: BlockNumber,
    /// Its blocks, if another version of the program cut it: none of them can be told in it any more.
    pub(super) stale: Vec<BlockNumber>,
}

/// The life of a lineage.
#[derive(Clone, Debug)]
pub(super) struct Life {
    pub(super) lineage: BlockNumber,
    /// Its present block.
    pub(super) block: BlockNumber,
    /// The version that it began with.
    since: i64,
    /// Versions at which it changed in a way that counts.
    changed: Vec<u32>,
    /// Sum of the shares of these changes.
    shares: u64,
    /// Whether it counts something.
    ticks: Ticks,
    /// The version that it last changed at, in any way.
    touched: i64,
}

impl Life {
    pub(super) fn begin(block: BlockNumber, version: i64) -> Self {
        Self {
            lineage: block,
            block,
            since: version,
            changed: Vec::new(),
            shares: 0,
            ticks: Ticks::default(),
            touched: version,
        }
    }

    /// Goes on with another block.
    pub(super) fn change(&mut self, block: BlockNumber, version: i64, fate: &Fate) {
        let counts = fate.kind.is_some_and(Kind::counts);
        self.go_on(block, version, counts, fate.share.into(), fate.numbers_only);
    }

    fn go_on(&mut self, block: BlockNumber, version: i64, counts: bool, share: u64, tick: bool) {
        self.block = block;
        let in_a_row = tick && self.touched + 1 == version;
        self.ticks = Ticks(if in_a_row { self.ticks.0.saturating_add(1) } else { tick.into() });
        self.touched = version;
        if counts && let Ok(version) = u32::try_from(version) {
            self.changed.push(version);
            self.shares += share;
        }
    }

    pub(super) fn past(&self, version: i64) -> Past {
        let changes = self.changed.len().max(1) as u64;
        Past {
            lived: u32::try_from(version - self.since).unwrap_or(0),
            changed: self.changed.clone(),
            share: u16::try_from(self.shares / changes).unwrap_or(u16::MAX),
        }
    }

    /// Whether of late it has changed at every version up to this one, and in its numbers alone.
    pub(super) fn is_counter(&self, version: i64) -> bool {
        self.touched == version && self.ticks.is_counter()
    }
}

impl Lineup {
    pub(super) fn new(
        job: &Job,
        parts: Parts,
        cut: Cut,
        lives: Vec<Life>,
        last: BlockNumber,
    ) -> Self {
        let layout = KeptCut { cut, lineages: lives.iter().map(|life| life.lineage.0).collect() };
        let (version, time) = (job.uncut.version, job.time);
        let is_to_read = job.kept.as_ref().is_none_or(|kept| kept.snapshot.is_none());
        Self { version, time, parts, is_to_read, layout, lives, last, stale: Vec::new() }
    }

    /// The latest version before this one that was cut, if there is any.
    pub(super) async fn load(
        catalog: &Catalog,
        pure: &CpuPool,
        uncut: &Uncut,
    ) -> Result<Option<Self>, DeriveError> {
        let which = Which::CutBefore(uncut.version);
        let Some(version) = catalog.version(uncut.page, which).await? else { return Ok(None) };
        let Some(row) = catalog.find(&uncut.page.to_string()).await? else { return Ok(None) };
        let rules = catalog.mask(&uncut.site, &row.url).await?;
        let rows = catalog.blocks(uncut.page, version.version - HISTORY).await?;
        let last = catalog.last_block(uncut.page).await?;
        let work = move || {
            let mask = mask_from_rules(rules.iter().map(String::as_str));
            let parts = parts_of(&version, &mask)?;
            let cutting = version.cut.as_ref()?;
            let known = KeptCut::from_bytes(&parts.tree, &cutting.layout)
                .and_then(|layout| Some((lives(&rows, &layout, version.version)?, layout)));
            let (lives, layout, stale) = match known {
                Some((lives, layout)) => (lives, layout, Vec::new()),
                None => {
                    let cut = parts.first_cut(u16::try_from(cutting.level).unwrap_or(0));
                    let alive = rows.iter().filter(|row| row.is_in(version.version));
                    let stale = alive.map(|row| row.block).collect();
                    (Vec::new(), KeptCut { cut, lineages: Vec::new() }, stale)
                }
            };
            let (version, time) = (version.version, version.time);
            Some(Self { version, time, parts, is_to_read: false, layout, lives, last, stale })
        };
        Ok(pure.run(work).await.flatten())
    }
}

/// The lives of the blocks of a version, from their rows.
fn lives(rows: &[BlockRow], layout: &KeptCut, version: i64) -> Option<Vec<Life>> {
    let mut by_lineage: HashMap<BlockNumber, Life> = HashMap::new();
    for row in rows.iter().filter(|row| row.first <= version) {
        match by_lineage.get_mut(&row.lineage) {
            Some(life) => {
                let counts = Kind::named(row.began.as_str()).is_some_and(Kind::counts);
                life.go_on(row.block, row.first, counts, row.share.unsigned_abs(), row.numbers);
            }
            None => {
                let life = Life { lineage: row.lineage, ..Life::begin(row.block, row.first) };
                by_lineage.insert(row.lineage, life);
            }
        }
    }
    layout.lineages.iter().map(|lineage| by_lineage.get(&BlockNumber(*lineage)).cloned()).collect()
}
