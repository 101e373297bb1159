//! Seed 001's instructions in one document: where each led, and what that says about its class.

use std::collections::VecDeque;
use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};

use store::{PageNumber, StateId};

use super::place::container_of;
use super::{Agenda, Offer, Open};
use crate::learn::{Class, Knowledge, Reach};

/// Answers that are kept of one instruction.
const ANSWERS: usize = 8;

/// Where an instruction led once.
pub(super) struct Answer {
    context: u64,
    from: PageNumber,
    to: PageNumber,
}

impl Agenda {
    /// Takes the candidates out whose target is known by now, each with that target.
    pub(crate) fn drain_known(
        &mut self,
        knowledge: &Knowledge,
    ) -> Vec<(StateId, Open, PageNumber)> {
        let mut known = Vec::new();
        let states: Vec<_> = self.places.keys().copied().collect();
        for state in states {
            let Some(place) = self.places.get_mut(&state) else { continue };
            let open = std::mem::take(&mut place.open);
            let (trail, mut left) = (place.trail.clone(), VecDeque::new());
            for one in open {
                match self.known(knowledge, &one.offer, &trail) {
                    Some(to) => known.push((state, one, to)),
                    None => left.push_back(one),
                }
            }
            if let Some(place) = self.places.get_mut(&state) {
                place.open = left;
            }
        }
        known
    }

    /// Seed 001's instruction filter: where an instruction leads, if that is known without firing it.
    pub(crate) fn known(
        &self,
        knowledge: &Knowledge,
        offer: &Offer,
        trail: &[(Class, String)],
    ) -> Option<PageNumber> {
        if !offer.has_argument() {
            return None;
        }
        let Offer { class, signature, .. } = offer;
        if knowledge.holds(class, signature, Reach::Site)
            && let Some(to) = knowledge.site_answer(class, signature)
        {
            return Some(to);
        }
        let answers = self.answers.get(&(class.clone(), signature.clone()))?;
        if knowledge.holds(class, signature, Reach::Document) {
            return answers.first().map(|answer| answer.to);
        }
        if knowledge.holds(class, signature, Reach::Context) {
            let context = context(offer, trail);
            return answers.iter().find(|answer| answer.context == context).map(|answer| answer.to);
        }
        None
    }

    /// Takes note of where an instruction led, and of what that says about its class.
    pub(crate) fn learn(
        &mut self,
        knowledge: &mut Knowledge,
        offer: &Offer,
        trail: &[(Class, String)],
        from: PageNumber,
        to: PageNumber,
    ) {
        let context = context(offer, trail);
        let answers =
            self.answers.entry((offer.class.clone(), offer.signature.clone())).or_default();
        let is_fickle = answers.iter().any(|answer| answer.from == from && answer.to != to);
        if is_fickle {
            knowledge.mark_fickle(&offer.class, &offer.signature);
        } else {
            // Who is there already says nothing about where others get.
            let is_told = |answer: &&Answer| {
                answer.from != from && (answer.to != to || (answer.to != answer.from && to != from))
            };
            for answer in answers.iter().filter(is_told) {
                let reach =
                    if answer.context == context { Reach::Context } else { Reach::Document };
                let same = answer.to == to;
                knowledge.verdicts(&offer.class, |verdicts| match same {
                    true => verdicts.agree(reach, &offer.signature),
                    false => verdicts.contradict(reach),
                });
            }
        }
        if answers.len() < ANSWERS {
            answers.push(Answer { context, from, to });
        }
    }

    /// The state nearest to the start that offers the same instruction in the same context: the way
    /// to its target is shortest from there, and means the same.
    pub(crate) fn nearest_offer(
        &self,
        knowledge: &Knowledge,
        offer: &Offer,
        here: StateId,
    ) -> Option<StateId> {
        if !offer.has_argument() || !knowledge.holds(&offer.class, &offer.signature, Reach::Context)
        {
            return None;
        }
        let wanted = context(offer, &self.place(here)?.trail);
        let offers = self.places.iter().filter(|(_, place)| {
            context(offer, &place.trail) == wanted
                && place.open.iter().any(|one| {
                    one.offer.class == offer.class && one.offer.signature == offer.signature
                })
        });
        let nearest = offers.min_by_key(|(_, place)| (place.path.len(), place.page));
        let length = self.place(here)?.path.len();
        nearest.filter(|(_, place)| place.path.len() < length).map(|(state, _)| *state)
    }
}

/// What an instruction may depend on: every other step on the way to the state.
fn context(offer: &Offer, trail: &[(Class, String)]) -> u64 {
    let mut hasher = DefaultHasher::new();
    for step in trail.iter().filter(|step| !is_sibling(step, offer)) {
        step.hash(&mut hasher);
    }
    hasher.finish()
}

/// The same handler at the same place: also on a page of another type, which the next page of a
/// pager may be, and whatever the label says: "next" and "3" turn the same pages.
fn is_sibling((class, signature): &(Class, String), offer: &Offer) -> bool {
    class.event == offer.class.event
        && class.place == offer.class.place
        && class.handler == offer.class.handler
        && container_of(signature) == container_of(&offer.signature)
}
