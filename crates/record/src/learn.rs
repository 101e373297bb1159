//! Learning the wrapper of a page type: regions and fields are chosen together.
//!
//! Where records are and what is in them depend on each other. A region that is too large holds several
//! authors a record, one that is too small none; so every likely region is given its best fields, and the
//! pair that fits best is taken. Raw and rendered pages are learned from apart, and the better one leads.

use super::field::{Assignment, BEST, Neighbours, Sample, assign_if};
use super::lesson;
use super::region::{Candidate, Region, regions};
use super::teacher::teach;
use super::wrapper::{Fit, Wrapper};
use super::{Kind, Source, View};

/// Pages of a type that are learned from. With 8 nothing is missed any more (see `bench records`); the
/// rest is for what only few pages show.
const PAGES: usize = 24;
/// What is left of the score of a region that teachers do not agree with at all: they may mark only some
/// records, or something else.
const DOUBT: f64 = 0.5;

/// A region, and what may be in it, the likeliest first.
pub(super) struct Choice {
    pub view: View,
    pub region: Region,
    pub assignments: Vec<Assignment>,
    pub score: f64,
}

impl Choice {
    /// What its records are.
    pub fn kind(&self) -> Option<Kind> {
        self.assignments.first().map(|best| best.kind)
    }

    /// Takes its records for that, in the first way that makes sense; says whether there is one.
    pub fn read_as(&mut self, kind: Kind, makes_sense: impl Fn(&Wrapper) -> bool) -> bool {
        let first = self.assignments.iter().position(|assignment| {
            assignment.kind == kind && makes_sense(&self.with(assignment, ""))
        });
        if let Some(first) = first {
            self.assignments.swap(0, first);
            self.assignments.retain(|assignment| assignment.kind == kind);
        }
        first.is_some()
    }

    /// The best way to read its records as that.
    pub fn way(&self, kind: Kind) -> Option<Wrapper> {
        let way = self.assignments.iter().find(|assignment| assignment.kind == kind)?;
        Some(self.with(way, ""))
    }

    /// The wrapper of a type that it makes.
    pub fn lead(&self, page_type: &str) -> Option<Wrapper> {
        Some(self.with(self.assignments.first()?, page_type))
    }

    fn with(&self, assignment: &Assignment, page_type: &str) -> Wrapper {
        Wrapper {
            page_type: page_type.to_owned(),
            view: self.view,
            region: self.region.clone(),
            assignment: assignment.clone(),
            cleaner: None,
            fit: Fit::default(),
        }
    }
}

/// What the pages of one type may be made of, the best first: at most one choice a view.
pub(super) fn choices(sources: &[&Source<'_>], around: &Neighbours) -> Vec<Choice> {
    let sources = spread(sources);
    let best = |view| best_of(view, &sources, around);
    let mut found: Vec<Choice> = [View::Rendered, View::Raw].into_iter().filter_map(best).collect();
    found.sort_by(|a, b| b.score.total_cmp(&a.score));
    found
}

/// Pages from all over the type, in order.
fn spread<'s, 'a>(sources: &[&'s Source<'a>]) -> Vec<&'s Source<'a>> {
    let take = sources.len().min(PAGES);
    (0..take).filter_map(|at| sources.get(at * sources.len() / take).copied()).collect()
}

fn best_of(view: View, sources: &[&Source<'_>], around: &Neighbours) -> Option<Choice> {
    let pages: Vec<_> =
        sources.iter().filter_map(|source| Some((*source, source.own_view(view)?))).collect();
    // What the server sent is known apart only of pages that a browser loaded. Where most needed none, it
    // is of a few pages, and nothing could be told of the others by it.
    if 2 * pages.len() < sources.len() {
        return None;
    }
    let trees: Vec<_> = pages.iter().map(|(_, dom)| *dom).collect();
    let taught: Vec<_> = pages.iter().map(|(source, dom)| teach(dom, source.url)).collect();
    let mut best: Option<Choice> = None;
    for Candidate { region, score } in regions(&trees) {
        // Fields cost most: a region that even the best of them would not bring to the top gets none.
        if best.as_ref().is_some_and(|best| score * BEST < best.score) {
            continue;
        }
        let samples: Vec<Sample<'_>> = pages
            .iter()
            .map(|(source, dom)| Sample {
                url: source.url,
                captured: source.captured,
                dom,
                spans: region.find(dom),
            })
            .collect();
        let marked: Vec<_> = samples
            .iter()
            .zip(&taught)
            .map(|(sample, taught)| (sample.dom, &taught[..], &sample.spans[..]))
            .collect();
        let trust = lesson::agreement(&marked).map_or(1.0, |agreed| DOUBT + (1.0 - DOUBT) * agreed);
        let is_best =
            |first: f64| best.as_ref().is_none_or(|best| score * first * trust >= best.score);
        let assignments = assign_if(&samples, around, is_best);
        let Some(first) = assignments.first().map(|first| first.score) else { continue };
        if is_best(first) {
            best = Some(Choice { view, region, assignments, score: score * first * trust });
        }
    }
    best
}

#[cfg(test)]
mod tests {
    use url::Url;

    use crate::{Site, Source};
    use page::tree::{Dom, parse_str};

    /// Words of an invented language, never the same twice in a row.
    fn words(seed: usize, count: usize) -> String {
        let word = |at: usize| {
            let letter = |n: usize| ["bo", "de", "ki", "lo", "mu", "ra", "se", "ti", "no"][n % 9];
            let n = (seed * 31 + at).wrapping_mul(2_654_435_761) >> 7;
            format!("{}{}{}", letter(n), letter(n / 9), letter(n / 81))
        };
        (0..count).map(word).collect::<Vec<_>>().join(" ")
    }

    fn list(number: usize) -> Dom {
        let row = |n: usize| {
            let n = number * 20 + n;
            format!(
                "<li><h2><a href=/a/{n}>{}</a></h2><p>{}</p></li>",
                words(n, 6),
                words(n + 7, 40)
            )
        };
        let rows: String = (0..20).map(row).collect();
        parse_str(&format!("<nav><a href=/>Home</a></nav><main><ol class=items>{rows}</ol></main>"))
            .dom
    }

    #[test]
    fn the_same_records_are_found_however_few_pages_a_browser_loaded() {
        let url = |n: usize| Url::parse(&format!("http://site.example/list/{n}")).unwrap();
        let pages: Vec<_> = (0..64).map(|n| (url(n), list(n))).collect();
        let found = |loaded: usize| -> usize {
            let sources: Vec<Source<'_>> = pages
                .iter()
                .enumerate()
                .map(|(n, (url, dom))| Source {
                    url,
                    page_type: Some("list"),
                    captured: None,
                    rendered: Some(dom),
                    raw: (n < loaded).then_some(dom),
                })
                .collect();
            Site::learn(&sources).records(&sources).iter().map(Vec::len).sum()
        };
        for loaded in [0, 1, 3, 6, 64] {
            assert_eq!(found(loaded), 64 * 20, "{loaded} loaded");
        }
    }
}
