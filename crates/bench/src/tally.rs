//! Which states of a site's truth a crawl has kept, and which of them twice.

use std::collections::{BTreeMap, HashSet};

use aho_corasick::AhoCorasick;
use page::tree::visible_text;
use store::{Catalog, Millis, Which};
use testsite::{State, Truth};

use crate::trial::captured;

/// The kept pages against the truth.
pub struct Tally {
    /// When each page that shows a state was kept, by the name of the state.
    shown: BTreeMap<String, Vec<Millis>>,
    asked: usize,
    missing: Vec<String>,
    /// Captured pages.
    pub pages: usize,
}

impl Tally {
    /// Looks for those states of the truth that are asked for. A page shows a state if it has its
    /// marker and everything else that the state shows.
    pub async fn of(
        catalog: &Catalog,
        truth: &Truth,
        is_asked: impl Fn(&State) -> bool,
    ) -> anyhow::Result<Self> {
        let states: Vec<&State> = truth.states.iter().filter(|state| is_asked(state)).collect();
        let texts =
            || states.iter().flat_map(|state| [&state.marker].into_iter().chain(&state.shows));
        let finder = AhoCorasick::new(texts())?;
        let mut shown: BTreeMap<String, Vec<Millis>> = BTreeMap::new();
        let rows = captured(catalog).await?;
        let pages = rows.len();
        for row in rows {
            let Some(version) = catalog.version(row.page, Which::Latest).await? else { continue };
            let Some(dom) = derive::tree_of(&version) else { continue };
            let text = visible_text(&dom);
            let found: HashSet<usize> =
                finder.find_overlapping_iter(&text).map(|hit| hit.pattern().as_usize()).collect();
            let mut pattern = 0;
            for state in &states {
                let last = pattern + 1 + state.shows.len();
                // A text that several states show is found under each of its numbers.
                if (pattern..last).all(|number| found.contains(&number)) {
                    shown.entry(state.id.clone()).or_default().push(version.time);
                }
                pattern = last;
            }
        }
        let is_missing = |state: &&&State| !shown.contains_key(&state.id);
        let missing = states.iter().filter(is_missing).map(|state| state.id.clone()).collect();
        Ok(Self { shown, asked: states.len(), missing, pages })
    }

    /// States that were asked for.
    pub fn asked(&self) -> usize {
        self.asked
    }

    /// States that are there.
    pub fn found(&self) -> usize {
        self.shown.len()
    }

    /// Whether this state of the truth is there.
    pub fn has(&self, state: &State) -> bool {
        self.shown.contains_key(&state.id)
    }

    /// The names of some that are not, for a message.
    pub fn missing(&self) -> String {
        let first: Vec<_> = self.missing.iter().take(8).map(String::as_str).collect();
        match self.missing.len() {
            0 => "nothing is missing".into(),
            count => format!("{count} missing, such as {}", first.join(", ")),
        }
    }

    /// Whether everything that was asked for is there.
    pub fn is_whole(&self) -> bool {
        self.missing.is_empty()
    }

    /// Pages that show what another page shows already.
    pub fn twice(&self) -> usize {
        self.shown.values().map(|pages| pages.len() - 1).sum()
    }

    /// When each state was first kept, in the order of time.
    pub fn times(&self) -> Vec<Millis> {
        let first = |pages: &Vec<Millis>| pages.iter().copied().min();
        let mut times: Vec<Millis> = self.shown.values().filter_map(first).collect();
        times.sort_unstable();
        times
    }
}
