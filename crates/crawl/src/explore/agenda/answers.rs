//! Seed 001's instructions in one document: where each led, and what that says about its class.

use std::collections::{BTreeSet, HashMap, VecDeque};

use store::{EdgeOutcome, EdgeRow, PageNumber, PageRow, PathStep, StateId};

use super::place::Turn;
use super::{Agenda, Came, Offer, Open};
use crate::learn::{Class, Knowledge, Reach, evidence};

/// Answers that are kept of one instruction.
const ANSWERS: usize = 8;

/// The steps that an instruction may depend on, as hashes.
type Context = BTreeSet<u64>;

/// Where an instruction led once.
pub(super) struct Answer {
    context: Context,
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
                match self.known(knowledge, &one.offer, &trail).filter(|_| !one.is_audit) {
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
        trail: &[Turn],
    ) -> Option<PageNumber> {
        if !offer.has_argument() || self.is_resumed {
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
        trail: &[Turn],
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
                let same = answer.to == to;
                let reach = match answer.context == context {
                    true => Reach::Context,
                    // Two ways to one tab share a step: that they agree says nothing about other tabs.
                    false if same && !answer.context.is_disjoint(&context) => continue,
                    false => Reach::Document,
                };
                let states = (answer.from.min(from).0, answer.from.max(from).0, to.0);
                let evidence = evidence((offer.signature.as_str(), states));
                let signature = offer.signature.as_str();
                match same {
                    true if self.is_resumed => {}
                    true => knowledge.agreed(&offer.class, reach, (signature, evidence), &self.url),
                    false => knowledge.disagreed(&offer.class, reach),
                }
            }
        }
        let is_known = answers.iter().any(|answer| answer.from == from && answer.to == to);
        if answers.len() < ANSWERS && !is_known {
            answers.push(Answer { context, from, to });
        }
    }

    /// Learns again where the instructions of the document led, from the edges that an earlier run kept:
    /// its memory is gone, and what contradicted a class may not have been written down.
    pub(crate) fn restore(
        &mut self,
        knowledge: &mut Knowledge,
        pages: &[PageRow],
        edges: &[EdgeRow],
    ) {
        let trail = |page: &PageRow| page.path.iter().map(Turn::of).collect::<Vec<_>>();
        let origins: HashMap<PageNumber, (&PageRow, Vec<Turn>)> =
            pages.iter().map(|page| (page.page, (page, trail(page)))).collect();
        let found_by = finders(pages, edges);
        self.restore_walks(pages, edges);
        // Nearest to the start first: what was taken there says nothing about itself.
        let mut edges: Vec<&EdgeRow> = edges.iter().collect();
        edges.sort_by_key(|edge| origins.get(&edge.from).map(|(page, _)| page.path.len()));
        for edge in edges {
            let (Some((page, trail)), Some(Ok(class))) =
                (origins.get(&edge.from), edge.class.as_deref().map(str::parse::<Class>))
            else {
                continue;
            };
            // Types merge: the page knows what its own is called by now.
            let class = class.on(&page.page_type.as_deref().unwrap_or_default().into());
            let to = match edge.outcome {
                EdgeOutcome::Page | EdgeOutcome::Link => edge.to,
                EdgeOutcome::Same => Some(edge.from),
                _ => continue,
            };
            let Some(to) = to else { continue };
            let step = PathStep { handler: class.handler.clone(), ..edge.step() };
            let offer = Offer::new(&class.page_type, step);
            self.learn(knowledge, &offer, trail, edge.from, to);
            if found_by.get(&to).is_some_and(|finder| std::ptr::eq(*finder, edge)) {
                // What brought news from several states is never a repeat, whoever saw it.
                self.taken(&offer, trail, &Came { added: to.0.unsigned_abs(), is_news: true });
            }
            if to != edge.from {
                knowledge.has_an_effect(&class);
            }
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

/// The edge that each state of a document was found by: the last step of its path, from the state that the
/// path says, or else from the first that took it.
fn finders<'e>(pages: &[PageRow], edges: &'e [EdgeRow]) -> HashMap<PageNumber, &'e EdgeRow> {
    let paths: HashMap<PageNumber, &[PathStep]> =
        pages.iter().map(|page| (page.page, page.path.as_slice())).collect();
    let is_same =
        |a: &PathStep, b: &PathStep| (&a.event, &a.instruction) == (&b.event, &b.instruction);
    let mut finders: HashMap<PageNumber, (bool, &EdgeRow)> = HashMap::new();
    for edge in edges.iter().filter(|edge| edge.outcome == EdgeOutcome::Page) {
        let Some((to, path)) = edge.to.and_then(|to| Some((to, *paths.get(&to)?))) else {
            continue;
        };
        let Some((last, before)) = path.split_last() else { continue };
        if !is_same(last, &edge.step()) {
            continue;
        }
        let origin = paths.get(&edge.from).copied().unwrap_or_default();
        let is_exact =
            origin.len() == before.len() && origin.iter().zip(before).all(|(a, b)| is_same(a, b));
        let known = finders.entry(to).or_insert((is_exact, edge));
        if is_exact && !known.0 {
            *known = (true, edge);
        }
    }
    finders.into_iter().map(|(to, (_, edge))| (to, edge)).collect()
}

/// What an instruction may depend on: every other step on the way to the state.
fn context(offer: &Offer, trail: &[Turn]) -> Context {
    trail.iter().filter(|turn| !turn.is_sibling(offer)).map(evidence).collect()
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use page::tree::Mask;
    use store::PathStep;

    use super::super::Place;
    use super::*;

    fn step(call: &str) -> PathStep {
        let (handler, argument) = call.split_once('(').unwrap_or((call, ""));
        PathStep {
            event: "click".into(),
            xpath: format!("/html/body/{handler}/a[1]"),
            instruction: call.into(),
            element_id: None,
            tag: Some("a".into()),
            text: argument.trim_end_matches(')').into(),
            handler: format!("{handler}(#)"),
            values: Vec::new(),
        }
    }

    /// The way to a state as a run finds it that did not find the state itself.
    fn taken_up(path: &[&str]) -> Vec<Turn> {
        let kept: Vec<_> = path.iter().map(|call| step(call)).collect();
        let kept = serde_json::to_string(&kept).expect("a path is written down");
        let path = serde_json::from_str(&kept).expect("and read again");
        Place::new(PageNumber(1), Arc::default(), 0, path).trail
    }

    #[test]
    fn leaves_under_one_tab_say_nothing_about_those_under_another_whoever_found_them() {
        let (mut agenda, mut knowledge) =
            (Agenda::new("site", "url", Mask::default()), Knowledge::default());
        let offer = |call| Offer::new(&"type".into(), step(call));
        let (first, second) = (taken_up(&["tab(2)", "leaf(1)"]), taken_up(&["tab(2)", "leaf(4)"]));
        for (leaf, to) in [("leaf(2)", 12), ("leaf(3)", 13)] {
            for (trail, from) in [(&first, 11), (&second, 14)] {
                agenda.learn(&mut knowledge, &offer(leaf), trail, PageNumber(from), PageNumber(to));
            }
        }
        let known = |trail: &[&str]| agenda.known(&knowledge, &offer("leaf(2)"), &taken_up(trail));
        assert_eq!(known(&["tab(2)"]), Some(PageNumber(12)));
        assert_eq!(known(&["tab(3)"]), None, "nobody has fired it there");
    }

    #[test]
    fn two_ways_to_one_tab_that_agree_say_nothing_about_other_tabs() {
        let (mut agenda, mut knowledge) =
            (Agenda::new("site", "url", Mask::default()), Knowledge::default());
        let offer = |call| Offer::new(&"type".into(), step(call));
        let (straight, round) = (taken_up(&["tab(3)"]), taken_up(&["tab(2)", "leaf(1)", "tab(3)"]));
        for (leaf, to) in [("leaf(2)", 32), ("leaf(3)", 33)] {
            for (trail, from) in [(&straight, 30), (&round, 31)] {
                agenda.learn(&mut knowledge, &offer(leaf), trail, PageNumber(from), PageNumber(to));
            }
        }
        let known = |trail: &[&str]| agenda.known(&knowledge, &offer("leaf(2)"), &taken_up(trail));
        assert_eq!(known(&["tab(4)"]), None, "nobody has fired it there");
    }

    fn page(number: i64, path: &[&str]) -> PageRow {
        PageRow {
            page: PageNumber(number),
            key: number.to_string(),
            url: "url".into(),
            path: path.iter().map(|call| step(call)).collect(),
            page_type: Some("type".into()),
            title: String::new(),
            status: None,
            condition: store::PageStatus::Captured,
            via: None,
            content_hash: None,
            first_seen: store::Millis(0),
            last_seen: store::Millis(0),
            versions: 1,
            error: None,
            depth: 0,
            site: "site".into(),
            merged_into: None,
        }
    }

    fn edge(from: i64, call: &str, to: i64) -> EdgeRow {
        let step = step(call);
        EdgeRow {
            from: PageNumber(from),
            to: Some(PageNumber(to)),
            class: Some(Class::of(&"type".into(), &step).to_string()),
            event: step.event,
            xpath: step.xpath,
            element_id: None,
            text: step.text,
            instruction: step.instruction,
            outcome: EdgeOutcome::Page,
            refused_because: None,
            note: None,
            cost_ms: None,
            fickle: false,
            values: Vec::new(),
        }
    }

    #[test]
    fn after_an_interruption_leaves_that_brought_news_under_one_tab_are_no_repeats_under_another() {
        let offer = |call: &str| Offer::new(&"type".into(), step(call));
        let nothing_new = Came { added: 0, is_news: false };
        let pages = [
            page(1, &[]),
            page(2, &["leaf(2)"]),
            page(11, &["tab(2)"]),
            page(12, &["tab(2)", "leaf(2)"]),
            page(21, &["tab(3)"]),
        ];
        let edges = [
            edge(11, "leaf(2)", 12),
            edge(1, "tab(2)", 11),
            edge(1, "tab(3)", 21),
            edge(1, "leaf(2)", 2),
            edge(12, "leaf(2)", 12),
        ];
        let is_repeat = |is_restored: bool| {
            let mut agenda = Agenda::new("site", "url", Mask::default());
            if is_restored {
                agenda.restore(&mut Knowledge::default(), &pages, &edges);
            }
            for leaf in ["leaf(1)", "leaf(2)", "leaf(3)"] {
                for trail in [taken_up(&["tab(2)"]), taken_up(&["tab(2)", "leaf(2)"])] {
                    agenda.taken(&offer(leaf), &trail, &nothing_new);
                }
            }
            agenda.is_repeat(&offer("leaf(2)"), &taken_up(&["tab(3)"]))
        };
        assert!(is_repeat(false), "as it seems to who knows only what came after");
        assert!(!is_repeat(true), "the second tab had a page 2 of its own");
    }
}
