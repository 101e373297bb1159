//! A document that is known is walked: every state that events reach in it is found again at the fewest
//! events, and of all else that its states offer only what is new is tried.
//!
//! Each state is entered by one event, taken where the tab stands if that leads to a state which was not
//! met yet; what was seen to lead nowhere, or to where the tab has been, is left alone. When fewer than half
//! of the states are met, what is known of the document is out of date: then it is explored as if nothing
//! were known of it.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use store::{EdgeRow, PageNumber};

use super::Exploration;
use super::agenda::Offer;

/// The share of states that must be found again for the way to them to be believed.
const ENOUGH: f64 = 0.5;

/// Tries from different states after which a state counts as gone: what led there may have depended on where
/// it was fired.
const TRIES: u32 = 2;

/// What is known of a document before it is walked, and what was met in it.
#[derive(Default)]
pub(crate) struct Walk {
    /// Where each instruction led, state by state. One that was tried and led to no state has no target.
    led: HashMap<PageNumber, HashMap<String, Vec<PageNumber>>>,
    /// The same in whatever state; `None` if it led to several.
    everywhere: HashMap<String, Option<Vec<PageNumber>>>,
    /// The instructions that led to each state.
    ways: HashMap<PageNumber, HashSet<String>>,
    /// The states to find, and those of them that the last walk met.
    states: HashSet<PageNumber>,
    expected: HashSet<PageNumber>,
    /// What was met, by which instruction.
    met: HashMap<PageNumber, Option<String>>,
    /// How often what led to a state did not lead there.
    missed: HashMap<PageNumber, u32>,
}

/// How the states of a document were found again.
#[derive(Debug, Default)]
pub(crate) struct Walked {
    /// Those that another instruction leads to than all that did before.
    pub(crate) moved: HashSet<PageNumber>,
}

/// What is known of something that a state offers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Promise {
    /// Nobody has tried it.
    Unknown,
    /// It leads to a state that is still to be found.
    State(PageNumber),
    /// It was tried, and leads to nothing that is not met.
    Nothing,
}

impl Walk {
    /// The walk of a document with these edges. `states` are those that only events reach, `expected` those
    /// of them that were there when it was last walked. `None` if nothing was ever tried in it.
    pub(crate) fn plan(
        edges: &[EdgeRow],
        states: HashSet<PageNumber>,
        expected: HashSet<PageNumber>,
    ) -> Option<Self> {
        let mut walk = Self { states, expected, ..Self::default() };
        for edge in edges {
            let signature = Offer::new(&Arc::default(), edge.step()).signature;
            let to = edge.to.filter(|to| walk.states.contains(to));
            if let Some(to) = to {
                walk.ways.entry(to).or_default().insert(signature.clone());
            }
            let led = walk.led.entry(edge.from).or_default().entry(signature.clone()).or_default();
            led.extend(to);
            let same: Vec<PageNumber> = to.into_iter().collect();
            let everywhere = walk.everywhere.entry(signature).or_insert_with(|| Some(same.clone()));
            if everywhere.as_ref().is_some_and(|known| *known != same) {
                *everywhere = None;
            }
        }
        (!walk.led.is_empty()).then_some(walk)
    }

    /// Whether there are states to find, which nothing but a tab can.
    pub(crate) fn expects_states(&self) -> bool {
        !self.expected.is_empty()
    }

    /// What something promises that a state offers.
    pub(crate) fn promise(&self, at: PageNumber, offer: &Offer) -> Promise {
        let here = self.led.get(&at).and_then(|led| led.get(&offer.signature));
        // "next" says nothing of where it leads from elsewhere; "page 3" does.
        let elsewhere = || self.everywhere.get(&offer.signature).filter(|_| offer.has_argument());
        let known = here.or_else(|| elsewhere()?.as_ref());
        let Some(targets) = known else { return Promise::Unknown };
        let is_to_find = |page: &&PageNumber| {
            let missed = self.missed.get(page).copied().unwrap_or(0);
            missed < TRIES && !self.met.contains_key(page)
        };
        let unmet = targets.iter().find(is_to_find);
        unmet.map_or(Promise::Nothing, |page| Promise::State(*page))
    }

    /// Takes note of a page that the tab shows, and of the instruction that led there.
    pub(crate) fn meet(&mut self, page: PageNumber, by: Option<&str>) {
        self.met.entry(page).or_insert_with(|| by.map(str::to_owned));
    }

    /// Takes note of where something led that nobody had tried: what says the same leads there, too.
    pub(crate) fn learn(&mut self, at: PageNumber, offer: &Offer, to: PageNumber) {
        let signature = &offer.signature;
        let led = self.led.entry(at).or_default().entry(signature.clone()).or_default();
        if !led.contains(&to) {
            led.push(to);
        }
        self.everywhere.entry(signature.clone()).or_insert_with(|| Some(vec![to]));
    }

    /// Takes note of something that was fired to get to a state.
    pub(crate) fn fired_for(&mut self, page: PageNumber) {
        if !self.met.contains_key(&page) {
            *self.missed.entry(page).or_default() += 1;
        }
    }

    /// Whether this state was known before the walk.
    pub(crate) fn knows(&self, page: PageNumber) -> bool {
        self.states.contains(&page)
    }

    /// Whether most of what was there is not found any more.
    fn is_stale(&self) -> bool {
        let met = self.expected.iter().filter(|page| self.met.contains_key(page)).count();
        !self.led.is_empty() && (met as f64) < ENOUGH * self.expected.len() as f64
    }

    /// Believes none of the ways any more.
    fn forget_ways(&mut self) {
        self.led.clear();
        self.everywhere.clear();
        self.missed.clear();
    }

    /// What the walk found out.
    pub(crate) fn end(self) -> Walked {
        let Self { ways, met, .. } = self;
        let is_moved = |(page, by): (PageNumber, Option<String>)| {
            let ways = ways.get(&page)?;
            (!ways.contains(&by?)).then_some(page)
        };
        Walked { moved: met.into_iter().filter_map(is_moved).collect() }
    }
}

impl Exploration<'_> {
    /// What something promises that a state offers, if the document is walked.
    pub(super) fn promise(&self, at: PageNumber, offer: &Offer) -> Promise {
        self.walk.as_ref().map_or(Promise::Unknown, |walk| walk.promise(at, offer))
    }

    /// Takes note of a page that the tab shows, and of what was fired where to get there.
    pub(super) fn meet(&mut self, page: PageNumber, by: Option<(PageNumber, &Offer)>) {
        if let Some(walk) = &mut self.walk {
            walk.meet(page, by.map(|(_, offer)| offer.signature.as_str()));
            if let Some((at, offer)) = by {
                walk.learn(at, offer, page);
            }
        }
    }

    /// Leaves what leads to where the tab has been meanwhile: nobody goes back to a state for it.
    pub(super) fn leave_what_was_met(&mut self) {
        if let Some(walk) = &self.walk {
            self.agenda.retain(|page, offer| walk.promise(page, offer) != Promise::Nothing);
        }
    }

    /// Begins to explore a document anew in which most of what was known is gone. False if it need not be.
    pub(super) fn explore_anew(&mut self) -> bool {
        let Some(walk) = self.walk.as_mut().filter(|walk| walk.is_stale()) else { return false };
        walk.forget_ways();
        tracing::info!(
            "{}: most of its states are not found any more, so all is tried again",
            self.agenda.url
        );
        let url = self.agenda.url.clone();
        self.crawl.with_knowledge(|known| known.check_all(&url));
        self.agenda.look_again();
        true
    }
}

#[cfg(test)]
mod tests {
    use store::EdgeOutcome;

    use super::*;

    fn edge(from: i64, to: i64, instruction: &str) -> EdgeRow {
        EdgeRow {
            from: PageNumber(from),
            to: Some(PageNumber(to)).filter(|to| to.0 != 0),
            event: "click".into(),
            xpath: format!("/html/body/{instruction}"),
            element_id: None,
            text: String::new(),
            instruction: instruction.into(),
            outcome: if to == 0 { EdgeOutcome::Same } else { EdgeOutcome::Page },
            refused_because: None,
            note: None,
            cost_ms: None,
            fickle: false,
            class: None,
            values: Vec::new(),
        }
    }

    fn offer(instruction: &str) -> Offer {
        Offer::new(&Arc::default(), edge(1, 0, instruction).step())
    }

    /// 1 is the document; go(2) and go(3) lead to states of it, and fold() does nothing.
    fn walk() -> Walk {
        let edges =
            [edge(1, 2, "go(2)"), edge(2, 3, "go(3)"), edge(1, 0, "fold()"), edge(3, 2, "back()")];
        let states = HashSet::from([PageNumber(2), PageNumber(3)]);
        Walk::plan(&edges, states.clone(), states).expect("something was tried")
    }

    #[test]
    fn a_state_is_promised_until_it_is_met_and_from_wherever_its_instruction_is_offered() {
        let mut walk = walk();
        assert_eq!(walk.promise(PageNumber(1), &offer("go(2)")), Promise::State(PageNumber(2)));
        assert_eq!(walk.promise(PageNumber(1), &offer("go(3)")), Promise::State(PageNumber(3)));
        walk.meet(PageNumber(3), None);
        assert_eq!(walk.promise(PageNumber(2), &offer("go(3)")), Promise::Nothing);
        assert_eq!(walk.promise(PageNumber(1), &offer("fold()")), Promise::Nothing);
        assert_eq!(walk.promise(PageNumber(2), &offer("fold()")), Promise::Unknown);
        assert_eq!(walk.promise(PageNumber(2), &offer("go(4)")), Promise::Unknown);
    }

    #[test]
    fn what_says_the_same_as_something_new_is_not_tried_again() {
        let mut walk = walk();
        walk.meet(PageNumber(4), Some(&offer("go(4)").signature));
        walk.learn(PageNumber(3), &offer("go(4)"), PageNumber(4));
        assert_eq!(walk.promise(PageNumber(3), &offer("go(4)")), Promise::Nothing);
        assert_eq!(walk.promise(PageNumber(1), &offer("go(4)")), Promise::Nothing);
        assert_eq!(walk.promise(PageNumber(1), &offer("go(5)")), Promise::Unknown);
    }

    #[test]
    fn a_state_that_two_tries_did_not_find_is_given_up() {
        let mut walk = walk();
        walk.fired_for(PageNumber(2));
        assert_eq!(walk.promise(PageNumber(1), &offer("go(2)")), Promise::State(PageNumber(2)));
        walk.fired_for(PageNumber(2));
        assert_eq!(walk.promise(PageNumber(1), &offer("go(2)")), Promise::Nothing);
    }

    #[test]
    fn a_state_that_only_another_instruction_leads_to_has_moved() {
        let mut walk = walk();
        walk.meet(PageNumber(2), Some(&offer("go(2)").signature));
        walk.meet(PageNumber(3), Some(&offer("go(9)").signature));
        assert_eq!(walk.end().moved, HashSet::from([PageNumber(3)]));
    }

    #[test]
    fn what_is_known_is_out_of_date_when_most_states_are_not_found() {
        let mut walk = walk();
        assert!(walk.is_stale());
        walk.meet(PageNumber(2), None);
        assert!(!walk.is_stale());
        walk.forget_ways();
        assert_eq!(walk.promise(PageNumber(1), &offer("go(3)")), Promise::Unknown);
    }

    #[test]
    fn a_document_in_which_nothing_was_tried_is_not_walked() {
        assert!(Walk::plan(&[], HashSet::new(), HashSet::new()).is_none());
    }
}
