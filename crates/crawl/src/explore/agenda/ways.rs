//! The ways between the states of a document, with what each costs, and the cheapest of them (seed
//! 001's page navigation, over measured costs).

use std::cmp::{Ordering, Reverse};
use std::collections::{BinaryHeap, HashMap};

use store::{PathStep, StateId};

use super::{Agenda, Place};

/// What loading a document and firing an event cost before anything was measured, in milliseconds.
pub(super) const LOAD_MS: f64 = 100.0;
pub(super) const EVENT_MS: f64 = 10.0;
/// The weight of the latest measurement in a running mean.
const LATEST: f64 = 0.2;

/// An edge that was seen to lead somewhere.
#[derive(Clone)]
pub(super) struct Way {
    pub(super) step: PathStep,
    pub(super) to: StateId,
    pub(super) cost_ms: f64,
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

struct Reached {
    cost: f64,
    by: Option<(StateId, usize)>,
}

struct Next {
    cost: f64,
    state: StateId,
    by: Option<(StateId, usize)>,
}

impl Agenda {
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
    use page::state::Content;
    use page::tree::Mask;
    use store::PageNumber;

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
            handler: String::new(),
            values: Vec::new(),
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
