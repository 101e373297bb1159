//! Which sets of elements could be records: everything that one selector names on most pages.

use std::collections::{HashMap, HashSet};

use xxhash_rust::xxh3::xxh3_64;

use super::learned::{Branch, COMMON, MOST_SIBLINGS, Nesting, Symbol, Tail, common, marks};
use super::rule;
use super::selector::{ANY, Reach, Selector, Token};
use super::span::Span;
use super::survey::{Classes, Survey, mix};
use page::tree::{Dom, Node, NodeId};

/// The share of pages that a set is on at least: a type may hold a few pages of another.
const LEAST_PAGES: f64 = 0.6;

/// How far above an element the one may be that its selector begins at.
const FARTHEST: usize = 3;

/// Sets that go on to be judged: of single elements, and of runs of siblings.
const MOST_SETS: usize = 64;
const MOST_RUNS: usize = 24;
/// And of elements that no page has two of: the first post of a thread may be unlike the answers.
const MOST_LONE: usize = 48;

/// What records have in common at least to be told from layout: an author, a date and a text.
const LEAST_MARKS: usize = 3;

/// Records of all pages, named by one branch.
pub(super) struct Proposal {
    pub(super) branch: Branch,
    /// The heads, page by page.
    pub(super) heads: Vec<Vec<NodeId>>,
    /// A first guess at how good it is.
    pub(super) promise: f64,
}

/// One element under one of the names that it could be found by.
struct Entry {
    key: u64,
    page: u32,
    node: u32,
    recipe: Recipe,
}

/// How to make a selector of an element.
#[derive(Clone, Copy)]
struct Recipe {
    /// 0: by its path from the document. Else its path from so many elements above.
    above: u8,
    /// The token to use, of the element (or, with `above`, of the element above).
    token: u8,
}

const NO_TOKEN: u8 = u8::MAX;
/// Beside `above`: the element itself has no class.
const BARE: u8 = u8::MAX - 1;
/// From here on, what an element holds.
const HELD: u8 = 128;
const ANYWHERE: u8 = u8::MAX;
/// Anywhere, under any name.
const ANY_NAME: u8 = u8::MAX - 1;

/// The likeliest sets of records, in no order.
pub(super) fn propose(surveys: &[Survey<'_>], classes: &Classes) -> Vec<Proposal> {
    let sets = sets(surveys);
    let mut singles: Vec<Proposal> = Vec::new();
    let mut runs: Vec<Proposal> = Vec::new();
    for (selector, heads) in sets {
        let nested = is_nested(surveys, &heads);
        let nestings: &[Nesting] = if nested {
            &[Nesting::Outermost, Nesting::Innermost, Nesting::Tree]
        } else {
            &[Nesting::Outermost]
        };
        for nesting in nestings {
            let branch = Branch {
                head: selector.clone(),
                nesting: *nesting,
                tail: None,
                marks: Vec::new(),
                core: None,
                adverts: Vec::new(),
            };
            let promise = promise(surveys, &heads, false);
            singles.push(Proposal { branch, heads: heads.clone(), promise });
        }
        if !nested {
            let promise = promise(surveys, &heads, true);
            let branch = Branch {
                head: selector,
                nesting: Nesting::Outermost,
                tail: None,
                marks: Vec::new(),
                core: None,
                adverts: Vec::new(),
            };
            runs.push(Proposal { branch, heads, promise });
        }
    }
    let (mut lone, mut singles): (Vec<_>, Vec<_>) =
        singles.into_iter().partition(|single| single.heads.iter().all(|heads| heads.len() < 2));
    best(&mut lone, MOST_LONE);
    best(&mut singles, MOST_SETS);
    singles.retain(|single| {
        let is_tree = single.branch.nesting == Nesting::Tree;
        !is_nested(surveys, &single.heads) || is_tree == holds_replies(surveys, single)
    });
    best(&mut runs, MOST_RUNS * 4);
    let with_tail = runs.into_iter().filter_map(|mut run| {
        run.branch.tail = Some(tail(surveys, classes, &run.heads)?);
        Some(run)
    });
    singles.extend(with_tail.take(MOST_RUNS));
    singles.extend(lone);
    singles.extend(rule::ruled(surveys, classes));
    singles
}

fn best(proposals: &mut Vec<Proposal>, most: usize) {
    proposals.retain(|proposal| proposal.promise > 0.0);
    proposals.sort_by(|a, b| b.promise.total_cmp(&a.promise));
    proposals.truncate(most);
}

/// Everything that a selector names on most pages, each set once.
fn sets(surveys: &[Survey<'_>]) -> Vec<(Selector, Vec<Vec<NodeId>>)> {
    let mut sets = named(surveys, |survey, node| survey.weight_of(node.id()) > 0);
    sets.extend(cycles(surveys, &sets));
    sets
}

/// What a selector names on most pages, of some elements, each set once.
pub(super) fn named(
    surveys: &[Survey<'_>],
    is_taken: impl Fn(&Survey<'_>, Node<'_>) -> bool,
) -> Vec<(Selector, Vec<Vec<NodeId>>)> {
    let mut entries = Vec::new();
    for (page, survey) in surveys.iter().enumerate() {
        for node in survey.dom.elements().filter(|node| is_taken(survey, *node)) {
            enter(&mut entries, page as u32, survey, node);
        }
    }
    entries.sort_unstable_by_key(|entry| (entry.key, entry.page, entry.node));
    let least = (LEAST_PAGES * surveys.len() as f64).ceil() as usize;
    let mut seen = HashSet::new();
    let mut sets: Vec<(u32, Selector, Vec<Vec<NodeId>>)> = Vec::new();
    for group in entries.chunk_by(|a, b| a.key == b.key) {
        let pages = group.chunk_by(|a, b| a.page == b.page).count();
        if pages < least {
            continue;
        }
        let mut nodes = vec![Vec::new(); surveys.len()];
        for entry in group {
            nodes[entry.page as usize].push(NodeId(entry.node));
        }
        nodes.iter_mut().for_each(Vec::dedup);
        let recipe = group[0].recipe;
        let survey = &surveys[group[0].page as usize];
        let Some(selector) = recipe.make(survey.dom.node(NodeId(group[0].node))) else { continue };
        sets.push((recipe.rank(), selector, nodes));
    }
    // The name that says least of where an element is survives most changes of a page.
    sets.sort_by_key(|(rank, ..)| *rank);
    sets.retain(|(_, _, nodes)| {
        let of_page = |(page, nodes): (usize, &Vec<NodeId>)| {
            nodes.iter().fold(page as u64, |sum, node| mix(sum, u64::from(node.0)))
        };
        seen.insert(nodes.iter().enumerate().map(of_page).fold(0, mix))
    });
    sets.into_iter().map(|(_, selector, nodes)| (selector, nodes)).collect()
}

/// Enters an element under all its names.
fn enter(entries: &mut Vec<Entry>, page: u32, survey: &Survey<'_>, node: Node<'_>) {
    let path = survey.path[node.id().at()];
    let mut push = |key: u64, above: u8, token: u8| {
        entries.push(Entry { key, page, node: node.id().0, recipe: Recipe { above, token } });
    };
    push(mix(path, 1), 0, NO_TOKEN);
    let name = xxh3_64(node.name().as_bytes());
    for (at, token) in (0..HELD).zip(Token::all(node)) {
        let token = hash(&token);
        push(mix(mix(path, 2), token), 0, at);
        push(mix(mix(name, 3), token), ANYWHERE, at);
        push(mix(7, token), ANY_NAME, at);
    }
    if Token::is_bare(node) {
        push(mix(path, 8), 0, BARE);
    }
    for (at, token) in (HELD..BARE).zip(Token::held(node)) {
        push(mix(mix(path, 10), hash(&token)), 0, at);
    }
    let mut steps = name;
    for (above, outer) in (1..).zip(node.ancestors().take(FARTHEST)) {
        let outer_name = xxh3_64(outer.name().as_bytes());
        for (at, token) in (0..HELD).zip(Token::all(outer)) {
            push(mix(mix(mix(steps, 4), outer_name), hash(&token)), above, at);
        }
        steps = mix(steps, outer_name);
    }
}

fn hash(token: &Token) -> u64 {
    match token {
        Token::Class(word) => mix(5, xxh3_64(word.as_bytes())),
        Token::Numbered(prefix) => mix(6, xxh3_64(prefix.as_bytes())),
        Token::Attribute(name, value) => mix(xxh3_64(name.as_bytes()), xxh3_64(value.as_bytes())),
        Token::Bare => 9,
        Token::Holds(name, word) => mix(xxh3_64(name.as_bytes()), xxh3_64(word.as_bytes())),
    }
}

impl Recipe {
    /// The smaller, the better the name.
    fn rank(self) -> u32 {
        match (self.above, self.token) {
            (ANYWHERE, token) => u32::from(token),
            (ANY_NAME, token) => 500 + u32::from(token),
            (0, NO_TOKEN) => 3000,
            (0, token) => 2000 + u32::from(token),
            (above, token) => 1000 + 100 * u32::from(above) + u32::from(token),
        }
    }

    fn make(self, node: Node<'_>) -> Option<Selector> {
        let token = |node: Node<'_>| match self.token {
            BARE => Some(Token::Bare),
            HELD..BARE => Token::held(node).into_iter().nth((self.token - HELD).into()),
            at => Token::all(node).into_iter().nth(at.into()),
        };
        let names = |most: usize| -> Vec<String> {
            let chain = std::iter::once(node).chain(node.ancestors());
            let mut names: Vec<String> = chain
                .filter(|node| node.is_element())
                .take(most)
                .map(|node| node.name().to_owned())
                .collect();
            names.reverse();
            names
        };
        Some(match self.above {
            ANYWHERE => {
                Selector { reach: Reach::Anywhere, path: names(1), token: Some(token(node)?) }
            }
            ANY_NAME => {
                let path = vec![ANY.to_owned()];
                Selector { reach: Reach::Anywhere, path, token: Some(token(node)?) }
            }
            0 => Selector { reach: Reach::Root, path: names(usize::MAX), token: token(node) },
            above => {
                let outer = node.ancestors().nth(usize::from(above) - 1)?;
                let reach = Reach::Below(outer.name().to_owned(), token(outer)?);
                Selector { reach, path: names(above.into()), token: None }
            }
        })
    }
}

/// Sets whose paths go on and on in the same way, each inside the one before, as one set.
fn cycles(
    surveys: &[Survey<'_>],
    sets: &[(Selector, Vec<Vec<NodeId>>)],
) -> Vec<(Selector, Vec<Vec<NodeId>>)> {
    let rooted = sets
        .iter()
        .filter(|(selector, _)| selector.reach == Reach::Root && selector.token.is_none());
    let mut found: HashMap<(Vec<String>, Vec<String>), ()> = HashMap::new();
    for (selector, _) in rooted {
        let path = &selector.path;
        for length in 1..=(path.len() / 2).min(6) {
            let (rest, cycle) = path.split_at(path.len() - length);
            if !rest.ends_with(cycle) {
                continue;
            }
            let mut base = rest;
            while let Some(shorter) = base.strip_suffix(cycle).filter(|rest| rest.ends_with(cycle))
            {
                base = shorter;
            }
            found.insert((base.to_vec(), cycle.to_vec()), ());
            break;
        }
    }
    let make = |(path, cycle)| {
        let selector = Selector { reach: Reach::Nested(cycle), path, token: None };
        let nodes = surveys.iter().map(|survey| selector.find(survey.dom)).collect();
        (selector, nodes)
    };
    let mut found: Vec<_> = found.into_keys().collect();
    found.sort_unstable();
    found.truncate(16);
    found.into_iter().map(make).collect()
}

fn is_nested(surveys: &[Survey<'_>], heads: &[Vec<NodeId>]) -> bool {
    surveys.iter().zip(heads).any(|(survey, heads)| {
        heads.windows(2).any(|pair| pair[1] < survey.dom.node(pair[0]).end())
    })
}

/// Whether elements inside each other are records inside records: those that hold others have of their own
/// what those that hold none have. Else they are layout.
fn holds_replies(surveys: &[Survey<'_>], proposal: &Proposal) -> bool {
    let pages: Vec<&Dom> = surveys.iter().map(|survey| survey.dom).collect();
    let branch = Branch { nesting: Nesting::Tree, ..proposal.branch.clone() };
    let of_page = |(dom, heads): (&&Dom, &Vec<NodeId>)| branch.spans(dom, heads);
    let spans: Vec<Vec<Span>> = pages.iter().zip(&proposal.heads).map(of_page).collect();
    let split = |spans: Vec<Span>| spans.into_iter().partition(|span| span.without.is_empty());
    let (leaves, holders): (Vec<Vec<Span>>, Vec<Vec<Span>>) = spans.into_iter().map(split).unzip();
    let expected = common(&pages, &leaves, COMMON);
    let is_whole = |dom: &Dom, span: &Span| {
        let own = marks(dom, span);
        let has = expected.iter().filter(|mark| own.binary_search(mark).is_ok()).count();
        5 * has >= 4 * expected.len()
    };
    let (mut whole, mut all) = (0, 0);
    for (dom, holders) in pages.iter().zip(&holders) {
        all += holders.len();
        whole += holders.iter().filter(|span| is_whole(dom, span)).count();
    }
    expected.len() >= LEAST_MARKS && 5 * whole >= 4 * all
}

/// A first guess at how good a set is, from sums over whole elements: it is on most pages, several on
/// some, covers what varies, evenly, with a date or a few in each.
fn promise(surveys: &[Survey<'_>], heads: &[Vec<NodeId>], as_runs: bool) -> f64 {
    let (mut coverage, mut evenness, mut dated, mut count, mut most) = (0.0, 0.0, 0.0, 0.0, 0);
    let mut pages: f64 = 0.0;
    for (survey, heads) in surveys.iter().zip(heads) {
        if heads.is_empty() {
            continue;
        }
        pages += 1.0;
        let (mut sum, mut squares, mut records, mut reached) = (0.0, 0.0, 0.0, 0);
        for (at, head) in heads.iter().enumerate() {
            if head.0 < reached {
                continue;
            }
            let node = survey.dom.node(*head);
            let end =
                if as_runs { run_end(node, heads.get(at + 1).copied()) } else { node.end().0 };
            reached = end;
            let weight = f64::from(survey.weight(head.0, end));
            sum += weight;
            squares += weight * weight;
            records += 1.0;
            dated += f64::from(u8::from((1..=4).contains(&survey.dates(head.0, end))));
        }
        most = most.max(heads.len());
        count += records;
        coverage += sum / f64::from(survey.total().max(1));
        evenness += (2.0 * sum * sum / (records * squares).max(1.0)).min(1.0);
    }
    if pages == 0.0 || count == 0.0 {
        return 0.0;
    }
    let several = if most > 1 { 1.0 } else { 0.1 };
    let all = surveys.len() as f64;
    several * (coverage / all) * (evenness / pages) * (0.3 + 0.7 * dated / count)
}

/// Where a run ends at the latest: at the next head, or with its parent.
fn run_end(head: Node<'_>, next: Option<NodeId>) -> u32 {
    let end = head.parent().map_or(head.end(), Node::end);
    next.map_or(end.0, |next| next.0.min(end.0))
}

/// The siblings that follow a head before the next, learned from those that a next one follows. None
/// if nothing does.
fn tail(surveys: &[Survey<'_>], classes: &Classes, heads: &[Vec<NodeId>]) -> Option<Tail> {
    let mut symbols: HashMap<Symbol, (usize, usize)> = HashMap::new();
    let mut order: Vec<Symbol> = Vec::new();
    let mut runs = 0;
    for (survey, heads) in surveys.iter().zip(heads) {
        let all: HashSet<NodeId> = heads.iter().copied().collect();
        for pair in heads.windows(2) {
            let (head, next) = (survey.dom.node(pair[0]), survey.dom.node(pair[1]));
            if head.parent() != next.parent() {
                continue;
            }
            runs += 1;
            let siblings = std::iter::successors(head.next_sibling(), |node| node.next_sibling());
            let mut own: HashMap<Symbol, usize> = HashMap::new();
            for node in siblings.take(MOST_SIBLINGS).take_while(|node| !all.contains(&node.id())) {
                let Some(symbol) = Symbol::of(node, classes.of(node)) else { continue };
                if !symbols.contains_key(&symbol) && !own.contains_key(&symbol) {
                    order.push(symbol.clone());
                }
                *own.entry(symbol).or_default() += 1;
            }
            for (symbol, count) in own {
                let entry = symbols.entry(symbol).or_default();
                *entry = (entry.0 + 1, entry.1.max(count));
            }
        }
    }
    let often = |symbol: &Symbol| symbols.get(symbol).filter(|(times, _)| times * 10 >= runs * 3);
    let symbols: Vec<_> = order
        .into_iter()
        .filter_map(|symbol| often(&symbol).map(|(_, most)| *most).map(|most| (symbol, most)))
        .collect();
    (!symbols.is_empty()).then_some(Tail { symbols, ruled: false })
}
