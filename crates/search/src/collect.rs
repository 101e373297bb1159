//! Everything that is to be known of the matches of a query, in one pass: how many there are, the best, and
//! how they are spread over sites, types, labels and time.

use std::cmp::{Ordering, Reverse};
use std::collections::{BTreeMap, BinaryHeap};
use std::sync::Arc;

use page::block::Label;
use store::Millis;
use tantivy::collector::{Collector, SegmentCollector};
use tantivy::columnar::{Column, StrColumn};
use tantivy::{DocAddress, DocId, Score, SegmentOrdinal, SegmentReader};

use crate::occurrence::Occurrence;
use crate::page_types::PageTypes;
use crate::query::Order;
use crate::schema::column;

const HOUR: i64 = 3_600_000;

/// Which occurrences of a text are meant.
#[derive(Clone)]
pub(crate) struct Filter {
    pub(crate) from: Option<Millis>,
    pub(crate) to: Option<Millis>,
    pub(crate) label: Option<Label>,
    /// The number of a type that is asked for; of none that there is, if no page is of it.
    pub(crate) page_type: Option<Option<u32>>,
    pub(crate) types: Arc<PageTypes>,
}

impl Filter {
    pub(crate) fn takes(&self, of: &Occurrence) -> bool {
        of.stood(self.from, self.to)
            && self.label.is_none_or(|label| of.label == label)
            && self.takes_page(of.page.0)
    }

    fn takes_page(&self, page: i64) -> bool {
        match self.page_type {
            None => true,
            Some(wanted) => wanted.is_some() && self.types.of(page) == wanted,
        }
    }
}

/// How much a match counts in a block that is for this: who searches wants what pages say, and
/// not the ways through the site that all of them repeat.
fn weight(label: Label) -> f32 {
    match label {
        Label::Main => 1.0,
        Label::List | Label::Comments => 0.9,
        Label::Header | Label::Media | Label::Other => 0.7,
        Label::Navigation | Label::Form => 0.5,
        Label::Advert | Label::Footer => 0.4,
    }
}

/// What is to be collected.
pub(crate) struct Matches {
    pub(crate) filter: Filter,
    pub(crate) order: Order,
    /// How many of the best are kept.
    pub(crate) most: usize,
}

/// What was collected.
#[derive(Default)]
pub(crate) struct Collected {
    pub(crate) total: u64,
    /// The best first.
    pub(crate) best: Vec<(DocAddress, f32)>,
    pub(crate) sites: BTreeMap<String, u64>,
    pub(crate) types: BTreeMap<u32, u64>,
    pub(crate) labels: [u64; Label::ALL.len()],
    /// Texts by the hour in which they were first seen.
    pub(crate) hours: BTreeMap<i64, u64>,
}

/// A match by its rank; of two with one rank the one that was indexed first is better.
#[derive(Clone, Copy, PartialEq)]
struct Ranked {
    rank: f64,
    score: f32,
    address: DocAddress,
}

impl Eq for Ranked {}

impl Ord for Ranked {
    fn cmp(&self, other: &Self) -> Ordering {
        self.rank.total_cmp(&other.rank).then_with(|| other.address.cmp(&self.address))
    }
}

impl PartialOrd for Ranked {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// The matches of a segment.
pub(crate) struct SegmentMatches {
    filter: Filter,
    order: Order,
    most: usize,
    segment: SegmentOrdinal,
    site: Option<StrColumn>,
    page: Column<i64>,
    first: Column<i64>,
    last: Column<i64>,
    label: Column<u64>,
    total: u64,
    best: BinaryHeap<Reverse<Ranked>>,
    sites: Vec<u64>,
    types: BTreeMap<u32, u64>,
    labels: [u64; Label::ALL.len()],
    hours: BTreeMap<i64, u64>,
    /// Types of the text at hand, to be counted once each.
    seen_types: Vec<u32>,
}

/// What a segment gives.
pub(crate) struct SegmentFruit {
    total: u64,
    best: Vec<Ranked>,
    sites: Vec<(String, u64)>,
    types: BTreeMap<u32, u64>,
    labels: [u64; Label::ALL.len()],
    hours: BTreeMap<i64, u64>,
}

impl Collector for Matches {
    type Fruit = Collected;
    type Child = SegmentMatches;

    fn for_segment(
        &self,
        segment: SegmentOrdinal,
        reader: &SegmentReader,
    ) -> tantivy::Result<SegmentMatches> {
        let columns = reader.fast_fields();
        let site = columns.str(column::SITE)?;
        Ok(SegmentMatches {
            filter: self.filter.clone(),
            order: self.order,
            most: self.most,
            segment,
            sites: vec![0; site.as_ref().map_or(0, |site| site.num_terms())],
            site,
            page: columns.i64(column::PAGE)?,
            first: columns.i64(column::FIRST)?,
            last: columns.i64(column::LAST)?,
            label: columns.u64(column::LABEL)?,
            total: 0,
            best: BinaryHeap::new(),
            types: BTreeMap::new(),
            labels: [0; Label::ALL.len()],
            hours: BTreeMap::new(),
            seen_types: Vec::new(),
        })
    }

    fn requires_scoring(&self) -> bool {
        self.order == Order::Best
    }

    fn merge_fruits(&self, segments: Vec<SegmentFruit>) -> tantivy::Result<Collected> {
        let mut all = Collected::default();
        let mut best = Vec::new();
        for segment in segments {
            all.total += segment.total;
            best.extend(segment.best);
            for (site, count) in segment.sites {
                *all.sites.entry(site).or_default() += count;
            }
            for (page_type, count) in segment.types {
                *all.types.entry(page_type).or_default() += count;
            }
            for (all, count) in all.labels.iter_mut().zip(segment.labels) {
                *all += count;
            }
            for (hour, count) in segment.hours {
                *all.hours.entry(hour).or_default() += count;
            }
        }
        best.sort_by(|one, other| other.cmp(one));
        best.truncate(self.most);
        all.best = best.into_iter().map(|ranked| (ranked.address, ranked.score)).collect();
        Ok(all)
    }
}

impl SegmentCollector for SegmentMatches {
    type Fruit = SegmentFruit;

    fn collect(&mut self, doc: DocId, score: Score) {
        let (from, to) = (
            self.filter.from.map_or(i64::MIN, |from| from.0),
            self.filter.to.map_or(i64::MAX, |to| to.0),
        );
        let wanted = self.filter.label.map(|label| label as u64);
        let (mut begun, mut labels, mut heaviest) = (i64::MAX, 0_u16, 0.0_f32);
        self.seen_types.clear();
        let pages = self.page.values_for_doc(doc);
        let lives = self.first.values_for_doc(doc).zip(self.last.values_for_doc(doc));
        for ((page, (first, last)), label) in pages.zip(lives).zip(self.label.values_for_doc(doc)) {
            if last < from || first > to || wanted.is_some_and(|wanted| label != wanted) {
                continue;
            }
            let page_type = self.filter.types.of(page);
            if let Some(wanted) = self.filter.page_type
                && (wanted.is_none() || page_type != wanted)
            {
                continue;
            }
            begun = begun.min(first);
            if labels & 1 << label == 0 {
                labels |= 1 << label;
                let named = Label::ALL.get(label as usize).copied().unwrap_or(Label::Other);
                heaviest = heaviest.max(weight(named));
            }
            if let Some(page_type) = page_type
                && !self.seen_types.contains(&page_type)
            {
                self.seen_types.push(page_type);
            }
        }
        if labels == 0 {
            return;
        }
        self.total += 1;
        *self.hours.entry(begun.div_euclid(HOUR)).or_default() += 1;
        for (label, count) in self.labels.iter_mut().enumerate() {
            *count += u64::from(labels >> label & 1);
        }
        for page_type in &self.seen_types {
            *self.types.entry(*page_type).or_default() += 1;
        }
        let site = self.site.as_ref().and_then(|site| site.ords().first(doc));
        if let Some(count) = site.and_then(|site| self.sites.get_mut(site as usize)) {
            *count += 1;
        }
        let score = score * heaviest;
        let rank = match self.order {
            Order::Best => f64::from(score),
            Order::Newest => begun as f64,
            Order::Oldest => -(begun as f64),
        };
        let ranked = Ranked { rank, score, address: DocAddress::new(self.segment, doc) };
        if self.best.len() < self.most {
            self.best.push(Reverse(ranked));
        } else if self.best.peek().is_some_and(|Reverse(worst)| ranked > *worst) {
            self.best.pop();
            self.best.push(Reverse(ranked));
        }
    }

    fn harvest(self) -> SegmentFruit {
        let named = |(at, count): (usize, &u64)| {
            let mut name = String::new();
            let site = self.site.as_ref().filter(|_| *count > 0)?;
            site.ord_to_str(at as u64, &mut name).ok()?;
            Some((name, *count))
        };
        SegmentFruit {
            total: self.total,
            best: self.best.into_iter().map(|Reverse(ranked)| ranked).collect(),
            sites: self.sites.iter().enumerate().filter_map(named).collect(),
            types: self.types,
            labels: self.labels,
            hours: self.hours,
        }
    }
}
