//! Steps that were taken in a document, taken again from its other states. Widgets side by side (a pager,
//! a sorted table, folding panels) multiply into states that show nothing which the document did not: once
//! that is seen of a class, the rest of it is deferred, a few are taken all the same, and one that shows
//! something new lets all go.

use std::collections::{BTreeSet, HashMap, HashSet};

use store::StateId;

use super::place::Turn;
use super::{Agenda, Offer, Open};
use crate::learn::{Class, Tally, evidence};

/// Additions that are remembered of one step.
const ADDITIONS: usize = 8;

/// Steps of a class in states that steps of the same other classes led to: what a pager shows under one
/// tab says something about it under the others, and nothing about it in a list that was sorted.
type Kind = (Class, BTreeSet<u64>);

/// What is known of steps that are taken more than once.
#[derive(Default)]
pub(super) struct Repeats {
    /// What each step added to the states that it was taken in.
    taken: HashMap<(Class, String), Vec<u64>>,
    tallies: HashMap<Kind, Tally>,
    deferred: HashMap<Kind, Vec<(StateId, Open)>>,
}

/// What came of a step that stayed in its document.
pub(crate) struct Came {
    /// What it added to the state that it was taken in, as one number; 0 if nothing.
    pub(crate) added: u64,
    /// Whether it showed anything that the document had not.
    pub(crate) is_news: bool,
}

impl Agenda {
    /// Whether a step was taken in this document, and taking its like again showed nothing new.
    pub(crate) fn is_repeat(&self, offer: &Offer, trail: &[Turn]) -> bool {
        self.repeats.taken.contains_key(&member(offer))
            && self.repeats.tallies.get(&kind(offer, trail)).is_some_and(Tally::holds)
    }

    /// Takes out what a state offers and need not be taken there, and defers it.
    pub(crate) fn defer_repeats(&mut self, state: StateId) -> Vec<Offer> {
        let Some(place) = self.places.get_mut(&state) else { return Vec::new() };
        let (open, trail) = (std::mem::take(&mut place.open), place.trail.clone());
        let (repeats, left): (Vec<Open>, Vec<Open>) =
            open.into_iter().partition(|one| self.is_repeat(&one.offer, &trail));
        let offers = repeats.iter().map(|one| one.offer.clone()).collect();
        for one in repeats {
            let deferred = self.repeats.deferred.entry(kind(&one.offer, &trail)).or_default();
            deferred.push((state, one));
        }
        if let Some(place) = self.places.get_mut(&state) {
            place.open = left.into();
        }
        offers
    }

    /// Takes note of what came of a step. If it shows that its like is worth taking again, all that was
    /// deferred of it is to be taken.
    pub(crate) fn taken(&mut self, offer: &Offer, trail: &[Turn], came: &Came) {
        let kind = kind(offer, trail);
        let added = self.repeats.taken.entry(member(offer)).or_default();
        let is_first = added.is_empty();
        // "next" adds something else each time, and may be all that leads to the end of a list.
        let agrees = !came.is_news
            && (came.added == 0 || offer.has_argument() || added.contains(&came.added));
        if added.len() < ADDITIONS && !added.contains(&came.added) {
            added.push(came.added);
        }
        if is_first {
            return;
        }
        let tally = self.repeats.tallies.entry(kind.clone()).or_default();
        if agrees {
            let from: Vec<u64> = trail.iter().map(evidence).collect();
            return tally.agree(&offer.signature, evidence((&offer.signature, from)));
        }
        tally.contradict();
        for (state, open) in self.repeats.deferred.remove(&kind).unwrap_or_default() {
            if let Some(place) = self.places.get_mut(&state) {
                place.open.push_back(open);
            }
        }
    }

    /// One of the steps that were deferred, to be taken all the same: of 2, 4, 8… of a kind one more.
    /// Which does not depend on the order in which they were met.
    pub(crate) fn take_audit(&mut self) -> Option<(StateId, Open)> {
        loop {
            let (kind, deferred) =
                self.repeats.deferred.iter_mut().min_by_key(|(kind, _)| *kind)?;
            if deferred.is_empty() {
                let kind = kind.clone();
                self.repeats.deferred.remove(&kind);
                continue;
            }
            let drawn =
                |(state, open): &(StateId, Open)| evidence((state.0, &open.offer.signature));
            deferred.sort_by_cached_key(drawn);
            let audit = deferred.pop();
            deferred.truncate(deferred.len() / 2);
            return audit;
        }
    }

    /// The states of which a step was deferred and may still be taken.
    pub(super) fn deferring(&self) -> HashSet<StateId> {
        self.repeats.deferred.values().flatten().map(|(state, _)| *state).collect()
    }
}

/// A step, whatever the type of the page that offers it: the next page of a pager may be of another.
fn member(offer: &Offer) -> (Class, String) {
    (offer.class.on(&"".into()), offer.signature.clone())
}

fn kind(offer: &Offer, trail: &[Turn]) -> Kind {
    let others = trail.iter().filter(|turn| !turn.is_sibling(offer));
    (offer.class.on(&"".into()), others.map(Turn::kind).collect())
}
