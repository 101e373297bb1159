//! How far apart two pages are: the restricted top-down mapping distance (RTDM; Reis, Golgher,
//! Silva, Laender 2004), the distance of seed 000 §2.3.
//!
//! A mapping pairs nodes of two trees, keeping order among siblings. It is *top-down* if the
//! parents of a pair are a pair, and *restricted* if nothing below a pair with different labels is
//! paired. The roots, here always two documents, are a pair.
//!
//! **Costs.** Deleting a node costs 1, inserting a node 1, replacing a label by
//! another 1. So a pair of subtrees with different labels at their tops costs 1 + all nodes below both.
//! The distance is the least cost of a restricted top-down mapping.
//!
//! **Labels.** An element is labelled by its name. In [`Mode::Full`] texts are nodes too, labelled
//! by their words; in [`Mode::Structure`] they are left out. Attributes count in neither mode. What
//! the [canonical form](super::canonical) drops (scripts, styles, comments…) is not there at all.
//!
//! **Similarity** is `1 - distance / (nodes of one + nodes of the other)`: 1 for equal trees,
//! near 0 for trees that share nothing but the root.
//!
//! **How it stays fast, and exact.** The paper's dynamic programme over children tries every pair
//! of subtrees. We find a good mapping first (an upper bound) and then search only for a cheaper
//! one: a cell whose cost so far plus what the rest must cost at least reaches the bound is dead.
//! Equal subtrees, known by hash, cost nothing, and equal ends of two child lists are trimmed,
//! which never loses the optimum: let equal `a` and `b` head two lists, and a mapping pair `a` with
//! a later `c` and insert `b`. It pays at least `|c| - |a|` for the pair and `|b| = |a|` for `b`, and
//! pairing `a` with `b` and inserting `c` costs just `|c|`.
//!
//! Where the work cap cuts in, the result is the upper bound and says so: [`Distance::exact`].

mod estimate;
mod outline;
mod search;

pub(crate) use outline::LONGEST_STRUCTURE;
pub use outline::{Mode, Outline};

use search::{Found, Search};

/// How much to do at most, and when to stop early.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Effort {
    /// Above this distance the exact value is of no interest: the search may stop.
    pub cutoff: usize,
    /// Cells of dynamic programmes to fill at most, about 10 ns each.
    pub cells: usize,
}

impl Default for Effort {
    /// No cut-off, and 50 million cells: about half a second.
    fn default() -> Self {
        Effort { cutoff: usize::MAX, cells: 50_000_000 }
    }
}

/// The distance of two pages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Distance {
    /// The cost of the best mapping found.
    pub distance: usize,
    /// Whether no mapping is cheaper. If not, the cut-off or the work cap ended the search, and
    /// `distance` is an upper bound: the cost of a mapping, but perhaps not of the best.
    pub exact: bool,
    /// The nodes of the two trees, as far as they count.
    pub nodes: [usize; 2],
}

impl Distance {
    /// `1 - distance / (nodes of one + nodes of the other)`.
    pub fn similarity(&self) -> f64 {
        1.0 - self.distance as f64 / (self.nodes[0] + self.nodes[1]) as f64
    }
}

/// The distance of two outlines of the same mode.
///
/// ```
/// use page::tree::{Effort, Mode, Outline, distance, parse_str};
///
/// let outline = |html| Outline::new(&parse_str(html).dom, Mode::Full);
/// let (a, b) = (outline("<ul><li>1<li>2</ul>"), outline("<ul><li>1<li>new<li>2</ul>"));
/// let found = distance(&a, &b, Effort::default());
/// assert_eq!((found.distance, found.exact), (2, true)); // one <li> and its text
/// ```
pub fn distance(a: &Outline, b: &Outline, effort: Effort) -> Distance {
    let nodes = [a.len(), b.len()];
    // Always the same way round, so that an upper bound is symmetric too.
    let (a, b) = if a.order() <= b.order() { (a, b) } else { (b, a) };
    let (distance, exact) = of_ordered(a, b, effort);
    Distance { distance, exact, nodes }
}

fn of_ordered(a: &Outline, b: &Outline, effort: Effort) -> (usize, bool) {
    if a.hash(0) == b.hash(0) {
        return (0, true);
    }
    let bound = estimate::forest(a, b);
    let better = bound.saturating_sub(1);
    // Beyond the cut-off nobody asks for a cheaper mapping.
    let limit = better.min(u32::try_from(effort.cutoff).unwrap_or(u32::MAX));
    match Search::new(a, b, effort.cells).forest(0, 0, limit) {
        Found::Exact(cost) => (cost as usize, true),
        Found::Above => (bound as usize, limit == better),
        Found::OutOfWork => (bound as usize, false),
    }
}

/// The distance of two pages, for when one pair is all there is to compare.
///
/// ```
/// use page::tree::{Mode, compare, parse_str};
///
/// let (a, b) = (parse_str("<p>x").dom, parse_str("<p>y").dom);
/// assert_eq!(compare(&a, &b, Mode::Structure).similarity(), 1.0);
/// assert_eq!(compare(&a, &b, Mode::Full).distance, 1);
/// ```
pub fn compare(a: &super::Dom, b: &super::Dom, mode: Mode) -> Distance {
    distance(&Outline::new(a, mode), &Outline::new(b, mode), Effort::default())
}
