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
    deferred: HashMap<Kind, Deferral>,
}

/// Steps of one kind that were deferred.
#[derive(Default)]
struct Deferral {
    steps: Vec<(StateId, Open)>,
    /// How many of them were taken all the same.
    audited: u32,
}

impl Deferral {
    /// One of them that is to be taken all the same: of 1, 3, 7, 15… one more, where the tab stands if
    /// there are any. Which does not depend on the order in which they were met.
    fn draw(&mut self, here: Option<StateId>) -> Option<(StateId, Open)> {
        let all = self.steps.len() + self.audited as usize;
        if self.audited >= (all + 1).ilog2() {
            return None;
        }
        let drawn = |(_, (state, open)): &(usize, &(StateId, Open))| {
            (here != Some(*state), evidence((state.0, &open.offer.signature)))
        };
        let (at, _) = self.steps.iter().enumerate().min_by_key(drawn)?;
        self.audited += 1;
        Some(self.steps.swap_remove(at))
    }
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
            deferred.steps.push((state, one));
        }
        if let Some(place) = self.places.get_mut(&state) {
            place.open = left.into();
        }
        offers
    }

    /// Takes note of what came of a step. If it shows that its like is worth taking again, all that was
    /// deferred of it is to be taken. True if it was believed not to be, and false if it is as its like.
    pub(crate) fn taken(&mut self, offer: &Offer, trail: &[Turn], came: &Came) -> Option<bool> {
        let kind = kind(offer, trail);
        let added = self.repeats.taken.entry(member(offer)).or_default();
        let is_first = added.is_empty();
        // Who stood where it leads says nothing of what it adds elsewhere.
        let is_told = came.is_news || came.added == 0 || added.iter().any(|known| *known != 0);
        // "next" adds something else each time, and may be all that leads to the end of a list.
        let agrees = !came.is_news
            && (came.added == 0 || offer.has_argument() || added.contains(&came.added));
        if added.len() < ADDITIONS && !added.contains(&came.added) {
            added.push(came.added);
        }
        if is_first || !is_told {
            return None;
        }
        let tally = self.repeats.tallies.entry(kind.clone()).or_default();
        if agrees {
            let from: Vec<u64> = trail.iter().map(evidence).collect();
            tally.agree(&offer.signature, evidence((&offer.signature, from)));
            return Some(false);
        }
        let was_believed = tally.holds();
        tally.contradict();
        for (state, open) in self.repeats.deferred.remove(&kind).unwrap_or_default().steps {
            if let Some(place) = self.places.get_mut(&state) {
                place.open.push_back(open);
            }
        }
        was_believed.then_some(true)
    }

    /// One of the steps that were deferred, to be taken all the same.
    pub(crate) fn take_audit(&mut self, here: Option<StateId>) -> Option<(StateId, Open)> {
        while let Some(kind) = self.repeats.deferred.keys().min().cloned() {
            let deferral = self.repeats.deferred.get_mut(&kind);
            if let Some(audit) = deferral.and_then(|deferral| deferral.draw(here)) {
                return Some(audit);
            }
            self.repeats.deferred.remove(&kind);
        }
        None
    }

    /// The states of which a step was deferred and may still be taken.
    pub(super) fn deferring(&self) -> HashSet<StateId> {
        let deferred = self.repeats.deferred.values().flat_map(|deferral| &deferral.steps);
        deferred.map(|(state, _)| *state).collect()
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

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::sync::Arc;

    use browser::{Candidate, Handler};
    use page::tree::Mask;
    use store::{PageNumber, PathStep};

    use super::super::Place;
    use super::*;

    const NOTHING_NEW: Came = Came { added: 0, is_news: false };

    fn step(place: &str, call: &str) -> PathStep {
        PathStep {
            event: "click".into(),
            xpath: format!("/html/body/{place}/a[1]"),
            instruction: call.into(),
            element_id: None,
            tag: Some("a".into()),
            text: "x".into(),
            handler: format!("{place}(#)"),
            values: Vec::new(),
        }
    }

    fn offer(place: &str, call: &str) -> Offer {
        Offer::new(&Arc::from("page"), step(place, call))
    }

    fn open(place: &str, call: &str) -> Open {
        let candidate = Candidate {
            path: format!("/html/body/{place}/a[1]"),
            event: "click".into(),
            tag: "a".into(),
            element_id: None,
            text: "x".into(),
            data: BTreeMap::new(),
            handler: Handler::Implicit,
            class: place.into(),
            wants_trust: false,
            instruction: Some(call.into()),
            href: None,
            value: None,
            visible: true,
            tier: 1,
        };
        Open {
            candidate,
            offer: offer(place, call),
            address: None,
            is_audit: false,
            comes_with_a_click: false,
            acts_on_clicks: false,
            unanswered: 0,
        }
    }

    /// A document whose states these steps led to, the first by none.
    fn document(paths: &[&[(&str, &str)]]) -> Agenda {
        let mut agenda = Agenda::new("a.example", "http://a.example/", Mask::default());
        for (number, path) in paths.iter().enumerate() {
            let path = path.iter().map(|(place, call)| step(place, call)).collect();
            let page = PageNumber(number as i64 + 1);
            agenda.enter(state(number), Place::new(page, "page".into(), 0, path));
        }
        agenda
    }

    fn state(number: usize) -> StateId {
        StateId([number as u8; 16])
    }

    fn take(agenda: &mut Agenda, at: usize, offer: &Offer, came: &Came) -> Option<bool> {
        let trail = agenda.place(state(at)).expect("a state").trail.clone();
        agenda.taken(offer, &trail, came)
    }

    fn is_repeat(agenda: &Agenda, at: usize, offer: &Offer) -> bool {
        agenda.is_repeat(offer, &agenda.place(state(at)).expect("a state").trail)
    }

    #[test]
    fn panels_that_were_opened_are_not_opened_again_in_every_combination() {
        let panel = |n: u32| offer("panel", &format!("panel({n})"));
        let mut agenda = document(&[&[], &[("panel", "panel(1)")]]);
        for n in [1, 2, 3] {
            let opens = Came { added: n, is_news: true };
            assert_eq!(take(&mut agenda, 0, &panel(n as u32), &opens), None, "the first time");
        }
        take(&mut agenda, 1, &panel(1), &NOTHING_NEW);
        assert!(!is_repeat(&agenda, 1, &panel(3)), "one of them may be special");
        take(&mut agenda, 1, &panel(2), &NOTHING_NEW);
        assert!(is_repeat(&agenda, 1, &panel(3)));
        assert!(!is_repeat(&agenda, 1, &panel(4)), "nobody opened it yet");
    }

    #[test]
    fn the_same_page_numbers_under_another_tab_are_tried_first() {
        let leaf = |n: u32| offer("leaf", &format!("leaf({n})"));
        let mut agenda =
            document(&[&[], &[("leaf", "leaf(2)")], &[("tab", "tab(2)")], &[("tab", "tab(3)")]]);
        for n in [1, 2, 3] {
            take(&mut agenda, 0, &leaf(n), &NOTHING_NEW);
        }
        for n in [1, 3] {
            take(&mut agenda, 1, &leaf(n), &NOTHING_NEW);
        }
        assert!(is_repeat(&agenda, 1, &leaf(2)));
        assert!(!is_repeat(&agenda, 2, &leaf(2)), "a tab may have pages of its own");
        let page = Came { added: 7, is_news: true };
        assert_eq!(take(&mut agenda, 2, &leaf(2), &page), None, "nobody believed otherwise");
        assert!(!is_repeat(&agenda, 3, &leaf(2)), "as the other tab has");
    }

    #[test]
    fn a_word_that_leads_on_is_never_a_repeat() {
        let next = offer("pager", "text(next)");
        let mut agenda = document(&[&[], &[], &[], &[], &[]]);
        for at in 0..4 {
            let page = Came { added: at as u64 + 1, is_news: false };
            take(&mut agenda, at, &next, &page);
        }
        assert!(!is_repeat(&agenda, 4, &next), "it may be all that leads to the last page");
    }

    #[test]
    fn a_step_that_was_taken_where_it_leads_says_nothing_of_what_it_adds_elsewhere() {
        let hour = |name: &str| offer("hour", &format!("text({name})"));
        let mut agenda = document(&[&[], &[("hour", "text(noon)")], &[("hour", "text(dusk)")]]);
        take(&mut agenda, 0, &hour("dawn"), &NOTHING_NEW);
        for (name, added) in [("noon", 2), ("dusk", 3)] {
            take(&mut agenda, 0, &hour(name), &Came { added, is_news: true });
        }
        let back = Came { added: 1, is_news: false };
        assert_eq!(take(&mut agenda, 1, &hour("dawn"), &back), None, "it was dawn before");
        assert_eq!(take(&mut agenda, 2, &hour("dawn"), &back), Some(false));
        take(&mut agenda, 2, &hour("noon"), &Came { added: 2, is_news: false });
        assert!(is_repeat(&agenda, 1, &hour("dusk")));
    }

    #[test]
    fn one_that_shows_something_new_lets_all_go() {
        let panel = |n: u32| offer("panel", &format!("panel({n})"));
        let mut agenda = document(&[&[], &[]]);
        for n in 1..=4 {
            take(&mut agenda, 0, &panel(n), &NOTHING_NEW);
        }
        for n in [1, 2] {
            take(&mut agenda, 1, &panel(n), &NOTHING_NEW);
        }
        agenda.open(state(1), vec![open("panel", "panel(3)"), open("panel", "panel(4)")]);
        assert_eq!(agenda.defer_repeats(state(1)).len(), 2);
        assert!(!agenda.has_work(state(1)) && agenda.done().is_empty(), "it is not done yet");
        let (at, audit) = agenda.take_audit(None).expect("one of the two");
        let news = Came { added: 9, is_news: true };
        assert_eq!(take(&mut agenda, 1, &audit.offer, &news), Some(true));
        assert_eq!(at, state(1));
        assert!(agenda.has_work(state(1)), "the other one is taken, too");
    }
}
