//! What was written and what was left out.

use std::collections::{BTreeMap, HashMap, HashSet};

use serde::Serialize;
use store::PageNumber;

/// Addresses outside that are listed by name; beyond, they are only counted.
const MOST_LISTED: usize = 10_000;

/// What a mirror holds.
#[derive(Clone, Debug, Default, Serialize, PartialEq, Eq)]
pub struct MirrorReport {
    /// Pages written: every captured page and state.
    pub pages: u64,
    /// Documents of frames, each a file of its own.
    pub frames: u64,
    /// Pictures, sheets, fonts and other files.
    pub assets: u64,
    /// Links and navigation elements that lead to a file of the mirror.
    pub links: u64,
    /// Of these, the ones that only scripts made: seed 001's navigation elements.
    pub script_links: u64,
    /// Links to a page that could not be restored: its file says so.
    pub broken_links: u64,
    /// Links that leave the mirror, each marked as such.
    pub outside_links: u64,
    /// Of these, links to pages of the site that were not captured.
    pub missing_pages: u64,
    /// Assets that pages refer to and the store has not kept.
    pub missing_assets: u64,
    /// Bytes of all files.
    pub bytes: u64,
    /// A limit that left something out, if one did.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stopped: Option<String>,
}

/// The report in the making, with the names behind its counts.
#[derive(Default)]
pub(crate) struct Tally {
    pub report: MirrorReport,
    /// Addresses outside, with the first page that leads there and whether the store knows them.
    pub outside: BTreeMap<String, (PageNumber, bool)>,
    /// Pages that could not be restored.
    pub lost: HashSet<PageNumber>,
    /// Links to each page.
    leading: HashMap<PageNumber, u64>,
}

impl Tally {
    /// A link to a page of the mirror was written.
    pub(crate) fn link(&mut self, to: PageNumber) {
        self.report.links += 1;
        *self.leading.entry(to).or_default() += 1;
    }

    /// A link that only a script made was written.
    pub(crate) fn script_link(&mut self, to: PageNumber) {
        self.report.script_links += 1;
        self.link(to);
    }

    /// Links to pages that could not be restored.
    pub(crate) fn links_to_lost(&self) -> u64 {
        self.lost.iter().filter_map(|page| self.leading.get(page)).sum()
    }

    pub(crate) fn outside(&mut self, url: &str, from: PageNumber, known: bool) {
        self.report.outside_links += 1;
        self.report.missing_pages += u64::from(known);
        if self.outside.len() < MOST_LISTED {
            self.outside.entry(url.to_owned()).or_insert((from, known));
        }
    }
}
