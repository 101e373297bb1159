//! What is left to do in one document: the states met, what can still be fired in each, and the
//! cheapest way from wherever the tab is to the next of them (seed 001's page navigation, over
//! measured costs).

use std::cmp::{Ordering, Reverse};
use std::collections::hash_map::DefaultHasher;
use std::collections::{BinaryHeap, HashMap, HashSet, VecDeque};
use std::hash::{Hash, Hasher};
use std::sync::Arc;

use browser::Candidate;
use page::state::Content;
use page::tree::Mask;
use store::{PageNumber, PathStep, StateId};

use crate::capture::Seen;
use crate::judge::Offering;
use crate::learn::{Class, Knowledge, Label, Reach};

/// What loading a document and firing an event cost before anything was measured, in milliseconds.
const LOAD_MS: f64 = 100.0;
const EVENT_MS: f64 = 10.0;
/// The weight of the latest measurement in a running mean.
const LATEST: f64 = 0.2;
/// Answers that are kept of one instruction.
const ANSWERS: usize = 8;

/// A document's states and what is left to do in them.
pub(crate) struct Agenda {
    pub(crate) site: String,
    pub(crate) url: String,
    pub(crate) mask: Mask,
    /// The state that loading the URL shows.
    pub(crate) root: Option<StateId>,
    places: HashMap<StateId, Place>,
    ways: HashMap<StateId, Vec<Way>>,
    answers: HashMap<(Class, String), Vec<Answer>>,
    /// Candidates that were not fired because their like is redundant: the first and the last of
    /// each class in the state that was entered last.
    spared: HashMap<Class, Spared>,
    /// How many states were entered.
    entered: usize,
    /// States by the page's own hash of the document.
    prints: HashMap<u64, StateId>,
    load_ms: f64,
    event_ms: f64,
}

/// A state of the document.
pub(crate) struct Place {
    pub(crate) page: PageNumber,
    pub(crate) page_type: Arc<str>,
    pub(crate) depth: u32,
    pub(crate) path: Vec<PathStep>,
    /// The classes and instructions on the path.
    pub(crate) trail: Vec<(Class, String)>,
    /// What it shows; `None` until the tab was there.
    pub(crate) content: Option<Content>,
    /// URLs that it shows.
    pub(crate) links: HashSet<String>,
    open: VecDeque<Open>,
    /// Whether its candidates were looked at.
    pub(crate) is_known: bool,
    /// Whether the catalog knows that nothing is left to do in it.
    pub(crate) is_closed: bool,
    missed: u32,
    /// The how manieth state of the document it is.
    nth: usize,
}

/// What was spared of a class.
struct Spared {
    page: PageNumber,
    nth: usize,
    first: Option<Open>,
    last: Option<Open>,
}

/// A candidate that is still to be fired.
#[derive(Clone)]
pub(crate) struct Open {
    pub(crate) candidate: Candidate,
    pub(crate) offer: Offer,
}

impl Open {
    /// The way to other URLs that it may be.
    pub(crate) fn offering<'a>(&'a self, document: &'a str) -> Offering<'a> {
        Offering { document, xpath: &self.candidate.path, text: &self.candidate.text }
    }
}

/// What a state offers, as edges and classes know it.
#[derive(Clone)]
pub(crate) struct Offer {
    pub(crate) class: Class,
    /// The event with its value and what it does: seed 001's page instruction.
    pub(crate) signature: String,
    pub(crate) step: PathStep,
}

impl Offer {
    pub(crate) fn new(class: Class, step: PathStep) -> Self {
        Self { signature: format!("{}={}", step.event, step.instruction), class, step }
    }
}

/// An edge that was seen to lead somewhere.
#[derive(Clone)]
struct Way {
    step: PathStep,
    to: StateId,
    cost_ms: f64,
}

/// Where an instruction led once.
struct Answer {
    context: u64,
    from: PageNumber,
    to: PageNumber,
}

/// How to get to a state.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Plan {
    pub(crate) to: StateId,
    /// Whether it begins with loading the document.
    pub(crate) loads: bool,
    pub(crate) steps: Vec<PathStep>,
    pub(crate) cost_ms: f64,
}

impl Agenda {
    pub(crate) fn new(site: &str, url: &str, mask: Mask) -> Self {
        Self {
            site: site.to_owned(),
            url: url.to_owned(),
            mask,
            root: None,
            places: HashMap::new(),
            ways: HashMap::new(),
            answers: HashMap::new(),
            spared: HashMap::new(),
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
        self.places.insert(state, place);
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
        self.places().filter(|(_, place)| is_done(place)).map(|(state, _)| state).collect()
    }

    /// The states whose work is not said to be done.
    pub(crate) fn unfinished(&self) -> impl Iterator<Item = &Place> {
        self.places.values().filter(|place| !place.is_closed)
    }

    /// Fills in what a state shows, once the tab is there.
    pub(crate) fn show(&mut self, state: StateId, seen: &Seen) {
        if let Some(place) = self.places.get_mut(&state).filter(|place| place.content.is_none()) {
            place.show(seen);
        }
    }

    /// Another try to reach a state failed. Returns how many did.
    pub(crate) fn missed(&mut self, state: StateId) -> u32 {
        self.places.get_mut(&state).map_or(u32::MAX, |place| {
            place.missed += 1;
            place.missed
        })
    }

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
            let context = context(class, trail);
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
        let context = context(&offer.class, trail);
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
        if !knowledge.holds(&offer.class, &offer.signature, Reach::Context) {
            return None;
        }
        let wanted = context(&offer.class, &self.place(here)?.trail);
        let offers = self.places.iter().filter(|(_, place)| {
            context(&offer.class, &place.trail) == wanted
                && place.open.iter().any(|one| {
                    one.offer.class == offer.class && one.offer.signature == offer.signature
                })
        });
        let nearest = offers.min_by_key(|(_, place)| (place.path.len(), place.page));
        let length = self.place(here)?.path.len();
        nearest.filter(|(_, place)| place.path.len() < length).map(|(state, _)| *state)
    }

    /// Takes note of an edge. One that once led elsewhere is no way to go.
    pub(crate) fn walked(&mut self, from: StateId, step: PathStep, to: StateId, cost_ms: f64) {
        self.event_ms += LATEST * (cost_ms - self.event_ms);
        let ways = self.ways.entry(from).or_default();
        let same = |way: &Way| way.step.event == step.event && way.step.xpath == step.xpath;
        match ways.iter_mut().find(|way| same(way)) {
            Some(way) if way.to == to => way.cost_ms += LATEST * (cost_ms - way.cost_ms),
            Some(_) => ways.retain(|way| !same(way)),
            None if from != to => ways.push(Way { step, to, cost_ms }),
            None => {}
        }
    }

    /// Forgets an edge that did not lead where it used to.
    pub(crate) fn forget(&mut self, from: StateId, step: &PathStep) {
        if let Some(ways) = self.ways.get_mut(&from) {
            ways.retain(|way| way.step.event != step.event || way.step.xpath != step.xpath);
        }
    }

    /// Takes note of what loading the document cost.
    pub(crate) fn loaded(&mut self, cost_ms: f64) {
        self.load_ms += LATEST * (cost_ms - self.load_ms);
    }

    /// The state that the page's own hash stands for.
    pub(crate) fn at(&self, print: u64) -> Option<StateId> {
        self.prints.get(&print).copied()
    }

    /// Takes note of the page's own hash of a state.
    pub(crate) fn print(&mut self, print: u64, state: StateId) {
        self.prints.insert(print, state);
    }

    /// The cheapest way from here to a state with work left.
    pub(crate) fn next(&self, here: Option<StateId>) -> Option<Plan> {
        let reached = self.distances(here);
        let work = self.places.iter().filter(|(state, _)| self.has_work(**state));
        let plans = work.map(|(state, place)| {
            let cost = self.cost(&reached, *state, place);
            (cost, place.page, *state)
        });
        let best = plans.min_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)))?;
        self.plan(here, best.2)
    }

    /// The cheapest way over known edges from one state to another, or away from it and back.
    pub(crate) fn round(&self, from: StateId, to: StateId) -> Option<Plan> {
        if from != to {
            return self.plan(Some(from), to).filter(|plan| !plan.loads);
        }
        let ways = self.ways.get(&from)?.iter();
        let plans = ways.filter_map(|way| {
            let mut plan = self.plan(Some(way.to), to).filter(|plan| !plan.loads)?;
            plan.steps.insert(0, way.step.clone());
            plan.cost_ms += way.cost_ms;
            Some(plan)
        });
        plans.min_by(|a, b| a.cost_ms.total_cmp(&b.cost_ms))
    }

    /// The cheapest way from here to a state.
    pub(crate) fn plan(&self, here: Option<StateId>, to: StateId) -> Option<Plan> {
        let reached = self.distances(here);
        let place = self.place(to)?;
        let straight = self.straight(place);
        let Some(found) = reached.get(&to).filter(|found| found.cost <= straight) else {
            return Some(Plan { to, loads: true, steps: place.path.clone(), cost_ms: straight });
        };
        let mut steps = Vec::new();
        let (mut at, mut hop) = (to, found);
        while let Some((before, way)) = hop.by {
            steps.push(self.ways.get(&before)?.get(way)?.step.clone());
            at = before;
            hop = reached.get(&before)?;
        }
        steps.reverse();
        let loads = Some(at) != here || hop.cost > 0.0;
        Some(Plan { to, loads, steps, cost_ms: found.cost })
    }

    fn cost(&self, reached: &HashMap<StateId, Reached>, state: StateId, place: &Place) -> f64 {
        let known = reached.get(&state).map_or(f64::INFINITY, |reached| reached.cost);
        known.min(self.straight(place))
    }

    /// What the first known path costs from a fresh load.
    fn straight(&self, place: &Place) -> f64 {
        self.load_ms + self.event_ms * place.path.len() as f64
    }

    /// Dijkstra from where the tab is, and from a fresh load.
    fn distances(&self, here: Option<StateId>) -> HashMap<StateId, Reached> {
        let mut reached: HashMap<StateId, Reached> = HashMap::new();
        let mut heap = BinaryHeap::new();
        if let Some(root) = self.root {
            heap.push(Reverse(Next { cost: self.load_ms, state: root, by: None }));
        }
        if let Some(here) = here {
            heap.push(Reverse(Next { cost: 0.0, state: here, by: None }));
        }
        while let Some(Reverse(next)) = heap.pop() {
            if reached.contains_key(&next.state) {
                continue;
            }
            reached.insert(next.state, Reached { cost: next.cost, by: next.by });
            for (index, way) in self.ways.get(&next.state).into_iter().flatten().enumerate() {
                let cost = next.cost + way.cost_ms;
                heap.push(Reverse(Next { cost, state: way.to, by: Some((next.state, index)) }));
            }
        }
        reached
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

impl Place {
    pub(crate) fn new(
        page: PageNumber,
        page_type: Arc<str>,
        depth: u32,
        path: Vec<PathStep>,
    ) -> Self {
        Self {
            page,
            page_type,
            depth,
            path,
            trail: Vec::new(),
            content: None,
            links: HashSet::new(),
            open: VecDeque::new(),
            is_known: false,
            is_closed: false,
            missed: 0,
            nth: 0,
        }
    }

    /// What it shows, as it was just seen.
    pub(crate) fn show(&mut self, seen: &Seen) {
        self.page_type = seen.page_type.clone();
        self.content = Some(seen.content.clone());
        self.links = seen.links.iter().map(|link| link.url.clone()).collect();
    }
}

/// What a state's instructions of one class may depend on: every other step on the way to it.
fn context(class: &Class, trail: &[(Class, String)]) -> u64 {
    let mut hasher = DefaultHasher::new();
    for step in trail.iter().filter(|(other, _)| !is_sibling(other, class)) {
        step.hash(&mut hasher);
    }
    hasher.finish()
}

/// The same handler at the same place: also on a page of another type, which the next page of a
/// pager may be, and whatever the label says: "next" and "3" turn the same pages.
fn is_sibling(one: &Class, other: &Class) -> bool {
    one.event == other.event && one.place == other.place && one.handler == other.handler
}

struct Reached {
    cost: f64,
    by: Option<(StateId, usize)>,
}

struct Next {
    cost: f64,
    state: StateId,
    by: Option<(StateId, usize)>,
}

impl PartialEq for Next {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Next {}

impl PartialOrd for Next {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Next {
    fn cmp(&self, other: &Self) -> Ordering {
        self.cost.total_cmp(&other.cost).then(self.state.0.cmp(&other.state.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn state(number: u8) -> StateId {
        StateId([number; 16])
    }

    fn step(name: &str) -> PathStep {
        PathStep {
            event: "click".into(),
            xpath: format!("/{name}"),
            instruction: name.into(),
            element_id: None,
            tag: None,
            text: String::new(),
        }
    }

    fn place(number: i64, path: &[&str]) -> Place {
        let path = path.iter().map(|name| step(name)).collect();
        Place::new(PageNumber(number), "a".into(), 0, path)
    }

    fn names(plan: &Plan) -> Vec<&str> {
        plan.steps.iter().map(|step| step.instruction.as_str()).collect()
    }

    /// 1 is the document; 2 and 3 lie behind it, in a row.
    fn chain() -> Agenda {
        let mut agenda = Agenda::new("s", "http://s/", Mask::default());
        agenda.root = Some(state(1));
        for (number, path) in [(1, vec![]), (2, vec!["a"]), (3, vec!["a", "b"])] {
            agenda.enter(state(number), place(i64::from(number), &path));
            agenda.open(state(number), Vec::new());
        }
        agenda.walked(state(1), step("a"), state(2), 5.0);
        agenda.walked(state(2), step("b"), state(3), 5.0);
        agenda
    }

    #[test]
    fn a_known_edge_is_cheaper_than_loading_again() {
        let mut agenda = chain();
        let plan = agenda.plan(Some(state(3)), state(1)).expect("a plan");
        assert!(plan.loads && plan.steps.is_empty(), "{plan:?}");
        agenda.walked(state(3), step("home"), state(1), 5.0);
        let plan = agenda.plan(Some(state(3)), state(2)).expect("a plan");
        assert!(!plan.loads);
        assert_eq!(names(&plan), ["home", "a"]);
    }

    #[test]
    fn an_edge_that_led_elsewhere_is_no_way() {
        let mut agenda = chain();
        agenda.walked(state(3), step("home"), state(1), 5.0);
        agenda.walked(state(3), step("home"), state(2), 5.0);
        assert!(agenda.plan(Some(state(3)), state(1)).expect("a plan").loads);
    }

    #[test]
    fn a_state_that_no_edge_reaches_is_reached_by_its_first_path() {
        let mut agenda = chain();
        agenda.enter(state(9), place(9, &["x", "y"]));
        let plan = agenda.next(Some(state(1))).expect("work");
        assert_eq!(plan.to, state(9));
        assert!(plan.loads);
        assert_eq!(names(&plan), ["x", "y"]);
    }

    #[test]
    fn states_that_turn_out_equal_become_one() {
        let mut agenda = chain();
        let content = |text: &str| Content::of(&page::tree::parse_str(text).dom, &Mask::default());
        agenda.rename(
            Mask::default(),
            vec![(PageNumber(2), state(7), content("x")), (PageNumber(3), state(7), content("x"))],
        );
        assert_eq!(agenda.len(), 2);
        let kept = agenda.place(state(7)).expect("the one");
        assert_eq!(kept.page, PageNumber(2));
        let plan = agenda.plan(Some(state(1)), state(7)).expect("a plan");
        assert_eq!(names(&plan), ["a"]);
    }
}
