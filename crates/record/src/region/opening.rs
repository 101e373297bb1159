//! The first post of a thread, where it is marked up unlike the answers.

use std::collections::HashMap;

use super::choose::{Judged, extent};
use super::learned::{Branch, MOST_SIBLINGS, Symbol, Tail, common, is_dated_span};
use super::span::Span;
use super::survey::{Classes, Survey};
use page::tree::{Dom, Node, NodeId};

/// The share of the marks of a first post that the answers have, too.
const ALIKE: f64 = 0.3;

/// How much a first post says at least, compared with the answers.
const AS_LONG: f64 = 0.3;

/// How much it says at least where it has none of their marks: an article with comments below it.
const ITS_OWN: f64 = 0.5;

/// How much a record says at least that is a post, and no row of a list.
const LEAST_BODY: f64 = 40.0;

/// The share of pages on which something follows the head of a first post, for it to belong there.
const OFTEN: f64 = 0.3;

/// The first posts of threads: at most one a page, before all answers, with a good part of their marks and
/// about as much text; or else an article of its own, with a date; or several elements that together are
/// one, such as a heading, a line about its author and a text.
pub(super) fn opening(
    surveys: &[Survey<'_>],
    classes: &Classes,
    best: &Judged,
    lone: &[Judged],
) -> Option<Branch> {
    if best.verdict.body < LEAST_BODY {
        return None;
    }
    let pages: Vec<&Dom> = surveys.iter().map(|survey| survey.dom).collect();
    let known = common(&pages, &best.spans, 0.2);
    let is_alike = |judged: &Judged| {
        let own = common(&pages, &judged.spans, 0.5);
        let shared = own.iter().filter(|mark| known.contains(*mark)).count();
        shared as f64 >= ALIKE * own.len() as f64 && shared >= 2
    };
    let is_long = |judged: &Judged, share: f64| judged.verdict.body >= share * best.verdict.body;
    let is_dated = |judged: &Judged| judged.verdict.dated >= 0.5;
    let is_article = |judged: &Judged| is_dated(judged) && is_long(judged, ITS_OWN);
    let before: Vec<&Judged> =
        lone.iter().filter(|judged| is_before(&pages, judged, best)).collect();
    let largest = |is_opening: &dyn Fn(&Judged) -> bool| {
        let openings = before.iter().copied().filter(|judged| is_opening(judged));
        openings.max_by_key(|judged| judged.nodes)
    };
    let one = largest(&|judged| {
        let fits = is_dated(judged) || best.verdict.dated < 0.5;
        fits && is_long(judged, AS_LONG) && is_alike(judged)
    });
    if let Some(one) = one.or_else(|| largest(&is_article)) {
        return Some(marked(surveys, one));
    }
    let runs = before.iter().filter_map(|head| run(surveys, classes, head, best));
    let runs = runs.filter(|run| is_article(run) && is_before(&pages, run, best));
    runs.max_by_key(|run| run.nodes).map(|run| marked(surveys, &run))
}

/// The branch of first posts, by the marks of those with a date, if most have one: what holds the first
/// post may be on later pages without it.
fn marked(surveys: &[Survey<'_>], opening: &Judged) -> Branch {
    if opening.verdict.dated < 0.5 {
        return opening.marked(surveys);
    }
    let dated = |(survey, spans): (&Survey<'_>, &Vec<Span>)| {
        spans.iter().filter(|span| is_dated_span(survey.dom, span)).cloned().collect()
    };
    let spans = surveys.iter().zip(&opening.spans).map(dated).collect();
    Judged::new(surveys, opening.branch.clone(), spans).marked(surveys)
}

/// Whether what a page has of one set is before all that it has of another.
fn is_before(pages: &[&Dom], one: &Judged, other: &Judged) -> bool {
    let mut pairs = one.spans.iter().zip(&other.spans).zip(pages);
    pairs.all(|((one, other), dom)| match (one.first(), other.first()) {
        (Some(one), Some(other)) => extent(dom, one).1 <= extent(dom, other).0,
        _ => true,
    })
}

/// A lone element with the siblings that follow it before the answers begin.
fn run(surveys: &[Survey<'_>], classes: &Classes, head: &Judged, best: &Judged) -> Option<Judged> {
    if head.branch.tail.is_some() {
        return None;
    }
    let mut symbols: HashMap<Symbol, (usize, usize)> = HashMap::new();
    let mut order: Vec<Symbol> = Vec::new();
    let mut pages = 0;
    let heads: Vec<Vec<NodeId>> = head
        .spans
        .iter()
        .map(|spans| spans.iter().filter_map(|span| span.nodes.first().copied()).collect())
        .collect();
    for ((survey, heads), answers) in surveys.iter().zip(&heads).zip(&best.spans) {
        let (Some(head), Some(answer)) = (heads.first(), answers.first()) else { continue };
        pages += 1;
        let answers = extent(survey.dom, answer).0;
        let mut own: HashMap<Symbol, usize> = HashMap::new();
        for node in following(survey.dom.node(*head)).take_while(|node| node.end() <= answers) {
            let Some(symbol) = Symbol::of(node, classes.of(node)) else { continue };
            if !symbols.contains_key(&symbol) && !own.contains_key(&symbol) {
                order.push(symbol.clone());
            }
            *own.entry(symbol).or_default() += 1;
        }
        for (symbol, count) in own {
            let (times, most) = symbols.entry(symbol).or_default();
            (*times, *most) = (*times + 1, (*most).max(count));
        }
    }
    let often = |symbol: Symbol| {
        let (times, most) = symbols.get(&symbol).copied()?;
        (times as f64 >= OFTEN * f64::from(pages)).then_some((symbol, most))
    };
    let symbols: Vec<(Symbol, usize)> = order.into_iter().filter_map(often).collect();
    if symbols.is_empty() {
        return None;
    }
    let tail = Some(Tail { symbols, ruled: false });
    let branch = Branch { tail, ..head.branch.clone() };
    let of_page = |(survey, heads): (&Survey<'_>, &Vec<NodeId>)| branch.spans(survey.dom, heads);
    let spans: Vec<Vec<Span>> = surveys.iter().zip(&heads).map(of_page).collect();
    Some(Judged::new(surveys, branch, spans))
}

fn following(head: Node<'_>) -> impl Iterator<Item = Node<'_>> {
    let siblings = std::iter::successors(head.next_sibling(), |node| node.next_sibling());
    siblings.take(MOST_SIBLINGS)
}
