//! A good mapping, found in near-linear time: its cost is an upper bound of the distance.
//!
//! Level by level: equal ends of two child lists are paired, the rest is aligned by what pairing
//! would cost at least, and each pair is then looked into. Long lists are first cut at subtrees
//! that occur once in each (as in patience diff).

use super::outline::Outline;
use std::collections::HashMap;

/// Lists whose product is below this are aligned by dynamic programming.
const SMALL: usize = 4096;

/// The cost of a restricted top-down mapping of what is below the two roots.
pub(super) fn forest(a: &Outline, b: &Outline) -> u32 {
    let mut cost = 0;
    let mut aligner = Aligner::default();
    let mut pairs = vec![(0, 0)];
    while let Some((x, y)) = pairs.pop() {
        cost += aligner.align(a, a.children(x), b, b.children(y), &mut pairs);
    }
    cost
}

#[derive(Default)]
struct Aligner {
    cells: Vec<u32>,
}

impl Aligner {
    /// Aligns two lists. Gives the cost of what is decided, and adds the pairs still to look into.
    fn align(
        &mut self,
        a: &Outline,
        mut xs: &[u32],
        b: &Outline,
        mut ys: &[u32],
        pairs: &mut Vec<(u32, u32)>,
    ) -> u32 {
        let same = |x: &u32, y: &u32| a.hash(*x) == b.hash(*y);
        while let (Some(x), Some(y)) = (xs.first(), ys.first())
            && same(x, y)
        {
            (xs, ys) = (&xs[1..], &ys[1..]);
        }
        while let (Some(x), Some(y)) = (xs.last(), ys.last())
            && same(x, y)
        {
            (xs, ys) = (&xs[..xs.len() - 1], &ys[..ys.len() - 1]);
        }
        if xs.is_empty() || ys.is_empty() {
            return total(a, xs) + total(b, ys);
        }
        if xs.len() * ys.len() <= SMALL {
            return self.align_small(a, xs, b, ys, pairs);
        }
        let anchors = anchors(a, xs, b, ys);
        let (mut i, mut j, mut cost) = (0, 0, 0);
        for (x, y) in anchors.into_iter().chain([(xs.len(), ys.len())]) {
            let (left, right) = (&xs[i..x], &ys[j..y]);
            cost += if left.len() * right.len() <= SMALL {
                self.align_small(a, left, b, right, pairs)
            } else {
                align_in_order(a, left, b, right, pairs)
            };
            (i, j) = (x + 1, y + 1);
        }
        cost
    }

    fn align_small(
        &mut self,
        a: &Outline,
        xs: &[u32],
        b: &Outline,
        ys: &[u32],
        pairs: &mut Vec<(u32, u32)>,
    ) -> u32 {
        let width = ys.len() + 1;
        self.cells.clear();
        self.cells.resize((xs.len() + 1) * width, 0);
        let cells = &mut self.cells;
        for (j, y) in ys.iter().enumerate() {
            cells[j + 1] = cells[j] + b.size(*y);
        }
        for (i, x) in xs.iter().enumerate() {
            let (above, row) = (i * width, (i + 1) * width);
            cells[row] = cells[above] + a.size(*x);
            for (j, y) in ys.iter().enumerate() {
                let skip = (cells[above + j + 1] + a.size(*x)).min(cells[row + j] + b.size(*y));
                cells[row + j + 1] = skip.min(cells[above + j] + a.at_least(*x, b, *y));
            }
        }
        let (mut i, mut j, mut cost) = (xs.len(), ys.len(), 0);
        while i > 0 || j > 0 {
            let here = cells[i * width + j];
            let (x, y) = (i.checked_sub(1).map(|i| xs[i]), j.checked_sub(1).map(|j| ys[j]));
            if let (Some(x), Some(y)) = (x, y)
                && here == cells[(i - 1) * width + j - 1] + a.at_least(x, b, y)
            {
                cost += pair(a, x, b, y, pairs);
                (i, j) = (i - 1, j - 1);
            } else if let Some(x) = x
                && here == cells[(i - 1) * width + j] + a.size(x)
            {
                cost += a.size(x);
                i -= 1;
            } else if let Some(y) = y {
                cost += b.size(y);
                j -= 1;
            }
        }
        cost
    }
}

/// Pairs two subtrees: what it costs for sure, and the pair if there is more to find out.
fn pair(a: &Outline, x: u32, b: &Outline, y: u32, pairs: &mut Vec<(u32, u32)>) -> u32 {
    if a.hash(x) == b.hash(y) {
        return 0;
    }
    if a.label(x) != b.label(y) {
        return a.size(x) + b.size(y) - 1;
    }
    pairs.push((x, y));
    0
}

fn total(outline: &Outline, nodes: &[u32]) -> u32 {
    nodes.iter().map(|node| outline.size(*node)).sum()
}

/// Pairs one after the other, for lists that are too long to be aligned.
fn align_in_order(
    a: &Outline,
    xs: &[u32],
    b: &Outline,
    ys: &[u32],
    pairs: &mut Vec<(u32, u32)>,
) -> u32 {
    let common = xs.len().min(ys.len());
    let paired: u32 = xs.iter().zip(ys).map(|(x, y)| pair(a, *x, b, *y, pairs)).sum();
    paired + total(a, &xs[common..]) + total(b, &ys[common..])
}

/// Positions of subtrees that occur once in each list, the longest run that keeps their order.
fn anchors(a: &Outline, xs: &[u32], b: &Outline, ys: &[u32]) -> Vec<(usize, usize)> {
    let mut places: HashMap<u64, (usize, usize, usize, usize)> = HashMap::with_capacity(xs.len());
    for (i, x) in xs.iter().enumerate() {
        let place = places.entry(a.hash(*x)).or_default();
        (place.0, place.1) = (place.0 + 1, i);
    }
    for (j, y) in ys.iter().enumerate() {
        if let Some(place) = places.get_mut(&b.hash(*y)) {
            (place.2, place.3) = (place.2 + 1, j);
        }
    }
    let unique = places.values().filter(|place| place.0 == 1 && place.2 == 1);
    let mut matches: Vec<_> = unique.map(|place| (place.1, place.3)).collect();
    matches.sort_unstable();
    // Longest increasing run of the second positions, by the smallest end of each length.
    let mut ends: Vec<usize> = Vec::new();
    let mut before = vec![usize::MAX; matches.len()];
    for (at, (_, j)) in matches.iter().enumerate() {
        let length = ends.partition_point(|end| matches[*end].1 < *j);
        before[at] = length.checked_sub(1).map_or(usize::MAX, |last| ends[last]);
        if length == ends.len() {
            ends.push(at);
        } else {
            ends[length] = at;
        }
    }
    let mut run = Vec::with_capacity(ends.len());
    let mut at = ends.last().copied().unwrap_or(usize::MAX);
    while let Some(found) = matches.get(at) {
        run.push(*found);
        at = before[at];
    }
    run.reverse();
    run
}
