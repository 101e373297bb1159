//! How much a set of spans looks like the records of its pages.

use std::collections::{HashMap, HashSet};

use xxhash_rust::xxh3::xxh3_64;

use super::span::Span;
use super::survey::{Survey, mix};
use page::tree::{Kind, NodeId};

/// Letters that a name, a date or a number has at most, on average.
const SHORT: u32 = 40;

/// A place within records, over all records.
#[derive(Default)]
struct Column {
    /// Records that have it.
    records: u32,
    /// Records that have it once.
    once: u32,
    /// Texts, and dates among them.
    texts: u32,
    dates: u32,
    /// Letters of all texts.
    weight: u32,
    values: HashSet<u64>,
}

/// What speaks for a set of records.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Verdict {
    /// The share of pages that have any.
    pub(super) presence: f64,
    /// The share of varying text that is in records.
    pub(super) coverage: f64,
    /// How many columns have one text in most records.
    pub(super) columns: f64,
    /// How often a common column has one text.
    pub(super) unit: f64,
    /// How often there is one date, in the best column of dates.
    pub(super) dated: f64,
    /// The share of records that are unlike all others.
    pub(super) distinct: f64,
    /// The share of records with not much less text than others of their page.
    pub(super) full: f64,
    /// What was written in a record: letters of long texts, on average.
    pub(super) body: f64,
    /// Whether some page has more than one.
    pub(super) several: bool,
}

impl Verdict {
    /// All of it as one number from 0 to 1.
    pub(super) fn score(&self) -> f64 {
        self.presence
            * self.coverage
            * (0.4 + 0.6 * self.columns / (self.columns + 1.5))
            * (0.3 + 0.7 * self.unit)
            * (0.75 + 0.25 * self.dated)
            * self.distinct
            * self.full
            * if self.several { 1.0 } else { 0.3 }
    }
}

/// Judges the records of all pages.
pub(super) fn judge(surveys: &[Survey<'_>], spans: &[Vec<Span>]) -> Verdict {
    let mut columns: HashMap<u64, Column> = HashMap::new();
    let mut texts = HashSet::new();
    let (mut records, mut presence, mut coverage, mut several, mut full) =
        (0.0, 0.0, 0.0, false, 0.0);
    for (survey, spans) in surveys.iter().zip(spans) {
        several |= spans.len() > 1;
        presence += f64::from(u8::from(!spans.is_empty()));
        let mut covered = 0;
        let mut weights = Vec::with_capacity(spans.len());
        let mut place = vec![0; survey.dom.node_count()];
        for span in spans {
            records += 1.0;
            let mut own: Vec<(u64, u64, bool, u32)> = Vec::new();
            let mut whole = 0;
            let before = covered;
            for (from, to) in span.ranges(survey.dom) {
                covered += survey.weight(from, to);
                for at in from..to {
                    let node = survey.dom.node(NodeId(at));
                    let above = node.parent().map_or(0, |parent| place[parent.id().at()]);
                    // The classes of a root alternate, or mark the first, and two roots of one name with
                    // the same columns are two records; but a term and its description are one.
                    place[at as usize] = match span.nodes.binary_search(&NodeId(at)) {
                        Ok(_) if node.kind() == Kind::Text => survey.sign[at as usize],
                        Ok(_) => xxh3_64(node.name().as_bytes()),
                        Err(_) => mix(above, survey.sign[at as usize]),
                    };
                    let says = survey.says[at as usize];
                    if says != 0 {
                        own.push((
                            place[at as usize],
                            says,
                            survey.dates(at, at + 1) > 0,
                            survey.weight(at, at + 1),
                        ));
                        whole = mix(whole, says);
                    }
                }
            }
            weights.push(covered - before);
            texts.insert(whole);
            own.sort_unstable();
            for group in own.chunk_by(|a, b| a.0 == b.0) {
                let column = columns.entry(group[0].0).or_default();
                column.records += 1;
                column.once += u32::from(group.len() == 1);
                column.texts += group.len() as u32;
                column.dates += group.iter().filter(|text| text.2).count() as u32;
                column.weight += group.iter().map(|text| text.3).sum::<u32>();
                column.values.extend(group.iter().map(|text| text.1));
            }
        }
        let least = 0.1 * f64::from(covered) / weights.len().max(1) as f64;
        full += weights.iter().filter(|weight| f64::from(**weight) >= least).count() as f64;
        coverage += f64::from(covered) / f64::from(survey.total().max(1));
    }
    if records == 0.0 {
        return Verdict::default();
    }
    let pages = surveys.len() as f64;
    let mut verdict = Verdict {
        presence: presence / pages,
        coverage: coverage / pages,
        distinct: texts.len() as f64 / records,
        full: full / records,
        several,
        ..Verdict::default()
    };
    // Whole numbers until the end: the sum of shares depends on the order of columns, which a map does not
    // keep, and two regions that are alike would be told apart by chance.
    let (mut once, mut common, mut steady) = (0.0, 0.0, 0.0);
    for column in columns.values() {
        let share = f64::from(column.once) / records;
        if share >= 0.5 && column.values.len() > 1 {
            steady += f64::from(column.once);
        }
        // Columns of long texts are what was written, in as many paragraphs as its author liked.
        let is_short = column.weight < SHORT * column.texts;
        if is_short && f64::from(column.records) >= 0.6 * records {
            once += f64::from(column.once);
            common += f64::from(column.records);
        }
        if f64::from(column.dates) >= 0.6 * f64::from(column.texts) {
            verdict.dated = verdict.dated.max(share);
        }
    }
    verdict.columns = steady / records;
    let long = columns.values().filter(|column| column.weight >= SHORT * column.texts);
    verdict.body = long.map(|column| f64::from(column.weight)).sum::<f64>() / records;
    verdict.unit = if common > 0.0 { once / common } else { 0.25 };
    verdict
}
