//! What is left to do in one document: the states met, what can still be fired in each, and the
//! cheapest way from wherever the tab is to the next of them (seed 001's page navigation, over
//! measured costs).

mod answers;
mod place;
mod repeats;
mod silences;
mod walks;
mod ways;

use std::collections::{HashMap, HashSet};

use page::state::{Content, ContentSet};
use page::tree::Mask;
use store::{PageNumber, PathStep, StateId};

use crate::learn::{Class, Label, evidence};
use crate::visit::capture::Seen;

use answers::Answer;
use repeats::Repeats;
use silences::Silences;
use ways::{EVENT_MS, LOAD_MS, Way};

pub(crate) use place::{Offer, Open, Place};
pub(crate) use repeats::Came;
pub(crate) use ways::Plan;

/// A document's states and what is left to do in them.
pub(crate) struct Agenda {
    pub(crate) site: String,
    pub(crate) url: String,
    pub(crate) mask: Mask,
    /// The address that the document has once it is loaded: scripts may change it at once.
    pub(crate) address: String,
    /// The state that loading the URL shows.
    pub(crate) root: Option<StateId>,
    places: HashMap<StateId, Place>,
    ways: HashMap<StateId, Vec<Way>>,
    /// The steps that led to pages which are kept with a shorter way.
    walks: HashMap<PageNumber, Vec<PathStep>>,
    answers: HashMap<(Class, String), Vec<Answer>>,
    /// Candidates that were not fired because their like is redundant: the first and the last of
    /// each class in the state that was entered last.
    spared: HashMap<Class, Spared>,
    repeats: Repeats,
    silences: Silences,
    /// All that its states showed.
    shown: ContentSet,
    /// All that they offered, as hashes.
    controls: HashSet<u64>,
    /// Whether states of an earlier run were resumed. Then what differs from what is known counts, and what
    /// agrees does not: the states are met in another order than they were found in, and two ways to one
    /// tab seem to be two tabs that agree. Nothing is answered without firing it.
    pub(crate) is_resumed: bool,
    /// How many states were entered.
    entered: usize,
    /// States by the page's own hash of the document.
    prints: HashMap<u64, StateId>,
    load_ms: f64,
    event_ms: f64,
}

/// What was spared of a class.
struct Spared {
    page: PageNumber,
    nth: usize,
    first: Option<Open>,
    last: Option<Open>,
}

impl Agenda {
    pub(crate) fn new(site: &str, url: &str, mask: Mask) -> Self {
        Self {
            site: site.to_owned(),
            url: url.to_owned(),
            mask,
            address: url.to_owned(),
            root: None,
            places: HashMap::new(),
            ways: HashMap::new(),
            walks: HashMap::new(),
            answers: HashMap::new(),
            spared: HashMap::new(),
            repeats: Repeats::default(),
            silences: Silences::new(),
            shown: ContentSet::default(),
            controls: HashSet::new(),
            is_resumed: false,
            entered: 0,
            prints: HashMap::new(),
            load_ms: LOAD_MS,
            event_ms: EVENT_MS,
        }
    }

    pub(crate) fn place(&self, state: StateId) -> Option<&Place> {
        self.places.get(&state)
    }

    pub(crate) fn places(&self) -> impl Iterator<Item = (StateId, &Place)> {
        self.places.iter().map(|(state, place)| (*state, place))
    }

    pub(crate) fn len(&self) -> usize {
        self.places.len()
    }

    /// Adds a state.
    pub(crate) fn enter(&mut self, state: StateId, mut place: Place) {
        self.entered += 1;
        place.nth = self.entered;
        if let Some(content) = &place.content {
            self.shown.add(content);
        }
        self.places.insert(state, place);
    }

    /// Takes note of what a state shows that an earlier run kept.
    pub(crate) fn has_shown(&mut self, content: &Content) {
        self.shown.add(content);
    }

    /// Whether there is nothing in this that the document did not show, in whatever state.
    pub(crate) fn shows_all(&self, content: &Content) -> bool {
        self.shown.holds(content)
    }

    /// Takes note of something that can be fired. True if no state of the document offered it before.
    pub(crate) fn offers(&mut self, offer: &Offer) -> bool {
        let Class { event, handler, .. } = &offer.class;
        self.controls.insert(evidence((event, handler, &offer.signature)))
    }

    /// Says what can be fired in a state. Numbers come before words: they tell more about a class.
    pub(crate) fn open(&mut self, state: StateId, mut open: Vec<Open>) {
        open.sort_by_key(|one| {
            (
                one.candidate.tier,
                one.offer.class.label != Label::Number,
                one.candidate.event != "click",
            )
        });
        if let Some(place) = self.places.get_mut(&state) {
            place.open = open.into();
            place.is_known = true;
        }
    }

    /// Takes the next candidate of a state.
    pub(crate) fn take(&mut self, state: StateId) -> Option<Open> {
        self.places.get_mut(&state)?.open.pop_front()
    }

    /// Puts a candidate back that was taken.
    pub(crate) fn put_back(&mut self, state: StateId, open: Open) {
        if let Some(place) = self.places.get_mut(&state) {
            place.open.push_front(open);
        }
    }

    /// Puts a candidate behind the others of its state.
    pub(crate) fn put_last(&mut self, state: StateId, open: Open) {
        if let Some(place) = self.places.get_mut(&state) {
            place.open.push_back(open);
        }
    }

    /// Takes note of a candidate that was not fired because its like is redundant.
    pub(crate) fn spare(&mut self, state: StateId, open: Open) {
        let Some(place) = self.places.get(&state) else { return };
        let (page, nth) = (place.page, place.nth);
        match self.spared.get_mut(&open.offer.class) {
            Some(spared) if spared.nth > nth => {}
            // Words of a pager that share a handler are "back" and "on", in this order.
            Some(spared) if spared.nth == nth => spared.last = Some(open),
            _ => {
                let class = open.offer.class.clone();
                self.spared.insert(class, Spared { page, nth, first: Some(open), last: None });
            }
        }
    }

    /// Takes one of the candidates that were spared, with its state.
    pub(crate) fn take_spared(&mut self) -> Option<(StateId, Open)> {
        while let Some(class) = self.spared.keys().min().cloned() {
            let spared = self.spared.get_mut(&class)?;
            let page = spared.page;
            if let Some(open) = spared.last.take().or_else(|| spared.first.take()) {
                let at = self.places().find(|(_, place)| place.page == page);
                if let Some((state, _)) = at {
                    return Some((state, open));
                }
            }
            self.spared.remove(&class);
        }
        None
    }

    /// The states in which something is left to do, or that nobody looked at yet.
    pub(crate) fn has_work(&self, state: StateId) -> bool {
        self.place(state).is_some_and(|place| !place.is_known || !place.open.is_empty())
    }

    /// Ends the work in a state: all is done there, or it cannot be reached. It stays a place on the
    /// way to others.
    pub(crate) fn close(&mut self, state: StateId) {
        if let Some(place) = self.places.get_mut(&state) {
            place.open.clear();
            place.is_known = true;
            place.is_closed = true;
            if Some(state) != self.root {
                place.content = None;
                place.links = HashSet::new();
            }
        }
    }

    /// Leaves candidates of whatever state that this does not hold for.
    pub(crate) fn retain(&mut self, holds: impl Fn(PageNumber, &Offer) -> bool) {
        for place in self.places.values_mut() {
            let page = place.page;
            place.open.retain(|open| holds(page, &open.offer));
        }
    }

    /// Lets every state be looked at once more.
    pub(crate) fn look_again(&mut self) {
        for place in self.places.values_mut() {
            (place.is_known, place.is_closed) = (false, false);
        }
    }

    /// Leaves all that is left to do.
    pub(crate) fn empty(&mut self) {
        for place in self.places.values_mut() {
            place.open.clear();
            place.is_known = true;
        }
    }

    /// The states whose work is done and not yet said to be.
    pub(crate) fn done(&self) -> Vec<StateId> {
        let is_spared = |page| self.spared.values().any(|spared| spared.page == page);
        let is_done = |place: &Place| {
            place.is_known && place.open.is_empty() && !place.is_closed && !is_spared(place.page)
        };
        let deferring = self.deferring();
        let done = self.places().filter(|(_, place)| is_done(place)).map(|(state, _)| state);
        done.filter(|state| !deferring.contains(state)).collect()
    }

    /// The states whose work is not said to be done.
    pub(crate) fn unfinished(&self) -> impl Iterator<Item = &Place> {
        self.places.values().filter(|place| !place.is_closed)
    }

    /// Fills in what a state shows, once the tab is there.
    pub(crate) fn show(&mut self, state: StateId, seen: &Seen) {
        if let Some(place) = self.places.get_mut(&state).filter(|place| place.content.is_none()) {
            place.show(seen);
            self.shown.add(&seen.content);
        }
    }

    /// Another try to reach a state failed. Returns how many did.
    pub(crate) fn missed(&mut self, state: StateId) -> u32 {
        self.places.get_mut(&state).map_or(u32::MAX, |place| {
            place.missed += 1;
            place.missed
        })
    }

    /// The state that the page's own hash stands for.
    pub(crate) fn at(&self, print: u64) -> Option<StateId> {
        self.prints.get(&print).copied()
    }

    /// Takes note of the page's own hash of a state.
    pub(crate) fn print(&mut self, print: u64, state: StateId) {
        self.prints.insert(print, state);
    }

    /// Forgets what a hash of the page's own stands for.
    pub(crate) fn forget_print(&mut self, print: u64) {
        self.prints.remove(&print);
    }

    /// Gives states their identities anew, after something was found to be volatile. Two that turn
    /// out equal become one, with what is left to do in both.
    pub(crate) fn rename(&mut self, mask: Mask, contents: Vec<(PageNumber, StateId, Content)>) {
        self.mask = mask;
        let mut renamed = HashMap::new();
        for (page, state, content) in contents {
            let old = self.places.iter().find(|(_, place)| place.page == page).map(|(old, _)| *old);
            let Some((old, mut place)) = old.and_then(|old| Some((old, self.places.remove(&old)?)))
            else {
                continue;
            };
            place.content = Some(content);
            renamed.insert(old, (state, place));
        }
        let new = |state: StateId| renamed.get(&state).map_or(state, |(new, _)| *new);
        let ways = std::mem::take(&mut self.ways);
        for (from, list) in ways {
            for way in list {
                let to = new(way.to);
                self.ways.entry(new(from)).or_default().push(Way { to, ..way });
            }
        }
        self.root = self.root.map(new);
        // The page's own hashes do not know of the mask: they stand for the same states.
        for state in self.prints.values_mut() {
            *state = new(*state);
        }
        for (_, (state, place)) in renamed {
            match self.places.get_mut(&state) {
                Some(kept) => {
                    let known: HashSet<_> =
                        kept.open.iter().map(|o| o.offer.signature.clone()).collect();
                    kept.open.extend(
                        place.open.into_iter().filter(|o| !known.contains(&o.offer.signature)),
                    );
                    if place.path.len() < kept.path.len() || place.page < kept.page {
                        (kept.page, kept.path, kept.trail) = (place.page, place.path, place.trail);
                    }
                }
                None => {
                    self.places.insert(state, place);
                }
            }
        }
    }
}
