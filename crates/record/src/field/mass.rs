//! Where the free text of records is: what one record says and no other.

use std::collections::HashMap;

use super::cell::Cells;
use super::column::{Column, Table};
use super::selector::Place;

/// The free text of every record of a table.
///
/// A label, a rank, a signature is said again and again; what somebody wrote is said once, or twice
/// where it is quoted.
pub(super) struct Mass {
    rows: Vec<Vec<Weight>>,
}

struct Weight {
    from: usize,
    /// Free characters, and those of them in links, before it.
    free: f64,
    linked: f64,
}

/// How much of what is free a column has.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Held {
    /// Of all free text, the share that it has.
    pub(super) recall: f64,
    /// Of its own text, the share that is free.
    pub(super) purity: f64,
    /// Of its free text, the share that is in links.
    pub(super) linked: f64,
    /// Free characters a record, on the mean.
    pub(super) mean: f64,
}

impl Mass {
    pub(super) fn of(table: &Table<'_>) -> Self {
        let mut said: HashMap<u64, (u32, usize)> = HashMap::new();
        for (row, of) in table.rows.iter().enumerate() {
            for run in &of.cells.runs {
                let (rows, last) = said.entry(run.hash).or_insert((0, usize::MAX));
                if *last != row {
                    (*rows, *last) = (*rows + 1, row);
                }
            }
        }
        let worth = |hash: u64| match said.get(&hash) {
            Some((1, _)) => 1.0,
            Some((2, _)) => 0.5,
            _ => 0.0,
        };
        Mass { rows: table.rows.iter().map(|row| weights(&row.cells, worth)).collect() }
    }

    /// Free characters between two places of a record, and those of them in links.
    fn between(&self, row: usize, (from, to): (usize, usize)) -> (f64, f64) {
        let Some(weights) = self.rows.get(row) else { return (0.0, 0.0) };
        let before = |place: usize| {
            let at = weights.partition_point(|weight| weight.from < place);
            weights.get(at).map_or((0.0, 0.0), |weight| (weight.free, weight.linked))
        };
        let ((a, b), (c, d)) = (before(from), before(to));
        (c - a, d - b)
    }

    /// What a column holds.
    pub(super) fn held(&self, table: &Table<'_>, column: &Column) -> Held {
        let (mut free, mut linked, mut length) = (0.0, 0.0, 0);
        for (row, _, cell) in table.cells_of(column) {
            let whole = || table.rows.get(row).map_or(0, |row| row.cells.length);
            let text = if column.place == Place::Record { (0, whole()) } else { cell.text };
            let (a, b) = self.between(row, text);
            free += a;
            linked += b;
            length += text.1 - text.0;
        }
        Held {
            recall: free / self.total(table).max(1.0),
            purity: free / (length as f64).max(1.0),
            linked: linked / free.max(1.0),
            mean: free / column.count.max(1) as f64,
        }
    }

    fn total(&self, table: &Table<'_>) -> f64 {
        let rows = table.rows.iter().enumerate();
        rows.map(|(row, of)| self.between(row, (0, of.cells.length)).0).sum()
    }
}

fn weights(cells: &Cells<'_>, worth: impl Fn(u64) -> f64) -> Vec<Weight> {
    let (mut free, mut linked) = (0.0, 0.0);
    let mut weights = Vec::with_capacity(cells.runs.len() + 1);
    let ends = cells.runs.iter().skip(1).map(|run| run.from).chain([cells.length]);
    for (run, end) in cells.runs.iter().zip(ends) {
        weights.push(Weight { from: run.from, free, linked });
        let weight = worth(run.hash) * (end - run.from) as f64;
        free += weight;
        linked += if run.linked { weight } else { 0.0 };
    }
    weights.push(Weight { from: cells.length, free, linked });
    weights
}
