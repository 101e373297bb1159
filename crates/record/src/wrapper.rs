//! Wrappers: what was learned of a page type, to be kept, looked at, used and checked.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::content::Cleaner;
use super::field::{Assignment, Sample};
use super::region::{Region, Span};
use super::{Field, Kind, Record, Source, View};
use page::tree::NodeId;

/// How to take the records from the pages of a type.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Wrapper {
    /// The type.
    pub page_type: String,
    /// Which of a page's trees it reads.
    pub view: View,
    /// Where the records are.
    pub region: Region,
    /// Which part of them is what.
    pub assignment: Assignment,
    /// What is no content of posts.
    pub cleaner: Option<Cleaner>,
    /// How well it fitted the pages that it was learned from.
    pub fit: Fit,
}

/// How well a wrapper fits pages.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct Fit {
    /// How many pages.
    pub pages: usize,
    /// How many of them have records.
    pub with_records: usize,
    /// How many records there are in all.
    pub records: usize,
    /// How many of those have each field.
    pub filled: BTreeMap<Field, usize>,
}

/// What makes a wrapper doubtful.
#[derive(Clone, PartialEq, Debug)]
pub enum Drift {
    /// Pages of the type have no records any more.
    Records {
        /// The share of pages that had some.
        was: f64,
        /// The share that has.
        is: f64,
    },
    /// Records lack a field that they had.
    Field {
        /// Which.
        field: Field,
        /// The share of records that had it.
        was: f64,
        /// The share that has.
        is: f64,
    },
}

/// A record, and where it is in the tree that it was read from.
pub(super) struct Found {
    pub record: Record,
    pub span: Span,
    pub content: Vec<NodeId>,
}

/// By how much a share may fall before it is drift: what is optional on some pages varies, what a
/// redesign takes away is gone.
const FALL: f64 = 0.5;
/// Pages that are enough to speak of drift.
const ENOUGH: usize = 3;

impl Wrapper {
    /// What its records are.
    pub fn kind(&self) -> Kind {
        self.assignment.kind
    }

    pub(super) fn read(&self, source: &Source<'_>) -> Vec<Found> {
        let Some(dom) = source.view(self.view) else { return Vec::new() };
        let spans = self.region.find(dom);
        let sample = Sample { url: source.url, captured: source.captured, dom, spans };
        let records = self.assignment.records(&sample);
        let found = sample.spans.into_iter().zip(records).map(|(span, record)| {
            let content = self.assignment.content(dom, &span);
            let text = span.text(dom);
            Found { record: Record { text, ..record }, span, content }
        });
        found.collect()
    }
}

impl Fit {
    /// Adds what was read from a page.
    pub fn count<'r>(&mut self, records: impl IntoIterator<Item = &'r Record>) {
        self.pages += 1;
        let before = self.records;
        for record in records {
            self.records += 1;
            for field in record.field_xpaths.keys() {
                *self.filled.entry(*field).or_default() += 1;
            }
        }
        self.with_records += usize::from(self.records > before);
    }

    /// What pages that were read later lack, compared with these.
    pub fn drift(&self, later: &Fit) -> Vec<Drift> {
        let mut found = Vec::new();
        let share = |part: usize, of: usize| part as f64 / of.max(1) as f64;
        if later.pages < ENOUGH {
            return found;
        }
        let (was, is) =
            (share(self.with_records, self.pages), share(later.with_records, later.pages));
        if is < was * FALL {
            found.push(Drift::Records { was, is });
        }
        for (field, filled) in &self.filled {
            let is = later.filled.get(field).copied().unwrap_or_default();
            let (was, is) = (share(*filled, self.records), share(is, later.records));
            if later.records >= ENOUGH && is < was * FALL {
                found.push(Drift::Field { field: *field, was, is });
            }
        }
        found
    }
}
