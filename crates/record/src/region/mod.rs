//! Where the records of a page type are.
//!
//! One page repeats many things, and a thread with a single post repeats nothing. So all pages of a type
//! are read together, in five steps:
//!
//! 1. *Survey* the pages: what they all say in the same way is their frame; what varies is what records
//!    are made of.
//! 2. *Propose* every set of elements that one selector names on most pages: a path, a class, an
//!    identifier with a number, a class of what it holds, alone or below another; each element as a
//!    record, with its following siblings as one, or with those of the same name inside it as records of
//!    their own; and what is between two rules, where records have no element at all.
//! 3. *Judge* each set. Records cover what varies; most of their columns hold exactly one text, and one
//!    column a date, whereas a set too coarse has several and one too fine has none; no two are alike;
//!    and their number differs from page to page.
//! 4. *Clean* the best of what lies between records and has few of their marks, or says the same thing
//!    again and again; and judge them again.
//! 5. *Choose*, of sets as good as each other, the outermost; and join a first post that is marked up
//!    unlike the answers.
//!
//! No list of class names is in any of this: odd and even, first, unread and sticky are told from what
//! records share by counting. [`fdre`] and [`mdr`] mine single pages, as the papers do.

mod choose;
mod clue;
mod fdre;
mod judge;
mod learned;
mod mdr;
mod opening;
mod propose;
mod rule;
mod selector;
mod span;
mod survey;
mod tags;
#[cfg(test)]
mod tests;

pub use fdre::fdre;
pub use learned::Region;
pub use mdr::mdr;
pub use span::Span;
pub(super) use tags::Tags;

use choose::{Judged, choose};
use propose::propose;
use survey::{Classes, survey};

use page::tree::Dom;

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

/// The regions of pages of one type, all in the same view, likeliest first: at most eight, of different
/// grain and at different places, so that what fields they give may decide.
///
/// Pages that all have one record only give regions, too, with a low score: nothing shows then where a
/// record ends. See [`Region`] for an example.
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
    choose(&surveys, &classes, found)
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
