//! Choosing among judged sets of records, and joining those that belong together.

use std::collections::HashMap;

use super::Candidate;
use super::judge::{Verdict, judge};
use super::learned::{Branch, COMMON, Region, common, saying, visit};
use super::span::Span;
use super::survey::Survey;
use crate::tree::{Dom, Kind, NodeId};

/// Regions given back at most.
const MOST_REGIONS: usize = 8;

/// How much less may speak for an element around a record than for the one inside, to be preferred:
/// what it has more is the record's, too.
const AS_GOOD: f64 = 0.97;

/// The share of the marks of a first post that the answers have, too.
const ALIKE: f64 = 0.3;

/// How much a first post says at least, compared with the answers.
const AS_LONG: f64 = 0.3;

/// How much a record says at least that is a post, and no row of a list.
const LEAST_BODY: f64 = 40.0;

/// Sets that are cleaned and judged again.
const MOST_CLEANED: usize = 16;

/// Adverts that are remembered.
const MOST_ADVERTS: usize = 64;

/// A set of records with what speaks for it.
pub(super) struct Judged {
    branch: Branch,
    spans: Vec<Vec<Span>>,
    score: f64,
    verdict: Verdict,
    /// Nodes of all records.
    nodes: u64,
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

    /// The same without what has few of the marks of records, or says the same thing again and again.
    fn cleaned(self, surveys: &[Survey<'_>]) -> Self {
        let pages: Vec<&Dom> = surveys.iter().map(|survey| survey.dom).collect();
        let mut marks: Vec<u64> = common(&pages, &self.spans, COMMON).into_iter().collect();
        marks.sort_unstable();
        let mut branch = Branch { marks, ..self.branch };
        branch.core = core(surveys, &self.spans);
        branch.adverts = adverts(&pages, &self.spans);
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
fn extent(dom: &Dom, span: &Span) -> (NodeId, NodeId) {
    let first = span.nodes.first().copied().unwrap_or(NodeId::ROOT);
    (first, span.nodes.last().map_or(first, |last| dom.node(*last).end()))
}

/// Best first; of those alike, the larger.
fn rank(found: &mut [Judged]) {
    found.sort_by(|a, b| b.score.total_cmp(&a.score).then(b.nodes.cmp(&a.nodes)));
}

/// The regions to give back.
pub(super) fn choose(surveys: &[Survey<'_>], mut found: Vec<Judged>) -> Vec<Candidate> {
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
    if let (Some(best), Some(first)) = (taken.first(), candidates.first_mut())
        && let Some(opening) = opening(&pages, best, lone)
    {
        first.region.branches.insert(0, opening.cleaned(surveys).branch);
    }
    candidates
}

/// The first posts of threads, where they are marked up unlike the answers: at most one a page, before
/// all others, with a good part of their marks and about as much text.
fn opening(pages: &[&Dom], best: &Judged, lone: Vec<Judged>) -> Option<Judged> {
    if best.verdict.body < LEAST_BODY {
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
    lone.into_iter()
        .filter(|judged| {
            judged.verdict.body >= AS_LONG * best.verdict.body
                && (judged.verdict.dated >= 0.5 || best.verdict.dated < 0.5)
                && is_before(judged)
                && is_alike(judged)
        })
        .max_by_key(|judged| judged.nodes)
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
