//! FDRE, the paper's mining of one page (seed 004, section 2).
//!
//! *Step 1* is the tag tree. *Step 2*: children of one parent whose tag strings are within an edit distance
//! of 0.3 of each other, as a share of the longer string, are a data region; only neighbours are
//! compared, and only if neither string is more than twice as long as the other.
//!
//! *Step 3*, the records of a region, is blank in our copy of the paper. Ours:
//!
//! 1. A child that is unlike its neighbours (a heading, a rule, an advert) parts a region only if the
//!    children on both sides of it are unlike, too: records need not touch.
//! 2. Siblings with the name and class of a record are records, too, though a long text may hold so many
//!    tags of its own that the strings differ by more than 0.3.
//! 3. A record shows text, and not the text that all others show. A child that does not is left out, and
//!    a region that keeps fewer than two is none.
//! 4. Regions inside a record are its parts (paragraphs, cells, buttons): the outer is preferred unless
//!    its records are unlike in size, as columns of a page are.
//! 5. Regions are ordered by how much text they hold, times the share of records with a date, where any
//!    has one, for a record of a forum is dated, and a menu is not.

use std::collections::HashSet;

use super::clue::is_dated;
use super::selector::is_shared;
use super::span::Span;
use super::tags::Tags;
use page::tree::names::known;
use page::tree::{Dom, Kind, NodeId};

/// The paper's threshold.
const THRESHOLD: f64 = 0.3;

/// Regions given back at most.
const MOST_REGIONS: usize = 64;

/// The records of one page, region by region, likeliest first.
///
/// A page with one record has none: that takes [`regions`](super::regions), which learns from others.
///
/// ```
/// # use record::fdre;
/// # use page::tree::parse_str;
/// let dom = parse_str(
///     "<ul><li><a href=1>How to start?</a> 2024-05-06<li><a href=2>Who else?</a> 2024-05-07</ul>",
/// ).dom;
/// let records = &fdre(&dom)[0];
/// assert_eq!(records.len(), 2);
/// assert_eq!(records[1].text(&dom), "Who else? 2024-05-07");
/// ```
pub fn fdre(dom: &Dom) -> Vec<Vec<Span>> {
    let mut tags = Tags::new(dom);
    let mut regions: Vec<(f64, Vec<NodeId>)> = Vec::new();
    for parent in dom.elements() {
        let children = tags.children(parent);
        let mut seen: HashSet<NodeId> = HashSet::new();
        for run in runs(&mut tags, &children) {
            let records = identify(dom, &tags, kindred(dom, run, &children));
            if records.len() >= 2 && records.iter().any(|record| seen.insert(*record)) {
                seen.extend(&records);
                regions.push((worth(dom, &tags, &records), records));
            }
        }
    }
    regions.sort_by(|a, b| b.0.total_cmp(&a.0));
    regions.truncate(MOST_REGIONS);
    let spans = |records: Vec<NodeId>| records.into_iter().map(Span::of).collect();
    regions.into_iter().map(|(_, records)| spans(records)).collect()
}

/// Runs of children that are alike, a single other one between them not counting.
fn runs(tags: &mut Tags<'_>, children: &[NodeId]) -> Vec<Vec<NodeId>> {
    let mut runs: Vec<Vec<NodeId>> = Vec::new();
    let mut is_in_run = vec![false; children.len()];
    for start in 0..children.len() {
        if is_in_run[start] {
            continue;
        }
        let mut run = vec![children[start]];
        let (mut last, mut next) = (start, start + 1);
        while next < children.len() && next <= last + 2 {
            if !is_in_run[next] && is_alike(tags, children[last], children[next]) {
                is_in_run[next] = true;
                run.push(children[next]);
                last = next;
            }
            next += 1;
        }
        if run.len() >= 2 {
            runs.push(run);
        }
    }
    runs
}

fn is_alike(tags: &mut Tags<'_>, a: NodeId, b: NodeId) -> bool {
    let compared = tags.distance((a, a), (b, b));
    compared.is_some_and(|(edits, a, b)| edits as f64 <= THRESHOLD * a.max(b) as f64)
}

/// A run with all siblings that have the name and class of its first.
fn kindred(dom: &Dom, run: Vec<NodeId>, children: &[NodeId]) -> Vec<NodeId> {
    let kind = |node: NodeId| {
        let node = dom.node(node);
        let classes = node.attribute_by(known::CLASS).unwrap_or_default();
        (node.name(), classes.split_ascii_whitespace().find(|word| is_shared(word)))
    };
    match run.first().map(|first| kind(*first)) {
        Some(first @ (_, Some(_))) => {
            let members: HashSet<NodeId> = run.into_iter().collect();
            let is_kin = |node: &NodeId| kind(*node) == first || members.contains(node);
            children.iter().copied().filter(is_kin).collect()
        }
        _ => run,
    }
}

/// The children of a region that are records.
fn identify(dom: &Dom, tags: &Tags<'_>, run: Vec<NodeId>) -> Vec<NodeId> {
    let texts: Vec<String> = run.iter().map(|node| Span::of(*node).text(dom)).collect();
    let all_same = texts.windows(2).all(|pair| pair[0] == pair[1]);
    let shows = |node: &NodeId| tags.letters(*node, *node) > 0;
    if all_same { Vec::new() } else { run.into_iter().filter(shows).collect() }
}

/// What speaks for a region.
fn worth(dom: &Dom, tags: &Tags<'_>, records: &[NodeId]) -> f64 {
    let count = records.len() as f64;
    let letters: Vec<f64> =
        records.iter().map(|node| f64::from(tags.letters(*node, *node))).collect();
    let sum: f64 = letters.iter().sum();
    // 1 if all are of one size, and near 1 / count if one holds everything.
    let evenness = sum * sum / (count * letters.iter().map(|x| x * x).sum::<f64>()).max(1.0);
    let dated = records.iter().filter(|node| has_date(dom, **node)).count() as f64 / count;
    let texts: HashSet<String> = records.iter().map(|node| Span::of(*node).text(dom)).collect();
    sum * evenness.sqrt() * (0.3 + 0.7 * dated) * texts.len() as f64 / count
}

fn has_date(dom: &Dom, record: NodeId) -> bool {
    let mut texts = dom.node(record).descendants().filter(|node| node.kind() == Kind::Text);
    texts.any(is_dated)
}
