//! The search for the cheapest mapping below a limit.

use super::outline::Outline;
use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

/// What a search found.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Found {
    /// The least cost, at most the limit.
    Exact(u32),
    /// The least cost is above the limit.
    Above,
    /// The work cap cut in.
    OutOfWork,
}

/// What is known of a pair of subtrees.
#[derive(Clone, Copy)]
enum Known {
    Exact(u32),
    /// It costs more than this.
    Above(u32),
}

pub(super) struct Search<'a> {
    a: &'a Outline,
    b: &'a Outline,
    /// Cells that may still be filled.
    cells: usize,
    /// Pairs of subtrees by their hashes: lists repeat themselves.
    known: HashMap<u64, Known, BuildHasherDefault<AsIs>>,
    /// Rows of the programmes under way, one behind the other.
    rows: Vec<u32>,
}

const DEAD: u32 = u32::MAX;

impl<'a> Search<'a> {
    pub(super) fn new(a: &'a Outline, b: &'a Outline, cells: usize) -> Self {
        Search { a, b, cells, known: HashMap::default(), rows: Vec::new() }
    }

    /// The least cost of mapping the children of `x` to those of `y`, if it is within the limit.
    pub(super) fn forest(&mut self, x: u32, y: u32, limit: u32) -> Found {
        let (a, b) = (self.a, self.b);
        let (mut xs, mut ys) = (a.children(x), b.children(y));
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
        // A row costs time even if all its cells are dead.
        let Some(cells) = self.cells.checked_sub(xs.len() + ys.len()) else {
            return Found::OutOfWork;
        };
        self.cells = cells;
        match (xs, ys) {
            ([], rest) => within(rest.iter().map(|y| b.size(*y)).sum(), limit),
            (rest, []) => within(rest.iter().map(|x| a.size(*x)).sum(), limit),
            // Pairing two subtrees is always cheaper than deleting one and inserting one.
            ([x], [y]) => self.pair(*x, *y, limit),
            _ => {
                let base = self.rows.len();
                let found = self.align(xs, ys, limit, base);
                self.rows.truncate(base);
                found
            }
        }
    }

    /// The dynamic programme over two lists, keeping only cells that can stay within the limit.
    fn align(&mut self, xs: &[u32], ys: &[u32], limit: u32, base: usize) -> Found {
        let width = ys.len() + 1;
        let (a, b) = (self.a, self.b);
        // Three rows: sizes of what is left of `ys` from each place on, and two rows of costs.
        self.rows.resize(base + 3 * width, DEAD);
        let mut left_y = 0;
        self.rows[base + width - 1] = 0;
        for (j, y) in ys.iter().enumerate().rev() {
            left_y += b.size(*y);
            self.rows[base + j] = left_y;
        }
        let mut left_x: u32 = xs.iter().map(|x| a.size(*x)).sum();
        let (mut above, mut row) = (base + width, base + 2 * width);

        // The first row: nothing of `xs`, so only insertions. Columns `low..=high` are alive.
        let (mut low, mut high) = (0, 0);
        let mut cost = 0;
        for j in 0..width {
            if j > 0 {
                cost += b.size(ys[j - 1]);
            }
            if cost + left_x.abs_diff(self.rows[base + j]) > limit {
                // Costs only grow, and a cell that is dead here has no live one to its right
                // unless the rest gets nearer in size.
                self.rows[above + j] = DEAD;
                if cost > limit {
                    break;
                }
                continue;
            }
            self.rows[above + j] = cost;
            high = j;
        }
        for x in xs {
            let size_x = a.size(*x);
            left_x -= size_x;
            let (mut first, mut last) = (None, low);
            let mut cost_left = DEAD;
            let mut filled = 0;
            for j in low..width {
                if j > high + 1 && cost_left == DEAD {
                    break;
                }
                filled += 1;
                let rest = left_x.abs_diff(self.rows[base + j]);
                let up = if j <= high { self.rows[above + j] } else { DEAD };
                let mut best = up.saturating_add(size_x);
                if j > 0 {
                    let y = ys[j - 1];
                    best = best.min(cost_left.saturating_add(b.size(y)));
                    let diagonal =
                        if j > low && j <= high + 1 { self.rows[above + j - 1] } else { DEAD };
                    if diagonal != DEAD {
                        // What the pair may cost to be both better and within the limit.
                        let most = best.saturating_sub(1).min(limit.saturating_sub(rest));
                        if let Some(most) = most.checked_sub(diagonal) {
                            match self.pair(*x, y, most) {
                                Found::Exact(cost) => best = diagonal + cost,
                                Found::Above => {}
                                Found::OutOfWork => return Found::OutOfWork,
                            }
                        }
                    }
                }
                if best.saturating_add(rest) > limit {
                    best = DEAD;
                }
                self.rows[row + j] = best;
                cost_left = best;
                if best != DEAD {
                    first = first.or(Some(j));
                    last = j;
                }
            }
            let Some(cells) = self.cells.checked_sub(filled) else {
                return Found::OutOfWork;
            };
            self.cells = cells;
            let Some(first) = first else {
                return Found::Above;
            };
            (low, high) = (first, last);
            std::mem::swap(&mut above, &mut row);
        }
        match self.rows[above + width - 1] {
            cost if high == width - 1 && cost != DEAD => Found::Exact(cost),
            _ => Found::Above,
        }
    }

    /// The least cost of pairing two subtrees, if it is within the limit.
    fn pair(&mut self, x: u32, y: u32, limit: u32) -> Found {
        let (a, b) = (self.a, self.b);
        let least = a.at_least(x, b, y);
        if least > limit {
            return Found::Above;
        }
        if least == 0 || a.label(x) != b.label(y) {
            return Found::Exact(least);
        }
        let (below_x, below_y) = (a.size(x) - 1, b.size(y) - 1);
        if below_x == 0 || below_y == 0 {
            return within(below_x + below_y, limit);
        }
        let key = a.hash(x) ^ b.hash(y).rotate_left(32).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        match self.known.get(&key) {
            Some(Known::Exact(cost)) => return within(*cost, limit),
            Some(Known::Above(cost)) if *cost >= limit => return Found::Above,
            _ => {}
        }
        let found = self.forest(x, y, limit);
        match found {
            Found::Exact(cost) => drop(self.known.insert(key, Known::Exact(cost))),
            Found::Above => drop(self.known.insert(key, Known::Above(limit))),
            Found::OutOfWork => {}
        }
        found
    }
}

fn within(cost: u32, limit: u32) -> Found {
    if cost <= limit { Found::Exact(cost) } else { Found::Above }
}

/// Keys are hashes already.
#[derive(Default)]
struct AsIs(u64);

impl Hasher for AsIs {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for chunk in bytes.chunks(8) {
            let mut word = [0; 8];
            word[..chunk.len()].copy_from_slice(chunk);
            self.0 ^= u64::from_le_bytes(word);
        }
    }

    fn write_u64(&mut self, key: u64) {
        self.0 = key;
    }
}
