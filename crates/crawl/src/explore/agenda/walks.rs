//! The steps that were really taken to a state. The way that a state is kept with may be shorter: what is
//! believed of an instruction says that it leads there from nearer to the start, too. Where that turns out
//! to be wrong, the longer way is right, and nothing is learned about the state.

use std::collections::{HashMap, HashSet, VecDeque};

use store::{EdgeOutcome, EdgeRow, PageNumber, PageRow, PathStep, StateId};

use super::Agenda;
use super::place::Turn;
use crate::learn::Class;

impl Agenda {
    /// The steps that lead to a state for certain.
    pub(crate) fn walk_to(&self, state: StateId) -> Option<Vec<PathStep>> {
        let place = self.place(state)?;
        Some(self.walks.get(&place.page).unwrap_or(&place.path).clone())
    }

    /// Takes note of the steps that led to a page which is kept with a shorter way.
    pub(crate) fn walked_to(&mut self, page: PageNumber, walk: Vec<PathStep>) {
        self.walks.insert(page, walk);
    }

    /// These steps did not lead to a state. If they were only believed to, returns the page and the steps that
    /// did lead there; they are its way from now on.
    pub(crate) fn correct(
        &mut self,
        state: StateId,
        believed: &[PathStep],
    ) -> Option<(PageNumber, Vec<PathStep>)> {
        let place = self.places.get_mut(&state).filter(|place| place.path == believed)?;
        let walk = self.walks.remove(&place.page)?;
        place.trail = walk.iter().map(Turn::of).collect();
        place.path.clone_from(&walk);
        Some((place.page, walk))
    }

    /// Finds out which ways to the states of the document nobody has gone, by the edges that an earlier run
    /// kept, and which steps lead there by these.
    pub(super) fn restore_walks(&mut self, pages: &[PageRow], edges: &[EdgeRow]) {
        let mut from: HashMap<PageNumber, Vec<&EdgeRow>> = HashMap::new();
        for edge in edges.iter().filter(|edge| edge.outcome == EdgeOutcome::Page) {
            from.entry(edge.from).or_default().push(edge);
        }
        let starts = pages.iter().filter(|page| page.path.is_empty()).map(|page| page.page);
        let starts: Vec<_> = starts.collect();
        let found_by = first_edges(&starts, &from);
        for page in pages.iter().filter(|page| !leads_to(page, &starts, &from)) {
            let (mut walk, mut at) = (Vec::new(), page.page);
            while let Some(edge) = found_by.get(&at) {
                walk.push(taken(edge));
                at = edge.from;
            }
            if !walk.is_empty() {
                walk.reverse();
                self.walks.insert(page.page, walk);
            }
        }
    }
}

/// The edge by which each state is reached with the fewest steps.
fn first_edges<'e>(
    starts: &[PageNumber],
    from: &HashMap<PageNumber, Vec<&'e EdgeRow>>,
) -> HashMap<PageNumber, &'e EdgeRow> {
    let mut found_by = HashMap::new();
    let mut queue: VecDeque<_> = starts.iter().copied().collect();
    while let Some(at) = queue.pop_front() {
        for edge in from.get(&at).into_iter().flatten() {
            let Some(to) = edge.to.filter(|to| !starts.contains(to)) else { continue };
            if let std::collections::hash_map::Entry::Vacant(entry) = found_by.entry(to) {
                entry.insert(*edge);
                queue.push_back(to);
            }
        }
    }
    found_by
}

/// Whether the way that a page is kept with was gone, step by step.
fn leads_to(
    page: &PageRow,
    starts: &[PageNumber],
    from: &HashMap<PageNumber, Vec<&EdgeRow>>,
) -> bool {
    let mut at: HashSet<PageNumber> = starts.iter().copied().collect();
    for step in &page.path {
        let edges = at.iter().filter_map(|page| from.get(page)).flatten();
        let same = edges.filter(|edge| (&edge.event, &edge.xpath) == (&step.event, &step.xpath));
        at = same.filter_map(|edge| edge.to).collect();
    }
    at.contains(&page.page)
}

fn taken(edge: &EdgeRow) -> PathStep {
    let class = edge.class.as_deref().and_then(|class| class.parse::<Class>().ok());
    PathStep { handler: class.map(|class| class.handler).unwrap_or_default(), ..edge.step() }
}
