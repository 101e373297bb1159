//! Where the records of a page type are.

mod choose;
mod clue;
mod fdre;
mod judge;
mod learned;
mod mdr;
mod propose;
mod selector;
mod span;
mod survey;
mod tags;

pub use fdre::fdre;
pub use learned::Region;
pub use mdr::mdr;
pub use span::Span;

use choose::{Judged, choose};
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

/// Pages learned from at most.
const MOST_PAGES: usize = 16;

/// The regions of pages of one type, all in the same view, likeliest first.
pub fn regions(pages: &[&Dom]) -> Vec<Candidate> {
    let pages = chosen(pages);
    let classes = Classes::count(&pages);
    let surveys = survey(&pages, &classes);
    let mut found: Vec<Judged> = Vec::new();
    for proposal in propose(&surveys, &classes) {
        let spans: Vec<Vec<Span>> = surveys
            .iter()
            .zip(&proposal.heads)
            .map(|(survey, heads)| proposal.branch.spans(survey.dom, heads))
            .collect();
        found.push(Judged::new(&surveys, proposal.branch, spans));
    }
    choose(&surveys, found)
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
