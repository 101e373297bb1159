//! Records without an element of their own: everything from one rule to the next, on pages that are
//! written as one long run of texts, links and line breaks.

use std::collections::HashSet;

use super::learned::{Branch, MOST_BETWEEN, Nesting, Symbol, Tail, shows};
use super::propose::{Proposal, named};
use super::selector::Selector;
use super::survey::{Classes, Survey};
use page::tree::{Kind, Node, NodeId};

/// Nodes of a rule at most: a line, an empty anchor, or a row of a table that only keeps distance.
const LARGEST: usize = 4;

/// The share of runs that have a date at least, for rules to part records. Among these are the path to
/// the page, adverts and links to other pages.
const LEAST_DATED: f64 = 0.3;

/// Sets of rules that go on to be judged.
const MOST_RULES: usize = 6;

/// The likeliest sets of records that rules part.
pub(super) fn ruled(surveys: &[Survey<'_>], classes: &Classes) -> Vec<Proposal> {
    let sets = named(surveys, is_rule);
    let mut found: Vec<Proposal> = sets
        .into_iter()
        .filter_map(|(selector, rules)| proposal(surveys, classes, selector, rules))
        .collect();
    found.sort_by(|a, b| b.promise.total_cmp(&a.promise));
    found.truncate(MOST_RULES);
    found
}

/// Whether an element shows nothing, between siblings that do.
fn is_rule(survey: &Survey<'_>, node: Node<'_>) -> bool {
    let says = |node: &Node<'_>| node.kind() == Kind::Text && shows(*node);
    let varies = |parent: Node<'_>| survey.weight_of(parent.id()) > survey.total() / 4;
    node.size() <= LARGEST
        && node.next_sibling().is_some()
        && node.parent().is_some_and(varies)
        && !node.descendants().any(|node| says(&node))
}

fn proposal(
    surveys: &[Survey<'_>],
    classes: &Classes,
    head: Selector,
    rules: Vec<Vec<NodeId>>,
) -> Option<Proposal> {
    let (mut runs, mut dated, mut covered, mut total) = (0usize, 0usize, 0, 0);
    let mut symbols: Vec<(Symbol, usize)> = Vec::new();
    let mut seen = HashSet::new();
    for (survey, rules) in surveys.iter().zip(&rules) {
        total += survey.total();
        for pair in rules.windows(2) {
            let (rule, next) = (survey.dom.node(pair[0]), survey.dom.node(pair[1]));
            let weight = survey.weight(rule.end().0, next.id().0);
            if rule.parent() != next.parent() || weight == 0 {
                continue;
            }
            runs += 1;
            if survey.dates(rule.end().0, next.id().0) == 0 {
                continue;
            }
            dated += 1;
            covered += weight;
            let between = std::iter::successors(rule.next_sibling(), |node| node.next_sibling());
            let between = between.take(MOST_BETWEEN).take_while(|node| node.id() != next.id());
            for symbol in between.filter_map(|node| Symbol::of(node, classes.of(node))) {
                if seen.insert(symbol.clone()) {
                    symbols.push((symbol, usize::MAX));
                }
            }
        }
    }
    let is_enough = dated > 1 && dated as f64 >= LEAST_DATED * runs as f64;
    let tail = Some(Tail { symbols, ruled: true });
    let branch = Branch {
        head,
        nesting: Nesting::Outermost,
        tail,
        marks: Vec::new(),
        core: None,
        adverts: Vec::new(),
    };
    let share = |part: usize, all: usize| part as f64 / all.max(1) as f64;
    let promise = share(covered as usize, total as usize) * share(dated, runs);
    is_enough.then_some(Proposal { branch, heads: rules, promise })
}
