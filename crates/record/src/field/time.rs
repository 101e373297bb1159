//! Rule (3) of the paper: a column that reads as dates, none of them after the capture, in order
//! within a page, and not said anew with every record of one author.

use std::collections::HashMap;

use super::cell::Cell;
use super::column::{Column, Table};
use super::selector::Place;
use crate::Precision;

/// Candidates that are weighed against the other fields.
const MAX_CANDIDATES: usize = 8;
/// How far a clock may be ahead of the capture: zones, mostly.
const AHEAD: i64 = 36 * 3_600;

/// A column that may be of times.
pub(super) struct Times {
    pub(super) column: usize,
    /// In seconds of the Unix clock, for each row.
    pub(super) at: Vec<Option<i64>>,
    pub(super) filled: usize,
    pub(super) score: f64,
    /// Dates of a record that look like it, itself counted, on the mean.
    pub(super) alike: f64,
    /// The shares of neighbouring records of a page that go up, and down.
    pub(super) up: f64,
    pub(super) down: f64,
}

/// The columns that may be of times, best first.
pub(super) fn times(table: &Table<'_>, columns: &[Column]) -> Vec<Times> {
    let found = columns.iter().enumerate().filter_map(|(number, column)| of(table, number, column));
    let mut found: Vec<Times> = found.collect();
    found.sort_by(|a, b| b.score.total_cmp(&a.score).then(b.column.cmp(&a.column)));
    let mut kept: Vec<Times> = Vec::new();
    for times in found {
        if kept.len() < MAX_CANDIDATES && !kept.iter().any(|other| other.at == times.at) {
            kept.push(times);
        }
    }
    for times in &mut kept {
        let dated = |row: usize, _: &Cell<'_>, other: &Cell<'_>| {
            table.stamp(row, other).is_some_and(|stamp| stamp.alone)
        };
        times.alike = columns.get(times.column).map_or(1.0, |column| table.alike(column, dated));
    }
    kept
}

fn of(table: &Table<'_>, number: usize, column: &Column) -> Option<Times> {
    if column.place == Place::Record {
        return None;
    }
    let mut at = vec![None; table.rows.len()];
    let (mut alone, mut exact, mut shown) = (0, 0.0, 0);
    for (row, _, cell) in table.cells_of(column) {
        let Some(stamp) = table.date_of(column, row, cell) else { continue };
        let captured =
            table.rows.get(row).and_then(|row| table.page_of(row)).and_then(|p| p.captured);
        if captured.is_some_and(|captured| stamp.moment.unix > captured.saturating_add(AHEAD)) {
            continue;
        }
        at[row] = Some(stamp.moment.unix);
        alone += usize::from(stamp.alone);
        exact += exactness(stamp.moment.precision);
        shown += usize::from(cell.length() > 0);
    }
    let filled = at.iter().flatten().count();
    let read = filled as f64 / column.count.max(1) as f64;
    let coverage = filled as f64 / table.rows.len() as f64;
    if filled == 0 || read < 0.6 || coverage < 0.25 {
        return None;
    }
    let (up, down) = order(table, &at);
    let share = |count: usize| count as f64 / filled as f64;
    let sum = 0.35 * up.max(down)
        + 0.25 * exact / filled as f64
        + 0.3 * share(alone)
        + 0.1 * share(shown);
    let score = coverage * read * sum * table.steady(column);
    Some(Times { column: number, at, filled, score, alike: 1.0, up, down })
}

pub(super) fn exactness(precision: Precision) -> f64 {
    match precision {
        Precision::Second | Precision::Minute => 1.0,
        Precision::Hour => 0.8,
        Precision::Day => 0.6,
        Precision::Week => 0.3,
        Precision::Month => 0.2,
        Precision::Year => 0.1,
    }
}

/// The shares of records that are later, and earlier, than the one before on their page; equal ones
/// are both. Half and half where no page has two.
fn order(table: &Table<'_>, at: &[Option<i64>]) -> (f64, f64) {
    let (mut pairs, mut up, mut down) = (2.0, 1.0, 1.0);
    let rows: Vec<(usize, i64)> =
        table.rows.iter().zip(at).filter_map(|(row, at)| Some((row.page, (*at)?))).collect();
    for pair in rows.windows(2) {
        let &[(page, before), (same, after)] = pair else { continue };
        if page == same {
            pairs += 1.0;
            up += f64::from(after >= before);
            down += f64::from(after <= before);
        }
    }
    (up / pairs, down / pairs)
}

/// The share of records, of authors with several, whose value is that of the author's other records:
/// 1 for the date that somebody joined on.
pub(super) fn by_author(authors: &[Option<String>], at: &[Option<i64>]) -> f64 {
    let mut of: HashMap<&str, Vec<i64>> = HashMap::new();
    for (author, at) in authors.iter().zip(at) {
        if let (Some(author), Some(at)) = (author, at) {
            of.entry(author).or_default().push(*at);
        }
    }
    let (mut same, mut all) = (0.0, 0.0);
    for times in of.values().filter(|times| times.len() > 1) {
        for time in times {
            all += 1.0;
            same +=
                f64::from(times.iter().filter(|other| *other == time).count() * 2 > times.len());
        }
    }
    if all > 0.0 { same / all } else { 0.0 }
}
