//! Choosing among judged sets of records, and joining those that belong together.

use std::collections::HashMap;

use super::Candidate;
use super::judge::{Verdict, judge};
use super::learned::{Branch, COMMON, Region, common, saying, visit};
use super::opening::opening;
use super::span::Span;
use super::survey::{Classes, Survey};
use page::tree::{Dom, Kind, NodeId};

/// Regions given back at most.
const MOST_REGIONS: usize = 8;

/// How much less may speak for an element around a record than for the one inside, to be preferred:
/// what it has more is the record's, too.
const AS_GOOD: f64 = 0.97;

/// Regions that an opening is looked for of.
const MOST_OPENED: usize = 3;

/// Sets that are cleaned and judged again.
const MOST_CLEANED: usize = 16;

/// Adverts that are remembered.
const MOST_ADVERTS: usize = 64;

/// A set of records with what speaks for it.
pub(super) struct Judged {
    pub(super) branch: Branch,
    pub(super) spans: Vec<Vec<Span>>,
    score: f64,
    pub(super) verdict: Verdict,
    /// Nodes of all records.
    pub(super) nodes: u64,
}

impl Judged {
    /// Judges the records of a branch.
    pub(super) fn new(surveys: &[Survey<'_>], branch: Branch, spans: Vec<Vec<Span>>) -> Self {
        let verdict = judge(surveys, &spans);
        let of_page = |(survey, spans): (&Survey<'_>, &Vec<Span>)| {
            let ranges = spans.iter().flat_map(|span| span.ranges(survey.dom));
            ranges.map(|(from, to)| u64::from(to - from)).sum::<u64>()
        };
        let nodes = surveys.iter().zip(&spans).map(of_page).sum();
        Judged { branch, spans, score: verdict.score(), verdict, nodes }
    }

    /// Its branch, with what tells its records from what is between them.
    pub(super) fn marked(&self, surveys: &[Survey<'_>]) -> Branch {
        let pages: Vec<&Dom> = surveys.iter().map(|survey| survey.dom).collect();
        let mut marks: Vec<u64> = common(&pages, &self.spans, COMMON).into_iter().collect();
        marks.sort_unstable();
        let core = core(surveys, &self.spans);
        Branch { marks, core, adverts: adverts(&pages, &self.spans), ..self.branch.clone() }
    }

    /// The same without what has few of the marks of records, or says the same thing again and again.
    fn cleaned(self, surveys: &[Survey<'_>]) -> Self {
        let pages: Vec<&Dom> = surveys.iter().map(|survey| survey.dom).collect();
        let branch = self.marked(surveys);
        let mut spans = self.spans;
        for (dom, spans) in pages.iter().zip(&mut spans) {
            spans.retain(|span| branch.resembles(dom, span));
        }
        Judged::new(surveys, branch, spans)
    }

    /// Whether its records are those of another, each with more around it.
    fn wraps(&self, other: &Judged, pages: &[&Dom]) -> bool {
        self.nodes > other.nodes
            && self.spans.iter().zip(&other.spans).zip(pages).all(|((outer, inner), dom)| {
                let within = |(outer, inner): (&Span, &Span)| {
                    let (outer, inner) = (extent(dom, outer), extent(dom, inner));
                    outer.0 <= inner.0 && inner.1 <= outer.1
                };
                outer.len() == inner.len() && outer.iter().zip(inner).all(within)
            })
    }
}

/// The node numbers from the first to the last node of a record.
pub(super) fn extent(dom: &Dom, span: &Span) -> (NodeId, NodeId) {
    let first = span.nodes.first().copied().unwrap_or(NodeId::ROOT);
    (first, span.nodes.last().map_or(first, |last| dom.node(*last).end()))
}

/// Best first; of those alike, the larger.
fn rank(found: &mut [Judged]) {
    found.sort_by(|a, b| b.score.total_cmp(&a.score).then(b.nodes.cmp(&a.nodes)));
}

/// The regions to give back.
pub(super) fn choose(
    surveys: &[Survey<'_>],
    classes: &Classes,
    mut found: Vec<Judged>,
) -> Vec<Candidate> {
    let pages: Vec<&Dom> = surveys.iter().map(|survey| survey.dom).collect();
    rank(&mut found);
    let (mut found, mut lone): (Vec<Judged>, Vec<Judged>) =
        found.into_iter().partition(|judged| judged.verdict.several);
    if found.is_empty() {
        found = std::mem::take(&mut lone);
    }
    found.truncate(MOST_CLEANED);
    let mut found: Vec<Judged> = found.into_iter().map(|judged| judged.cleaned(surveys)).collect();
    rank(&mut found);

    let mut taken: Vec<&Judged> = Vec::new();
    for judged in found.iter().filter(|judged| judged.score > 0.0) {
        if taken.len() == MOST_REGIONS {
            break;
        }
        let around = found
            .iter()
            .filter(|other| other.score >= AS_GOOD * judged.score && other.wraps(judged, &pages))
            .max_by_key(|other| other.nodes)
            .unwrap_or(judged);
        if !taken.iter().any(|taken| taken.spans == around.spans) {
            taken.push(around);
        }
    }
    let make = |judged: &&Judged| {
        let region = Region { branches: vec![judged.branch.clone()] };
        Candidate { region, score: judged.score }
    };
    let mut candidates: Vec<Candidate> = taken.iter().map(make).collect();
    for (judged, candidate) in taken.iter().zip(&mut candidates).take(MOST_OPENED) {
        if let Some(opening) = opening(surveys, classes, judged, &lone) {
            candidate.region.branches.insert(0, opening);
            let spans: Vec<Vec<Span>> =
                pages.iter().map(|dom| candidate.region.find(dom)).collect();
            let (own, with) = (&judged.verdict, judge(surveys, &spans));
            candidate.score *= with.presence * with.coverage / (own.presence * own.coverage);
        }
    }
    candidates
}

/// The mark of most of what is written, of those that nearly all records have, if they have a date.
fn core(surveys: &[Survey<'_>], spans: &[Vec<Span>]) -> Option<u64> {
    // How many records have a mark, and letters at it.
    let mut found: HashMap<u64, (u32, u32)> = HashMap::new();
    let (mut records, mut dated) = (0, 0);
    for (survey, spans) in surveys.iter().zip(spans) {
        for span in spans {
            records += 1;
            let dates =
                span.ranges(survey.dom).into_iter().map(|(from, to)| survey.dates(from, to));
            dated += u32::from(dates.sum::<u32>() > 0);
            let mut own: HashMap<u64, u32> = HashMap::new();
            visit(survey.dom, span, |node, names, _| {
                if node.kind() == Kind::Text {
                    *own.entry(names).or_default() += survey.weight_of(node.id());
                }
            });
            for (mark, letters) in own.into_iter().filter(|(_, letters)| *letters > 0) {
                let sums = found.entry(mark).or_default();
                *sums = (sums.0 + 1, sums.1 + letters);
            }
        }
    }
    let is_usual = |of: u32| f64::from(of) >= COMMON * f64::from(records);
    let usual = found.into_iter().filter(|(_, of)| is_usual(of.0) && is_usual(dated));
    usual.max_by_key(|(mark, of)| (of.1 / of.0, *mark)).map(|(mark, _)| mark)
}

/// What elements among the records say that are adverts: the same thing several times on one page.
fn adverts(pages: &[&Dom], spans: &[Vec<Span>]) -> Vec<u64> {
    let mut counts: HashMap<u64, (usize, usize)> = HashMap::new();
    for (dom, spans) in pages.iter().zip(spans) {
        let mut own: Vec<u64> = spans.iter().map(|span| saying(dom, span)).collect();
        own.sort_unstable();
        for group in own.chunk_by(|a, b| a == b) {
            let count = counts.entry(group[0]).or_default();
            *count = (count.0 + group.len(), count.1.max(group.len()));
        }
    }
    let is_advert = |(all, most): (usize, usize)| all >= 3 && most >= 2;
    let mut adverts: Vec<u64> =
        counts.into_iter().filter(|(_, count)| is_advert(*count)).map(|(says, _)| says).collect();
    adverts.sort_unstable();
    adverts.truncate(MOST_ADVERTS);
    adverts
}
