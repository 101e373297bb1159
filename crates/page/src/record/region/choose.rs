//! Choosing among judged sets of records, and joining those that belong together.

use std::cmp::Reverse;
use std::collections::{HashMap, HashSet};

use super::Candidate;
use super::judge::Verdict;
use super::learned::{Branch, Region, marks};
use super::span::Span;
use super::survey::Survey;
use crate::tree::{Dom, NodeId};

/// Regions given back at most.
const MOST_REGIONS: usize = 8;

/// How much less may speak for an element around a record than for the one inside, to be preferred:
/// what it has more is the record's, too.
const AS_GOOD: f64 = 0.97;

/// The share of records that have a mark for it to be expected of all.
const COMMON: f64 = 0.8;

/// The share of the marks of a first post that the answers have, too.
const ALIKE: f64 = 0.5;

/// How much text a first post has at least, compared with the answers.
const AS_LONG: f64 = 0.5;

/// A set of records with what speaks for it.
pub(super) struct Judged {
    branch: Branch,
    spans: Vec<Vec<Span>>,
    score: f64,
    dated: bool,
    several: bool,
    /// Varying text of a record, on average.
    weight: f64,
    /// Nodes of all records.
    nodes: u64,
}

impl Judged {
    pub(super) fn new(
        surveys: &[Survey<'_>],
        branch: Branch,
        spans: Vec<Vec<Span>>,
        verdict: &Verdict,
    ) -> Self {
        let (mut weight, mut nodes) = (0.0, 0);
        for (survey, spans) in surveys.iter().zip(&spans) {
            for (from, to) in spans.iter().flat_map(|span| span.ranges(survey.dom)) {
                weight += f64::from(survey.weight(from, to));
                nodes += u64::from(to - from);
            }
        }
        let count = spans.iter().map(Vec::len).sum::<usize>().max(1) as f64;
        Judged {
            branch,
            spans,
            score: verdict.score(),
            dated: verdict.dated >= 0.5,
            several: verdict.several,
            weight: weight / count,
            nodes,
        }
    }

    /// The branch, with what its records have in common.
    fn branch(&self, pages: &[&Dom]) -> Branch {
        let mut marks: Vec<String> = common(pages, &self.spans, COMMON).into_iter().collect();
        marks.sort_unstable();
        Branch { marks, ..self.branch.clone() }
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
fn extent(dom: &Dom, span: &Span) -> (NodeId, NodeId) {
    let first = span.nodes.first().copied().unwrap_or(NodeId::ROOT);
    (first, span.nodes.last().map_or(first, |last| dom.node(*last).end()))
}

/// Best first.
pub(super) fn rank(found: &mut [Judged]) {
    found.sort_by(|a, b| b.score.total_cmp(&a.score).then(Reverse(a.nodes).cmp(&Reverse(b.nodes))));
}

/// The regions to give back, of sets that are ranked.
pub(super) fn choose(pages: &[&Dom], found: &[Judged]) -> Vec<Candidate> {
    let mut taken: Vec<&Judged> = Vec::new();
    for judged in found.iter().filter(|judged| judged.score > 0.0) {
        if taken.len() == MOST_REGIONS {
            break;
        }
        let around = found
            .iter()
            .filter(|other| other.score >= AS_GOOD * judged.score && other.wraps(judged, pages))
            .max_by_key(|other| other.nodes)
            .unwrap_or(judged);
        let is_taken = |taken: &&Judged| taken.spans == around.spans;
        if !taken.iter().any(is_taken) {
            taken.push(around);
        }
    }
    let make = |judged: &&Judged| {
        let region = Region { branches: vec![judged.branch(pages)] };
        Candidate { region, score: judged.score }
    };
    let mut candidates: Vec<Candidate> = taken.iter().map(make).collect();
    if let (Some(best), Some(first)) = (taken.first(), candidates.first_mut())
        && let Some(opening) = opening(pages, best, found)
    {
        first.region.branches.insert(0, opening.branch(pages));
    }
    candidates
}

/// The first posts of threads, where they are marked up unlike the answers: at most one a page, before
/// all others, with a good part of their marks and about as much text.
fn opening<'a>(pages: &[&Dom], best: &Judged, found: &'a [Judged]) -> Option<&'a Judged> {
    if !best.several {
        return None;
    }
    let known = common(pages, &best.spans, 0.2);
    let is_before = |judged: &Judged| {
        let mut pairs = judged.spans.iter().zip(&best.spans).zip(pages);
        pairs.all(|((opening, best), dom)| match (opening.first(), best.first()) {
            (Some(opening), Some(best)) => extent(dom, opening).1 <= extent(dom, best).0,
            _ => true,
        })
    };
    let is_alike = |judged: &Judged| {
        let own = common(pages, &judged.spans, 0.5);
        let shared = own.iter().filter(|mark| known.contains(*mark)).count();
        shared as f64 >= ALIKE * own.len() as f64 && shared >= 2
    };
    found
        .iter()
        .filter(|judged| {
            !judged.several
                && judged.weight >= AS_LONG * best.weight
                && (judged.dated || !best.dated)
                && is_before(judged)
                && is_alike(judged)
        })
        .max_by(|a, b| a.weight.total_cmp(&b.weight).then(a.nodes.cmp(&b.nodes).reverse()))
}

/// The marks that at least this share of records has.
fn common(pages: &[&Dom], spans: &[Vec<Span>], share: f64) -> HashSet<String> {
    let mut counts: HashMap<String, usize> = HashMap::new();
    let mut records = 0;
    for (dom, span) in
        pages.iter().zip(spans).flat_map(|(dom, spans)| spans.iter().map(move |span| (dom, span)))
    {
        records += 1;
        for mark in marks(dom, span) {
            *counts.entry(mark).or_default() += 1;
        }
    }
    let is_common = |count: &usize| *count as f64 >= share * records as f64;
    counts.into_iter().filter(|(_, count)| is_common(count)).map(|(mark, _)| mark).collect()
}
