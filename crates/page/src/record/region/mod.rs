//! Where the records of a page type are.

mod clue;
mod judge;
mod learned;
mod propose;
mod selector;
mod span;
mod survey;

pub use learned::Region;
pub use span::Span;

use std::collections::HashMap;

use judge::judge;
use propose::propose;
use survey::{Classes, survey};

use crate::tree::Dom;

/// A region that the records may be in.
#[derive(Clone, Debug)]
pub struct Candidate {
    /// Where.
    pub region: Region,
    /// How much speaks for it, from 0 to 1.
    pub score: f64,
}

/// Regions given back at most.
const MOST_REGIONS: usize = 8;

/// Pages learned from at most.
const MOST_PAGES: usize = 16;

/// The share of records that a column is in to be expected of all.
const COMMON: f64 = 0.8;

/// The regions of pages of one type, all in the same view, likeliest first.
pub fn regions(pages: &[&Dom]) -> Vec<Candidate> {
    let pages = chosen(pages);
    let classes = Classes::count(&pages);
    let surveys = survey(&pages, &classes);
    let mut found: Vec<(f64, propose::Proposal, Vec<Vec<Span>>)> = Vec::new();
    for proposal in propose(&surveys, &classes) {
        let spans: Vec<Vec<Span>> = surveys
            .iter()
            .zip(&proposal.heads)
            .map(|(survey, heads)| proposal.branch.spans(survey.dom, heads))
            .collect();
        let verdict = judge(&surveys, &spans);
        found.push((verdict.score(), proposal, spans));
    }
    found.sort_by(|a, b| b.0.total_cmp(&a.0));
    found.truncate(MOST_REGIONS);
    found
        .into_iter()
        .map(|(score, proposal, spans)| {
            let columns = expected(&pages, &spans);
            Candidate { region: Region { branches: vec![proposal.branch], columns }, score }
        })
        .collect()
}

/// The pages to learn from: the largest, for they have the most records, and others evenly.
fn chosen<'a>(pages: &[&'a Dom]) -> Vec<&'a Dom> {
    if pages.len() <= MOST_PAGES {
        return pages.to_vec();
    }
    let mut order: Vec<usize> = (0..pages.len()).collect();
    order.sort_by_key(|at| std::cmp::Reverse(pages[*at].node_count()));
    let (large, rest) = order.split_at(MOST_PAGES / 2);
    let step = rest.len() / (MOST_PAGES / 2);
    let mut taken: Vec<usize> = large.to_vec();
    taken.extend(rest.iter().step_by(step.max(1)).take(MOST_PAGES / 2));
    taken.sort_unstable();
    taken.into_iter().map(|at| pages[at]).collect()
}

/// The columns that nearly all records have.
fn expected(pages: &[&Dom], spans: &[Vec<Span>]) -> Vec<String> {
    let mut counts: HashMap<String, usize> = HashMap::new();
    let mut records = 0;
    for (dom, spans) in pages.iter().zip(spans) {
        for span in spans {
            records += 1;
            for column in learned::columns(dom, span) {
                *counts.entry(column).or_default() += 1;
            }
        }
    }
    let mut common: Vec<String> = counts
        .into_iter()
        .filter(|(_, count)| *count as f64 >= COMMON * records as f64)
        .map(|(column, _)| column)
        .collect();
    common.sort_unstable();
    common
}
